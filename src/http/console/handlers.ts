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
  { signIn }: UserActs["Type"],
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

  return {
    open: ({ body, request }, reply) => {
      const refused = refusal(request)
      if (refused !== undefined) return reply.fail(refused)
      const origin = originOf(request)
      const asked = { email: body.email, password: body.password, totpCode: body.totpCode ?? null }
      return signIn.login(asked, origin).pipe(
        Effect.flatMap(({ refreshToken }) => sessions.refresh(refreshToken, origin, true)),
        Effect.map((record) => reply.ok(...answer(record, request))),
      )
    },
    renew: ({ body, request }, reply) => {
      const refused = refusal(request)
      if (refused !== undefined) return reply.fail(refused)
      return sessions
        .refresh(refreshTokenOf(body, request), originOf(request), true)
        .pipe(Effect.map((record) => reply.ok(...answer(record, request))))
    },
    end: ({ request }, reply) => {
      const refused = refusal(request)
      if (refused !== undefined) return reply.fail(refused)
      const origin = originOf(request)
      const done = () => reply.ok("ok", { headers: { "Set-Cookie": noCookie(request) } })
      return sessions.refresh(refreshTokenOf(undefined, request), origin, true).pipe(
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
