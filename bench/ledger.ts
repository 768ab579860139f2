/**
 * `ledger`: transfers that all touch one hot wallet, through the ledger's writer, against the same function called for one transfer per
 * transaction by 16 connections. The one thing to know: both are durable before they are counted, and afterwards the journal is counted.
 */
import { randomUUID } from "node:crypto"
import type pg from "pg"
import type { TenantId } from "../src/domain/ids.ts"
import { accountingWallet, type WalletId } from "../src/domain/wallet/wallet.ts"
import { batchText, type LedgerWriter, startLedgerWriter } from "../src/ledger/ledger-writer.ts"
import type { LedgerOutcome, LedgerRequest } from "../src/ports/ledger-port.ts"
import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { connectDedicated, migrate } from "../src/store/postgres/sql.ts"
import { single } from "../test/kit/worlds/ledger-rig.ts"
import { endGateways, scratch } from "./kit/gateway.ts"
import { medians, percentiles, type Result, row, runBench, say } from "./kit/report.ts"

const TENANT = "default" as TenantId
const WORLD = accountingWallet(TENANT, "WORLD", 0).walletId
const FENCE = { nodeId: "gateway", epoch: 1 }
const WALLETS = 200
const FLOOR_CONNECTIONS = 16
const CALLERS = 256
const ROUND_MILLIS = 4_000
const ROUNDS = 5
const TARGET = { ratio: 8, perSecond: 2_500 }

