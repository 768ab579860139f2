/** What operators see of the gateway at work: requests, sockets, actors, storage. */
import type { Reading, Sample } from "../ports/meters.ts"
import type { OrderWriterStats } from "../store/orders/order-writer.ts"
import type { SocketStats } from "../ws/server.ts"
import { type ActorFigures, actorReadings } from "./actor-metrics.ts"
import { by, reading } from "./exposition.ts"

export interface ServiceFigures {
  readonly inFlight: number
  readonly sockets: SocketStats
  readonly accounts: ActorFigures & { readonly live: number; readonly inDoubt: number }
  readonly writer: OrderWriterStats
}

/** A client may close with any code from 3000 to 4999: those that are not of the protocols are one. */
const knownCode = (code: string): string => {
  const n = Number(code)
  return (n >= 1000 && n <= 1015) || (n >= 3000 && n <= 3020) || (n >= 3500 && n <= 3520) ? code : "other"
}

const byCode = (closes: Readonly<Record<string, number>>): ReadonlyArray<Sample> => {
  const sums: Record<string, number> = {}
  for (const [code, count] of Object.entries(closes)) sums[knownCode(code)] = (sums[knownCode(code)] ?? 0) + count
  return by("code", sums)
}

export const serviceMetrics = ({ inFlight, sockets, accounts, writer }: ServiceFigures): ReadonlyArray<Reading> => {
  const { hub } = sockets
  return [
    reading("http_inflight_requests", inFlight),
    reading("ws_connections", sockets.connections),
    reading("ws_connections_total", sockets.opened),
    reading("ws_disconnects_total", byCode(sockets.closes)),
    reading("ws_channels", hub.channels),
    reading("ws_topics", hub.topics),
    reading("ws_subscriptions", hub.subscriptions),
    reading("ws_publications_total", hub.publications),
    reading("ws_frames_total", hub.frames),
    reading("ws_breaks_total", hub.breaks),
    reading("ws_windowed", hub.windowed ? 1 : 0),
    reading("ws_newcomers_waiting", sockets.newcomers.waiting),
    reading("ws_newcomers_deferred_total", sockets.newcomers.deferrals),
    reading("ws_readers_behind", sockets.behind),
    reading("ws_readers_spared", sockets.parked),
    reading("ws_conflations_total", sockets.conflations),
    reading("ws_slow_closed_total", [
      { labels: { cause: "bytes" }, value: sockets.dropped },
      { labels: { cause: "age" }, value: sockets.closedByAge },
    ]),
    reading("accounts_live", accounts.live),
    ...actorReadings("account", accounts),
    reading("orders_unknown", accounts.inDoubt),
    reading("order_batches_total", writer.batches),
    reading("order_units_total", writer.units),
    reading("order_commit_seconds_total", writer.commitMillis / 1000),
    reading("order_units_refused_total", [
      { labels: { cause: "key_used" }, value: writer.keyUsed },
      { labels: { cause: "refused" }, value: writer.refused },
    ]),
    reading("order_batch_retries_total", writer.retries),
    reading("order_units_waiting", writer.waiting),
    reading("order_oldest_unit_seconds", writer.oldestMillis / 1000),
  ]
}
