/** Whose account it is: existence in the tenant (404), then ownership (403), read from the directory (contract C16). */
import type { AccountDirectory } from "../actors/account-directory.ts"
import { AccountForbidden } from "../domain/errors/authorisation.ts"
import { TradingAccountNotFound } from "../domain/errors/trading-account.ts"
import type { TradingAccountId } from "../domain/ids.ts"
import type { TradingAccount } from "../domain/trading-account.ts"
import type { Principal } from "../domain/user.ts"

/** `read`: admins see the records of other users of their tenant. `write`: the owner alone. */
export const accountOf = (
  directory: AccountDirectory,
  principal: Principal,
  /** Any text; uuids in either case. */
  id: string,
  access: "read" | "write",
): TradingAccount | TradingAccountNotFound | AccountForbidden => {
  const account = directory.find(id.toLowerCase() as TradingAccountId)
  if (account === undefined || account.tenantId !== principal.tenantId) return new TradingAccountNotFound()
  if (account.userId === principal.userId) return account
  return access === "read" && principal.permissions.includes("admin") ? account : new AccountForbidden()
}
