/** The result of a submit request that passed every rule, what the rules may look at, and how a rule refuses. */
import type { Decimal } from "../decimal.ts"
import type { DomainError } from "../errors/domain-error.ts"
import type { InstrumentId } from "../ids.ts"
import type { Instrument } from "../instrument/instrument.ts"
import type { Venue } from "../instrument/venue.ts"
import type { OrderTerms, Trigger } from "./terms.ts"
import type { ContingencyType, OrderSide, OrderType, QuantityType, StoredTimeInForce } from "./trade-order.ts"

/** A request that passed: everything defaulted, rounded and typed. */
export interface OrderPlan {
  readonly instrument: Instrument
  readonly orderSide: OrderSide
  readonly orderType: OrderType
  readonly timeInForce: StoredTimeInForce
  readonly expireAt: number | null
  /** Also of a MARKET order, where the venue has none: the far end of its collar. */
  readonly limitPrice: Decimal | null
  /** As the client gave it. */
  readonly quantity: Decimal
  readonly orderQuantityType: QuantityType
  /** In base, whole lots. */
  readonly baseQuantity: Decimal
  readonly quantityRounding: string
  readonly positionId: string | null
  /** Null on plain orders. An emulated trigger outside of a list, or of a pair, is armed already. */
  readonly terms: OrderTerms | null
  /** The other orders that come with it; null: none. */
  readonly list: ListPlan | null
}

export interface ListPlan {
  /** Of the submitted order. */
  readonly contingencyType: ContingencyType
  /** OTO, OTOCO: its exits, which wait for its fills. OCO: the other leg of the pair, let go at once. */
  readonly legs: ReadonlyArray<LegPlan>
  /** Of a pair: both legs go to the venue as its own list. */
  readonly isNative: boolean
}

/** An exit, as large as the submitted order. */
export interface LegPlan {
  readonly leg: "TAKE_PROFIT" | "STOP_LOSS"
  readonly orderSide: OrderSide
  readonly orderType: OrderType
  readonly timeInForce: StoredTimeInForce
  readonly expireAt: number | null
  readonly limitPrice: Decimal | null
  /** Null: it rests at the venue. */
  readonly trigger: Trigger | null
}

export type BookRows = ReadonlyArray<readonly [price: string, quantity: string]>

export interface OrderCircumstances {
  /** The account's venue. */
  readonly venue: Venue
  readonly findInstrument: (id: string) => Instrument | undefined
  /** Wall ms. */
  readonly now: number
  /** The newest trade's price, as decimal text; null when none is known. */
  readonly lastPrice: (id: InstrumentId) => string | null
  /** The same, as it was known within the last minute. */
  readonly recentPrice: (id: InstrumentId) => string | null
  /** The price collar may wait for the last price: not where that did not come just now. */
  readonly mayAwaitCollar: (id: InstrumentId) => boolean
  /** Best first; empty when no book is known. */
  readonly book: (id: InstrumentId, side: "bids" | "asks") => BookRows
  /** Whether those end where the book is not known any further; they never do when absent. */
  readonly isCut?: (id: InstrumentId, side: "bids" | "asks") => boolean
  /** What the account may use of an asset. */
  readonly available: (asset: string) => Decimal
  /** What is open in a contract, above zero where it is long; null, and absent: its venue does not tell. */
  readonly position?: (id: InstrumentId) => Decimal | null
  /** Prices that are not known may be waited for. */
  readonly mayWait: boolean
}

/** `wanted`: the check cannot be made before prices of this kind are known; only where they may be waited for. */
export type Checked = { readonly plan: OrderPlan } | { readonly error: DomainError } | { readonly wanted: Wanted }

export interface Wanted {
  /** COLLAR: a ticker, for the price collar only. */
  readonly kind: "TICKER" | "BOOK" | "COLLAR"
  readonly instrumentId: InstrumentId
}

/** A refusal on its way out of the checks; never leaves the rules. */
class Refusal {
  constructor(readonly error: DomainError) {}
}
class Waiting {
  constructor(readonly wanted: Wanted) {}
}

export const refuse = (error: DomainError): never => {
  throw new Refusal(error)
}

/** The check ends here until such prices are known; goes on without them where that is not to be waited for. */
export const wantPrices = (kind: Wanted["kind"], instrumentId: InstrumentId, mayWait: boolean): void => {
  if (mayWait) throw new Waiting({ kind, instrumentId })
}

/** Runs rules: their plan, or what stopped them. */
export const checking = (rules: () => OrderPlan): Checked => {
  try {
    return { plan: rules() }
  } catch (stop) {
    if (stop instanceof Refusal) return { error: stop.error }
    if (stop instanceof Waiting) return { wanted: stop.wanted }
    throw stop
  }
}

export const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined
