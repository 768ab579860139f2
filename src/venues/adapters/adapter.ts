/** What a connector may need of a venue beyond its profile, as code: `adapter.ts` of the venue's folder. */
import type { MarketTrade } from "../../ports/market-source.ts"
import type { VenueContract, VenueOrder, VenueOrderState } from "../../ports/venue-session.ts"
import type {
  CcxtBalance,
  CcxtExchange,
  CcxtMarket,
  CcxtOrder,
  CcxtSocket,
  CcxtTrade,
  Raw,
} from "../worker/exchange/ccxt.ts"
import type { VenueProfile } from "./profile.ts"
import type { StopReader } from "./stops.ts"

/** One asset in the venue's words. */
export interface BalanceRow {
  readonly assetId: string
  readonly available: string
  readonly locked: string
}

/** What is open in one contract, in the asset of its margin. */
export interface ContractRow extends Omit<VenueContract, "instrumentId"> {
  readonly symbol: string | undefined
}

/** Only what the event names; `at` is the venue's time of it. */
export interface ChangedBalances {
  readonly at: number | null
  readonly rows: ReadonlyArray<BalanceRow>
}

/** What a public message says of the subscriptions of its socket. */
export type StreamNews =
  | { readonly _tag: "Taken" | "Left"; readonly channel: string; readonly marketId: string }
  /** Null where the venue does not say which: it is one that has not been taken yet. */
  | { readonly _tag: "Refused"; readonly channel: string | null; readonly marketId: string | null }
  /** The socket is about to be closed. */
  | { readonly _tag: "Ending" }

/** What an adapter that orders the trades of a venue itself asks of the feed, and tells it; by ccxt's symbol. */
export interface TradeHooks {
  /** The newest trade that readers were told; null where there is none. */
  readonly last: (symbol: string) => MarketTrade | null
  /** Trades are missing for good before those that are handed on next. */
  readonly missed: (symbol: string) => void
}

/** What the venue says of channels of the private stream: of one by name, or of those that a frame asked for. */
export type ChannelNews = { readonly isTaken: boolean } & ({ readonly channel: string } | { readonly asked: string })

/** How a venue is told that one public stream is over, and says that it has heard. */
export interface Leave {
  readonly message: Raw
  /** ccxt's key of the subscription, and others that go with it. */
  readonly keys: ReadonlyArray<string>
  /** Its keys of what waits for the stream. */
  readonly waiting: ReadonlyArray<string>
  /** Whether a message says that the venue has heard; null: it never says so, and reads in order. */
  readonly isHeard: ((message: unknown) => boolean) | null
}

export type LeavableStream = "book" | "trade" | "ticker"

/** Where ccxt has no way to end streams one by one, or one that ends others. */
export interface Leaving {
  /** Book and trades of a market are one stream there. */
  readonly isJoint?: boolean
  /** Every message, before anything else hears it: where what was said before an end decides about it. */
  readonly hear?: (socket: CcxtSocket, message: unknown) => void
  /** "LATER": the venue has not given the stream a number yet. Null: ccxt's way is good. */
  readonly leave: (parts: {
    readonly stream: LeavableStream
    readonly market: CcxtMarket
    readonly socket: CcxtSocket
    readonly request: () => unknown
  }) => Leave | "LATER" | null
}

/** A request that ccxt has signed, where its bytes would leave. */
export interface SignedRequest {
  readonly url: string
  readonly method: string
  readonly headers: unknown
  readonly body: unknown
}

