/**
 * `quote`: requests for quotes over HTTP, each a firm price with its reservation, durable before it is answered. The floor is one durable
 * transfer of the same ledger in the same way (`wallet/transfer`): a quote adds its price, its row and its events on two accounts. The one thing
 * to know: open loop, counted from the planned send time, and afterwards every answered quote is looked up in the database.
 */

import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { connectDedicated } from "../src/store/postgres/sql.ts"
import { type Child, startChild } from "./kit/child.ts"
import { connectMockAccount, endGateways, type Gateway, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { medians, type Result, row, runBench, say, sleep } from "./kit/report.ts"
import type { Outcome, Plan, Target } from "./processes/http-load.ts"

/** One client asks for more than any may: neither rates nor caps of open quotes are what is measured. */
const RATE_LIMITS = JSON.stringify({
  http: { perSecond: 100_000, burst: 100_000 },
  orderCalls: { perSecond: 100_000, burst: 100_000 },
  orderSubmitUser: { perSecond: 100_000, burst: 100_000 },
  quoteRequest: { perSecond: 100_000, burst: 100_000 },
  quoteRequestUser: { perSecond: 100_000, burst: 100_000 },
  openQuotes: 100_000,
  openQuotesPerUser: 100_000,
  openQuotesPerClient: 100_000,
})

const CONNECTIONS = 16
const PER_SECOND = 100
const ROUND_MILLIS = 4_000
const ROUNDS = 5
const TARGET = { p50: 2_000, p99: 20_000 }

let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined

const requestOf = (path: string, token: string, body: unknown): string => {
  const text = JSON.stringify(body)
  return [
    `POST /api/v3${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
    "",
    text,
  ].join("\r\n")
}

/** A dealer with inventory, a client who can pay (decision 46), and two wallets more for the floor. */
const prepare = async (gateway: Gateway) => {
  const { accessToken, call } = await signUp(gateway, gateway.setupToken)
  const dealer = await call<{ dealerAccountId: string; walletId: string }>("/dealer/create", {
    name: "Bench",
    baseCurrencies: ["USDT"],
    config: { pricing: { allowSimulatedVenues: true } },
  })
  const { dealerAccountId } = dealer
  const tradingAccountId = await connectMockAccount({ accessToken, call }, "source")
  await call("/dealer/account/link", { dealerAccountId, tradingAccountId })
  const client = await call<{ tradingAccountId: string; walletId: string }>("/tradingAccount/connect", {
    venue: "INTERNAL",
  })
  const [from, to] = [
    await call<{ walletId: string }>("/wallet/create", {}),
    await call<{ walletId: string }>("/wallet/create", {}),
  ]
  for (const walletId of [dealer.walletId, client.walletId, from.walletId])
    for (const asset of ["BTC", "USDT"]) await call("/wallet/deposit", { walletId, asset, amount: "1000000000" })
  const quote = (orderSide: string) => ({
    dealerAccountId,
    traderAccountId: client.tradingAccountId,
    instrumentId: "INTERNAL:BTC/USDT",
    orderSide,
    quantity: "0.01",
    ttl: 1,
  })
  // The first request opens the feed; a book is there in a moment.
  for (let tries = 0; tries < 100; tries++) {
    const { status } = await call<{ status: string }>("/quote/request", quote("BUY"))
    if (status === "CREATED") break
    await sleep(100)
  }
  const transfer = { sourceWalletId: from.walletId, destWalletId: to.walletId, asset: "USDT", amount: "0.01" }
  return {
    ours: ["BUY", "SELL"].map((side) => requestOf("/quote/request", accessToken, quote(side))),
    floor: [requestOf("/wallet/transfer", accessToken, transfer)],
  }
}

const bench = async (): Promise<Result> => {
  server = await startEmbeddedPostgres({ dataDir: scratch("quote-database") })
  const gateway = await startGateway({ DATA_DIR: scratch("quote"), DATABASE_URL: server.url(), RATE_LIMITS })
  const requests = await prepare(gateway)
  const database = await connectDedicated(server.url())
  const count = async (text: string): Promise<number> => Number((await database.query(text)).rows[0].n)
  const before = await count("SELECT count(*) AS n FROM quote")
  const load: Child = await startChild("http-load")
  let answered = 0
  const measure = async (side: keyof typeof requests, millis: number) => {
    await load.ask("open", { port: gateway.port, connections: CONNECTIONS, requests: requests[side] } satisfies Target)
    const outcome = await load.ask<Outcome>("run", { millis, perSecond: PER_SECOND } satisfies Plan)
    if (outcome.refused > 0) throw new Error(`${outcome.refused} answers are not 200: ${outcome.firstRefusal}`)
    if (side === "ours") answered += outcome.requests
    const { p50, p99, p999, unsent } = outcome
    return { p50, p99, p999, unsent }
  }
  say(row("", "p50 us", "p99 us", "p99.9 us", "unsent"))
  for (const side of ["ours", "floor"] as const) await measure(side, 2_000)
  const rounds = {
    ours: [] as Array<Awaited<ReturnType<typeof measure>>>,
    floor: [] as Array<Awaited<ReturnType<typeof measure>>>,
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const side of round % 2 === 0 ? (["ours", "floor"] as const) : (["floor", "ours"] as const))
      rounds[side].push(await measure(side, ROUND_MILLIS))
  const ours = medians(rounds.ours)
  const floor = medians(rounds.floor)
  say(row("a quote", ours.p50, ours.p99, ours.p999, ours.unsent))
  say(row("a transfer", floor.p50, floor.p99, floor.p999, floor.unsent))
  const stored = (await count("SELECT count(*) AS n FROM quote")) - before
  const firm = (await count("SELECT count(*) AS n FROM quote WHERE status <> 'REJECTED'")) - before
  // Those of the last second are over by then, and every account has told what became of them.
  await sleep(3_000)
  const open = await count("SELECT count(*) AS n FROM quote WHERE open")
  const untold = await count("SELECT count(*) AS n FROM quote_news")
  const violations = (await database.query("SELECT what FROM ledger_violation")).rowCount ?? 0
  const added = (ours.p50 - floor.p50) / 1000
  say(`${added.toFixed(2)} ms more than a transfer; target p50 ${TARGET.p50} us, p99 ${TARGET.p99} us`)
  say(
    `quotes: ${stored} stored of ${answered} answered, ${firm} firm; ${open} still open, ${untold} not told, violations ${violations}`,
  )
  await database.end()
  await gateway.stop()
  return {
    bench: "quote",
    conditions: { connections: CONNECTIONS, perSecond: PER_SECOND, roundMillis: ROUND_MILLIS, rounds: ROUNDS },
    figures: { ...ours, lost: answered - stored, rejected: stored - firm, open, untold, violations },
    floor,
    ratio: added,
  }
}

void runBench(bench, async () => {
  await server?.stop()
  await endGateways()
})
