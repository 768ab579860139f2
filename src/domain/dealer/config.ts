/**
 * The configuration of a dealer: its wire form, which is what `config` of dealer/create documents, and what it means with every default
 * applied. Numbers that may have a fraction are decimal strings, basis points also plain integers.
 */
import { isDeepStrictEqual } from "node:util"
import { Schema } from "effect"
import { Decimal, PositiveDecimalText } from "../decimal.ts"
import type { UserId } from "../ids.ts"

const BPS_MAX = 10_000

/** Basis points: an integer, or a decimal string like "7.5". */
const Bps = Schema.Union(Schema.Int.pipe(Schema.between(0, BPS_MAX)), PositiveDecimalText)

/** The id under which a profile is asked for, as it is given: case counts. */
export const PROFILE_KEY = /^[A-Za-z0-9._:-]{1,64}$/

const PricingProfileRecord = Schema.Struct({
  markupBps: Schema.optional(Bps.annotations({ description: "Markup on the book's price; default 10" })),
  ttlBps: Schema.optional(
    Bps.annotations({
      description: "Markup per second that the quote is firm; default 0.1 per second beyond the first 10",
    }),
  ),
  maxNotional: Schema.optional(
    PositiveDecimalText.annotations({ description: "Maximum price × quantity of a quote, in its quote asset" }),
  ),
  minNotional: Schema.optional(
    PositiveDecimalText.annotations({ description: "Minimum price × quantity of a quote, in its quote asset" }),
  ),
}).annotations({ identifier: "PricingProfile" })

const HedgeSettingsRecord = Schema.Struct({
  slippageBps: Schema.optional(
    Bps.annotations({ description: "How far beyond the last level of the priced walk a hedge may go; default 25" }),
  ),
  repriceMs: Schema.optional(
    Schema.Int.pipe(Schema.between(50, 60_000)).annotations({
      description: "Delay between attempts for the remaining quantity; default 500",
    }),
  ),
  attemptsMax: Schema.optional(
    Schema.Int.pipe(Schema.between(1, 100)).annotations({ description: "Attempts at a limit price; default 10" }),
  ),
  allowMarket: Schema.optional(
    Schema.Boolean.annotations({ description: "Hedge the rest at market after the last attempt; default false" }),
  ),
  nettingWindowMs: Schema.optional(
    Schema.Int.pipe(Schema.between(0, 60_000)).annotations({
      description: "How long to wait for offsetting exposure before a hedge is sent; default 0",
    }),
  ),
  retryMs: Schema.optional(
    Schema.Int.pipe(Schema.between(100, 3_600_000)).annotations({
      description: "When all attempts fail the exposure stays open and is retried after this time; default 10000",
    }),
  ),
}).annotations({ identifier: "HedgeSettings" })

const PricingSettingsRecord = Schema.Struct({
  allowSimulatedVenues: Schema.optional(
    Schema.Boolean.annotations({
      description:
        "Allows prices from accounts on INTERNAL, MOCK and PAPER, whose books clients can move, and on test networks (_UAT), and hedges there. INTERNAL has the ledger's own money and may be combined with real venues (with ENVIRONMENT=UAT with test networks); MOCK and PAPER, and test networks, may not, nor with each other in one dealer; default false",
    }),
  ),
  collarPercent: Schema.optional(
    Schema.Union(Schema.Int.pipe(Schema.between(1, 100)), PositiveDecimalText).annotations({
      description:
        "Maximum deviation of a book from the median of all fresh books, in percent; a book beyond it is not used for pricing, and of two books that differ by more neither is; above 0, at most 100, default 5",
    }),
  ),
}).annotations({ identifier: "PricingSettings" })

const QuoteCapsRecord = Schema.Struct({
  openQuotes: Schema.optional(
    Schema.Int.pipe(Schema.between(1, 100_000)).annotations({
      description: "Maximum number of open firm quotes; the installation's own limit applies as well",
    }),
  ),
  openQuotesPerUser: Schema.optional(
    Schema.Int.pipe(Schema.between(1, 100_000)).annotations({
      description: "The same per user, over all accounts",
    }),
  ),
  uncoveredPercent: Schema.optional(
    Schema.Int.pipe(Schema.between(0, 100)).annotations({
      description:
        "Percentage of the dealer's limits on quotes, inventory and risk available to quotes whose clients lacked the funds at the time of the quote; default 10; 0: no such quotes",
    }),
  ),
  openQuotesPerClient: Schema.optional(
    Schema.Int.pipe(Schema.between(1, 100_000)).annotations({ description: "The same per trading account" }),
  ),
}).annotations({ identifier: "QuoteCaps" })

