/** Orders over WebSocket v2: the same operations as in REST, their parameters in other words. */
import type { AnswerFault } from "../../binance/faults.ts"
import type { Core } from "../core.ts"
import type { KrakenAccount } from "../model.ts"
import type { Connection } from "./connections.ts"
import { amendOrder, cancelAll, cancelOrder, placeOrder } from "./private-api.ts"
import { invalidArguments, KrakenRefusal } from "./refusal.ts"
import type { Parameters } from "./signature.ts"
import { acknowledge, type Fields, refuse, type SocketRequest } from "./socket-answers.ts"

const text = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === "string" ? value : JSON.stringify(value)

/** REST's word for each of WebSocket's. */
const WORDS: ReadonlyArray<readonly [there: string, here: string]> = [
  ["symbol", "pair"],
  ["side", "type"],
  ["order_type", "ordertype"],
  ["order_qty", "volume"],
  ["limit_price", "price"],
  ["cl_ord_id", "cl_ord_id"],
  ["order_userref", "userref"],
  ["deadline", "deadline"],
  ["expire_time", "expiretm"],
]

const inRestWords = (params: Fields): Parameters => {
  const found = WORDS.flatMap(([there, here]) => {
    const value = text(params[there])
    return value === undefined ? [] : [[here, value] as const]
  })
  const flags = [params["post_only"] === true ? "post" : "", text(params["fee_preference"]) ?? ""]
  const timeInForce = text(params["time_in_force"])?.toUpperCase()
  return {
    ...Object.fromEntries(found),
    oflags: flags.filter((flag) => flag !== "").join(","),
    ...(timeInForce === undefined ? {} : { timeinforce: timeInForce }),
  }
}

type Operation = (core: Core, account: KrakenAccount, params: Fields) => Fields

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [
    "add_order",
    (core, account, params) => {
      const order = placeOrder(core, account, inRestWords(params))
      return { order_id: order.txid, ...(order.clOrdId === undefined ? {} : { cl_ord_id: order.clOrdId }) }
    },
  ],
  [
    "amend_order",
    (core, account, params) => {
      const words = {
        txid: text(params["order_id"]),
        cl_ord_id: text(params["cl_ord_id"]),
        order_qty: text(params["order_qty"]),
        limit_price: text(params["limit_price"]),
      }
      const given = Object.entries(words).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
      return { ...amendOrder(core, account, Object.fromEntries(given)), order_id: words.txid }
    },
  ],
  [
    "cancel_order",
    (core, account, params) => {
      const [txid] = Array.isArray(params["order_id"]) ? params["order_id"] : []
      const [clOrdId] = Array.isArray(params["cl_ord_id"]) ? params["cl_ord_id"] : []
      const named =
        typeof txid === "string" ? { txid } : typeof clOrdId === "string" ? { cl_ord_id: clOrdId } : undefined
      if (named === undefined) throw invalidArguments()
      return { order_id: cancelOrder(core, account, named).txid }
    },
  ],
  ["cancel_all", (core, account) => cancelAll(core, account)],
])

export const isTrading = (method: string): boolean => OPERATIONS.has(method)

export const trade = (core: Core, connection: Connection, request: SocketRequest): void => {
  const { method, params } = request
  const clOrdId = text(params["cl_ord_id"])
  if (method === "add_order" && clOrdId !== undefined) {
    core.placements.arrived(clOrdId, "", text(params["symbol"]) ?? "")
  }
  const fault = core.faults.takeAnswer(`WS ${method}`)
  if (fault?.kind === "hang") return
  if (fault?.kind === "destroy") {
    connection.socket.terminate()
    return
  }
  if (fault?.kind === "status") {
    refuse(core, connection, request, fault.body ?? "EService:Unavailable")
    return
  }
  answer(core, connection, request, fault)
}

const answer = (core: Core, connection: Connection, request: SocketRequest, fault: AnswerFault | undefined): void => {
  const lost = (): boolean => {
    if (fault?.kind === "apply-then-destroy") connection.socket.terminate()
    return fault?.kind === "apply-then-hang" || fault?.kind === "apply-then-destroy"
  }
  try {
    const account = core.tokens.accountOf(request.params["token"])
    const result = OPERATIONS.get(request.method)?.(core, account, request.params) ?? {}
    if (!lost()) acknowledge(core, connection, request, result)
  } catch (cause) {
    if (!(cause instanceof KrakenRefusal)) throw cause
    if (!lost()) refuse(core, connection, request, cause.message)
  }
}
