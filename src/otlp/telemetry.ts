/**
 * Traces, metrics and logs to an OTLP collector: what is kept of them. The one thing to know: the package's tracer and logger are called as plain
 * functions, for work that has already ended; no fiber runs with them, so a request that is not sampled costs nothing.
 */
import {
  Cause,
  Context,
  Effect,
  Exit,
  FiberId,
  FiberRef,
  FiberRefs,
  HashMap,
  List,
  LogLevel,
  Option,
  type Scope,
  Tracer,
} from "effect"
import { isSampled, parentOf, type Trace } from "../foundation/trace-context.ts"
import type { TelemetryService } from "../ports/telemetry.ts"
import { type ExporterOptions, exporters } from "./exporters.ts"

export interface OtlpOptions extends ExporterOptions {
  /** Of the traces that begin here: 0 to 1. */
  readonly sample: number
  /** `bytes` random bytes in hexadecimal digits. */
  readonly randomHex: (bytes: number) => string
  readonly random: () => number
}

const LEVELS = { debug: LogLevel.Debug, info: LogLevel.Info, warn: LogLevel.Warning, error: LogLevel.Error } as const

const nanos = (millis: number): bigint => BigInt(Math.round(millis * 1_000)) * 1_000n

/** Of a line in that trace; the line does not say in which span. */
const inTrace = (traceId: string): FiberRefs.FiberRefs =>
  FiberRefs.updateAs(FiberRefs.empty(), {
    fiberId: FiberId.none,
    fiberRef: FiberRef.currentContext,
    value: Context.make(Tracer.ParentSpan, Tracer.externalSpan({ traceId, spanId: "" })),
  })

/** Until the scope closes. */
export const openOtlp = (options: OtlpOptions): Effect.Effect<TelemetryService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { sample, now, randomHex } = options
    const { tracer, logger } = yield* exporters(options)
    let isOpen = true
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isOpen = false
      }),
    )
    const nowhere = FiberRefs.empty()
    const noSpans = List.empty<never>()
    const streams = new Map<string, HashMap.HashMap<string, unknown>>()
    const annotationsOf = (stream: string): HashMap.HashMap<string, unknown> => {
      const annotations = streams.get(stream) ?? HashMap.make(["log.stream", stream])
      streams.set(stream, annotations)
      return annotations
    }

    /** Not sampled, but worth keeping: a trace of one span. */
    const fresh = (): Trace => {
      const digits = randomHex(24)
      return { traceId: digits.slice(0, 32), spanId: digits.slice(32), parentSpanId: null, sampled: true }
    }

    return {
      isTracing: true,
      begin: (traceparent) => {
        const parent = traceparent === "" ? null : parentOf(traceparent)
        if (parent === null) return sample > 0 && options.random() < sample ? fresh() : null
        const { traceId, spanId } = parent
        return { traceId, spanId: randomHex(8), parentSpanId: spanId, sampled: isSampled(traceId, sample) }
      },
      ended: (trace, { name, kind, millis, attributes, error }) => {
        if (!isOpen || (trace?.sampled !== true && error === undefined)) return trace?.traceId ?? null
        const { traceId, spanId, parentSpanId } = trace ?? fresh()
        const parent =
          parentSpanId === null
            ? Option.none()
            : Option.some(Tracer.externalSpan({ traceId, spanId: parentSpanId, sampled: true }))
        const at = now()
        const span = tracer.span(name, parent, Context.empty(), [], nanos(at - millis), kind)
        // It names itself; but the caller was told when the request began.
        Object.assign(span, { traceId, spanId })
        for (const [key, value] of Object.entries(attributes))
          if (value !== null && value !== undefined) span.attribute(key, value)
        span.end(nanos(at), error === undefined ? Exit.void : Exit.fail(error))
        return traceId
      },
      logged: (stream, level, line) => {
        if (!isOpen) return
        // `line` is JSON already; a collector parses it, or shows it.
        const traceId = /"traceId":"([0-9a-f]{32})"/.exec(line)?.[1]
        logger.log({
          fiberId: FiberId.none,
          logLevel: LEVELS[level],
          message: line,
          cause: Cause.empty,
          context: traceId === undefined ? nowhere : inTrace(traceId),
          spans: noSpans,
          annotations: annotationsOf(stream),
          date: new Date(now()),
        })
      },
    } satisfies TelemetryService
  })
