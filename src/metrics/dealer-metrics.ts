/** What operators see of dealers. `hedge_pairs_open` above 0 for long, or any alert, is for people. */
import type { Reading } from "../ports/meters.ts"
import { type ActorFigures, actorReadings } from "./actor-metrics.ts"
import { reading } from "./exposition.ts"

export interface DealerStats extends ActorFigures {
  readonly live: number
  readonly hedges: {
    readonly sent: number
    readonly filled: number
    readonly missed: number
    readonly alerts: number
    readonly open: ReadonlyMap<string, number>
  }
}

export const dealerMetrics = ({ live, hedges, ...actors }: DealerStats): ReadonlyArray<Reading> => [
  reading("dealers_live", live),
  ...actorReadings("dealer", actors),
  reading("hedges_sent_total", hedges.sent),
  reading("hedge_fills_total", hedges.filled),
  reading("hedge_attempts_missed_total", hedges.missed),
  reading("hedge_alerts_total", hedges.alerts),
  reading(
    "hedge_pairs_open",
    [...hedges.open.values()].reduce((sum, open) => sum + open, 0),
  ),
]
