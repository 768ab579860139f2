/**
 * Applies to a running gateway what the command line changes: rights, tenants, ends of sessions, API keys, address lists; and ends of sessions
 * stored by the gateway itself whose commit it may not have seen. The one thing to know: it reads the current state for every notice, so a
 * repeated or reordered notice does no harm.
 */
import { Effect } from "effect"
import type { TenantId, UserId } from "../../domain/ids.ts"
import { keepLoop } from "../../kernel/loop.ts"
import { Clock } from "../../ports/clock.ts"
import { awaitNews } from "../../store/postgres/news-bell.ts"
import { AllowedNetworks, type NetworksOf } from "../../store/users/allowed-networks.ts"
import { ApiKeyRows } from "../../store/users/api-keys.ts"
import { SessionRows } from "../../store/users/sessions.ts"
import type { NewsReader } from "../../store/users/user-changes.ts"
import { Users } from "../../store/users/users.ts"
import type { LiveKeys } from "../api-key/live-keys.ts"
import type { Announce } from "../api-key/new-key.ts"
import type { SetupToken } from "../proof/setup-token.ts"
import { LetterBox } from "../user/letter-box.ts"
import type { AllowedAddresses } from "./allowed-addresses.ts"
import { Sessions } from "./sessions.ts"

/** Longer than any access token lives: sessions that ended before that are in no process's memory. */
const ENDED_MILLIS = 2 * 3_600_000

/** Fills the lists of addresses before it returns, then goes on in the scope. */
export const followNews = (
  addresses: AllowedAddresses,
  setupToken: SetupToken,
  liveKeys: LiveKeys,
  announce: Announce,
  news: NewsReader,
) =>
  Effect.gen(function* () {
    const { now } = yield* Clock
    const users = yield* Users
    const rows = yield* SessionRows
    const keyRows = yield* ApiKeyRows
    const sessions = yield* Sessions
    const networks = yield* AllowedNetworks
    const letters = yield* LetterBox

    const learn = (whose: NetworksOf) =>
      Effect.map(networks.of(whose), (list) => {
        addresses.set(whose, list)
      })
    const lists = new Map<string, { readonly whose: NetworksOf; readonly networks: Array<string> }>()
    for (const [whose, network] of yield* networks.all) {
      const name = JSON.stringify(whose)
      const list = lists.get(name)
      if (list === undefined) lists.set(name, { whose, networks: [network] })
      else list.networks.push(network)
    }
    for (const { whose, networks } of lists.values()) addresses.set(whose, networks)

    /** Read and not yet looked at: a database that went away in between costs time, not news. */
    const waitingUsers = new Set<UserId>()
    const waitingTenants = new Set<TenantId>()
    const look = Effect.gen(function* () {
      const heard = yield* news.read
      for (const userId of heard.users) waitingUsers.add(userId)
      for (const tenantId of heard.tenants) waitingTenants.add(tenantId)
      for (const tenantId of waitingTenants) {
        yield* learn({ tenantId })
        sessions.review({ tenantId })
        liveKeys.review({ tenantId })
        waitingTenants.delete(tenantId)
      }
      for (const userId of waitingUsers) {
        const ended = yield* rows.revokedSince(userId, now() - ENDED_MILLIS)
        const keys = yield* keyRows.ofUser(userId)
        const user = yield* users.findById(userId)
        yield* learn({ userId })
        sessions.ended(ended)
        if (user !== null) {
          if (sessions.lacksFactor(user))
            for (const { sessionId, secondFactor } of yield* rows.ofUser(userId, 0, now()))
              if (secondFactor) sessions.factorProven(sessionId)
          sessions.renew(user)
          for (const key of keys) {
            if (!liveKeys.knows(key.keyId)) yield* announce(user, key)
            liveKeys.enter(user, key)
          }
          letters.posted()
        }
        if (user?.permissions.includes("admin") && user.bannedAt === null) setupToken.forget()
        sessions.review({ userId })
        liveKeys.review({ userId })
        waitingUsers.delete(userId)
      }
    })
    yield* keepLoop({ name: "news of users", awaits: yield* awaitNews, round: look })
  })
