/**
 * Connecting an account (contract C11a): the venue confirms whose account it is before anything is stored, and the same account again returns the
 * existing record. Look-up and insert run one at a time, so that two concurrent connects create one account.
 */
import { randomBytes } from "node:crypto"
import { Effect, Fiber } from "effect"
import type { AccountDirectory } from "../../actors/account/directory.ts"
import type { TradingAccounts } from "../../actors/account/messages.ts"
import { type CredentialKeeper, externalKeyOf } from "../../auth/keys/credential-vault.ts"
import type { Credential } from "../../domain/account/credential.ts"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import { CredentialsInvalid } from "../../domain/errors/credential.ts"
import { DealerArchived, DealerNotFound } from "../../domain/errors/dealer.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { ConflictingParameters, MissingParameter } from "../../domain/errors/request.ts"
import { StorageUnavailable } from "../../domain/errors/service.ts"
import { CredentialsRequired, ExternalAccountNotVisible, TooManyAccounts } from "../../domain/errors/trading-account.ts"
import { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { CredentialId, DealerAccountId, TradingAccountId } from "../../domain/ids.ts"
import type { Venue } from "../../domain/instrument/venue.ts"
import { ordersFault } from "../../domain/instrument/venue-capabilities.ts"
import { INTERNAL } from "../../domain/order/internal-order.ts"
import type { Act, Actor } from "../../domain/user/act.ts"
import type { Principal } from "../../domain/user/user.ts"
import { newWallet, type Wallet, type WalletId } from "../../domain/wallet/wallet.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { Acts } from "../../store/audit/acts.ts"
import type { Wallets } from "../../store/ledger/wallets.ts"
import type { Accounts, Proof } from "../../store/orders/accounts.ts"
import { MAKING_TIMES, seenThrough } from "../../store/postgres/storage-failure.ts"
import { ask, type Claim } from "../edge/route.ts"
import type { InstrumentSync } from "../market/instrument-sync.ts"

// What connecting works with, what it is asked, and the record of the account that is being connected.

export interface ConnectParts {
  readonly venues: Pick<VenuePort["Type"], "verify" | "find">
  readonly keeper: CredentialKeeper["Type"]
  readonly accounts: AccountDirectory
  readonly store: Pick<Accounts, "insertAccount" | "insertInternalAccount" | "prove" | "dealer">
  readonly wallets: Pick<Wallets, "find" | "insertOwn">
  readonly acts: Acts["Type"]
  readonly tradingAccounts: TradingAccounts["Type"]
  readonly sync: InstrumentSync
  readonly now: () => number
  readonly uuid: () => string
  /** Starting balances on in-process venues: asset → decimal text. */
  readonly initialBalances: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Live accounts on venues with private sessions. */
  readonly venueSessionsMax: number
  /** Live accounts of one user, at all venues. */
  readonly accountsMax: number
  /** Live accounts of one user at the internal venue. */
  readonly internalAccountsMax: number
  /** Wallets of one user. */
  readonly walletsMax: number
}

export interface ConnectRequest {
  readonly principal: Principal
  readonly actor: Actor
  readonly venue: Venue
  readonly credentialIds: ReadonlyArray<CredentialId>
  readonly externalTradingAccountId: string | null
  /** At the internal venue: the dealer whose client the account is to be. */
  readonly dealerAccountId: DealerAccountId | null
  readonly nickname: string | null
  readonly claim: Claim | undefined
}

/** Why the user may have no more, if so. */
const accountsFault = (
  {
    accounts,
    accountsMax,
    internalAccountsMax,
  }: Pick<ConnectParts, "accounts" | "accountsMax" | "internalAccountsMax">,
  { principal, venue }: ConnectRequest,
): TooManyAccounts | undefined => {
  const live = accounts.ofUser(principal.userId).filter(({ status }) => status !== "DISCONNECTED")
  if (live.length >= accountsMax) return new TooManyAccounts({ max: accountsMax, setting: "ACCOUNTS_MAX" })
  if (venue.venue !== INTERNAL || live.filter((it) => it.venue === INTERNAL).length < internalAccountsMax)
    return undefined
  return new TooManyAccounts({ max: internalAccountsMax, setting: "INTERNAL_ACCOUNTS_MAX" })
}

/** What the audit keeps of an act on an account. `actId`: of one that makes it, its own id. */
export const accountAct = (
  action: "account.connect" | "account.disconnect",
  actor: Actor,
  { tradingAccountId, tenantId, venue }: TradingAccount,
  actId: string,
): Act => ({
  actId,
  action,
  actor,
  object: { type: "ACCOUNT", id: tradingAccountId, tenantId },
  what: venue,
})

/** What a new account is before anything is known of it but the request. */
const newAccount = (
  parts: Pick<ConnectParts, "now" | "uuid" | "initialBalances">,
  request: ConnectRequest,
  externalId: string,
): TradingAccount => {
  const at = parts.now()
  return {
    tradingAccountId: (request.claim?.id ?? parts.uuid()) as TradingAccountId,
    tenantId: request.principal.tenantId,
    userId: request.principal.userId,
    version: 1,
    venue: request.venue.venue,
    externalTradingAccountId: externalId,
    nickname: request.nickname ?? request.venue.name,
    status: "CREATED",
    walletId: null,
    dealerAccountId: null,
    credentials: [],
    initialBalances: Object.entries(parts.initialBalances[request.venue.venue] ?? {}),
    channelEpoch: randomBytes(6).toString("base64url"),
    createdAt: at,
    updatedAt: at,
    disconnectedAt: null,
    cancelAllAt: null,
  }
}

// Connecting an account at the platform's own venue (contract C9): without credentials, with a wallet of its own that is made in one
// transaction with it. Named by a wallet of the caller's, it is that wallet that trades. Called one at a time.

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/

const makeConnectInternal = (parts: ConnectParts) => {
  const { accounts, store, wallets, acts, walletsMax, now, uuid } = parts

  const freshWallet = ({ principal: { tenantId, userId }, dealerAccountId, nickname }: ConnectRequest): Wallet => {
    const metadata = nickname === null ? {} : { nickname }
    const walletId = uuid() as WalletId
    return newWallet({ walletId, tenantId, walletType: "CLIENT", userId, dealerAccountId, metadata }, now())
  }

  /** One that the caller has and that no account trades with: of an account that was disconnected, or made by itself. */
  const ownWallet = ({ principal, dealerAccountId }: ConnectRequest, named: string) =>
    Effect.gen(function* () {
      const id = named.toLowerCase()
      const wallet = UUID.test(id) ? yield* wallets.find(id as WalletId) : null
      const isOwn =
        wallet !== null &&
        wallet.tenantId === principal.tenantId &&
        wallet.userId === principal.userId &&
        wallet.walletType === "CLIENT" &&
        wallet.status !== "CLOSED"
      if (!isOwn) return yield* new ExternalAccountNotVisible({})
      if (dealerAccountId !== null && wallet.dealerAccountId !== null && wallet.dealerAccountId !== dealerAccountId)
        return yield* new ConflictingParameters({ parameters: ["externalTradingAccountId", "dealerAccountId"] })
      return wallet
    })

  return (request: ConnectRequest) =>
    Effect.gen(function* () {
      const { principal, dealerAccountId, credentialIds, externalTradingAccountId: named } = request
      if (credentialIds.length > 0) return yield* new ConflictingParameters({ parameters: ["venue", "credentialIds"] })
      const known = named === null ? undefined : accounts.findExternal(principal.userId, INTERNAL, named.toLowerCase())
      if (known !== undefined) {
        if (dealerAccountId !== null && known.dealerAccountId !== dealerAccountId)
          return yield* new ConflictingParameters({ parameters: ["externalTradingAccountId", "dealerAccountId"] })
        return { account: known, isNew: false }
      }
      if (dealerAccountId !== null) {
        const dealer = yield* store.dealer(dealerAccountId)
        if (dealer === null || dealer.tenantId !== principal.tenantId) return yield* new DealerNotFound()
        if (dealer.isArchived) return yield* new DealerArchived()
      }
      const fault = accountsFault(parts, request)
      if (fault !== undefined) return yield* fault
      const wallet = named === null ? freshWallet(request) : yield* ownWallet(request, named)
      const account = {
        ...newAccount(parts, request, wallet.walletId),
        walletId: wallet.walletId,
        dealerAccountId: dealerAccountId ?? (wallet.dealerAccountId as typeof dealerAccountId),
      }
      const provision = named === null ? wallets.insertOwn(wallet, walletsMax) : Effect.void
      const act = accountAct("account.connect", request.actor, account, account.tradingAccountId)
      const stored = yield* acts.commit(act, () => store.insertInternalAccount(account, provision))
      accounts.put(stored)
      return { account: stored, isNew: true }
    })
}

/** How long connect waits for the first reconciliation. */
const READY_MILLIS = 10_000

/** How many of a request's credentials the venue is asked about at once. */
const PROVED_AT_ONCE = 4

/** Whose account it is, as far as it can be known. */
interface Identity {
  readonly externalId: string
  /** Those named in the request; none where the venue needs none. */
  readonly credentials: ReadonlyArray<Credential>
  /** What each of them showed: unique across users at the venue. */
  readonly proofs: ReadonlyArray<Proof>
}

interface Shown extends Proof {
  /** Null: the venue does not tell. */
  readonly externalAccountId: string | null
}

type Opened = Effect.Effect.Success<ReturnType<ConnectParts["keeper"]["open"]>>[number]

interface Found {
  readonly account: TradingAccount
  readonly isNew: boolean
}

export const makeConnect = (parts: ConnectParts) => {
  const { venues, keeper, accounts, store, acts, tradingAccounts, sync } = parts
  const oneAtATime = Effect.unsafeMakeSemaphore(1)

  const labelled = (request: ConnectRequest): Effect.Effect<Identity, MissingParameter | ConflictingParameters> =>
    request.credentialIds.length > 0 && !request.venue.needsCredentials
      ? new ConflictingParameters({ parameters: ["venue", "credentialIds"] })
      : request.externalTradingAccountId === null
        ? new MissingParameter({ parameter: "externalTradingAccountId" })
        : Effect.succeed({ externalId: request.externalTradingAccountId, credentials: [], proofs: [] })

  /** Asks the venue about each credential: all must be the user's and the venue's, and open one and the same account. */
  const proved = (request: ConnectRequest) =>
    Effect.gen(function* () {
      const { principal, venue, credentialIds, externalTradingAccountId: wanted } = request
      if (credentialIds.length === 0) return yield* new CredentialsRequired()
      const opened = yield* keeper.open(principal, credentialIds)
      const credentials = opened.map((it) => it.credential)
      if (credentials.some((it) => it.venue !== venue.venue))
        return yield* new ConflictingParameters({ parameters: ["venue", "credentialIds"] })
      // An account whose venue's instruments are unknown could not reconcile.
      yield* sync.ensure(venue.venue)
      const shown = yield* Effect.forEach(opened, shownBy, { concurrency: PROVED_AT_ONCE })
      const [{ externalAccountId }] = shown as [Shown]
      const stranger = shown.find((it) => it.externalAccountId !== externalAccountId)
      if (stranger !== undefined) return yield* new ExternalAccountNotVisible({ credentialId: stranger.credentialId })
      const proofs = shown.map(({ credentialId, externalKey }): Proof => ({ credentialId, externalKey }))
      if (externalAccountId === null) return { ...(yield* labelled(request)), credentials, proofs }
      if (wanted !== null && wanted !== externalAccountId) return yield* new ExternalAccountNotVisible({})
      return { externalId: externalAccountId, credentials, proofs }
    })

  const shownBy = ({ credential: { credentialId, venue }, secrets }: Opened) =>
    venues.verify(venue, secrets).pipe(
      Effect.map(
        ({ externalAccountId }): Shown => ({
          credentialId,
          externalAccountId,
          externalKey: externalKeyOf(externalAccountId, secrets),
        }),
      ),
      Effect.catchTag("CredentialsInvalid", ({ reason }) => new CredentialsInvalid({ reason, credentialId })),
    )

  const hasRoom = (venue: Venue): boolean => {
    if (venue.inProcess) return true
    let sessions = 0
    for (const account of accounts.all())
      if (account.status !== "DISCONNECTED" && venues.find(account.venue)?.inProcess === false) sessions++
    return sessions < parts.venueSessionsMax
  }

  const known = (request: ConnectRequest, externalId: string): TradingAccount | undefined =>
    accounts.findExternal(request.principal.userId, request.venue.venue, externalId)

  /** Before the venue is asked anything. An account that is there already may be given a new key: without one its orders would be out of sight. */
  const unprovenFault = ({ principal, venue }: ConnectRequest) =>
    accounts.ofUser(principal.userId).some((it) => it.venue === venue.venue && it.status !== "DISCONNECTED")
      ? undefined
      : ordersFault(venue)

  const findOrInsert = (request: ConnectRequest, { externalId, proofs }: Identity) =>
    Effect.gen(function* () {
      const existing = known(request, externalId)
      if (existing !== undefined) return { account: existing, isNew: false }
      const fault = ordersFault(request.venue) ?? accountsFault(parts, request)
      if (fault !== undefined) return yield* fault
      if (!hasRoom(request.venue)) return yield* new VenueUnavailable({ reason: "too many private sessions" })
      const keys = proofs.map((it) => it.externalKey)
      const account = newAccount(parts, request, externalId)
      const act = accountAct("account.connect", request.actor, account, account.tradingAccountId)
      const stored = yield* acts.commit(act, () => store.insertAccount(account, keys, proofs))
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
      // Callers queued behind an abandoned attempt do not wait as long again.
      const inTurn = Effect.suspend(() => (givenUp === before ? making : Effect.fail(new StorageUnavailable())))
      return oneAtATime.withPermits(1)(inTurn)
    })

  /** The caller's own, when a concurrent connect of the same caller stored it and has finished. */
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

  /** Null: no credential is new. */
  const furtherAct = (account: TradingAccount, actor: Actor, attach: ReadonlyArray<Credential>): Act | null => {
    const known = new Set(account.credentials.map((it) => it.credentialId))
    const isMore =
      attach.some((it) => !known.has(it.credentialId)) || (attach.length > 0 && account.status === "INACTIVE")
    return isMore ? accountAct("account.connect", actor, account, parts.uuid()) : null
  }

  /** The same account again: another name, and further credentials, which are held for it, with the act's row, before it has them. */
  const again = (account: TradingAccount, { actor, nickname }: ConnectRequest, identity: Identity | null) =>
    Effect.gen(function* () {
      const { credentials: attach, proofs } = identity ?? { credentials: [], proofs: [] }
      const act = furtherAct(account, actor, attach)
      const proving = store.prove(account, proofs)
      if (proofs.length > 0) yield* seenThrough(act === null ? proving : acts.commit(act, () => proving), MAKING_TIMES)
      return yield* ask<TradingAccount, DomainError>((reply) =>
        tradingAccounts.post(account.tradingAccountId, { _tag: "UpdateAccount", nickname, attach, reply }),
      )
    })

  const identified = (request: ConnectRequest) =>
    Effect.gen(function* () {
      if (request.dealerAccountId !== null)
        return yield* new ConflictingParameters({ parameters: ["venue", "dealerAccountId"] })
      const unproven = unprovenFault(request)
      if (unproven !== undefined) return yield* unproven
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
      return yield* again(account, request, identity)
    })
}
