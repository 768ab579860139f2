/** What operators see of the process itself: requests, sockets, actors, storage, Node. */
import { readdirSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import type { OrderWriterStats } from "../store/order-writer.ts"
import type { SocketStats } from "../ws/server.ts"
import { by, counter, type Family, gauge } from "./exposition.ts"

export interface ServiceFigures {
  readonly version: string
  readonly inFlight: number
  readonly sockets: SocketStats
  readonly accounts: { readonly live: number; readonly restarts: number }
  readonly writer: OrderWriterStats
}

const openFiles = (): number | undefined => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return undefined // not on this system
  }
}

/** Watches the event loop from now on. */
export const makeServiceMetrics = (): ((figures: ServiceFigures) => ReadonlyArray<Family>) => {
  const loop = monitorEventLoopDelay({ resolution: 20 })
  loop.enable()
  return ({ version, inFlight, sockets, accounts, writer }) => {
    const { hub } = sockets
    const lag = { "0.5": loop.percentile(50) / 1e9, "0.99": loop.percentile(99) / 1e9 }
    loop.reset()
    const memory = process.memoryUsage()
    const files = openFiles()
    return [
      gauge("build_info", "1, with the version", [{ labels: { version, node: process.version }, value: 1 }]),
      gauge("http_inflight_requests", "Requests and calls without an answer yet", inFlight),
      gauge("ws_connections", "Open sockets", sockets.connections),
      counter("ws_connections_total", "Sockets that were opened", sockets.opened),
      counter("ws_disconnects_total", "Sockets that ended, by code", by("code", sockets.closes)),
      gauge("ws_channels", "Channels that somebody listens to", hub.channels),
      gauge("ws_topics", "Topics of these channels: one per wish of their readers", hub.topics),
      gauge("ws_subscriptions", "Subscriptions", hub.subscriptions),
      counter("ws_publications_total", "Publications", hub.publications),
      counter("ws_frames_total", "Frames that carried them, each for any number of readers", hub.frames),
      counter("ws_breaks_total", "Publications that did not follow the one before", hub.breaks),
      gauge("ws_windowed", "1: publications are gathered, the loop is busy", hub.windowed ? 1 : 0),
      gauge("ws_readers_behind", "Sockets with unread bytes at the last look", sockets.behind),
      gauge("ws_readers_spared", "Sockets that are spared what can be given anew", sockets.parked),
      counter("ws_conflations_total", "Times that a socket was spared", sockets.conflations),
      counter("ws_slow_closed_total", "Sockets closed because they did not read", [
        { labels: { cause: "bytes" }, value: sockets.dropped },
        { labels: { cause: "age" }, value: sockets.closedByAge },
      ]),
      gauge("accounts_live", "Trading accounts in memory", accounts.live),
      counter("actor_restarts_total", "Actors that began anew", [
        { labels: { type: "account" }, value: accounts.restarts },
      ]),
      counter("order_batches_total", "Group commits", writer.batches),
      counter("order_units_total", "Units in them: what one message changed", writer.units),
      counter("order_commit_seconds_total", "Time they took, summed", writer.commitMillis / 1000),
      counter("order_units_refused_total", "Units that were not stored", [
        { labels: { cause: "key_used" }, value: writer.keyUsed },
        { labels: { cause: "refused" }, value: writer.refused },
      ]),
      counter("order_batch_retries_total", "Batches sent once more", writer.retries),
      gauge("order_units_waiting", "Units that are not stored yet", writer.waiting),
      gauge("nodejs_eventloop_lag_seconds", "Delay of the loop since the last look", by("quantile", lag)),
      gauge("nodejs_heap_bytes", "Heap in use", memory.heapUsed),
      gauge("process_resident_memory_bytes", "Resident memory", memory.rss),
      gauge("process_open_fds", "Open files and sockets", files === undefined ? [] : files),
    ]
  }
}
