/**
 * The klines of one instrument and interval while there are subscribers. A bar is published while it is open, the newest state wins, and once
 * more when it has closed: in time order, none omitted, none twice. Evidence of the close: the venue's own flag, the next bar on an unbroken
 * stream, or the venue's history; our clock alone only triggers a query.
 */
import type { Context } from "effect"
import { klineChannel } from "../../../domain/channel.ts"
import type { InstrumentId } from "../../../domain/ids.ts"
import type { InstrumentName } from "../../../domain/instrument/instrument.ts"
import {
  type Bar,
  barEnd,
  barIndex,
  barStart,
  flatBar,
  type KlineInterval,
  klineRecord,
  withTrade,
} from "../../../domain/market/kline.ts"
import type { ChannelPort, StreamPosition } from "../../../ports/channel-port.ts"
import type { KlineAnswer, KlineUpdate, MarketTrade } from "../../../ports/market-source.ts"
import { ChannelCursor } from "../channel-cursor.ts"
import type { VenueClock } from "../venue-clock.ts"

/** A stream that has said nothing so long after the end of a bar is not waited for. */
const STREAM_GRACE_MILLIS = 3000
/** The venue's own bar of trades that we have is asked for so long after its end, and up to a second later: not all at once. */
const TRADES_GRACE_MILLIS = 500
const JITTER_MILLIS = 1000
/** A bar of the history is the last word when it was asked for so long after its end: the venue's trades are counted by then. */
const SETTLED_MILLIS = 500
/** A bar of whose trades none is missing waits so long for the venue's own, then it is published as we made it. */
const OWN_AFTER_MILLIS = 5000
const RETRY_FIRST_MILLIS = 500
const RETRY_MAX_MILLIS = 10_000
/** Bars of one question. */
const ASKED_MAX = 1000

/** What the venue's history said; unsupported: it has no such bars. */
export type KlineReply = KlineAnswer | "unsupported" | "failed"

/** What was published last. */
interface Shown {
  readonly bar: Bar
  readonly isClosed: boolean
  readonly at: number
}

interface Entry {
  bar: Bar
  /** The last word. */
  isFinal: boolean
  /** All that was traded in it so far. */
  isKnown: boolean
}

export interface KlineSeriesParts {
  readonly instrumentId: InstrumentId
  readonly name: InstrumentName
  readonly interval: KlineInterval
  readonly channels: Context.Tag.Service<typeof ChannelPort>
  readonly newEpoch: () => string
  readonly clock: VenueClock
  /** Our clock, ms. */
  readonly now: () => number
  readonly after: (millis: number, run: () => void) => void
  /** Asks the venue for its bars from an open time on; `done` is called once, later. */
  readonly ask: (from: number, limit: number, done: (reply: KlineReply) => void) => void
}

export class KlineSeries {
  readonly #parts: KlineSeriesParts
  readonly #channel: string
  readonly #cursor: ChannelCursor
  readonly #jitter: number
  readonly #openedAt: number
  readonly #bars = new Map<number, Entry>()
  /** Open time of the bar that closes next. */
  #next: number
  /** The venue's clock is known well enough to know which bar that is. */
  #isPlaced = false
  #lastClose: string | null = null
  /** The newest bar that the stream has shown since it was interrupted last. */
  #streamed: number | null = null
  #buildsFromTrades = false
  /** Of bars that open then or later no trade is missing; null: not even a trade was seen yet. */
  #wholeFrom: number | null = null
  #isCorrectable = true
  #isAsking = false
  #failures = 0
  #retryAt = 0
  #wakeAt = Number.POSITIVE_INFINITY
  #isOver = false
  #newest: Shown | null = null

  constructor(parts: KlineSeriesParts) {
    this.#parts = parts
    this.#channel = klineChannel(parts.instrumentId, parts.interval)
    this.#cursor = new ChannelCursor(parts.newEpoch)
    this.#jitter = spread(this.#channel)
    this.#openedAt = parts.now()
    this.#next = barStart(parts.interval, parts.clock.now())
  }

  /** Once, when the stream was asked for: the bar that lives now is asked for too. */
  begin(): void {
    this.#ask()
  }

  /** The venue has no stream of these bars. */
  buildFromTrades(): void {
    this.#buildsFromTrades = true
    this.#review()
  }

  get buildsFromTrades(): boolean {
    return this.#buildsFromTrades
  }

  /** No subscribers left. */
  end(): void {
    this.#isOver = true
    this.#bars.clear()
  }

  opened(): void {
    this.#cursor.opened()
  }

