/**
 * The tracer, the logger and the metrics exporter of `@effect/opentelemetry`, which collect, encode and flush. The one thing to know: of the
 * package only the modules `Otlp…` are imported, which need nothing of the OpenTelemetry SDK; its index would.
 */

import * as OtlpLogger from "@effect/opentelemetry/OtlpLogger"
import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import type { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import * as Serialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import { FetchHttpClient, HttpClient } from "@effect/platform"
import { ConfigProvider, type Context, Duration, Effect, Layer } from "effect"
import type { HistogramReading, Labels, MeterBoard, Reading } from "../ports/meters.ts"
import { METRICS, type MetricRow } from "../ports/metric-names.ts"
import { type Delivery, deliveries } from "./delivery.ts"

// The gateway's figures as OTLP has them. The one thing to know: they are read when a look at them leaves, so that a counter stays a plain
// number between two looks; effect's own registry does not accept a histogram counted elsewhere.

const attributesOf = (labels: Labels) =>
  Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: value } }))

/** Milliseconds as OTLP's text of nanoseconds. */
const nanos = (millis: number): string => `${BigInt(Math.round(millis)) * 1_000_000n}`

/** Since the start of the process. */
const CUMULATIVE = 2

const histogramPoint = (one: HistogramReading, times: object, explicitBounds: ReadonlyArray<number>) => ({
  ...times,
  attributes: attributesOf(one.labels),
  count: one.counts.reduce((sum, count) => sum + count, 0),
  sum: one.sum,
  bucketCounts: one.counts,
  explicitBounds,
})

const metricOf = ({ name, samples, histograms }: Reading, startMillis: number, atMillis: number): object => {
  const { type, help, buckets = [] }: MetricRow = METRICS[name]
  const times = { startTimeUnixNano: nanos(startMillis), timeUnixNano: nanos(atMillis) }
  const points = samples.map(({ labels, value }) => ({
    ...times,
    attributes: attributesOf(labels ?? {}),
    asDouble: value,
  }))
  const sort =
    histograms !== undefined
      ? {
          histogram: {
            aggregationTemporality: CUMULATIVE,
            dataPoints: histograms.map((one) => histogramPoint(one, times, buckets)),
          },
        }
      : type === "counter"
        ? { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: points } }
        : { gauge: { dataPoints: points } }
  return { name, description: help, ...sort }
}

const metricsOf = (readings: ReadonlyArray<Reading>, startMillis: number, atMillis: number): ReadonlyArray<object> =>
  readings
    .filter(({ samples, histograms }) => samples.length > 0 || (histograms?.length ?? 0) > 0)
    .map((reading) => metricOf(reading, startMillis, atMillis))

// The last hand on a batch before it leaves: the package's JSON, with our figures in the place of effect's own. The one thing to know: the
// package names a fiber in every line and marks every failed span as interrupted; no fiber logs, and no span of ours was: that is taken out.

// What the package hands over, where it is touched: OTLP's own words.
interface Attribute {
  readonly key: string
}
interface Item {
  attributes: ReadonlyArray<Attribute>
}
interface SpanBatch {
  readonly resourceSpans: readonly [{ readonly scopeSpans: readonly [{ readonly spans: ReadonlyArray<Item> }] }]
}
interface LogBatch {
  readonly resourceLogs: readonly [{ readonly scopeLogs: readonly [{ readonly logRecords: ReadonlyArray<Item> }] }]
}
interface MetricBatch {
  readonly resourceMetrics: readonly [{ readonly scopeMetrics: readonly [{ metrics: ReadonlyArray<object> }] }]
}

const isMadeUp = ({ key }: Attribute): boolean =>
  key === "fiberId" || key === "span.label" || key === "status.interrupted"

const tidied = (items: ReadonlyArray<Item>): number => {
  for (const item of items) item.attributes = item.attributes.filter((one) => !isMadeUp(one))
  return items.length
}

interface SerializationOptions {
  readonly traces: Delivery
  readonly metrics: Delivery
  readonly logs: Delivery
  readonly meters: MeterBoard
  readonly now: () => number
  /** Wall ms since when the figures count. */
  readonly startedAt: number
}

const serialization = (options: SerializationOptions): Context.Tag.Service<typeof OtlpSerialization> => ({
  traces: (batch) => options.traces.body(tidied((batch as SpanBatch).resourceSpans[0].scopeSpans[0].spans), batch),
  logs: (batch) => options.logs.body(tidied((batch as LogBatch).resourceLogs[0].scopeLogs[0].logRecords), batch),
  metrics: (batch) => {
    const scope = (batch as MetricBatch).resourceMetrics[0].scopeMetrics[0]
    scope.metrics = metricsOf(options.meters.readings(), options.startedAt, options.now())
    return options.metrics.body(1, batch)
  },
})

/** Spans, or lines, that wait for a collector. */
const ITEMS_MAX = 4_096
/** Looks at the figures: only the newest are worth anything. */
const LOOKS_MAX = 2
const BATCH_MAX = 256
const FLUSH = Duration.seconds(2)
const LOOK = Duration.seconds(15)

export interface ExporterOptions {
  /** Of the collector, without `/v1/…`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: { readonly version: string; readonly environment: string; readonly instance: string }
  readonly meters: MeterBoard
  readonly now: () => number
  /** Told when a signal begins to fail, and when it goes again. */
  readonly trouble: (what: string) => void
}

/** The network, and no setting but ours: the package would take the resource from the environment, too. */
const AROUND = Layer.mergeAll(
  FetchHttpClient.layer.pipe(Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))),
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map())),
)

/** Until the scope closes: then queued items are sent, for at most two seconds. The metrics exporter runs on its own. */
export const exporters = Effect.fnUntraced(function* (options: ExporterOptions) {
  const { url, headers, resource, meters, now } = options
  const sent = meters.counter("otlp_sent_total")
  const dropped = meters.counter("otlp_dropped_total")
  const deliver = yield* deliveries
  const lane = (name: "traces" | "metrics" | "logs", itemsMax: number): Delivery => {
    const [taken, lost] = [sent.of(name), dropped.of(name)]
    return deliver({
      itemsMax,
      sent: (count) => {
        taken.value += count
      },
      dropped: (count) => {
        lost.value += count
      },
      trouble: (what) => options.trouble(`${name}: ${what}`),
    })
  }
  const [traces, metrics, logs] = [lane("traces", ITEMS_MAX), lane("metrics", LOOKS_MAX), lane("logs", ITEMS_MAX)]
  const encoding = Effect.provideService(
    Serialization.OtlpSerialization,
    serialization({ traces, metrics, logs, meters, now, startedAt: now() }),
  )
  const over = ({ client }: Delivery) => Effect.provideService(HttpClient.HttpClient, client)
  const of = (name: string) => ({
    url: `${url}${url.endsWith("/") ? "" : "/"}v1/${name}`,
    headers,
    exportInterval: FLUSH,
    maxBatchSize: BATCH_MAX,
    resource: {
      serviceName: "venue-gateway",
      serviceVersion: resource.version,
      attributes: {
        "service.instance.id": resource.instance,
        "deployment.environment.name": resource.environment,
      },
    },
  })
  const tracer = yield* OtlpTracer.make(of("traces")).pipe(over(traces), encoding)
  const logger = yield* OtlpLogger.make(of("logs")).pipe(over(logs), encoding)
  yield* OtlpMetrics.make({ ...of("metrics"), exportInterval: LOOK }).pipe(over(metrics), encoding)
  return { tracer, logger }
}, Effect.provide(AROUND))
