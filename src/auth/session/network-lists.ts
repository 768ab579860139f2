/**
 * What admins do with the networks that their users, or all users of their tenant, may connect from. The one thing to know: a list that would shut
 * out the admin who changes it is refused; the command line takes it.
 */
import { Effect } from "effect"
import { InvalidParameter } from "../../domain/errors/request.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { UserNotFound } from "../../domain/errors/user.ts"
import type { UserId } from "../../domain/ids.ts"
import type { Action, Actor } from "../../domain/user/act.ts"
import type { Principal } from "../../domain/user/user.ts"
import { networkFault, newNetworkFault } from "../../foundation/network.ts"
import type { AllowedNetworks, NetworksOf } from "../../store/users/allowed-networks.ts"
import type { UserNews } from "../../store/users/user-changes.ts"
import type { UserParts } from "../user/user-parts.ts"
import type { AdminActs, AdminFailure } from "./admin-act.ts"
import { Networks } from "./allowed-addresses.ts"

/** Null: the tenant's list, for all its users. */
type Whose = UserId | null

type Change = (
  principal: Principal,
  whose: Whose,
  network: string,
  actor: Actor,
) => Effect.Effect<ReadonlyArray<string>, AdminFailure>

/** Each answers the list, one spelling a network; an empty one: from everywhere. */
export interface NetworkLists {
  readonly list: (
    principal: Principal,
    whose: Whose,
  ) => Effect.Effect<ReadonlyArray<string>, UserNotFound | StorageUnavailable>
  readonly allow: Change
  readonly forget: Change
}

export const makeNetworkLists = (
  { now, users, addresses, sessions, liveKeys }: UserParts,
  { onUser, onObject }: AdminActs,
  lists: AllowedNetworks,
  news: Pick<UserNews, "leave" | "leaveOf">,
): NetworkLists => {
  const change = (
    action: Action,
    principal: Principal,
    whose: Whose,
    network: string,
    actor: Actor,
    write: (of: NetworksOf) => Effect.Effect<void, InvalidParameter | StorageUnavailable>,
  ) =>
    Effect.gen(function* () {
      const fault = action === "ip.allow" ? newNetworkFault(network) : networkFault(network)
      if (fault !== undefined) return yield* new InvalidParameter({ parameter: "network", reason: fault })
      const { tenantId } = principal
      const of: NetworksOf = whose === null ? { tenantId } : { userId: whose }
      const changed = Effect.gen(function* () {
        // Admins of a tenant who change its list at once take turns: each looks at what the one before has left.
        if (whose === null) yield* lists.lock(tenantId)
        yield* write(of)
        yield* whose === null ? news.leaveOf(tenantId) : news.leave(whose)
        const list = yield* lists.of(of)
        const isOwn = whose === null || whose === principal.userId
        if (isOwn && list.length > 0 && !new Networks(list).has(actor.ip ?? ""))
          return yield* new InvalidParameter({
            parameter: "network",
            reason: `would shut you out: the list would be without your own address ${actor.ip ?? ""}`,
          })
        return list
      })
      const asked = { action, actor, principal, what: whose === null ? `${tenantId} ${network}` : network }
      const list =
        whose === null
          ? yield* onObject(asked, { type: "TENANT", id: tenantId, tenantId }, changed)
          : (yield* onUser(asked, { userId: whose, email: null }, () => changed)).answer
      addresses.set(of, list)
      sessions.review(of)
      liveKeys.review(of)
      return list
    })

  return {
    list: ({ tenantId }, whose) =>
      Effect.gen(function* () {
        if (whose === null) return yield* lists.of({ tenantId })
        const user = yield* users.findById(whose)
        if (user === null || user.tenantId !== tenantId) return yield* new UserNotFound()
        return yield* lists.of({ userId: whose })
      }),
    allow: (principal, whose, network, actor) =>
      change("ip.allow", principal, whose, network, actor, (of) => lists.add(of, network, now())),
    forget: (principal, whose, network, actor) =>
      change("ip.forget", principal, whose, network, actor, (of) =>
        Effect.flatMap(lists.remove(of, network), (wasThere) =>
          wasThere
            ? Effect.void
            : new InvalidParameter({ parameter: "network", reason: `${network} is not on the list` }),
        ),
      ),
  }
}
