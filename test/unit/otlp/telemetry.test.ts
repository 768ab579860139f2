/** OTLP against a collector of the test's own: what is kept, what leaves, and what a collector that is away may cost. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Exit, Scope } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { InternalDefect } from "../../../src/domain/errors/service.ts"
import { isSampled, parentOf } from "../../../src/foundation/trace-context.ts"
import { watchRequests } from "../../../src/http/watch/request-watch.ts"
import { openOtlp } from "../../../src/otlp/telemetry.ts"
import { MeterBoard } from "../../../src/ports/meters.ts"
import type { TelemetryService } from "../../../src/ports/telemetry.ts"
import { until } from "../../kit/servers/gateway.ts"
import { type Collector, startCollector } from "../../kit/servers/otlp-collector.ts"

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
  let open: Array<Scope.CloseableScope> = []
  let board: MeterBoard
  let troubles: Array<string>
  beforeEach(async () => {
    collector = await startCollector()
    board = new MeterBoard()
    troubles = []
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await close()
    await collector.close()
  })

  const start = async (sample: number): Promise<TelemetryService> => {
    let next = 1
    const scope = Effect.runSync(Scope.make())
    open.push(scope)
    const opened = openOtlp({
      url: collector.url,
      headers: { "x-key": "k" },
      sample,
      resource: { version: "1", environment: "UAT", instance: "i" },
      meters: board,
      now: Date.now,
      randomHex: (bytes) => (next++).toString(16).padStart(bytes * 2, "0"),
      random: () => 0.5,
      trouble: (what) => troubles.push(what),
    })
    return Effect.runPromise(Scope.extend(opened, scope))
  }

  const close = async (): Promise<void> => {
    const scopes = open
    open = []
    for (const scope of scopes) await Effect.runPromise(Scope.close(scope, Exit.void))
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
    const otlp = await start(0.4)
    const watch = watchRequests(board, { tell: () => undefined }, otlp)
    expect(otlp.begin("")).toBeNull()
    expect(watch.ended(call(null), 200, 1, null)).toBeNull()
    await close()
    expect(collector.spans()).toEqual([])
  })

  it("keeps errors of our own, sampled or not, with the id that the log shows", async () => {
    const otlp = await start(0)
    const told: Array<unknown> = []
    const watch = watchRequests(board, { tell: (...event) => told.push(event) }, otlp)
    const traceId = watch.ended(call(new InternalDefect()), 500, 12, otlp.begin(""))
    await close()
    expect(collector.spans()).toMatchObject([
      { traceId, name: "POST /api/v3/tradeOrder/submit", kind: 2, status: { code: 2, message: "InternalDefect" } },
    ])
    const { startTimeUnixNano, endTimeUnixNano, attributes } = collector.spans()[0]!
    expect(attributes.map(({ key }) => key)).not.toContain("status.interrupted")
    expect(JSON.stringify(collector.spans())).not.toMatch(/node_modules|\/src\/|\.ts:|\.js:/)
    expect(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)).toBe(12_000_000n)
    expect(told).toMatchObject([["backend_failed", "error", { traceId }]])
  })

  it("goes on in the caller's trace, and names the caller's span", async () => {
    const otlp = await start(1)
    const watch = watchRequests(board, { tell: () => undefined }, otlp)
    const trace = otlp.begin(PARENT)
    watch.ended(call(null), 200, 1, trace)
    await close()
    expect(collector.spans()).toMatchObject([
      { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", parentSpanId: "00f067aa0ba902b7", spanId: trace?.spanId },
    ])
  })

  it("says which gateway it is, and takes nothing of that from the environment", async () => {
    vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "team=somebody")
    const otlp = await start(1)
    otlp.logged("access", "info", "{}")
    await close()
    const logs = collector.received.find(({ path }) => path === "/v1/logs")
    expect(logs?.body.resourceLogs?.[0]?.resource.attributes).toEqual(
      [
        ["service.instance.id", "i"],
        ["deployment.environment.name", "UAT"],
        ["service.name", "venue-gateway"],
        ["service.version", "1"],
      ].map(([key, stringValue]) => ({ key, value: { stringValue } })),
    )
  })

  it("sends all three signals with the headers, the last of them when it is closed", async () => {
    const otlp = await start(1)
    board.counter("rate_limited_total").add("login")
    board.histogram("ledger_batch_size").of().observe(7)
    otlp.logged("audit", "warn", '{"msg":"audit","traceId":"4bf92f3577b34da6a3ce929d0e0e4736"}')
    otlp.ended(otlp.begin(""), {
      name: "work",
      kind: "internal",
      millis: 1,
      attributes: { n: 1, share: 0.5, on: true, no: null },
    })
    await close()
    expect(new Set(collector.received.map(({ headers }) => headers["x-key"]))).toEqual(new Set(["k"]))
    const [span] = collector.spans()
    expect(span?.attributes).toEqual([
      { key: "n", value: { intValue: 1 } },
      { key: "share", value: { doubleValue: 0.5 } },
      { key: "on", value: { boolValue: true } },
    ])
    expect(collector.logs()).toMatchObject([
      { severityNumber: 13, traceId: "4bf92f3577b34da6a3ce929d0e0e4736", body: { stringValue: expect.any(String) } },
    ])
    expect(collector.logs()[0]?.attributes).toEqual([{ key: "log.stream", value: { stringValue: "audit" } }])
    const metric = (name: string) => collector.metrics().find((one) => one.name === name)
    expect(metric("rate_limited_total")?.sum).toMatchObject({
      isMonotonic: true,
      aggregationTemporality: 2,
      dataPoints: [{ asDouble: 1, attributes: [{ key: "rule", value: { stringValue: "login" } }] }],
    })
    expect(metric("ledger_batch_size")?.histogram?.dataPoints).toMatchObject([
      {
        count: 1,
        sum: 7,
        bucketCounts: [0, 0, 0, 1, 0, 0, 0, 0],
        explicitBounds: [1, 2, 5, 10, 25, 50, 100],
      },
    ])
  })

  const lines = (otlp: TelemetryService, count: number): void => {
    for (let n = 0; n < count; n++) otlp.logged("access", "info", `{"n":${n}}`)
  }

  it("loses what does not fit, counted, while the collector refuses, and sends the rest when it is back", async () => {
    const otlp = await start(1)
    collector.answer(503)
    lines(otlp, 10_000)
    // Then the pause is longer than what the end may take.
    await until("the third refusal", () => collector.refused() === 3)
    const lost = value("otlp_dropped_total", "logs")
    expect(lost).toBeGreaterThanOrEqual(10_000 - 4_096 - 256)
    expect(lost).toBeLessThan(10_000)
    collector.answer(200)
    await close()
    const kept = 10_000 - value("otlp_dropped_total", "logs")
    expect(kept).toBeGreaterThan(1_000)
    expect(collector.logs()).toHaveLength(kept)
    expect(value("otlp_sent_total", "logs")).toBe(kept)
    expect(troubles).toEqual([
      "logs: the collector does not accept telemetry: HTTP 503",
      "logs: the collector accepts telemetry again",
    ])
  })

  it("waits for a collector that is not there, and loses nothing that fits", async () => {
    const port = Number(new URL(collector.url).port)
    await collector.close()
    const otlp = await start(1)
    lines(otlp, 1_000)
    await until("the trouble", () => troubles.length === 1)
    expect(troubles[0]).toContain("ECONNREFUSED")
    collector = await startCollector(port)
    await until("the lines", () => collector.logs().length >= 768)
    await close()
    expect(collector.logs().map(({ body }) => body.stringValue)).toEqual(
      Array.from({ length: 1_000 }, (_, n) => `{"n":${n}}`),
    )
    expect(value("otlp_dropped_total", "logs")).toBe(0)
  })

  it("does not send again what was understood and refused, and goes on with what comes next", async () => {
    const otlp = await start(1)
    collector.answer(400)
    lines(otlp, 256)
    await until("the refusal", () => value("otlp_dropped_total", "logs") === 256)
    collector.answer(200)
    lines(otlp, 256)
    await until("the next", () => value("otlp_sent_total", "logs") === 256)
  })

  it("takes nothing to where the collector sends it: the headers are for the one that was set", async () => {
    const other = collector
    collector = await startCollector(0, other.url)
    const otlp = await start(1)
    for (const [n, status] of [302, 307, 308].entries()) {
      collector.answer(status)
      lines(otlp, 256)
      await until(`the loss at ${status}`, () => value("otlp_dropped_total", "logs") === (n + 1) * 256)
    }
    await close()
    expect(value("otlp_dropped_total", "logs")).toBe(768)
    expect(other.received).toEqual([])
    await other.close()
  })

  it("reads no answer without an end, and does not send again what was taken with it", async () => {
    const otlp = await start(1)
    collector.answer("endless")
    for (let batch = 1; batch <= 3; batch++) {
      lines(otlp, 256)
      await until("the batch", () => value("otlp_sent_total", "logs") === batch * 256)
    }
    await until("no answer is open", () => collector.waiting() === 0)
    await close()
    expect(collector.logs()).toHaveLength(768)
    expect([value("otlp_dropped_total", "logs"), troubles]).toEqual([0, []])
  })

  it("has one request under way, and ends in time with everything counted, when the collector never answers", async () => {
    const otlp = await start(1)
    collector.answer("hang")
    lines(otlp, 100_000)
    expect(value("otlp_dropped_total", "logs")).toBeGreaterThanOrEqual(100_000 - 4_096 - 256)
    await until("the request", () => collector.waiting() > 0)
    expect(collector.waiting()).toBe(1)
    await close()
    expect(value("otlp_dropped_total", "logs")).toBe(100_000)
    otlp.logged("access", "info", "{}")
    expect(collector.received).toEqual([])
  })
})

describe("the package", () => {
  it("needs nothing of the OpenTelemetry SDK where it is used", () => {
    const seen = new Set<string>()
    const packages = new Set<string>()
    const read = (file: string): void => {
      if (seen.has(file)) return
      seen.add(file)
      for (const [, from = ""] of readFileSync(file, "utf8").matchAll(/^import .*?from "([^"]+)"/gm))
        if (from.startsWith(".")) read(join(dirname(file), from))
        else packages.add(from.split("/").slice(0, 2).join("/"))
    }
    for (const name of ["OtlpTracer", "OtlpLogger", "OtlpMetrics", "OtlpSerialization"])
      read(fileURLToPath(import.meta.resolve(`@effect/opentelemetry/${name}`)))
    expect(seen.size).toBeGreaterThan(4)
    expect([...packages].filter((name) => !/^(effect\/|@effect\/platform$)/.test(name))).toEqual([])
  })
})
