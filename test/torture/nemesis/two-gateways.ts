/**
 * Two gateways on one database (scoreboard F15). Beside one that works the second is refused and harms nobody. In the place of one that
 * hangs it takes over, with nobody's help, once the lease of that has run out; when the first wakes with orders in hand it finds itself fenced and ends, and no order was ever sent twice.
 */
import { rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { Api, type Gateway, launchGateway, startGateway, until } from "../../kit/servers/gateway.ts"
import { enter, isActive } from "../failpoints/stage.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"
import { mixedTraffic, reckon } from "./traffic.ts"

const RATE = 10
/** From the moment in which it wakes. */
const FENCED_MILLIS = 5_000

export const twoGateways = async (options: {
  readonly built: boolean
  readonly progress: (line: string) => void
}): Promise<ReadonlyArray<Verdict>> => {
  const { built, progress } = options
  const exchange = await startBinanceExchange()
  const directory = scratchDirectory("two")
  let server: EmbeddedPostgres | undefined
  let first: Gateway | undefined
  let second: Gateway | undefined
  try {
    server = await startEmbeddedPostgres({ dataDir: directory })
    const env = { DATABASE_URL: server.url(), RATE_LIMITS: "off", VENUE_ROUTES: JSON.stringify(exchange.routes) }
    const at = async () => ({ ...env, PORT: String(await freePort()) })
    first = await startGateway({ env: await at(), built })
    const { dataDir } = first
    const trader = await enter(first, exchange, "binance")
    const traffic = mixedTraffic(trader, RATE)
    traffic.begin()
    await sleep(1_000)

    progress("two-gateways: beside one that works")
    const from = traffic.sent.length
    const beside = launchGateway({ env: await at(), dataDir, built })
    const refused = await beside.exited
    const disturbed = traffic.sent.slice(from).filter((it) => it.answeredAt > 0 && it.status !== 200)

    progress("two-gateways: in the place of one that hangs")
    const acknowledged = new Set<string>()
    first.kill("SIGSTOP")
    await sleep(500)
    for (const { tradeOrderId } of traffic.sent) if (tradeOrderId !== undefined) acknowledged.add(tradeOrderId)
    second = await until("the lease of the first to run out", async () =>
      startGateway({ env: await at(), dataDir, built }).catch((error: Error) => {
        if (error.message.includes("another gateway process owns this database")) return null
        throw error
      }),
    )
    const heir = { ...trader, calls: new Api(second.http, trader.calls.token) }
    await until("the account to agree with its venue", () => isActive(heir))
    const after = mixedTraffic(heir, RATE)
    after.begin()
    await sleep(2_000)

    const wokenAt = performance.now()
    first.kill("SIGCONT")
    const fenced = await first.exited
    const fencedMillis = Math.round(performance.now() - wokenAt)
    progress(`two-gateways: the first ended ${fencedMillis} ms after it woke`)
    await sleep(2_000)
    await traffic.end()
    await after.end()
    // What the first left open is asked at the second: with its key it is one order.
    after.sent.push(...traffic.sent)
    await after.repeat()
    for (const { tradeOrderId } of after.sent) if (tradeOrderId !== undefined) acknowledged.add(tradeOrderId)
    return [
      ...(await reckon(after, acknowledged, { exchange })),
      {
        name: "a second beside it",
        passed: refused.code === 1 && beside.stderr().includes("another gateway"),
        says: `exit ${refused.code}: ${beside.stderr().trim().split("\n").at(-1) ?? ""}`,
      },
      none(
        "requests that suffered from it",
        disturbed.map(({ status, errno }) => `${status}/${errno}`),
        `${from}`,
      ),
      {
        name: "the first, woken",
        passed: fenced.code === 1 && fencedMillis <= FENCED_MILLIS,
        says: `exit ${fenced.code} after ${fencedMillis} ms: ${first.stderr().trim().split("\n").at(-1) ?? ""}`,
      },
    ]
  } finally {
    first?.kill("SIGKILL")
    second?.kill("SIGKILL")
    await Promise.all([first?.exited, second?.exited])
    await server?.stop().catch(() => undefined)
    await exchange.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
