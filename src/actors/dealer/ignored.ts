/**
 * Tells those who run a dealer which of its linked accounts do not count, and why. The one thing to know: nobody else would notice, for the
 * dealer goes on with the others; once per account and reason until the dealer is changed or its actor is built anew.
 */
import type { DealerCore } from "./core.ts"
import { type Ignored, ignoredOf } from "./places.ts"

type Core = Pick<DealerCore, "dealer" | "parts" | "toldIgnored">

const tell = ({ dealer, parts, toldIgnored }: Core, ignored: ReadonlyArray<Ignored>): void => {
  for (const { tradingAccountId, reason } of ignored) {
    const message = `linked account ${tradingAccountId} is ignored: ${reason}`
    if (toldIgnored.has(message)) continue
    toldIgnored.add(message)
    const alert = { code: "ACCOUNT_IGNORED", severity: "WARNING", message, tradeOrderId: null } as const
    parts.tradingAccounts.post(dealer.tradingAccountId, { _tag: "RaiseAlert", alert })
  }
}

/** At the start, and after a change of the dealer: whatever was told before is told again where it still holds. */
export const tellIgnored = (core: Core): void => {
  core.toldIgnored.clear()
  if (core.dealer.status !== "ARCHIVED") tell(core, ignoredOf(core.parts, core.dealer, null))
}

/** Of one pair, when it is asked for: what a venue's instruments are counted in is known then at the latest. */
export const tellIgnoredFor = (core: Core, pair: { readonly baseAsset: string; readonly quoteAsset: string }): void =>
  tell(core, ignoredOf(core.parts, core.dealer, pair))
