/** Owners of channels and edges that mirror them, in memory by a clock that is turned by hand; and readers at the edges that hold what they get against what was published. */
import type { TemplatedApp } from "uWebSockets.js"
import type { ChannelKind } from "../../../src/domain/channel.ts"
import type { Peer } from "../../../src/ports/cable.ts"
import type { ChannelSource } from "../../../src/ports/channel-port.ts"
import { defaultChannelKinds } from "../../../src/ws/channels/kinds.ts"
import { Hub } from "../../../src/ws/fanout/hub.ts"
import type { Ending } from "../../../src/ws/fanout/stream.ts"
import type { EncodedPublication } from "../../../src/ws/fanout/topic.ts"
import { Mirrors } from "../../../src/ws/mirrors/mirrors.ts"
import { Publisher } from "../../../src/ws/mirrors/publisher.ts"
import type { Node, nodesInMemory } from "./nodes.ts"

export const ACCOUNT = "tradingAccount:00000000-0000-4000-8000-000000000001"
export const BOOK = "market:orderbook:MOCK:BTC/USDT"
export const TRADES = "market:trade:MOCK:BTC/USDT"
export const BARS = "market:kline:MOCK:BTC/USDT:1m"
export const TICKER = "market:ticker:MOCK:BTC/USDT"
export type TestChannel = typeof ACCOUNT | typeof BOOK | typeof TRADES | typeof BARS | typeof TICKER

/** Little is remembered, so that much of it is forgotten in a short run. */
export const kinds = {
  ...defaultChannelKinds(0),
  tradingAccount: { ...defaultChannelKinds(0).tradingAccount, historySize: 8 },
  orderbook: { ...defaultChannelKinds(0).orderbook, historySize: 20, recoveryMax: 20 },
  trade: { ...defaultChannelKinds(0).trade, historySize: 20, recoveryMax: 20 },
  kline: { ...defaultChannelKinds(0).kline, finalsMax: 5 },
}
const KIND: Readonly<Record<TestChannel, ChannelKind>> = {
  [ACCOUNT]: "tradingAccount",
  [BOOK]: "orderbook",
  [TRADES]: "trade",
  [BARS]: "kline",
  [TICKER]: "ticker",
}

export interface Data {
  readonly e: string
  readonly n: number
  /** Of a closed bar: its number. */
  readonly f?: number
  /** Of a book. */
  readonly sequence?: number
  readonly previousSequence?: number
  readonly quality?: string
  readonly bids?: ReadonlyArray<never>
  readonly asks?: ReadonlyArray<never>
  /** Of a ticker. */
  readonly isStale?: true
}

const bookOf = (epoch: string, offset: number): Data => ({
  e: epoch,
  n: offset,
  bids: [],
  asks: [],
  sequence: offset,
  quality: "SYNCED",
})

export interface Published {
  epoch: string
  offset: number
  finals: number
}

type Time = ReturnType<typeof nodesInMemory>["time"]

/** What the channels of an account have, whichever process owns them. */
export interface Journal {
  readonly rows: Array<string>
}

export class TestOwner {
  readonly hub: Hub
  readonly publisher: Publisher
  readonly calls: Array<string> = []
  readonly at: Record<TestChannel, Published>
  term = 0
  /** Its lease runs. */
  isLeased = true
  /** So long its storage takes for one reading; the next one waits for it. */
  readMillis = 2
  /** Of its storage. */
  reads = 0
  private readsUntil = Number.NEGATIVE_INFINITY

  constructor(
    readonly node: Node,
    private readonly time: Time,
    readonly journal: Journal,
  ) {
    this.hub = new Hub({ publish: () => {} } as unknown as TemplatedApp, node.now)
    this.publisher = new Publisher({
      hub: this.hub,
      cable: node.cable,
      kinds,
      mayAct: () => this.isLeased,
      soon: time.soon,
      after: time.after,
      monotonic: node.now,
    })
    const of = (channel: TestChannel): Published => ({ epoch: `none ${channel}`, offset: 0, finals: 0 })
    this.at = {
      [ACCOUNT]: of(ACCOUNT),
      [BOOK]: of(BOOK),
      [TRADES]: of(TRADES),
      [BARS]: of(BARS),
      [TICKER]: of(TICKER),
    }
    for (const kind of Object.keys(kinds) as ReadonlyArray<ChannelKind>) this.hub.attach(kind, this.sourceOf(kind))
    time.every(1_000, () => this.hub.sweep())
  }

