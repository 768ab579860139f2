/**
 * One call of an operation and its one answer, whatever carries it: an HTTP request (`Exchange`) or a message on a socket (`RpcCall`).
 * A latch that every way to answer goes through: the first answer counts, and the deadline answers when nobody does.
 */
import { Cause } from "effect"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { InternalDefect } from "../../domain/errors/service.ts"
import type { Principal } from "../../domain/user/user.ts"
import type { LogLevel } from "../../foundation/log-line.ts"
import type { TokenBucket } from "../../foundation/token-bucket.ts"
import type { Trace } from "../../foundation/trace-context.ts"
import { isUuid } from "../../foundation/uuid.ts"
import type { RequestLimiter } from "../limits/rate-limit.ts"
import type { RouteCost } from "../limits/rate-limit-costs.ts"
import { accessLine, levelOf } from "../watch/request-log.ts"
import type { RequestWatch } from "../watch/request-watch.ts"
import { type Deadlines, Waiting } from "./deadlines.ts"
import { successText } from "./envelope.ts"
import { ERRNO, type FailureStatus } from "./errno.ts"
import { failureText, type Operation, retryAfterSeconds } from "./failures.ts"
import type { AnswerOptions, DeadlineTerms, FailureOptions, HttpReply, RequestFacts } from "./route.ts"
import type { TransportPolicy } from "./transport.ts"

/** A defect of ours, for the log: the client only gets the request id. */
export interface Defect {
  /** Absent: the request itself failed. */
  readonly what?: string
  readonly requestId: string
  readonly route: string
  readonly error: unknown
}

/** What all calls share. */
export interface Surroundings {
  readonly transport: TransportPolicy
  readonly deadlines: Deadlines
  readonly requestId: () => string
  readonly now: () => number
  readonly monotonic: () => number
  readonly log: ((line: string, level: LogLevel) => void) | null
  readonly onDefect: (defect: Defect) => void
  /** Null: nobody is limited. */
  readonly limiter: RequestLimiter | null
  readonly watch?: RequestWatch | undefined
}

export interface RouteFacts {
  /** GET, POST … as the log and OpenAPI write it; RPC for a call that came over a socket. */
  readonly method: string
  readonly template: string
  readonly operation: Operation
  readonly deadline: DeadlineTerms
  readonly cost: RouteCost
  /** A HEAD request: the headers of the GET, no body. */
  readonly isHead: boolean
}

export type Headers = Readonly<Record<string, string>>

/**
 * A log that throws must neither cost the client its answer nor, from a timer, the process its life. Nobody is left to be told of it: any
 * other way to stderr would be a line that is not of the log's schema.
 */
export const tellOperator = (around: Pick<Surroundings, "onDefect">, defect: Defect): void => {
  try {
    around.onDefect(defect)
    // tidy: what happens next is said above: nothing
  } catch {}
}

export abstract class Call extends Waiting implements RequestFacts {
  readonly receivedAt: number
  abstract readonly requestId: string
  /** Equal to `requestId` unless the client named the request. */
  abstract readonly callId: string
  abstract readonly ip: string
  abstract readonly isSecure: boolean
  /** Set once it is known who calls. */
  principal: Principal | undefined = undefined
  tradingAccountId: unknown = undefined
  tradeOrderId: string | undefined = undefined
  dealerAccountId: unknown = undefined
  limit: TokenBucket | undefined = undefined
  limitName = ""
  submitsCounted = 0
  bytesIn = 0
  /** The handler has the call: from here on it may have been done. */
  handedOver = false
  /** The client is gone, or has its answer: nothing more may be written. */
  done = false
  /** When the latch closed, in monotonic ms; what is told of the call then is told of that moment. */
  endedAt = 0
  /** What it was answered with; null: nothing yet, or a success. */
  failure: DomainError | null = null
  /** Null: it belongs to none that is known. */
  protected trace: Trace | null = null
  private deadlineFailure: (() => DomainError) | undefined = undefined

  constructor(
    readonly route: RouteFacts,
    protected readonly around: Surroundings,
  ) {
    super()
    this.receivedAt = around.monotonic()
  }

