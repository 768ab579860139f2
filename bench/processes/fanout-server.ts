/**
 * The server side of `fanout` and `channels`, one process per variant: the real hub and socket server (`ours`), or a bare uWebSockets app whose sockets
 * join the topics they name (`floor`). Both publish the same bytes at the same times.
 */
import * as uws from "uWebSockets.js"
import { bookChannel } from "../../src/domain/channel.ts"
import type { Instrument } from "../../src/domain/instrument/instrument.ts"
import { jsonCodec } from "../../src/ws/protocol/codec-json.ts"
import { instrumentOf } from "../../test/kit/records/instruments.ts"
import { startSockets } from "../../test/kit/servers/socket-server.ts"
import { answer } from "../kit/child.ts"
import { ownCpuMicros } from "../kit/usage.ts"

/** A whole frame as the subscriber gets it. */
const FRAME_BYTES = 300

export interface Load {
  /** `immediate`: every publication at once. `window`: gathered per topic for 10 ms. */
  readonly flush: "immediate" | "window"
  readonly instruments: number
  /** Publications of one loop turn, one after the other over the instruments. */
  readonly burst: number
  readonly everyMillis: number
  readonly millis: number
}

export interface Published {
  readonly publications: number
  readonly cpuMicros: number
  readonly wallMillis: number
  readonly rssBytes: number
  /** Turns that started more than a whole period late. */
  readonly lateTurns: number
}

const WINDOW_MILLIS = 10

const instrument = (n: number): Instrument => instrumentOf(`MOCK:C${n}/USDT`)
let instruments: ReadonlyArray<Instrument> = []
let channels: ReadonlyArray<string> = []
let texts: ReadonlyArray<string> = []

/** Data that makes a frame of FRAME_BYTES for offsets of up to seven digits; the floor's frames are built by the same functions. */
const jsonOf = (channel: string): string => {
  const around = jsonCodec.publications(channel)({ data: `{"levels":""}`, offset: 1_000_000 }).length
  return `{"levels":"${"5".repeat(Math.max(0, FRAME_BYTES - around))}"}`
}

const prepare = (count: number): void => {
  instruments = Array.from({ length: count }, (_, n) => instrument(n))
  channels = instruments.map((each) => bookChannel(each.instrumentId))
  texts = channels.map(jsonOf)
}

const paced = (load: Load, publish: (n: number) => void): Promise<Published> =>
  new Promise((resolve) => {
    let publications = 0
    let lateTurns = 0
    const cpuBefore = ownCpuMicros()
    const startedAt = performance.now()
    let turns = 0
    const turn = (): void => {
      // A loop that fell behind makes up for it at once, so that the rate is the planned one.
      do {
        if (performance.now() - startedAt > (turns + 1) * load.everyMillis) lateTurns++
        for (let i = 0; i < load.burst; i++) publish(publications++ % load.instruments)
        turns++
      } while (turns * load.everyMillis < Math.min(load.millis, performance.now() - startedAt))
      if (turns * load.everyMillis < load.millis) {
        setTimeout(turn, Math.max(0, turns * load.everyMillis - (performance.now() - startedAt)))
        return
      }
      // What a window holds back still leaves, and counts.
      setTimeout(() => {
        resolve({
          publications,
          cpuMicros: ownCpuMicros() - cpuBefore,
          wallMillis: performance.now() - startedAt,
          rssBytes: process.memoryUsage().rss,
          lateTurns,
        })
      }, 3 * WINDOW_MILLIS)
    }
    turn()
  })

const startOurs = async (flush: Load["flush"]) => {
  const sockets = await startSockets({ windowMillis: flush === "window" ? WINDOW_MILLIS : 0 })
  sockets.instruments.put(instruments)
  // Publications must follow what subscribers were told.
  sockets.position.offset = 999_999
  const offsets = new Array<number>(channels.length).fill(999_999)
  return {
    port: Number(new URL(sockets.url).port),
    publish: (n: number): void => {
      const offset = (offsets[n] ?? 0) + 1
      offsets[n] = offset
      sockets.publishOn(channels[n]!, offset, texts[n]!)
    },
    /** New subscribers are told where the channels stand now, which must be the same for all of them. */
    stand: (): void => {
      if (new Set(offsets).size > 1) throw new Error("some channels had more publications than others")
      sockets.position.offset = offsets[0] ?? 0
    },
  }
}

const startFloor = async (flush: Load["flush"]) => {
  const app = uws.App()
  app.ws("/connection/websocket", {
    maxBackpressure: 1_048_576,
    sendPingsAutomatically: false,
    idleTimeout: 0,
    message: (ws, message) => {
      for (const topic of Buffer.from(message).toString("utf8").split("\n")) if (topic !== "") ws.subscribe(topic)
      ws.send("joined", false)
    },
  })
  const port = await new Promise<number>((resolve, reject) => {
    app.listen("127.0.0.1", 0, (socket) => {
      if (socket === false) reject(new Error("cannot listen"))
      else resolve(uws.us_socket_local_port(socket as uws.us_socket))
    })
  })
  const ready = channels.map((name, n) => String(jsonCodec.publications(name)({ data: texts[n]!, offset: 1_000_001 })))
  let pending: Array<string> = new Array(channels.length).fill("")
  if (flush === "window")
    setInterval(() => {
      const leaving = pending
      pending = new Array(channels.length).fill("")
      for (const [n, frame] of leaving.entries()) if (frame !== "") app.publish(channels[n]!, frame, false)
    }, WINDOW_MILLIS)
  return {
    port,
    publish: (n: number): void => {
      if (flush === "immediate") app.publish(channels[n]!, ready[n]!, false)
      else pending[n] = pending[n] === "" ? ready[n]! : `${pending[n]}\n${ready[n]!}`
    },
  }
}

export interface Start {
  readonly variant: "ours" | "floor"
  readonly flush: Load["flush"]
  /** How many channels there are. */
  readonly instruments: number
}

let running: { readonly port: number; readonly publish: (n: number) => void; readonly stand?: () => void } | undefined

const run = (load: Load): Promise<Published> => {
  if (running === undefined) throw new Error("start comes first")
  return paced(load, running.publish)
}

answer({
  start: async ({ variant, flush, instruments: count }: Start) => {
    prepare(count)
    running = await (variant === "ours" ? startOurs(flush) : startFloor(flush))
    return { port: running.port, channels }
  },
  run,
  /** A load before any measurement, whose readers have left when the next ones come. */
  warm: async (load: Load): Promise<Published> => {
    const published = await run(load)
    running?.stand?.()
    return published
  },
  /** One publication on every channel, some channels a loop turn; how many. */
  publishAll: async (): Promise<number> => {
    for (let n = 0; n < channels.length; n++) {
      running?.publish(n)
      if (n % 20 === 19) await new Promise((next) => setImmediate(next))
    }
    return channels.length
  },
  /** What the process holds when nothing is left to collect. */
  memory: async (): Promise<{ readonly rssBytes: number; readonly heapBytes: number; readonly cpuMicros: number }> => {
    for (let i = 0; i < 3; i++) {
      globalThis.gc?.()
      await new Promise((next) => setTimeout(next, 50))
    }
    const { rss, heapUsed } = process.memoryUsage()
    return { rssBytes: rss, heapBytes: heapUsed, cpuMicros: ownCpuMicros() }
  },
})
