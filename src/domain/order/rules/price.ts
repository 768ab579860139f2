/** What prices must satisfy: above zero, on the tick, near the market, worth enough; and what the market's prices are. */
import { Decimal } from "../../decimal.ts"
import { InvalidPricePrecision, NotionalBelowMinimum } from "../../errors/order-parameters.ts"
import { InvalidParameter } from "../../errors/request.ts"
import { PriceOutsideCollar } from "../../errors/risk.ts"
import { type Instrument, priceStep } from "../../instrument/instrument.ts"
import { isAbsent, type OrderCircumstances, refuse, wantPrices } from "../plan.ts"
import type { OrderSide } from "../trade-order.ts"

/** A limit this many times worse than the market is a slip of the finger: a digit too many or too few. */
const COLLAR = Decimal.of("2")
/** How far a market order goes where the venue has none and a limit order stands in for it (contract C5). */
const MARKET_COLLAR = Decimal.of("0.05")
const HALF = Decimal.of("0.5")

/** The price that the field names; null without one. */
export const priceOf = (text: string | null | undefined, parameter: string, instrument: Instrument): Decimal | null => {
  if (isAbsent(text)) return null
  const price = Decimal.of(text)
  if (!price.isPositive()) refuse(new InvalidParameter({ parameter, reason: "must be greater than zero" }))
  const step = priceStep(instrument, price)
  if (!price.isMultipleOf(step)) refuse(new InvalidPricePrecision({ parameter, step: step.toString() }))
  return price
}

/** A BUY above twice, a SELL below half of `reference`. */
export const isOutsideCollar = (orderSide: OrderSide, limitPrice: Decimal, reference: Decimal): boolean =>
  orderSide === "BUY"
    ? limitPrice.greaterThan(reference.multiply(COLLAR))
    : limitPrice.multiply(COLLAR).lessThan(reference)

/** Nothing is refused without a reference. */
export const checkCollar = (
  orderSide: OrderSide,
  limitPrice: Decimal,
  reference: Decimal | null,
  parameter: string,
): void => {
  if (reference !== null && isOutsideCollar(orderSide, limitPrice, reference))
    refuse(new PriceOutsideCollar({ parameter, reference: reference.toString() }))
}

export const checkNotional = (instrument: Instrument, price: Decimal, baseQuantity: Decimal): void =>
  checkWorth(instrument, instrument.minNotional === null ? price : price.multiply(baseQuantity))

/** `worth` in the quote asset. */
export const checkWorth = ({ minNotional }: Instrument, worth: Decimal): void => {
  if (minNotional !== null && worth.lessThan(minNotional))
    refuse(new NotionalBelowMinimum({ minNotional: minNotional.toString() }))
}

type Market = Pick<OrderCircumstances, "lastPrice" | "book" | "mayWait">

/** Of the newest trade, if one is known now. */
export const knownPrice = (
  { instrumentId }: Pick<Instrument, "instrumentId">,
  { lastPrice }: Pick<Market, "lastPrice">,
): Decimal | null => {
  const text = lastPrice(instrumentId)
  return text === null ? null : (Decimal.fromVenue(text) ?? null)
}

export type CollarMarket = Pick<OrderCircumstances, "lastPrice" | "recentPrice" | "mayAwaitCollar">

/**
 * What the limit of a plain order is held against. By a price of the last minute it may pass, but it is refused by one only where no newer
 * one comes. WAIT: it may come.
 */
export const collarPriceOf = (
  instrument: Instrument,
  orderSide: OrderSide,
  limitPrice: Decimal,
  market: CollarMarket,
): Decimal | null | "WAIT" => {
  const known = knownPrice(instrument, market)
  if (known !== null) return known
  const recent = knownPrice(instrument, { lastPrice: market.recentPrice })
  if (recent !== null && !isOutsideCollar(orderSide, limitPrice, recent)) return recent
  return market.mayAwaitCollar(instrument.instrumentId) ? "WAIT" : recent
}

/** As `collarPriceOf`; the check ends where it says WAIT. */
export const collarReferenceOf = (
  instrument: Instrument,
  orderSide: OrderSide,
  limitPrice: Decimal,
  market: CollarMarket,
): Decimal | null => {
  const price = collarPriceOf(instrument, orderSide, limitPrice, market)
  if (price !== "WAIT") return price
  wantPrices("COLLAR", instrument.instrumentId, true)
  return null
}

/** As `knownPrice`, waited for where that may be. */
export const lastPriceOf = (instrument: Instrument, market: Market): Decimal | null => {
  const known = knownPrice(instrument, market)
  if (known === null) wantPrices("TICKER", instrument.instrumentId, market.mayWait)
  return known
}

/** The best price that an order of this side meets, if a book is known now. */
export const touchOf = (
  instrument: Instrument,
  orderSide: OrderSide,
  { book }: Pick<Market, "book">,
): Decimal | null => {
  const text = book(instrument.instrumentId, orderSide === "BUY" ? "asks" : "bids")[0]?.[0]
  return text === undefined ? null : (Decimal.fromVenue(text) ?? null)
}

/** The check ends here until a book is known, where that may be waited for. */
export const wantTouch = (instrument: Instrument, orderSide: OrderSide, market: Market): void => {
  if (touchOf(instrument, orderSide, market) === null) wantPrices("BOOK", instrument.instrumentId, market.mayWait)
}

/** As `touchOf`; the last price where there is no such side of the book. */
export const farPriceOf = (instrument: Instrument, orderSide: OrderSide, market: Market): Decimal | null => {
  const touch = touchOf(instrument, orderSide, market)
  if (touch !== null) return touch
  const last = knownPrice(instrument, market)
  if (last === null) wantPrices("BOOK", instrument.instrumentId, market.mayWait)
  return last
}

/** Between best bid and best ask; the last price without them. */
export const midPriceOf = (instrument: Instrument, market: Market): Decimal | null => {
  const ask = touchOf(instrument, "BUY", market)
  const bid = touchOf(instrument, "SELL", market)
  if (ask !== null && bid !== null) return ask.add(bid).multiply(HALF)
  const last = knownPrice(instrument, market)
  if (last === null) wantPrices("BOOK", instrument.instrumentId, market.mayWait)
  return last
}

/** The limit of the IOC order that stands in for a market order: 5 % beyond the best price, on the tick, never further. */
export const collaredPrice = (orderSide: OrderSide, touch: Decimal, instrument: Instrument): Decimal => {
  const isBuy = orderSide === "BUY"
  const edge = touch.multiply(isBuy ? Decimal.ONE.add(MARKET_COLLAR) : Decimal.ONE.subtract(MARKET_COLLAR))
  return edge.roundTo(priceStep(instrument, edge), isBuy ? "DOWN" : "UP")
}