  abstract header(name: string): string

  /** Closes the latch and writes the answer; called while it is open. `failure` is null for a success. */
  protected abstract send(
    status: FailureStatus | 200,
    errno: number,
    envelope: string,
    headers: Headers | undefined,
    failure: DomainError | null,
  ): void

  /** The edge's own clock: uWebSockets turns its timer off once a request is handed over. */
  startClock(): void {
    this.around.deadlines.add(this, this.route.deadline.millis)
  }

  expire(): void {
    const failure = this.deadlineFailure ?? this.route.deadline.failure
    this.fail(failure())
  }

  get reply(): HttpReply<unknown, never> {
    return {
      ok: (answer, options) => this.ok(answer, options),
      fail: (error, options) => this.fail(error, options),
      relay: (error) => this.fail(error),
      onDeadline: (failure) => {
        this.deadlineFailure = failure
      },
    }
  }

  ok(answer: unknown, options?: AnswerOptions): void {
    if (this.done) return
    try {
      this.send(200, 0, successText(answer, options?.pagination), options?.headers, null)
    } catch (error) {
      this.defect(error)
    }
  }

  fail(error: DomainError, options?: FailureOptions & { readonly headers?: Headers }): void {
    if (this.done) return
    const row = ERRNO[error._tag]
    // Something that is no failure of ours reached a typed hole.
    if (row === undefined) {
      this.defect(error)
      return
    }
    const text = failureText(error, this.route.operation, this.requestId, options?.metadata)
    const seconds = retryAfterSeconds(error)
    const headers = seconds === undefined ? options?.headers : { ...options?.headers, "Retry-After": `${seconds}` }
    this.failure = error
    this.send(row.status, row.errno, text, headers, error)
  }

  defect(error: unknown): void {
    this.report(error)
    this.fail(new InternalDefect())
  }

  /** Tells the operator alone. */
  protected report(error: unknown, what?: string): void {
    tellOperator(this.around, {
      ...(what === undefined ? undefined : { what }),
      requestId: this.requestId,
      route: `${this.route.method} ${this.route.template}`,
      error: Cause.isCause(error) ? Cause.squash(error) : error,
    })
  }

  /** Closes the latch. */
  protected end(): void {
    this.done = true
    this.endedAt = this.around.monotonic()
    this.around.deadlines.remove(this)
  }

  protected record(status: number, errno: number, bytesOut: number, aborted: boolean): void {
    const { log, watch } = this.around
    if (log === null && watch === undefined) return
    const durationMillis = this.endedAt - this.receivedAt
    let traceId: string | null = null
    try {
      if (watch !== undefined) traceId = watch.ended(this, status, durationMillis, this.trace)
    } catch (error) {
      this.report(error, "a request could not be counted")
    }
    if (log === null) return
    const { principal, route, tradingAccountId } = this
    try {
      const line = accessLine({
        at: this.around.now(),
        requestId: this.requestId,
        callId: this.callId === this.requestId ? undefined : this.callId,
        method: route.method,
        route: route.template,
        status,
        errno,
        durationMillis,
        bytesIn: this.bytesIn,
        bytesOut,
        userId: principal?.userId ?? null,
        sessionId: principal?.sessionId ?? null,
        keyId: principal?.key?.keyId,
        tradingAccountId: typeof tradingAccountId === "string" && isUuid(tradingAccountId) ? tradingAccountId : null,
        tradeOrderId: this.tradeOrderId,
        ip: this.ip,
        userAgent: this.header("user-agent"),
        secure: this.around.transport.mode !== "plain" && this.isSecure,
        aborted,
        traceId: traceId ?? undefined,
      })
      log(line, levelOf(status))
    } catch (error) {
      this.report(error, "a request could not be logged")
    }
  }
}

/** Answers the failure that `work` finds; nothing it throws reaches the caller. */
export const guarded = (call: Call, work: () => DomainError | undefined): void => {
  try {
    const failure = work()
    if (failure !== undefined) call.fail(failure)
  } catch (error) {
    call.defect(error)
  }
}
