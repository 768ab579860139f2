/**
 * `matcher`: orders a second at the internal venue: the matcher alone, the book with its settlements, and the whole market on its ledger. The
 * floor sends the same requests, recorded on the way, to the same SQL one transaction each. The one thing to know: the durable figure counts
 * orders whose final report has arrived, and afterwards the journal is checked for all of them.
 */
import { randomUUID } from "node:crypto"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import type pg from "pg"
import type { TradingAccount } from "../src/domain/account/trading-account.ts"
import { Decimal } from "../src/domain/decimal.ts"
import type { TenantId, TradeOrderId, TradingAccountId, UserId } from "../src/domain/ids.ts"
import { INTERNAL, type InternalOrder, internalInstrumentId } from "../src/domain/order/internal-order.ts"
import { ACCOUNTING_PURPOSES, accountingWallet, type WalletId } from "../src/domain/wallet/wallet.ts"
import { ledgerLayer } from "../src/ledger/ledger.ts"
import { batchText } from "../src/ledger/ledger-writer.ts"
import { clockLive, failpointLive, idsLive } from "../src/live.ts"
import { LedgerPort, type LedgerRequest } from "../src/ports/ledger-port.ts"
import type { SessionReport, VenueSession } from "../src/ports/venue-session.ts"
import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { InternalStoreLive } from "../src/store/ledger/internal-orders.ts"
import { LedgerJournal } from "../src/store/ledger/journal.ts"
import { Wallets } from "../src/store/ledger/wallets.ts"
import { connectDedicated, migrate, sqlLayer } from "../src/store/postgres/sql.ts"
import { InternalBook } from "../src/venues/internal/book.ts"
import { internalVenue } from "../src/venues/internal/venue.ts"
import { Matcher } from "../src/venues/matching/matcher.ts"
import { instrumentOf } from "../test/kit/records/instruments.ts"
import { endGateways, scratch } from "./kit/gateway.ts"
import { medians, percentiles, type Result, row, runBench, say } from "./kit/report.ts"

const TENANT = "default" as TenantId
const FENCE = { nodeId: "gateway", epoch: 1 }
const CALLERS = 64
const ROUND_MILLIS = 4_000
const ROUNDS = 5
const IN_MEMORY = 100_000
/** Of a hundred orders: so many cross the book, of the others every second is cancelled. */
const CROSSING = 30

const instrument = instrumentOf(internalInstrumentId("BTC", "USD"), { tenantId: TENANT })
const fees = { makerRate: Decimal.of("0.0005"), takerRate: Decimal.of("0.001") }

let seed = 42
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed % below
}
/** Passive: up to 5.00 away from 100; crossing: through all of it. */
const drawn = () => {
  const side = random(2) === 0 ? ("BUY" as const) : ("SELL" as const)
  const crosses = random(100) < CROSSING
  const away = crosses ? -600 : 1 + random(500)
  return { side, crosses, price: side === "BUY" ? 10_000 - away : 10_000 + away, quantity: 1 + random(50) }
}

const matcherAlone = (): number => {
  const matcher = new Matcher("NONE")
  const beganAt = performance.now()
  for (let i = 0; i < IN_MEMORY; i++) {
    const { side, crosses, price, quantity } = drawn()
    const timeInForce = crosses ? "IOC" : "GTC"
    const id = `${i}`
    matcher.submit({
      id,
      owner: `${i % CALLERS}`,
      side,
      price: BigInt(price),
      quantity: BigInt(quantity),
      timeInForce,
      postOnly: false,
    })
    if (!crosses && i % 2 === 0) matcher.cancel(id)
  }
  return (IN_MEMORY * 1000) / (performance.now() - beganAt)
}

