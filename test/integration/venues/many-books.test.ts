/** More books of a venue than its request limit lets us ask for at once: they come one after another, and none is lost to the wait. */
import { Effect, Exit, Scope } from "effect"
import { afterEach, expect, it } from "vitest"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import { ccxtVenues } from "../../../src/venues/connector/ccxt-venue.ts"
import { type BinanceExchange, startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { sharedThread } from "./thread-kit.ts"
import { profileOf, until } from "./venue-kit.ts"

const BOOKS = 12
/** Binance's pace with a short window: three snapshots in two seconds, so that the last book waits for longer than a lost one may. */
const PROFILE = { ...profileOf("BINANCE"), rollingWindowMillis: 2000, waits: { snapshotMillis: 2500 } }

const stops: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const startExchange = async (): Promise<BinanceExchange> => {
  const symbols = Array.from({ length: BOOKS }, (_, i) => ({
    symbol: `C${i}USDT`,
    base: `C${i}`,
    quote: "USDT",
    tickSize: "0.01",
    stepSize: "0.001",
    startPrice: "100",
  }))
  const exchange = await startBinanceExchange({ symbols, market: "still" })
  stops.push(exchange.stop)
  return exchange
}

it("the books of a venue come up one after another, also when they begin anew while they wait", async () => {
  const exchange = await startExchange()
  const scope = await Effect.runPromise(Scope.make())
  stops.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const given = { venueRoutes: exchange.routes, venuesInactive: [], placement: sharedThread(PROFILE) }
  const { venues, stats } = await Effect.runPromise(ccxtVenues(given, [PROFILE]).pipe(Scope.extend(scope)))
  const whole = new Set<string>()
  const downs: Array<string> = []
  let snapshots = 0
  const source = venues[0]?.market({
    depth: ({ instrumentId, snapshot }) => {
      if (snapshot) snapshots += 1
      if (snapshot) whole.add(instrumentId)
    },
    trades: () => undefined,
    ticker: () => undefined,
    kline: () => undefined,
    tradesMissed: () => undefined,
    unstreamed: () => undefined,
    down: (_, instrumentId, reason) => {
      whole.delete(instrumentId)
      downs.push(reason)
    },
  })
  for (let i = 0; i < BOOKS; i++) source?.open("book", `BINANCE:C${i}/USDT` as InstrumentId)
  const asked = () => exchange.counts()["GET /api/v3/depth"] ?? 0
  const waiting = () => stats().connectors[0]?.figures?.budget.waiting.market ?? 0
  await until(() => whole.size > 0 && waiting() > BOOKS / 2, "the first books, and many that wait")
  // All streams begin anew, those that wait for their snapshot as well.
  exchange.fault({ fault: "closeSockets", kind: "market" })
  await until(() => downs.length > 0, "the news of the cut")
  const before = { downs: downs.length, asked: asked() }
  await until(() => whole.size === BOOKS, "all books", 100_000)
  expect(downs.slice(before.downs).every((reason) => reason.includes("NETWORK"))).toBe(true)
  // Each stream asks once more at most, although it began twice.
  expect(asked() - before.asked).toBeLessThanOrEqual(BOOKS)
  expect(snapshots).toBe(asked())
  // Nobody took its waiting for a loss.
  expect(exchange.counts()["WS UNSUBSCRIBE"] ?? 0).toBe(0)
})
