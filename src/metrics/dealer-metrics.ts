/** What operators see of dealers. `hedge_pairs_open` above 0 for long, or any alert, is for people. */
import { counter, type Family, gauge } from "./exposition.ts"

export interface DealerStats {
  readonly live: number
  readonly restarts: number
  readonly hedges: {
    readonly sent: number
    readonly filled: number
    readonly missed: number
    readonly alerts: number
    readonly open: ReadonlyMap<string, number>
  }
}

export const dealerMetrics = ({ live, restarts, hedges }: DealerStats): ReadonlyArray<Family> => [
  gauge("dealers_live", "Dealers whose actor is awake", live),
  counter("dealer_restarts_total", "Restarts of dealers' actors", restarts),
  counter("hedges_sent_total", "Hedges handed to their accounts", hedges.sent),
  counter("hedge_fills_total", "Executions of hedges that dealers heard of", hedges.filled),
  counter("hedge_attempts_missed_total", "Attempts that did not close all of an exposure", hedges.missed),
  counter("hedge_alerts_total", "Alerts about exposures that stay open", hedges.alerts),
  gauge(
    "hedge_pairs_open",
    "Pairs of dealers whose exposure is open beyond what their venue takes",
    [...hedges.open.values()].reduce((sum, open) => sum + open, 0),
  ),
]
