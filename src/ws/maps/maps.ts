/** The maps of the gateway: which channels have one, what each follows, and those that are open. */
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
import type { ChannelKindSettings, ChannelKinds } from "../channels/kinds.ts"
import type { Hub } from "../fanout/hub.ts"
import type { Served } from "../fanout/stream.ts"
import type { Outgoing } from "../fanout/topic.ts"
import { orderChanges, orderState, positionChanges, positionState } from "./account.ts"
import { bookChanges } from "./book.ts"
import { type Followed, MapChannel } from "./channel.ts"
import type { EntryChange } from "./entries.ts"

/** No channel that a client can name begins like this. */
const BESIDE_STREAM = "map:"

interface MapPlan {
  readonly canonical: string
  readonly row: ChannelKindSettings
  readonly followed: Followed
}

const tickerEntry = ({ json, subject = "", tags }: Outgoing): EntryChange => ({ key: subject, json, tags })

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
      read: (stream, done) => {
        const { offset, snapshot } = this.hub.position(stream)
        done({ offset, entries: snapshot === null ? [] : bookChanges(snapshot).changes })
      },
      translate: ({ json }) => bookChanges(json),
    }
    return { canonical: BESIDE_STREAM + canonical, row: marketRow(this.kinds.orderbook), followed }
  }

  private tickerPlan(canonical: string): MapPlan {
    const followed: Followed = {
      served: this.streamOf("venueTicker", canonical),
      read: (stream, done) =>
        done({ offset: this.hub.position(stream).offset, entries: stream.values().map(tickerEntry) }),
      translate: (publication) => ({ isWhole: false, changes: [tickerEntry(publication)] }),
    }
    return { canonical: BESIDE_STREAM + canonical, row: marketRow(this.kinds.venueTicker), followed }
  }

  private accountPlan(kind: keyof typeof ACCOUNT_MAPS, account: TradingAccountId): MapPlan {
    const { nameOf, state, changes } = ACCOUNT_MAPS[kind]
    const canonical = nameOf(account)
    const followed: Followed = {
      served: this.streamOf("tradingAccount", accountChannel(account)),
      read: (_stream, done) => {
        const source = this.hub.source(kind)
        if (source.state === undefined) throw new Error(`the source of ${kind} has no state`)
        source.state(canonical, (read) => done(read && { offset: read.offset, entries: state(read.entries) }))
      },
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
