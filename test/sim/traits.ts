/**
 * What an exchange is like, in one record: the meaning of its answers, what its views and lists show and when, how it fills and what it
 * charges. `drawTraits` makes an exchange of a seed; `PLAIN_TRAITS` is the one of scripted tests; what only real venues have, their profiles say
 * (`profiles/semantics.ts`). Misfortune is elsewhere (`fates.ts`).
 */
import type { InstrumentId } from "../../src/domain/ids.ts"
import type { OrderIds } from "../../src/domain/instrument/venue.ts"
import type { Random } from "./time.ts"
import { DOGE_EUR, ETH_BTC } from "./venue/listing.ts"

/** How a list of the venue is read to its end. */
export interface SimList {
  /** OLDEST: oldest first, each page after the last row of the one before. NEWEST: the other way round. POSITION: newest first, by the count of rows before the page. */
  readonly way: "WHOLE" | "OLDEST" | "NEWEST" | "POSITION"
  /** Rows of one page; each page is an instant of its own. */
  readonly size: number
  /** The last page is a short one, or one without rows. */
  readonly last: "SHORT" | "EMPTY"
  /** It answers for so long from the start that it is asked for: the next question starts there. */
  readonly windowMillis: number | null
  readonly of: "ACCOUNT" | "INSTRUMENT"
}

/** Orders that are over, many at once. */
export interface SimEnded extends SimList {
  /** From the oldest one's id, or its creation. */
  readonly starts: "ID" | "CREATION"
  /**
   * ALL: open ones stand between them. CANCELLED_FIRST: one list of what was cancelled, and then one of the others. RECENT_FIRST: one list of what
   * ended not long ago, and then one of everything, which has it late: for a while an order may be in both, or in neither.
   */
  readonly lists: "ALL" | "ENDED" | "CANCELLED_FIRST" | "RECENT_FIRST"
  /** Of RECENT_FIRST: how long the first list has an order, and since when the second one does. */
  readonly recentMillis?: number
  readonly indexedMillis?: number
}

