/** Spans, log lines and readings as OTLP's JSON has them (opentelemetry-proto 1.x): plain objects, made when they are sent. */
import type { LogLevel } from "../domain/log-line.ts"
import type { Trace } from "../domain/trace-context.ts"
import type { HistogramReading, Labels, Reading } from "../ports/meters.ts"
import { METRICS, type MetricRow } from "../ports/metric-names.ts"
import type { Attributes, Span } from "../ports/telemetry.ts"

const anyValueOf = (value: string | number | boolean) =>
  typeof value === "string"
    ? { stringValue: value }
    : typeof value === "boolean"
      ? { boolValue: value }
      : Number.isInteger(value)
        ? { intValue: `${value}` }
        : { doubleValue: value }

const attributesOf = (attributes: Attributes | Labels) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: anyValueOf(value) }],
  )

/** Nanoseconds as text: they do not fit into a number. */
const nanos = (millis: number): string => `${BigInt(Math.round(millis * 1000)) * 1000n}`

export interface Resource {
  readonly version: string
  readonly environment: string
  readonly instance: string
}

const resourceOf = ({ version, environment, instance }: Resource) => ({
  attributes: attributesOf({
    "service.name": "venue-gateway",
    "service.version": version,
    "service.instance.id": instance,
    "deployment.environment.name": environment,
  }),
})

const SCOPE = { name: "venue-gateway" }
const KINDS = { internal: 1, server: 2 } as const
const SEVERITIES = { debug: 5, info: 9, warn: 13, error: 17 } as const

export const encodeSpan = ({ traceId, spanId, parentSpanId }: Trace, span: Span, endMillis: number): object => ({
  traceId,
  spanId,
  ...(parentSpanId === null ? undefined : { parentSpanId }),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: nanos(endMillis - span.millis),
  endTimeUnixNano: nanos(endMillis),
  attributes: attributesOf(span.attributes),
  status: span.error === undefined ? { code: 0 } : { code: 2, message: span.error },
})

/** `line` is JSON already; a collector parses it, or shows it. */
export const encodeLog = (stream: string, level: LogLevel, line: string, atMillis: number): object => {
  const traceId = /"traceId":"([0-9a-f]{32})"/.exec(line)?.[1]
  return {
    timeUnixNano: nanos(atMillis),
    observedTimeUnixNano: nanos(atMillis),
    severityNumber: SEVERITIES[level],
    severityText: level.toUpperCase(),
    body: { stringValue: line },
    attributes: attributesOf({ "log.stream": stream }),
    ...(traceId === undefined ? undefined : { traceId }),
  }
}

const histogramPoint = (one: HistogramReading, times: object, explicitBounds: ReadonlyArray<number>) => ({
  ...times,
  attributes: attributesOf(one.labels),
  count: `${one.counts.reduce((sum, count) => sum + count, 0)}`,
  sum: one.sum,
  bucketCounts: one.counts.map(String),
  explicitBounds,
})

/** Since the start of the process. */
const CUMULATIVE = 2

const encodeReading = ({ name, samples, histograms }: Reading, startMillis: number, atMillis: number): object => {
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

export const tracesBody = (resource: Resource, spans: ReadonlyArray<object>): object => ({
  resourceSpans: [{ resource: resourceOf(resource), scopeSpans: [{ scope: SCOPE, spans }] }],
})

export const logsBody = (resource: Resource, logRecords: ReadonlyArray<object>): object => ({
  resourceLogs: [{ resource: resourceOf(resource), scopeLogs: [{ scope: SCOPE, logRecords }] }],
})

export const metricsBody = (
  resource: Resource,
  readings: ReadonlyArray<Reading>,
  startMillis: number,
  atMillis: number,
): object => ({
  resourceMetrics: [
    {
      resource: resourceOf(resource),
      scopeMetrics: [
        {
          scope: SCOPE,
          metrics: readings
            .filter(({ samples, histograms }) => samples.length > 0 || (histograms?.length ?? 0) > 0)
            .map((reading) => encodeReading(reading, startMillis, atMillis)),
        },
      ],
    },
  ],
})
