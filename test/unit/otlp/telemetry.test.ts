/** OTLP against a collector of the test's own: what is kept, what leaves, and what a collector that is away may cost. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { InternalDefect } from "../../../src/domain/errors/service.ts"
import { isSampled, parentOf } from "../../../src/domain/trace-context.ts"
import { watchRequests } from "../../../src/http/request-watch.ts"
import { type Otlp, openOtlp } from "../../../src/otlp/telemetry.ts"
import { MeterBoard } from "../../../src/ports/meters.ts"
import { until } from "../../kit/gateway.ts"
import { type Collector, startCollector } from "../../kit/otlp-collector.ts"

const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

describe("a traceparent header", () => {
  it("is taken when it is whole", () => {
    expect(parentOf(PARENT)).toEqual({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" })
    expect(parentOf(`01${PARENT.slice(2)}-more`)).not.toBeNull()
  })

  it.each([
    "",
    "x",
    PARENT.toUpperCase(),
    `ff${PARENT.slice(2)}`,
    `${PARENT}-more`,
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `00-4bf92f3577b34da6a3ce929d0e0e4736-${"0".repeat(16)}-01`,
    `${PARENT.slice(0, -1)}\n`,
    `01${PARENT.slice(2)}-${"x".repeat(200)}`,
  ])("does not count when it is %j", (header) => {
    expect(parentOf(header)).toBeNull()
  })

  it("is sampled by its own id, about as often as is asked for", () => {
    const ids = Array.from(
      { length: 4_000 },
      (_, n) =>
        `${"a".repeat(19)}${Math.floor((n * 2 ** 52) / 4_000)
          .toString(16)
          .padStart(13, "0")}`,
    )
    expect(ids.filter((id) => isSampled(id, 0.25))).toHaveLength(1_000)
    expect(ids.filter((id) => isSampled(id, 0))).toHaveLength(0)
    expect(ids.filter((id) => isSampled(id, 1))).toHaveLength(4_000)
  })
})

describe("telemetry", () => {
  let collector: Collector
  let open: Array<Otlp> = []
  let board: MeterBoard
  let troubles: Array<string>
  beforeEach(async () => {
    collector = await startCollector()
    board = new MeterBoard()
    troubles = []
  })
  afterEach(async () => {
    await Promise.all(open.map((one) => one.close()))
    open = []
    await collector.close()
  })

  const start = (sample: number): Otlp => {
    let next = 1
    const otlp = openOtlp({
      url: collector.url,
      headers: { "x-key": "k" },
      sample,
      resource: { version: "1", environment: "UAT", instance: "i" },
      meters: board,
      now: Date.now,
      monotonic: () => performance.now(),
      randomHex: (bytes) => (next++).toString(16).padStart(bytes * 2, "0"),
      random: () => 0.5,
      trouble: (what) => troubles.push(what),
    })
    open.push(otlp)
    return otlp
  }

  const value = (name: "otlp_sent_total" | "otlp_dropped_total", signal: string): number =>
    board.counter(name).of(signal).value

  const call = (failure: InternalDefect | null) => ({
    requestId: "r-1",
    route: { method: "POST", template: "/api/v3/tradeOrder/submit" },
    ip: "192.0.2.1",
    principal: undefined,
    handedOver: true,
    failure,
    header: () => "",
  })

  it("keeps nothing of what is not sampled, and makes nothing for it", async () => {
    const otlp = start(0.4)
    const watch = watchRequests(board, { tell: () => undefined }, otlp)
    expect(otlp.begin("")).toBeNull()
    expect(watch.ended(call(null), 200, 1, null)).toBeNull()
    await otlp.close()
    expect(collector.spans()).toEqual([])
  })

  it("keeps errors of our own, sampled or not, with the id that the log shows", async () => {
    const otlp = start(0)
    const told: Array<unknown> = []
    const watch = watchRequests(board, { tell: (...event) => told.push(event) }, otlp)
    const traceId = watch.ended(call(new InternalDefect()), 500, 12, otlp.begin(""))
    await otlp.close()
    expect(collector.spans()).toMatchObject([
      { traceId, name: "POST /api/v3/tradeOrder/submit", kind: 2, status: { code: 2, message: "InternalDefect" } },
    ])
    const [{ startTimeUnixNano, endTimeUnixNano }] = collector.spans()
    expect(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)).toBe(12_000_000n)
    expect(told).toMatchObject([["backend_failed", "error", { traceId }]])
  })

  it("goes on in the caller's trace, and names the caller's span", async () => {
    const otlp = start(1)
    const watch = watchRequests(board, { tell: () => undefined }, otlp)
    const trace = otlp.begin(PARENT)
    watch.ended(call(null), 200, 1, trace)
    await otlp.close()
    expect(collector.spans()).toMatchObject([
      { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", parentSpanId: "00f067aa0ba902b7", spanId: trace?.spanId },
    ])
  })

  it("sends all three signals with the headers, the last of them when it is closed", async () => {
    const otlp = start(1)
    board.counter("rate_limited_total").add("login")
    board.histogram("ledger_batch_size").of().observe(7)
    otlp.logged("audit", "warn", '{"msg":"audit","traceId":"4bf92f3577b34da6a3ce929d0e0e4736"}')
    otlp.ended(otlp.begin(""), {
      name: "work",
      kind: "internal",
      millis: 1,
      attributes: { n: 1, share: 0.5, on: true, no: null },
    })
    await otlp.close()
    expect(new Set(collector.received.map(({ headers }) => headers["x-key"]))).toEqual(new Set(["k"]))
    const [span] = collector.spans()
    expect(span.attributes).toEqual([
      { key: "n", value: { intValue: "1" } },
      { key: "share", value: { doubleValue: 0.5 } },
      { key: "on", value: { boolValue: true } },
    ])
    expect(collector.logs()).toMatchObject([
      { severityNumber: 13, traceId: "4bf92f3577b34da6a3ce929d0e0e4736", body: { stringValue: expect.any(String) } },
    ])
    const metric = (name: string) => collector.metrics().find((one) => one.name === name)
    expect(metric("rate_limited_total").sum).toMatchObject({
      isMonotonic: true,
      aggregationTemporality: 2,
      dataPoints: [{ asDouble: 1, attributes: [{ key: "rule", value: { stringValue: "login" } }] }],
    })
    expect(metric("ledger_batch_size").histogram.dataPoints).toMatchObject([
      {
        count: "1",
        sum: 7,
        bucketCounts: ["0", "0", "0", "1", "0", "0", "0", "0"],
        explicitBounds: [1, 2, 5, 10, 25, 50, 100],
      },
    ])
  })

  it("loses what does not fit, counted, while the collector refuses, and sends the rest when it is back", async () => {
    const otlp = start(1)
    collector.answer(503)
    for (let n = 0; n < 10_000; n++) otlp.logged("access", "info", `{"n":${n}}`)
    await until("the trouble", () => troubles.length === 1)
    const kept = 10_000 - value("otlp_dropped_total", "logs")
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThanOrEqual(4_096)
    collector.answer(200)
    await otlp.close()
    expect(collector.logs()).toHaveLength(kept)
    expect(value("otlp_sent_total", "logs")).toBe(kept)
    expect(troubles).toEqual([
      "logs: the collector does not take telemetry: HTTP 503",
      "logs: the collector answers again",
    ])
  })

  it("does not send again what was understood and refused", async () => {
    const otlp = start(1)
    collector.answer(400)
    for (let n = 0; n < 256; n++) otlp.logged("access", "info", "{}")
    await until("the refusal", () => value("otlp_dropped_total", "logs") === 256)
  })

  it("ends in time when the collector never answers", async () => {
    const otlp = start(1)
    collector.answer("hang")
    for (let n = 0; n < 100_000; n++) otlp.logged("access", "info", "{}")
    expect(value("otlp_dropped_total", "logs")).toBeGreaterThanOrEqual(100_000 - 4_096 - 512)
    await otlp.close()
    open = []
  })
})
