/** Starts that may not be, and ends: by a signal, by a second one, by a defect. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import pg from "pg"
import { afterAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { scratchDirectory } from "../../../kit/postgres.ts"
import { api, endGateways, type Launched, launchGateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { signUpWithMock } from "../users/people.ts"
import { withDatabaseServer } from "./database.ts"

const makeDatabase = withDatabaseServer()
afterAll(endGateways)

const plainLines = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("{"))

const notices = (stderr: string): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

/** Exit code 1 and one line that says why. */
const refusal = async (process: Launched): Promise<string> => {
  const exit = await process.exited
  const lines = plainLines(process.stderr())
  expect({ ...exit, lines }).toEqual({ code: 1, signal: null, lines: [expect.any(String)] })
  return lines[0] ?? ""
}

/** In the process that starts, when it comes to read `module`: the signals, before anything else of it runs. */
const signalsAt = (module: string, signals: ReadonlyArray<NodeJS.Signals>): string => {
  const send = signals.map((signal) => `process.kill(process.pid, "${signal}")`).join(";")
  const load = `load(url, context, next) { if (url.endsWith("${module}")) { ${send} } return next(url, context) }`
  return `--import=data:text/javascript,${encodeURIComponent(`import { registerHooks } from "node:module"; registerHooks({ ${load} })`)}`
}

it("is not ended by a signal for logs or certificates that comes while the program is still being read", async () => {
  const NODE_OPTIONS = signalsAt("/dist/src/config.js", ["SIGUSR2", "SIGHUP"])
  // A database that says nothing: the start goes on waiting for it.
  const silent = createServer().listen(0, "127.0.0.1")
  const address = await until("a port", () => silent.address())
  const DATABASE_URL = `postgresql://nobody@127.0.0.1:${typeof address === "object" ? address.port : ""}/nothing`
  const early = launchGateway({ built: true, env: { DATABASE_URL, NODE_OPTIONS } })
  const isTold = () =>
    notices(early.stderr()).some(({ msg, to }) => msg === "the log level was changed" && to === "debug")
  expect(await Promise.race([early.exited, until("the level", isTold)])).toBe(true)
  early.kill("SIGKILL")
  expect(await early.exited).toEqual({ code: null, signal: "SIGKILL" })
  silent.close()
})

describe("a start is refused in one line", () => {
  it("without a directory to write in, with a full disk, on a taken port, before the database is touched", async () => {
    const file = join(scratchDirectory("file"), "here")
    writeFileSync(file, "")
    const nowhere = `postgresql://nobody@127.0.0.1:1/nothing`
    const env = { DATABASE_URL: nowhere }
    expect(await refusal(launchGateway({ dataDir: file, env }))).toMatch(/DATA_DIR .*not a directory/)
    const full = await refusal(launchGateway({ env: { ...env, DISK_FREE_MIN_MB: "1048576" } }))
    // An eighth of a terabyte: a machine with that much left has to be asked otherwise.
    expect(full).toMatch(/DATA_DIR .*MB left|database/)
    const holder = createServer().listen(0, "127.0.0.1")
    const address = await until("a taken port", () => holder.address())
    const PORT = typeof address === "object" ? String(address.port) : ""
    expect(await refusal(launchGateway({ env: { ...env, PORT } }))).toContain(`127.0.0.1:${PORT} is in use`)
    holder.close()
  })

  it("with a database that is not verified to be ours, that is newer, or whose commits may be lost", async () => {
    for (const url of [
      "postgresql://gateway:s3cret@db.example.com/gateway?sslmode=disable",
      "postgresql://gateway:s3cret@10.1.2.3/gateway?sslmode=no-verify",
    ]) {
      const line = await refusal(launchGateway({ env: { DATABASE_URL: url } }))
      expect(line).toMatch(/sslmode|TLS/)
      expect(line).not.toContain("s3cret")
    }
    const database = await makeDatabase()
    const name = new URL(database.url).pathname.slice(1)
    const env = { DATABASE_URL: database.url }
    await (await startGateway({ env })).stop()
    const client = new pg.Client({ connectionString: database.adminUrl })
    await client.connect()
    try {
      await client.query(
        "INSERT INTO schema_migration (id, name, sha256) SELECT max(id) + 1, 'later', '' FROM schema_migration",
      )
      expect(await refusal(launchGateway({ env }))).toContain("newer than this program")
      await client.query(`ALTER ROLE gateway IN DATABASE ${name} SET synchronous_commit = off`)
      expect(await refusal(launchGateway({ env }))).toContain("could lose acknowledged orders")
    } finally {
      await client.query(`ALTER ROLE gateway IN DATABASE ${name} RESET synchronous_commit`)
      await client.end()
    }
  })

  it("with keys that have had a database, on an empty one, unless that is what is wanted", async () => {
    const [old, other] = [await makeDatabase(), await makeDatabase()]
    const first = await startGateway({ env: { DATABASE_URL: old.url } })
    await first.stop()
    const { dataDir } = first
    const since = readFileSync(join(dataDir, "keys/database"), "utf8").trim()
    const line = await refusal(launchGateway({ dataDir, env: { DATABASE_URL: other.url } }))
    expect(line).toContain(`the keys in ${dataDir}/keys have been in use since ${since}, and their database is missing`)
    expect(line).toContain("the one that DATABASE_URL names is empty")
    // As when the setting is forgotten.
    expect(await refusal(launchGateway({ dataDir, env: {} }))).toContain("/postgres has none")
    expect(existsSync(join(dataDir, "postgres/cluster"))).toBe(false)
    const wanted = await startGateway({ dataDir, env: { DATABASE_URL: other.url, NEW_DATABASE: "true" } })
    await wanted.stop()
    await (await startGateway({ dataDir, env: { DATABASE_URL: other.url } })).stop()
  })
})

