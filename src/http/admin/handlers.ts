/**
 * Passes operations on users on to auth, which verifies in the store that the caller is still an admin, and reads orders' histories from the
 * store: what is durable, never what an actor only plans.
 */
import { Effect } from "effect"
import type { WhichUser } from "../../auth/session/admin-act.ts"
import type { Administration } from "../../auth/session/administration.ts"
import { OrderNotFound } from "../../domain/errors/trade-order.ts"
import { tellStory } from "../../domain/order/story.ts"
import type { OrderStories } from "../../store/orders/order-story.ts"
import { actorOf } from "../account-access.ts"
import { type Handlers, isFailure } from "../edge/route.ts"
import { type Cursors, countedPage } from "../pagination.ts"
import type { AdminOrderApi, AdminUserApi } from "./endpoints.ts"

interface AdminUserParts {
  readonly administration: Administration
  readonly cursors: Cursors
}

const PAGE = 50

export const named = ({
  userId,
  email,
}: { readonly [K in keyof WhichUser]?: string | null | undefined }): WhichUser => ({
  userId: userId ?? null,
  email: email ?? null,
})

export const adminUserHandlers = ({ administration, cursors }: AdminUserParts): Handlers<typeof AdminUserApi> => ({
  list: ({ query, principal }, reply) => {
    const plan = cursors.plan({
      scope: `admin/user/list:${principal.userId}`,
      filters: {},
      limit: query.limit ?? PAGE,
      offset: query.offset ?? 0,
      cursor: query.cursor,
    })
    if (isFailure(plan)) return reply.fail(plan)
    const { after, limit, offset } = plan
    return Effect.gen(function* () {
      const found = yield* administration.list(principal, { after, limit: limit + 1, offset })
      const keyOf = ({ email }: { readonly email: string }): string => email
      const { items, pagination } = yield* countedPage(cursors, plan, found, keyOf, administration.count(principal))
      reply.ok(items, { pagination })
    })
  },
  sessionList: ({ query, principal }, reply) =>
    Effect.map(administration.sessions(principal, query.userId), (entries) => reply.ok(entries)),
  ban: ({ body, principal, request }, reply) =>
    administration
      .ban(principal, named(body), body.reason ?? null, actorOf(request, principal))
      .pipe(Effect.map((user) => reply.ok(user))),
  unban: ({ body, principal, request }, reply) =>
    administration
      .unban(principal, named(body), actorOf(request, principal))
      .pipe(Effect.map((user) => reply.ok(user))),
  grant: ({ body, principal, request }, reply) =>
    administration
      .grant(principal, named(body), body.permission, actorOf(request, principal))
      .pipe(Effect.map((user) => reply.ok(user))),
  revoke: ({ body, principal, request }, reply) =>
    administration
      .revoke(principal, named(body), body.permission, actorOf(request, principal))
      .pipe(Effect.map((user) => reply.ok(user))),
  signOut: ({ body, principal, request }, reply) =>
    administration
      .signOut(principal, named(body), actorOf(request, principal))
      .pipe(Effect.map((user) => reply.ok(user))),
  resetSecondFactor: ({ body, principal, request }, reply) =>
    administration
      .resetSecondFactor(principal, named(body), actorOf(request, principal))
      .pipe(Effect.map((user) => reply.ok(user))),
})

interface AdminOrderParts {
  readonly stories: OrderStories
}

export const adminOrderHandlers = ({ stories }: AdminOrderParts): Handlers<typeof AdminOrderApi> => ({
  get: ({ query, principal }, reply) => {
    const { id, tradingAccountId = null, eventsAfter = 0 } = query
    const { tenantId } = principal
    return Effect.map(stories.find({ name: id, tradingAccountId, tenantId, eventsAfter }), (stored) =>
      stored === null ? reply.fail(new OrderNotFound()) : reply.ok(tellStory(stored, "ADMIN")),
    )
  },
})
