/**
 * What goes wrong with a call: the gateway refused it, or no answer came. The difference is the one thing to know: after a refusal it is
 * certain that this request did nothing (503 aside); without an answer it is not.
 */
import { ERRNO } from "./generated/errno.ts"

/** A failure's name, as in `details.code`. */
export type FailureCode = keyof typeof ERRNO

interface Details {
  readonly code: FailureCode | string
  readonly reason?: string
  readonly request_id?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** The gateway's own words. */
export interface FailureEnvelope {
  readonly success: false
  readonly errno: number
  readonly error: string
  readonly details: Details
}

/** `: limitPrice: not a decimal`, or the figures of the refusal by their names; empty where there are none. */
const aboutOf = (metadata: Readonly<Record<string, unknown>>): string => {
  const { parameter, reason, ...others } = metadata
  const written = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value))
  const words = [parameter, reason].filter((it) => it !== undefined && it !== null).map(written)
  const figures = Object.entries(others).map(([name, value]) => `${name} ${written(value)}`)
  return [...words, ...(figures.length === 0 ? [] : [figures.join(", ")])].map((it) => `: ${it}`).join("")
}

/** The gateway answered, and refused. */
export class GatewayError extends Error {
  override readonly name = "GatewayError"
  readonly status: number
  readonly errno: number
  /** The failure's name, for example INSUFFICIENT_BALANCE; of a newer gateway also one that this client does not know. */
  readonly code: FailureCode | (string & {})
  /** Why, as a word to act on, where the failure has one: RECONCILING, VENUE_UNREACHABLE … */
  readonly reason: string | null
  /** Fields specific to this failure. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** Also on the gateway's log lines: give it to the operator. */
  readonly requestId: string | null
  /** So long the gateway asks to wait, ms; null: it does not say. */
  readonly retryAfterMs: number | null

  constructor(call: string, status: number, failure: FailureEnvelope, retryAfterMs: number | null) {
    const about = aboutOf({ reason: failure.details.reason, ...failure.details.metadata })
    super(`${call}: ${failure.error} (${failure.errno} ${failure.details.code})${about}`)
    this.status = status
    this.errno = failure.errno
    this.code = failure.details.code
    this.reason = failure.details.reason ?? null
    this.metadata = failure.details.metadata ?? {}
    this.requestId = failure.details.request_id ?? null
    this.retryAfterMs = retryAfterMs
  }

  /** By number, which is never reused. */
  is(...codes: ReadonlyArray<FailureCode>): boolean {
    return codes.some((code) => ERRNO[code] === this.errno)
  }
}

/** No answer of the gateway: the network, a timeout, or a proxy in between that answered in its own words. What the request did is unknown. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
  /** Of a proxy's answer. */
  readonly status: number | null
  readonly retryAfterMs: number | null

  constructor(
    call: string,
    why: string,
    options: { cause?: unknown; status?: number; retryAfterMs?: number | null } = {},
  ) {
    super(`${call}: no answer (${why})`, { cause: options.cause })
    this.status = options.status ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/** Whether the same request may be answered differently a little later: no answer, 429, or a gateway that is in trouble. */
export const isPassing = (error: unknown): error is GatewayError | NoAnswer =>
  error instanceof NoAnswer || (error instanceof GatewayError && (error.status === 429 || error.status >= 500))
