/**
 * The maps of the gateway: which channels have one, what each follows (a book, an account's open orders, its positions), and those that are
 * open.
 */
import type { AccountEventKind } from "../../domain/account/event.ts"
import type { PositionRecord } from "../../domain/account/trading-account.ts"
import {
  accountChannel,
  accountOrdersChannel,
  accountPositionsChannel,
  bookChannel,
  type Channel,
  type ChannelKind,
  venueTickerChannel,
} from "../../domain/channel.ts"
import type { TradingAccountId } from "../../domain/ids.ts"
import type { OrderBookRecord } from "../../domain/market/market.ts"
import { deletesLevel } from "../../domain/market/order-book.ts"
import { isTerminal } from "../../domain/order/status.ts"
import type { TradeOrderRecord } from "../../domain/order/trade-order-record.ts"
import type { ChannelKindSettings, ChannelKinds } from "../channels/kinds.ts"
import type { Hub } from "../fanout/hub.ts"
import { whenPresent } from "../fanout/recovery.ts"
import type { Served } from "../fanout/stream.ts"
import type { EncodedPublication } from "../fanout/topic.ts"
import { type Followed, MapChannel } from "./channel.ts"
import type { EntryChange } from "./entries.ts"

// An account's open orders and its positions as maps: what its events, and the state before them, say of the entries.

interface AccountEvent<A> {
  readonly kind: AccountEventKind
  readonly data: A
}

/** Events begin with their kind: those of other kinds are not read any further. */
const isOf = (json: string, kinds: string): boolean => json.startsWith(`{"kind":"${kinds}`)

const orderEntry = (order: TradeOrderRecord, json: string): EntryChange => {
  const { tradeOrderId, instrumentId, orderStatus } = order
  return { key: tradeOrderId, json: isTerminal(orderStatus) ? null : json, tags: { tradeOrderId, instrumentId } }
}

/** By trade order id; an order that is closed leaves. */
export const orderState = (entries: ReadonlyArray<{ readonly json: string }>): ReadonlyArray<EntryChange> =>
  entries.map(({ json }) => orderEntry(JSON.parse(json) as TradeOrderRecord, json))

export const orderChanges = (json: string): ReadonlyArray<EntryChange> => {
  if (!isOf(json, "TRADE_ORDER.")) return []
  const { data } = JSON.parse(json) as AccountEvent<TradeOrderRecord>
  return [orderEntry(data, JSON.stringify(data))]
}

const positionEntry = (position: PositionRecord, json: string): EntryChange => {
  const { currency, balance, contracts } = position
  return { key: currency, json: balance === "0" && contracts === undefined ? null : json, tags: { currency } }
}

/** By currency; a balance of nothing leaves, as it does from the portfolio. */
export const positionState = (entries: ReadonlyArray<{ readonly json: string }>): ReadonlyArray<EntryChange> =>
  entries.map(({ json }) => positionEntry(JSON.parse(json) as PositionRecord, json))

export const positionChanges = (json: string): ReadonlyArray<EntryChange> => {
  if (!isOf(json, "PORTFOLIO.UPDATED")) return []
  const { data } = JSON.parse(json) as AccountEvent<ReadonlyArray<PositionRecord>>
  return data.map((position) => positionEntry(position, JSON.stringify(position)))
}

// An order book as a map: one entry per level, and the entry `book` with what holds of the whole book. `book` is the last change of
// every record: a client that has it has all of the previous record, so the levels are consistent then.

/** Key of the entry that tells `sequence`, `timestamp`, `quality` and `coveredRange`. */
export const BOOK_KEY = "book"

export const levelKey = (side: "bids" | "asks", price: string): string => `${side}/${price}`

const levels = (side: "bids" | "asks", rows: OrderBookRecord["bids"]): ReadonlyArray<EntryChange> =>
  rows.map(([price, quantity, orderCount]) => ({
    key: levelKey(side, price),
    // A book's rows hold digits alone, nothing that JSON would escape.
    json: deletesLevel(quantity)
      ? null
      : `{"side":"${side}","price":"${price}","quantity":"${quantity}","orderCount":"${orderCount}"}`,
  }))

/** What a record changes; a SNAPSHOT names everything. */
export const bookChanges = (
  json: string,
): { readonly isWhole: boolean; readonly changes: ReadonlyArray<EntryChange> } => {
  const { updateType, bids, asks, sequence, timestamp, quality, coveredRange } = JSON.parse(json) as OrderBookRecord
  const book: EntryChange = { key: BOOK_KEY, json: JSON.stringify({ sequence, timestamp, quality, coveredRange }) }
  return { isWhole: updateType === "SNAPSHOT", changes: [...levels("bids", bids), ...levels("asks", asks), book] }
}

