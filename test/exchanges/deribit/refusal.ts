/** The errors of Deribit, `{"error": {"code", "message", "data"}}`; over HTTP under 400. Source: docs.deribit.com, "RPC Error Codes". */
import { Refusal } from "../binance/wire/refusal.ts"

export class RpcRefusal extends Error {
  constructor(
    readonly code: number,
    override readonly message: string,
    readonly data?: Readonly<Record<string, unknown>>,
  ) {
    super(message)
  }
}

export const wrongCredentials = () => new RpcRefusal(13004, "invalid_credentials")
/** A wrong signature, an old one, one that was used, and a token that is not valid. */
export const unauthorized = () => new RpcRefusal(13009, "unauthorized")
export const tooManyRequests = () => new RpcRefusal(10028, "too_many_requests")
export const invalidParams = (param: string, reason: string) =>
  new RpcRefusal(-32602, "Invalid params", { reason, param })
export const methodNotFound = () => new RpcRefusal(-32601, "Method not found")
export const orderNotFound = () => new RpcRefusal(10004, "order_not_found")
export const notOpenOrder = () => new RpcRefusal(11044, "not_open_order")
export const noSuchInstrument = () => new RpcRefusal(13020, "instrument_not_found")
export const orderOverlap = () => new RpcRefusal(10003, "order_overlap")
export const postOnlyReject = () => new RpcRefusal(11054, "post_only_reject")
export const timedOut = () => new RpcRefusal(13888, "timed_out")
export const reduceDirection = () => new RpcRefusal(11030, "other_reject", { reason: "reduce_direction" })
export const invalidAmount = () => new RpcRefusal(10021, "invalid_amount")
export const amountTooLow = () => new RpcRefusal(10002, "qty_too_low")
export const wrongTick = () => new RpcRefusal(10043, "price_wrong_tick")

/** The matching engine speaks the words of Binance. */
export const refusalOf = (cause: unknown): RpcRefusal | undefined => {
  if (cause instanceof RpcRefusal) return cause
  if (!(cause instanceof Refusal)) return undefined
  if (cause.code === -2019) return new RpcRefusal(10009, "not_enough_funds")
  if (cause.message.includes("PRICE_FILTER")) return wrongTick()
  return invalidAmount()
}
