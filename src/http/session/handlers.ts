/** Passes calls on to auth; what a client may know of itself (address, user agent, request id) goes with them. */
import { Effect } from "effect"
import type { Origin } from "../../auth/audit.ts"
import type { Sessions } from "../../auth/sessions.ts"
import type { UserActs } from "../../auth/user-acts.ts"
import type { SessionId } from "../../domain/ids.ts"
import type { Handlers, RequestFacts } from "../route.ts"
import type { SessionApi } from "./endpoints.ts"
import { JWKS_CACHED } from "./jwks-page.ts"

export const originOf = (request: RequestFacts): Origin => ({
  ip: request.ip,
  userAgent: request.header("user-agent") || null,
  requestId: request.requestId,
})

export const sessionHandlers = (
  sessions: Sessions["Type"],
  { signIn, proofs, updates }: UserActs["Type"],
): Handlers<typeof SessionApi> => ({
  signup: ({ body, request }, reply) =>
    signIn
      .signup(
        { email: body.email, password: body.password, metadata: body.metadata ?? {}, loopback: request.loopback },
        originOf(request),
      )
      .pipe(Effect.map((answer) => reply.ok(answer))),
  login: ({ body, request }, reply) =>
    signIn
      .login({ email: body.email, password: body.password }, originOf(request))
      .pipe(Effect.map((session) => reply.ok(session))),
  refresh: ({ body, request }, reply) =>
    sessions.refresh(body.refreshToken, originOf(request)).pipe(Effect.map((session) => reply.ok(session))),
  logout: ({ principal, query, request }, reply) =>
    sessions.logout(principal, query.scope ?? "local", originOf(request)).pipe(Effect.map(() => reply.ok("ok"))),
  user: ({ principal }, reply) => updates.current(principal).pipe(Effect.map((user) => reply.ok(user))),
  update: ({ body, principal, request }, reply) =>
    updates
      .update(
        principal,
        {
          email: body.email ?? null,
          password: body.password ?? null,
          currentPassword: body.currentPassword ?? null,
          metadata: body.metadata ?? null,
        },
        originOf(request),
      )
      .pipe(Effect.map((user) => reply.ok(user))),
  recover: ({ body, request }, reply) =>
    proofs.recover(body.email, originOf(request)).pipe(Effect.map(() => reply.ok("ok"))),
  resend: ({ body, request }, reply) =>
    proofs.resend({ type: body.type, email: body.email }, originOf(request)).pipe(Effect.map(() => reply.ok("ok"))),
  verify: ({ body, request }, reply) =>
    proofs
      .verify({ type: body.type, token: body.token }, originOf(request))
      .pipe(Effect.map((answer) => reply.ok(answer))),
  jwks: (_input, reply) => reply.ok({ keys: sessions.jwks() }, { headers: JWKS_CACHED }),
  sessionList: ({ principal }, reply) => sessions.list(principal).pipe(Effect.map((entries) => reply.ok(entries))),
  sessionRevoke: ({ body, principal, request }, reply) =>
    sessions.revoke(principal, body.sessionId as SessionId, originOf(request)).pipe(Effect.map(() => reply.ok("ok"))),
})
