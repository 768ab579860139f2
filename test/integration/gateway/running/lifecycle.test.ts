/** Starting, stopping and starting again: the process as an operator meets it, mostly with the embedded database. */
import { randomUUID } from "node:crypto"
import { existsSync, readdirSync, statSync } from "node:fs"
import { request } from "node:https"
import { createServer } from "node:net"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { type ClientOptions, WebSocket } from "ws"
import { freePort } from "../../../kit/servers/free-port.ts"
import { api, endGateways, type Launched, launchGateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { CERTIFICATE, certificateFiles } from "../../../kit/servers/http-certificate.ts"
import { type AccountEvent, closeClients, connectClient, gapsIn, listen } from "../markets/socket.ts"
import { signUpWithMock } from "../users/people.ts"
import { withDatabaseServer } from "./database.ts"

/** The gateway's promise after SIGTERM is 10 s of a machine that is its own (test/torture/nemesis/shutdown.ts); here the machine is shared. */
const STOP_MILLIS_MAX = 30_000
const INSTRUMENT = "MOCK:BTC/USDT"

const makeDatabase = withDatabaseServer()
afterAll(async () => {
  closeClients()
  await endGateways()
})

const isGroupAlive = (pid: number): boolean => {
  try {
    process.kill(-pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}

/** What stderr says in plain words; log lines are JSON and come beside. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("{"))

/** A start that must fail: exit code 1, one line that says why, nothing left. Answers the line. */
const refusedStart = async (process: Launched): Promise<string> => {
  const exit = await process.exited
  const lines = linesOf(process.stderr())
  expect({ ...exit, lines }).toEqual({ code: 1, signal: null, lines: [expect.any(String)] })
  expect(process.stdout.filter((line) => line.startsWith("ready"))).toEqual([])
  await until("the end of everything it started", () => !isGroupAlive(process.pid))
  expect(existsSync(join(process.dataDir, "postgres/cluster/postmaster.pid"))).toBe(false)
  return lines[0] ?? ""
}

describe("a start", () => {
  it("prints one ready line, warns about plain HTTP, and keeps its keys to itself", async () => {
    const gateway = await startGateway({ empty: true, built: true })
    expect(gateway.stdout.filter((line) => line.startsWith("ready"))).toHaveLength(1)
    expect(gateway.http).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(gateway.ws).toBe(`${gateway.http.replace("http", "ws")}/connection/websocket`)
    expect(gateway.version).toBe("3.0.1")
    expect(gateway.stderr()).toContain("insecure: plain HTTP, development only")

    const keys = join(gateway.dataDir, "keys")
    expect(statSync(keys).mode & 0o777).toBe(0o700)
    expect(readdirSync(keys).length).toBeGreaterThan(0)
    for (const name of readdirSync(keys)) expect([name, statSync(join(keys, name)).mode & 0o777]).toEqual([name, 0o600])

    // A busy machine may have kept its event loop waiting.
    const health = await until("a healthy service", async () => {
      const answer = await api(gateway).get<{ readonly status: string; readonly version: string }>("/health")
      return answer.envelope.data?.status === "healthy" && answer
    })
    expect([health.status, health.record.version]).toEqual([200, "3.0.1"])
    expect(await gateway.stop()).toEqual({ code: 0, signal: null })
    expect(isGroupAlive(gateway.pid)).toBe(false)
    expect(existsSync(join(gateway.dataDir, "postgres/cluster/postmaster.pid"))).toBe(false)
  })

  it("finds everything as it was: user, account, order, and the numbers of the account's events go on", async () => {
    const port = String(await freePort())
    const first = await startGateway({ env: { PORT: port } })
    const trader = await signUpWithMock(first)
    const { tradingAccountId } = trader
    const client = await connectClient(first, trader.session.accessToken)
    const codes: Array<number> = []
    client.on("connecting", ({ code }) => codes.push(code))
    const feed = await listen<AccountEvent>(client, `tradingAccount:${tradingAccountId}`)
    const body = {
      tradingAccountId,
      instrumentId: INSTRUMENT,
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.01",
      limitPrice: "1000",
      idempotencyKey: `before-${randomUUID()}`,
      awaitAccepted: true,
    }
    const { tradeOrderId } = await trader.calls.submitted(body)
    await until("ACCEPTED", () => feed.records().some(({ kind }) => kind === "TRADE_ORDER.ACCEPTED"))

    const askedAt = performance.now()
    expect(await first.stop()).toEqual({ code: 0, signal: null })
    expect(performance.now() - askedAt).toBeLessThan(STOP_MILLIS_MAX)
    await until("the client hears of the end", () => codes.length > 0)
    expect(codes[0]).toBe(3001)

    const second = await startGateway({ dataDir: first.dataDir, env: { PORT: port } })
    const again = await api(second).login(trader.email)
    expect(again.status).toBe(200)
    expect((await trader.calls.user()).record.email, "the session lives on, too").toBe(trader.email)
    const account = await until("the account is ACTIVE", async () =>
      (await trader.calls.accounts()).record.find(({ status }) => status === "ACTIVE"),
    )
    expect(account.tradingAccountId).toBe(tradingAccountId)
    const order = (await trader.calls.order(tradingAccountId, tradeOrderId)).record
    expect(order).toMatchObject({ status: "OPEN", orderStatus: "ACCEPTED", inDoubt: false, limitPrice: "1000" })
    const replay = await trader.calls.submit(body)
    expect([replay.record.tradeOrderId, replay.headers.get("idempotency-replayed")]).toEqual([tradeOrderId, "true"])

    const later = await connectClient(second, trader.session.accessToken)
    const laterFeed = await listen<AccountEvent>(later, `tradingAccount:${tradingAccountId}`)
    expect((await trader.calls.cancelled(tradingAccountId, tradeOrderId)).status).toBe("CANCELLED")
    await until("CANCELLED", () => laterFeed.records().some(({ kind }) => kind === "TRADE_ORDER.CANCELLED"))
    // The old client came back by itself and may have heard the events in between; together they have every number.
    const sequences = [...feed.records(), ...laterFeed.records()].map(({ sequence }) => sequence)
    const ordered = [...new Set(sequences)].toSorted((a, b) => a - b)
    const between = ordered.filter((sequence) => sequence > (feed.records()[0]?.sequence ?? 0))
    expect(laterFeed.records()[0]?.sequence).toBeGreaterThan(1)
    expect(gapsIn(laterFeed.records().map(({ sequence }) => sequence))).toEqual([])
    expect(between.at(-1)).toBe(laterFeed.records().at(-1)?.sequence)
    expect(await second.stop()).toEqual({ code: 0, signal: null })
  })

  it("beside a running gateway on the same data is refused and harms nobody", async () => {
    const gateway = await startGateway()
    const line = await refusedBeside(launchGateway({ dataDir: gateway.dataDir }))
    expect(line).toMatch(/running|in use|already|another/i)
    await api(gateway).serving()
    await gateway.stop()

    const database = await makeDatabase()
    const owner = await startGateway({ env: { DATABASE_URL: database.url } })
    const other = await refusedStart(launchGateway({ env: { DATABASE_URL: database.url } }))
    expect(other).toMatch(/running|in use|already|another/i)
    await api(owner).serving()
    await owner.stop()
  })

  it("says in one line that the port is taken, that the database is away, or what is wrong with a setting", async () => {
    const holder = createServer().listen(0, "127.0.0.1")
    const address = await until("a taken port", () => holder.address())
    const port = typeof address === "object" ? String(address.port) : ""
    expect(await refusedStart(launchGateway({ env: { PORT: port } }))).toContain(port)
    holder.close()

    const nobody = `postgresql://nobody:canary-password@127.0.0.1:${await freePort()}/nothing`
    const unreachable = await refusedStart(launchGateway({ env: { DATABASE_URL: nobody } }))
    expect(unreachable).toMatch(/database/i)
    expect(unreachable, "a URL holds a password").not.toContain("canary-password")

    expect(await refusedStart(launchGateway({ env: { PORT: "eighty" } }))).toContain("PORT")
    expect(await refusedStart(launchGateway({ env: { VENUE_ROUTES: "nonsense" } }))).toContain("VENUE_ROUTES")
  })

  it("refuses to serve plain HTTP to a network or in production", async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
    const outside = addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "0.0.0.0"
    for (const host of [outside, "0.0.0.0"]) {
      expect(await refusedStart(launchGateway({ env: { HOST: host, RATE_LIMITS: "" } }))).toMatch(/TLS_CERT_FILE/)
      expect(await refusedStart(launchGateway({ env: { HOST: host, RATE_LIMITS: "off" } }))).toMatch(/RATE_LIMITS/)
    }
    expect(await refusedStart(launchGateway({ env: { NODE_ENV: "production" } }))).toMatch(/TLS_CERT_FILE/)
  })
})

/** As `refusedStart`, but the data directory belongs to the other one, whose server goes on. */
const refusedBeside = async (process: Launched): Promise<string> => {
  const exit = await process.exited
  const lines = linesOf(process.stderr())
  expect({ ...exit, lines }).toEqual({ code: 1, signal: null, lines: [expect.any(String)] })
  await until("the end of everything it started", () => !isGroupAlive(process.pid))
  return lines[0] ?? ""
}

describe("SIGTERM", () => {
  it("under orders in flight ends within its time and loses none that was acknowledged", async () => {
    const database = await makeDatabase()
    const env = { DATABASE_URL: database.url }
    const gateway = await startGateway({ env })
    const trader = await signUpWithMock(gateway)
    const { tradingAccountId } = trader
    await trader.calls.orderBook(INSTRUMENT)
    const acknowledged = new Map<string, string>()
    const refused: Array<string> = []
    const load = Array.from({ length: 8 }, async (_, lane) => {
      for (let number = 0; ; number += 1) {
        const idempotencyKey = `load-${lane}-${number}`
        const side = number % 2 === 0 ? "BUY" : "SELL"
        const body = { orderSide: side, orderType: "MARKET", quantity: "0.001", idempotencyKey }
        try {
          const answer = await trader.calls.submit({ tradingAccountId, instrumentId: INSTRUMENT, ...body })
          if (answer.envelope.success) acknowledged.set(idempotencyKey, answer.record.tradeOrderId)
          else refused.push(`${answer.envelope.errno} ${answer.text}`)
        } catch (error) {
          // The listening socket is gone: what a client sees of a stopped server.
          if (!(error instanceof TypeError)) throw error
          return
        }
      }
    })
    await until("orders under way", () => acknowledged.size > 100)
    const askedAt = performance.now()
    const exit = gateway.stop()
    await Promise.all(load)
    expect(await exit).toEqual({ code: 0, signal: null })
    expect(performance.now() - askedAt).toBeLessThan(STOP_MILLIS_MAX)
    // Shutting down is the only refusal that may be seen: nothing stored, try again elsewhere.
    expect(refused.filter((what) => !what.startsWith("-190002")).slice(0, 3)).toEqual([])

    const again = await startGateway({ dataDir: gateway.dataDir, env })
    const calls = api(again).as(trader.session.accessToken)
    const missing: Array<string> = []
    for (const tradeOrderId of acknowledged.values()) {
      const found = await calls.order(tradingAccountId, tradeOrderId)
      if (found.envelope.data?.orderStatus === undefined) missing.push(`${tradeOrderId}: ${found.text}`)
    }
    expect(missing).toEqual([])
    const open = (await calls.orders({ tradingAccountId, status: "PENDING" })).record
    expect(open.map(({ orderStatus }) => orderStatus)).toEqual([])
    await again.stop()
  })
})

describe("TLS", () => {
  it("serves https and wss, also in production, to the official client", async () => {
    const database = await makeDatabase()
    const { certFile, keyFile, remove } = certificateFiles()
    const ca = CERTIFICATE
    const gateway = await startGateway({
      env: {
        DATABASE_URL: database.url,
        TLS_CERT_FILE: certFile,
        TLS_KEY_FILE: keyFile,
        NODE_ENV: "production",
      },
    })
    expect(gateway.http).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(gateway.ws).toMatch(/^wss:\/\/127\.0\.0\.1:\d+\/connection\/websocket$/)
    expect(gateway.stderr()).not.toContain("insecure")
    const body = JSON.stringify({ email: "tls@example.com", password: "correct horse battery staple" })
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
      const call = request(
        `${gateway.http}/api/v3/auth/signup`,
        { method: "POST", ca, servername: "localhost", headers, agent: false },
        (reply) => {
          let text = ""
          reply.setEncoding("utf8").on("data", (part: string) => {
            text += part
          })
          reply.on("end", () => resolve(text))
        },
      )
      call.on("error", reject).end(body)
    })
    const { accessToken } = JSON.parse(answer).data
    class TrustingSocket extends WebSocket {
      constructor(url: string | URL, protocols?: string | Array<string>, options?: ClientOptions) {
        const tls = { ca, servername: "localhost" }
        super(url, protocols, { ...options, ...tls })
      }
    }
    const client = await connectClient(gateway, accessToken, TrustingSocket)
    const feed = await listen(client, `market:orderbook:${INSTRUMENT}`)
    await until("a book over wss", () => feed.received.length > 0)
    client.disconnect()
    await gateway.stop()
    remove()
  })

  it("is demanded of whoever comes through the proxy, and of whoever passes it by", async () => {
    const database = await makeDatabase()
    const gateway = await startGateway({ env: { DATABASE_URL: database.url, TRUST_PROXY: "127.0.0.1" } })
    const call = (headers: Readonly<Record<string, string>>) =>
      api(gateway).call<unknown>("GET", "/market/venue/list", undefined, headers)
    for (const headers of [{}, { "x-forwarded-proto": "http" }]) {
      const answer = await call(headers)
      expect([answer.status, answer.envelope.errno]).toEqual([403, -102005])
    }
    const secure = await call({ "x-forwarded-proto": "https" })
    expect([secure.status, secure.envelope.errno]).toEqual([401, -100002])
    await gateway.stop()
  })
})
