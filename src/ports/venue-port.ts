/**
 * Everything the gateway wants from a venue. Orders go out and reports come back as plain calls; only calls with an answer are
 * Effects. Decimals are text in the venue's own digits. Three implementations: ccxt workers, in-process venues, the simulation.
 */
import { Context, type Effect, type Scope } from "effect"
import type { VenueSecrets } from "../domain/credential.ts"
import type { CredentialsInvalid, InvalidVenue, NotSupportedByVenue, VenueUnavailable } from "../domain/errors.ts"
import type { InstrumentId, TradeOrderId, VenueId } from "../domain/ids.ts"
import type { Instrument } from "../domain/instrument.ts"
import type { Bar, KlineInterval } from "../domain/kline.ts"
import type { TriggerSource } from "../domain/order-terms.ts"
import type { OrderSide, PlainOrderType, StoredTimeInForce } from "../domain/trade-order.ts"
import type { TradingAccount } from "../domain/trading-account.ts"
import type { Venue } from "../domain/venue.ts"
import type { ResyncReason, VenueStats } from "./venue-stats.ts"

/** An order on its way out. The venue's client order id is `venueClientId(tradeOrderId)`. */
export interface VenueOrder {
  readonly tradeOrderId: TradeOrderId
  readonly instrumentId: InstrumentId
  readonly orderSide: OrderSide
  /** With a trigger: what the venue places when it fires. */
  readonly orderType: PlainOrderType
  readonly timeInForce: StoredTimeInForce
  /** In base, decimal text. */
  readonly quantity: string
  readonly limitPrice: string | null
  /** The venue watches it itself. Absent: to the book at once. */
  readonly trigger?: VenueTrigger
  /** Of GTD and DAY, wall ms, where the venue ends the order itself; absent: it need not. */
  readonly expireAt?: number
  /** A market buy of so much quote asset, decimal text; `quantity` is an estimate then. */
  readonly cost?: string
  readonly leverage?: number
  /** The other leg, with which it is placed in one request as a list of the venue's own; each is reported for itself. */
  readonly pairedWith?: VenueOrder
  /** Not to be signed after this instant (wall ms): then the report is NotSent. */
  readonly notAfter: number
}

export interface VenueTrigger {
  readonly kind: "STOP" | "TAKE_PROFIT" | "TRAILING_STOP"
  readonly on: "RISE" | "FALL"
  readonly stopPrice: string
  readonly source: TriggerSource
  /** Basis points. */
  readonly trailingDelta?: number
  /** In price. */
  readonly trailingAmount?: string
}

/** What a working order is changed to, all of it absolute. `quantity` is the total, what is executed included. */
export interface VenueAmend {
  readonly quantity: string
  readonly limitPrice: string | null
  readonly stopPrice: string | null
  /** Its new price must not take: the change is refused then, or the venue ends the order. */
  readonly postOnly?: boolean
}

/** How an order is found at the venue. */
export interface VenueOrderRef {
  readonly tradeOrderId: TradeOrderId
  readonly externalOrderId: string | null
  readonly instrumentId: InstrumentId
}

export type VenueOrderStatus = "OPEN" | "FILLED" | "CANCELLED" | "REJECTED" | "EXPIRED" | "UNKNOWN"

/** An order as the venue shows it. OPEN with executedQuantity > 0 is a partial fill. */
export interface VenueOrderState {
  /** Null for an order that is not ours. */
  readonly tradeOrderId: TradeOrderId | null
  readonly externalOrderId: string
  readonly clientId: string | null
  readonly instrumentId: InstrumentId
  readonly orderSide: OrderSide
  /** The venue's words in ours where they fit, else LIMIT or MARKET by whether there is a price. */
  readonly orderType: PlainOrderType
  readonly timeInForce: StoredTimeInForce
  readonly limitPrice: string | null
  readonly quantity: string
  readonly executedQuantity: string
  readonly status: VenueOrderStatus
  /**
   * The venue ended the rest of an IOC, FOK or market order, stopped a self trade, or took a post-only order and ended it at once
   * because it would have taken. LIST: of a pair that the venue keeps, the other leg was executed or triggered. Null otherwise.
   */
  readonly ending: "REMAINDER" | "SELF_TRADE_PREVENTION" | "WOULD_TAKE" | "LIST" | null
  /** The venue's own trigger has fired; absent: it has not, or there is none. */
  readonly isTriggered?: boolean
  readonly createdAt: number | null
  /** Venue time of this state; null where the venue gives none. */
  readonly updatedAt: number | null
}

