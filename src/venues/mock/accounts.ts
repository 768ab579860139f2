/**
 * Accounts on MOCK while the process lives: balances, orders and fills, and what orders do to balances. What an account had before comes from
 * the gateway's journal when its session first opens; orders restored earlier may have traded by then, so balances start as changes.
 */
import { Effect } from "effect"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import { Decimal } from "../../domain/decimal.ts"
import type { TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import { placeOf, releasedType, type TradeOrder } from "../../domain/order/trade-order.ts"
import { LeanMap } from "../../foundation/lean.ts"
import type { JournalPort } from "../../ports/journal-port.ts"
import type {
  SessionReport,
  VenueBalances,
  VenueFill,
  VenueOrder,
  VenueOrderState,
  VenueOrderStatus,
} from "../../ports/venue-session.ts"
import { orderState } from "../order-state.ts"

/** Ended orders and fills remembered per account; older ones are forgotten, so many at once, and an unknown order is no longer proof. */
const REMEMBERED_MAX = 2_000
const FORGOTTEN_AT_ONCE = 200

export interface MockOrder {
  readonly account: MockAccount
  readonly request: VenueOrder
  readonly externalOrderId: string
  readonly createdAt: number
  /** As it is now: amends change both. */
  quantity: Decimal
  limitPrice: Decimal | null
  executed: Decimal
  /** What it still locks: quote for a BUY, base for a SELL. */
  locked: Decimal
  status: VenueOrderStatus
  ending: VenueOrderState["ending"]
  updatedAt: number
  isResting: boolean
  /** A rig swallows everything that is reported of it. */
  isSilent: boolean
}

export class MockAccount {
  /** Where reports go; null while no session is open. */
  report: ((report: SessionReport) => void) | null = null
  /** The private stream is up; a rig may cut it. */
  isStreaming = true
  /** The journal has been added to the balances. */
  isKnown = false
  readonly orders = new LeanMap<TradeOrderId, MockOrder>()
  readonly fills: Array<VenueFill> = []
  readonly #totals = new Map<string, Decimal>()
  readonly #locked = new Map<string, Decimal>()
  readonly #ended: Array<TradeOrderId> = []
  #hasForgotten = false

  constructor(readonly tradingAccountId: TradingAccountId) {}

  add(asset: string, change: Decimal): void {
    this.#totals.set(asset, (this.#totals.get(asset) ?? Decimal.ZERO).add(change))
  }

  lock(asset: string, change: Decimal): void {
    this.#locked.set(asset, (this.#locked.get(asset) ?? Decimal.ZERO).add(change))
  }

  available(asset: string): Decimal {
    return (this.#totals.get(asset) ?? Decimal.ZERO).subtract(this.#locked.get(asset) ?? Decimal.ZERO)
  }

  balances(at: number): VenueBalances {
    const balances = [...this.#totals.keys()].sort().map((asset) => ({
      asset,
      available: this.available(asset).toString(),
      locked: (this.#locked.get(asset) ?? Decimal.ZERO).toString(),
    }))
    return { complete: true, balances, at }
  }

  /** An order ended: it stays known for a while. */
  ended(order: MockOrder): void {
    this.#ended.push(order.request.tradeOrderId)
    if (this.#ended.length < REMEMBERED_MAX + FORGOTTEN_AT_ONCE) return
    for (const id of this.#ended.splice(0, FORGOTTEN_AT_ONCE)) this.orders.delete(id)
    if (this.fills.length > REMEMBERED_MAX) this.fills.splice(0, this.fills.length - REMEMBERED_MAX)
    this.#hasForgotten = true
  }

  /** Whether "not here" proves that an order was never placed. */
  get remembersAll(): boolean {
    return !this.#hasForgotten
  }
}

/** Adds what the account had before: its opening balances, and what the journal says since. Once. */
export const recallBalances = (
  account: MockAccount,
  { tradingAccountId, initialBalances }: TradingAccount,
  journal: JournalPort["Type"],
): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (account.isKnown) return
    const changes = yield* journal.balanceChanges(tradingAccountId)
    // Another opening may have come first while the journal was read.
    if (account.isKnown) return
    account.isKnown = true
    for (const [asset, quantity] of [...initialBalances, ...changes]) account.add(asset, Decimal.of(quantity))
  })

/** An order that has just come in. */
export const newOrder = (
  account: MockAccount,
  request: VenueOrder,
  externalOrderId: string,
  at: number,
): MockOrder => ({
  account,
  request,
  externalOrderId,
  createdAt: at,
  quantity: Decimal.of(request.quantity),
  limitPrice: request.limitPrice === null ? null : Decimal.of(request.limitPrice),
  executed: Decimal.ZERO,
  locked: Decimal.ZERO,
  status: "OPEN",
  ending: null,
  updatedAt: at,
  isResting: false,
  isSilent: false,
})

/** A market buy of so much quote buys what the book gives for it; where that is nothing, it ends as one without liquidity does. */
export const boughtFor = (request: VenueOrder, quantity: Decimal): VenueOrder =>
  quantity.isPositive() ? { ...request, quantity: quantity.toString() } : request

/**
 * Whether an order of the journal was at the venue when the process ended: not one that waits for its trigger or its parent. What a trigger
 * had let go rests where it was sent; at market it would have ended at once, and an end that was not committed did not happen.
 */
export const wasAtVenue = (stored: TradeOrder): boolean => {
  if (placeOf(stored) !== "VENUE") return false
  const isReleased = stored.terms?.trigger?.execution === "EMULATED"
  return !isReleased || releasedType(stored) !== "MARKET" || stored.externalOrderId !== null
}

/** An order as the journal has it: what was executed counts, and it locks nothing yet. */
export const restoredOrder = (account: MockAccount, stored: TradeOrder, externalOrderId: string): MockOrder => {
  const { tradeOrderId, instrumentId, orderSide, timeInForce } = stored
  const request: VenueOrder = {
    tradeOrderId,
    instrumentId,
    orderSide,
    orderType: releasedType(stored),
    timeInForce,
    quantity: stored.baseQuantity.toString(),
    limitPrice: stored.limitPrice?.toString() ?? null,
    notAfter: 0,
  }
  return {
    ...newOrder(account, request, externalOrderId, stored.createdAt),
    executed: stored.executedQuantity,
    updatedAt: stored.venueUpdatedAt ?? stored.updatedAt,
  }
}

export const stateOf = (order: MockOrder): VenueOrderState => orderState(order.request, order.externalOrderId, order)

// What orders do to balances on MOCK: locks while they work, both assets and the fee at each fill. Exact decimals throughout.

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
