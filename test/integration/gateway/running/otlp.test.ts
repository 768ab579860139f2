/** A gateway with a collector: traces, metrics and logs arrive, also the last ones; a collector that hangs does no harm. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { api, endGateways, startGateway } from "../../../kit/servers/gateway.ts"
import { type Collector, startCollector } from "../../../kit/servers/otlp-collector.ts"
import { signUpWithMock } from "../users/people.ts"

let collector: Collector
beforeAll(async () => {
  collector = await startCollector()
})
afterAll(async () => {
  await endGateways()
  await collector.close()
})

it("sends traces, metrics and logs, and what is left when it stops", async () => {
  const key = "collector-secret-7b1f"
  const env = {
    OTLP_URL: `${collector.url}/`,
    OTLP_HEADERS: `authorization=Bearer ${key},x-team=gateway`,
    OTLP_SAMPLE: "1",
  }
  const gateway = await startGateway({ env })
  const trader = await signUpWithMock(gateway)
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
  const order = {
    tradingAccountId: trader.tradingAccountId,
    instrumentId: "MOCK:BTC/USDT",
    orderSide: "BUY",
    orderType: "MARKET",
    quantity: "0.01",
    idempotencyKey: "traced",
    awaitClosed: true,
  }
  const answer = await trader.calls.call("POST", "/tradeOrder/submit", order, {
    traceparent: `00-${traceId}-00f067aa0ba902b7-00`,
  })
  expect(answer.status).toBe(200)
  await trader.calls.submitted(order)
  const [, , ours] = answer.headers.get("traceparent")?.split("-") ?? []
  expect(answer.headers.get("traceparent")).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
  await api(gateway).login(trader.email, "wrong password of somebody")
  expect((await gateway.stop()).code).toBe(0)

  const span = collector.spans().find((one) => one.traceId === traceId)
  expect(span).toMatchObject({
    name: "POST /api/v3/tradeOrder/submit",
    spanId: ours,
    parentSpanId: "00f067aa0ba902b7",
    kind: 2,
    status: { code: 1 },
  })
  expect(collector.spans().map(({ name }) => name)).toContain("OrderWriter.batch")
  const access = readFileSync(join(gateway.dataDir, "logs/access.log"), "utf8")
  expect(access).toContain(`"traceId":"${traceId}"`)
  const logged = collector.logs().map(({ body }) => body.stringValue)
  for (const msg of ["access", "audit", "security"])
    expect(logged.some((line) => line.includes(`"msg":"${msg}"`))).toBe(true)
  expect(collector.logs().some((one) => one.traceId === traceId)).toBe(true)
  const filled = collector
    .metrics()
    .filter(({ name }) => name === "orders_total")
    .flatMap(({ sum }) => sum?.dataPoints ?? [])
    .find(({ attributes }) => JSON.stringify(attributes).includes("FILLED"))
  expect(filled?.asDouble).toBe(1)
  expect(new Set(collector.received.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${key}`]))
  expect(`${gateway.stderr()}${access}${JSON.stringify(collector.received.map(({ body }) => body))}`).not.toContain(key)
})

it("serves, and stops with 0, while the collector hangs", async () => {
  collector.answer("hang")
  const gateway = await startGateway({ env: { OTLP_URL: collector.url, OTLP_SAMPLE: "1" } })
  const statuses = new Set<number>()
  for (let n = 0; n < 5; n++)
    for (const answer of await Promise.all(Array.from({ length: 50 }, () => api(gateway).get("/health/live"))))
      statuses.add(answer.status)
  expect([...statuses]).toEqual([200])
  expect((await gateway.stop()).code).toBe(0)
})