export interface VenueFee {
  readonly asset: string
  readonly quantity: string
}

/** One fill of one order. */
export interface VenueFill {
  readonly tradeOrderId: TradeOrderId | null
  readonly externalOrderId: string
  readonly externalTradeId: string
  readonly instrumentId: InstrumentId
  readonly orderSide: OrderSide
  readonly quantity: string
  readonly price: string
  readonly fees: ReadonlyArray<VenueFee>
  readonly executedAt: number
}

export interface VenueBalance {
  readonly asset: string
  readonly available: string
  readonly locked: string
}

export interface VenueBalances {
  /** Only what changed, or all there is. */
  readonly complete: boolean
  readonly balances: ReadonlyArray<VenueBalance>
  readonly at: number
}

/** What a session tells its account. Order of arrival is order of sending per session; nothing else is promised. */
export type SessionReport =
  /** The venue took the order: at least acknowledged. */
  | {
      readonly _tag: "Accepted"
      readonly tradeOrderId: TradeOrderId
      readonly externalOrderId: string
      readonly at: number
    }
  /** A definite no of the venue: never on its book. `code` is ours (contract C3, REFUSED), `text` short and clean of secrets. */
  | {
      readonly _tag: "Refused"
      readonly tradeOrderId: TradeOrderId
      readonly code: string
      readonly text: string
      readonly at: number
    }
  /** Proven that no byte left this host, or `notAfter` had passed. */
  | { readonly _tag: "NotSent"; readonly tradeOrderId: TradeOrderId; readonly reason: string; readonly at: number }
  /** The submit may or may not have arrived. */
  | { readonly _tag: "InDoubt"; readonly tradeOrderId: TradeOrderId; readonly reason: string; readonly at: number }
  | { readonly _tag: "CancelAccepted"; readonly tradeOrderId: TradeOrderId; readonly at: number }
  /** `unknownOrder`: the venue does not know it (any more): look before believing anything. */
  | {
      readonly _tag: "CancelRefused"
      readonly tradeOrderId: TradeOrderId
      readonly unknownOrder: boolean
      readonly text: string
      readonly at: number
    }
  | {
      readonly _tag: "CancelInDoubt"
      readonly tradeOrderId: TradeOrderId
      readonly reason: string
      readonly at: number
    }
  /** The change is made: the order is as it was asked to be. */
  | {
      readonly _tag: "AmendAccepted"
      readonly tradeOrderId: TradeOrderId
      readonly externalOrderId: string
      readonly at: number
    }
  /** Nothing was changed. `unknownOrder` as with cancels. */
  | {
      readonly _tag: "AmendRefused"
      readonly tradeOrderId: TradeOrderId
      readonly unknownOrder: boolean
      readonly text: string
      readonly at: number
    }
  /** Whether it was changed is unknown: never repeated, the order itself says (contract C3). */
  | { readonly _tag: "AmendInDoubt"; readonly tradeOrderId: TradeOrderId; readonly reason: string; readonly at: number }
  | { readonly _tag: "OrderSeen"; readonly state: VenueOrderState }
  | { readonly _tag: "Filled"; readonly fill: VenueFill }
  | { readonly _tag: "BalancesSeen"; readonly balances: VenueBalances }
  /** The private stream is lost: events may be missing until `StreamUp`, after which the account reconciles. */
  | { readonly _tag: "StreamDown"; readonly reason: string }
  | { readonly _tag: "StreamUp" }
  /** The credential no longer works: no further call is made. */
  | { readonly _tag: "SessionRefused"; readonly reason: string }

