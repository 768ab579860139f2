/**
 * What a connector must know of a venue besides what ccxt knows, and how the venue's lists are read completely. Plain data, because it crosses
 * into the worker; what needs code is in the `adapter.ts` of the venue's folder, found by name. `plain.ts` has the values for a venue without
 * special needs.
 */
import type { VenueId } from "../../domain/ids.ts"
import type { OrderIds, TimeInForce } from "../../domain/instrument/venue.ts"
import type { VenueOrders } from "../../domain/instrument/venue-capabilities.ts"

// How a venue's lists are read to their end, as plain data of its profile; `worker/session/pages.ts` reads by it.

interface Sized {
  /** Rows that it gives at most, and is asked for. */
  readonly size: number
  /** It goes by this parameter; absent: by ccxt's `limit`. */
  readonly sizeParam?: string
  /** Further parameters of every page. */
  readonly params?: Readonly<Record<string, string | number | boolean>>
  /** It answers for so long from the start that it is asked for, ms: the next question starts where this one ends. */
  readonly windowMillis?: number
  /**
   * What the last page is known by. SHORT: fewer rows than `size`. EMPTY: nothing new, where rows are taken out of a page before they
   * are seen, or the venue's word on its page size is not proven.
   */
  readonly last: "SHORT" | "EMPTY"
}

export type Paging =
  /** One answer has all rows. */
  | { readonly way: "WHOLE" }
  /** Oldest first: `param` is the next id. */
  | (Sized & { readonly way: "AFTER_ID"; readonly param: string })
  /** Oldest first: since the time of the newest row, which comes once more. */
  | (Sized & { readonly way: "AFTER_TIME" })
  /** Newest first: `param` is the smallest id of the page, in `field` of the venue's own row, or ccxt's where absent. */
  | (Sized & { readonly way: "BEFORE_ID"; readonly param: string; readonly field?: string })
  /** Newest first: `param` is a time just after the oldest row's, which comes once more. */
  | (Sized & { readonly way: "BEFORE_TIME"; readonly param: string; readonly as: "ISO" | "MILLIS" })
  /** `param` is what a row of the page carries in `field`; without it, or without rows, the page was the last. */
  | (Omit<Sized, "last"> & { readonly way: "CURSOR"; readonly param: string; readonly field: string })
  /** Newest first: `param` is the number of rows before the page. */
  | (Sized & { readonly way: "OFFSET"; readonly param: string })
  /** Newest first: `param` counts pages, from 1. */
  | (Sized & { readonly way: "NUMBER"; readonly param: string })

/** Each page is older than the one before. */
export const isNewestFirst = ({ way }: Paging): boolean => way !== "WHOLE" && way !== "AFTER_ID" && way !== "AFTER_TIME"

/** A list that is asked for the whole account, or market by market. */
interface ListPaging {
  readonly of: "ACCOUNT" | "INSTRUMENT"
  readonly paging: Paging
}

/** Orders that are over. `starts`: from the oldest one's id, or its creation. */
interface EndedOrders {
  readonly of: "ACCOUNT" | "INSTRUMENT"
  readonly lists: ReadonlyArray<
    "fetchOrders" | "fetchClosedOrders" | "fetchCanceledOrders" | "fetchCanceledAndClosedOrders"
  >
  readonly starts: "ID" | "CREATION"
  readonly paging: Paging
}

/** Where a list goes on; plain data, because it crosses threads and is kept with the account. */
export interface PageCursor {
  /** Venue ms. */
  readonly since: number | null
  /** Of the venue's way: an id, a cursor, a count; null on the first page of a window. */
  readonly at: string | null
  /** The first row of the page before: the same once more means that the venue does not page. */
  readonly first: string | null
}

export interface BookAuditTimes {
  /** Each book so often, less often while the venue's request budget is short; null where the stream shows what is missing. */
  readonly everyMillis: number | null
  /** A book also when it has said nothing for so long. */
  readonly silentMillis: number
  /** Before each question: by so much may the venue's stream and its answers be apart. */
  readonly settleMillis: number
}