/** Orders over a socket of the venue, in the words of its REST requests and answers. */
export interface OrderSocket {
  /** The venue's word for it on its socket; undefined: it is none that goes over it. Asked of every request. */
  readonly operationOf: (request: SignedRequest) => string | undefined
  /** Of the socket that takes orders. */
  readonly urlOf: (exchange: CcxtExchange) => string | undefined
  /** Dials a socket that has nothing but orders; resolves when its login is acknowledged. Absent: it is the socket of the private stream. */
  readonly open?: (exchange: CcxtExchange) => Promise<unknown>
  /** The login of the socket that says it has been taken; absent: each message is signed. */
  readonly acknowledgesLogin?: (message: Raw) => boolean
  /** Undefined: the socket has no words for this one. Asked once the socket is known to be there: it may sign. */
  readonly messageOf: (exchange: CcxtExchange, request: SignedRequest, operation: string, id: string) => Raw | undefined
  /** The number of the request that a message answers. */
  readonly idOf: (message: Raw) => unknown
  /** As REST would have said it. */
  readonly answerOf: (message: Raw) => {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  /** The socket takes no more orders after this answer; those before it are still answered. */
  readonly isOver?: (message: Raw) => boolean
}

export interface ExchangeAdapter {
  readonly orderSocket?: OrderSocket
  /** Changes a private instance in place, before its first call. */
  readonly prepare?: (exchange: CcxtExchange, profile: VenueProfile) => void
  /** What createOrder needs beside price and quantity for a trigger, an expiry or a cost; absent: the venue gets plain orders only. */
  readonly terms?: (order: VenueOrder) => Raw
  /** What has createOrder make a position smaller at most; absent: no such order is sent. */
  readonly reduceOnly?: Raw
  /** Two exits as one list of the venue's own, which ends one by the other; absent: it gets none from us. */
  readonly placePair?: (
    exchange: CcxtExchange,
    symbol: string,
    legs: readonly [VenueOrder, VenueOrder],
  ) => Promise<ReadonlyArray<CcxtOrder>>
  /** The venue's own trigger of the order has fired; false also where there is none. */
  readonly isTriggered?: (order: CcxtOrder) => boolean
  /** How an order that ccxt calls expired or canceled really ended. */
  readonly ended: (order: CcxtOrder) => {
    readonly status: VenueOrderState["status"]
    readonly ending: VenueOrderState["ending"]
  }
  /** The client id that an order was placed with. */
  readonly orderClientId: (order: CcxtOrder) => string | null
  /** Our client id on a fill, where the venue says it. */
  readonly fillClientId: (trade: CcxtTrade) => string | null
  /** The private stream ended although its socket stays open, and ccxt would wait for ever (venues 4.6). */
  readonly endsPrivateStream: (event: Raw) => boolean
  /** ccxt would use a login again that the end of the stream has made void. */
  readonly forgetLogin?: (exchange: CcxtExchange) => void
  /** Balances in an event of the private stream, null where it has none. Without this reader `watchBalance` has to do. */
  readonly changedBalances: ((event: Raw) => ChangedBalances | null) | null
  /** Nothing is acknowledged: the stream is up when its socket is open. */
  readonly upWhenOpen?: boolean
  /** Channels that are acknowledged one by one after the login: the stream is up when all are. Absent: the login subscribes. */
  readonly channels?: ReadonlyArray<string>
  /** What an event of the private stream says of one of them. */
  readonly channelNews?: (event: Raw) => ReadonlyArray<ChannelNews>
  /** The channels that a frame of ours subscribes to, where the venue answers by the frame's number. */
  readonly asksFor?: (frame: Raw) => { readonly id: string; readonly channels: ReadonlyArray<string> } | null
  /** Balances in the answer to `fetchBalance`, where ccxt makes something else of them. */
  readonly fetchedBalances?: (balance: CcxtBalance) => ReadonlyArray<BalanceRow>
  /** What is open in contracts in the same answer, under ccxt's symbols; absent where the venue keeps none. */
  readonly fetchedContracts?: (exchange: CcxtExchange, balance: CcxtBalance) => ReadonlyArray<ContractRow>
  /** The venue's name of the account; absent where the balances carry it as `uid`. */
  readonly accountId?: (exchange: CcxtExchange) => Promise<string | null>
  /** Why an account is not connected although its key is good: a way of keeping it that the gateway does not follow. Null: it is. */
  readonly notTaken?: (exchange: CcxtExchange) => Promise<string | null>
  /** The answer to a cancel that is usually carried out says of this one that it is not yet. */
  readonly cancelPends?: (answer: CcxtOrder) => boolean
  /** Private events that ccxt would make wrong balances of. */
  readonly misleads: (event: Raw) => boolean
  readonly leaving?: Leaving
  /** Answers to public subscriptions that ccxt would take for the failure of all streams, or not see at all. */
  readonly streamNews?: (message: unknown) => StreamNews | null
  /** How much of its request limit the venue itself has counted, 0 to 1 and more; by the headers of an answer, in lower case. */
  readonly usedShare?: (headers: ReadonlyMap<string, string>) => number | undefined
  /** Answers by which the venue wants fewer requests, beyond 418 and 429 to all of an address. */
  readonly stops?: StopReader
  /** ccxt's word on orders in the private stream, or on this one, is not good enough to be believed: it says which order to ask for. */
  readonly eventsAreHints?: boolean | ((order: CcxtOrder) => boolean)
  /**
   * Its stream says how much of an order is executed, and not by which trades: all of this order, newest first, at least until one that is
   * known.
   */
  readonly fillsOf?: (
    exchange: CcxtExchange,
    order: CcxtOrder,
    isKnown: (trade: CcxtTrade) => boolean,
  ) => Promise<ReadonlyArray<CcxtTrade>>
  /** Puts the venue's own digits where ccxt reads rounded ones, in place. Public messages. */
  readonly restate?: (message: unknown) => void
  /** An event that balances moved without an order's doing, where the stream does not say what is available: it is asked for. */
  readonly balancesMoved?: (event: Raw) => boolean
  /** An order that the venue ended without a fill although it never worked: post-only orders that would have taken. */
  readonly neverWorked?: (order: CcxtOrder) => boolean
  /** Makes a public instance do what its class does not; before its first call. */
  readonly preparePublic?: (exchange: CcxtExchange, profile: VenueProfile) => void
  /** Of a venue whose `tradeHistory` is BY_NUMBER; after `preparePublic`. */
  readonly followTrades?: (exchange: CcxtExchange, hooks: TradeHooks) => void
}

/** A part of a venue's message by its names; empty where it is something else. */
export const record = (value: unknown): Raw => (typeof value === "object" && value !== null ? (value as Raw) : {})

/** A list of such parts. */
export const rows = (value: unknown): ReadonlyArray<Raw> => (Array.isArray(value) ? value.map(record) : [])

export const word = (raw: Raw | undefined, ...names: ReadonlyArray<string>): string | null => {
  for (const name of names) {
    const value = raw?.[name]
    if (typeof value === "string" && value !== "") return value
  }
  return null
}

export const none: ExchangeAdapter = {
  ended: ({ status }) => ({ status: status === "expired" ? "EXPIRED" : "CANCELLED", ending: null }),
  orderClientId: (order) => order.clientOrderId ?? null,
  fillClientId: () => null,
  endsPrivateStream: () => false,
  changedBalances: null,
  misleads: () => false,
}
