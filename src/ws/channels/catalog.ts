/** What each kind of channel is called, carries and is for: the texts of the AsyncAPI document and of the page at /docs/realtime. */
import type { Schema } from "effect"
import { VENUE_TICKERS_MAX } from "../../actors/market/markets.ts"
import { ACCOUNT_EVENT_RECORDS, type AccountEventKind, accountEventRecord } from "../../domain/account/event.ts"
import { PositionRecord } from "../../domain/account/trading-account.ts"
import type { ChannelKind } from "../../domain/channel.ts"
import { ClosedKline, KLINE_INTERVALS, LiveKline } from "../../domain/market/kline.ts"
import {
  OrderBookDiff,
  OrderBookLevel,
  OrderBookSnapshot,
  OrderBookState,
  TickerRecord,
  TradeRecord,
} from "../../domain/market/market.ts"
import type { OrderStatus } from "../../domain/order/status.ts"
import { TradeOrderRecord } from "../../domain/order/trade-order-record.ts"
import {
  accountEventExample,
  CLOSED_KLINE_EXAMPLE,
  DIFF_EXAMPLE,
  LEVEL_EXAMPLE,
  LIVE_KLINE_EXAMPLE,
  ORDER_EXAMPLE,
  POSITION_EXAMPLE,
  SNAPSHOT_EXAMPLE,
  STATE_EXAMPLE,
  TICKER_EXAMPLE,
  TRADE_EXAMPLE,
} from "../docs/channel-examples.ts"

export interface ChannelMessage {
  /** Unique in the document. */
  readonly name: string
  readonly summary: string
  /** Of the publication's `data`. */
  readonly record: Schema.Schema.AnyNoContext
  readonly example: unknown
}

/** The channel as a map subscription sees it. */
export interface ChannelMap {
  /** What the keys of its entries are. */
  readonly key: string
  readonly description: string
  readonly tags?: ReadonlyArray<string>
  readonly messages: ReadonlyArray<ChannelMessage>
}

export interface ChannelEntry {
  /** The name, with `{parameters}`. */
  readonly address: string
  readonly title: string
  readonly summary: string
  readonly description: string
  readonly access: string
  /** What a tags filter may ask for. */
  readonly tags?: ReadonlyArray<string>
  /** Of its publications as a stream; none on a channel that is only a map. */
  readonly messages: ReadonlyArray<ChannelMessage>
  readonly map?: ChannelMap
}

/** Parameters of addresses. */
export const PARAMETERS = {
  tradingAccountId: { description: "The account's id", examples: ["0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f"] },
  venue: { description: "A venue of /api/v3/market/venue/list", examples: ["MOCK", "BINANCE"] },
  symbol: {
    description:
      "BASE/QUOTE; BASE-QUOTE is accepted too. At INTERNAL, for a tenant other than the installation's own: BASE/QUOTE@TENANT",
    examples: ["BTC/USDT"],
  },
  interval: { description: `One of ${KLINE_INTERVALS.join(", ")}`, examples: ["1m", "1h"] },
} as const

export const parametersOf = (address: string): ReadonlyArray<keyof typeof PARAMETERS> =>
  [...address.matchAll(/\{(\w+)\}/g)].map((found) => found[1] as keyof typeof PARAMETERS)

const OWNER = "The owner of the account, or an admin of its tenant; every other user gets error 103."
const ANYBODY =
  "Any user with the permission read. An unknown instrument, a market of another tenant, or a venue that is not ACTIVE gives error 102; an instrument no longer listed by its venue gives error 410, and its subscriptions end with 2410: subscribe again once market/instrument/list shows it as ACTIVE."

const ORDER_IS: { readonly [S in OrderStatus | "LATE_FILL" | "TRIGGERED"]: string } = {
  CREATED: "The order is stored and not yet sent to the venue",
  SUBMITTED: "The order was sent to the venue",
  ACCEPTED: "The venue accepted the order",
  PARTIALLY_FILLED: "Partially executed",
  FILLED: "Fully executed",
  CANCELLED: "Cancelled; `cancelReason` says why",
  PENDING_CANCEL: "A cancel was sent to the venue",
  REPLACED: "The venue changed the order",
  PENDING_REPLACE: "A change was sent to the venue",
  REJECTED: "Refused; `rejectReason` says why",
  EXPIRED: "Its time in force has expired",
  REVOKED: "Withdrawn before it was sent to the venue",
  UNKNOWN: "The outcome at the venue is not known; funds stay held until there is evidence",
  LATE_FILL: "An execution arrived after the order was closed",
  TRIGGERED: "Its trigger price was reached; the order is sent to its venue",
}

