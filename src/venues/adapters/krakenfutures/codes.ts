/**
 * What Kraken Futures answers in place of an order, and of a request: words whose class in ccxt 4.5.84 is wrong, or that ccxt does not know, so that a
 * refusal would be taken for an order in doubt. Source: docs.kraken.com, "Send order", "Edit order". A word that is not listed is in doubt.
 */

import { record, rows } from "../adapter.ts"
import type { Outcome } from "../outcome.ts"

const INVALID: Outcome = ["INVALID_ORDER", "REFUSED"]
const CLOSED: Outcome = ["MARKET_CLOSED", "REFUSED"]
const REJECTED: Outcome = ["REJECTED", "REFUSED"]

export const KRAKENFUTURES_CODES: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ["accountInactive", ["PERMISSION_DENIED", "REFUSED"]],
  // A request that was counted out was not looked at.
  ["apiLimitExceeded", ["RATE_LIMITED", "REFUSED"]],
  // An earlier attempt arrived (contract C3).
  ["clientOrderIdAlreadyExist", ["DUPLICATE_CLIENT_ORDER_ID", "IN_DOUBT"]],
  ["clientOrderIdInvalid", INVALID],
  ["clientOrderIdTooBig", INVALID],
  ["clientOrderIdTooLong", INVALID],
  ["fixedLeverageTooHigh", REJECTED],
  ["insufficientAvailableFunds", ["INSUFFICIENT_BALANCE", "REFUSED"]],
  ["invalidOrderType", INVALID],
  ["invalidPrice", INVALID],
  ["invalidSide", INVALID],
  ["invalidSize", INVALID],
  ["iocWouldNotExecute", ["ORDER_NOT_FILLABLE", "REFUSED"]],
  ["marketInactive", CLOSED],
  ["marketIsPostOnly", CLOSED],
  ["marketSuspended", CLOSED],
  ["marketUnavailable", CLOSED],
  ["maxOrdersLimit", REJECTED],
  ["maxPositionViolation", REJECTED],
  ["outsidePriceCollar", INVALID],
  ["postWouldExecute", ["WOULD_TAKE", "REFUSED"]],
  ["selfFill", REJECTED],
  ["tooManyOrders", REJECTED],
  ["tooManySmallOrders", REJECTED],
  ["wouldCauseLiquidation", ["INSUFFICIENT_BALANCE", "REFUSED"]],
  ["wouldIncreasePriceDislocation", REJECTED],
  ["wouldNotReducePosition", INVALID],
  // The venue looked at its clock and at `processBefore`: the order is none.
  ["wouldProcessAfterSpecifiedTime", ["CLOCK_SKEW", "REFUSED"]],
])

/** `{"result": "error", "error": "invalidArgument: symbol"}`, or `{"errors": [{"code": 92, "message": …}]}`; its names are its texts. */
export const krakenFuturesWords = (
  answer: unknown,
): { readonly code: string; readonly message: string } | undefined => {
  const { error, errors } = record(answer)
  const message = typeof error === "string" ? error : rows(errors)[0]?.["message"]
  return typeof message === "string" ? { code: message.replace(/:.*/s, ""), message } : undefined
}

/** Of a status in place of an order; by its name it is classified where its word is not listed. */
export class ExchangeError extends Error {
  constructor(status: string) {
    super(`krakenfutures ${JSON.stringify({ error: status })}`)
  }
}