export const DealerConfigRecord = Schema.Struct({
  pricingProfiles: Schema.optional(
    Schema.Record({ key: Schema.String, value: PricingProfileRecord }).annotations({
      description: "By pricingProfileId; at most 100. Requests may name only those listed in clientPricingProfiles",
    }),
  ),
  defaultPricingProfile: Schema.optional(
    Schema.String.annotations({ description: "The profile for requests that name none; if absent, markupBps is 10" }),
  ),
  clientPricingProfiles: Schema.optional(
    Schema.Array(Schema.String).pipe(Schema.maxItems(100)).annotations({
      description:
        "Profiles that a request may name besides the default; absent or empty: none, so that clients cannot choose their markup",
    }),
  ),
  riskCurrency: Schema.optional(
    Schema.String.pipe(Schema.pattern(/^[A-Z0-9.]{1,30}$/)).annotations({
      description: "Currency in which exposure is valued; default: the first of baseCurrencies",
    }),
  ),
  operators: Schema.optional(
    Schema.Array(Schema.UUID)
      .pipe(Schema.maxItems(100))
      .annotations({ description: "Users who can view the whole dealer and link accounts of their own" }),
  ),
  takerFeeBpsByVenue: Schema.optional(
    Schema.Record({ key: Schema.String, value: Bps }).annotations({
      description: "Fee of a hedge, by venue; 10 for a venue not named",
    }),
  ),
  hedge: Schema.optional(HedgeSettingsRecord),
  pricing: Schema.optional(PricingSettingsRecord),
  caps: Schema.optional(QuoteCapsRecord),
}).annotations({ identifier: "DealerConfig" })
export type DealerConfigRecord = typeof DealerConfigRecord.Type

export interface PricingProfile {
  readonly markupBps: Decimal
  /** Null: as `timeBps` says. */
  readonly ttlBps: Decimal | null
  readonly maxNotional: Decimal | null
  readonly minNotional: Decimal | null
}

export interface HedgeSettings {
  readonly slippageBps: Decimal
  readonly repriceMillis: number
  readonly attemptsMax: number
  readonly allowMarket: boolean
  readonly nettingWindowMillis: number
  readonly retryMillis: number
}

export interface DealerConfig {
  readonly pricingProfiles: ReadonlyMap<string, PricingProfile>
  readonly defaultPricingProfile: string | null
  /** Those that a request may name, beside the default. */
  readonly clientPricingProfiles: ReadonlyArray<string>
  /** Null: the first of the dealer's base currencies. */
  readonly riskCurrency: string | null
  readonly operators: ReadonlyArray<UserId>
  readonly takerFeeBpsByVenue: ReadonlyMap<string, Decimal>
  readonly hedge: HedgeSettings
  readonly allowSimulatedVenues: boolean
  /** How far a book may be from the median of all, in percent of it. */
  readonly collarPercent: Decimal
  /** Null: the service's own limit alone. */
  readonly openQuotesMax: number | null
  readonly openQuotesPerUserMax: number | null
  readonly openQuotesPerClientMax: number | null
  /** Of its room, for quotes that their clients could not pay for. */
  readonly uncoveredPercent: number
  /** As it was given: what the record shows. */
  readonly given: DealerConfigRecord
}

const MARKUP_BPS = Decimal.of("10")
/** Where a profile does not say what time costs. A free option is worth about 0.4 σ √t: 7 basis points for 300 s at 60 % a year. */
const TTL_BPS = Decimal.of("0.1")
/**
 * How long a quote binds whose request names no end. For so long time costs nothing where the profile does not say what it costs, and a
 * quote may be made to a client who could not pay for it.
 */