/** How long a connector waits for the venue. */
export interface VenueWaits {
  /** A request without an answer by then has failed. */
  readonly requestMillis: number
  /** A login or a subscription that is not acknowledged by then is taken for lost, and begins anew. */
  readonly acknowledgedMillis: number
  /**
   * A book that has no snapshot after this long is begun again: a subscription can be lost without a word. Not while snapshots come, or
   * wait for the venue's budget: one book of hundreds that are opened together has its turn after minutes.
   */
  readonly snapshotMillis: number
  /** Nothing is asked for so long after an answer 429 that names no time of its own. */
  readonly limitedMillis: number
  /** Before each look at an order whose cancel was asked for. */
  readonly cancelLooksMillis: ReadonlyArray<number>
}

/**
 * What the venue's answers mean. None of it has a default, because a wrong one is told to clients as a fact: an order that "ended" and
 * then fills, a fill that is counted twice, a list that is cut.
 */
export interface VenueFacts {
  /** How often the venue lets one address connect a socket: so many within a time, by its documentation or, as said there, below it. */
  readonly connects: { readonly most: number; readonly withinMillis: number }
  /** A cancel that was answered is carried out, or only asked for: then the order's end has to be seen. */
  readonly cancelAnswer: "DONE" | "REQUESTED"
  /** The same of a change of an order. */
  readonly amendAnswer: "DONE" | "REQUESTED"
  readonly openOrders: Paging
  readonly fills: ListPaging
  /** How orders that are over are read: many at once, or null for one at a time. */
  readonly endedOrders: EndedOrders | null
  /**
   * Where an order's times stand: fields of ccxt's order, or of the venue's own with `info.`. `updated` null: the venue does not say
   * when an order last changed, and a view of it says so.
   */
  readonly orderTimes: { readonly created: string; readonly updated: string | null }
  /** Until when after its signature the venue may still take an order, ms; null: it sets no end. */
  readonly orderExpiryMillis: number | null
  /** INSTRUMENT: two instruments may have orders of one number. */
  readonly orderIds: OrderIds
  /** How far it is proven what the venue does with orders: PROVEN takes a loopback exchange that speaks its protocol (decision 76). */
  readonly orders: VenueOrders
  readonly tradeHistory: TradeHistory
}

/**
 * What can supply the public trades that a stream missed. BY_ID: fetchTrades, whose rows have the stream's ids; `params` are for its
 * longest page of its newest ones. BY_NUMBER: the venue numbers its trades without a hole, and its adapter puts in what is missing. NONE:
 * nothing that can be told from what the stream has said, so every interruption may be a hole.
 */
type TradeHistory =
  | { readonly way: "BY_ID"; readonly params: Readonly<Record<string, unknown>> }
  | { readonly way: "BY_NUMBER" }
  | { readonly way: "NONE" }

/**
 * How much of a book the venue's feed tells. SEED: a stream of all changes goes on from a snapshot of so many of the best levels a side, at
 * most; of what lies beyond it nothing is known but what changes (`worker/feed/seeded-books.ts`). `quick`: so many for a first look while
 * the request budget is short. WINDOW: the stream shows so many of the best levels, whichever they are.
 */
export type BookReach =
  | { readonly way: "SEED"; readonly levels: number; readonly quick?: number }
  | { readonly way: "WINDOW"; readonly levels: number }