const EVENT_IS: { readonly [K in Exclude<AccountEventKind, `TRADE_ORDER.${string}`>]: string } = {
  "EXECUTION.CREATED": "One fill; the order's own event and PORTFOLIO.UPDATED follow it",
  "PORTFOLIO.UPDATED": "The balances that changed, as full records",
  "TRADING_ACCOUNT.UPDATED": "The account changed; DISCONNECTED is the last event of all",
  "TRADING_ACCOUNT.RECONCILED": "The gateway's state was reconciled with the venue; says what changed",
  "TRADING_ACCOUNT.ALERT": "Something that needs attention; `code` says what",
  "QUOTE.UPDATED":
    "A firm quote was made, executed or ended, according to `status`: the account's, or on a dealer's own account the dealer's",
}

/** When each kind is published. The guide to market data has the same words. */
const eventIs = (kind: AccountEventKind): string =>
  kind in EVENT_IS
    ? EVENT_IS[kind as keyof typeof EVENT_IS]
    : ORDER_IS[kind.slice("TRADE_ORDER.".length) as keyof typeof ORDER_IS]

const accountEvents = (Object.keys(ACCOUNT_EVENT_RECORDS) as ReadonlyArray<AccountEventKind>).map(
  (kind): ChannelMessage => ({
    name: kind,
    summary: eventIs(kind),
    record: accountEventRecord(kind),
    example: accountEventExample(kind),
  }),
)

