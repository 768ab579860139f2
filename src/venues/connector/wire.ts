/**
 * What crosses between the main thread and a venue worker: plain data, decimals as text. Every connector has a port of its own.
 * Commands go to it one by one; records come back in batches, one batch per loop turn. Beside them each thread has a pulse.
 */
import type { MessagePort } from "node:worker_threads"
import type { VenueSecrets } from "../../domain/account/credential.ts"
import type { InstrumentId, TradeOrderId } from "../../domain/ids.ts"
import type { Contract } from "../../domain/instrument/instrument.ts"
import type {
  DepthUpdate,
  KlineAnswer,
  KlineAsk,
  KlineStream,
  KlineUpdate,
  MarketStream,
  MarketTrade,
  TickerUpdate,
} from "../../ports/market-source.ts"
import type { SharedOwnership } from "../../ports/ownership.ts"
import type {
  EndedOrdersPage,
  EndedSince,
  FillsPage,
  SessionReport,
  VenueAmend,
  VenueBalances,
  VenueOrder,
  VenueOrderRef,
  VenueOrderState,
} from "../../ports/venue-session.ts"
import type { ConnectorFigures, Purpose } from "../../ports/venue-stats.ts"
import type { VenueProfile } from "../adapters/profile.ts"
import type { ToldTrades } from "../trade-ids.ts"

export interface ConnectorSettings {
  /** Its name in this process: the venue's, with a number from the venue's second connector on. */
  readonly connector: string
  readonly profile: VenueProfile
  /** `host:port` → URL; null dials the venue itself. */
  readonly routes: Readonly<Record<string, string>> | null
  /** URL of the proxy that every connection goes through, with its credentials; null: none. */
  readonly proxy: string | null
  /** Orders and cancels go over the venue's socket while it is open; absent: each is a request. */
  readonly socketOrders?: boolean
  /** Takes `Break` commands. Tests only. */
  readonly breakable: boolean
  /** Orders are signed only while it lasts; absent: always. */
  readonly owned?: SharedOwnership | undefined
}

/** The argument of a connector's Piscina task. */
export interface ConnectorTask {
  readonly settings: ConnectorSettings
  readonly port: MessagePort
}

/** The argument of a thread's pulse, a task of its own: each number that comes through the port is answered with a Beat. */
export interface PulseTask {
  readonly port: MessagePort
  /** One Int32 that grows with every frame the thread handles: seen without asking. */
  readonly done: SharedArrayBuffer
}

/** How a thread is. */
export interface Beat {
  readonly beat: number
  readonly heapUsedBytes: number
  /** Buffers outside the heap, which no heap limit counts. */
  readonly externalBytes: number
  /** The longest delay of the event loop within the last 10 to 20 s, in ms. */
  readonly loopDelayMillis: number
  /** Share of the time since the last beat in which the loop was busy, 0 to 1. */
  readonly busy: number
  /** Stray rejections this thread survived. */
  readonly rejections: number
  readonly connectors: Readonly<Record<string, ConnectorFigures>>
}

/** A failure at a venue, clean of secrets and URLs: all that is ever said about it outside the worker. */
export interface VenueFailure {
  readonly category: FailureCategory
  /** The venue's own code, for example "-2010"; null where it gave none. */
  readonly code: string | null
  /** At most 200 characters. */
  readonly text: string
}

export type FailureCategory =
  | "INSUFFICIENT_BALANCE"
  | "INVALID_ORDER"
  | "WOULD_TAKE"
  | "WOULD_TRIGGER_IMMEDIATELY"
  | "ORDER_NOT_FILLABLE"
  | "ORDER_NOT_FOUND"
  | "DUPLICATE_CLIENT_ORDER_ID"
  | "INVALID_ARGUMENT"
  | "INSTRUMENT_NOT_FOUND"
  | "NOT_SUPPORTED"
  | "MARKET_CLOSED"
  | "RESTRICTED_LOCATION"
  | "REJECTED"
  | "VENUE_AUTHENTICATION"
  | "PERMISSION_DENIED"
  | "ACCOUNT_SUSPENDED"
  | "RATE_LIMITED"
  | "CLOCK_SKEW"
  | "STREAM_GAP"
  | "UNSUBSCRIBED"
  | "STOPPED"
  | "VENUE_UNREACHABLE"
  | "VENUE_NETWORK"
  | "VENUE_TIMEOUT"
  | "VENUE_UNAVAILABLE"
  | "VENUE_FAILED"
  | "BAD_VENUE_RESPONSE"
  | "CANCEL_PENDING"
  | "TOO_LATE"
  | "INTERNAL"

/** An instrument with its steps as text; `instrument-of.ts` makes the domain's Instrument of it. */
export interface InstrumentRow {
  readonly symbol: string
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly tickSize: string
  readonly lotSize: string
  /** Where prices have so many digits that count instead of a step. */
  readonly priceSignificantDigits?: number
  /** Where quantities count contracts; its size as text, null where the venue gives none. */
  readonly contract?: { readonly type: Contract["type"]; readonly size: string | null }
  readonly minQuantity: string
  readonly maxQuantity: string | null
  readonly minNotional: string | null
  readonly active: boolean
}

/** What an account's lists are asked for: by an order in doubt, by an account that agrees with its venue, or once more. */
export type Errand = Extract<Purpose, "doubt" | "opening" | "audit">

