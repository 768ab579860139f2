/** A submit that passes every rule, and what becomes of it with one thing changed. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"
import type { Venue } from "../../../src/domain/instrument/venue.ts"
import type { VenueCapabilities } from "../../../src/domain/instrument/venue-capabilities.ts"
import type { BookRows, Checked, OrderPlan } from "../../../src/domain/order/plan.ts"
import { checkOrder } from "../../../src/domain/order/rules/rules.ts"
import type { SubmitRequest } from "../../../src/domain/order/submit-request.ts"
import { instrument, simVenue } from "../../sim/venue/listing.ts"
import { ACCOUNT, START } from "../../sim/world.ts"

export interface Around {
  readonly venue?: Partial<Venue>
  readonly capabilities?: Partial<VenueCapabilities>
  readonly instrument?: Partial<Instrument>
  /** Of the newest trade. */
  readonly last?: string
  /** The same, of the last minute. */
  readonly recent?: string
  readonly bids?: BookRows
  readonly asks?: BookRows
  /** Free funds by asset. */
  readonly funds?: { readonly [asset: string]: string }
  /** What is open in the contract; absent: the venue does not tell. */
  readonly open?: string
  readonly mayWait?: boolean
}

/** A BUY of 1 BTC at 100 USDT, differing in `patch`. */
export const check = (patch: object, around: Around = {}): Checked =>
  checkOrder(
    {
      tradingAccountId: ACCOUNT,
      instrumentId: "SIM:BTC/USDT",
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "1",
      limitPrice: "100",
      ...patch,
    } as unknown as SubmitRequest,
    {
      venue: {
        ...simVenue,
        ...around.venue,
        capabilities: { ...simVenue.capabilities, ...around.capabilities },
      },
      findInstrument: (id) => (id === "SIM:BTC/USDT" ? { ...instrument, ...around.instrument } : undefined),
      now: START,
      lastPrice: () => around.last ?? null,
      recentPrice: () => around.recent ?? null,
      mayAwaitCollar: () => around.mayWait ?? false,
      book: (_id, side) => (side === "asks" ? around.asks : around.bids) ?? [],
      available: (asset) => Decimal.of(around.funds?.[asset] ?? "0"),
      position: () => (around.open === undefined ? null : Decimal.of(around.open)),
      mayWait: around.mayWait ?? false,
    },
  )

/** The tag of the refusal, or the plan where there is none. */
export const refusalOf = (patch: object, around?: Around): string | Checked => {
  const checked = check(patch, around)
  return "error" in checked ? checked.error._tag : checked
}

export const planOf = (patch: object, around?: Around): OrderPlan => {
  const checked = check(patch, around)
  if ("plan" in checked) return checked.plan
  throw new Error(`no plan: ${JSON.stringify(checked)}`)
}