const bookInMemory = (): number => {
  let ids = 0
  const book = new InternalBook({ instrument, fees, uuid: () => `${++ids}`, now: () => 0 })
  const beganAt = performance.now()
  for (let i = 0; i < IN_MEMORY; i++) {
    const { side, crosses, price, quantity } = drawn()
    const order = {
      ...orderOf(i, `${i % CALLERS}`, side, price, quantity),
      timeInForce: crosses ? ("IOC" as const) : ("GTC" as const),
    }
    const settlement = book.begin()
    book.take(order, "NEW", settlement, 50)
    if (!crosses && i % 2 === 0) book.cancel(order.tradeOrderId, settlement)
    settlement.finish()
    book.commit(settlement, null)
  }
  return (IN_MEMORY * 1000) / (performance.now() - beganAt)
}

const orderOf = (
  i: number,
  user: string,
  orderSide: "BUY" | "SELL",
  price: number,
  quantity: number,
): InternalOrder => ({
  tradeOrderId: `${i}` as TradeOrderId,
  tradingAccountId: user as TradingAccountId,
  tenantId: TENANT,
  ownerId: user as UserId,
  walletId: user as WalletId,
  instrumentId: instrument.instrumentId,
  orderSide,
  orderType: "LIMIT",
  timeInForce: "GTC",
  limitPrice: Decimal.fromUnits(BigInt(price), 2),
  quantity: Decimal.fromUnits(BigInt(quantity), 3),
  budget: null,
  executed: Decimal.ZERO,
  status: "OPEN",
  ending: null,
  sequence: i,
  holdId: `hold-${i}`,
  held: Decimal.ZERO,
  createdAt: 0,
  updatedAt: 0,
})

/** A database with funded wallets; the same ids every time, so that recorded requests fit. */
const prepare = async (url: string, accounts: ReadonlyArray<TradingAccount>): Promise<pg.Client> => {
  await migrate(url)
  const client = await connectDedicated(url)
  await client.query("INSERT INTO tenant VALUES ($1, 0)", [TENANT])
  await client.query("INSERT INTO gateway_node VALUES ($1, $2, 0)", [FENCE.nodeId, FENCE.epoch])
  const wallet = "INSERT INTO wallet VALUES ($1, $2, $3, 'ACTIVE', false, $4, $5, NULL, '{}', 0, 0)"
  for (const purpose of ACCOUNTING_PURPOSES) {
    const { walletId } = accountingWallet(TENANT, purpose, 0)
    await client.query(wallet, [walletId, TENANT, "ACCOUNTING", true, null])
  }
  for (const { userId, walletId } of accounts) {
    await client.query(
      `INSERT INTO app_user (user_id, email, password_hash, tenant_id, permissions, environments, user_metadata, created_at, updated_at)
       VALUES ($1, $2, '', $3, '{}', '{}', '{}', 0, 0)`,
      [userId, `${userId}@example.com`, TENANT],
    )
    await client.query(wallet, [walletId, TENANT, "CLIENT", false, userId])
    for (const asset of ["BTC", "USD"]) {
      const { rows } = await client.query("SELECT ledger_apply($1::jsonb) AS answer", [
        batchText(randomUUID(), FENCE, [
          { request: { ...deposit(walletId!, asset), settled: () => undefined }, at: Date.now() },
        ]),
      ])
      if (rows[0].answer.results[0][0] !== null) throw new Error(`a deposit was refused: ${JSON.stringify(rows)}`)
    }
  }
  return client
}

const deposit = (walletId: WalletId, asset: string): Omit<LedgerRequest, "settled"> => ({
  requestId: randomUUID(),
  facts: [],
  transfers: [
    {
      kind: "single",
      transferId: randomUUID(),
      pendingId: null,
      debitWalletId: accountingWallet(TENANT, "WORLD", 0).walletId,
      creditWalletId: walletId,
      asset,
      amount: Decimal.of("1000000000"),
      code: "DEPOSIT",
      reference: null,
      expiresAt: null,
    },
  ],
})

const accountOf = (): TradingAccount => {
  const walletId = randomUUID() as WalletId
  return {
    tradingAccountId: randomUUID() as TradingAccountId,
    tenantId: TENANT,
    userId: randomUUID() as UserId,
    version: 1,
    venue: INTERNAL,
    externalTradingAccountId: walletId,
    nickname: "bench",
    status: "ACTIVE",
    walletId,
    dealerAccountId: null,
    credentials: [],
    initialBalances: [],
    channelEpoch: "bench",
    createdAt: 0,
    updatedAt: 0,
    disconnectedAt: null,
    cancelAllAt: null,
  }
}

