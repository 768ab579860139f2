/**
 * What operators do with users and tenants from the command line. The one thing to know: each command is one transaction that also leaves a
 * notice for a running gateway, which applies it within a second; without one it applies at the next start.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { type AskedKey, keyObject, keyWords, missingRight, newKey } from "../auth/api-key/new-key.ts"
import { existingTenant, moveUser } from "../auth/session/tenant-move.ts"
import { ApiKeyNotFound } from "../domain/errors/api-key.ts"
import { InvalidParameter } from "../domain/errors/request.ts"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import { UserNotFound } from "../domain/errors/user.ts"
import type { ApiKeyId, TenantId } from "../domain/ids.ts"
import type { Action, ActObject, Actor } from "../domain/user/act.ts"
import { apiKeyRecord, KEYS_MAX, PERMISSION_OF } from "../domain/user/api-key.ts"
import { adminUserRecord, granted, type User, withheld } from "../domain/user/user.ts"
import { dateTime } from "../foundation/time.ts"
import { Acts } from "../store/audit/acts.ts"
import { Transactions } from "../store/postgres/transactions.ts"
import { AllowedNetworks, type NetworksOf } from "../store/users/allowed-networks.ts"
import { ApiKeyRows } from "../store/users/api-keys.ts"
import { OneTimeTokens } from "../store/users/one-time-tokens.ts"
import { SecondFactors } from "../store/users/second-factors.ts"
import { SessionRows } from "../store/users/sessions.ts"
import { Tenants } from "../store/users/tenants.ts"
import { UserChanges, UserNews } from "../store/users/user-changes.ts"
import { Users } from "../store/users/users.ts"
import type { ApiKeyCommand, Command, Owner } from "./words.ts"

// What operators do with the API keys of a user, within the command's transaction and under the user's lock. The one thing to know: a key that
// an operator creates counts as made without the second factor, since none was verified.

const DAY_MILLIS = 86_400_000

const askedOf = (
  { name, scope, ipAllow, days }: Extract<ApiKeyCommand, { readonly _tag: "CreateApiKey" }>,
  now: number,
): AskedKey => ({
  name,
  scopes: [scope],
  tradingAccountIds: null,
  ipAllow,
  expiresAt: days === null ? null : now + days * DAY_MILLIS,
})

/** What the audit says of it whatever becomes of it. */
const wordsOfApiKeys = (command: ApiKeyCommand, now: number): string | undefined => {
  if (command._tag === "CreateApiKey") return keyWords(askedOf(command, now))
  return command._tag === "RevokeApiKey" ? (command.keyId ?? "all") : undefined
}

const apiKeys = (command: ApiKeyCommand, user: User, now: number) =>
  Effect.gen(function* () {
    const rows = yield* ApiKeyRows
    switch (command._tag) {
      case "ApiKeys":
        return { records: (yield* rows.ofUser(user.userId)).map((key) => apiKeyRecord(key, now)), object: null }
      case "CreateApiKey": {
        if (user.bannedAt !== null)
          return yield* new InvalidParameter({ parameter: "user", reason: "is banned: unban the user first" })
        if (user.emailConfirmedAt === null)
          return yield* new InvalidParameter({ parameter: "user", reason: "has not verified its e-mail address" })
        const { scope } = command
        if (missingRight([scope], user.permissions) !== undefined)
          return yield* new InvalidParameter({
            parameter: "scope",
            reason: `${scope} needs the right ${PERMISSION_OF[scope]}, and the user has ${user.permissions.join(", ") || "none"}: grant it first, or give a smaller scope`,
          })
        const count = yield* rows.countLive(user.userId, now)
        if (count >= KEYS_MAX)
          return yield* new InvalidParameter({
            parameter: "user",
            reason: `has ${count} valid keys, and ${KEYS_MAX} is the maximum: revoke one first`,
          })
        const made = { keyId: randomUUID() as ApiKeyId, secondFactor: false, at: now }
        const { key, secret } = newKey(askedOf(command, now), user, made)
        const stored = yield* rows.insert(key)
        const record = { ...apiKeyRecord(stored, now), apiKey: secret }
        return { records: [record], object: keyObject(stored), what: keyWords(stored) }
      }
      case "RevokeApiKey": {
        const revoked = yield* rows.revoke(user.userId, command.keyId, "revoked by an operator", now)
        if (command.keyId !== null && revoked.length === 0) {
          const found = yield* rows.find(command.keyId)
          if (found === null || found.userId !== user.userId) return yield* new ApiKeyNotFound()
          return { records: [apiKeyRecord(found, now)], object: keyObject(found), what: "revoked before" }
        }
        const [one] = revoked
        return {
          records: revoked.map((key) => apiKeyRecord(key, now)),
          object:
            command.keyId !== null && one !== undefined
              ? keyObject(one)
              : ({ type: "USER", id: user.userId, tenantId: user.tenantId } as const),
          what: command.keyId === null ? `all: ${revoked.length}` : keyWords(revoked[0]!),
        }
      }
    }
  })

