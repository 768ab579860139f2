/** What becomes of every answer beside the answer itself: it is counted. Never throws, never waits. */
import type { DomainError } from "../domain/errors.ts"
import type { MeterBoard } from "../ports/meters.ts"
import type { RouteFacts } from "./call.ts"
import { RequestMeters } from "./request-meters.ts"

/** What is known of a call when it is over. */
export interface Ended {
  readonly route: RouteFacts
  readonly handedOver: boolean
  readonly failure: DomainError | null
}

export interface RequestWatch {
  readonly ended: (call: Ended, status: number, millis: number) => void
}

export const watchRequests = (board: MeterBoard): RequestWatch => {
  const meters = new RequestMeters(board)
  return {
    ended: (call, status, millis) => {
      meters.answered(call.route, status, millis)
      if (call.failure !== null) meters.refused(call.failure, call.handedOver)
    },
  }
}
