/** Passes bans on to auth, which asks the store whether the caller still is an admin. */
import { Effect } from "effect"
import type { Bans } from "../../auth/session/bans.ts"
import { actorOf } from "../acting-user.ts"
import type { Handlers } from "../edge/route.ts"
import type { AdminUserApi } from "./user-endpoints.ts"

export const adminUserHandlers = (bans: Bans): Handlers<typeof AdminUserApi> => ({
  ban: ({ body, principal, request }, reply) =>
    bans
      .ban(
        principal,
        { userId: body.userId ?? null, email: body.email ?? null },
        body.reason ?? null,
        actorOf(request, principal),
      )
      .pipe(Effect.map((user) => reply.ok(user))),
  unban: ({ body, principal, request }, reply) =>
    bans
      .unban(principal, { userId: body.userId ?? null, email: body.email ?? null }, actorOf(request, principal))
      .pipe(Effect.map((user) => reply.ok(user))),
})
