/** Observes every response: counts it, and reports it to the security log where that applies. */
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { Principal } from "../../domain/user/user.ts"
import type { LogFields } from "../../foundation/log-line.ts"
import type { Trace } from "../../foundation/trace-context.ts"
import type { MeterBoard } from "../../ports/meters.ts"
import type { SecurityLogService } from "../../ports/security-log.ts"
import { SILENT, type Span, type TelemetryService } from "../../ports/telemetry.ts"
import { ERRNO } from "../edge/errno.ts"
import { securityEventOf } from "../request-security.ts"
import { RequestMeters } from "./request-meters.ts"

/** What is known of a call when it is over. */
export interface EndedCall {
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
  /** `status` 0: nobody was there to hear it. Never waits. Answers the id of its trace, where it has one. */
  readonly ended: (call: EndedCall, status: number, millis: number, trace: Trace | null) => string | null
  /** A request of two minds about its own length: whoever sent it wanted a proxy to believe the other one. */
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
      debug?.("a request was refused", () => ({ ...refusalOf(call, failure), status }))
      const told = securityEventOf(failure)
      if (told === null) return traceId
      const { errno, code } = ERRNO[failure._tag]
      security.tell(told.event, told.level, { ...factsOf(call), errno, code, traceId: traceId ?? undefined })
      return traceId
    },
    contradicted: (call) => security.tell("request_contradicted", "warn", factsOf(call)),
  }
}