/** No channel that a client can name begins like this. */
export const BESIDE_STREAM = "map:"

interface MapPlan {
  readonly canonical: string
  readonly row: ChannelKindSettings
  readonly followed: Followed
}

const tickerEntry = ({ json, subject = "", tags }: EncodedPublication): EntryChange => ({ key: subject, json, tags })

const ACCOUNT_MAPS = {
  accountOrders: { nameOf: accountOrdersChannel, state: orderState, changes: orderChanges },
  accountPositions: { nameOf: accountPositionsChannel, state: positionState, changes: positionChanges },
} as const

export class Maps {
  private readonly open = new Map<string, MapChannel>()

  constructor(
    private readonly hub: Hub,
    private readonly kinds: ChannelKinds,
  ) {}

  /** Undefined for a channel that has no map. */
  of(channel: Channel): Served | undefined {
    const plan = this.planOf(channel)
    if (plan === undefined) return undefined
    const { canonical, row, followed } = plan
    const map = this.open.get(canonical) ?? new MapChannel(this.hub, canonical, followed, this.open)
    // The map itself remembers what readers may have missed.
    const settings: ChannelKindSettings = {
      ...row,
      recovery: "stream",
      historySize: 0,
      delta: false,
      presence: false,
      joinLeave: false,
      publish: false,
    }
    return { canonical, settings, source: map, map }
  }

  private planOf(channel: Channel): MapPlan | undefined {
    switch (channel.kind) {
      case "orderbook":
        return this.bookPlan(bookChannel(channel.instrumentId))
      case "venueTicker":
        return this.tickerPlan(venueTickerChannel(channel.venue, channel.tenantId))
      case "accountOrders":
      case "accountPositions":
        return this.accountPlan(channel.kind, channel.tradingAccountId)
      case "tradingAccount":
      case "ticker":
      case "trade":
      case "kline":
        return undefined
    }
  }

  private bookPlan(canonical: string): MapPlan {
    const followed: Followed = {
      served: this.streamOf("orderbook", canonical),
      read: (stream, done) =>
        whenPresent(this.hub, stream, true, (isPresent) => {
          if (!isPresent) return done(null)
          const { offset, snapshot } = this.hub.position(stream)
          done({ offset, entries: snapshot === null ? [] : bookChanges(snapshot).changes })
        }),
      translate: ({ json }) => bookChanges(json),
    }
    return { canonical: BESIDE_STREAM + canonical, row: marketRow(this.kinds.orderbook), followed }
  }

  private tickerPlan(canonical: string): MapPlan {
    const followed: Followed = {
      served: this.streamOf("venueTicker", canonical),
      read: (stream, done) =>
        whenPresent(this.hub, stream, false, (isPresent) => {
          if (!isPresent) return done(null)
          done({ offset: this.hub.position(stream).offset, entries: stream.values().map(tickerEntry) })
        }),
      translate: (publication) => ({ isWhole: false, changes: [tickerEntry(publication)] }),
    }
    return { canonical: BESIDE_STREAM + canonical, row: marketRow(this.kinds.venueTicker), followed }
  }

  private accountPlan(kind: keyof typeof ACCOUNT_MAPS, account: TradingAccountId): MapPlan {
    const { nameOf, state, changes } = ACCOUNT_MAPS[kind]
    const canonical = nameOf(account)
    const followed: Followed = {
      served: this.streamOf("tradingAccount", accountChannel(account)),
      // First the stream: what it publishes between the two is in the entries, and never missing between them.
      read: (stream, done) =>
        whenPresent(this.hub, stream, false, (isPresent) => {
          if (!isPresent) return done(null)
          const source = this.hub.source(kind)
          if (source.state === undefined) throw new Error(`the source of ${kind} has no state`)
          source.state(canonical, (read) => done(read && { offset: read.offset, entries: state(read.entries) }))
        }),
      translate: ({ json }) => ({ isWhole: false, changes: changes(json) }),
    }
    return { canonical, row: this.kinds[kind], followed }
  }

  private streamOf(kind: ChannelKind, canonical: string): Served {
    return { canonical, settings: this.kinds[kind], source: this.hub.source(kind) }
  }
}

/** The row counts publications of the stream; changes of entries are many more, and are given in pages however many they are. */
const marketRow = (row: ChannelKindSettings): ChannelKindSettings => ({
  ...row,
  recoveryMax: Number.MAX_SAFE_INTEGER,
})
