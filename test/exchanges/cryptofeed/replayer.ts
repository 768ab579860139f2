/**
 * A venue that plays its capture: it answers REST from what was recorded, takes today's subscriptions, and then sends the recorded
 * frames of the subscribed streams, in order and as fast as the sockets take them.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { type WebSocket, WebSocketServer } from "ws"
import type { Capture } from "./capture.ts"
import type { Recording } from "./recording.ts"
import { readSpelled, type Spelled } from "./spelled-json.ts"

export interface Replayer {
  /** A VENUE_ROUTES value. */
  readonly routes: Readonly<Record<string, string>>
  /** What is subscribed now. */
  readonly streams: ReadonlySet<string>
  /** Paths that the capture has no answer for. */
  readonly unanswered: ReadonlySet<string>
  /** Sends the frames that `isDue`, so many a second at most; resolves when each has been handed to the sockets. */
  readonly play: (isDue: (frame: Spelled, stream: string) => boolean, perSecond?: number) => Promise<void>
  /** Cuts every connection; whoever comes back begins without subscriptions. */
  readonly cut: () => void
  readonly stop: () => Promise<void>
}

/** Sockets breathe between two bursts. */
const BURST = 20
/** A shorter wait costs more than it spaces. */
const PACED_MILLIS = 5

export const startReplayer = async (capture: Capture, recording: Recording): Promise<Replayer> => {
  const streams = new Set<string>()
  const unanswered = new Set<string>()
  const subscribers = new Map<string, Set<WebSocket>>()
  const sentOn = new WeakMap<WebSocket, number>()
  const send = (socket: WebSocket, text: string): void => {
    const nth = sentOn.get(socket) ?? 0
    sentOn.set(socket, nth + 1)
    socket.send(recording.numbered?.(text, nth) ?? text)
  }

  const server = createServer((request, response) => {
    const path = request.url ?? "/"
    const body = recording.rest(path)
    if (body === undefined) unanswered.add(path)
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(body ?? '{"error":"not recorded"}')
  })
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  sockets.on("connection", (socket) => {
    // A peer that vanishes is an ordinary event here.
    socket.on("error", () => socket.terminate())
    socket.on("close", () => {
      for (const each of subscribers.values()) each.delete(socket)
    })
    socket.on("message", (text) => {
      // OKX keeps its connections alive by a word, which is no JSON.
      if (String(text) === "ping") return socket.send("pong")
      const asked = recording.asked(readSpelled(String(text)))
      for (const reply of asked.replies) send(socket, reply)
      for (const stream of asked.streams) {
        streams.add(stream)
        const known = subscribers.get(stream)
        if (known === undefined) subscribers.set(stream, new Set([socket]))
        else known.add(socket)
      }
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const play: Replayer["play"] = async (isDue, perSecond = Number.POSITIVE_INFINITY) => {
    const startedAt = performance.now()
    let sent = 0
    for (const text of capture.frames) {
      const frame = readSpelled(text)
      const stream = recording.streamOf(frame)
      if (stream === undefined || !isDue(frame, stream)) continue
      for (const socket of subscribers.get(stream) ?? []) {
        send(socket, recording.dressed?.(text) ?? text)
        sent += 1
        const aheadMillis = startedAt + (sent * 1000) / perSecond - performance.now()
        if (aheadMillis > PACED_MILLIS) await sleep(aheadMillis)
        else if (sent % BURST === 0) await new Promise<void>((resolve) => setImmediate(resolve))
      }
    }
  }

  return {
    routes: Object.fromEntries(recording.profile.hosts.map((host) => [host, url])),
    streams,
    unanswered,
    play,
    cut: () => {
      streams.clear()
      subscribers.clear()
      for (const socket of sockets.clients) socket.terminate()
    },
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
