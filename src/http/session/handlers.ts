/**
 * Passes calls on to auth; what a client may know of itself (address, user agent, request id) goes with them. `/.well-known/jwks.json` is here,
 * too.
 */
import { Effect } from "effect"
import type { Origin } from "../../auth/audit-log.ts"
import type { SigningJwk } from "../../auth/keys/signing-keys.ts"
import type { Sessions } from "../../auth/session/sessions.ts"
import { checkedEmail } from "../../auth/user/email-address.ts"
import type { UserActs } from "../../auth/user/user-acts.ts"
import { Forbidden } from "../../domain/errors/authorisation.ts"
import type { SessionId } from "../../domain/ids.ts"
import { isOriginAllowed } from "../../domain/user/web-origin.ts"
import { actorOf } from "../account-access.ts"
import type { StaticPage } from "../edge/doors.ts"
import type { Handlers, RequestFacts } from "../edge/route.ts"
import type { SecondFactorApi, SessionApi } from "./endpoints.ts"

/** Passes calls on to the second factor's acts. */
export const secondFactorHandlers = ({
  secondFactor,
}: Pick<UserActs["Type"], "secondFactor">): Handlers<typeof SecondFactorApi> => ({
  state: ({ principal }, reply) => secondFactor.state(principal).pipe(Effect.map((state) => reply.ok(state))),
  enrol: ({ principal, request }, reply) =>
    secondFactor.enrol(principal, actorOf(request, principal)).pipe(Effect.map((enrolment) => reply.ok(enrolment))),
  confirm: ({ body, principal, request }, reply) =>
    secondFactor
      .confirm(principal, body.code, actorOf(request, principal))
      .pipe(Effect.map((codes) => reply.ok(codes))),
  remove: ({ body, principal, request }, reply) =>
    secondFactor.remove(principal, body.code, actorOf(request, principal)).pipe(Effect.map(() => reply.ok("ok"))),
  renewCodes: ({ principal, request }, reply) =>
    secondFactor.renewCodes(principal, actorOf(request, principal)).pipe(Effect.map((codes) => reply.ok(codes))),
})

// `/.well-known/jwks.json`: the public keys of access tokens as libraries want them, a bare JWK set without our envelope.

/** Short, so that a key that was taken away is believed nowhere for long. */
const JWKS_CACHED = { "Cache-Control": "public, max-age=300" } as const

export const jwksPage = (jwks: () => ReadonlyArray<SigningJwk>): StaticPage => ({
  path: "/.well-known/jwks.json",
  contentType: "application/jwk-set+json",
  headers: JWKS_CACHED,
  /** Of the moment: keys change under a running gateway. */
  get body() {
    return Buffer.from(JSON.stringify({ keys: jwks() }))
  },
})

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
