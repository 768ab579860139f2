/** Two processes on one database that list instruments, each with a memory of its own: what one has stored the other does not undo. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { TradingAccounts } from "../../../src/actors/account/messages.ts"
import { InstrumentDirectory } from "../../../src/actors/market/instrument-directory.ts"
import { ownMarkets } from "../../../src/composition/venues.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, TenantId, VenueId } from "../../../src/domain/ids.ts"
import { type Instrument, MARKET_TERMS } from "../../../src/domain/instrument/instrument.ts"
import { makeInstrumentSync } from "../../../src/http/market/instrument-sync.ts"
import { clockLive } from "../../../src/live.ts"
import { Instruments } from "../../../src/store/market/instruments.ts"
import { TradeOrders } from "../../../src/store/orders/trade-orders.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { InternalVenue } from "../../../src/venues/internal/venue.ts"
import { instrumentOf } from "../../kit/records/instruments.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { query } from "../store/account-store-rig.ts"

const database = withTestDatabase()
const VENUE = "BINANCE" as VenueId
const TENANT = "default" as TenantId

/** Of one process: its own directory, and what it lists at the venue of its own. */
const processOf = async () => {
  const open: Array<string> = []
  const list = ({ instrumentId, status }: Instrument) => Effect.sync(() => void open.push(`${instrumentId} ${status}`))
  // Nothing is open at a market, so no account is asked.
  const others = Layer.mergeAll(
    Layer.succeed(InternalVenue, { list } as unknown as InternalVenue["Type"]),
    Layer.succeed(TradingAccounts, {} as TradingAccounts["Type"]),
    InstrumentDirectory.Default,
    clockLive,
  )
  const runtime = ManagedRuntime.make(
    Layer.merge(
      Layer.mergeAll(Instruments.Default, TradeOrders.Default).pipe(Layer.provide(sqlLayer(database().url))),
      others,
    ),
  )
  const directory = await runtime.runPromise(InstrumentDirectory)
  const { upsert } = await runtime.runPromise(Instruments)
  const markets = await runtime.runPromise(ownMarkets({ defaultTenantId: TENANT }))
  let listed: ReadonlyArray<Instrument> = []
  const sync = makeInstrumentSync({
    venues: {
      instruments: (_venue, symbols) => Effect.succeed(listed.filter((it) => symbols?.includes(it.symbol) ?? true)),
    },
    directory,
    upsert,
    stored: Effect.void,
    isBack: () => undefined,
    isGone: () => undefined,
    isShort: () => undefined,
    outage: () => undefined,
    now: Date.now,
    monotonic: () => performance.now(),
  })
  return {
    open,
    markets,
    directory,
    dispose: () => runtime.dispose(),
    /** The venue lists these now; `asked` of it are fetched. */
    sync: (list: ReadonlyArray<Instrument>, asked: ReadonlyArray<string> | null) => {
      listed = list
      return runtime.runPromise(sync.sync(VENUE, asked))
    },
  }
}

let first: Awaited<ReturnType<typeof processOf>>
let second: Awaited<ReturnType<typeof processOf>>
beforeAll(async () => {
  await query(database().url, "INSERT INTO tenant VALUES ($1, 0) ON CONFLICT DO NOTHING", [TENANT])
  ;[first, second] = [await processOf(), await processOf()]
})
afterAll(() => Promise.all([first, second].map(({ dispose }) => dispose())))

const stored = async (venue: string) =>
  Object.fromEntries(
    (
      await query(
        database().url,
        "SELECT symbol, concat_ws(' ', status, trim_scale(tick_size)) AS is FROM instrument WHERE venue = $1 ORDER BY 1",
        [venue],
      )
    ).map((row) => [row["symbol"], row["is"]]),
  )

it("says of a venue's list only what the venue said", async () => {
  const [btc, eth, sol] = ["BTC", "ETH", "SOL"].map((base) => instrumentOf(`${VENUE}:${base}/USDT`))
  await first.sync([btc!, eth!], null)
  await second.sync([btc!, eth!], null)
  // A listing and another step, which the second has not heard of; it asks for another one.
  const finer = { ...eth!, tickSize: Decimal.of("0.001") }
  await first.sync([btc!, finer, sol!], null)
  await second.sync([btc!, finer, sol!], ["BTC/USDT"])
  expect(await stored(VENUE)).toEqual({
    "BTC/USDT": `ACTIVE ${btc!.tickSize}`,
    "ETH/USDT": "ACTIVE 0.001",
    "SOL/USDT": `ACTIVE ${sol!.tickSize}`,
  })
  // And one that is gone is gone.
  await second.sync([finer, sol!], ["BTC/USDT"])
  expect((await stored(VENUE))["BTC/USDT"]).toBe(`DELISTED ${btc!.tickSize}`)
})

it("lists and retires markets of a tenant as they are stored", async () => {
  const audited =
    () =>
    <A>(storing: A) =>
      storing
  const { instrumentId: _id, tenantId: _tenant, ...market } = instrumentOf("INTERNAL:BTC/USDT")
  const list = ({ markets }: typeof first, tickSize: string) =>
    Effect.runPromise(Effect.either(markets.list({ ...market, tickSize: Decimal.of(tickSize) }, TENANT, audited)))
  const id = "INTERNAL:BTC/USDT" as InstrumentId
  expect(await list(first, "0.5")).toMatchObject({ _tag: "Right", right: { instrumentId: id } })
  expect(await list(second, "0.25")).toMatchObject({
    _tag: "Left",
    left: { _tag: "ConflictingParameters", parameters: MARKET_TERMS },
  })
  expect(await stored("INTERNAL")).toEqual({ "BTC/USDT": "ACTIVE 0.5" })
  // It has heard of it meanwhile, as it is.
  expect([second.open, second.directory.find(id, TENANT)?.tickSize.toString()]).toEqual([[`${id} ACTIVE`], "0.5"])
  expect(await list(second, "0.5")).toMatchObject({ _tag: "Right" })

  await Effect.runPromise(second.markets.retire(id, TENANT, audited))
  // The first takes it for open: what it lists anew is what stands there.
  expect(await list(first, "0.1")).toMatchObject({ _tag: "Right" })
  expect(await stored("INTERNAL")).toEqual({ "BTC/USDT": "ACTIVE 0.1" })
  await Effect.runPromise(second.markets.retire(id, TENANT, audited))
  expect(await stored("INTERNAL")).toEqual({ "BTC/USDT": "DELISTED 0.1" })
})
