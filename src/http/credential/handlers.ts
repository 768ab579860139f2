/** Credentials: proved at the venue before anything is stored, revoked only when no open order depends on them (contract C11a). */
import { Effect, Fiber } from "effect"
import type { AccountDirectory } from "../../actors/account/directory.ts"
import type { TradingAccounts } from "../../actors/account/messages.ts"
import type { CredentialKeeper } from "../../auth/keys/credential-vault.ts"
import { type Credential, credentialRecord, isOwnCredential } from "../../domain/account/credential.ts"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import { CredentialInUse, CredentialNotFound, PassphraseRequired } from "../../domain/errors/credential.ts"
import { NotSupportedByVenue } from "../../domain/errors/venue.ts"
import type { CredentialId, VenueId } from "../../domain/ids.ts"
import type { Act } from "../../domain/user/act.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { Acts } from "../../store/audit/acts.ts"
import { seenThrough } from "../../store/postgres/storage-failure.ts"
import type { Credentials } from "../../store/users/credentials.ts"
import { actorOf, listedUser } from "../account-access.ts"
import { ask, type Handlers, isFailure } from "../edge/route.ts"
import type { Cursors } from "../pagination.ts"
import type { VenueGate } from "../venue-gate.ts"
import type { CredentialApi } from "./endpoints.ts"

export interface CredentialParts {
  readonly gate: VenueGate
  readonly venues: Pick<VenuePort["Type"], "verify">
  readonly keeper: CredentialKeeper["Type"]
  readonly credentials: Credentials
  readonly acts: Acts["Type"]
  readonly accounts: AccountDirectory
  readonly tradingAccounts: TradingAccounts["Type"]
  readonly cursors: Cursors
  readonly now: () => number
  readonly uuid: () => string
}

/** How long a revoke waits for each account that it concerns. */
const NEWS_MILLIS = 2_000

const isUsable = (credential: Credential): boolean => credential.status !== "REVOKED"

export const credentialHandlers = (parts: CredentialParts): Handlers<typeof CredentialApi> => {
  const { gate, venues, keeper, credentials, acts, accounts, tradingAccounts, cursors, now, uuid } = parts

  const accountsWith = (id: CredentialId): ReadonlyArray<TradingAccount> =>
    accounts
      .all()
      .filter((it) => it.status !== "DISCONNECTED" && it.credentials.some((each) => each.credentialId === id))

  /** The first account whose open orders would lose their last credential. */
  const dependentOf = (id: CredentialId) =>
    Effect.gen(function* () {
      for (const account of accountsWith(id)) {
        const isLast = !account.credentials.some((each) => each.credentialId !== id && isUsable(each))
        if (isLast && (yield* tradingAccounts.hasOpenOrders(account.tradingAccountId))) return account.tradingAccountId
      }
      return undefined
    })

  /** The revocation is stored; an account that cannot take the news now meets it when it next opens its session. */
  const toldAccounts = (id: CredentialId) =>
    Effect.forEach(
      accountsWith(id),
      ({ tradingAccountId }) =>
        ask((answer) =>
          tradingAccounts.post(tradingAccountId, { _tag: "CredentialGone", credentialId: id, reply: answer }),
        ).pipe(Effect.timeout(NEWS_MILLIS), Effect.ignore),
      { discard: true },
    )

  return {
    create: ({ body, principal, request }, reply) =>
      Effect.gen(function* () {
        const named = gate.resolve(body.venue, principal)
        if (isFailure(named)) return yield* named
        const { venue, headers } = named
        if (!venue.needsCredentials) return yield* new NotSupportedByVenue({ feature: "credentials" })
        const secrets = {
          apiKey: body.apiKey,
          apiSecret: body.apiSecret,
          apiPassphrase: body.apiPassphrase ?? null,
        }
        if (venue.needsPassphrase && secrets.apiPassphrase === null) return yield* new PassphraseRequired()
        yield* venues.verify(venue.venue, secrets)
        const credential = yield* keeper.store({
          principal,
          actor: actorOf(request, principal),
          venue,
          secrets,
          name: body.name ?? venue.name,
          type: body.type ?? "EXCHANGE",
        })
        reply.ok(credentialRecord(credential), { headers })
      }),

    list: ({ query, principal }, reply) => {
      const named = gate.filter(query.venue, principal)
      if (named !== undefined && isFailure(named)) return reply.fail(named)
      const plan = cursors.plan({
        scope: `credential/list:${principal.userId}`,
        filters: { venue: named?.venue.venue, userId: query.userId?.toLowerCase() },
        limit: query.limit ?? 50,
        offset: query.offset ?? 0,
        cursor: query.cursor,
      })
      if (isFailure(plan)) return reply.fail(plan)
      const userId = listedUser(principal, plan.filters["userId"])
      if (typeof userId !== "string") return reply.fail(userId)
      const venue = plan.filters["venue"] as VenueId | undefined
      const start = plan.after === null ? plan.offset : Number(plan.after)
      const options = { limit: plan.limit, offset: start, ...(venue === undefined ? {} : { venue }) }
      return Effect.map(credentials.list({ userId, tenantId: principal.tenantId }, options), ({ rows, total }) => {
        const end = start + rows.length
        reply.ok(rows.map(credentialRecord), {
          pagination: cursors.pagination(plan, total, end < total && rows.length > 0 ? `${end}` : null),
          headers: named?.headers ?? {},
        })
      })
    },

    revoke: ({ body, principal, request }, reply) =>
      Effect.gen(function* () {
        const id = body.credentialId.toLowerCase() as CredentialId
        const stored = yield* credentials.find(id)
        if (stored === null || !isOwnCredential(stored.credential, principal)) return yield* new CredentialNotFound()
        if (isUsable(stored.credential) && body.force !== true) {
          const dependent = yield* dependentOf(id)
          if (dependent !== undefined) return yield* new CredentialInUse({ tradingAccountId: dependent })
        }
        const act: Act = {
          actId: uuid(),
          action: "credential.revoke",
          actor: actorOf(request, principal),
          object: { type: "CREDENTIAL", id, tenantId: stored.credential.tenantId },
          what: stored.credential.venue,
        }
        const revoking = credentials.revoke(id, now())
        // Sent even if the caller has gone: accounts would otherwise trade with a revoked credential.
        const { revoked, telling } = yield* seenThrough(
          Effect.gen(function* () {
            // Of one that was revoked before nothing changes any more.
            const revoked = yield* isUsable(stored.credential) ? acts.commit(act, () => revoking) : revoking
            if (revoked === null) return yield* new CredentialNotFound()
            return { revoked, telling: yield* Effect.forkDaemon(toldAccounts(id)) }
          }),
        )
        yield* Fiber.join(telling)
        reply.ok(credentialRecord(revoked))
      }),
  }
}
