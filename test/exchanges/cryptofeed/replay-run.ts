/** One recorded capture through its connector: opened, played to its end, and what came out of it, to be judged. */
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Exit, Scope } from "effect"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { DepthUpdate, MarketSink, MarketSource, MarketTrade } from "../../../src/ports/market-source.ts"
import type { VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { ccxtVenue } from "../../../src/venues/connector/ccxt-venue.ts"
import type { Placement } from "../../../src/venues/connector/placement.ts"
import { readCapture } from "./capture.ts"
import { feedWithKeys } from "./feed-with-keys.ts"
import { isOlder, judge, type Told, toldBy, updatesOf, type Verdict } from "./judge.ts"
import type { Recorded, RecordedTrade, Recording } from "./recording.ts"
import { binance, binanceUs } from "./recordings/binance.ts"
import { bitfinex } from "./recordings/bitfinex.ts"
import { bitstamp } from "./recordings/bitstamp.ts"
import { coinbase, coinbaseExchange } from "./recordings/coinbase.ts"
import { deribit } from "./recordings/deribit.ts"
import { gemini } from "./recordings/gemini.ts"
import { krakenfutures } from "./recordings/krakenfutures.ts"
import { okx } from "./recordings/okx.ts"
import { startReplayer } from "./replayer.ts"
import type { Spelled } from "./spelled-json.ts"

export const CAPTURES: ReadonlyArray<readonly [archive: string, recorded: Recorded]> = [
  ["BINANCE", binance],
  ["BINANCE_US", binanceUs],
  ["BITFINEX", bitfinex],
  ["BITSTAMP", bitstamp],
  ["COINBASE", coinbase],
  ["COINBASE", coinbaseExchange],
  ["DERIBIT", deribit],
  ["GEMINI", gemini],
  ["KRAKEN_FUTURES", krakenfutures],
  ["OKX", okx],
]

/** One feed a venue connection takes at a time is enough for the slowest of them. */
const WITHIN_MILLIS = 90_000

const until = async (condition: () => boolean, what: string): Promise<void> => {
  for (const end = performance.now() + WITHIN_MILLIS; !condition(); await sleep(5))
    if (performance.now() > end) throw new Error(`never happened: ${what}`)
}

export class Heard {
  readonly updates: Array<DepthUpdate> = []
  readonly trades: Array<MarketTrade> = []
}

export interface ReplayRun {
  readonly venue: string
  readonly told: ReadonlyArray<Told>
  readonly heard: ReadonlyMap<InstrumentId, Heard>
  readonly verdict: Verdict
  readonly downs: ReadonlyArray<string>
  readonly notices: ReadonlyArray<string>
}

export const uniqueTrades = ({ trades }: Told): ReadonlyArray<RecordedTrade> => [
  ...new Map(trades.map((trade) => [trade.id, trade])).values(),
]

const total = (verdicts: ReadonlyArray<Verdict>): Verdict => {
  const add = (name: keyof Verdict): number => verdicts.reduce((all, verdict) => all + verdict[name], 0)
  return {
    frames: add("frames"),
    older: add("older"),
    empty: add("empty"),
    updates: add("updates"),
    apart: add("apart"),
    lost: add("lost"),
    tradesIn: add("tradesIn"),
    tradesOut: add("tradesOut"),
    tradesLost: add("tradesLost"),
    tokens: add("tokens"),
    changed: add("changed"),
  }
}

/** Judged when as much has come out as went in, or nothing more comes in time. */
const settled = async (told: ReadonlyArray<Told>, heard: ReadonlyMap<InstrumentId, Heard>): Promise<Verdict> => {
  const of = ({ instrument }: Told): Heard => heard.get(instrument.instrumentId) ?? new Heard()
  const isComplete = (it: Told): boolean =>
    of(it).updates.length >= updatesOf(it) && of(it).trades.length >= uniqueTrades(it).length
  await until(() => told.every(isComplete), "every update and trade").catch(() => undefined)
  return total(told.map((it) => judge(it, of(it))))
}

/** Where the connector's thread is one that others use, too. */
type PlacementOf = (profile: VenueProfile) => Placement

/** A connector in a worker; in this process where its public instance needs keys, which no connector has. */
const sourceOf = (
  recording: Recording,
  placementOf: PlacementOf | undefined,
  routes: Readonly<Record<string, string>>,
  sink: MarketSink,
  notice: (what: string) => void,
): Effect.Effect<Pick<MarketSource, "open">, never, Scope.Scope> => {
  const { profile, keys } = recording
  if (keys !== undefined) return feedWithKeys(profile, routes, keys, sink, notice)
  const options = {
    venueRoutes: routes,
    venuesInactive: [],
    notice: (_: string, what: string) => notice(what),
    ...(placementOf !== undefined && { placement: placementOf(profile) }),
  }
  return Effect.map(ccxtVenue(profile, options), (venue) => venue.market(sink))
}

export const replayRun = async (archive: string, recorded: Recorded, placementOf?: PlacementOf): Promise<ReplayRun> => {
  const capture = await readCapture(archive)
  const recording = recorded(capture)
  const told = toldBy(capture, recording)
  const replayer = await startReplayer(capture, recording)
  const scope = await Effect.runPromise(Scope.make())
  try {
    const notices: Array<string> = []
    const heard = new Map(told.map(({ instrument }) => [instrument.instrumentId, new Heard()]))
    const downs: Array<string> = []
    const sink: MarketSink = {
      depth: (update) => heard.get(update.instrumentId)?.updates.push(update),
      trades: (trades) => {
        for (const trade of trades) heard.get(trade.instrumentId)?.trades.push(trade)
      },
      ticker: () => undefined,
      kline: () => undefined,
      tradesMissed: () => undefined,
      unstreamed: () => undefined,
      down: (stream, instrumentId, reason) => downs.push(`${stream} ${instrumentId}: ${reason}`),
    }
    const source = await Effect.runPromise(
      sourceOf(recording, placementOf, replayer.routes, sink, (what) => notices.push(what)).pipe(Scope.extend(scope)),
    )
    for (const { instrument } of told) {
      source.open("book", instrument.instrumentId)
      source.open("trade", instrument.instrumentId)
    }
    const wanted = told.flatMap(({ instrument }) => [instrument.bookStream, instrument.tradeStream])
    await until(() => wanted.every((stream) => replayer.streams.has(stream)), "all subscriptions").catch(
      (cause: unknown) => {
        const missing = wanted.filter((stream) => !replayer.streams.has(stream))
        throw new Error(JSON.stringify({ missing, unanswered: [...replayer.unanswered], downs, notices }), { cause })
      },
    )
    // What a REST snapshot includes is sent before it is asked for, as it was; the rest once every such book is whole.
    const books = new Map(told.map(({ instrument }) => [instrument.bookStream, instrument.restBook]))
    const isIncluded = (frame: Spelled, stream: string): boolean => {
      const book = books.has(stream) ? recording.book(frame) : undefined
      return book !== undefined && isOlder(book, books.get(stream))
    }
    await replayer.play(isIncluded)
    const asked = told.filter(({ instrument }) => instrument.restBook !== undefined)
    const isWhole = ({ instrument }: Told): boolean => heard.get(instrument.instrumentId)?.updates.length === 1
    await until(() => asked.every(isWhole), "every book that begins by REST")
    await replayer.play((frame, stream) => !isIncluded(frame, stream))
    const verdict = await settled(told, heard)
    return { venue: recording.profile.venue, told, heard, verdict, downs, notices }
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await replayer.stop()
  }
}
