/**
 * One call of an operation and its one answer, whatever carries it: an HTTP request (`Exchange`), a message on a socket (`RpcCall`) or a
 * request that another node passes on (`PeerCall`). Every answer goes through a latch: the first one counts, and the deadline answers if nothing else does. Also whether the call may proceed (its limit,
 * its permission, contract C16; a recent authentication), and the start of the route's handler: the only place where handlers' Effects start and
 * where their failures become answers.
 */
import { Cause, Effect, Exit, Option, Runtime } from "effect"
import { ApiKeyForbidden } from "../../domain/errors/api-key.ts"
import { ReauthenticationNeeded } from "../../domain/errors/authentication.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { InternalDefect, ShuttingDown } from "../../domain/errors/service.ts"
import type { Principal } from "../../domain/user/user.ts"
import type { LogLevel } from "../../foundation/log-line.ts"
import type { TokenBucket } from "../../foundation/token-bucket.ts"
import type { Trace } from "../../foundation/trace-context.ts"
import { isUuid } from "../../foundation/uuid.ts"
import { millisLeft } from "../../ports/cable.ts"
import { missingPermission, type Route } from "../docs/reflect.ts"
import type { LimitedCall, RequestLimiter } from "../limits/rate-limit.ts"
import { accessLine, levelOf } from "../watch/request-log.ts"
import type { RequestWatch } from "../watch/request-watch.ts"
import { failureText, retryAfterSeconds, successText } from "./envelope.ts"
import { ERRNO, type FailureStatus } from "./errno.ts"
import type { AnswerOptions, FailureOptions, HandlerInput, HttpReply, RequestFacts, RouteFacts } from "./route.ts"
import type { TransportPolicy } from "./transport.ts"

// Requests that wait for an answer, in order of arrival per time limit: a sweep looks at the heads only. A timer per request costs
// more than the rest of its bookkeeping, and a list of answered requests would keep them alive.

/** A member of one list at a time; the list owns the links. */
abstract class Waiting {
  previous: Waiting | undefined = undefined
  next: Waiting | undefined = undefined
  list: WaitingList | undefined = undefined
  /** Monotonic ms. */
  abstract readonly receivedAt: number
  /** When the time is over; of its list. */
  dueAt = 0
  /** Called once, when the time is over; the member has left its list. */
  abstract expire(): void
}

class WaitingList {
  first: Waiting | undefined = undefined
  last: Waiting | undefined = undefined
  size = 0
}

/** The times of what other nodes have asked are told apart by this: each makes a list of those that wait. */
const STEP_MILLIS = 50

/** While there is one that waits: a gateway at rest is not woken. */
const SWEEP_MILLIS = 50

export class Deadlines {
  private readonly lists = new Map<number, WaitingList>()
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly monotonic: () => number) {}

  /** `sinceAt`: of what is added to a list, never earlier than before. */
  add(member: Waiting, millis: number, sinceAt = member.receivedAt): void {
    member.dueAt = sinceAt + millis
    const list = this.lists.get(millis) ?? new WaitingList()
    if (list.size === 0) this.lists.set(millis, list)
    member.list = list
    member.previous = list.last
    if (list.last === undefined) list.first = member
    else list.last.next = member
    list.last = member
    list.size++
    this.timer ??= setInterval(() => this.look(), SWEEP_MILLIS).unref()
  }

  /** Before the time of the node that asks is over, so that it hears what happened. */
  addBefore(deadline: number, member: Waiting, now: number): void {
    const left = millisLeft(deadline, now)
    this.add(member, Math.max(0, left - (left % STEP_MILLIS)), now)
  }

  /** Does nothing for one that is in no list. */
  remove(member: Waiting): void {
    const { list, previous, next } = member
    if (list === undefined) return
    if (previous === undefined) list.first = next
    else previous.next = next
    if (next === undefined) list.last = previous
    else next.previous = previous
    member.list = undefined
    member.previous = undefined
    member.next = undefined
    list.size--
  }

  get size(): number {
    let size = 0
    for (const list of this.lists.values()) size += list.size
    return size
  }

  sweep(now: number): void {
    for (const list of this.lists.values())
      while (list.first !== undefined && now >= list.first.dueAt) {
        const member = list.first
        this.remove(member)
        member.expire()
      }
  }

  private look(): void {
    this.sweep(this.monotonic())
    if (this.size === 0) this.close()
  }

  close(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }
}

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
  /** Null: no limits. */
  readonly limiter: RequestLimiter | null
  readonly watch?: RequestWatch | undefined
}

