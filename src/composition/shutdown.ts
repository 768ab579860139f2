/**
 * The order of the gateway's shutdown (security E): not ready, no new connections, sockets closed, no new requests, requests in flight finish,
 * pending writes are stored; the scope then ends the parts in reverse. Of several nodes, requests are not refused but passed to the next owner (node.ts). The one
 * thing to know: orders stay at their venues.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import type { ListeningServer } from "../http/edge/server.ts"
import type { SocketServer } from "../ws/server.ts"
import type { GatewayOptions } from "./options.ts"

export interface ShutdownParts {
  readonly server: ListeningServer
  readonly socket: SocketServer
  /** Requests and calls without an answer. */
  readonly inFlight: () => number
  /** Those that store what was handed to them. */
  readonly writers: ReadonlyArray<{ readonly drain: () => Promise<void> }>
  /** Of one of several nodes: from now on what comes to the listener, which stays open, is passed to the next owner. */
  readonly handOver?: (() => void) | undefined
}

export interface Shutdown {
  /** For the health record: false while starting, and from the first moment of the end. */
  readonly isReady: () => boolean
  /** Requests are refused with ShuttingDown. */
  readonly isDraining: () => boolean
  /** No socket is opened any more. */
  readonly isLeaving: () => boolean
  readonly serves: () => void
  /** Everything up to the moment when the scope may be closed; takes 8.5 s at most. False: something that waited could not be stored. */
  readonly drain: (parts: ShutdownParts) => Effect.Effect<boolean>
}

const IN_FLIGHT_MILLIS = 5_000
const STORE_MILLIS = 2_000
/** From the signal until what runs is given up, whatever went before. */
const RUNNING_MILLIS = 6_500
const LOOK_MILLIS = 20

const within = (work: Promise<unknown>, millis: number): Promise<boolean> =>
  Promise.race([
    work.then(
      () => true,
      () => false,
    ),
    sleep(millis, false, { ref: false }),
  ])

export const makeShutdown = ({ settings, notice }: GatewayOptions, monotonic: () => number): Shutdown => {
  let isServing = false
  let isDraining = false
  let isLeaving = false

  const answered = async (inFlight: () => number, untilAt: number): Promise<void> => {
    while (inFlight() > 0 && monotonic() < untilAt) await sleep(LOOK_MILLIS)
  }

  const drain = async ({ server, socket, inFlight, writers, handOver }: ShutdownParts): Promise<boolean> => {
    const beganAt = monotonic()
    isServing = false
    notice("shutting down", { sockets: socket.stats().connections, inFlight: inFlight() }, "info")
    await sleep(settings.operation.shutdownNoticeMillis)
    isLeaving = true
    // Calls on sockets, and what is passed on meanwhile, are done here until the sockets are closed.
    if (handOver === undefined) server.stopAccepting()
    else handOver()
    await socket.shutdown()
    isDraining = true
    const now = monotonic()
    await answered(inFlight, Math.min(now + IN_FLIGHT_MILLIS, beganAt + RUNNING_MILLIS))
    const cut = inFlight()
    const isStored = await within(Promise.all(writers.map((writer) => writer.drain())), STORE_MILLIS)
    notice("drained", { cut, isStored, millis: Math.round(monotonic() - beganAt) }, isStored ? "info" : "error")
    return isStored
  }

  return {
    isReady: () => isServing,
    isDraining: () => isDraining,
    isLeaving: () => isLeaving,
    serves: () => {
      isServing = true
    },
    drain: (parts) => Effect.promise(() => drain(parts)),
  }
}
