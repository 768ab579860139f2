/**
 * `channels`: 10,000 idle connections, then 1,000 channels on each of 1,000 connections over 10,000 channels (a million subscriptions), on
 * the real hub and socket server against bare uWebSockets topics (targets: twice the floor's memory, subscribe p99 50 ms, 6 kB a connection).
 */

import { type Child, startChild } from "./kit/child.ts"
import { percentiles, type Result, row, runBench, say } from "./kit/report.ts"
import type { Counts, Subscribers } from "./processes/fanout-readers.ts"
import type { Start } from "./processes/fanout-server.ts"

type Variant = "ours" | "floor"
const CHANNELS = 10_000
const SOCKETS = 1_000
const CHANNELS_PER_SOCKET = 1_000
const IDLE = 10_000
const PROBES = 500

interface Memory {
  readonly rssBytes: number
  readonly heapBytes: number
  readonly cpuMicros: number
}

interface Figures {
  readonly idleBytes: number
  readonly connectsPerSecond: number
  readonly connectMicros: number
  readonly bytesPerSubscription: number
  readonly rssBytes: number
  readonly subscribeMicros: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly lost: number
}

interface Started {
  readonly server: Child
  readonly readers: Child
  readonly port: number
  readonly channels: ReadonlyArray<string>
}

const start = async (variant: Variant): Promise<Started> => {
  const server = await startChild("fanout-server", ["--expose-gc"])
  const readers = await startChild("fanout-readers")
  const asked = { variant, flush: "window", instruments: CHANNELS } satisfies Start
  const { port, channels } = await server.ask<{ port: number; channels: ReadonlyArray<string> }>("start", asked)
  return { server, readers, port, channels }
}

/** Connections with one channel each, doing nothing. */
const idle = async (variant: Variant) => {
  const { server, readers, port, channels } = await start(variant)
  const one = channels.slice(0, 1)
  const subscribe = (count: number) =>
    readers.ask("subscribe", { variant, port, sockets: new Array(count).fill(one) } satisfies Subscribers)
  await subscribe(200)
  const before = await server.ask<Memory>("memory")
  const startedAt = performance.now()
  await subscribe(IDLE)
  const seconds = (performance.now() - startedAt) / 1000
  const after = await server.ask<Memory>("memory")
  await readers.stop()
  await server.stop()
  return {
    idleBytes: (after.rssBytes - before.rssBytes) / IDLE,
    connectsPerSecond: IDLE / seconds,
    connectMicros: (after.cpuMicros - before.cpuMicros) / IDLE,
  }
}

const many = async (variant: Variant) => {
  const { server, readers, port, channels } = await start(variant)
  const before = await server.ask<Memory>("memory")
  const sockets = Array.from({ length: SOCKETS }, (_, s) =>
    Array.from({ length: CHANNELS_PER_SOCKET }, (_, c) => channels[(s * 37 + c) % CHANNELS]!),
  )
  await readers.ask("subscribe", { variant, port, sockets } satisfies Subscribers)
  const after = await server.ask<Memory>("memory")
  const probed = channels.slice(0, PROBES)
  const took = await readers.ask<ReadonlyArray<number>>("probe", { variant, port, sockets: [probed] })
  const before1 = await readers.ask<Counts>("counts", 0)
  await server.ask("publishAll")
  const expected = SOCKETS * CHANNELS_PER_SOCKET + PROBES
  const counts = await readers.ask<Counts>("counts", before1.messages + expected)
  await readers.stop()
  await server.stop()
  const subscriptions = SOCKETS * CHANNELS_PER_SOCKET
  return {
    bytesPerSubscription: (after.rssBytes - before.rssBytes) / subscriptions,
    rssBytes: after.rssBytes,
    subscribeMicros: (after.cpuMicros - before.cpuMicros) / subscriptions,
    ...percentiles(took),
    lost: expected - (counts.messages - before1.messages),
  }
}

const measure = async (variant: Variant): Promise<Figures> => {
  const figures = { ...(await idle(variant)), ...(await many(variant)) }
  say(
    row(
      variant,
      figures.idleBytes,
      figures.connectsPerSecond,
      figures.bytesPerSubscription,
      figures.rssBytes / 1e6,
      figures.subscribeMicros,
      figures.p99,
      figures.lost,
    ),
  )
  return figures
}

const bench = async (): Promise<Result> => {
  say(row("", "idle B/conn", "connects/s", "B/subscr", "RSS MB", "us/subscr", "p99 ms", "lost"))
  const floor = await measure("floor")
  const ours = await measure("ours")
  const ratio = ours.rssBytes / floor.rssBytes
  say(`memory with a million subscriptions, ours / floor: ${ratio.toFixed(2)}; target 2`)
  return {
    bench: "channels",
    conditions: {
      channels: CHANNELS,
      subscriptions: SOCKETS * CHANNELS_PER_SOCKET,
      sockets: SOCKETS,
      idleConnections: IDLE,
      ratio: "resident memory with a million subscriptions, ours / floor",
    },
    figures: { ...ours },
    floor: { ...floor },
    ratio,
  }
}

await runBench(bench)
