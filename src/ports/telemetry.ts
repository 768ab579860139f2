/**
 * Traces and logs for a collector, if one is set. The one thing to know: when off, or for a request that is not sampled, nothing is created;
 * failures are reported afterwards, sampled or not. The default does nothing.
 */
import { Context } from "effect"
import type { LogLevel } from "../foundation/log-line.ts"
import type { Trace } from "../foundation/trace-context.ts"

export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Something that is over. */
export interface Span {
  /** Words of ours: `POST /api/v3/tradeOrder/submit`, `OrderWriter.batch`. */
  readonly name: string
  readonly kind: "server" | "internal"
  /** How long it took, to now. */
  readonly millis: number
  readonly attributes: Attributes
  /** What went wrong, in words that may be shown; absent: nothing. */
  readonly error?: string | undefined
}

export interface TelemetryService {
  /** Off: requests need not ask. */
  readonly isTracing: boolean
  /** Of a request with that `traceparent`, or none; null: there is nothing to remember. */
  readonly begin: (traceparent: string) => Trace | null
  /** What was sampled, and what went wrong anyway. Answers the id of its trace; null: it was not kept. */
  readonly ended: (trace: Trace | null, span: Span) => string | null
  /** One line that was logged. */
  readonly logged: (stream: string, level: LogLevel, line: string) => void
}

export const SILENT: TelemetryService = {
  isTracing: false,
  begin: () => null,
  ended: () => null,
  logged: () => undefined,
}

/** For work of the house itself, a batch of a writer for example: a share of it is kept as traces of one span. Undefined: tracing is off. */
export const sampledWork = (telemetry: TelemetryService, name: string, unit: string) =>
  telemetry.isTracing
    ? (count: number, millis: number): void => {
        const trace = telemetry.begin("")
        if (trace !== null) telemetry.ended(trace, { name, kind: "internal", millis, attributes: { [unit]: count } })
      }
    : undefined

export class Telemetry extends Context.Reference<Telemetry>()("ports/Telemetry", {
  defaultValue: (): TelemetryService => SILENT,
}) {}