interface Round {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined
let writer: LedgerWriter | undefined
const clients: Array<pg.Client> = []
const directory = scratch("ledger")

const connect = async (url: string): Promise<pg.Client> => {
  const client = await connectDedicated(url)
  clients.push(client)
  return client
}

const fail = (reason: unknown): never => {
  throw reason instanceof Error ? reason : new Error(String(reason))
}

/** One hot wallet and the others, all funded; every transfer goes to or from the hot one. */
const prepare = async (
  client: pg.Client,
): Promise<{ readonly hot: WalletId; readonly cold: ReadonlyArray<WalletId> }> => {
  const user = randomUUID()
  await client.query("INSERT INTO tenant VALUES ($1, 0)", [TENANT])
  await client.query(
    `INSERT INTO app_user (user_id, email, password_hash, tenant_id, permissions, environments, user_metadata, created_at, updated_at)
     VALUES ($1, 'bench@example.com', '', $2, '{}', '{}', '{}', 0, 0)`,
    [user, TENANT],
  )
  await client.query("INSERT INTO gateway_node VALUES ($1, $2, 0)", [FENCE.nodeId, FENCE.epoch])
  const insert = async (id: string, type: string): Promise<WalletId> => {
    const isOurs = type === "ACCOUNTING"
    await client.query(`INSERT INTO wallet VALUES ($1, $2, $3, 'ACTIVE', false, $4, $5, NULL, '{}', 0, 0)`, [
      id,
      TENANT,
      type,
      isOurs,
      isOurs ? null : user,
    ])
    return id as WalletId
  }
  await insert(WORLD, "ACCOUNTING")
  const hot = await insert(randomUUID(), "EXCHANGE")
  const cold: Array<WalletId> = []
  for (let i = 0; i < WALLETS; i++) cold.push(await insert(randomUUID(), "CLIENT"))
  return { hot, cold }
}

const transferOf = (from: WalletId, to: WalletId, amount: string): Omit<LedgerRequest, "settled"> => ({
  requestId: randomUUID(),
  transfers: [single(from, to, amount)],
  facts: [],
})

const bench = async (): Promise<Result> => {
  server = await startEmbeddedPostgres({ dataDir: directory })
  const url = server.url()
  await migrate(url)
  const client = await connect(url)
  const { hot, cold } = await prepare(client)
  const ledger = startLedgerWriter({
    ...FENCE,
    connect: () => connectDedicated(url, { statementTimeoutMillis: 4_500 }),
    lost: fail,
    defect: fail,
    warn: say,
    now: Date.now,
  })
  writer = ledger
  const ask = (request: Omit<LedgerRequest, "settled">): Promise<LedgerOutcome> =>
    new Promise((settled) => ledger.post({ ...request, settled }))
  await Promise.all([hot, ...cold].map((wallet) => ask(transferOf(WORLD, wallet, "1000000000"))))
  let acknowledged = 1 + cold.length

  let turn = 0
  const next = (): Omit<LedgerRequest, "settled"> => {
    const other = cold[turn++ % cold.length]!
    return turn % 2 === 0 ? transferOf(hot, other, "0.01") : transferOf(other, hot, "0.01")
  }

  /** Callers in a closed loop, each waiting for its own transfer. */
  const measure = async (callers: number, once: (caller: number) => Promise<void>): Promise<Round> => {
    const samples: Array<number> = []
    const beganAt = performance.now()
    const loop = async (caller: number): Promise<void> => {
      while (performance.now() - beganAt < ROUND_MILLIS) {
        const askedAt = performance.now()
        await once(caller)
        samples.push((performance.now() - askedAt) * 1000)
      }
    }
    await Promise.all(Array.from({ length: callers }, (_, caller) => loop(caller)))
    acknowledged += samples.length
    const { p50, p99 } = percentiles(samples)
    return { perSecond: (samples.length * 1000) / (performance.now() - beganAt), p50, p99 }
  }

  const connections = await Promise.all(Array.from({ length: FLOOR_CONNECTIONS }, () => connect(url)))
  const sides = {
    ours: () =>
      measure(CALLERS, async () => {
        const outcome = await ask(next())
        if (outcome._tag !== "Applied") fail(outcome.failure)
      }),
    floor: () =>
      measure(FLOOR_CONNECTIONS, async (caller) => {
        const request = { request: { ...next(), settled: () => {} }, at: Date.now() }
        const { rows } = await connections[caller]!.query({
          name: "ledger_apply",
          text: "SELECT ledger_apply($1::jsonb) AS answer",
          values: [batchText(randomUUID(), FENCE, [request])],
        })
        if (rows[0].answer.results[0][0] !== null) fail(rows[0].answer.results[0][0])
      }),
  }
  say(row("", "transfers/s", "p50 us", "p99 us"))
  await sides.ours()
  const rounds = { ours: [] as Array<Round>, floor: [] as Array<Round> }
  for (let round = 0; round < ROUNDS; round++)
    for (const side of round % 2 === 0 ? (["ours", "floor"] as const) : (["floor", "ours"] as const))
      rounds[side].push(await sides[side]())
  const ours = medians(rounds.ours)
  const floor = medians(rounds.floor)
  const ratio = medians(rounds.ours.map((it, i) => ({ ratio: it.perSecond / rounds.floor[i]!.perSecond }))).ratio
  say(row(`ours: ${CALLERS} callers, one writer`, ours.perSecond, ours.p50, ours.p99))
  say(row(`floor: ${FLOOR_CONNECTIONS} connections, one each`, floor.perSecond, floor.p50, floor.p99))
  const stored = Number((await client.query("SELECT count(*) AS n FROM ledger_transfer")).rows[0].n)
  const violations = (await client.query("SELECT what FROM ledger_violation")).rowCount ?? 0
  const { batches, requests } = ledger.stats()
  say(`${ratio.toFixed(1)} times the floor; target ${TARGET.ratio} and ${TARGET.perSecond} transfers/s`)
  say(`journal: ${stored} rows of ${acknowledged} acknowledged; violations ${violations}`)
  return {
    bench: "ledger",
    conditions: { callers: CALLERS, floorConnections: FLOOR_CONNECTIONS, roundMillis: ROUND_MILLIS, rounds: ROUNDS },
    figures: { ...ours, lost: acknowledged - stored, violations, batchSize: requests / batches },
    floor,
    ratio,
  }
}

void runBench(bench, async () => {
  writer?.close()
  await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  await server?.stop()
  await endGateways()
})
