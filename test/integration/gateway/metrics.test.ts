/** Metrics for operators: on a loopback port of their own, in Prometheus' text, with what happened in them. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { endGateways, type Gateway, launchGateway, startGateway, until } from "../../kit/gateway.ts"
import { signUpWithMock } from "./people.ts"

let gateway: Gateway
let url: string

beforeAll(async () => {
  gateway = await startGateway({ env: { METRICS_PORT: "0" } })
  url = await until("the metrics' address", () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(gateway.stderr())?.[0])
})
afterAll(endGateways)

const scrape = async (): Promise<ReadonlyMap<string, number>> => {
  const response = await fetch(url)
  expect(response.headers.get("content-type")).toContain("version=0.0.4")
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]))
}

it("tells what happened, each series once and as a number", async () => {
  const before = await scrape()
  const trader = await signUpWithMock(gateway)
  await trader.calls.submitted({
    tradingAccountId: trader.tradingAccountId,
    instrumentId: "MOCK:BTC/USDT",
    orderSide: "BUY",
    orderType: "MARKET",
    quantity: "0.01",
    awaitClosed: true,
  })
  const after = await scrape()
  for (const [series, value] of after) expect([series, Number.isFinite(value)]).toEqual([series, true])
  const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  expect(grown("order_units_total")).toBeGreaterThanOrEqual(2)
  expect(grown("accounts_live")).toBe(1)
  expect(after.get('venue_up{venue="MOCK"}')).toBe(1)
  // No series names a user, an account or an order.
  expect([...after.keys()].join("\n")).not.toContain(trader.tradingAccountId)
})

it("serves nothing else there, and no metrics on the API's port", async () => {
  expect((await fetch(url.replace("/metrics", "/"))).status).toBe(404)
  expect((await fetch(`${gateway.http}/metrics`)).status).toBe(404)
})

it("ends the start with a clear word when the port is taken", async () => {
  const second = launchGateway({ env: { METRICS_PORT: new URL(url).port } })
  await expect(second.ready).rejects.toThrow()
  expect((await second.exited).code).toBe(1)
  expect(second.stderr()).toContain("METRICS_PORT")
})
