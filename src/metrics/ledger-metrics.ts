/** What operators see of the ledger. `ledger_violations` must be 0: everything else is load. */
import type { LedgerHealth, LedgerStats } from "../ports/ledger-watch.ts"
import type { Reading } from "../ports/meters.ts"
import { by, reading } from "./exposition.ts"

export const ledgerMetrics = ({
  stats,
  health,
}: {
  readonly stats: LedgerStats
  readonly health: LedgerHealth
}): ReadonlyArray<Reading> => [
  reading("ledger_batches_total", stats.batches),
  reading("ledger_requests_total", stats.requests),
  reading("ledger_transfers_total", stats.transfers),
  reading("ledger_replays_total", stats.replayed),
  reading("ledger_rejections_total", by("reason", Object.fromEntries(stats.refused))),
  reading("ledger_batch_retries_total", stats.retries),
  reading("ledger_holds_expired_total", stats.holdsExpired),
  reading("ledger_requests_waiting", stats.waiting),
  reading("ledger_violations", health.violations.length),
  reading("ledger_audited_timestamp_seconds", health.auditedAt === null ? [] : health.auditedAt / 1000),
  reading("ledger_audited_whole_timestamp_seconds", health.wholeAt === null ? [] : health.wholeAt / 1000),
  reading("ledger_audit_whole_age_seconds", health.unauditedMillis === null ? [] : health.unauditedMillis / 1000),
  reading("ledger_audit_whole_rows_left", health.wholePass?.left ?? 0),
  reading("ledger_audit_age_seconds", health.ageMillis / 1000),
  reading("ledger_audit_failing", health.isFailing ? 1 : 0),
  reading("ledger_audit_failures_total", health.failures),
  reading("ledger_audit_duration_seconds", health.tookMillis === null ? [] : health.tookMillis / 1000),
]