export interface VenueTraits {
  /**
   * DONE: the order has ended. REQUEST: its end was asked for; the session looks at the order for a second, as the connectors do. EITHER: the
   * answer says which.
   */
  readonly cancelAnswer: "DONE" | "REQUEST" | "EITHER"
  /** A cancel that was asked for is carried out within this time. */
  readonly cancelWithinMillis: number
  /** Of those, the share that the venue never carries out. */
  readonly cancelForgotten: number
  /**
   * What it has cancelled it does not know any more, once it has answered so; the stream may still tell of it. Also what had traded before
   * its cancel, which is more than a real venue forgets.
   */
  readonly forgetsCancelled: boolean
  /** As with cancels. */
  readonly amendAnswer: "DONE" | "REQUEST"
  readonly amendWithinMillis: number
  readonly amendForgotten: number
  /** A change of a post-only order that would take ends it, and its answer does not say so. */
  readonly changedTakersEnd: boolean
  /** The stream tells a trade later than it shows the order that contains it, by at most this. */
  readonly tradeLagMillis: number
  /** The history lists a trade within this time. */
  readonly historyLagMillis: number
  readonly openOrders: SimList
  readonly trades: SimList
  /** The session hands the trades on page by page: what was read is kept. */
  readonly isPaged: boolean
  /** Null: it tells of them one at a time. */
  readonly endedOrders: SimEnded | null
  /** INSTRUMENT: orders, and trades, of two instruments may have one number. */
  readonly orderIds: OrderIds
  /** Which client ids of an order it refuses as known: ever used, of an open order, or none. */
  readonly knownIds: "ALWAYS" | "OPEN" | "NO"
  /** Orders are built while they are being stored. */
  readonly signsAhead: boolean
  /** Requests go over a socket that the private stream has, too: what waits for its answer when that dies is in doubt. */
  readonly overSocket: boolean
  /** It takes so many orders and changes of an account within each time: the session holds them back. */
  readonly ordersPace: ReadonlyArray<{
    readonly most: number
    readonly withinMillis: number
    readonly of: "ACCOUNT" | "INSTRUMENT"
  }>
  /** Before each look at an order whose cancel was asked for. */
  readonly looksMillis: ReadonlyArray<number>
  /** What the stream says of an order is not its state: the session asks for that. */
  readonly ordersAreHints: "NEVER" | "SOME" | "ALWAYS"
  /** The stream says how much of an order is executed, and the session asks by which trades. */
  readonly asksTrades: boolean
  /** The stream says that balances moved, and the session asks for them. */
  readonly asksBalances: boolean
  /** A post-only order that would have taken is taken and ended; else it is refused. */
  readonly endsTakers: boolean
  /** UPDATED: a view says when it was true. EVENTS: that of an event does, and an answer only when the order was made. CREATED: only that. NONE: neither. */
  readonly viewTimes: "UPDATED" | "EVENTS" | "CREATED" | "NONE"
  /** An order that was just placed is unknown to questions and cancels for at most this. */
  readonly replicaLagMillis: number
  /** Balances were true so long before the instant that they name. */
  readonly balancesLagMillis: number
  /** An event may arrive so much after one that was told later. */
  readonly eventSpreadMillis: number
  /** Share of the events that are told again, within a minute. */
  readonly eventRepeats: number
  /** A resting order trades at prices up to so many ticks better than its limit. */
  readonly betterTicks: number
  /** One match is up to so many trades. */
  readonly tradesOfMatch: number
  /** What a fee is charged in. THIRD: an asset of the venue's own, while there is some of it; then the quote asset. */
  readonly feeAsset: "QUOTE" | "RECEIVED" | "THIRD"
  readonly feeRate: string
  /**
   * Where the venue names our client id. EVERYWHERE: views and trades. ORDERS: views only. ASKED: only the answer about one order, and what
   * the session remembers of the orders whose answers it heard, as the connectors do. CHANGED: likewise, and the views say another.
   */
  readonly clientIds: "EVERYWHERE" | "ORDERS" | "ASKED" | "CHANGED"
  /** What the answer to a submit tells: that it was taken, where the order stands too, or its trades as well. */
  readonly submitAnswer: "ID" | "STATE" | "FILLS"
  /**
   * When a submit arrives whose answer was lost before: after 4 s, or at any instant until its expiry. UNTIL_OVERTAKEN: it has none, and is not taken
   * once the venue has taken a request of the account that left later.
   */
  readonly arrivesLate: "SOON" | "UNTIL_EXPIRY" | "UNTIL_OVERTAKEN"
  /** Some of the refusals come after the stream has shown the order, and it works on. */
  readonly refusesWhenShown: boolean
  /** What is traded beside BTC/USDT: pairs with other assets, ticks and lots. */
  readonly instruments: ReadonlyArray<InstrumentId>
  /** Orders open positions, which have a margin, and move no assets but what they earn, lose and pay. */
  readonly contracts: boolean
  /** Whether the stream tells the balances that a trade or a lock has moved, each as it is then. */
  readonly tellsBalances: boolean
}

export const PLAIN_LIST: SimList = { way: "OLDEST", size: 1_000, last: "SHORT", windowMillis: null, of: "ACCOUNT" }

export const PLAIN_TRAITS: VenueTraits = {
  cancelAnswer: "DONE",
  cancelWithinMillis: 0,
  cancelForgotten: 0,
  forgetsCancelled: false,
  amendAnswer: "DONE",
  amendWithinMillis: 0,
  amendForgotten: 0,
  changedTakersEnd: false,
  tradeLagMillis: 0,
  historyLagMillis: 0,
  openOrders: PLAIN_LIST,
  trades: PLAIN_LIST,
  isPaged: false,
  endedOrders: null,
  orderIds: "VENUE",
  knownIds: "NO",
  signsAhead: true,
  overSocket: false,
  ordersPace: [],
  looksMillis: [0, 50, 200, 800],
  ordersAreHints: "NEVER",
  asksTrades: false,
  asksBalances: false,
  endsTakers: false,
  viewTimes: "UPDATED",
  replicaLagMillis: 0,
  balancesLagMillis: 0,
  eventSpreadMillis: 0,
  eventRepeats: 0,
  betterTicks: 0,
  tradesOfMatch: 1,
  feeAsset: "QUOTE",
  feeRate: "0.001",
  clientIds: "EVERYWHERE",
  submitAnswer: "ID",
  arrivesLate: "SOON",
  refusesWhenShown: false,
  instruments: [],
  contracts: false,
  tellsBalances: false,
}