/** A call with an answer, by name: what goes in and what comes out. */
export interface Calls {
  readonly instruments: {
    readonly ask: { readonly symbols: ReadonlyArray<string> | null }
    readonly answer: ReadonlyArray<InstrumentRow>
  }
  readonly verify: {
    readonly ask: { readonly secrets: VenueSecrets }
    /** `notTaken`: why it is not connected although its key is good. */
    readonly answer: { readonly externalAccountId: string | null; readonly notTaken: string | null }
  }
  /** Answers when the session can trade: markets are loaded. The private stream reports for itself. */
  readonly ready: { readonly ask: { readonly session: string }; readonly answer: null }
  /** Null: the venue said that it does not know the order. */
  readonly order: {
    readonly ask: { readonly session: string; readonly order: VenueOrderRef }
    readonly answer: VenueOrderState | null
  }
  readonly openOrders: {
    readonly ask: { readonly session: string; readonly errand: Errand }
    readonly answer: ReadonlyArray<VenueOrderState>
  }
  readonly fills: {
    readonly ask: {
      readonly session: string
      readonly errand: Errand
      readonly since: number
      readonly instruments: ReadonlyArray<InstrumentId>
      readonly cursor: string | null
    }
    readonly answer: FillsPage
  }
  readonly ended: {
    readonly ask: {
      readonly session: string
      readonly errand: Errand
      readonly markets: ReadonlyArray<EndedSince>
      readonly cursor: string | null
    }
    readonly answer: EndedOrdersPage
  }
  readonly balances: {
    readonly ask: { readonly session: string; readonly errand: Errand }
    readonly answer: VenueBalances
  }
  readonly klines: { readonly ask: { readonly bars: KlineAsk }; readonly answer: KlineAnswer }
  /** Whether the venue answers on the sockets that carry this book, with nothing of it held back here. */
  readonly confirm: { readonly ask: { readonly instrumentId: InstrumentId }; readonly answer: boolean }
}

export type CallName = keyof Calls
export type CallRequest = { readonly [N in CallName]: { readonly name: N } & Calls[N]["ask"] }[CallName]

export type Command =
  /** `told`: trades of the stream that a worker of before has told. */
  | {
      readonly _tag: "Open"
      readonly stream: MarketStream
      readonly instrumentId: InstrumentId
      readonly told: ToldTrades | null
    }
  | { readonly _tag: "Close"; readonly stream: MarketStream; readonly instrumentId: InstrumentId }
  | { readonly _tag: "Resync"; readonly instrumentId: InstrumentId }
  /** Secrets travel here and nowhere else. */
  | { readonly _tag: "OpenSession"; readonly session: string; readonly secrets: VenueSecrets }
  | { readonly _tag: "CloseSession"; readonly session: string }
  /** Built and signed while it is being stored; nothing of it leaves before `Submit` asks for the same. */
  | { readonly _tag: "Prepare"; readonly session: string; readonly order: VenueOrder }
  /** What was prepared is not submitted. */
  | { readonly _tag: "Forgo"; readonly session: string; readonly tradeOrderId: TradeOrderId }
  | { readonly _tag: "Submit"; readonly session: string; readonly order: VenueOrder }
  | { readonly _tag: "Cancel"; readonly session: string; readonly order: VenueOrderRef }
  | { readonly _tag: "Amend"; readonly session: string; readonly order: VenueOrderRef; readonly to: VenueAmend }
  /** The main thread waits `deadlineMillis` for the answer. */
  | {
      readonly _tag: "Call"
      readonly call: number
      readonly request: CallRequest
      readonly deadlineMillis: number
    }
  /** Every batch up to the one with this weight was taken. */
  | { readonly _tag: "Acknowledge"; readonly weight: number }
  /** So many connectors share the venue's request budget. */
  | { readonly _tag: "Share"; readonly of: number }
  /** Fails on purpose, where the connector is breakable. */
  | { readonly _tag: "Break"; readonly how: BreakHow }

export type BreakHow = "throw" | "exit" | "spin" | "oom" | "reject"

export type WorkerRecord =
  /** The first record of a task: it reads commands from now on. */
  | { readonly _tag: "Hello"; readonly threadId: number }
  /** The thread dies of this connector's doing. */
  | { readonly _tag: "Blamed" }
  | { readonly _tag: "Depth"; readonly update: DepthUpdate }
  | { readonly _tag: "Trades"; readonly trades: ReadonlyArray<MarketTrade> }
  /** Some are missing before the next ones of this instrument, for good. */
  | { readonly _tag: "TradesMissed"; readonly instrumentId: InstrumentId }
  | { readonly _tag: "Ticker"; readonly update: TickerUpdate }
  | { readonly _tag: "Kline"; readonly update: KlineUpdate }
  /** ccxt cannot stream these bars at this venue. */
  | { readonly _tag: "Unstreamed"; readonly stream: KlineStream; readonly instrumentId: InstrumentId }
  | {
      readonly _tag: "StreamLost"
      readonly stream: MarketStream
      readonly instrumentId: InstrumentId
      readonly reason: string
    }
  | { readonly _tag: "Report"; readonly session: string; readonly report: SessionReport }
  | { readonly _tag: "Answer"; readonly call: number; readonly value: unknown }
  | { readonly _tag: "Failed"; readonly call: number; readonly failure: VenueFailure }
  /** The venue could be reached, or could not: the markets loaded or failed to load. */
  | { readonly _tag: "Reachable"; readonly reason: string | null }
  | { readonly _tag: "Noticed"; readonly what: string }

export interface Batch {
  /** Levels and records of all batches up to and with this one. */
  readonly weight: number
  readonly records: ReadonlyArray<WorkerRecord>
}
