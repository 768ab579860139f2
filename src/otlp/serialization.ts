/**
 * The last hand on a batch before it leaves: the package's JSON, with our figures in the place of effect's own. The one thing to know: the
 * package names a fiber in every line and marks every failed span as interrupted; no fiber logs, and no span of ours was: that is taken out.
 */
import type { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import type { Context } from "effect"
import type { MeterBoard } from "../ports/meters.ts"
import type { Delivery } from "./delivery.ts"
import { metricsOf } from "./metrics.ts"

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

export interface SerializationOptions {
  readonly traces: Delivery
  readonly metrics: Delivery
  readonly logs: Delivery
  readonly meters: MeterBoard
  readonly now: () => number
  /** Wall ms since when the figures count. */
  readonly startedAt: number
}

export const serialization = (options: SerializationOptions): Context.Tag.Service<typeof OtlpSerialization> => ({
  traces: (batch) => options.traces.body(tidied((batch as SpanBatch).resourceSpans[0].scopeSpans[0].spans), batch),
  logs: (batch) => options.logs.body(tidied((batch as LogBatch).resourceLogs[0].scopeLogs[0].logRecords), batch),
  metrics: (batch) => {
    const scope = (batch as MetricBatch).resourceMetrics[0].scopeMetrics[0]
    scope.metrics = metricsOf(options.meters.readings(), options.startedAt, options.now())
    return options.metrics.body(1, batch)
  },
})
