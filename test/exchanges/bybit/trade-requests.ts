/**
 * The trade socket of Bybit, `/v5/trade`: a login of its own, then `order.create`, `order.amend` and `order.cancel`, which do what POST /v5/order/…
 * does under the same limits. Source: docs/v5, "Websocket Trade Guideline".
 */
import type { WebSocket } from "ws"
import { answerSocket, bodyOf } from "../socket-requests.ts"
import type { Core } from "./core.ts"
import type { BybitAccount } from "./model.ts"
import type { Fields } from "./order-request.ts"
import { privateRoutes } from "./private-api.ts"
import { BybitRefusal, notLoggedIn, parameterError, refusalOf, repeatedRequest, unknownOperation } from "./refusal.ts"
import { checkTime, verifyLogin } from "./signature.ts"

export interface TradeConnection {
  readonly socket: WebSocket
  readonly connId: string
  /** Numbers of its requests so far. */
  readonly requests: Set<string>
  account: BybitAccount | undefined
}

export interface TradeFrame {
  readonly op: string
  readonly reqId: string | undefined
  readonly header: Readonly<Record<string, unknown>>
  readonly args: ReadonlyArray<unknown>
}

const PATHS: Readonly<Record<string, string>> = {
  "order.create": "POST /v5/order/create",
  "order.amend": "POST /v5/order/amend",
  "order.cancel": "POST /v5/order/cancel",
}

type Headers = Readonly<Record<string, string>>

export const takeTrade = (core: Core, connection: TradeConnection, frame: TradeFrame): void => {
  const { socket, connId, account } = connection
  const { op, reqId, args } = frame
  const named = reqId === undefined ? {} : { reqId }
  if (op === "ping") {
    socket.send(JSON.stringify({ ...named, retCode: 0, retMsg: "OK", op: "pong", data: [String(core.now())], connId }))
    return
  }
  if (op === "auth") {
    login(core, connection, frame)
    return
  }
  const { orderLinkId, symbol } = fieldsOf(args)
  if (op === "order.create" && account !== undefined && typeof orderLinkId === "string")
    core.placements.arrived(orderLinkId, account.apiKey, String(symbol ?? ""))
  const reply = (retCode: unknown, retMsg: unknown, data: unknown, headers: Headers = {}) => {
    const header = { ...headers, Traceid: connId, Timenow: String(core.now()) }
    return { ...named, retCode, retMsg, op, data, header, connId }
  }
  answerSocket(core.faults.takeAnswer(`WS ${op}`), {
    socket,
    run: () => {
      try {
        const { data, headers } = perform(core, connection, frame)
        return reply(0, "OK", data, headers)
      } catch (cause) {
        const refusal = refusalOf(cause)
        if (refusal === undefined) throw cause
        return reply(refusal.retCode, refusal.message, {}, refusal instanceof BybitRefusal ? refusal.headers : {})
      }
    },
    refused: ({ status, body, ...rest }) => {
      const { retCode, retMsg = "", result = {} } = bodyOf(body)
      if (retCode === undefined) return reply(status === 429 ? 10429 : 10016, `HTTP ${status}`, {})
      return reply(retCode, retMsg, result, ("headers" in rest ? rest.headers : undefined) ?? {})
    },
  })
}

const fieldsOf = ([order]: ReadonlyArray<unknown>): Fields =>
  typeof order === "object" && order !== null ? (order as Fields) : {}

const perform = (core: Core, { account, requests }: TradeConnection, { op, reqId, header, args }: TradeFrame) => {
  const key = PATHS[op]
  const route = key === undefined ? undefined : privateRoutes.get(key)
  if (key === undefined || route === undefined) throw unknownOperation()
  if (account === undefined || core.accounts.get(account.apiKey) !== account) throw notLoggedIn()
  if (reqId !== undefined && (reqId.length > 36 || requests.has(reqId))) throw repeatedRequest()
  if (reqId !== undefined) requests.add(reqId)
  checkTime(header["X-BAPI-TIMESTAMP"], header["X-BAPI-RECV-WINDOW"], core.now())
  if (args.length !== 1) throw parameterError("args")
  const headers = core.limits.account(account, key)
  return { data: route(core, { account, query: new URLSearchParams(), fields: fieldsOf(args) }), headers }
}

const login = (core: Core, connection: TradeConnection, { op, reqId, args }: TradeFrame): void => {
  const { socket, connId } = connection
  const named = reqId === undefined ? {} : { reqId }
  answerSocket(core.faults.takeAnswer("WS trade auth"), {
    socket,
    run: () => {
      const result = verifyLogin(core.accounts, args, core.now())
      if (typeof result === "string") return { ...named, retCode: 10004, retMsg: result, op, connId }
      connection.account = result
      return { ...named, retCode: 0, retMsg: "OK", op, connId }
    },
    refused: ({ body }) => {
      const { retCode = 10004, retMsg = "Invalid sign" } = bodyOf(body)
      return { ...named, retCode, retMsg, op, connId }
    },
  })
}