interface Outcome {
  /** What is as it was asked for, or was asked about: one record a line. */
  readonly records: ReadonlyArray<object>
  /** What it was about, for the audit. */
  readonly object: ActObject | null
  /** Further words of it, learnt on the way. */
  readonly what?: string
}

/** Null: only looks. */
export const ACTIONS = {
  Show: null,
  Users: null,
  Tenants: null,
  Networks: null,
  Grant: "user.grant",
  Revoke: "user.revoke",
  Ban: "user.ban",
  Unban: "user.unban",
  SignOut: "user.signout",
  ResetSecondFactor: "factor.reset",
  ApiKeys: null,
  CreateApiKey: "apiKey.create",
  RevokeApiKey: "apiKey.revoke",
  Environments: "user.environments",
  Move: "user.move",
  CreateTenant: "tenant.create",
  AllowNetwork: "ip.allow",
  ForgetNetwork: "ip.forget",
} as const satisfies { readonly [T in Command["_tag"]]: Action | null }

/** What the audit says of it beside its object. */
const wordsOf = (command: Command, now: number): string | undefined => {
  switch (command._tag) {
    case "CreateApiKey":
    case "RevokeApiKey":
      return wordsOfApiKeys(command, now)
    case "Grant":
    case "Revoke":
      return command.permission
    case "Ban":
      return command.reason ?? undefined
    case "Environments":
      return command.environments.join(",")
    case "Move":
    case "CreateTenant":
      return command.tenantId
    case "AllowNetwork":
    case "ForgetNetwork":
      return "tenantId" in command.owner ? `${command.owner.tenantId} ${command.network}` : command.network
    default:
      return undefined
  }
}

const userObject = ({ userId, tenantId }: User): ActObject => ({ type: "USER", id: userId, tenantId })
const tenantObject = (tenantId: TenantId): ActObject => ({ type: "TENANT", id: tenantId, tenantId })

type OfUser = Extract<
  Command,
  { readonly _tag: "Grant" | "Revoke" | "Environments" | "Move" | "Ban" | "Unban" | "SignOut" | "ResetSecondFactor" }
>

const locked = (email: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* Users).lockByEmail(email)
    return found === null ? yield* new UserNotFound() : found.user
  })

const tenantOf = (text: string) => Effect.flatMap(Tenants, (tenants) => existingTenant(tenants, text))

const change = (command: OfUser, user: User, now: number) =>
  Effect.gen(function* () {
    const { userId, permissions } = user
    const changes = yield* UserChanges
    const rows = yield* SessionRows
    const keys = yield* ApiKeyRows
    const endSessions = (reason: string) => rows.revokeOf(userId, null, reason, now)
    switch (command._tag) {
      case "Grant":
        yield* changes.setPermissions(userId, granted(permissions, command.permission), now)
        break
      case "Revoke":
        yield* changes.setPermissions(userId, withheld(permissions, command.permission), now)
        break
      case "Environments":
        yield* changes.setEnvironments(userId, command.environments, now)
        break
      case "Move":
        yield* moveUser(
          { users: yield* Users, tenants: yield* Tenants, changes, rows, keys },
          user,
          command.tenantId,
          now,
        )
        break
      case "Ban":
        yield* changes.ban(userId, command.reason, now)
        yield* (yield* OneTimeTokens).wipe(userId)
        yield* endSessions("banned")
        yield* keys.revoke(userId, null, "banned", now)
        break
      case "Unban":
        // What the ban's own statement did not reach does not come back either.
        yield* keys.revoke(userId, null, "banned", now)
        yield* changes.unban(userId, now)
        break
      case "SignOut":
        yield* endSessions("signed out by an operator")
        break
      case "ResetSecondFactor":
        yield* (yield* SecondFactors).remove(userId, now)
        yield* endSessions("the second factor was reset by an operator")
        break
    }
    yield* (yield* UserNews).leave(userId)
  })

