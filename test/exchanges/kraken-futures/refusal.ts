/**
 * The errors of Kraken Futures. Of a request: `{result: "error", error}`, under HTTP 200. Of an order, a change or a cancel: a word in place of the
 * status in an answer that is a success. Source: docs.kraken.com, "Send order", "Edit order", "Cancel order", "Get Specific Orders' Status".
 */
import { Refusal } from "../binance/wire/refusal.ts"

export class RequestRefusal extends Error {
  constructor(
    readonly error: string,
    readonly status = 200,
  ) {
    super(error)
  }
}

export const wrongKey = () => new RequestRefusal("authenticationError")
export const wrongHistoryKey = () => new RequestRefusal("unauthorized", 401)
export const nonceDuplicate = () => new RequestRefusal("nonceDuplicate")
export const nonceBelowThreshold = () => new RequestRefusal("nonceBelowThreshold")
export const limitExceeded = () => new RequestRefusal("apiLimitExceeded")
export const invalidArgument = (name: string) => new RequestRefusal(`invalidArgument: ${name}`)
export const argumentMissing = () => new RequestRefusal("requiredArgumentMissing")
export const notServed = () => new RequestRefusal("notFound", 404)

/** `sendStatus.status` and the like. */
export class StatusRefusal extends Error {
  constructor(readonly said: string) {
    super(said)
  }
}

/** `reason` of the event that tells of it, as far as it is documented. */
export const REASONS: Readonly<Record<string, string>> = {
  postWouldExecute: "POST_WOULD_EXECUTE",
  iocWouldNotExecute: "IOC_WOULD_NOT_EXECUTE",
  wouldNotReducePosition: "WOULD_NOT_REDUCE_POSITION",
  insufficientAvailableFunds: "INSUFFICIENT_MARGIN",
  clientOrderIdAlreadyExist: "CLIENT_ORDER_ID_IN_USE",
}

/** The matching engine speaks the words of Binance. */
export const statusRefusalOf = (cause: unknown): StatusRefusal | undefined => {
  if (cause instanceof StatusRefusal) return cause
  if (!(cause instanceof Refusal)) return undefined
  if (cause.code === -2019) return new StatusRefusal("insufficientAvailableFunds")
  if (cause.message.includes("PRICE_FILTER")) return new StatusRefusal("invalidPrice")
  return new StatusRefusal("invalidSize")
}
