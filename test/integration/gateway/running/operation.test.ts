/** The gateway as its operator sees it: what health says, what the trading mode takes, and a database that stands still. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TradingModeRecord } from "../../../../src/auth/session/trading-mode-switch.ts"
import type { TradingMode } from "../../../../src/domain/account/trading-mode.ts"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../../src/store/embedded/embedded.ts"
import { openDesk } from "../../../kit/desks/quoting.ts"
import { laySeed, scratchDirectory } from "../../../kit/postgres.ts"
import { runAdmin } from "../../../kit/servers/admin-program.ts"
import { founder } from "../../../kit/servers/founder.ts"
import { freezeServer } from "../../../kit/servers/frozen.ts"
import {
  type Api,
  api,
  endGateways,
  type Gateway,
  PASSWORD,
  startGateway,
  until,
} from "../../../kit/servers/gateway.ts"
import { signUp, signUpWithMock } from "../users/people.ts"

const ADMIN = "operator@example.com"
const env: Record<string, string> = {}
let directory: string
let server: EmbeddedPostgres
let gateway: Gateway
let admin: Api

beforeAll(async () => {
  directory = scratchDirectory("server")
  laySeed(directory)
  server = await startEmbeddedPostgres({ dataDir: directory })
  env["DATABASE_URL"] = server.url()
  env["METRICS_PORT"] = "0"
  gateway = await startGateway({ env })
  admin = await founder(gateway, ADMIN)
})
afterAll(async () => {
  await endGateways()
  await server.stop()
})

const health = () => api(gateway).health()

/** One series of the metrics port. */
const metric = async (series: string): Promise<number | undefined> => {
  const url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(gateway.stderr())?.[0] ?? ""
  const line = (await (await fetch(url)).text()).split("\n").find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

const setMode = (calls: Api, tradingMode: TradingMode, reason?: string) =>
  calls.post<TradingModeRecord>("/admin/tradingMode", { tradingMode, ...(reason !== undefined && { reason }) })

const audits = (): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  readFileSync(join(gateway.dataDir, "logs/audit.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ action }) => action === "tradingMode.set")

describe("the health record", () => {
  it("has every check, the venues and the trading mode, and nothing that is nobody's business", async () => {
    // A busy machine may have kept its event loop waiting.
    const record = await until("a healthy service", async () => {
      const found = await health()
      return found.status === "healthy" && found
    })
    expect([record.http, record.tradingMode]).toEqual([200, "online"])
    const checks =
      "service database eventLoop orderWriter ledger upkeep actors venues workers mailOutbox disk clock".split(" ")
    expect(Object.keys(record.checks)).toEqual(checks)
    expect(record.venues["MOCK"]).toMatch(/^(idle|up)$/)
    expect(JSON.stringify(record)).not.toMatch(/postgres|\/dev\/|\/tmp\/|gateway-/)
    expect((await api(gateway).get("/health/live")).record).toBe("ok")
  })

  it("says when a commit could be lost, or the schema is another's, and when that is over", async () => {
    const client = new pg.Client({ connectionString: server.adminUrl() })
    await client.connect()
    const database = async () => {
      const record = await health()
      return [record.http, record.checks["database"]?.reason ?? null] as const
    }
    try {
      await client.query("INSERT INTO schema_migration (id, name, sha256) VALUES (9999, 'later', '')")
      await until("another schema", async () => (await database())[1]?.includes("schema"))
      expect((await database())[0]).toBe(503)
    } finally {
      await client.query("DELETE FROM schema_migration WHERE id = 9999")
      await client.end()
    }
    await until("health", async () => (await database())[0] === 200)
  })
})

describe("the trading mode", () => {
  it("is set by an admin: in force when it answers, in health, in the audit, and cancels go on", async () => {
    const trader = await signUpWithMock(gateway)
    const { tradingAccountId } = trader
    const body = { tradingAccountId, instrumentId: "MOCK:BTC/USDT", orderSide: "BUY", quantity: "0.01" }
    const resting = await trader.calls.submitted({ ...body, orderType: "LIMIT", limitPrice: "1000" })
    const set = await setMode(admin, "cancel_only", "the exchange is down")
    expect(set.record).toMatchObject({ tradingMode: "cancel_only", reason: "the exchange is down" })
    const refused = await trader.calls.submit({ ...body, orderType: "MARKET" })
    expect([refused.status, refused.envelope.errno, refused.envelope.details?.code]).toEqual([
      400,
      -111005,
      "TRADING_HALTED",
    ])
    expect(refused.envelope.details?.metadata).toEqual({ tradingMode: "cancel_only" })
    await until("health to say so", async () => (await health()).tradingMode === "cancel_only")
    expect((await trader.calls.cancelled(tradingAccountId, resting.tradeOrderId)).status).toBe("CANCELLED")
    expect(audits().at(-1)).toMatchObject({ outcome: "ok", what: "cancel_only: the exchange is down" })

    await setMode(admin, "post_only")
    const maker = await trader.calls.submit({ ...body, orderType: "LIMIT_MAKER", limitPrice: "1000" })
    expect(maker.status).toBe(200)
    expect((await trader.calls.submit({ ...body, orderType: "LIMIT", limitPrice: "1000" })).envelope.errno).toBe(
      -111005,
    )
    await setMode(admin, "online")
    expect((await trader.calls.submit({ ...body, orderType: "MARKET" })).status).toBe(200)
  })

  it("gives no quotes and executes none while it is another than online", async () => {
    const desk = await openDesk(gateway, admin)
    const client = await desk.client()
    const quote = await client.quote({ ttl: 60 })
    await setMode(admin, "post_only")
    expect((await client.ask()).envelope.errno).toBe(-111005)
    expect((await client.execute(quote)).envelope.errno).toBe(-111005)
    await setMode(admin, "online")
    expect((await client.execute(quote)).status).toBe(200)
  })

  it("is nobody else's: neither users nor admins of another tenant may set it", async () => {
    const user = await signUp(gateway)
    expect((await setMode(user.calls, "maintenance")).envelope.errno).toBe(-102003)
    const client = new pg.Client({ connectionString: server.adminUrl() })
    await client.connect()
    await client.query("INSERT INTO tenant (tenant_id, created_at) VALUES ('elsewhere', 0) ON CONFLICT DO NOTHING")
    await client.query(
      "UPDATE app_user SET tenant_id = 'elsewhere', permissions = '{read,write,admin}' WHERE email = $1",
      [user.email],
    )
    await client.end()
    const elsewhere = api(gateway).as((await api(gateway).login(user.email, PASSWORD)).record.accessToken)
    expect((await setMode(elsewhere, "maintenance")).envelope.errno).toBe(-102004)
    expect((await setMode(admin, "anything" as never)).status).toBe(400)
    // A record is a second old at most.
    await until("health to say so", async () => (await health()).tradingMode === "online")
    expect(audits().at(-1)).toMatchObject({ outcome: "TenantForbidden" })
  })

  it("is set by the command line, too, and outlives a restart", async () => {
    const done = await runAdmin({ DATA_DIR: gateway.dataDir, ...env }, [
      "trading-mode",
      "maintenance",
      "moving",
      "house",
    ])
    expect([done.code, JSON.parse(done.stdout)]).toMatchObject([
      0,
      { tradingMode: "maintenance", reason: "moving house" },
    ])
    await until("the gateway to follow", async () => (await health()).tradingMode === "maintenance")
    expect(audits().at(-1)).toMatchObject({ outcome: "ok", what: "maintenance: moving house", ip: "local" })
    await gateway.stop()
    gateway = await startGateway({ env, dataDir: gateway.dataDir })
    admin = api(gateway).as((await api(gateway).login(ADMIN)).record.accessToken)
    expect((await health()).tradingMode).toBe("maintenance")
    expect((await setMode(admin, "online")).status).toBe(200)
  })
})

describe("a database that stands still", () => {
  it("makes the gateway not ready, leaves nobody waiting, and takes nothing that was acknowledged with it", async () => {
    const trader = await signUpWithMock(gateway)
    const { tradingAccountId } = trader
    const body = { tradingAccountId, instrumentId: "MOCK:BTC/USDT", orderSide: "BUY", orderType: "LIMIT" }
    const order = (key: string) => ({ ...body, quantity: "0.01", limitPrice: "1000", idempotencyKey: key })
    const before = (await trader.calls.submit(order("before"))).record.tradeOrderId
    const thaw = freezeServer(directory)
    try {
      await until("not to be ready", async () => (await health()).http === 503)
      expect((await api(gateway).get("/health/live")).status).toBe(200)
      await until("the alert's number", async () => (await metric("health_status")) === 2)
      // A busy machine may have been unready for its event loop first.
      await until("the database's number", async () => (await metric('health_check{check="database"}')) === 2)
      // Open, and the same key tells later; or refused at once, when something else already waits to be stored.
      const first = await trader.calls.submit(order("during"))
      expect(["503 -110014", "503 -190001"]).toContain(`${first.status} ${first.envelope.errno}`)
      await until("orders to be refused at once", async () => {
        const { status, envelope } = await trader.calls.submit(order("late"))
        return status === 503 && envelope.errno === -190001
      })
      expect(await metric("order_oldest_unit_seconds")).toBeGreaterThan(1)
      // A hundred at once: more than there are connections.
      const reads = await Promise.all(Array.from({ length: 100 }, () => trader.calls.get("/wallet/list")))
      expect(new Set(reads.map(({ status, envelope }) => `${status} ${envelope.errno}`))).toEqual(
        new Set(["503 -190003"]),
      )
    } finally {
      thaw()
    }
    await until("to be ready again", async () => (await health()).http === 200)
    await until("the alert to be over", async () => ((await metric("health_status")) ?? 2) < 2)
    await until("wallets to be read", async () => (await trader.calls.get("/wallet/list")).status === 200)
    expect((await trader.calls.order(tradingAccountId, before)).status).toBe(200)
    const ids = new Set<string>()
    for (const key of ["during", "during", "late"]) {
      const answer = await until(`an answer for ${key}`, async () => {
        const found = await trader.calls.submit(order(key))
        return found.status === 200 && found.record
      })
      ids.add(`${key} ${answer.tradeOrderId}`)
    }
    expect(ids.size).toBe(2)
    const stored = (await trader.calls.orders({ tradingAccountId, limit: 100 })).record
    expect(stored.map(({ idempotencyKey }) => idempotencyKey).toSorted()).toEqual(["before", "during", "late"])
  })
})