interface Desk {
  readonly session: VenueSession
  /** Runs at the report that is an order's last word for now. */
  readonly waiting: Map<string, (report: SessionReport) => void>
}

/** The venue on its ledger, with a session per account; what it asks of the ledger is recorded. */
const openVenue = async (url: string, accounts: ReadonlyArray<TradingAccount>, recorded: Array<LedgerRequest>) => {
  const scope = Effect.runSync(Scope.make())
  const repositories = Layer.mergeAll(Wallets.Default, LedgerJournal.Default).pipe(
    Layer.provideMerge(sqlLayer(url)),
    Layer.provideMerge(Layer.mergeAll(clockLive, idsLive, failpointLive(null))),
  )
  const lost = (reason: string): never => {
    throw new Error(reason)
  }
  const ledger = ledgerLayer({
    url,
    ...FENCE,
    lost,
    defect: (error) => lost(String(error)),
    warn: say,
    notice: (what) => say(what),
    expiryMillis: 60_000,
    auditMaxAgeMillis: 86_400_000,
    auditWholeMaxAgeMillis: 86_400_000,
    auditMillis: 600_000,
  })
  const layer = InternalStoreLive.pipe(Layer.provideMerge(ledger), Layer.provideMerge(repositories))
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const inner = Context.get(context, LedgerPort)
  const recording = Context.add(context, LedgerPort, {
    ...inner,
    post: (request) => {
      recorded.push(request)
      inner.post(request)
    },
  })
  const making = internalVenue({ fees, environment: "PROD", instruments: [instrument], notice: (what) => say(what) })
  const venue = await Effect.runPromise(making.pipe(Effect.provide(recording), Scope.extend(scope)))
  const desks: Array<Desk> = []
  for (const account of accounts) {
    const waiting: Desk["waiting"] = new Map()
    const report = (it: SessionReport): void => {
      const id = "tradeOrderId" in it ? it.tradeOrderId : it._tag === "OrderSeen" ? it.state.tradeOrderId : null
      const fill = it._tag === "Filled" ? it.fill.tradeOrderId : null
      const run = waiting.get(id ?? fill ?? "")
      run?.(it)
    }
    const opening = venue.adapter.openSession({ account, secrets: null, report })
    desks.push({ waiting, session: await Effect.runPromise(Scope.extend(opening, scope)) })
  }
  return { desks, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** One order to its end: rest, and for every second a cancel; or a trade. */
const once = ({ session, waiting }: Desk, mine: Array<string>): Promise<void> =>
  new Promise((resolve, reject) => {
    const { side, crosses, price, quantity } = drawn()
    const tradeOrderId = randomUUID() as TradeOrderId
    const isCancelled = random(2) === 0
    const wanted = Decimal.fromUnits(BigInt(quantity), 3)
    let filled = Decimal.ZERO
    const done = (): void => {
      waiting.delete(tradeOrderId)
      mine.push(tradeOrderId)
      resolve()
    }
    waiting.set(tradeOrderId, (it) => {
      if (it._tag === "Refused") return reject(new Error(`${it.code}: ${it.text}`))
      if (it._tag === "CancelAccepted" || it._tag === "CancelRefused" || it._tag === "OrderSeen") return done()
      if (it._tag === "Filled") {
        filled = filled.add(Decimal.of(it.fill.quantity))
        if (filled.equals(wanted)) done()
      }
      if (it._tag !== "Accepted" || crosses) return
      if (isCancelled) session.cancel({ tradeOrderId, externalOrderId: null, instrumentId: instrument.instrumentId })
      else done()
    })
    session.submit({
      tradeOrderId,
      instrumentId: instrument.instrumentId,
      orderSide: side,
      orderType: "LIMIT",
      timeInForce: crosses ? "IOC" : "GTC",
      quantity: wanted.toString(),
      limitPrice: Decimal.fromUnits(BigInt(price), 2).toString(),
      notAfter: Date.now() + 60_000,
    })
  })

const bench = async (): Promise<Result> => {
  const memory = { matcher: 0, book: 0 }
  for (let i = 0; i < 3; i++) {
    memory.matcher = Math.max(memory.matcher, matcherAlone())
    memory.book = Math.max(memory.book, bookInMemory())
  }
  say(row("", "orders/s"))
  say(row("the matcher alone, in memory", memory.matcher))
  say(row("the book with its settlements, in memory", memory.book))

  const accounts = Array.from({ length: CALLERS }, accountOf)
  const ours = await startEmbeddedPostgres({ dataDir: scratch("matcher") })
  const client = await prepare(ours.url(), accounts)
  const recorded: Array<LedgerRequest> = []
  const { desks, close } = await openVenue(ours.url(), accounts, recorded)
  const orders: Array<string> = []
  const round = async () => {
    const samples: Array<number> = []
    const beganAt = performance.now()
    const loop = async (desk: Desk): Promise<void> => {
      while (performance.now() - beganAt < ROUND_MILLIS) {
        const askedAt = performance.now()
        await once(desk, orders)
        samples.push((performance.now() - askedAt) * 1000)
      }
    }
    await Promise.all(desks.map(loop))
    const { p50, p99 } = percentiles(samples)
    return { perSecond: (samples.length * 1000) / (performance.now() - beganAt), p50, p99 }
  }
  await round()
  const warm = recorded.length
  const before = orders.length
  const rounds = []
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round())
  const durable = medians(rounds)
  const count = async (what: string): Promise<number> =>
    Number((await client.query(`SELECT count(*) AS n FROM ${what}`)).rows[0].n)
  const [stored, trades, violations] = [
    await count("internal_order"),
    await count("internal_trade"),
    await count("ledger_violation"),
  ]
  say(row(`durable, ${CALLERS} callers`, durable.perSecond, durable.p50, durable.p99))
  await close()
  await client.end()
  await ours.stop()

  // The floor: what was asked of the ledger, one transaction each, in the same order on a database that begins like ours.
  const floorServer = await startEmbeddedPostgres({ dataDir: scratch("matcher-floor") })
  const floorClient = await prepare(floorServer.url(), accounts)
  const replay = async (requests: ReadonlyArray<LedgerRequest>, untilAt: number): Promise<number> => {
    let sent = 0
    for (const request of requests) {
      if (performance.now() > untilAt) break
      await floorClient.query({
        name: "ledger_apply",
        text: "SELECT ledger_apply($1::jsonb) AS answer",
        values: [batchText(randomUUID(), FENCE, [{ request, at: Date.now() }])],
      })
      sent++
    }
    return sent
  }
  await replay(recorded.slice(0, 500), Number.POSITIVE_INFINITY)
  const floorAt = performance.now()
  const sent = await replay(recorded.slice(500), floorAt + 4 * ROUND_MILLIS)
  const requestsPerOrder = (recorded.length - warm) / (orders.length - before)
  const floor = { perSecond: (sent * 1000) / (performance.now() - floorAt) / requestsPerOrder, requestsPerOrder }
  await floorClient.end()
  await floorServer.stop()
  say(row("floor: the same requests, a transaction each", floor.perSecond))
  const ratio = durable.perSecond / floor.perSecond
  say(
    `${ratio.toFixed(1)} times the floor; journal: ${stored} of ${orders.length} orders, ${trades} trades, violations ${violations}`,
  )
  return {
    bench: "matcher",
    conditions: {
      callers: CALLERS,
      roundMillis: ROUND_MILLIS,
      rounds: ROUNDS,
      crossing: CROSSING,
      inMemory: IN_MEMORY,
    },
    figures: {
      inMemoryMatcher: memory.matcher,
      inMemoryBook: memory.book,
      ...durable,
      trades,
      requestsPerOrder,
      lost: orders.length - stored,
      violations,
    },
    floor,
    ratio,
  }
}

void runBench(bench, endGateways)