export type Headers = Readonly<Record<string, string>>

/**
 * A log that throws must neither cost the client its answer nor, from a timer, the process its life. There is nowhere left to report it: any
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
    receivedAt = around.monotonic(),
  ) {
    super()
    this.receivedAt = receivedAt
  }

  abstract header(name: string): string

  /** Whether the client has gone, where only a look shows that, as with a socket's call: that an HTTP client has gone, uWebSockets tells. */
  isClientGone(): boolean {
    return false
  }

  /** The client has disconnected. */
  abort(): void {
    if (this.done) return
    this.end()
    this.record(0, 0, 0, true)
  }

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

// Which calls need a recent authentication, and the response to a call without one.

interface ProofTerms {
  /** A proof is good for so long. */
  readonly freshMillis: number
  /** Wall ms. */
  readonly now: () => number
}

/** Why the call must prove anew who asks; undefined when it need not. For calls whose shape was looked at. */
const missingProof = (
  { freshMillis, now }: ProofTerms,
  route: Pick<Route, "needsProof">,
  principal: Principal | undefined,
  query: unknown,
  body: unknown,
): ReauthenticationNeeded | ApiKeyForbidden | undefined => {
  if (principal === undefined || route.needsProof === null) return undefined
  if (!route.needsProof({ query: query as never, body: body as never })) return undefined
  // Nothing that its holder could do gives a key a proof.
  if (principal.key !== null) return new ApiKeyForbidden({ reason: "SESSION_NEEDED" })
  if (principal.provenAt > now() - freshMillis && principal.secondFactor !== "lacking") return undefined
  const needs = principal.secondFactor === "none" ? (["password"] as const) : (["password", "totp"] as const)
  return new ReauthenticationNeeded({ maxAgeSeconds: freshMillis / 1000, needs })
}

// Whether a call of a known user may go on, over HTTP and over the socket: its limit, and its permission (contract C16). The one thing
// to know: what may not be made takes only the plain weight, so that a key without the scope empties no bucket that its user's orders need.

/** `limiter` null: there are no limits. */
export const refusalOf = (
  route: Pick<Route, "access" | "keys" | "isRead" | "isOwnSignIn" | "cost">,
  call: LimitedCall,
  limiter: RequestLimiter | null | undefined,
): DomainError | undefined => {
  const { principal } = call
  const missing = principal === undefined ? undefined : missingPermission(route, principal)
  if (missing === undefined) return limiter?.charge(call, route.cost.weight)
  return limiter?.chargeForbidden(call, principal!) ?? missing
}

// Hands a checked call to its route's handler. Where handlers' Effects start, and the only place where their failures become answers.

/** The checks have looked at query, body and principal. The handler answers, in this turn or later; or the call's deadline does. */
export type Run = (call: Call, route: Route, query: unknown, body: unknown) => undefined

export const makeRun = (runtime: Runtime.Runtime<never>, proofs: ProofTerms): Run => {
  // tidy: the edge itself: a call's Effect starts here, on the runtime that composed the handlers
  const fork = Runtime.runFork(runtime)
  return (call, route, query, body) => {
    const unproven = missingProof(proofs, route, call.principal, query, body)
    if (unproven !== undefined) {
      call.fail(unproven)
      return
    }
    call.handedOver = true
    const input = { query, body, principal: call.principal, request: call }
    const running = route.handler(input as unknown as HandlerInput<never, never>, call.reply)
    if (!Effect.isEffect(running)) return
    fork(running).addObserver((exit) => {
      if (Exit.isSuccess(exit)) return
      const failure = Cause.failureOption(exit.cause)
      if (Option.isSome(failure)) call.fail(failure.value)
      else if (Cause.isInterruptedOnly(exit.cause)) call.fail(new ShuttingDown())
      else call.defect(exit.cause)
    })
  }
}
