/**
 * The money side of the composition root: ledger, internal venue, dealers and hedging, in the order in which they come to life. Reads
 * as a parts list, like gateway.ts, which calls it: nothing is decided here.
 */
import { Layer } from "effect"
import type { Settings } from "./config.ts"
import { ledgerLayer } from "./ledger/ledger.ts"
import type { FailpointName } from "./ports/failpoint.ts"
import { LedgerJournal } from "./store/ledger-journal.ts"
import { Wallets } from "./store/wallets.ts"

export interface MoneyOptions {
  readonly settings: Settings
  readonly url: string
  readonly owner: { readonly nodeId: string; readonly epoch: number }
  readonly notice: (what: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly fatal: (reason: string) => void
  readonly hit: (place: FailpointName) => void
}

/** Repositories of the money side: see `repositories` of gateway.ts. */
export const moneyRepositories = Layer.mergeAll(Wallets.Default, LedgerJournal.Default)

/** What needs nothing but the store: built before the venues, one of which is ours. */
export const moneyStores = ({ settings, url, owner, notice, fatal, hit }: MoneyOptions) =>
  ledgerLayer({
    url,
    nodeId: owner.nodeId,
    epoch: owner.epoch,
    lost: fatal,
    defect: (error) => notice("a request or a callback of the ledger failed", { error: String(error) }),
    warn: notice,
    notice,
    expiryMillis: settings.ledgerExpiryMillis,
    auditMillis: settings.ledgerAuditMillis,
    ...(settings.failpoint === null
      ? {}
      : { sent: () => hit("ledger.written"), committed: () => hit("ledger.committed") }),
  })
