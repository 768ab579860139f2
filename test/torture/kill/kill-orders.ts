/**
 * Order load while the gateway is killed with SIGKILL at random moments and started again, many times. What it told its clients is
 * written down as it is told; afterwards the stored orders, the events and the exchange's own books are held against that.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { seededRandom } from "../../exchanges/binance/replay/synthetic.ts"
import { laySeed, scratchDirectory } from "../../kit/postgres.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"
import { judge, settle } from "./kill-judge.ts"
import { type KillAccount, Load } from "./kill-load.ts"
import type { Verdict } from "./kill-verdict.ts"

export type KillVenue = "mock" | "binance"

export interface KillOptions {
  readonly venue: KillVenue
  readonly kills: number
  readonly seed: number
  /** `embedded`: the gateway's own server, which ends with it. `url`: a server of ours by DATABASE_URL, which goes on. */
  readonly database: "embedded" | "url"
  readonly progress: (line: string) => void
}

/** The exchange as a process of its own: a judge that outlives every kill. */
export interface OutsideExchange {
  readonly url: string
  readonly routes: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

const ACCOUNTS = 3
const root = fileURLToPath(new URL("../../../", import.meta.url))

export const keysOf = (index: number) => ({
  apiKey: `torture${index}`.padEnd(64, "k"),
  apiSecret: `torture${index}`.padEnd(64, "s"),
})

export const startExchange = async (): Promise<OutsideExchange> => {
  const users = Array.from({ length: ACCOUNTS }, (_, index) => keysOf(index))
  const flags = users.flatMap(({ apiKey, apiSecret }) => ["--user", `${apiKey}:${apiSecret}`])
  const child: ChildProcess = spawn(process.execPath, ["--import", "tsx", "test/exchanges/main.ts", ...flags], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  process.on("exit", () => child.kill("SIGKILL"))
  const { url, routes } = await new Promise<OutsideExchange>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      if (line.startsWith("exchange ")) resolve(JSON.parse(line.slice("exchange ".length)))
    })
    void ended.then(() => reject(new Error("the loopback exchange ended before it listened")))
  })
  return {
    url,
    routes,
    stop: async () => {
      child.kill("SIGTERM")
      await ended
    },
  }
}

const connectAccounts = async (gateway: Gateway, venue: KillVenue): Promise<ReadonlyArray<KillAccount>> => {
  const accounts: Array<KillAccount> = []
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const session = (await api(gateway).signup(`torture-${index}@example.com`)).record
    const calls = api(gateway).as(session.accessToken)
    const keys = keysOf(index)
    const credentialIds =
      venue === "mock" ? [] : [(await calls.createCredential({ venue: "BINANCE", ...keys })).record.credentialId]
    const body = venue === "mock" ? { externalTradingAccountId: "torture" } : { credentialIds }
    const { tradingAccountId } = (await calls.connect({ venue: venue.toUpperCase(), ...body })).record
    await until("an ACTIVE account", async () =>
      (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
    )
    accounts.push({ index, tradingAccountId, calls, token: session.accessToken, apiKey: keys.apiKey })
  }
  return accounts
}

/** Runs it all; every verdict is one line of the result. Leaves nothing running. */
export const killOrders = async (options: KillOptions): Promise<ReadonlyArray<Verdict>> => {
  const random = seededRandom(options.seed)
  const exchange = options.venue === "binance" ? await startExchange() : undefined
  const ownDirectory = options.database === "url" ? scratchDirectory("torture") : null
  if (ownDirectory !== null) laySeed(ownDirectory)
  let server = ownDirectory === null ? undefined : await startEmbeddedPostgres({ dataDir: ownDirectory })
  const env: Record<string, string> = { PORT: String(await freePort()), MOCK_TICK_MS: "50", RATE_LIMITS: "off" }
  if (server !== undefined) env["DATABASE_URL"] = server.url()
  if (exchange !== undefined) env["VENUE_ROUTES"] = JSON.stringify(exchange.routes)
  const starts: Array<number> = []
  try {
    let gateway = await startGateway({ env })
    const { dataDir } = gateway
    const accounts = await connectAccounts(gateway, options.venue)
    const load = new Load(accounts, `${options.venue.toUpperCase()}:BTC/USDT`, random)
    await load.begin(gateway)
    for (let kill = 1; kill <= options.kills; kill += 1) {
      // Three of four kills meet orders under way, the fourth may meet the start and its reconciliation.
      const before = load.acknowledged.size
      if (random() < 0.75) await until("orders under way", () => load.acknowledged.size > before, 60_000)
      await sleep(50 + random() ** 2 * 3000)
      gateway.kill("SIGKILL")
      await gateway.exited
      const askedAt = performance.now()
      gateway = await startGateway({ env, dataDir })
      starts.push(performance.now() - askedAt)
      options.progress(
        `${options.venue}: kill ${kill}/${options.kills}, ${load.acknowledged.size} acknowledged, ` +
          `${load.unanswered()} without an answer, ready again after ${Math.round(starts.at(-1) ?? 0)} ms`,
      )
    }
    // The last incarnation works for a moment, too.
    await sleep(1000)
    options.progress(`${options.venue}: repeating what was never answered`)
    await load.end()
    await settle(load, exchange?.url, (line) => options.progress(`${options.venue}: ${line}`))
    const verdicts = await judge(load, exchange?.url, async () => {
      load.close()
      await gateway.stop()
      if (env["DATABASE_URL"] !== undefined) return env["DATABASE_URL"]
      server = await startEmbeddedPostgres({ dataDir })
      return server.url()
    })
    const sorted = starts.toSorted((a, b) => a - b).map(Math.round)
    const median = sorted[Math.floor(sorted.length / 2)]
    options.progress(`${options.venue}: ready again in ${median} ms (median), ${sorted.at(-1)} ms at most`)
    return verdicts
  } finally {
    await server?.stop()
    await endGateways()
    await exchange?.stop()
    if (ownDirectory !== null) rmSync(ownDirectory, { recursive: true, force: true })
  }
}