// Which traits are drawn; one that is off is plain in every world.
const CANCEL_REQUESTS = true
const AMEND_REQUESTS = true
const TRADE_LAG = true
const HISTORY_LAG = true
const PAGES = true
const VIEW_TIMES = true
const REPLICA_LAG = true
const BALANCES_LAG = true
const EVENT_SPREAD = true
const EVENT_REPEATS = true
const BETTER_PRICES = true
const MANY_TRADES = true
const FEE_ASSETS = true
const CLIENT_IDS = true
const SUBMIT_ANSWERS = true
const LATE_ARRIVALS = true
const SHOWN_REFUSALS = true
const INSTRUMENTS = true
const BALANCE_EVENTS = true
const FORGETTING = true

/** Takes the same draws whatever is on, so that a trait that comes on leaves the others as they were. */
export const drawTraits = (random: Random): VenueTraits => {
  const part = <K extends keyof VenueTraits>(isOn: boolean, drawn: Pick<VenueTraits, K>): Partial<VenueTraits> =>
    isOn ? drawn : {}
  const cancel = {
    cancelAnswer: random.pick(["DONE", "REQUEST"] as const),
    cancelWithinMillis: random.pick([20, 500, 5_000, 30_000]),
    cancelForgotten: random.pick([0, 0, 0.1]),
  }
  const amend = {
    amendAnswer: random.pick(["DONE", "REQUEST"] as const),
    amendWithinMillis: random.pick([20, 500, 5_000]),
    amendForgotten: random.pick([0, 0, 0.1]),
  }
  const tradeLag = { tradeLagMillis: random.pick([0, 200, 6_000, 60_000]) }
  const historyLag = { historyLagMillis: random.pick([0, 0, 1_000, 10_000, 60_000]) }
  const pages = {
    openOrders: { ...PLAIN_LIST, size: random.pick([1, 2, 10, 100]) },
    trades: { ...PLAIN_LIST, size: random.pick([1, 3, 20, 100]) },
  }
  const times = { viewTimes: random.pick(["UPDATED", "UPDATED", "CREATED", "NONE"] as const) }
  const replica = { replicaLagMillis: random.pick([0, 0, 300, 3_000]) }
  const spread = { eventSpreadMillis: random.pick([0, 0, 1_000, 10_000]) }
  const repeats = { eventRepeats: random.pick([0, 0, 0.05, 0.3]) }
  const better = { betterTicks: random.pick([0, 0, 5, 300]) }
  const many = { tradesOfMatch: random.pick([1, 1, 3, 20]) }
  const fees = {
    feeAsset: random.pick(["QUOTE", "QUOTE", "RECEIVED", "THIRD"] as const),
    feeRate: random.pick(["0.001", "0.001", "0.0015", "0"]),
  }
  const ids = { clientIds: random.pick(["EVERYWHERE", "EVERYWHERE", "ORDERS", "ASKED", "CHANGED"] as const) }
  const answers = { submitAnswer: random.pick(["ID", "STATE", "FILLS"] as const) }
  const arrivals = { arrivesLate: random.pick(["SOON", "UNTIL_EXPIRY"] as const) }
  const balances = { balancesLagMillis: random.pick([0, 0, 300, 3_000]) }
  const refusals = { refusesWhenShown: random.chance(0.4) }
  const others = { instruments: random.pick([[], [], [ETH_BTC], [ETH_BTC, DOGE_EUR]]) }
  const events = { tellsBalances: random.chance(0.5) }
  const forgetting = { forgetsCancelled: random.chance(0.3) }
  return {
    ...PLAIN_TRAITS,
    ...part(CANCEL_REQUESTS, cancel),
    ...part(AMEND_REQUESTS, amend),
    ...part(TRADE_LAG, tradeLag),
    ...part(HISTORY_LAG, historyLag),
    ...part(PAGES, pages),
    ...part(VIEW_TIMES, times),
    ...part(REPLICA_LAG, replica),
    ...part(BALANCES_LAG, balances),
    ...part(EVENT_SPREAD, spread),
    ...part(EVENT_REPEATS, repeats),
    ...part(BETTER_PRICES, better),
    ...part(MANY_TRADES, many),
    ...part(FEE_ASSETS, fees),
    ...part(CLIENT_IDS, ids),
    ...part(SUBMIT_ANSWERS, answers),
    ...part(LATE_ARRIVALS, arrivals),
    ...part(SHOWN_REFUSALS, refusals),
    ...part(INSTRUMENTS, others),
    ...part(BALANCE_EVENTS, events),
    ...part(FORGETTING, forgetting),
  }
}
