/**
 * The open klines of one venue: which series there are, which of them an event of the venue's feed concerns, and how often its history is queried
 * for them.
 */
import { type Context, Effect } from "effect"
import type { InvalidVenue, NotSupportedByVenue, VenueUnavailable } from "../../../domain/errors/venue.ts"
import type { InstrumentId } from "../../../domain/ids.ts"
import type { InstrumentName } from "../../../domain/instrument/instrument.ts"
import type { KlineInterval } from "../../../domain/market/kline.ts"
import type { ChannelPort, StreamPosition } from "../../../ports/channel-port.ts"
import type { Clock } from "../../../ports/clock.ts"
import {
  type KlineAnswer,
  type KlineAsk,
  type KlineUpdate,
  klineStream,
  type MarketTrade,
} from "../../../ports/market-source.ts"
import type { VenueClock } from "../venue-clock.ts"
import { type KlineReply, KlineSeries } from "./series.ts"

/** Questions to the venue's history at a time: bars end together, and readers of the past want their turn. */
const QUESTIONS_AT_ONCE = 4

export type KlineHistorySource = (
  ask: KlineAsk,
) => Effect.Effect<KlineAnswer, InvalidVenue | NotSupportedByVenue | VenueUnavailable>

export interface KlineBoardParts {
  readonly channels: Context.Tag.Service<typeof ChannelPort>
  readonly clock: Context.Tag.Service<typeof Clock>
  readonly venueClock: VenueClock
  readonly newEpoch: () => string
  readonly after: (millis: number, run: () => void) => void
  readonly history: KlineHistorySource
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Keeps the stream of trades open, or lets it go, for the series that are made of it. */
  readonly holdTrades: (instrumentId: InstrumentId, holder: string) => void
  readonly releaseTrades: (instrumentId: InstrumentId, holder: string) => void
}

interface Question {
  readonly ask: KlineAsk
  readonly done: (reply: KlineReply) => void
}

export class KlineBoard {
  readonly #parts: KlineBoardParts
  readonly #series = new Map<InstrumentId, Map<KlineInterval, KlineSeries>>()
  readonly #questions: Array<Question> = []
  #asking = 0

  constructor(parts: KlineBoardParts) {
    this.#parts = parts
  }

  /** The stream was asked for. */
  open(instrumentId: InstrumentId, name: InstrumentName, interval: KlineInterval): void {
    const { channels, newEpoch, venueClock, clock, after } = this.#parts
    const ofInstrument = this.#series.get(instrumentId) ?? new Map<KlineInterval, KlineSeries>()
    this.#series.set(instrumentId, ofInstrument)
    const series = new KlineSeries({
      instrumentId,
      name,
      interval,
      channels,
      newEpoch,
      clock: venueClock,
      now: clock.now,
      after,
      ask: (from, limit, done) => this.#ask({ ask: { instrumentId, interval, from, to: null, limit }, done }),
    })
    ofInstrument.set(interval, series)
    series.begin()
  }

  close(instrumentId: InstrumentId, interval: KlineInterval): void {
    const ofInstrument = this.#series.get(instrumentId)
    const series = ofInstrument?.get(interval)
    if (series === undefined) return
    series.end()
    ofInstrument?.delete(interval)
    if (ofInstrument?.size === 0) this.#series.delete(instrumentId)
    if (series.buildsFromTrades) this.#parts.releaseTrades(instrumentId, klineStream(interval))
  }

  opened(instrumentId: InstrumentId, interval: KlineInterval): void {
    this.#find(instrumentId, interval)?.opened()
  }

  position(instrumentId: InstrumentId, interval: KlineInterval): StreamPosition | undefined {
    return this.#find(instrumentId, interval)?.position()
  }

  onUpdate(update: KlineUpdate): void {
    this.#find(update.instrumentId, update.interval)?.onUpdate(update)
  }

  onTrades(trades: ReadonlyArray<MarketTrade>): void {
    if (this.#series.size === 0) return
    for (const [instrumentId, ofInstrument] of this.#series) {
      const own = trades.filter((trade) => trade.instrumentId === instrumentId)
      if (own.length === 0) continue
      for (const series of ofInstrument.values()) if (series.buildsFromTrades) series.onTrades(own)
    }
  }

  onUnstreamed(instrumentId: InstrumentId, interval: KlineInterval): void {
    const series = this.#find(instrumentId, interval)
    if (series === undefined || series.buildsFromTrades) return
    this.#parts.holdTrades(instrumentId, klineStream(interval))
    series.buildFromTrades()
  }

  onDown(instrumentId: InstrumentId, interval: KlineInterval): void {
    const series = this.#find(instrumentId, interval)
    if (series?.buildsFromTrades === false) series.onDown()
  }

  onTradesDown(instrumentId: InstrumentId): void {
    for (const series of this.#series.get(instrumentId)?.values() ?? []) if (series.buildsFromTrades) series.onDown()
  }

  #find(instrumentId: InstrumentId, interval: KlineInterval): KlineSeries | undefined {
    return this.#series.get(instrumentId)?.get(interval)
  }

  #ask(question: Question): void {
    this.#questions.push(question)
    this.#askNext()
  }

  #askNext(): void {
    if (this.#asking >= QUESTIONS_AT_ONCE) return
    const question = this.#questions.shift()
    if (question === undefined) return
    const { venueClock, clock, history, fork } = this.#parts
    this.#asking += 1
    const from = clock.now()
    const answered = (reply: KlineReply) =>
      Effect.sync(() => {
        this.#asking -= 1
        if (typeof reply !== "string") venueClock.saw(reply.venueAt, from)
        question.done(reply)
        this.#askNext()
      })
    fork(
      // A question comes out of the feed's own turn: its answer must not come back into it.
      Effect.yieldNow().pipe(
        Effect.zipRight(history(question.ask)),
        Effect.matchEffect({
          onSuccess: answered,
          onFailure: (error) => answered(error._tag === "NotSupportedByVenue" ? "unsupported" : "failed"),
        }),
      ),
    )
  }
}