export const CHANNEL_CATALOG: { readonly [K in ChannelKind]: ChannelEntry } = {
  tradingAccount: {
    address: "tradingAccount:{tradingAccountId}",
    title: "Account events",
    summary: "Every order, execution, balance and account event, numbered without gaps",
    description:
      "One envelope for all kinds: `kind`, `eventId`, `sequence` (grows by one with every event of the account), `tradingAccountId`, `timestamp`, and the record in `data`. One change of an order is exactly one TRADE_ORDER event. A fill is EXECUTION.CREATED, then the order's event, then PORTFOLIO.UPDATED. A client that was disconnected for longer than the history covers must read the HTTP API again.",
    access: OWNER,
    tags: ["kind", "tradeOrderId", "instrumentId", "orderStatus"],
    messages: accountEvents,
  },
  accountOrders: {
    address: "tradingAccount:{tradingAccountId}:orders",
    title: "Open orders",
    summary: "A map of the account's open orders, kept up to date",
    description: "Only as a map subscription (`newMapSubscription`).",
    access: OWNER,
    messages: [],
    map: {
      key: "`tradeOrderId`",
      description: "First every open order, then each changed order, and a removal for each order that closes.",
      tags: ["tradeOrderId", "instrumentId"],
      messages: [
        {
          name: "OpenOrder",
          summary: "The current order; a removal has no record",
          record: TradeOrderRecord,
          example: ORDER_EXAMPLE,
        },
      ],
    },
  },
  accountPositions: {
    address: "tradingAccount:{tradingAccountId}:positions",
    title: "Positions",
    summary: "A map of the account's balances, kept up to date",
    description: "Only as a map subscription (`newMapSubscription`).",
    access: OWNER,
    messages: [],
    map: {
      key: "`currency`",
      description:
        "First every balance that is not zero, then each changed balance, and a removal for each that becomes zero.",
      tags: ["currency"],
      messages: [
        {
          name: "Position",
          summary: "The current balance; a removal has no record",
          record: PositionRecord,
          example: POSITION_EXAMPLE,
        },
      ],
    },
  },
  orderbook: {
    address: "market:orderbook:{venue}:{symbol}",
    title: "Order book",
    summary: "A SNAPSHOT, then every DIFF, in the venue's own precision",
    description:
      'The SNAPSHOT comes first: in the subscribe reply, or as soon as the book is available. Then DIFFs: rows are `[price, quantity, orderCount]` with absolute quantities, "0" deletes the level, and `orderCount` is "" where the venue gives none. `previousSequence` of a DIFF is the `sequence` of the previous record; a SNAPSHOT replaces everything. `quality` says whether the book equals the venue\'s (SYNCED), waits for a SNAPSHOT after a gap at the venue (RESYNCING), or is outdated because the venue is silent (STALE). `coveredRange`, present if the gateway does not know the whole book, is the known part: within it no level is missing, beyond it nothing is published. A DIFF that moves it has the levels that are newly known, and deletes those that are given up.',
    access: ANYBODY,
    messages: [
      {
        name: "OrderBook.SNAPSHOT",
        summary: "The whole book: replaces everything before",
        record: OrderBookSnapshot,
        example: SNAPSHOT_EXAMPLE,
      },
      {
        name: "OrderBook.DIFF",
        summary: "Levels that changed or became known, or only a new `quality`",
        record: OrderBookDiff,
        example: DIFF_EXAMPLE,
      },
    ],
    map: {
      key: "`bids/<price>` and `asks/<price>`, and `book`",
      description:
        "One entry per level, and the entry `book` with `sequence`, `timestamp`, `quality` and, where there is one, `coveredRange`. `book` is the last change of every update: when it comes, the levels are the book at its `sequence`.",
      messages: [
        {
          name: "OrderBook.LEVEL",
          summary: "The current level; a removal has no record",
          record: OrderBookLevel,
          example: LEVEL_EXAMPLE,
        },
        { name: "OrderBook.STATE", summary: "For the entry `book`", record: OrderBookState, example: STATE_EXAMPLE },
      ],
    },
  },
  ticker: {
    address: "market:ticker:{venue}:{symbol}",
    title: "Ticker",
    summary: "The latest prices of one instrument",
    description:
      "The latest value first, then every newer one. Numbers are decimal strings; null where the venue provides none.",
    access: ANYBODY,
    messages: [
      { name: "Ticker", summary: "The newest prices and quantities", record: TickerRecord, example: TICKER_EXAMPLE },
    ],
  },
  venueTicker: {
    address: "market:ticker:{venue}",
    title: "Venue-wide ticker",
    summary: "The latest prices of the venue's instruments, each at most ten times a second",
    description: `One record per publication. The latest value of each instrument always arrives. The channel opens the tickers of ${VENUE_TICKERS_MAX} instruments; on a venue with more, the others are included while they have subscribers of their own.`,
    access: ANYBODY,
    tags: ["instrumentId"],
    messages: [
      {
        name: "VenueTicker",
        summary: "The newest prices of one instrument",
        record: TickerRecord,
        example: TICKER_EXAMPLE,
      },
    ],
    map: {
      key: "`instrumentId`",
      description: "The latest ticker of every instrument of the venue.",
      tags: ["instrumentId"],
      messages: [{ name: "TickerEntry", summary: "The current ticker", record: TickerRecord, example: TICKER_EXAMPLE }],
    },
  },
  trade: {
    address: "market:trade:{venue}:{symbol}",
    title: "Trades",
    summary: "Every public trade",
    description:
      "One trade per publication, once, in the venue's order. `side` is the taker's. `tradeId` is the same after every restart of the gateway. Within an epoch none of the venue's trades is missing: trades missed during an interruption of the venue's stream are fetched from its history and published before newer ones. If the venue cannot supply them, the channel starts a new epoch: subscribers are unsubscribed with 2500, and those who subscribe again with their position get `recovered: false` and the trades from there on.",
    access: ANYBODY,
    messages: [{ name: "Trade", summary: "One public trade", record: TradeRecord, example: TRADE_EXAMPLE }],
    tags: ["side"],
  },
  kline: {
    address: "market:kline:{venue}:{symbol}:{interval}",
    title: "Klines",
    summary: "The current bar, and every bar that closes",
    description:
      "One bar per publication: `candles` has one row, `[open time, open, high, low, close, volume]`. While it is open (`isClosed` false) only its newest state is delivered; when it closes it is published exactly once more with `isClosed` true, in time order, even if nothing was traded: then it is flat, at the last price, with volume 0. Periods are in UTC, weeks start on Monday, months are calendar months. After a disconnect the missed closed bars come first. Earlier bars: `GET /api/v3/market/kline/get`.",
    access: ANYBODY,
    messages: [
      { name: "Kline.LIVE", summary: "The current bar", record: LiveKline, example: LIVE_KLINE_EXAMPLE },
      {
        name: "Kline.CLOSED",
        summary: "The final bar",
        record: ClosedKline,
        example: CLOSED_KLINE_EXAMPLE,
      },
    ],
  },
}
