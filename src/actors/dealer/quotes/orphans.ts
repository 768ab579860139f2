/**
 * Holds of clients whose order was never stored, for the process ended in between: they are released when the dealer wakes, so that the
 * client may use his funds, and the quote, again. Should this fail, the ledger ends them a while after the quote.
 */
import type { DealerCore } from "../core.ts"
import { voided } from "./transfers.ts"

export const releaseOrphans = (core: DealerCore): void => {
  for (const { transferId, quoteId } of core.foundHolds) {
    const live = core.quotes.get(quoteId)
    if (live === undefined || live.takenBy !== null) continue
    core.post({ transfers: [voided(transferId, quoteId)], facts: [] }, [], () => undefined)
  }
}