export const QUOTE_SECONDS = 10
const TAKER_FEE_BPS = Decimal.of("10")
const UNCOVERED_PERCENT = 10
/** Liquid pairs are within a tenth of it between venues; more is another market, a halted one, or a wrong feed. */
const COLLAR_PERCENT = Decimal.of("5")
const SLIPPAGE_BPS = Decimal.of("25")

/** Of a request that names no profile where the dealer has no default. */
export const PLAIN_PROFILE: PricingProfile = {
  markupBps: MARKUP_BPS,
  ttlBps: null,
  maxNotional: null,
  minNotional: null,
}

const decimalOr = (given: number | string | undefined, fallback: Decimal): Decimal =>
  given === undefined ? fallback : Decimal.of(`${given}`)
const decimalOrNull = (given: string | undefined): Decimal | null => (given === undefined ? null : Decimal.of(given))

/** Only known fields are stored. */
const known = (given: DealerConfigRecord): DealerConfigRecord => ({
  ...(given.pricingProfiles && {
    pricingProfiles: Object.fromEntries(
      Object.entries(given.pricingProfiles).map(([id, { markupBps, ttlBps, maxNotional, minNotional }]) => [
        id,
        {
          ...(markupBps !== undefined && { markupBps }),
          ...(ttlBps !== undefined && { ttlBps }),
          ...(maxNotional !== undefined && { maxNotional }),
          ...(minNotional !== undefined && { minNotional }),
        },
      ]),
    ),
  }),
  ...(given.defaultPricingProfile !== undefined && { defaultPricingProfile: given.defaultPricingProfile }),
  ...(given.clientPricingProfiles && { clientPricingProfiles: given.clientPricingProfiles }),
  ...(given.riskCurrency !== undefined && { riskCurrency: given.riskCurrency }),
  ...(given.operators && { operators: given.operators.map((it) => it.toLowerCase()) }),
  ...(given.takerFeeBpsByVenue && { takerFeeBpsByVenue: given.takerFeeBpsByVenue }),
  ...(given.hedge && { hedge: pick(given.hedge, Object.keys(HedgeSettingsRecord.fields)) }),
  ...(given.pricing && { pricing: pick(given.pricing, Object.keys(PricingSettingsRecord.fields)) }),
  ...(given.caps && { caps: pick(given.caps, Object.keys(QuoteCapsRecord.fields)) }),
})

const pick = <A extends object>(given: A, fields: ReadonlyArray<string>): A =>
  Object.fromEntries(Object.entries(given).filter(([name]) => fields.includes(name))) as A

/** Every default applied. What a schema cannot say is checked by `configFault` before. */
export const dealerConfigOf = (record: DealerConfigRecord): DealerConfig => {
  const given = known(record)
  const { hedge } = given
  return {
    pricingProfiles: new Map(
      Object.entries(given.pricingProfiles ?? {}).map(([id, profile]) => [
        id,
        {
          markupBps: decimalOr(profile.markupBps, MARKUP_BPS),
          ttlBps: profile.ttlBps === undefined ? null : Decimal.of(`${profile.ttlBps}`),
          maxNotional: decimalOrNull(profile.maxNotional),
          minNotional: decimalOrNull(profile.minNotional),
        },
      ]),
    ),
    defaultPricingProfile: given.defaultPricingProfile ?? null,
    clientPricingProfiles: given.clientPricingProfiles ?? [],
    riskCurrency: given.riskCurrency ?? null,
    operators: (given.operators ?? []) as ReadonlyArray<UserId>,
    takerFeeBpsByVenue: new Map(
      Object.entries(given.takerFeeBpsByVenue ?? {}).map(([venue, fee]) => [venue, decimalOr(fee, TAKER_FEE_BPS)]),
    ),
    hedge: {
      slippageBps: decimalOr(hedge?.slippageBps, SLIPPAGE_BPS),
      repriceMillis: hedge?.repriceMs ?? 500,
      attemptsMax: hedge?.attemptsMax ?? 10,
      allowMarket: hedge?.allowMarket ?? false,
      nettingWindowMillis: hedge?.nettingWindowMs ?? 0,
      retryMillis: hedge?.retryMs ?? 10_000,
    },
    collarPercent: decimalOr(given.pricing?.collarPercent, COLLAR_PERCENT),
    allowSimulatedVenues: given.pricing?.allowSimulatedVenues ?? false,
    openQuotesMax: given.caps?.openQuotes ?? null,
    openQuotesPerUserMax: given.caps?.openQuotesPerUser ?? null,
    uncoveredPercent: given.caps?.uncoveredPercent ?? UNCOVERED_PERCENT,
    openQuotesPerClientMax: given.caps?.openQuotesPerClient ?? null,
    given,
  }
}

