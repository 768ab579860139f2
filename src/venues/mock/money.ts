/** What orders do to balances on MOCK: locks while they work, both assets and the fee at each fill. Exact decimals throughout. */
import { Decimal } from "../../domain/decimal.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import type { VenueFill } from "../../ports/venue-session.ts"
import type { MockOrder } from "./accounts.ts"

/** 0.1 % of what is received. */
const FEE_RATE = Decimal.of("0.001")

/** Locks what the rest of an order may spend; a market buy ends before anything else can be spent. */
export const lockRest = (order: MockOrder, instrument: Instrument): void => {
  const rest = order.quantity.subtract(order.executed)
  if (order.request.orderSide === "SELL") relock(order, instrument, rest)
  else if (order.limitPrice !== null && order.request.orderType !== "MARKET")
    relock(order, instrument, order.limitPrice.multiply(rest))
}

/** An order ended: it locks nothing any more. */
export const unlock = (order: MockOrder, instrument: Instrument): void => relock(order, instrument, Decimal.ZERO)

const relock = (order: MockOrder, { baseAsset, quoteAsset }: Instrument, locked: Decimal): void => {
  order.account.lock(order.request.orderSide === "BUY" ? quoteAsset : baseAsset, locked.subtract(order.locked))
  order.locked = locked
}

/** Books one fill and answers it as the venue reports it. */
export const bookFill = (
  order: MockOrder,
  instrument: Instrument,
  trade: {
    readonly externalTradeId: string
    readonly price: Decimal
    readonly quantity: Decimal
    readonly at: number
  },
): VenueFill => {
  const { account, request } = order
  const { price, quantity, at } = trade
  const cost = price.multiply(quantity)
  const isBuy = request.orderSide === "BUY"
  const [receivedAsset, spentAsset] = isBuy
    ? [instrument.baseAsset, instrument.quoteAsset]
    : [instrument.quoteAsset, instrument.baseAsset]
  const [received, spent] = isBuy ? [quantity, cost] : [cost, quantity]
  const fee = received.multiply(FEE_RATE)
  order.executed = order.executed.add(quantity)
  order.updatedAt = at
  account.add(receivedAsset, received.subtract(fee))
  account.add(spentAsset, spent.negate())
  lockRest(order, instrument)
  const fill: VenueFill = {
    tradeOrderId: request.tradeOrderId,
    externalOrderId: order.externalOrderId,
    externalTradeId: trade.externalTradeId,
    instrumentId: request.instrumentId,
    orderSide: request.orderSide,
    quantity: quantity.toString(),
    price: price.toString(),
    fees: [{ asset: receivedAsset, quantity: fee.toString() }],
    executedAt: at,
  }
  account.fills.push(fill)
  return fill
}
