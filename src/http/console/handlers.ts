/**
 * The console's session. The one thing to know: every access token issued here is marked as the console's, so that CONSOLE is enforced where
 * tokens are checked, and not by the page.
 */
import { Effect } from "effect"
import type { Sessions } from "../../auth/session/sessions.ts"
import type { UserActs } from "../../auth/user/user-acts.ts"
import { UnknownEndpoint } from "../../domain/errors/request.ts"
import type { ConsoleMode } from "../../domain/user/console-mode.ts"
import type { SessionRecord } from "../../domain/user/user.ts"
import { actorOf } from "../account-access.ts"
import type { Handlers, RequestFacts } from "../edge/route.ts"
import { originOf } from "../session/handlers.ts"
import { type CookieTerms, cookieOf, foreignPage, noCookie, refreshTokenOf } from "./cookie.ts"
import type { ConsoleApi, ConsoleSession } from "./endpoints.ts"

export interface ConsoleTerms extends CookieTerms {
  readonly mode: ConsoleMode
  readonly admins: { readonly idleMillis: number | null }
}

export const consoleHandlers = (
  sessions: Sessions["Type"],
  { signIn, proofs, reauthentication }: UserActs["Type"],
  terms: ConsoleTerms,
): Handlers<typeof ConsoleApi> => {
  const refusal = (request: RequestFacts) => (terms.mode === "off" ? new UnknownEndpoint() : foreignPage(request))

  const told = ({ accessToken, expiresAt, user }: SessionRecord, request: RequestFacts): ConsoleSession => {
    const verified = sessions.verify(accessToken, request)
    const principal = "principal" in verified ? verified.principal : null
    const permissions = principal?.permissions ?? []
    const isAdmin = permissions.includes("admin") || principal?.isAdminWithheld === true
    const { idleMillis } = terms.admins
    const idleSeconds = isAdmin && idleMillis !== null ? idleMillis / 1_000 : null
    return { accessToken, expiresAt, idleSeconds, mode: terms.mode, permissions, user }
  }
  const answer = (record: SessionRecord, request: RequestFacts) =>
    [told(record, request), { headers: { "Set-Cookie": cookieOf(request, record.refreshToken, terms) } }] as const

  /** The tokens of a session that was just opened or proven never reach the page: they are exchanged for the console's. */
  const ofConsole = ({ refreshToken }: SessionRecord, request: RequestFacts) =>
    Effect.map(sessions.refresh(refreshToken, originOf(request), true), (record) => answer(record, request))

  return {
    open: ({ body, request }, reply) => {
      const refused = refusal(request)
      if (refused !== undefined) return reply.fail(refused)
      const asked = { email: body.email, password: body.password, totpCode: body.totpCode ?? null }
      return signIn.login(asked, originOf(request)).pipe(
        Effect.flatMap((record) => ofConsole(record, request)),
        Effect.map((answered) => reply.ok(...answered)),
      )
    },
    signup: ({ body, request }, reply) => {
      const refused = refusal(request)
      if (refused !== undefined) return reply.fail(refused)
      const { email, password } = body
      const [metadata, setupToken] = [body.metadata ?? {}, body.setupToken ?? null]
      return Effect.gen(function* () {
        const made = yield* signIn.signup(
          { email, password, metadata, setupToken },
          originOf(request),
          actorOf(request),
        )
        if ("refreshToken" in made) reply.ok(...(yield* ofConsole(made, request)))
        else reply.ok(made)
      })
    },
    verify: ({ body, request }, reply) => {
      const refused = refusal(request)
      if (refused !== undefined) return reply.fail(refused)
      const { type, token, totpCode = null } = body
      return Effect.gen(function* () {
        const verified = yield* proofs.verify({ type, token, totpCode }, originOf(request))
        if ("refreshToken" in verified) reply.ok(...(yield* ofConsole(verified, request)))
        else reply.ok(verified)
      })
    },
    reauthenticate: ({ body, principal, request }, reply) => {
      const refused = refusal(request)
      if (refused !== undefined) return reply.fail(refused)
      const { currentPassword, totpCode = null } = body
      return reauthentication.reauthenticate(principal, { currentPassword, totpCode }, originOf(request)).pipe(
        Effect.flatMap((record) => ofConsole(record, request)),
        Effect.map((answered) => reply.ok(...answered)),
      )
    },
    renew: ({ request }, reply) => {
      const refused = refusal(request)
      if (refused !== undefined) return reply.fail(refused)
      return sessions
        .refresh(refreshTokenOf(request), originOf(request), true)
        .pipe(Effect.map((record) => reply.ok(...answer(record, request))))
    },
    end: ({ request }, reply) => {
      const refused = refusal(request)
      if (refused !== undefined) return reply.fail(refused)
      const origin = originOf(request)
      const done = () => reply.ok("ok", { headers: { "Set-Cookie": noCookie(request) } })
      return sessions.refresh(refreshTokenOf(request), origin, true).pipe(
        Effect.flatMap(({ accessToken }) => {
          const verified = sessions.verify(accessToken, request)
          return "principal" in verified ? sessions.logout(verified.principal, "local", origin) : Effect.void
        }),
        Effect.map(done),
        // One that is over already, or never was: there is nothing to end. From a refused address it lives on, and that is said.
        Effect.catchAll((error) =>
          error._tag === "StorageUnavailable" || error._tag === "IpForbidden" ? Effect.fail(error) : Effect.sync(done),
        ),
      )
    },
  }
}
