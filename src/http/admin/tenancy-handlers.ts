/** Passes operations on networks and tenants on to auth, which verifies in the store that the caller is still an admin. */
import { Effect } from "effect"
import type { NetworkLists } from "../../auth/session/network-lists.ts"
import type { Tenancy } from "../../auth/session/tenancy.ts"
import type { TenantId, UserId } from "../../domain/ids.ts"
import { dateTime } from "../../foundation/time.ts"
import type { Tenant } from "../../store/users/tenants.ts"
import { actorOf } from "../account-access.ts"
import type { Handlers } from "../edge/route.ts"
import { named } from "./handlers.ts"
import type { AdminNetworkApi, AdminTenantApi, TenantRecord } from "./tenancy-endpoints.ts"

const whoseOf = ({ userId }: { readonly userId?: string | null | undefined }): UserId | null =>
  (userId ?? null) as UserId | null

export const adminNetworkHandlers = (networks: NetworkLists): Handlers<typeof AdminNetworkApi> => ({
  list: ({ query, principal }, reply) => {
    const userId = whoseOf(query)
    return Effect.map(networks.list(principal, userId), (ipAllow) => reply.ok({ userId, ipAllow }))
  },
  allow: ({ body, principal, request }, reply) => {
    const userId = whoseOf(body)
    return Effect.map(networks.allow(principal, userId, body.network, actorOf(request, principal)), (ipAllow) =>
      reply.ok({ userId, ipAllow }),
    )
  },
  forget: ({ body, principal, request }, reply) => {
    const userId = whoseOf(body)
    return Effect.map(networks.forget(principal, userId, body.network, actorOf(request, principal)), (ipAllow) =>
      reply.ok({ userId, ipAllow }),
    )
  },
})

export const adminTenantHandlers = (tenancy: Tenancy): Handlers<typeof AdminTenantApi> => {
  const told = ({ tenantId, users, createdAt }: Tenant): TenantRecord => ({
    tenantId,
    isHome: tenantId === tenancy.home,
    users,
    createdAt,
    createdAtDateTime: dateTime(createdAt),
  })
  return {
    list: ({ principal }, reply) => Effect.map(tenancy.list(principal), (all) => reply.ok(all.map(told))),
    create: ({ body, principal, request }, reply) =>
      Effect.map(tenancy.create(principal, body.tenantId as TenantId, actorOf(request, principal)), (tenant) =>
        reply.ok(told(tenant)),
      ),
    move: ({ body, principal, request }, reply) =>
      Effect.map(tenancy.move(principal, named(body), body.tenantId, actorOf(request, principal)), (user) =>
        reply.ok(user),
      ),
  }
}
