/**
 * MOCK, the market data actors and a recording ChannelPort on Effect's TestClock: everything real but the hub and the journal.
 * Build it inside `it.scoped`; `settle` lets everything that is due now happen.
 */
import { Effect, Layer, TestClock } from "effect"
import { InstrumentDirectory } from "../../../src/actors/market/instrument-directory.ts"
import { marketsLayer } from "../../../src/actors/market/markets.ts"
import { Markets } from "../../../src/actors/market/messages.ts"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import type { InstrumentId, TenantId, TradeOrderId, TradingAccountId, UserId } from "../../../src/domain/ids.ts"
import { invalidVenue } from "../../../src/domain/instrument/venue.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { Clock } from "../../../src/ports/clock.ts"
import { Ids } from "../../../src/ports/ids.ts"
import { JournalPort } from "../../../src/ports/journal-port.ts"
import { type VenueHealth, VenuePort } from "../../../src/ports/venue-port.ts"
import type { SessionReport, VenueOrder } from "../../../src/ports/venue-session.ts"
import { MOCK } from "../../../src/venues/mock/instruments.ts"
import { mockVenue } from "../../../src/venues/mock/venue.ts"
import { RecordingChannels } from "./market-channels.ts"

export const BTC = "MOCK:BTC/USDT" as InstrumentId
export const ETH = "MOCK:ETH/USDT" as InstrumentId

/** Lets microtasks, yields and immediates run; time stands still. */
export const settle = Effect.gen(function* () {
  for (let i = 0; i < 3; i++) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
})

/** Lets time pass, in steps short enough that what wakes meanwhile can sleep again. */
export const advance = (millis: number) =>
  Effect.gen(function* () {
    yield* settle
    for (let left = millis; left > 0; left -= 1000) {
      yield* TestClock.adjust(Math.min(1000, left))
      yield* settle
    }
  })

let nextUuid = 1
export const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`
export const newOrderId = (): TradeOrderId => uuid(0x100000 + nextUuid++) as TradeOrderId

export const testClock = Layer.effect(
  Clock,
  Effect.clockWith((clock) =>
    Effect.succeed({
      now: () => clock.unsafeCurrentTimeMillis(),
      monotonic: () => clock.unsafeCurrentTimeMillis(),
    }),
  ),
)
export const countedIds = Layer.sync(Ids, () => {
  let n = 0
  return { uuid: () => uuid(++n) }
})

export interface Journal {
  readonly resting: ReadonlyArray<TradeOrder>
  readonly changes: ReadonlyMap<TradingAccountId, ReadonlyArray<readonly [string, string]>>
}

export const journal = (journaled: Partial<Journal> = {}) =>
  Layer.succeed(JournalPort, {
    restingOrders: () => Effect.succeed(journaled.resting ?? []),
    // A database answers later, never at once.
    balanceChanges: (account) => Effect.yieldNow().pipe(Effect.as(journaled.changes?.get(account) ?? [])),
  })

export const account = (n: number, balances: Readonly<Record<string, string>>): TradingAccount => ({
  tradingAccountId: uuid(n) as TradingAccountId,
  tenantId: "default" as TenantId,
  userId: uuid(0xffff) as UserId,
  version: 1,
  venue: MOCK,
  externalTradingAccountId: `account ${n}`,
  nickname: `account ${n}`,
  status: "ACTIVE",
  credentials: [],
  initialBalances: Object.entries(balances),
  channelEpoch: "epoch",
  createdAt: 0,
  updatedAt: 0,
  disconnectedAt: null,
  cancelAllAt: null,
  walletId: null,
  dealerAccountId: null,
})

export const limit = (
  orderSide: "BUY" | "SELL",
  quantity: string,
  limitPrice: string,
  more: Partial<VenueOrder> = {},
): VenueOrder => ({
  tradeOrderId: newOrderId(),
  instrumentId: BTC,
  orderSide,
  orderType: "LIMIT",
  timeInForce: "GTC",
  quantity,
  limitPrice,
  notAfter: Number.MAX_SAFE_INTEGER,
  ...more,
})

/** MOCK alone, on TestClock. */
export const mockWorld = (
  settings: { readonly mockSeed?: number; readonly mockTickMillis?: number } = {},
  journaled: Partial<Journal> = {},
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.mergeAll(testClock, countedIds, journal(journaled)))
    const { adapter, rig } = yield* mockVenue({ mockSeed: 1, mockTickMillis: 0, ...settings }).pipe(
      Effect.provide(context),
    )
    const open = (opening: TradingAccount) =>
      Effect.gen(function* () {
        const reports: Array<SessionReport> = []
        const session = yield* adapter.openSession({
          account: opening,
          secrets: null,
          report: (report) => reports.push(report),
        })
        return { session, reports, tags: () => reports.map((report) => report._tag) }
      })
    return { adapter, rig, open, context }
  })

/** MOCK and the market data actors over recording channels. */
export const marketWorld = (settings: Parameters<typeof mockWorld>[0] = {}) =>
  Effect.gen(function* () {
    const mock = yield* mockWorld(settings)
    const channels = new RecordingChannels()
    const { adapter } = mock
    const opened: Array<string> = []
    /** What the venue's streams fail with; its history answers all the same. */
    const streams: { outage: VenueHealth["outage"] } = { outage: undefined }
    /** The matcher's book as it stood when its newest update was delivered. */
    const delivered = new Map<InstrumentId, ReturnType<typeof mock.rig.book>>()
    const venuePort = Layer.succeed(VenuePort, {
      venues: [adapter.venue],
      find: (venue) => (venue === MOCK ? adapter.venue : undefined),
      verify: (_, secrets) => adapter.verify(secrets),
      openSession: adapter.openSession,
      instruments: (venue, symbols) => (venue === MOCK ? adapter.instruments(symbols) : invalidVenue(venue)),
      klines: (_, ask) => adapter.klines(ask),
      market: (_, sink) => {
        const source = adapter.market({
          ...sink,
          depth: (update) => {
            delivered.set(update.instrumentId, mock.rig.book(update.instrumentId))
            sink.depth(update)
          },
        })
        return {
          open: (stream, instrumentId) => {
            opened.push(`open ${stream} ${instrumentId}`)
            source.open(stream, instrumentId)
          },
          close: (stream, instrumentId) => {
            opened.push(`close ${stream} ${instrumentId}`)
            source.close(stream, instrumentId)
          },
          resync: (instrumentId) => {
            opened.push(`resync ${instrumentId}`)
            source.resync(instrumentId)
          },
          confirm: source.confirm,
        }
      },
      health: () => [{ ...adapter.health(), outage: streams.outage }],
      stats: () => ({ shards: [], connectors: [] }),
    })
    const parts = Layer.mergeAll(
      venuePort,
      channels.layer,
      InstrumentDirectory.Default,
      Layer.succeedContext(mock.context),
    )
    const built = yield* Layer.build(marketsLayer({ warmFeeds: 0 }).pipe(Layer.provideMerge(parts)))
    const directory = yield* InstrumentDirectory.pipe(Effect.provide(built))
    directory.put(yield* adapter.instruments(null).pipe(Effect.orDie))
    const markets = yield* Markets.pipe(Effect.provide(built))
    return { ...mock, channels, markets, directory, opened, delivered, streams, advance }
  })
