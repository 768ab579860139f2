/** Passes calls on to auth; what a client may know of itself (address, user agent, request id) goes with them. */
import { Effect } from "effect"
import type { Origin } from "../../auth/audit-log.ts"
import type { Sessions } from "../../auth/session/sessions.ts"
import { checkedEmail } from "../../auth/user/email-address.ts"
import type { UserActs } from "../../auth/user/user-acts.ts"
import { Forbidden } from "../../domain/errors/authorisation.ts"
import type { SessionId } from "../../domain/ids.ts"
import { isOriginAllowed } from "../../domain/user/web-origin.ts"
import { actorOf } from "../acting-user.ts"
import type { Handlers, RequestFacts } from "../edge/route.ts"
import type { SessionApi } from "./endpoints.ts"
import { JWKS_CACHED } from "./jwks-page.ts"

export const originOf = (request: RequestFacts): Origin => ({
  ip: request.ip,
  userAgent: request.header("user-agent") || null,
  requestId: request.requestId,
})

export const sessionHandlers = (
  sessions: Sessions["Type"],
  { signIn, proofs, updates, reauthentication }: UserActs["Type"],
  allowedOrigins: ReadonlyArray<string>,
): Handlers<typeof SessionApi> => ({
  signup: ({ body, request }, reply) => {
    const setupToken = body.setupToken ?? null
    // What makes an admin is typed by the operator, or sent by the installation's own page.
    if (setupToken !== null && !isOriginAllowed(request.header("origin"), request.header("host"), allowedOrigins))
      return reply.fail(new Forbidden())
    return signIn
      .signup(
        { email: body.email, password: body.password, metadata: body.metadata ?? {}, setupToken },
        originOf(request),
        actorOf(request),
      )
      .pipe(Effect.map((answer) => reply.ok(answer)))
  },
  login: ({ body, request }, reply) =>
    signIn
      .login({ email: body.email, password: body.password, totpCode: body.totpCode ?? null }, originOf(request))
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
          totpCode: body.totpCode ?? null,
          metadata: body.metadata ?? null,
        },
        originOf(request),
      )
      .pipe(Effect.map((user) => reply.ok(user))),
  reauthenticate: ({ body, principal, request }, reply) =>
    reauthentication
      .reauthenticate(
        principal,
        { currentPassword: body.currentPassword, totpCode: body.totpCode ?? null },
        originOf(request),
      )
      .pipe(Effect.map((session) => reply.ok(session))),
  recover: ({ body, request }, reply) =>
    checkedEmail(body.email).pipe(
      Effect.flatMap((email) => proofs.recover(email, originOf(request))),
      Effect.map(() => reply.ok("ok")),
    ),
  resend: ({ body, request }, reply) =>
    proofs.resend({ type: body.type, email: body.email }, originOf(request)).pipe(Effect.map(() => reply.ok("ok"))),
  verify: ({ body, request }, reply) =>
    proofs
      .verify({ type: body.type, token: body.token, totpCode: body.totpCode ?? null }, originOf(request))
      .pipe(Effect.map((answer) => reply.ok(answer))),
  jwks: (_input, reply) => reply.ok({ keys: sessions.jwks() }, { headers: JWKS_CACHED }),
  sessionList: ({ principal }, reply) => sessions.list(principal).pipe(Effect.map((entries) => reply.ok(entries))),
  sessionRevoke: ({ body, principal, request }, reply) =>
    sessions.revoke(principal, body.sessionId as SessionId, originOf(request)).pipe(Effect.map(() => reply.ok("ok"))),
})
