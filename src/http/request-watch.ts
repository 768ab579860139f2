/** What becomes of every answer beside the answer itself: it is counted, and told to the security stream where it belongs there. */
import type { DomainError } from "../domain/errors.ts"
import type { Principal } from "../domain/user.ts"
import type { MeterBoard } from "../ports/meters.ts"
import type { SecurityLogService } from "../ports/security-log.ts"
import { ERRNO } from "./errno.ts"
import { RequestMeters } from "./request-meters.ts"
import { securityEventOf } from "./request-security.ts"

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
  /** `status` 0: nobody was there to hear it. Never throws, never waits. */
  readonly ended: (call: EndedCall, status: number, millis: number) => void
  /** A request of two minds about its own length: whoever sent it wanted a proxy to believe the other one. */
  readonly contradicted: (call: EndedCall) => void
}

export const watchRequests = (board: MeterBoard, security: SecurityLogService): RequestWatch => {
  const meters = new RequestMeters(board)
  const factsOf = (call: EndedCall) => ({
    requestId: call.requestId,
    method: call.route.method,
    route: call.route.template,
    userId: call.principal?.userId,
    sessionId: call.principal?.sessionId,
    ip: call.ip,
    ua: call.header("user-agent"),
  })
  return {
    ended: (call, status, millis) => {
      meters.answered(call.route, status, millis)
      const { failure } = call
      if (failure === null) return
      meters.refused(failure, call.handedOver)
      const told = securityEventOf(failure)
      if (told === null) return
      const { errno, code } = ERRNO[failure._tag]
      security.tell(told.event, told.level, { ...factsOf(call), errno, code })
    },
    contradicted: (call) => security.tell("request_contradicted", "warn", factsOf(call)),
  }
}
