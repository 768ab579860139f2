/** Observes every response: counts and times it, and reports it to the security log where that applies. */
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { Principal } from "../../domain/user/user.ts"
import type { LogFields, LogLevel } from "../../foundation/log-line.ts"
import type { Trace } from "../../foundation/trace-context.ts"
import type { Counter, CounterSeries, Histogram, HistogramSeries, MeterBoard } from "../../ports/meters.ts"
import type { SecurityLogService } from "../../ports/security-log.ts"
import { SILENT, type Span, type TelemetryService } from "../../ports/telemetry.ts"
import { ERRNO, type Tag } from "../edge/errno.ts"

// Counts and times responses. The one thing to know: labels are the routes' own templates and a handful of methods, so that no client
// can make series; each route's are built once and only counted up after that.

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "RPC"])

interface RouteSeries {
  readonly seconds: HistogramSeries
  /** By method, by status. */
  readonly answers: Map<string, Array<CounterSeries | undefined>>
  /** Of the newest answer: nearly every route has one method. */
  method: string
  byStatus: Array<CounterSeries | undefined>
}

class RequestMeters {
  private readonly requests: Counter<"http_requests_total">
  private readonly seconds: Histogram<"http_request_duration_seconds">
  private readonly rejected: Counter<"http_rejected_total">
  private readonly limited: Counter<"rate_limited_total">
  private readonly routes = new Map<string, RouteSeries>()

  constructor(board: MeterBoard) {
    this.requests = board.counter("http_requests_total")
    this.seconds = board.histogram("http_request_duration_seconds")
    this.rejected = board.counter("http_rejected_total")
    this.limited = board.counter("rate_limited_total")
  }

  /** `status` 0: the client had disconnected. */
  answered(route: { readonly template: string; readonly method: string }, status: number, millis: number): void {
    let series = this.routes.get(route.template)
    if (series === undefined) {
      series = { seconds: this.seconds.of(route.template), answers: new Map(), method: "", byStatus: [] }
      this.routes.set(route.template, series)
    }
    series.seconds.observe(millis / 1000)
    if (series.method !== route.method) this.turnTo(series, route.method)
    const known = series.byStatus[status]
    if (known !== undefined) known.value++
    else {
      const answers = this.requests.of(route.template, METHODS.has(route.method) ? route.method : "OTHER", `${status}`)
      series.byStatus[status] = answers
      answers.value++
    }
  }

  private turnTo(series: RouteSeries, method: string): void {
    const label = METHODS.has(method) ? method : "OTHER"
    const byStatus = series.answers.get(label) ?? []
    series.answers.set(label, byStatus)
    series.byStatus = byStatus
    series.method = method
  }

  /** `handedOver`: its operation had begun. */
  refused(failure: DomainError, handedOver: boolean): void {
    const { status, code } = ERRNO[failure._tag]
    const reason = code.toLowerCase()
    if (!handedOver) this.rejected.add(reason)
    if (status === 429) this.limited.add("bucket" in failure ? `${failure.bucket}` : reason)
  }
}

// Which responses become events of the security log: authorisation failures, and internal errors.

/** Logins and refreshes are told by the audit. An expired token is everyday life. */
const EVENTS: Partial<Readonly<Record<Tag, string>>> = {
  InvalidAccessToken: "token_refused",
  SessionRevoked: "token_refused",
  ApiKeyRevoked: "token_refused",
  AccountForbidden: "not_owner",
  WalletsUnrelated: "not_owner",
  TenantForbidden: "tenant_refused",
  TlsRequired: "tls_missing",
  UserDisabled: "user_disabled",
  InternalDefect: "backend_failed",
  StorageUnavailable: "backend_failed",
}
const NOT_TOLD: ReadonlySet<Tag> = new Set(["SignupDisabled"])
/** By `details.code`, for failures that bring a name of their own. */
const BY_CODE: Readonly<Record<string, string>> = { IP_FORBIDDEN: "address_refused" }

