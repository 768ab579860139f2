/**
 * A user's API keys: created, listed, revoked. The one thing to know: changes are stored first, then applied in memory, as for sessions, so that
 * `LiveKeys` never grants more than the database.
 */
import { Context, Effect } from "effect"
import { ApiKeyNotFound, TooManyApiKeys } from "../../domain/errors/api-key.ts"
import { SessionRevoked } from "../../domain/errors/authentication.ts"
import type { AdminRequired, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import type { InvalidParameter } from "../../domain/errors/request.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { ApiKeyId } from "../../domain/ids.ts"
import type { Actor } from "../../domain/user/act.ts"
import { type ApiKeyRecord, apiKeyRecord, type CreatedApiKey, KEYS_MAX } from "../../domain/user/api-key.ts"
import type { SessionPrincipal } from "../../domain/user/user.ts"
import { keepLoop } from "../../kernel/loop.ts"
import { seenThrough } from "../../store/postgres/storage-failure.ts"
import type { ApiKeyRows } from "../../store/users/api-keys.ts"
import type { UserParts } from "../user/user-parts.ts"
import type { LiveKeys } from "./live-keys.ts"
import { type Announce, type AskedKey, askedFault, keyObject, keyWords, missingRight, newKey } from "./new-key.ts"

export class ApiKeys extends Context.Tag("auth/ApiKeys")<
  ApiKeys,
  {
    /** The only answer that has the secret. */
    readonly create: (
      principal: SessionPrincipal,
      asked: AskedKey,
      actor: Actor,
    ) => Effect.Effect<
      CreatedApiKey,
      AdminRequired | InsufficientPermissions | InvalidParameter | SessionRevoked | TooManyApiKeys | StorageUnavailable
    >
    /** The newest first; those that are over for up to a month. */
    readonly list: (principal: SessionPrincipal) => Effect.Effect<ReadonlyArray<ApiKeyRecord>, StorageUnavailable>
    /** One of the user's own. Of one that is revoked already nothing changes. */
    readonly revoke: (
      principal: SessionPrincipal,
      keyId: ApiKeyId,
      actor: Actor,
    ) => Effect.Effect<ApiKeyRecord, ApiKeyNotFound | StorageUnavailable>
  }
>() {}

/** The last use of keys is stored so often, and when the gateway ends. */
const USES_MILLIS = 60_000
/** Sockets of a key close so much after it expired, at most. */
const EXPIRY_MILLIS = 500

/** Stores when keys were last used, ends those that expire, and forgets those that are long over. */
const keepKeys = (rows: ApiKeyRows, live: LiveKeys, now: () => number) =>
  Effect.gen(function* () {
    const store = Effect.suspend(() => {
      const uses = live.takeUses()
      if (uses.length === 0) return Effect.void
      return Effect.tapError(rows.used(uses), () => Effect.sync(() => live.giveBack(uses)))
    })
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(store, "1 second")))
    yield* keepLoop({ name: "last uses of API keys", pause: USES_MILLIS, round: store })
    const awaits = Effect.zipRight(live.awaitSomeExpire, Effect.sleep(EXPIRY_MILLIS))
    yield* keepLoop({ name: "expiry of API keys", awaits, round: Effect.sync(() => live.expire()) })
    const forget = Effect.suspend(() => Effect.tap(rows.forgetOld(now()), () => Effect.sync(() => live.forgetOld())))
    yield* keepLoop({ name: "old API keys", pause: "1 hour", round: forget })
  })

export const makeApiKeys = (parts: UserParts, announce: Announce) =>
  Effect.gen(function* () {
    const { now, uuid, users, rows: sessions, keys: rows, liveKeys: live, act } = parts
    yield* keepKeys(rows, live, now)

    return ApiKeys.of({
      create: (principal, asked, actor) =>
        seenThrough(
          Effect.gen(function* () {
            const at = now()
            const fault = askedFault(asked, at)
            if (fault !== undefined) return yield* fault
            const keyId = uuid() as ApiKeyId
            const made = yield* act(
              { actId: keyId, action: "apiKey.create", actor, object: null, what: keyWords(asked) },
              (learn) =>
                Effect.gen(function* () {
                  // Under the user's lock: a ban comes before the key, which then is not, or after it and ends it.
                  const user = (yield* users.lockById(principal.userId))?.user ?? null
                  const session = yield* sessions.find(principal.sessionId)
                  if (user === null || user.bannedAt !== null || session === null || session.row.revokedAt !== null)
                    return yield* new SessionRevoked()
                  const held = user.permissions.filter((it) => principal.permissions.includes(it))
                  const missing = missingRight(asked.scopes, held)
                  if (missing !== undefined) return yield* Effect.fail(missing)
                  if ((yield* rows.countLive(user.userId, at)) >= KEYS_MAX)
                    return yield* new TooManyApiKeys({ limit: KEYS_MAX })
                  const secondFactor = principal.secondFactor === "proven"
                  const { key, secret } = newKey(asked, user, { keyId, secondFactor, at })
                  learn({ object: keyObject(key) })
                  yield* announce(user, key)
                  return { user, secret, key: yield* rows.insert(key) }
                }),
            )
            live.enter(made.user, made.key)
            return { ...apiKeyRecord(made.key, at), apiKey: made.secret }
          }),
        ),

      list: (principal) =>
        Effect.map(rows.ofUser(principal.userId), (keys) => keys.map((key) => apiKeyRecord(live.seen(key), now()))),

      revoke: (principal, keyId, actor) =>
        seenThrough(
          Effect.gen(function* () {
            const found = yield* rows.find(keyId)
            if (found === null || found.userId !== principal.userId) return yield* new ApiKeyNotFound()
            if (found.revokedAt !== null) return apiKeyRecord(live.seen(found), now())
            const revoked = yield* act(
              { actId: uuid(), action: "apiKey.revoke", actor, object: keyObject(found), what: keyWords(found) },
              () => rows.revoke(principal.userId, keyId, "revoked by the user", now()),
            )
            live.end(keyId)
            return apiKeyRecord(live.seen(revoked[0] ?? (yield* rows.find(keyId)) ?? found), now())
          }),
        ),
    })
  })
