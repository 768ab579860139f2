/**
 * TC-B02: recorded market data of nine venues, each through its connector in a real worker: every frame of a book is one update with
 * the same levels, every trade comes out once, and no digit changes. The captures are not part of the repository.
 */
import { Effect, Exit, Scope } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../src/domain/ids.ts"
import type { DepthUpdate, MarketSink, MarketSource, MarketTrade } from "../../src/ports/market-source.ts"
import { ccxtVenue } from "../../src/venues/connector/ccxt-venue.ts"
import { hasCaptures, readCapture } from "../exchanges/cryptofeed/capture.ts"
import { feedWithKeys } from "../exchanges/cryptofeed/feed-with-keys.ts"
import { isOlder, judge, sum, type Told, toldBy, updatesOf, type Verdict } from "../exchanges/cryptofeed/judge.ts"
import type { Recorded, Recording } from "../exchanges/cryptofeed/recording.ts"
import { binance, binanceUs } from "../exchanges/cryptofeed/recordings/binance.ts"
import { bitfinex } from "../exchanges/cryptofeed/recordings/bitfinex.ts"
import { bitstamp } from "../exchanges/cryptofeed/recordings/bitstamp.ts"
import { coinbase, coinbaseExchange } from "../exchanges/cryptofeed/recordings/coinbase.ts"
import { deribit } from "../exchanges/cryptofeed/recordings/deribit.ts"
import { gemini } from "../exchanges/cryptofeed/recordings/gemini.ts"
import { krakenfutures } from "../exchanges/cryptofeed/recordings/krakenfutures.ts"
import { okx } from "../exchanges/cryptofeed/recordings/okx.ts"
import { startReplayer } from "../exchanges/cryptofeed/replayer.ts"
import type { Spelled } from "../exchanges/cryptofeed/spelled-json.ts"
import { sharedThread } from "../integration/venues/thread-kit.ts"
import { until } from "../integration/venues/venue-kit.ts"

if (!hasCaptures) console.info("skipped: the recorded captures are not beside the repository")

const CAPTURES: ReadonlyArray<readonly [archive: string, recorded: Recorded]> = [
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

class Heard {
  readonly updates: Array<DepthUpdate> = []
  readonly trades: Array<MarketTrade> = []
}

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

const table: Array<{ readonly capture: string; readonly venue: string } & Verdict> = []

/** Judged when as much has come out as went in, or nothing more comes in time. */
const settled = async (told: ReadonlyArray<Told>, heard: ReadonlyMap<InstrumentId, Heard>): Promise<Verdict> => {
  const of = ({ instrument }: Told): Heard => heard.get(instrument.instrumentId) ?? new Heard()
  const isComplete = (it: Told): boolean =>
    of(it).updates.length >= updatesOf(it) && of(it).trades.length >= uniqueTrades(it).length
  await until(() => told.every(isComplete), "every update and trade", WITHIN_MILLIS).catch(() => undefined)
  return total(told.map((it) => judge(it, of(it))))
}

/** A connector in a worker; in this process where its public instance needs keys, which no connector has. */
const sourceOf = (
  recording: Recording,
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
    placement: sharedThread(profile),
  }
  return Effect.map(ccxtVenue(profile, options), (venue) => venue.market(sink))
}

describe.skipIf(!hasCaptures)("TC-B02 a recorded capture through its connector", () => {
  afterAll(() => console.table(table))

  // Most of their time is the pace at which ccxt subscribes.
  it.concurrent.each(CAPTURES)("loses nothing and changes no digit of %s", async (archive, recorded) => {
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
        sourceOf(recording, replayer.routes, sink, (what) => notices.push(what)).pipe(Scope.extend(scope)),
      )
      for (const { instrument } of told) {
        source.open("book", instrument.instrumentId)
        source.open("trade", instrument.instrumentId)
      }
      const wanted = told.flatMap(({ instrument }) => [instrument.bookStream, instrument.tradeStream])
      await until(
        () => wanted.every((stream) => replayer.streams.has(stream)),
        "all subscriptions",
        WITHIN_MILLIS,
      ).catch((cause: unknown) => {
        const missing = wanted.filter((stream) => !replayer.streams.has(stream))
        throw new Error(JSON.stringify({ missing, unanswered: [...replayer.unanswered], downs, notices }), { cause })
      })
      // What a REST snapshot includes is sent before it is asked for, as it was; the rest once every such book is whole.
      const books = new Map(told.map(({ instrument }) => [instrument.bookStream, instrument.restBook]))
      const isIncluded = (frame: Spelled, stream: string): boolean => {
        const book = books.has(stream) ? recording.book(frame) : undefined
        return book !== undefined && isOlder(book, books.get(stream))
      }
      await replayer.play(isIncluded)
      const asked = told.filter(({ instrument }) => instrument.restBook !== undefined)
      const isWhole = ({ instrument }: Told): boolean => heard.get(instrument.instrumentId)?.updates.length === 1
      await until(() => asked.every(isWhole), "every book that begins by REST", WITHIN_MILLIS)
      await replayer.play((frame, stream) => !isIncluded(frame, stream))
      const verdict = await settled(told, heard)
      table.push({ capture: archive, venue: recording.profile.venue, ...verdict })
      expect({ downs, notices }).toEqual({ downs: [], notices: [] })
      expect(verdict).toMatchObject({ lost: 0, apart: 0, tradesLost: 0, changed: 0 })
      expect(verdict.tradesOut).toBe(verdict.tradesIn)
      const bought = (trades: ReadonlyArray<{ readonly quantity: string }>) => sum(trades.map((it) => it.quantity))
      expect(bought([...heard.values()].flatMap(({ trades }) => trades))).toBe(bought(told.flatMap(uniqueTrades)))
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await replayer.stop()
    }
  })
})

const uniqueTrades = ({ trades }: Told): ReadonlyArray<{ readonly quantity: string }> => [
  ...new Map(trades.map((trade) => [trade.id, trade])).values(),
]
