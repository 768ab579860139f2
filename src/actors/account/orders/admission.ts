/**
 * What every submit is judged by, of whatever type: the account's state, the market around it, and its funds: what new orders hold until
 * they are over (contract C10), or why they cannot.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { InsufficientBalance } from "../../../domain/errors/risk.ts"
import { Busy } from "../../../domain/errors/service.ts"
import { AccountDisconnected, AccountNotActive, AccountReconciling } from "../../../domain/errors/trading-account.ts"
import { VenueInactive } from "../../../domain/errors/venue.ts"
import type { InstrumentId } from "../../../domain/ids.ts"
import { isSpot } from "../../../domain/instrument/venue.ts"
import { ordersFault } from "../../../domain/instrument/venue-capabilities.ts"
import { MARKET_CLAMP, withFee } from "../../../domain/order/hold.ts"
import type { OrderCircumstances, OrderPlan } from "../../../domain/order/plan.ts"
import { walkCost } from "../../../domain/order/portfolio.ts"
import type { AccountCore } from "../core.ts"

/** Rows of the book that price a market order. */
const WALK_ROWS = 100
/** By a price that was seen within this time and is not seen any more. */
const REMEMBERED_MILLIS = 3_600_000
const REMEMBERED_CLAMP = Decimal.of("1.2")

/** One shared instance: a refusal under overload should cost little. */
const BUSY = new Busy({ retryAfterSeconds: 1 })

/** A hedge is priced by a book that is open: it does not wait for a ticker. */
export const circumstancesOf = (
  core: AccountCore,
  now: number,
  mayWait: boolean,
  isHedge = false,
): OrderCircumstances => {
  const { markets, instruments, lastPrices } = core.parts
  return {
    venue: core.venue,
    findInstrument: (id) => instruments.find(id, core.account.tenantId),
    now,
    lastPrice: (instrumentId) => lastPrices.now(instrumentId),
    recentPrice: (instrumentId) => lastPrices.recent(instrumentId),
    mayAwaitCollar: (instrumentId) => mayWait && !isHedge && !lastPrices.isSilent(instrumentId),
    book: (instrumentId, side) => markets.topOfBook(instrumentId, side, WALK_ROWS),
    isCut: (instrumentId, side) => isCut(core, instrumentId, side),
    available: (asset) => core.positions.portfolio.of(asset).available,
    position: (instrumentId) => core.positions.contracts.openOf(instrumentId),
    mayWait,
  }
}

export const refusalOf = (core: AccountCore): DomainError | undefined => {
  const { status } = core.account
  if (status === "DISCONNECTED") return new AccountDisconnected({})
  if (status === "LOCKED" || status === "INACTIVE") return new AccountNotActive({ status })
  if (core.venue.status === "INACTIVE") return new VenueInactive({})
  const unproven = ordersFault(core.venue)
  if (unproven !== undefined) return unproven
  if (status !== "ACTIVE" || core.connection.phase !== "ready")
    return new AccountReconciling({ reason: core.connection.awayReason })
  return core.parts.store.pressure() === "full" ? BUSY : undefined
}

/** For the submitted order and all that comes with it: exits hold nothing of their own, a pair holds once. */
export const holdOf = (core: AccountCore, plan: OrderPlan): Decimal | InsufficientBalance => {
  const { instrument, orderSide, baseQuantity } = plan
  if (!isSpot(core.venue)) return Decimal.ZERO
  const asset = orderSide === "BUY" ? instrument.quoteAsset : instrument.baseAsset
  const { available, locked } = core.positions.portfolio.of(asset)
  const refuse = (need: Decimal): InsufficientBalance =>
    new InsufficientBalance({ asset, required: need.toString(), available: available.toString() })
  if (orderSide === "SELL") return baseQuantity.greaterThan(available) ? refuse(baseQuantity) : baseQuantity
  const fixed = fixedCostOf(plan)
  const cost = fixed?.need ?? walked(core, plan)
  if (cost === undefined) {
    if (!available.add(locked).isPositive()) return refuse(Decimal.ZERO)
    // What it costs is not known for certain: the venue decides, and what is held until the fills say leaves room for other orders.
    const about = estimate(core, plan)
    return about === null ? available : Decimal.min(available, withFee(about, core.venue))
  }
  const need = withFee(cost, core.venue)
  if (need.greaterThan(available)) return refuse(need)
  return Decimal.min(available, fixed === undefined ? need.multiply(MARKET_CLAMP) : withFee(fixed.most, core.venue))
}

/** What a buy at market costs by the book; undefined without one, and where it is not known far enough. */
const walked = (core: AccountCore, { instrument, baseQuantity }: OrderPlan): Decimal | undefined => {
  const { parts } = core
  const { instrumentId } = instrument
  const rows = parts.markets.topOfBook(instrumentId, "asks", WALK_ROWS)
  const best = rows[0] === undefined ? undefined : Decimal.fromVenue(rows[0][0])
  if (best !== undefined) parts.prices.note(instrumentId, best, parts.clock.now())
  return walkCost(rows, baseQuantity, () => isCut(core, instrumentId, "asks"))
}

/** Whether all that is known of a side is less than a walk reads of it, and the venue has more. */
const isCut = ({ parts: { markets } }: AccountCore, instrumentId: InstrumentId, side: "bids" | "asks"): boolean =>
  markets.topOfBook(instrumentId, side, WALK_ROWS).length < WALK_ROWS && !markets.isWhole(instrumentId, side)

/** What it costs at most, by the newest trade, else by what the instrument cost a while ago; null where neither is known. */
const estimate = ({ parts }: AccountCore, { instrument, baseQuantity }: OrderPlan): Decimal | null => {
  const last = parts.markets.lastPrice(instrument.instrumentId)
  const traded = last === null ? undefined : Decimal.fromVenue(last)
  if (traded !== undefined) return traded.multiply(baseQuantity).multiply(MARKET_CLAMP)
  const known = parts.prices.find(instrument.instrumentId, parts.clock.now() - REMEMBERED_MILLIS)
  return known === null ? null : known.multiply(baseQuantity).multiply(REMEMBERED_CLAMP)
}

/**
 * What a buy costs by its own terms, and how much its price may move until it is bought; of a pair, its dearer leg. Undefined at market.
 */
const fixedCostOf = (plan: OrderPlan): { readonly need: Decimal; readonly most: Decimal } | undefined => {
  const { orderType, limitPrice, baseQuantity, terms, list } = plan
  if (terms !== null && terms.budget !== null) return { need: terms.budget.amount, most: terms.budget.amount }
  if (orderType === "MARKET") return undefined
  const pair = list?.contingencyType === "OCO" ? list.legs : []
  const costs = [{ limitPrice, trigger: terms?.trigger ?? null }, ...pair].flatMap((it) => {
    const price = it.limitPrice ?? it.trigger?.stopPrice
    if (price === undefined) return []
    const need = price.multiply(baseQuantity)
    return [{ need, most: it.limitPrice === null ? need.multiply(MARKET_CLAMP) : need }]
  })
  if (costs.length === 0) return undefined
  return {
    need: costs.map(({ need }) => need).reduce(Decimal.max),
    most: costs.map(({ most }) => most).reduce(Decimal.max),
  }
}
