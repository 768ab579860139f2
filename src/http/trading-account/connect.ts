/**
 * Connecting an account (contract C11a): the venue says whose account it is before anything is stored, and the same account again is
 * the record that exists. Look-up and insert happen one at a time, so that two connects at once make one account.
 */
import { createHash } from "node:crypto"
import { Effect, Fiber } from "effect"
import type { Credential } from "../../domain/credential.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { ConflictingParameters, MissingParameter } from "../../domain/errors/request.ts"
import { StorageUnavailable } from "../../domain/errors/service.ts"
import { CredentialsRequired, ExternalAccountNotVisible } from "../../domain/errors/trading-account.ts"
import { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { TradingAccountId } from "../../domain/ids.ts"
import { INTERNAL } from "../../domain/internal-order.ts"
import type { TradingAccount } from "../../domain/trading-account.ts"
import type { Venue } from "../../domain/venue.ts"
import { MAKING_TIMES, seenThrough } from "../../store/storage-failure.ts"
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

interface Found {
  readonly account: TradingAccount
  readonly isNew: boolean
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
    })

  /** How many connects the database has kept waiting for too long. */
  let givenUp = 0

  /** One at a time. What is new is at work whether or not the caller still waits. */
  const takenUp = (found: Effect.Effect<Found, DomainError>) =>
    Effect.suspend(() => {
      const before = givenUp
      const making = found.pipe(
        Effect.flatMap(({ account, isNew }) =>
          Effect.map(
            isNew ? Effect.forkDaemon(tradingAccounts.start(account, READY_MILLIS)) : Effect.succeed(null),
            (starting) => ({ account, starting }),
          ),
        ),
        (making) => seenThrough(making, MAKING_TIMES),
        Effect.tapErrorTag("StorageUnavailable", () => Effect.sync(() => givenUp++)),
      )
      // Whoever stood behind one that was given up is not made to wait as long again.
      const inTurn = Effect.suspend(() => (givenUp === before ? making : Effect.fail(new StorageUnavailable())))
      return oneAtATime.withPermits(1)(inTurn)
    })

  /** The caller's own, when another connect of his that was still on its way has stored it, and is done with it. */
  const orOwn = (
    request: ConnectRequest,
    externalId: string | null,
    found: Effect.Effect<Found, DomainError>,
  ): Effect.Effect<Found, DomainError> =>
    Effect.catchTag(found, "Busy", (busy) => {
      const sameCall = request.claim && accounts.find(request.claim.id as TradingAccountId)
      const own = sameCall ?? (externalId === null ? undefined : known(request, externalId))
      return own === undefined ? Effect.fail(busy) : Effect.succeed({ account: own, isNew: false })
    })

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

  const identified = (request: ConnectRequest) =>
    Effect.gen(function* () {
      if (request.dealerAccountId !== null)
        return yield* new ConflictingParameters({ parameters: ["venue", "dealerAccountId"] })
      const identity = yield* request.venue.needsCredentials ? proved(request) : labelled(request)
      // The same for a venue of ours that lists what another one does.
      if (request.venue.source !== undefined) yield* sync.ensure(request.venue.venue)
      return identity
    })

  return (request: ConnectRequest): Effect.Effect<TradingAccount, DomainError> =>
    Effect.gen(function* () {
      const identity = request.venue.venue === INTERNAL ? null : yield* identified(request)
      const externalId = identity?.externalId ?? request.externalTradingAccountId?.toLowerCase() ?? null
      const found = identity === null ? internal(request) : findOrInsert(request, identity)
      const { account, starting } = yield* takenUp(orOwn(request, externalId, found))
      if (starting !== null) return yield* Fiber.join(starting)
      return yield* renamed(account, request, identity?.credentials ?? [])
    })
}
