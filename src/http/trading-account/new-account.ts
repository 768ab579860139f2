/** What connecting works with, what it is asked, and the record of the account that is being connected. */
import { randomBytes } from "node:crypto"
import type { AccountDirectory } from "../../actors/account/directory.ts"
import type { TradingAccounts } from "../../actors/account/messages.ts"
import type { CredentialKeeper } from "../../auth/keys/credential-vault.ts"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import { TooManyAccounts } from "../../domain/errors/trading-account.ts"
import type { CredentialId, DealerAccountId, TradingAccountId } from "../../domain/ids.ts"
import type { Venue } from "../../domain/instrument/venue.ts"
import { INTERNAL } from "../../domain/order/internal-order.ts"
import type { Act, Actor } from "../../domain/user/act.ts"
import type { Principal } from "../../domain/user/user.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { Acts } from "../../store/audit/acts.ts"
import type { Wallets } from "../../store/ledger/wallets.ts"
import type { Accounts } from "../../store/orders/accounts.ts"
import type { Claim } from "../edge/route.ts"
import type { InstrumentSync } from "../market/instrument-sync.ts"

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
export const accountsFault = (
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
export const newAccount = (
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