describe("the end", () => {
  it("is told before it comes: not ready and still at work, then sockets 3001, then exit 0", async () => {
    const { url } = await makeDatabase()
    const gateway = await startGateway({ env: { DATABASE_URL: url, SHUTDOWN_NOTICE_MS: "3000" } })
    const trader = await signUpWithMock(gateway)
    const { tradingAccountId } = trader
    const socket = new WebSocket(gateway.ws)
    const closed = new Promise<number>((resolve) => socket.once("close", resolve))
    await new Promise((resolve) => socket.once("open", resolve))
    socket.send(JSON.stringify({ id: 1, connect: { token: trader.session.accessToken } }))
    await new Promise((resolve) => socket.once("message", resolve))
    // Health was asked just before: what it said then must not be what it says now.
    await api(gateway).serving()
    const exit = gateway.stop()
    const unready = await until("not to be ready", async () => {
      const answer = await api(gateway).get("/health")
      return answer.status === 503 && answer
    })
    expect(unready.envelope.errno).toBe(-190001)
    const body = { orderSide: "BUY", orderType: "LIMIT", quantity: "0.01", limitPrice: "1000" }
    const taken = await trader.calls.submit({ tradingAccountId, instrumentId: "MOCK:BTC/USDT", ...body })
    expect(taken.status).toBe(200)
    expect(socket.readyState).toBe(WebSocket.OPEN)
    expect(await closed).toBe(3001)
    expect(await exit).toEqual({ code: 0, signal: null })
    const drained = notices(gateway.stderr()).find(({ msg }) => msg === "drained")
    expect(drained).toMatchObject({ cut: 0, isStored: true })
  })

  it("comes at once with a second signal", async () => {
    const { url } = await makeDatabase()
    const gateway = await startGateway({ env: { DATABASE_URL: url, SHUTDOWN_NOTICE_MS: "3000" } })
    gateway.kill("SIGTERM")
    await until("the first to be heard", () => gateway.stderr().includes("shutting down"))
    gateway.kill("SIGINT")
    expect(await gateway.exited).toEqual({ code: 1, signal: null })
    expect(gateway.stderr()).toContain("second signal")
    expect(gateway.stderr()).not.toContain('"drained"')
  })

  it("is that of the process when something throws that nobody catches, and the next one knows every order", async () => {
    const { url } = await makeDatabase()
    const env = { DATABASE_URL: url }
    const first = await startGateway({ env: { ...env, FAILPOINT: "submit.answered:3:throw" } })
    const trader = await signUpWithMock(first)
    const { tradingAccountId } = trader
    const body = { tradingAccountId, instrumentId: "MOCK:BTC/USDT", orderSide: "BUY", orderType: "LIMIT" }
    const told: Array<string> = []
    for (const idempotencyKey of ["one", "two", "three"]) {
      const order = { ...body, quantity: "0.01", limitPrice: "1000", idempotencyKey }
      const answer = await trader.calls.submit(order).catch(() => null)
      if (answer?.status === 200) told.push(answer.record.tradeOrderId)
    }
    expect(await first.exited).toEqual({ code: 1, signal: null })
    expect(told.length).toBeGreaterThanOrEqual(2)
    expect(plainLines(first.stderr())).toEqual(["venue-gateway: uncaught defect"])
    expect(notices(first.stderr()).at(-1)).toMatchObject({ msg: "a defect ends the process", kind: "exception" })

    const second = await startGateway({ env, dataDir: first.dataDir })
    const calls = api(second).as(trader.session.accessToken)
    for (const id of told) expect((await calls.order(tradingAccountId, id)).status).toBe(200)
    const replay = await calls.submit({ ...body, quantity: "0.01", limitPrice: "1000", idempotencyKey: "three" })
    expect(replay.status).toBe(200)
    expect((await calls.orders({ tradingAccountId, limit: 100 })).record).toHaveLength(3)
    await second.stop()
  })
})
