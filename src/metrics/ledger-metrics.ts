/** What operators see of the ledger. `ledger_violations` must be 0: everything else is load. */
import type { LedgerHealth, LedgerStats } from "../ports/ledger-watch.ts"
import { by, counter, type Family, gauge } from "./exposition.ts"

export const ledgerMetrics = ({
  stats,
  health,
}: {
  readonly stats: LedgerStats
  readonly health: LedgerHealth
}): ReadonlyArray<Family> => [
  counter("ledger_batches_total", "Group commits of the ledger", stats.batches),
  counter("ledger_requests_total", "Requests that were settled", stats.requests),
  counter("ledger_transfers_total", "Transfers of requests that were applied", stats.transfers),
  counter("ledger_replays_total", "Requests that had been there before", stats.replayed),
  counter("ledger_rejections_total", "Requests that were refused", by("reason", Object.fromEntries(stats.refused))),
  counter("ledger_commit_seconds_total", "Time that the group commits took, summed", stats.commitMillis / 1000),
  counter("ledger_batch_retries_total", "Batches sent once more", stats.retries),
  counter("ledger_holds_expired_total", "Holds that were voided because they were due", stats.holdsExpired),
  gauge("ledger_requests_waiting", "Requests that are not settled yet", stats.waiting),
  gauge("ledger_violations", "What the newest audit found", health.violations.length),
  gauge(
    "ledger_audited_timestamp_seconds",
    "When balances were audited last",
    health.auditedAt === null ? [] : health.auditedAt / 1000,
  ),
  gauge(
    "ledger_recomputed_timestamp_seconds",
    "When everything was computed again from the journal",
    health.recomputedAt === null ? [] : health.recomputedAt / 1000,
  ),
]
