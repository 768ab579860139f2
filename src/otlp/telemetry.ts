/** Traces, metrics and logs on their way to an OTLP collector over HTTP: what of them is kept, and when it leaves. */
import type { LogLevel } from "../domain/log-line.ts"
import { isSampled, parentOf, type Trace } from "../domain/trace-context.ts"
import type { MeterBoard } from "../ports/meters.ts"
import type { Span, TelemetryService } from "../ports/telemetry.ts"
import { encodeLog, encodeSpan, logsBody, metricsBody, type Resource, tracesBody } from "./encoding.ts"
import { Exporter } from "./exporter.ts"

const QUEUE_MAX = 4_096
const BATCH_MAX = 256
const TIMEOUT_MILLIS = 5_000
const LAST_TIMEOUT_MILLIS = 2_000
const FLUSH_MILLIS = 2_000
const METRICS_MILLIS = 15_000

export interface OtlpOptions {
  /** Of the collector, without `/v1/…`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Of the traces that begin here: 0 to 1. */
  readonly sample: number
  readonly resource: Resource
  readonly meters: MeterBoard
  readonly now: () => number
  readonly monotonic: () => number
  /** `bytes` random bytes in hexadecimal digits. */
  readonly randomHex: (bytes: number) => string
  readonly random: () => number
  readonly trouble: (what: string) => void
}

interface EndedSpan {
  readonly trace: Trace
  readonly span: Span
  /** Wall ms of its end. */
  readonly at: number
}

interface LoggedLine {
  readonly stream: string
  readonly level: LogLevel
  readonly line: string
  readonly at: number
}

export interface Otlp extends TelemetryService {
  /** Sends what waits, and the last figures; at most two seconds for each signal. */
  readonly close: () => Promise<void>
}

export const openOtlp = (options: OtlpOptions): Otlp => {
  const { sample, resource, meters, now } = options
  const sent = meters.counter("otlp_sent_total")
  const dropped = meters.counter("otlp_dropped_total")
  const startedAt = now()
  const signal = <Item>(
    name: "traces" | "metrics" | "logs",
    batchMax: number,
    body: (items: ReadonlyArray<Item>) => object,
  ) => {
    const [taken, lost] = [sent.of(name), dropped.of(name)]
    return new Exporter<Item>({
      url: `${options.url.replace(/\/+$/, "")}/v1/${name}`,
      headers: options.headers,
      body,
      queueMax: QUEUE_MAX,
      batchMax,
      timeoutMillis: TIMEOUT_MILLIS,
      sent: (count) => {
        taken.value += count
      },
      dropped: (count) => {
        lost.value += count
      },
      trouble: (what) => options.trouble(`${name}: ${what}`),
      monotonic: options.monotonic,
    })
  }
  // What waits is as it was handed over: encoded in the batch that leaves, and never when it is lost.
  const traces = signal<EndedSpan>("traces", BATCH_MAX, (spans) =>
    tracesBody(
      resource,
      spans.map(({ trace, span, at }) => encodeSpan(trace, span, at)),
    ),
  )
  const logs = signal<LoggedLine>("logs", BATCH_MAX, (lines) =>
    logsBody(
      resource,
      lines.map(({ stream, level, line, at }) => encodeLog(stream, level, line, at)),
    ),
  )
  // Figures stand for themselves: of those that could not be sent only the newest are worth anything.
  const metrics = signal<number>("metrics", 1, (times) =>
    metricsBody(resource, meters.readings(), startedAt, times.at(-1) ?? now()),
  )
  const every = (millis: number, run: () => void): NodeJS.Timeout => setInterval(run, millis).unref()
  const measure = (): void => {
    if (metrics.waiting === 0) metrics.push(now())
    else void metrics.flush()
  }
  const timers = [
    every(FLUSH_MILLIS, () => {
      void traces.flush()
      void logs.flush()
    }),
    every(METRICS_MILLIS, measure),
  ]

  /** Not sampled, but worth keeping: a trace of one span. */
  const fresh = (): Trace => {
    const digits = options.randomHex(24)
    return { traceId: digits.slice(0, 32), spanId: digits.slice(32), parentSpanId: null, sampled: true }
  }

  return {
    isTracing: true,
    begin: (traceparent) => {
      const parent = traceparent === "" ? null : parentOf(traceparent)
      if (parent === null) return sample > 0 && options.random() < sample ? fresh() : null
      const { traceId, spanId } = parent
      return { traceId, spanId: options.randomHex(8), parentSpanId: spanId, sampled: isSampled(traceId, sample) }
    },
    ended: (trace, span) => {
      if (trace === null ? span.error === undefined : !trace.sampled && span.error === undefined)
        return trace?.traceId ?? null
      const kept = trace ?? fresh()
      traces.push({ trace: kept, span, at: now() })
      return kept.traceId
    },
    logged: (stream, level, line) => logs.push({ stream, level, line, at: now() }),
    close: async () => {
      for (const timer of timers) clearInterval(timer)
      metrics.push(now())
      const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_TIMEOUT_MILLIS).unref())
      await Promise.race([Promise.all([traces.flush(true), logs.flush(true), metrics.flush(true)]), late])
    },
  }
}
