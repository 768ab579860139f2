/**
 * Orders over the private socket of OKX: `order`, `cancel-order` and `amend-order` do what POST /api/v5/trade/… does, for a socket that is logged
 * in, with the instrument by its number. Source: okx.com/docs-v5, "WS / Place order".
 */
import { answerSocket, bodyOf } from "../socket-requests.ts"
import type { Connection } from "./channels.ts"
import type { Core } from "./core.ts"
import { instIdOf } from "./instruments.ts"
import type { Fields } from "./order-request.ts"
import { privateRoutes } from "./private-api.ts"
import { RequestRefusal } from "./refusal.ts"
import { ofOperations } from "./rest.ts"

const OPERATIONS: ReadonlyArray<string> = ["order", "cancel-order", "amend-order"]

export const isTrade = (op: string): boolean => OPERATIONS.includes(op)

export interface TradeRequest {
  readonly id: unknown
  readonly op: string
  readonly expTime: unknown
  readonly args: ReadonlyArray<Fields>
}

interface Said {
  readonly code: string
  readonly msg: string
  readonly data: ReadonlyArray<unknown>
}

const refusal = (code: string, msg: string): Said => ({ code, msg, data: [] })

/** Of a connection that is logged in. */
export const takeTrade = (core: Core, { socket, connId, account }: Connection, request: TradeRequest): void => {
  const { id, op, args } = request
  if (op === "order" && account !== undefined)
    for (const { clOrdId, instIdCode } of args)
      if (typeof clOrdId === "string") core.placements.arrived(clOrdId, account.apiKey, instIdOf(instIdCode) ?? "")
  const inTime = String(core.now() * 1000)
  const reply = (said: Said) => ({ id, op, ...said, inTime, outTime: String(core.now() * 1000) })
  answerSocket(core.faults.takeAnswer(`WS ${op}`), {
    socket,
    run: () => reply(account === undefined ? refusal("60011", "Please log in") : perform(core, account, request)),
    refused: ({ status, body }) => {
      const { event, code, msg = "", data = [] } = bodyOf(body)
      // Of what it cannot read the venue says no number.
      if (event === "error") {
        const text = `Illegal request: ${JSON.stringify({ id, op, args })}`
        return { event, code: String(code), msg: text, connId }
      }
      if (code === undefined) return reply(refusal(status === 429 ? "50011" : "63999", `HTTP ${status}`))
      return reply({ code: String(code), msg: String(msg), data: Array.isArray(data) ? data : [] })
    },
  })
}

const perform = (
  core: Core,
  account: NonNullable<Connection["account"]>,
  { op, args, expTime }: TradeRequest,
): Said => {
  // A key that was deleted has no login any more.
  if (core.accounts.get(account.apiKey) !== account) return refusal("60011", "Please log in")
  const key = `POST /api/v5/trade/${op}`
  const route = privateRoutes.get(key)
  const [first] = args
  if (route === undefined || first === undefined) return refusal("60013", "Invalid args")
  if (first["instIdCode"] === undefined) {
    const row = { clOrdId: "", ordId: "", ts: String(core.now()), sCode: "50014" }
    return { code: "1", msg: "", data: [{ ...row, sMsg: "Parameter instIdCode can not be empty" }] }
  }
  const fields = args.map(({ instIdCode, instId: _, ...rest }) => ({ ...rest, instId: instIdOf(instIdCode) }))
  const until = Number(expTime ?? Number.NaN)
  try {
    core.limits.operation(account, key, String(fields[0]?.instId))
    const query = new URLSearchParams()
    return ofOperations(route(core, { account, query, fields, expiresAt: Number.isNaN(until) ? undefined : until }))
  } catch (cause) {
    if (!(cause instanceof RequestRefusal)) throw cause
    return refusal(cause.code, cause.message)
  }
}