export interface VenueProfile extends VenueFacts {
  readonly venue: VenueId
  readonly name: string
  /** The file name under ccxt's `js/src/pro`. */
  readonly exchange: string
  /** Testnet: `setSandboxMode(true)` right after construction. Only where ccxt has test URLs (venues 2.2). */
  readonly sandbox: boolean
  readonly features: ReadonlyArray<string>
  readonly needsPassphrase: boolean
  readonly timesInForce: ReadonlyArray<TimeInForce>
  /** What is listed: the spot pairs, or the perpetuals, one per BASE/QUOTE (contract C14a). */
  readonly lists: "spot" | "perpetual"
  readonly feeInQuote: boolean
  /** Every host the connector dials, `host:port`: what VENUE_ROUTES must name. */
  readonly hosts: ReadonlyArray<string>
  /** ccxt `options` on top of those every connector gets; plain values only. */
  readonly options: Readonly<Record<string, unknown>>
  /** Its feed writes prices as JSON numbers, without quotes: read as numbers they would lose their digits. */
  readonly bareNumbers: boolean
  /** ccxt cannot load its markets without its currencies. Elsewhere they are one more question that can fail. */
  readonly needsCurrencies: boolean
  /** The venue refuses a subscription that it has already: after a gap the old one is ended first. */
  readonly refusesRepeats: boolean
  /** An order is one request, and its signature no part of a sequence: it may be built while the order is being stored, and others may overtake it. */
  readonly signsAhead?: boolean
  /** Orders may go over a socket of the venue, where the installation asks for it (SOCKET_ORDERS); how, its adapter says. */
  readonly socketOrders?: boolean
  /** The venue counts requests of a connection: many subscriptions go in one. */
  readonly batchesSubscriptions?: boolean
  /** ccxt asks for a book's snapshot only after a number of changes; a quiet book would wait for ever, so we ask. */
  readonly snapshotsAsked: boolean
  /** Extra parameters of watchTicker; Binance's default stream has no bid and ask (venues 4.10). */
  readonly tickerParams: Readonly<Record<string, unknown>>
  /** Where the raw ticker carries the quantity of the last trade. */
  readonly lastQuantityField: string | null
  /** Whether fills come with the order events. Else `watchMyTrades` has a stream of them, or the adapter asks for them (`fillsOf`). */
  readonly fillsWithOrders: boolean
  /** Parameter that names an order by our client id in fetchOrder and cancelOrder. */
  readonly clientIdParam: string
  /** How much of a book its feed tells; all of it when absent. */
  readonly bookReach?: BookReach
  /** Levels a side of a book that are asked for, where the venue wants to be told. */
  readonly bookDepth?: number
  /** A book that cannot be checked to its end is subscribed anew so often, and what differs is put right. */
  readonly bookRefreshMillis?: number
  /** When its books are compared with the venue's by REST, where not as its stream needs it (`worker/feed/book-audits.ts`); null: never. */
  readonly bookAudit?: BookAuditTimes | null
  /** Where not as usual (`worker/waits.ts`). */
  readonly waits?: Partial<VenueWaits>
  /** The window in which the venue counts requests, ms; absent: ccxt's own, or a bucket that lets them out one by one. */
  readonly rollingWindowMillis?: number
  /** Bars that the venue gives in one answer; as ccxt says when absent. */
  readonly klinesPerPage?: number
  /** Of each interval it remembers only so many of its newest bars; all when absent. */
  readonly klinesKept?: number
  /**
   * The venue counts private requests by account: in ccxt's costs, so many at once, and so many per second. Absent: by address, together with
   * the public ones. `runsOff`: its count falls evenly, and is not of a window. `auditsShare` is what audits may take of it, more than a quarter where orders are counted apart.
   * `addressCost`: each counts for the address as well, so much of ccxt's costs.
   */
  readonly privatePace?: {
    readonly burst: number
    readonly perSecond: number
    readonly runsOff?: boolean
    readonly auditsShare?: number
    readonly addressCost?: number
  }
  /**
   * The venue counts an account's orders and their changes apart, so many within each time, and they weigh nothing else: the adapter has them cost
   * nothing. `of`: those of the account, or of each of its instruments. Absent: they cost like any request.
   */
  readonly orderLimits?: ReadonlyArray<{
    readonly most: number
    readonly withinMillis: number
    readonly of: "ACCOUNT" | "INSTRUMENT"
  }>
  /** The code that goes with it, in `adapters.ts`. */
  readonly adapter:
    | "binance"
    | "binanceusdm"
    | "bitfinex"
    | "bitstamp"
    | "bybit"
    | "coinbase"
    | "deribit"
    | "gate"
    | "gemini"
    | "kraken"
    | "krakenfutures"
    | "kucoin"
    | "okx"
    | "none"
}
