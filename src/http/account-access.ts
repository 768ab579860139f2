/**
 * Whether a caller may act for an account or a dealer: existence in the tenant (404), then ownership (403), read from the directories (contract
 * C16); and the user behind a call as the actor of an act. The one thing to know: a dealer's own account has no owner among users; the dealer's
 * current admins and operators act for it. An API key that is limited to accounts reaches no other, whatever its user may.
 */

import type { AccountDirectory } from "../actors/account/directory.ts"
import type { DealerDirectory } from "../actors/dealer/directory.ts"
import type { TradingAccount } from "../domain/account/trading-account.ts"
import { type Dealer, isDealersSide, maySee } from "../domain/dealer/dealer.ts"
import { AccountForbidden, InsufficientPermissions } from "../domain/errors/authorisation.ts"
import { DealerNotFound } from "../domain/errors/dealer.ts"
import { TradingAccountNotFound } from "../domain/errors/trading-account.ts"
import type { DealerAccountId, TradingAccountId, UserId } from "../domain/ids.ts"
import type { Actor } from "../domain/user/act.ts"
import { type Principal, reaches } from "../domain/user/user.ts"
import { isFailure, type RequestFacts } from "./edge/route.ts"

/** Dealers as a caller may name them: those of its tenant. */
export const dealerOf = (dealers: DealerDirectory, principal: Principal, id: string): Dealer | DealerNotFound => {
  const dealer = dealers.find(id.toLowerCase() as DealerAccountId)
  return dealer === undefined || dealer.tenantId !== principal.tenantId ? new DealerNotFound() : dealer
}

// The user behind a call as the actor of an act, for the audit and for rights checked inside the transaction of the operation.

/** Without a principal: on routes that ask for no token. */
export const actorOf = (request: RequestFacts, principal?: Principal): Actor => ({
  kind: "USER",
  userId: principal?.userId ?? null,
  sessionId: principal?.sessionId ?? null,
  keyId: principal?.key?.keyId ?? null,
  tenantId: principal?.tenantId ?? null,
  ip: request.ip,
  userAgent: request.header("user-agent").slice(0, 200) || null,
  requestId: request.callId,
  clientRequestId: request.requestId === request.callId ? null : request.requestId,
})

export interface AccountReach {
  readonly accounts: Pick<AccountDirectory, "find" | "ofUser">
  readonly dealers: Pick<DealerDirectory, "all" | "ofOwnAccount">
}

/** `read`: admins see the records of other users of their tenant. `write`: the owner alone, of a dealer's own account its side. */
export const accountOf = (
  { accounts, dealers }: AccountReach,
  principal: Principal,
  /** Any text; uuids in either case. */
  id: string,
  access: "read" | "write",
): TradingAccount | TradingAccountNotFound | AccountForbidden => {
  const account = accounts.find(id.toLowerCase() as TradingAccountId)
  if (account === undefined || account.tenantId !== principal.tenantId) return new TradingAccountNotFound()
  const dealerOf = (own: TradingAccountId) => dealers.ofOwnAccount(own)
  if (access === "read") return maySee(principal, account, dealerOf) ? account : new AccountForbidden()
  if (!reaches(principal, account.tradingAccountId)) return new AccountForbidden()
  if (account.userId === null)
    return isDealersSide(principal, dealerOf(account.tradingAccountId)) ? account : new AccountForbidden()
  return account.userId === principal.userId ? account : new AccountForbidden()
}

/** All that the caller acts for: its own, then those of dealers; DISCONNECTED ones too. */
export const accountsOf = (
  { accounts, dealers }: AccountReach,
  principal: Principal,
): ReadonlyArray<TradingAccount> => [
  ...ownedBy(accounts, principal, principal.userId),
  ...dealers.all().flatMap((dealer) => {
    const own = isDealersSide(principal, dealer) ? accounts.find(dealer.tradingAccountId) : undefined
    return own?.userId === null && reaches(principal, own.tradingAccountId) ? [own] : []
  }),
]

/** Of that user's, who is of the caller's tenant, those that the caller reaches. */
export const ownedBy = (
  accounts: Pick<AccountDirectory, "ofUser">,
  principal: Principal,
  userId: UserId,
): ReadonlyArray<TradingAccount> =>
  accounts.ofUser(userId).filter((it) => it.tenantId === principal.tenantId && reaches(principal, it.tradingAccountId))

/** Whose records a list tells that takes `userId`: the caller's own, or of the user whom an admin names. */
export const listedUser = (principal: Principal, named: unknown): UserId | InsufficientPermissions =>
  named === undefined || named === principal.userId || principal.permissions.includes("admin")
    ? ((named as UserId | undefined) ?? principal.userId)
    : new InsufficientPermissions({ required: ["admin"], provided: [...principal.permissions] })

/** Whose records a list tells that takes `tradingAccountId` and `userId`: of the account, of that user's, or of all that the caller acts for. */
export const listedAccounts = (
  reach: AccountReach,
  principal: Principal,
  { tradingAccountId, userId }: Readonly<Record<string, unknown>>,
): ReadonlyArray<TradingAccount> | InsufficientPermissions | TradingAccountNotFound | AccountForbidden => {
  const listed = listedUser(principal, userId)
  if (typeof listed !== "string") return listed
  const isListed = (it: TradingAccount): boolean => userId === undefined || it.userId === listed
  if (typeof tradingAccountId === "string") {
    const account = accountOf(reach, principal, tradingAccountId, "read")
    return isFailure(account) ? account : [account].filter(isListed)
  }
  if (userId === undefined) return accountsOf(reach, principal)
  return ownedBy(reach.accounts, principal, listed)
}