  position(): StreamPosition {
    const { epoch, offset } = this.#cursor
    return { epoch, offset, snapshot: this.#newest === null ? null : this.#json(this.#newest) }
  }

  onUpdate({ bar, isFinal, venueAt }: KlineUpdate): void {
    this.#parts.clock.saw(venueAt, this.#parts.now())
    this.#place()
    const { interval } = this.#parts
    const before = this.#streamed === null ? undefined : this.#bars.get(this.#streamed)
    if (this.#streamed !== null && this.#streamed < bar.openAt) {
      if (before !== undefined) this.#finish(before)
      // The stream is unbroken, so nothing was traded in between.
      const { close } = before?.bar ?? { close: this.#lastClose }
      for (let at = barEnd(interval, this.#streamed); close !== null && at < bar.openAt; at = barEnd(interval, at))
        this.#put(flatBar(at, close), true)
    }
    this.#put(bar, isFinal)
    this.#streamed = Math.max(this.#streamed ?? bar.openAt, bar.openAt)
    this.#review()
  }

  /** Trades of one frame; only of use where bars are made of them. */
  onTrades(trades: ReadonlyArray<MarketTrade>): void {
    const { interval, clock } = this.#parts
    for (const { at, price, quantity } of trades) {
      const openAt = barStart(interval, at)
      this.#wholeFrom ??= barEnd(interval, Math.max(at, clock.now()))
      if (openAt < this.#next) continue
      const entry = this.#bars.get(openAt)
      const isWhole = openAt >= this.#wholeFrom
      if (entry === undefined)
        this.#bars.set(openAt, { bar: withTrade(undefined, openAt, price, quantity), isFinal: false, isKnown: isWhole })
      else if (!entry.isFinal) entry.bar = withTrade(entry.bar, openAt, price, quantity)
    }
    this.#review()
  }

  /** The stream that this lives on is interrupted. */
  onDown(): void {
    this.#streamed = null
    this.#wholeFrom = null
    for (const entry of this.#bars.values()) if (!entry.isFinal) entry.isKnown = false
  }

  #put(bar: Bar, isFinal: boolean): void {
    if (bar.openAt < this.#next || this.#bars.get(bar.openAt)?.isFinal === true) return
    this.#bars.set(bar.openAt, { bar, isFinal, isKnown: true })
  }

  #finish(entry: Entry): void {
    if (entry.isKnown) entry.isFinal = true
  }

  /** Which bar lived when the channel was opened, once the venue's clock is known. */
  #place(): void {
    if (this.#isPlaced) return
    this.#isPlaced = true
    const { interval, clock, now } = this.#parts
    this.#next = barStart(interval, clock.now() - (now() - this.#openedAt))
    for (const openAt of this.#bars.keys()) if (openAt < this.#next) this.#bars.delete(openAt)
  }

  /** Publishes what can be published, and sees to it that the rest becomes known. */
  #review(): void {
    if (!this.#isPlaced || this.#isOver) return
    while (this.#closeNext());
    const entry = this.#bars.get(this.#next)
    if (entry?.isKnown === true) this.#publishLive(entry.bar)
    const at = this.#parts.clock.now()
    this.#wake(this.#end() + (this.#isCorrectable ? OWN_AFTER_MILLIS : TRADES_GRACE_MILLIS) - at)
    const due = this.#dueAt(entry) - at
    if (due > 0) this.#wake(due)
    else if (!this.#ask()) this.#wake(this.#retryAt - this.#parts.now())
  }

  #end(): number {
    return barEnd(this.#parts.interval, this.#next)
  }

  /** When the history is asked, by the venue's clock. */
  #dueAt(entry: Entry | undefined): number {
    const isBehind = this.#streamed !== null && this.#streamed > this.#next
    const isUnseeded = this.#buildsFromTrades && entry !== undefined && !entry.isKnown && this.#isCorrectable
    if (isBehind || isUnseeded) return Number.NEGATIVE_INFINITY
    return this.#end() + (this.#buildsFromTrades ? TRADES_GRACE_MILLIS + this.#jitter : STREAM_GRACE_MILLIS)
  }

  /** Whether one more bar is over. */
  #closeNext(): boolean {
    const entry = this.#bars.get(this.#next)
    const bar = entry?.isFinal === true ? entry.bar : this.#own(entry)
    if (bar === null) return false
    this.#bars.delete(this.#next)
    this.#next = this.#end()
    this.#lastClose = bar === "unseen" ? null : bar.close
    if (bar !== "unseen") this.#publish(bar, true)
    return true
  }

  /** The bar as we have it, when the venue's history does not say it; unseen: some of it is not known, and never will be. */
  #own(entry: Entry | undefined): Bar | "unseen" | null {
    const late = this.#parts.clock.now() - this.#end()
    if (!this.#buildsFromTrades) {
      const isBehind = this.#streamed !== null && this.#streamed > this.#next
      if (this.#isCorrectable || (!isBehind && late < OWN_AFTER_MILLIS)) return null
      return entry?.isKnown === true ? entry.bar : isBehind ? "unseen" : null
    }
    if (late < (this.#isCorrectable ? OWN_AFTER_MILLIS : TRADES_GRACE_MILLIS)) return null
    const isWhole = this.#wholeFrom !== null && this.#next >= this.#wholeFrom
    if (!isWhole) return this.#isCorrectable ? null : "unseen"
    if (entry !== undefined) return entry.bar
    return this.#lastClose === null ? "unseen" : flatBar(this.#next, this.#lastClose)
  }

  /** False: not before `retryAt`. */
  #ask(): boolean {
    const { interval, clock, now } = this.#parts
    if (this.#isAsking || !this.#isCorrectable) return true
    if (now() < this.#retryAt) return false
    this.#isAsking = true
    const missing = barIndex(interval, clock.now()) - barIndex(interval, this.#next) + 2
    this.#parts.ask(this.#next, Math.min(ASKED_MAX, Math.max(2, missing)), (reply) => {
      this.#isAsking = false
      if (!this.#isOver) this.#onReply(reply)
    })
    return true
  }

  #onReply(reply: KlineReply): void {
    const before = this.#next
    this.#place()
    if (reply === "unsupported") this.#isCorrectable = false
    else if (reply !== "failed") this.#onHistory(reply)
    while (this.#closeNext());
    const entry = this.#bars.get(this.#next)
    const isAnswered = reply !== "failed" && (this.#next !== before || this.#dueAt(entry) > this.#parts.clock.now())
    if (isAnswered) {
      this.#failures = 0
      this.#retryAt = 0
    } else {
      const wait = Math.min(RETRY_FIRST_MILLIS * 2 ** this.#failures, RETRY_MAX_MILLIS)
      this.#failures += 1
      this.#retryAt = this.#parts.now() + wait
    }
    this.#review()
  }

  #onHistory({ bars, venueAt }: KlineAnswer): void {
    const [first] = bars
    // Nothing was traded before: the instrument is new.
    if (first !== undefined && first.openAt > this.#next) this.#next = first.openAt
    for (const bar of bars) {
      const isFinal = barEnd(this.#parts.interval, bar.openAt) + SETTLED_MILLIS <= venueAt
      // What was heard of a bar that lives is newer than the answer.
      if (isFinal || this.#bars.get(bar.openAt)?.isKnown !== true) this.#put(bar, isFinal)
    }
  }

  #publishLive(bar: Bar): void {
    const last = this.#newest
    if (last !== null && !last.isClosed && isSame(last.bar, bar)) return
    this.#publish(bar, false)
  }

  #publish(bar: Bar, isClosed: boolean): void {
    const { channels, clock } = this.#parts
    this.#newest = { bar, isClosed, at: clock.now() }
    const heard = channels.isHeard(this.#channel)
    const offset = this.#cursor.next(heard)
    if (!heard) return
    const { epoch } = this.#cursor
    const json = this.#json(this.#newest)
    channels.publish({
      channel: this.#channel,
      kind: "kline",
      epoch,
      offset,
      json,
      ...(isClosed ? { isFinal: true } : {}),
    })
  }

  #json({ bar, isClosed, at }: Shown): string {
    return JSON.stringify(klineRecord(this.#parts, [bar], isClosed, Math.round(at)))
  }

  /** Reviews again after a time; nothing for a time that is over. */
  #wake(millis: number): void {
    const { now, after } = this.#parts
    const at = now() + millis
    if (millis <= 0 || at >= this.#wakeAt) return
    this.#wakeAt = at
    after(Math.ceil(millis), () => {
      if (this.#wakeAt === at) this.#wakeAt = Number.POSITIVE_INFINITY
      this.#review()
    })
  }
}

const isSame = (a: Bar, b: Bar): boolean =>
  a.openAt === b.openAt && a.high === b.high && a.low === b.low && a.close === b.close && a.volume === b.volume

/** From 0 to below JITTER_MILLIS: each channel has its own, always the same. */
const spread = (text: string): number => {
  let hash = 0x811c9dc5
  for (const c of text) hash = Math.imul(hash ^ c.charCodeAt(0), 0x01000193)
  return (hash >>> 0) % JITTER_MILLIS
}