  begin(term: number): void {
    this.term = term
    for (const channel of [BOOK, TRADES, BARS, TICKER] as const)
      this.at[channel] = { epoch: `term ${term}`, offset: 0, finals: 0 }
    this.at[ACCOUNT] = { epoch: "for ever", offset: this.journal.rows.length, finals: 0 }
    this.publisher.begin(term)
  }

  peer(): Peer {
    return this.node.peer(this.term)
  }

  publish(channel: TestChannel, filler = ""): void {
    this.hub.publish(channel, this.store(channel, filler))
  }

  /** What is to be published. */
  store(channel: TestChannel, filler = ""): EncodedPublication {
    const at = this.at[channel]
    at.offset++
    const isFinal = channel === BARS && at.offset % 3 === 0
    const { epoch, offset } = at
    const plain: Data = channel === BOOK ? bookOf(epoch, offset) : { e: epoch, n: offset }
    const data: Data = { ...plain, ...(isFinal ? { f: ++at.finals } : {}) }
    const json = JSON.stringify({ ...data, filler })
    if (channel === ACCOUNT) this.journal.rows.push(json)
    return { epoch: at.epoch, offset: at.offset, json, ...(isFinal ? { isFinal } : {}) }
  }

  /** A new epoch, of which subscribers are told. */
  breakOff(channel: TestChannel): void {
    this.at[channel].epoch += "'"
    this.hub.invalidate(channel)
  }

  private sourceOf(kind: ChannelKind): ChannelSource {
    const source: ChannelSource = {
      opened: (channel) => void this.calls.push(`opened ${channel}`),
      closed: (channel) => void this.calls.push(`closed ${channel}`),
      position: (channel) => {
        const { epoch, offset } = this.at[channel as TestChannel]
        return { epoch, offset, snapshot: kind === "orderbook" ? JSON.stringify(bookOf(epoch, offset)) : null }
      },
    }
    if (kind !== "tradingAccount") return source
    return {
      ...source,
      replay: (_channel, after, upTo, done) => {
        const rows = this.journal.rows.slice(after, upTo).map((json, i) => ({ offset: after + 1 + i, json }))
        this.reads++
        this.readsUntil = Math.max(this.readsUntil, this.node.now()) + this.readMillis
        this.time.after(this.readsUntil - this.node.now(), () => done(rows))
      },
    }
  }
}

export class TestEdge {
  readonly hub: Hub
  readonly mirrors: Mirrors
  readonly readers = new Set<ReaderAt>()
  private owner: Peer | undefined
  private readonly listeners: Array<() => void> = []

  constructor(node: Node, time: Time) {
    const app = {
      publish: (topic: string, frame: string) => {
        for (const reader of [...this.readers]) if (reader.topicKey === topic) reader.frame(frame)
      },
    }
    this.hub = new Hub(app as unknown as TemplatedApp, node.now)
    this.hub.onEnd((canonical, _names, how) => {
      for (const reader of [...this.readers]) if (reader.channel === canonical) reader.ended(how)
    })
    this.mirrors = new Mirrors({
      hub: this.hub,
      cable: node.cable,
      owner: () => this.owner,
      onOwner: (listener) => void this.listeners.push(listener),
      onEnded: () => {},
      monotonic: node.now,
      after: time.after,
    })
    for (const kind of Object.keys(kinds) as ReadonlyArray<ChannelKind>)
      this.hub.attach(kind, this.mirrors.source(kind))
    time.every(1_000, () => this.hub.sweep())
  }

  knows(owner: Peer | undefined): void {
    this.owner = owner
    for (const listener of this.listeners) listener()
  }

  served(channel: TestChannel) {
    return { canonical: channel, settings: kinds[KIND[channel]], source: this.hub.source(KIND[channel]) }
  }
}

/** A reader where it is now. */
export interface ReaderAt {
  readonly channel: TestChannel
  readonly topicKey: string
  readonly frame: (text: string) => void
  readonly ended: (how: Ending) => void
}
