/**
 * Holds of clients whose order was never stored, for the process ended in between: they are released when the dealer wakes, so that the
 * client may use his funds, and the quote, again.
 */
import type { DealerCore } from "./dealer-core.ts"
import { voided } from "./dealer-transfers.ts"

export const releaseOrphans = (core: DealerCore): void => {
  for (const live of core.quotes.values()) {
    const { quote } = live
    if (live.takenBy !== null) continue
    core.self.fork(core.parts.ledger.openHolds(quote.traderWalletId), (exit) => {
      // The ledger ends them by itself a while after the quote.
      if (exit._tag !== "Success" || live.takenBy !== null) return
      for (const { transferId, code, reference } of exit.value)
        if (code === "HOLD" && reference === quote.quoteId)
          core.post({ transfers: [voided(transferId, quote.quoteId)], facts: [] }, [], () => undefined)
    })
  }
}
