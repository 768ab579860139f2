/**
 * Connecting an account (contract C11a): the venue says whose account it is before anything is stored, and the same account again is
 * the record that exists. Look-up and insert happen one at a time, so that two connects at once make one account.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Credential } from "../../domain/credential.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { ConflictingParameters, MissingParameter } from "../../domain/errors/request.ts"
import { CredentialsRequired, ExternalAccountNotVisible } from "../../domain/errors/trading-account.ts"
import { VenueUnavailable } from "../../domain/errors/venue.ts"
import { INTERNAL } from "../../domain/internal-order.ts"
import type { TradingAccount } from "../../domain/trading-account.ts"
import type { Venue } from "../../domain/venue.ts"
import { ask } from "../answers.ts"
import { makeConnectInternal } from "./connect-internal.ts"
import { type ConnectParts, type ConnectRequest, newAccount } from "./new-account.ts"

/** How long connect waits for the first reconciliation. */
const READY_MILLIS = 10_000

/** Whose account it is, as far as it can be known. */
interface Identity {
  readonly externalId: string
  /** Unique across users at the venue; null where a label per user is enough. */
  readonly externalKey: string | null
  /** Those named in the request; none where the venue needs none. */
  readonly credentials: ReadonlyArray<Credential>
}

export const makeConnect = (parts: ConnectParts) => {
  const { venues, keeper, accounts, store, tradingAccounts, sync } = parts
  const oneAtATime = Effect.unsafeMakeSemaphore(1)

  const labelled = (request: ConnectRequest): Effect.Effect<Identity, MissingParameter | ConflictingParameters> =>
    request.credentialIds.length > 0 && !request.venue.needsCredentials
      ? new ConflictingParameters({ parameters: ["venue", "credentialIds"] })
      : request.externalTradingAccountId === null
        ? new MissingParameter({ parameter: "externalTradingAccountId" })
        : Effect.succeed({ externalId: request.externalTradingAccountId, externalKey: null, credentials: [] })

  /** Asks the venue with the first credential; all of them must be the user's and the venue's. */
  const proved = (request: ConnectRequest) =>
    Effect.gen(function* () {
      const { principal, venue, credentialIds, externalTradingAccountId: wanted } = request
      if (credentialIds.length === 0) return yield* new CredentialsRequired()
      const { credentials, secrets } = yield* keeper.open(principal, credentialIds)
      if (credentials.some((it) => it.venue !== venue.venue))
        return yield* new ConflictingParameters({ parameters: ["venue", "credentialIds"] })
      // An account whose venue's instruments are unknown could not reconcile.
      yield* sync.ensure(venue.venue)
      const { externalAccountId } = yield* venues.verify(venue.venue, secrets)
      if (externalAccountId === null) {
        const { externalId } = yield* labelled(request)
        return { externalId, externalKey: createHash("sha256").update(secrets.apiKey).digest("hex"), credentials }
      }
      if (wanted !== null && wanted !== externalAccountId) return yield* new ExternalAccountNotVisible()
      return { externalId: externalAccountId, externalKey: externalAccountId, credentials }
    })

  const hasRoom = (venue: Venue): boolean => {
    if (venue.inProcess) return true
    let sessions = 0
    for (const account of accounts.all())
      if (account.status !== "DISCONNECTED" && venues.find(account.venue)?.inProcess === false) sessions++
    return sessions < parts.venueSessionsMax
  }

  const known = (request: ConnectRequest, externalId: string): TradingAccount | undefined =>
    accounts.findExternal(request.principal.userId, request.venue.venue, externalId)

  const findOrInsert = (request: ConnectRequest, { externalId, externalKey, credentials }: Identity) =>
    Effect.gen(function* () {
      const existing = known(request, externalId)
      if (existing !== undefined) return { account: existing, isNew: false }
      if (!hasRoom(request.venue)) return yield* new VenueUnavailable({ reason: "too many private sessions" })
      // Only what was proven to be the user's own is ever linked.
      const proven = credentials.map((it) => it.credentialId)
      const stored = yield* store.insertAccount(newAccount(parts, request, externalId), externalKey, proven)
      accounts.put(stored)
      return { account: stored, isNew: true }
    }).pipe(oneAtATime.withPermits(1))

  const internal = makeConnectInternal(parts)

  /** The same account again. */
  const renamed = (
    { tradingAccountId }: TradingAccount,
    { nickname }: ConnectRequest,
    attach: Identity["credentials"],
  ) =>
    ask<TradingAccount, DomainError>((reply) =>
      tradingAccounts.post(tradingAccountId, { _tag: "UpdateAccount", nickname, attach, reply }),
    )

  return (request: ConnectRequest): Effect.Effect<TradingAccount, DomainError> =>
    Effect.gen(function* () {
      if (request.venue.venue === INTERNAL) {
        const { account, isNew } = yield* internal(request).pipe(oneAtATime.withPermits(1))
        return yield* isNew ? tradingAccounts.start(account, READY_MILLIS) : renamed(account, request, [])
      }
      if (request.dealerAccountId !== null)
        return yield* new ConflictingParameters({ parameters: ["venue", "dealerAccountId"] })
      const identity = yield* request.venue.needsCredentials ? proved(request) : labelled(request)
      // The same for a venue of ours that lists what another one does.
      if (request.venue.source !== undefined) yield* sync.ensure(request.venue.venue)
      const { account, isNew } = yield* findOrInsert(request, identity)
      if (isNew) return yield* tradingAccounts.start(account, READY_MILLIS)
      return yield* renamed(account, request, identity.credentials)
    })
}
