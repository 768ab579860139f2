/**
 * What a real venue means by its answers, as a world has it: read from its profile, its adapter and its capabilities, of which every field is either
 * read here or said to be of something else, by its type. What they leave open (how late, how many, how often) is drawn.
 */
import type { Venue } from "../../../src/domain/instrument/venue.ts"
import { takesOrders, type VenueCapabilities } from "../../../src/domain/instrument/venue-capabilities.ts"
import type { ExchangeAdapter } from "../../../src/venues/adapters/adapter.ts"
import { adapterOf } from "../../../src/venues/adapters/adapters.ts"
import { capabilitiesOf } from "../../../src/venues/adapters/capabilities.ts"
import type { Paging, VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../src/venues/adapters/registry.ts"
import { waitsOf } from "../../../src/venues/worker/waits.ts"
import type { Random } from "../time.ts"
import type { SimEnded, SimList, VenueTraits } from "../traits.ts"
import { DOGE_EUR, ETH_BTC } from "../venue/listing.ts"

/** What a field of a venue makes of a world; `gap`: what it says and no world can have. */
interface Part {
  readonly traits?: Partial<VenueTraits>
  readonly venue?: Partial<Venue>
  readonly gap?: string
}

/** Fields that say nothing of orders, or say it to the connector's code alone, which the loopback exchanges of test/exchanges speak to. */
type Elsewhere = "public market data" | "the wire" | "connections" | "the request budget" | "a name"

type Reading<A> = (value: NonNullable<A>, random: Random, profile: VenueProfile) => Part

type Readings<A> = { readonly [K in keyof Required<A>]: Reading<A[K]> | Elsewhere }

// Lists

const WAYS = {
  WHOLE: "WHOLE",
  AFTER_ID: "OLDEST",
  AFTER_TIME: "OLDEST",
  BEFORE_ID: "NEWEST",
  BEFORE_TIME: "NEWEST",
  CURSOR: "NEWEST",
  OFFSET: "POSITION",
  NUMBER: "POSITION",
} as const satisfies { readonly [W in Paging["way"]]: SimList["way"] }

const WHOLE_SIZE = 1_000
/** A world lives for minutes, and has some tens of orders: its pages are so small, and its windows so short, that lists have several. */
const SIZES = [1, 2, 5, 20]
const WINDOWS_MILLIS = [30_000, 120_000, 600_000]

const listOf = (paging: Paging, of: SimList["of"], random: Random): SimList => {
  const way = WAYS[paging.way]
  const size = random.pick(SIZES)
  const windowMillis = random.pick(WINDOWS_MILLIS)
  if (paging.way === "WHOLE") return { way, of, size: WHOLE_SIZE, last: "SHORT", windowMillis: null }
  return {
    way,
    of,
    size: Math.min(size, paging.size),
    last: paging.way === "CURSOR" ? "SHORT" : paging.last,
    windowMillis: paging.windowMillis === undefined ? null : windowMillis,
  }
}

type EndedOrders = NonNullable<VenueProfile["endedOrders"]>

const ENDED_LISTS: Readonly<Record<string, SimEnded["lists"]>> = {
  fetchOrders: "ALL",
  fetchClosedOrders: "ENDED",
  fetchCanceledAndClosedOrders: "ENDED",
  "fetchCanceledOrders, fetchClosedOrders": "CANCELLED_FIRST",
  // DERIBIT's, of which ccxt has no other names: of what is recent, and of all.
  "fetchClosedOrders, fetchCanceledOrders": "RECENT_FIRST",
}

const endedListsOf = ({ lists }: EndedOrders, random: Random): Pick<SimEnded, "lists"> & Partial<SimEnded> => {
  const found = ENDED_LISTS[lists.join(", ")]
  if (found === undefined) throw new Error(`no world has lists like ${lists.join(", ")}`)
  if (found !== "RECENT_FIRST") return { lists: found }
  return { lists: found, recentMillis: random.pick(WINDOWS_MILLIS), indexedMillis: random.pick([0, 5_000, 60_000]) }
}

// Fields

const PROFILE: Readings<VenueProfile> = {
  venue: "a name",
  name: "a name",
  exchange: "a name",
  adapter: "a name",
  sandbox: "a name",
  hosts: "connections",
  connects: "connections",
  options: "the wire",
  bareNumbers: "the wire",
  needsCurrencies: "the wire",
  needsPassphrase: "the wire",
  clientIdParam: "the wire",
  tradeHistory: "public market data",
  refusesRepeats: "public market data",
  batchesSubscriptions: "public market data",
  snapshotsAsked: "public market data",
  tickerParams: "public market data",
  lastQuantityField: "public market data",
  bookReach: "public market data",
  bookDepth: "public market data",
  bookRefreshMillis: "public market data",
  bookAudit: "public market data",
  klinesPerPage: "public market data",
  klinesKept: "public market data",
  rollingWindowMillis: "the request budget",
  privatePace: "the request budget",
  cancelAnswer: (answer, _, profile) => {
    const isEither = answer === "DONE" && adapterOf(profile).cancelPends !== undefined
    return {
      traits: { cancelAnswer: isEither ? "EITHER" : { DONE: "DONE" as const, REQUESTED: "REQUEST" as const }[answer] },
    }
  },
  amendAnswer: (answer) => ({
    traits: { amendAnswer: { DONE: "DONE" as const, REQUESTED: "REQUEST" as const }[answer] },
  }),
  openOrders: (paging, random) => ({ traits: { openOrders: listOf(paging, "ACCOUNT", random) } }),
  fills: ({ of, paging }, random) => ({ traits: { trades: listOf(paging, of, random), isPaged: true } }),
  endedOrders: (ended, random) => ({
    traits: {
      endedOrders: {
        ...listOf(ended.paging, ended.of, random),
        starts: ended.starts,
        ...endedListsOf(ended, random),
      },
    },
  }),
  orderTimes: ({ updated }) => ({ traits: { viewTimes: updated === null ? "CREATED" : "UPDATED" } }),
  orderExpiryMillis: (orderExpiryMillis) => ({ venue: { orderExpiryMillis } }),
  orderIds: (orderIds, random) => ({
    traits: {
      orderIds,
      // With one instrument there is nothing to take for another.
      ...(orderIds === "INSTRUMENT" && { instruments: random.pick([[ETH_BTC], [ETH_BTC, DOGE_EUR]]) }),
    },
    venue: { orderIds },
  }),
  orders: (orders) => ({ venue: { orders, takesOrders: takesOrders(orders, true) } }),
  features: (features) => ({ venue: { features } }),
  lists: (lists, _, profile) => {
    if (lists === "spot") return {}
    const tells = adapterOf(profile).fetchedContracts !== undefined
    return tells ? { traits: { contracts: true } } : { gap: "contracts, without what is open in them" }
  },
  timesInForce: (timesInForce) => ({ venue: { timesInForce } }),
  feeInQuote: (feeInQuote, random, { lists }) => ({
    traits: {
      // Of contracts nothing is received that a fee could be kept of.
      feeAsset: random.pick(
        feeInQuote || lists === "perpetual" ? ["QUOTE", "QUOTE", "THIRD"] : ["RECEIVED", "RECEIVED", "THIRD"],
      ),
    },
    venue: { feeInQuote },
  }),
  // Those that are told apart from their orders are told before them, with them or after them.
  fillsWithOrders: (isTogether, random) => {
    const tradeLagMillis = random.pick([0, 200, 6_000])
    return { traits: { tradeLagMillis: isTogether ? 0 : tradeLagMillis } }
  },
  signsAhead: (signsAhead) => ({ traits: { signsAhead } }),
  // The installation says whether they do.
  socketOrders: (mayBe, random) => ({ traits: { overSocket: random.chance(0.6) && mayBe } }),
  orderLimits: (limits, random) => {
    // Others use the account.
    const most = random.pick([1, 3, Number.POSITIVE_INFINITY])
    return { traits: { ordersPace: limits.map((it) => ({ ...it, most: Math.min(it.most, most) })) } }
  },
  waits: (_, __, profile) => ({ traits: { looksMillis: waitsOf(profile).cancelLooksMillis } }),
}

const ADAPTER: Readings<ExchangeAdapter> = {
  orderSocket: "the wire",
  prepare: "the wire",
  terms: "the wire",
  // With `lists` of the profile.
  reduceOnly: () => ({}),
  placePair: "the wire",
  isTriggered: "the wire",
  ended: "the wire",
  orderClientId: "the wire",
  fillClientId: "the wire",
  changedBalances: "the wire",
  fetchedBalances: "the wire",
  fetchedContracts: () => ({}),
  misleads: "the wire",
  accountId: "the wire",
  notTaken: "connections",
  endsPrivateStream: "connections",
  forgetLogin: "connections",
  upWhenOpen: "connections",
  channels: "connections",
  channelNews: "connections",
  asksFor: "connections",
  leaving: "public market data",
  streamNews: "public market data",
  restate: "public market data",
  preparePublic: "public market data",
  followTrades: "public market data",
  usedShare: "the request budget",
  stops: "the request budget",
  // With `cancelAnswer` of the profile.
  cancelPends: () => ({}),
  eventsAreHints: (are) => ({ traits: { ordersAreHints: are === true ? "ALWAYS" : are === false ? "NEVER" : "SOME" } }),
  // No stream tells them late: an event of the order has them asked for.
  fillsOf: () => ({ traits: { asksTrades: true, tradeLagMillis: 0 } }),
  balancesMoved: () => ({ traits: { asksBalances: true } }),
  neverWorked: () => ({ traits: { endsTakers: true } }),
}

const CAPABILITIES: Readings<VenueCapabilities> = {
  // The gateway reads the record, and the exchange of a world does what it says.
  marketOrders: () => ({}),
  nativeTimesInForce: () => ({}),
  triggers: () => ({}),
  oco: () => ({}),
  marketBuyByCost: () => ({}),
  marketBuyNeedsCost: () => ({}),
  amend: () => ({}),
  // No order of ours uses it.
  attachedExits: () => ({}),
  cancelAll: (carrier) => (carrier === "NATIVE" ? { gap: "all orders cancelled in one request" } : {}),
  cancelAllAfter: (carrier) => (carrier === "NATIVE" ? { gap: "orders that it cancels unless told" } : {}),
  clientOrderIds: ({ form, unique }, random) => ({
    traits: {
      // A number has not room for the whole id, which nobody can read back.
      clientIds: form === "INTEGER" ? random.pick(["ASKED", "CHANGED"]) : random.pick(["EVERYWHERE", "ORDERS"]),
      // A world lives for less than a day; of one that is not known nothing is promised.
      knownIds:
        unique === null
          ? "NO"
          : { ALWAYS: "ALWAYS" as const, DAY: "ALWAYS" as const, OPEN: "OPEN" as const, NO: "NO" as const }[unique],
    },
  }),
  streams: ({ orders, balances }) => ({
    // Trades that are not streamed are those of `fillsOf`.
    traits: { tellsBalances: balances === "STREAM" },
    ...(orders === "STREAM" ? {} : { gap: "a private stream without orders" }),
  }),
  bookContinuity: "public market data",
}

const partsOf = <A extends object>(
  readings: Readings<A>,
  of: A,
  random: Random,
  profile: VenueProfile,
): ReadonlyArray<Part> =>
  (Object.keys(readings) as unknown as ReadonlyArray<keyof A>).flatMap((name) => {
    const reading: Reading<A[typeof name]> | Elsewhere = readings[name]
    const value = of[name]
    return typeof reading === "string" || value === undefined || value === null ? [] : [reading(value, random, profile)]
  })

const allPartsOf = (profile: VenueProfile, random: Random): ReadonlyArray<Part> => [
  ...partsOf(PROFILE, profile, random, profile),
  ...partsOf(ADAPTER, adapterOf(profile), random, profile),
  ...partsOf(CAPABILITIES, capabilitiesOf(profile), random, profile),
]

/** What stands in the pages of a venue and in its adapter's code, and in no field (docs/design/venues.md, 2.10, 2.13 and 2.14). */
const IN_WORDS: { readonly [A in VenueProfile["adapter"]]?: (random: Random) => Partial<VenueTraits> } = {
  // By no clock: a nonce below one that was taken is refused. A fee may be a rebate.
  bitfinex: (random) => ({ arrivesLate: "UNTIL_OVERTAKEN", feeRate: random.pick(["0.001", "0.002", "-0.0001"]) }),
  // Of an answer `timestampms` is the order's creation.
  gemini: () => ({ viewTimes: "EVENTS" }),
  // `edit_post_only_reject`. A maker's fee may be below zero.
  deribit: (random) => ({ changedTakersEnd: true, feeRate: random.pick(["0.0005", "-0.0001"]) }),
}

/** What a profile that says nothing of it has. */
const SILENT = { signsAhead: false, endedOrders: null, clientIds: "ASKED", ordersAreHints: "NEVER" } as const

export interface Semantics {
  readonly traits: Partial<VenueTraits>
  readonly venue: Partial<Venue>
}

export const semanticsOf = (profile: VenueProfile, random: Random): Semantics => {
  const parts = allPartsOf(profile, random)
  const looks = { looksMillis: waitsOf(profile).cancelLooksMillis }
  const words = IN_WORDS[profile.adapter]?.(random)
  return {
    traits: Object.assign({}, SILENT, looks, ...parts.map(({ traits }) => traits), words),
    venue: Object.assign(
      { orderExpiryMillis: profile.orderExpiryMillis, capabilities: capabilitiesOf(profile) },
      ...parts.map(({ venue }) => venue),
    ),
  }
}

/** What the venue has and no world can. */
export const gapsOf = (profile: VenueProfile, random: Random): ReadonlyArray<string> =>
  allPartsOf(profile, random).flatMap(({ gap }) => gap ?? [])

/** Of the venues that have an adapter, whether their orders are proven or not; a test environment is the same venue. */
export const WORLD_PROFILES: ReadonlyArray<VenueProfile> = PROFILES.filter(
  ({ adapter, sandbox }) => adapter !== "none" && !sandbox,
)

export const profileNamed = (name: string): VenueProfile => {
  const found = PROFILES.find(({ venue }) => venue === name)
  if (found === undefined) throw new Error(`no venue ${name}: ${PROFILES.map(({ venue }) => venue).join(", ")}`)
  return found
}