export const dealerConfigRecord = (config: DealerConfig): DealerConfigRecord => config.given

/** Fields that were given otherwise. */
export const changedFields = (before: DealerConfig, after: DealerConfig): ReadonlyArray<string> =>
  Object.keys(DealerConfigRecord.fields).filter((name) => {
    const field = name as keyof DealerConfigRecord
    return !isDeepStrictEqual(before.given[field], after.given[field])
  })

/** What is added for all the seconds that a quote is firm. */
export const timeBps = ({ ttlBps }: PricingProfile, seconds: number): Decimal =>
  ttlBps === null
    ? TTL_BPS.multiply(Decimal.fromUnits(BigInt(Math.max(0, seconds - QUOTE_SECONDS)), 0))
    : ttlBps.multiply(Decimal.fromUnits(BigInt(seconds), 0))

export const takerFeeBps = (config: DealerConfig, venue: string): Decimal =>
  config.takerFeeBpsByVenue.get(venue) ?? TAKER_FEE_BPS

/** What is wrong with a configuration whose shape is right; null: nothing. `field` is its path in the request. */
export const configFault = (
  config: DealerConfigRecord,
  isVenue: (name: string) => boolean,
): { readonly field: string; readonly reason: string } | null => {
  const profiles = Object.keys(config.pricingProfiles ?? {})
  if (profiles.length > 100) return { field: "config.pricingProfiles", reason: "at most 100 profiles" }
  for (const [id, { markupBps, ttlBps, maxNotional, minNotional }] of Object.entries(config.pricingProfiles ?? {})) {
    const field = `config.pricingProfiles.${id.slice(0, 64)}`
    if (!PROFILE_KEY.test(id)) return { field, reason: "an id has 1 to 64 letters, digits or . _ : -" }
    for (const [name, given] of Object.entries({ markupBps, ttlBps }))
      if (isTooMuch(given)) return { field: `${field}.${name}`, reason: `at most ${BPS_MAX} basis points` }
    const [min, max] = [decimalOrNull(minNotional), decimalOrNull(maxNotional)]
    if (max?.isZero()) return { field: `${field}.maxNotional`, reason: "must be above 0" }
    if (min !== null && max !== null && min.greaterThan(max))
      return { field: `${field}.minNotional`, reason: "must not exceed maxNotional" }
  }
  const { defaultPricingProfile, clientPricingProfiles, takerFeeBpsByVenue, hedge, pricing } = config
  if (defaultPricingProfile !== undefined && !profiles.includes(defaultPricingProfile))
    return { field: "config.defaultPricingProfile", reason: "is not one of pricingProfiles" }
  const unknown = clientPricingProfiles?.find((id) => !profiles.includes(id))
  if (unknown !== undefined)
    return { field: "config.clientPricingProfiles", reason: `${unknown.slice(0, 64)} is not one of pricingProfiles` }
  for (const [venue, fee] of Object.entries(takerFeeBpsByVenue ?? {})) {
    const field = `config.takerFeeBpsByVenue.${venue.slice(0, 64)}`
    if (!isVenue(venue)) return { field, reason: "is not a venue" }
    if (isTooMuch(fee)) return { field, reason: `at most ${BPS_MAX} basis points` }
  }
  const collar = pricing?.collarPercent === undefined ? null : Decimal.of(`${pricing.collarPercent}`)
  if (collar?.isPositive() === false || collar?.greaterThan(Decimal.of("100")))
    return { field: "config.pricing.collarPercent", reason: "above 0, at most 100" }
  if (isTooMuch(hedge?.slippageBps))
    return { field: "config.hedge.slippageBps", reason: `at most ${BPS_MAX} basis points` }
  return null
}

const isTooMuch = (given: number | string | undefined): boolean =>
  given !== undefined && Decimal.of(`${given}`).greaterThan(Decimal.of(`${BPS_MAX}`))