/** The answer to "do you know this order?". */
export type OrderLookup =
  | { readonly _tag: "Found"; readonly state: VenueOrderState }
  /** The venue said explicitly that it does not know it. `definite`: an in-process venue, for which that is proof. */
  | { readonly _tag: "NotFound"; readonly definite: boolean }

/** One account's private session at its venue. */
export interface VenueSession {
  /** Hands the order over; the outcome is a report. Never throws, never waits. */
  readonly submit: (order: VenueOrder) => void
  readonly cancel: (order: VenueOrderRef) => void
  /** Changes a working order; only where the venue's capabilities say `amend`. The outcome is a report. */
  readonly amend?: (order: VenueOrderRef, to: VenueAmend) => void
  readonly fetchOrder: (order: VenueOrderRef) => Effect.Effect<OrderLookup, VenueUnavailable>
  /** All open orders of the account, foreign ones too. */
  readonly fetchOpenOrders: Effect.Effect<ReadonlyArray<VenueOrderState>, VenueUnavailable>
  /** Fills of the named instruments since an instant (venue time, inclusive), oldest first, all pages. */
  readonly fetchFills: (
    since: number,
    instruments: ReadonlyArray<InstrumentId>,
  ) => Effect.Effect<ReadonlyArray<VenueFill>, VenueUnavailable>
  readonly fetchBalances: Effect.Effect<VenueBalances, VenueUnavailable>
  /** The same questions where an order in doubt waits for the answer: they go before audits. Absent where nothing waits. */
  readonly forProof?: Pick<VenueSession, "fetchOpenOrders" | "fetchFills">
}

export type KlineStream = `kline ${KlineInterval}`
export type MarketStream = "book" | "trade" | "ticker" | KlineStream

export const klineStream = (interval: KlineInterval): KlineStream => `kline ${interval}`

/** The interval of a stream of klines; undefined for any other stream. */
export const intervalOf = (stream: MarketStream): KlineInterval | undefined =>
  stream.startsWith("kline ") ? (stream.slice("kline ".length) as KlineInterval) : undefined

export interface DepthUpdate {
  readonly instrumentId: InstrumentId
  /** True: replaces the book. False: absolute quantities of changed levels, "0" deletes. */
  readonly snapshot: boolean
  /** Flat [price, quantity, price, quantity, …], the venue's own digits, no order promised. */
  readonly bids: ReadonlyArray<string>
  readonly asks: ReadonlyArray<string>
  /** Of the feed: +1 per update since its snapshot (the snapshot's own number may be any); a hole means the book is lost. */
  readonly sequence: number
  /** The venue's own sequence, for example Binance's `u`; null where there is none. */
  readonly nonce: number | null
  /** Venue time in ms; null where the venue gives none. */
  readonly venueAt: number | null
  readonly receivedAt: number
}

export interface MarketTrade {
  readonly instrumentId: InstrumentId
  readonly externalTradeId: string
  readonly price: string
  readonly quantity: string
  readonly side: "BUY" | "SELL" | "UNKNOWN"
  readonly at: number
}

/** Null: the venue's feed does not carry the field. */
export interface TickerUpdate {
  readonly instrumentId: InstrumentId
  readonly lastPrice: string | null
  readonly lastQuantity: string | null
  readonly bidPrice: string | null
  readonly bidQuantity: string | null
  readonly askPrice: string | null
  readonly askQuantity: string | null
  readonly at: number
}

/** A bar as the venue's stream shows it now. */
export interface KlineUpdate {
  readonly instrumentId: InstrumentId
  readonly interval: KlineInterval
  readonly bar: Bar
  /** The venue said that this is its last word on the bar. */
  readonly isFinal: boolean
  /** The venue's clock when it arrived. */
  readonly venueAt: number
}

export interface KlineAsk {
  readonly instrumentId: InstrumentId
  readonly interval: KlineInterval
  /** Bounds of open times, inclusive. Without `from`: the last `limit` bars up to `to`; without `to`: up to now. */
  readonly from: number | null
  readonly to: number | null
  readonly limit: number
}

