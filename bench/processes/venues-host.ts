/** The workers of `venues`, hosted as the gateway hosts them: starts venues and counts their books, and nothing else. */
import { Effect, Exit, Scope } from "effect"
import type { InstrumentId } from "../../src/domain/ids.ts"
import type { MarketSource } from "../../src/ports/market-source.ts"
import { PROFILES } from "../../src/venues/adapters/registry.ts"
import { type CcxtVenues, ccxtVenues } from "../../src/venues/connector/ccxt-venue.ts"
import type { ShardRule } from "../../src/venues/connector/placement.ts"
import { answer } from "../kit/child.ts"
import { sleep } from "../kit/report.ts"
import { ownCpuMicros } from "../kit/usage.ts"

let scope: Scope.CloseableScope | undefined
let venues: CcxtVenues | undefined
let source: MarketSource | undefined
const whole = new Set<string>()
let updates = 0

/** One venue per exchange: its first profile. */
const EXCHANGES = [...new Map(PROFILES.toReversed().map((profile) => [profile.exchange, profile])).values()].reverse()

answer(
  {
    /** Answers how many venues there are. */
    start: async ({
      rule,
      routes,
    }: {
      readonly rule: ShardRule
      readonly routes: Readonly<Record<string, string>>
    }) => {
      scope = await Effect.runPromise(Scope.make())
      venues = await Effect.runPromise(
        ccxtVenues({ venueRoutes: routes, venuesInactive: [], shards: rule }, EXCHANGES).pipe(Scope.extend(scope)),
      )
      return venues.venues.length
    },
    /** Uses every venue at once; answers the ms until the last connector was ready. */
    useAll: async (): Promise<number> => {
      const from = performance.now()
      // Without a route to any venue the question fails; by then its connector is there.
      await Promise.allSettled((venues?.venues ?? []).map((venue) => Effect.runPromise(venue.instruments(null))))
      while (venues?.stats().connectors.some(({ state }) => state !== "up") === true) await sleep(5)
      return performance.now() - from
    },
    openBooks: ({ venue, symbols }: { readonly venue: string; readonly symbols: ReadonlyArray<string> }) => {
      const found = venues?.venues.find((each) => each.venue.venue === venue)
      source = found?.market({
        depth: ({ instrumentId, snapshot }) => {
          updates += 1
          if (snapshot) whole.add(instrumentId)
        },
        trades: () => undefined,
        tradesMissed: () => undefined,
        ticker: () => undefined,
        kline: () => undefined,
        unstreamed: () => undefined,
        down: (_, instrumentId) => void whole.delete(instrumentId),
      })
      for (const symbol of symbols) source?.open("book", `${venue}:${symbol}` as InstrumentId)
    },
    books: () => ({ whole: whole.size, updates }),
    stats: () => venues?.stats(),
    cpuMicros: ownCpuMicros,
  },
  async () => {
    if (scope !== undefined) await Effect.runPromise(Scope.close(scope, Exit.void))
  },
)
