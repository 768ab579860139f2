/**
 * All operations of users and admins on user accounts, as one layer: sessions, API keys, sign-in, mailed proofs, changes, and administration of
 * users.
 */
import { Context, Effect, Layer } from "effect"
import type { Settings } from "../../config.ts"
import type { TenantId } from "../../domain/ids.ts"
import { RATE_LIMITS } from "../../domain/user/rate-limits.ts"
import { keepLoop } from "../../kernel/loop.ts"
import { Clock } from "../../ports/clock.ts"
import { Meters } from "../../ports/meters.ts"
import { Transactions } from "../../store/postgres/transactions.ts"
import { AllowedNetworks } from "../../store/users/allowed-networks.ts"
import { ApiKeyRows } from "../../store/users/api-keys.ts"
import { MailOutbox } from "../../store/users/mail-outbox.ts"
import { OneTimeTokens } from "../../store/users/one-time-tokens.ts"
import { SecondFactors } from "../../store/users/second-factors.ts"
import { SessionRows } from "../../store/users/sessions.ts"
import { Tenants } from "../../store/users/tenants.ts"
import { UserChanges, UserNews } from "../../store/users/user-changes.ts"
import { Users } from "../../store/users/users.ts"
import { ApiKeys, makeApiKeys } from "../api-key/api-keys.ts"
import { LiveKeys } from "../api-key/live-keys.ts"
import { makeAnnounce } from "../api-key/new-key.ts"
import type { Audit } from "../audit-log.ts"
import type { Keys } from "../keys/keys.ts"
import { makePasswords } from "../proof/passwords.ts"
import { makeProofs, type Proofs } from "../proof/proofs.ts"
import { makeReauthentication, type Reauthentication } from "../proof/reauthentication.ts"
import { makeSecondFactor, type SecondFactor } from "../proof/second-factor.ts"
import { SetupToken } from "../proof/setup-token.ts"
import { makeAdminActs } from "../session/admin-act.ts"
import { type Administration, makeAdministration } from "../session/administration.ts"
import { AllowedAddresses } from "../session/allowed-addresses.ts"
import { followNews } from "../session/follow-news.ts"
import { makeNetworkLists, type NetworkLists } from "../session/network-lists.ts"
import { makeSessions, Sessions } from "../session/sessions.ts"
import { makeSignIn, type SignIn } from "../session/sign-in.ts"
import { makeSpeakers, Speakers } from "../session/speakers.ts"
import { makeTenancy, type Tenancy } from "../session/tenancy.ts"
import { LetterBox, letterBoxLayer } from "./letter-box.ts"
import { makeUserParts } from "./user-parts.ts"
import { makeUserUpdates, type UserUpdates } from "./user-update.ts"

// Removes users who never verified their address, so that a sign-up cannot block an address for ever.

/** Looks now and every hour until the scope ends. `afterMillis` null: they stay. */
const forgetUnconfirmed = (afterMillis: number | null) =>
  Effect.gen(function* () {
    if (afterMillis === null) return
    const { now } = yield* Clock
    const users = yield* Users
    const forget = Effect.suspend(() => users.forgetUnconfirmed(now() - afterMillis, now()))
    yield* keepLoop({ name: "unconfirmed users", pause: "1 hour", round: forget })
  })

export class UserActs extends Context.Tag("auth/UserActs")<
  UserActs,
  {
    readonly signIn: SignIn
    readonly proofs: Proofs
    readonly updates: UserUpdates
    readonly administration: Administration
    readonly networks: NetworkLists
    readonly tenancy: Tenancy
    readonly reauthentication: Reauthentication
    readonly setupToken: SetupToken
    readonly secondFactor: SecondFactor
  }
>() {}

interface UserActsOptions {
  readonly settings: Settings
  readonly keys: Keys
  readonly audit: Audit
}

/** Tokens, mails and sessions that are over are not kept, nor news that everyone has read. */
const forgetOld = Effect.gen(function* () {
  const { now } = yield* Clock
  const tokens = yield* OneTimeTokens
  const outbox = yield* MailOutbox
  const rows = yield* SessionRows
  const news = yield* UserNews
  const kinds = [tokens, outbox, rows, news]
  const forget = Effect.suspend(() => Effect.forEach(kinds, (kind) => kind.forgetOld(now()), { discard: true }))
  yield* keepLoop({ name: "old tokens and mails", pause: "1 hour", round: forget })
})

export const userActsLayer = ({ settings, keys, audit }: UserActsOptions) => {
  const repositories = Layer.mergeAll(
    AllowedNetworks.Default,
    ApiKeyRows.Default,
    OneTimeTokens.Default,
    SecondFactors.Default,
    Tenants.Default,
    Transactions.Default,
    UserChanges.Default,
    UserNews.Default,
  )
  return Layer.scopedContext(
    Effect.gen(function* () {
      const { now } = yield* Clock
      // Created before its first user, so that an operator can restrict it before the first login.
      yield* (yield* Tenants).create(settings.defaultTenantId as TenantId, now())
      const meters = yield* Meters
      // Before anything is read that they may be about.
      const news = yield* UserNews
      const reader = yield* news.follow
      const addresses = new AllowedAddresses()
      const issuer = `venue-gateway/${settings.environment}`
      const sessions = yield* makeSessions(keys, issuer, audit, settings.sessions, addresses)
      const liveKeys = new LiveKeys(now, addresses, settings.sessions.admins)
      const announce = makeAnnounce(yield* LetterBox, now)
      for (const { key, user } of yield* (yield* ApiKeyRows).all) {
        yield* announce(user, key)
        liveKeys.enter(user, key)
      }
      const passwords = yield* makePasswords
      meters.read("auth_hash_queue", passwords.waiting)
      meters.read("auth_api_keys", () => liveKeys.count())
      const setupToken = new SetupToken(!(yield* (yield* Users).hasAdmin))
      const parts = yield* makeUserParts(settings, passwords, audit, addresses, setupToken, liveKeys).pipe(
        Effect.provideService(Sessions, sessions),
      )
      const limits = settings.rateLimits ?? RATE_LIMITS
      const factors = yield* SecondFactors
      const secondFactor = makeSecondFactor(parts, factors, keys, limits)
      const adminActs = makeAdminActs(parts)
      const apiKeys = yield* makeApiKeys(parts, announce)
      yield* followNews(addresses, setupToken, liveKeys, announce, reader).pipe(
        Effect.provideService(Sessions, sessions),
      )
      yield* forgetOld
      yield* forgetUnconfirmed(settings.unconfirmedMillis)
      const acts = UserActs.of({
        signIn: makeSignIn(parts, secondFactor),
        proofs: makeProofs(parts, secondFactor),
        updates: makeUserUpdates(parts, secondFactor),
        administration: makeAdministration(parts, adminActs, factors),
        networks: makeNetworkLists(parts, adminActs, yield* AllowedNetworks, news),
        tenancy: makeTenancy(parts, adminActs, yield* Tenants),
        reauthentication: makeReauthentication(parts, secondFactor),
        setupToken,
        secondFactor,
      })
      return Context.make(Sessions, sessions).pipe(
        Context.add(UserActs, acts),
        Context.add(ApiKeys, apiKeys),
        Context.add(Speakers, makeSpeakers(sessions, liveKeys)),
      )
    }),
  ).pipe(Layer.provide(repositories), Layer.provideMerge(letterBoxLayer(keys)))
}
