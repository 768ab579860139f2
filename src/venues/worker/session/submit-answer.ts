/**
 * Interprets the response to a submit: that the venue accepted the order, and its state if the response contains it. Some venues answer
 * with the order's id and nothing else (OKX, Kraken); an answer without one is no proof of anything.
 */
import { venueClientId } from "../../../domain/ids.ts"
import { parseInstrumentId } from "../../../domain/instrument/instrument.ts"
import type { SessionReport, VenueOrder } from "../../../ports/venue-session.ts"
import type { ExchangeAdapter } from "../../adapters/adapters.ts"
import type { CcxtOrder } from "../exchange/ccxt.ts"
import type { KnownOrders } from "./known-orders.ts"
import { fill, orderState } from "./normalise.ts"

export interface SubmitAnswer {
  readonly order: VenueOrder
  /** Undefined: it does not speak of the order. */
  readonly answer: CcxtOrder | undefined
  readonly adapter: ExchangeAdapter
  readonly known: KnownOrders
  /** The venue's clock, ms: stands in where the answer names no instant. */
  readonly at: number
}

/** What an answer says of one of the orders that were submitted together: of two, each goes by its client id. */
export const answerFor = (
  { tradeOrderId }: VenueOrder,
  orders: ReadonlyArray<VenueOrder>,
  answers: ReadonlyArray<CcxtOrder>,
): CcxtOrder | undefined =>
  orders.length === 1 ? answers[0] : answers.find(({ clientOrderId }) => clientOrderId === venueClientId(tradeOrderId))

export const submitReports = (
  profile: Parameters<typeof orderState>[0],
  { order, answer, adapter, known, at: now }: SubmitAnswer,
): ReadonlyArray<SessionReport> => {
  const { tradeOrderId } = order
  const clientId = venueClientId(tradeOrderId)
  const state = answer && orderState(profile, answer, adapter, clientId)
  const externalOrderId = state?.externalOrderId ?? (answer && ownIdOf(answer, clientId))
  if (answer === undefined || externalOrderId === undefined)
    return [{ _tag: "InDoubt", tradeOrderId, reason: "the venue's answer is no order", at: now }]
  known.remember(state ?? { clientId, externalOrderId, instrumentId: order.instrumentId })
  const at = state?.updatedAt ?? now
  const context = {
    clientId,
    externalOrderId,
    symbol: parseInstrumentId(order.instrumentId)?.symbol ?? order.instrumentId,
    side: order.orderSide === "BUY" ? "buy" : "sell",
    at,
  }
  // The answer may come before the stream's events, and it comes when the stream is down.
  const fills = (answer.trades ?? []).flatMap((trade) => fill(profile.venue, trade, context) ?? [])
  return [
    { _tag: "Accepted", tradeOrderId, externalOrderId, at },
    ...fills.map((found): SessionReport => ({ _tag: "Filled", fill: found })),
    ...(state === undefined || state.status === "UNKNOWN" ? [] : [{ _tag: "OrderSeen" as const, state }]),
  ]
}

/** The id alone; not where it came under another client id than ours. */
const ownIdOf = ({ id, clientOrderId, status }: CcxtOrder, clientId: string): string | undefined => {
  const isOurs = clientOrderId === undefined || clientOrderId === null || clientOrderId === clientId
  return id === undefined || id === "" || !isOurs || status === "rejected" ? undefined : id
}
