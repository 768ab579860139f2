/**
 * The tracer, the logger and the metrics exporter of `@effect/opentelemetry`, which gather, encode and flush. The one thing to know: of the
 * package only the modules `Otlp…` are imported, which need nothing of the OpenTelemetry SDK; its index would.
 */
import * as OtlpLogger from "@effect/opentelemetry/OtlpLogger"
import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import { FetchHttpClient, HttpClient } from "@effect/platform"
import { ConfigProvider, Duration, Effect, Layer } from "effect"
import type { MeterBoard } from "../ports/meters.ts"
import { type Delivery, deliveries } from "./delivery.ts"
import { serialization } from "./serialization.ts"

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

/** Until the scope closes: then what waits is sent, for at most two seconds. The metrics exporter needs nobody to call it. */
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
    OtlpSerialization.OtlpSerialization,
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
