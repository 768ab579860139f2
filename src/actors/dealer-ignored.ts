/**
 * Tells those who run a dealer which of its linked accounts do not count, and why. The one thing to know: nobody else would notice, for the
 * dealer goes on with the others; once per account and reason until the dealer is changed or its actor is built anew.
 */
import type { DealerCore } from "./dealer-core.ts"
import { ignoredOf } from "./dealer-places.ts"

/** At the start, and after a change of the dealer: whatever was told before is told again where it still holds. */
export const tellIgnored = (core: Pick<DealerCore, "dealer" | "parts">): void => {
  const { dealer, parts } = core
  if (dealer.status === "ARCHIVED") return
  for (const { tradingAccountId, reason } of ignoredOf(parts, dealer)) {
    const message = `linked account ${tradingAccountId} is ignored: ${reason}`
    const alert = { code: "ACCOUNT_IGNORED", severity: "WARNING", message, tradeOrderId: null } as const
    parts.tradingAccounts.post(dealer.tradingAccountId, { _tag: "RaiseAlert", alert })
  }
}
