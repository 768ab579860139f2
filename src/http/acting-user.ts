/** The user behind a call as the actor of an act, for the audit and for rights checked inside the transaction of the operation. */
import type { Actor } from "../domain/user/act.ts"
import type { Principal } from "../domain/user/user.ts"
import type { RequestFacts } from "./edge/route.ts"

/** Without a principal: on routes that ask for no token. */
export const actorOf = (request: RequestFacts, principal?: Principal): Actor => ({
  kind: "USER",
  userId: principal?.userId ?? null,
  sessionId: principal?.sessionId ?? null,
  keyId: principal?.key?.keyId ?? null,
  tenantId: principal?.tenantId ?? null,
  ip: request.ip,
  userAgent: request.header("user-agent").slice(0, 200) || null,
  requestId: request.callId,
  clientRequestId: request.requestId === request.callId ? null : request.requestId,
})
