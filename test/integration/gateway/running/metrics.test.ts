/** Metrics for operators: on a loopback port of their own, in Prometheus' text, with what happened in them. */
import { networkInterfaces } from "node:os"
import { afterAll, beforeAll, expect, it } from "vitest"
import { METRICS, type MetricName, type MetricRow } from "../../../../src/ports/metric-names.ts"
import { endGateways, type Gateway, launchGateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { signUpWithMock, type Trader } from "../users/people.ts"

let gateway: Gateway
let url: string

beforeAll(async () => {
  gateway = await startGateway({ env: { METRICS_PORT: "0" } })
  url = await until("the metrics' address", () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(gateway.stderr())?.[0])
})
afterAll(endGateways)

const text = async (): Promise<string> => (await fetch(url)).text()

const scrape = async (): Promise<ReadonlyMap<string, number>> => {
  const response = await fetch(url)
  expect(response.headers.get("content-type")).toContain("version=0.0.4")
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]))
}

const traderWhoBought = async (): Promise<Trader> => {
  const trader = await signUpWithMock(gateway)
  await trader.calls.submitted({
    tradingAccountId: trader.tradingAccountId,
    instrumentId: "MOCK:BTC/USDT",
    orderSide: "BUY",
    orderType: "MARKET",
    quantity: "0.01",
    awaitClosed: true,
  })
  return trader
}

it("tells what happened, each series once and as a number", async () => {
  const before = await scrape()
  const trader = await traderWhoBought()
  const after = await scrape()
  for (const [series, value] of after) expect([series, Number.isFinite(value)]).toEqual([series, true])
  const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  expect(grown("order_units_total")).toBeGreaterThanOrEqual(2)
  expect(grown("accounts_live")).toBe(1)
  expect(after.get('venue_up{venue="MOCK"}')).toBe(1)
  // No series names a user, an account or an order.
  expect([...after.keys()].join("\n")).not.toContain(trader.tradingAccountId)
})

it("exposes exactly the names of the table, each with its type, labels and buckets", async () => {
  const exposed = await text()
  const types = [...exposed.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type])
  const rows: ReadonlyArray<[string, MetricRow]> = Object.entries(METRICS)
  const ofOneProcess = rows.filter(([, { isOfCluster }]) => isOfCluster !== true)
  expect(types).toEqual(ofOneProcess.map(([name, { type }]) => [name, type]))
  for (const [, name = "", labels = ""] of exposed.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const base = name.replace(/_(bucket|sum|count)$/, "")
    const row: MetricRow | undefined = METRICS[(name in METRICS ? name : base) as MetricName]
    const given = [...labels.matchAll(/([a-z_]+)="/g)].map(([, label]) => label)
    expect([name, ...given]).toEqual([name, ...(row?.labels ?? []), ...(name.endsWith("_bucket") ? ["le"] : [])])
  }
  expect([
    ...exposed.matchAll(/^http_request_duration_seconds_bucket\{route="\/api\/v3\/auth\/signup",le="([^"]+)"/gm),
  ]).toHaveLength(12)
})

it("counts requests, orders, logins, queries and sockets where they happen", async () => {
  const before = await scrape()
  const grown = async (series: string) => ((await scrape()).get(series) ?? 0) - (before.get(series) ?? 0)
  const api = `${gateway.http}/api/v3`
  const body = JSON.stringify({ email: "nobody@example.com", password: "wrong password 1" })
  await fetch(`${api}/auth/login`, { method: "POST", headers: { "Content-Type": "application/json" }, body })
  await fetch(`${api}/tradingAccount/list`)
  for (const path of ["a", "b", "c"]) await fetch(`${gateway.http}/${path}`, { method: "PURGE" })
  await traderWhoBought()
  const route = "/api/v3/auth/login"
  expect(await grown(`http_requests_total{route="${route}",method="POST",status="400"}`)).toBe(1)
  expect(await grown(`http_request_duration_seconds_count{route="${route}"}`)).toBe(1)
  expect(await grown('http_rejected_total{reason="token_missing"}')).toBe(1)
  expect(await grown('http_requests_total{route="*",method="OTHER",status="404"}')).toBe(3)
  expect(await grown('auth_logins_total{result="invalid_login_credentials"}')).toBe(1)
  expect(await grown('orders_total{venue="MOCK",status="CREATED"}')).toBe(1)
  expect(await grown('orders_total{venue="MOCK",status="FILLED"}')).toBe(1)
  expect(await grown('order_stage_duration_seconds_count{stage="venue"}')).toBe(1)
  expect(await grown('order_stage_duration_seconds_count{stage="store"}')).toBeGreaterThanOrEqual(2)
  expect(await grown('db_query_duration_seconds_count{name="order_batch"}')).toBeGreaterThanOrEqual(1)
  expect(
    [...(await scrape()).keys()].some((series) => /^db_query_duration_seconds_count\{name="insert /.test(series)),
  ).toBe(true)
})

it("refuses other methods and everything else there, and no metrics on the API's port", async () => {
  expect((await fetch(url.replace("/metrics", "/"))).status).toBe(404)
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
    expect([method, (await fetch(url, { method })).status]).toEqual([method, 405])
  const { hostname, port } = new URL(url)
  expect(hostname).toBe("127.0.0.1")
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)
  if (outside !== undefined) await expect(fetch(`http://${outside.address}:${port}/metrics`)).rejects.toThrow()
  expect((await fetch(`${gateway.http}/metrics`)).status).toBe(404)
})

it("ends the start with a clear word when the port is taken", async () => {
  const second = launchGateway({ env: { METRICS_PORT: new URL(url).port } })
  await expect(second.ready).rejects.toThrow()
  expect((await second.exited).code).toBe(1)
  expect(second.stderr()).toContain("METRICS_PORT")
})
