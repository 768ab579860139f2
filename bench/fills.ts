/**
 * `fills`: one resting order on MOCK that is filled 3,000 times, one by one, through the real gateway and PostgreSQL. The floor is its own
 * beginning: the CPU of the last 100 fills against that of the first 100 after the warm-up (target: at most 1.3), and the bytes of all
 * events of the account (target: at most 3 MB). A fill here includes the other side's market order, whose cost does not change.
 */
import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { connectDedicated } from "../src/store/postgres/sql.ts"
import { connectMockAccount, endGateways, type Gateway, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { type Result, row, runBench, say, sleep } from "./kit/report.ts"
import { cpuMicrosOf, postgresCpuMicros } from "./kit/usage.ts"

const FILLS = 3_000
const GROUP = 100
/** The compiler's threads would be measured otherwise. */
const WARM_UP_FILLS = 1_000
const INSTRUMENT = "MOCK:BTC/USDT"
/** The middle of the still synthetic market: nothing else is as good. */
const PRICE = "60000"

let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined
let gateway: Gateway | undefined

interface Order {
  readonly tradeOrderId: string
  readonly executionCount: number
  readonly executions: ReadonlyArray<unknown>
  readonly executedQuantity: string
}

const bench = async (): Promise<Result> => {
  server = await startEmbeddedPostgres({ dataDir: scratch("fills-database") })
  gateway = await startGateway({
    DATA_DIR: scratch("fills"),
    DATABASE_URL: server.url(),
    RATE_LIMITS: "off",
    MOCK_BALANCES: JSON.stringify({ BTC: "100000", USDT: "10000000000" }),
    MOCK_TICK_MS: "0",
  })
  const { pid } = gateway
  const [maker, taker] = [await signUp(gateway), await signUp(gateway)]
  const [resting, other] = [await connectMockAccount(maker, "maker"), await connectMockAccount(taker, "taker")]
  const place = (quantity: number): Promise<Order> =>
    maker.call<Order>("/tradeOrder/submit", {
      tradingAccountId: resting,
      instrumentId: INSTRUMENT,
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: `${quantity}`,
      limitPrice: PRICE,
    })
  const fill = (): Promise<unknown> =>
    taker.call("/tradeOrder/submit", {
      tradingAccountId: other,
      instrumentId: INSTRUMENT,
      orderSide: "SELL",
      orderType: "LIMIT",
      timeInForce: "IOC",
      quantity: "1",
      limitPrice: PRICE,
    })
  await place(WARM_UP_FILLS)
  for (let n = 0; n < WARM_UP_FILLS; n++) await fill()
  const database = await connectDedicated(server.url())
  const stored = async () => {
    const { rows } = await database.query<{ bytes: string; events: string }>(
      "SELECT coalesce(sum(octet_length(payload)), 0) AS bytes, count(*) AS events FROM account_event WHERE trading_account_id = $1",
      [resting],
    )
    return { bytes: Number(rows[0]!.bytes), events: Number(rows[0]!.events) }
  }
  const before = await stored()
  const order = await place(FILLS + 1)
  const groups: Array<{ readonly node: number; readonly postgres: number; readonly millis: number }> = []
  for (let group = 0; group < FILLS / GROUP; group++) {
    const [node, postgres] = [cpuMicrosOf(pid) ?? Number.NaN, postgresCpuMicros(server.pid) ?? Number.NaN]
    const began = performance.now()
    for (let n = 0; n < GROUP; n++) await fill()
    groups.push({
      node: ((cpuMicrosOf(pid) ?? Number.NaN) - node) / GROUP,
      postgres: ((postgresCpuMicros(server.pid) ?? Number.NaN) - postgres) / GROUP,
      millis: (performance.now() - began) / GROUP,
    })
  }
  await sleep(500)
  const after = await stored()
  const response = await fetch(`${gateway.http}/api/v3/tradeOrder/get?tradeOrderId=${order.tradeOrderId}`, {
    headers: { Authorization: `Bearer ${maker.accessToken}` },
  })
  const { data } = (await response.json()) as { readonly data: Order }
  const lost = FILLS - data.executionCount
  if (lost !== 0 || data.executions.length !== FILLS)
    throw new Error(`${data.executionCount} fills of ${FILLS}, ${data.executions.length} answered`)
  await database.end()
  await gateway.stop()
  await server.stop()
  const [first, last] = [groups[0]!, groups.at(-1)!]
  const bytes = after.bytes - before.bytes
  const ratio = last.node / first.node
  say(row("a fill", "node us", "PG us", "ms"))
  say(row("the first 100", first.node, first.postgres, first.millis))
  say(row("the last 100", last.node, last.postgres, last.millis))
  say(`CPU of the gateway, last / first: ${ratio.toFixed(2)} (target 1.3)`)
  say(`events: ${after.events - before.events}, ${(bytes / 1e6).toFixed(2)} MB in all (target 3)`)
  return {
    bench: "fills",
    conditions: { fills: FILLS, group: GROUP, ratio: "CPU of the gateway a fill, the last 100 / the first 100" },
    figures: { p50: last.millis, lost, bytes, groups, last },
    floor: { first },
    ratio,
  }
}

await runBench(bench, async () => {
  await endGateways()
  await server?.stop().catch(() => undefined)
})