const whoseNetworks = (owner: Owner) =>
  "email" in owner
    ? Effect.map(locked(owner.email), (user) => ({
        whose: { userId: user.userId } as NetworksOf,
        object: userObject(user),
      }))
    : Effect.map(tenantOf(owner.tenantId), (tenantId) => ({
        whose: { tenantId } as NetworksOf,
        object: tenantObject(tenantId),
      }))

const networks = (
  command: Extract<Command, { readonly _tag: "Networks" | "AllowNetwork" | "ForgetNetwork" }>,
  now: number,
) =>
  Effect.gen(function* () {
    const lists = yield* AllowedNetworks
    const news = yield* UserNews
    const { whose, object } = yield* whoseNetworks(command.owner)
    if (command._tag === "AllowNetwork") yield* lists.add(whose, command.network, now)
    if (command._tag === "ForgetNetwork" && !(yield* lists.remove(whose, command.network)))
      return yield* new InvalidParameter({ parameter: "address", reason: `${command.network} is not on the list` })
    if (command._tag !== "Networks") yield* "userId" in whose ? news.leave(whose.userId) : news.leaveOf(whose.tenantId)
    return { records: [{ ...command.owner, ...whose, ipAllow: yield* lists.of(whose) }], object }
  })

const tenants = (object: ActObject | null) =>
  Effect.gen(function* () {
    const all = yield* (yield* Tenants).all
    return { records: all.map((it) => ({ ...it, createdAtDateTime: dateTime(it.createdAt) })), object }
  })

type Failure = ApiKeyNotFound | UserNotFound | InvalidParameter | StorageUnavailable
type Repositories =
  | Acts
  | AllowedNetworks
  | ApiKeyRows
  | OneTimeTokens
  | SecondFactors
  | SessionRows
  | Tenants
  | Transactions
  | UserChanges
  | UserNews
  | Users

/** `about`: told who it is about before anything may be refused. */
const run = (
  command: Command,
  now: number,
  about: (object: ActObject) => void,
): Effect.Effect<Outcome, Failure, Repositories> =>
  Effect.gen(function* () {
    const users = yield* Users
    const found = (email: string) => Effect.tap(locked(email), (user) => Effect.sync(() => about(userObject(user))))
    switch (command._tag) {
      case "Users": {
        const tenantId = command.tenantId === null ? null : yield* tenantOf(command.tenantId)
        return { records: (yield* users.list(tenantId)).map(adminUserRecord), object: null }
      }
      case "Tenants":
        return yield* tenants(null)
      case "CreateTenant":
        if (!(yield* (yield* Tenants).create(command.tenantId as TenantId, now)))
          return yield* new InvalidParameter({ parameter: "tenant", reason: "there is already one of that name" })
        return yield* tenants(tenantObject(command.tenantId as TenantId))
      case "ApiKeys":
      case "CreateApiKey":
      case "RevokeApiKey":
        return yield* apiKeys(command, yield* found(command.email), now)
      case "Networks":
      case "AllowNetwork":
      case "ForgetNetwork":
        return yield* networks(command, now)
      default: {
        const user = yield* found(command.email)
        if (command._tag !== "Show") yield* change(command, user, now)
        const stored = (yield* users.findById(user.userId)) ?? user
        return { records: [adminUserRecord(stored)], object: userObject(user) }
      }
    }
  })

export const runCommand = (
  command: Command,
  now: number,
  actor: Actor,
): Effect.Effect<Outcome, Failure, Repositories> =>
  Effect.gen(function* () {
    const { all } = yield* Transactions
    if (!(yield* (yield* UserNews).isThere))
      return yield* new InvalidParameter({
        parameter: "database",
        reason: "this version of the gateway has not used it yet: start the gateway once",
      })
    const action = ACTIONS[command._tag]
    if (action === null) return yield* all(run(command, now, () => undefined))
    const what = wordsOf(command, now)
    const act = { actId: randomUUID(), action, actor, object: null, ...(what === undefined ? {} : { what }) }
    return yield* (yield* Acts).commit(act, (learn) =>
      Effect.tap(
        run(command, now, (object) => learn({ object })),
        ({ object, what }) => Effect.sync(() => learn(what === undefined ? { object } : { object, what })),
      ),
    )
  })
