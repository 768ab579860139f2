/** Passes session calls on to auth; what a client may know of itself (address, user agent) goes with them. */
import { Effect } from "effect"
import type { Sessions } from "../../auth/sessions.ts"
import type { Handlers, RequestFacts } from "../route.ts"
import type { SessionApi } from "./endpoints.ts"

const originOf = (request: RequestFacts) => ({ ip: request.ip, userAgent: request.header("user-agent") || null })

export const sessionHandlers = (sessions: Sessions["Type"]): Handlers<typeof SessionApi> => ({
  signup: ({ body, request }, reply) =>
    sessions
      .signup({
        email: body.email,
        password: body.password,
        metadata: body.metadata ?? {},
        loopback: request.loopback,
        ip: request.ip,
        userAgent: request.header("user-agent") || null,
      })
      .pipe(Effect.map((session) => reply.ok(session))),
  login: ({ body, request }, reply) =>
    sessions
      .login({ email: body.email, password: body.password, ...originOf(request) })
      .pipe(Effect.map((session) => reply.ok(session))),
  refresh: ({ body, request }, reply) =>
    sessions
      .refresh({ refreshToken: body.refreshToken, ...originOf(request) })
      .pipe(Effect.map((session) => reply.ok(session))),
  logout: ({ principal }, reply) => sessions.logout(principal).pipe(Effect.map(() => reply.ok("ok"))),
  user: ({ principal }, reply) => sessions.currentUser(principal).pipe(Effect.map((user) => reply.ok(user))),
})
