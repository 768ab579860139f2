/** Reads the figures of the running gateway: whole numbers, so that the answer is small and the same for every admin. */
import type { TradingAccounts } from "../../actors/account/messages.ts"
import type { Dealers } from "../../actors/dealer/messages.ts"
import type { TradingMode } from "../../domain/account/trading-mode.ts"
import { watchLoopDelay } from "../../foundation/loop-delay.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { ConnectorStats, ShardStats } from "../../ports/venue-stats.ts"
import type { Handlers } from "../edge/route.ts"
import type { AdminStatusApi, StatusRecord } from "./status-endpoints.ts"

export interface StatusParts {
  readonly now: () => number
  readonly venues: Pick<VenuePort["Type"], "stats">
  readonly accounts: Pick<TradingAccounts["Type"], "stats">
  readonly dealers: Pick<Dealers["Type"], "stats">
  readonly tradingMode: () => TradingMode
}

const share = (value: number): number => Math.round(value * 1000) / 1000

const connectorOf = ({ shard, resyncsBy: _, figures, ...of }: ConnectorStats): StatusRecord["connectors"][number] => ({
  connector: of.connector,
  venue: of.venue,
  thread: shard,
  state: of.state,
  restarts: of.restarts,
  streams: of.streams,
  sessions: of.sessions,
  callsInFlight: of.callsInFlight,
  gaps: of.gaps,
  losses: of.losses,
  resyncs: of.resyncs,
  budgetUsed: figures === null ? null : share(figures.budget.used),
  budgetPausedMs: Math.round(figures?.budget.pausedMillis ?? 0),
  waiting: figures?.budget.waiting ?? {},
  answers: figures?.budget.answers ?? {},
})

const threadOf = (of: ShardStats): StatusRecord["threads"][number] => ({
  thread: of.shard,
  state: of.state,
  connectors: of.connectors,
  deaths: of.deaths,
  loopDelayMs: Math.round(of.loopDelayMillis),
  busy: share(of.busy),
  heapUsedBytes: Math.round(of.heapUsedBytes),
  heapMaxBytes: Math.round(of.heapMaxBytes),
})

export const adminStatusHandlers = (parts: StatusParts): Handlers<typeof AdminStatusApi> => {
  const loop = watchLoopDelay()
  return {
    get: (_input, reply) => {
      const { shards, connectors } = parts.venues.stats()
      const { live, parked, restarts, waiting, oldestMillis, inDoubt } = parts.accounts.stats()
      const dealers = parts.dealers.stats()
      reply.ok({
        at: parts.now(),
        tradingMode: parts.tradingMode(),
        loopDelayMs: Math.round(loop.worst()),
        actors: {
          accounts: { live, parked, restarts, waiting, oldestMs: Math.round(oldestMillis), inDoubt },
          dealers: {
            live: dealers.live,
            parked: dealers.parked,
            restarts: dealers.restarts,
            waiting: dealers.waiting,
            oldestMs: Math.round(dealers.oldestMillis),
          },
        },
        connectors: connectors.map(connectorOf),
        threads: shards.map(threadOf),
      })
    },
  }
}