interface SecurityEvent {
  readonly event: string
  readonly level: LogLevel
}

const securityEventOf = ({ _tag }: DomainError): SecurityEvent | null => {
  const { status, code } = ERRNO[_tag]
  const event = EVENTS[_tag] ?? BY_CODE[code]
  if (event !== undefined) return { event, level: status >= 500 ? "error" : "warn" }
  if (status === 403 && !NOT_TOLD.has(_tag)) return { event: "permission_refused", level: "warn" }
  return status === 429 ? { event: "rate_limited", level: "warn" } : null
}

/** What is known of a call when it is over. */
interface EndedCall {
  readonly requestId: string
  readonly route: { readonly method: string; readonly template: string }
  readonly ip: string
  readonly principal: Principal | undefined
  readonly handedOver: boolean
  /** Null: a success, or no answer at all. */
  readonly failure: DomainError | null
  readonly header: (name: string) => string
}

export interface RequestWatch {
  /** Off: calls need not begin a trace. */
  readonly isTracing: boolean
  readonly begin: TelemetryService["begin"]
  /** `status` 0: the client had disconnected. Never waits. Answers the id of its trace, where it has one. */
  readonly ended: (call: EndedCall, status: number, millis: number, trace: Trace | null) => string | null
  /** A request with contradictory lengths: its sender may be trying to smuggle a request past a proxy. */
  readonly contradicted: (call: EndedCall) => void
}

/** Why, in the failure's own words and fields: more than the access log has, and nothing that a client sent as a secret. */
const refusalOf = ({ requestId, route }: EndedCall, failure: DomainError): LogFields => {
  const { _tag, message, ...fields } = failure
  return {
    requestId,
    method: route.method,
    route: route.template,
    failure: _tag,
    error: message,
    fields: { ...fields },
  }
}

/** Errors of ours and orders in doubt are kept, whether they were sampled or not. */
const spanOf = ({ route, failure, requestId, principal }: EndedCall, status: number, millis: number): Span => ({
  name: `${route.method} ${route.template}`,
  kind: "server",
  millis,
  attributes: {
    "http.request.method": route.method,
    "http.route": route.template,
    "http.response.status_code": status,
    "error.type": failure?._tag,
    "venue_gateway.request_id": requestId,
    "enduser.id": principal?.userId,
  },
  error: failure !== null && status >= 500 ? failure._tag : undefined,
})

export const watchRequests = (
  board: MeterBoard,
  security: SecurityLogService,
  telemetry: TelemetryService = SILENT,
  debug: ((msg: string, fields: () => LogFields) => void) | null = null,
): RequestWatch => {
  const meters = new RequestMeters(board)
  const factsOf = (call: EndedCall) => ({
    requestId: call.requestId,
    method: call.route.method,
    route: call.route.template,
    userId: call.principal?.userId,
    sessionId: call.principal?.sessionId,
    keyId: call.principal?.key?.keyId,
    ip: call.ip,
    ua: call.header("user-agent"),
  })
  return {
    isTracing: telemetry.isTracing,
    begin: telemetry.begin,
    ended: (call, status, millis, trace) => {
      meters.answered(call.route, status, millis)
      const { failure } = call
      const isKept = telemetry.isTracing && (trace?.sampled === true || status >= 500)
      const traceId = isKept ? telemetry.ended(trace, spanOf(call, status, millis)) : (trace?.traceId ?? null)
      if (failure === null) return traceId
      meters.refused(failure, call.handedOver)
      debug?.("a request was rejected", () => ({ ...refusalOf(call, failure), status }))
      const told = securityEventOf(failure)
      if (told === null) return traceId
      const { errno, code } = ERRNO[failure._tag]
      security.tell(told.event, told.level, { ...factsOf(call), errno, code, traceId: traceId ?? undefined })
      return traceId
    },
    contradicted: (call) => security.tell("request_contradicted", "warn", factsOf(call)),
  }
}