export interface KlineAnswer {
  /** Oldest first, on the grid of domain/kline.ts, without holes; none where the instrument has no history. */
  readonly bars: ReadonlyArray<Bar>
  /** The venue's clock before it was asked: a bar that ends later may still have changed. */
  readonly venueAt: number
}

/** How the reason of `down` begins for a book whose stream goes on: by REST the venue's is another, or its stream had fallen silent. */
export const BOOK_DIFFERS = "BOOK_DIFFERS"
export const BOOK_SILENT = "BOOK_SILENT"

/** Where market data goes: plain calls in the order of arrival. */
export interface MarketSink {
  readonly depth: (update: DepthUpdate) => void
  /** Trades of one venue frame, in venue order. */
  readonly trades: (trades: ReadonlyArray<MarketTrade>) => void
  readonly ticker: (update: TickerUpdate) => void
  readonly kline: (update: KlineUpdate) => void
  /** The venue does not stream these bars: who wants them makes them of its trades. */
  readonly unstreamed: (stream: KlineStream, instrumentId: InstrumentId) => void
  /** The stream is interrupted; a book is lost until its next snapshot. */
  readonly down: (stream: MarketStream, instrumentId: InstrumentId, reason: string) => void
}

/** One venue's public feed. Opening what is open, or closing what is closed, does nothing. */
export interface MarketSource {
  readonly open: (stream: MarketStream, instrumentId: InstrumentId) => void
  readonly close: (stream: MarketStream, instrumentId: InstrumentId) => void
  /** The reader found a gap: send a fresh snapshot. */
  readonly resync: (instrumentId: InstrumentId, reason?: ResyncReason) => void
}

export interface VenueHealth {
  readonly venue: VenueId
  /** idle: nothing was asked of it yet. */
  readonly status: "idle" | "up" | "down"
  /** For the operator. */
  readonly reason: string | null
  /** Wall ms; null while idle. */
  readonly since: number | null
  /** How often its connectors began anew. */
  readonly restarts: number
  /** Open market streams. */
  readonly streams: number
  readonly sessions: number
}

export class VenuePort extends Context.Tag("ports/VenuePort")<
  VenuePort,
  {
    /** Every venue that is listed, ACTIVE or not, by identifier. */
    readonly venues: ReadonlyArray<Venue>
    readonly find: (venue: string) => Venue | undefined
    /** Proves the credential at the venue and reads the account id behind it (null where the venue gives none). */
    readonly verify: (
      venue: VenueId,
      secrets: VenueSecrets,
    ) => Effect.Effect<{ readonly externalAccountId: string | null }, CredentialsInvalid | VenueUnavailable>
    /** Opens the private session; reports flow until the scope closes. Fails only when the venue is not there at all. */
    readonly openSession: (options: {
      readonly account: TradingAccount
      readonly secrets: VenueSecrets | null
      readonly report: (report: SessionReport) => void
    }) => Effect.Effect<VenueSession, VenueUnavailable, Scope.Scope>
    /** All instruments of the venue, or those named (`BASE/QUOTE`). */
    readonly instruments: (
      venue: VenueId,
      symbols: ReadonlyArray<string> | null,
    ) => Effect.Effect<ReadonlyArray<Instrument>, InvalidVenue | VenueUnavailable>
    /** Bars of the venue's history, over as many pages of it as are needed; those it does not have are made of shorter ones. */
    readonly klines: (
      venue: VenueId,
      ask: KlineAsk,
    ) => Effect.Effect<KlineAnswer, InvalidVenue | NotSupportedByVenue | VenueUnavailable>
    /** The public feed of a venue, its updates going to `sink`. Once per venue. */
    readonly market: (venue: VenueId, sink: MarketSink) => MarketSource
    readonly health: () => ReadonlyArray<VenueHealth>
    /** The workers behind the venues; in-process venues have none. */
    readonly stats: () => VenueStats
  }
>() {}
