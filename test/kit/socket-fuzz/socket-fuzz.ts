/**
 * Very many messages for a socket server in a process of its own, from several connections at once: bad JSON and Protobuf, commands with
 * absurd parameters, frames that are none. Every answer is judged; the process must live, and its memory come back.
 */
import { seededRandom } from "../../exchanges/binance/replay/synthetic.ts"
import { type SocketChild, startSocketChild } from "../servers/socket-child.ts"
import { BOOK } from "../servers/socket-server.ts"
import { FuzzClient } from "./fuzz-client.ts"
import type { Random } from "./fuzz-commands.ts"
import { type FuzzFrame, fuzzFrame, readFrame } from "./fuzz-frames.ts"
import { judge } from "./fuzz-judge.ts"
import { fuzzRaw } from "./fuzz-raw.ts"
import type { FuzzState, World } from "./fuzz-rules.ts"

export interface FuzzOptions {
  readonly frames: number
  readonly seed: number
  readonly progress?: (line: string) => void
}

export interface FuzzFacts {
  readonly frames: number
  readonly commands: number
  readonly replies: number
  readonly pushes: number
  readonly connections: number
  /** By code, as clients saw them. */
  readonly closes: Readonly<Record<string, number>>
  /** By code. */
  readonly errors: Readonly<Record<string, number>>
  /** The first few, with what was sent. */
  readonly faults: ReadonlyArray<string>
  readonly faultCount: number
  /** How the server's process ended, and its last words; empty: it lives. */
  readonly crash: string
  readonly memory: {
    readonly baseHeap: number
    readonly endHeap: number
    readonly baseRss: number
    readonly endRss: number
  }
  /** Left in the server when all clients are gone. */
  readonly left: { readonly connections: number; readonly subscriptions: number; readonly topics: number }
}

const WORKERS = 12
const CHANNELS_MAX = 4
const FAULTS_SHOWN = 10
/** Messages of one connection, at most. */
const CONNECTION_MESSAGES = 300

class Fuzzing {
  frames = 0
  commands = 0
  replies = 0
  pushes = 0
  connections = 0
  faultCount = 0
  readonly closes: Record<string, number> = {}
  readonly errors: Record<string, number> = {}
  readonly faults: Array<string> = []

  constructor(
    private readonly server: SocketChild,
    private readonly world: World,
    private readonly wanted: number,
  ) {}

  get isOver(): boolean {
    return this.frames >= this.wanted || this.server.ended() !== null
  }

  async work(random: Random): Promise<void> {
    while (!this.isOver) {
      if (random() < 0.05) await this.raw(random)
      else await this.converse(random)
    }
  }

  private async fault(text: string): Promise<void> {
    // A server that is gone is one fault, and told apart: its connections end a moment before its end is known.
    await new Promise((next) => setTimeout(next, 100))
    if (this.server.ended() !== null) return
    this.faultCount++
    if (this.faults.length < FAULTS_SHOWN) this.faults.push(text)
  }

  private async raw(random: Random): Promise<void> {
    this.frames++
    this.connections++
    const fault = await fuzzRaw(this.server.url, random).catch(String)
    if (fault !== "") await this.fault(fault)
  }

  private async converse(random: Random): Promise<void> {
    const format = random() < 0.6 ? "json" : "protobuf"
    const client = await FuzzClient.open(this.server.url, format).catch(String)
    if (typeof client === "string") return this.fault(`no connection: ${client}`)
    this.connections++
    let state: FuzzState = { isConnected: false, user: "", subscribed: new Set(), uncertain: new Set(), format }
    let epoch = ""
    let id = 0
    try {
      for (let n = 0; n < CONNECTION_MESSAGES && !this.isOver; n++) {
        const { isConnected } = state
        const message = fuzzFrame({ random, world: this.world, isConnected, epoch, nextId: () => ++id, format })
        const reading = readFrame(message, format)
        const answer = await client.ask(message, isConnected)
        this.frames++
        if (reading.is === "commands") this.commands += reading.commands.length
        if (answer === undefined) return this.fault(`no answer: ${shown(message)}`)
        this.count(answer.replies, answer.closed)
        const judgement = judge(reading, answer, state, this.world)
        if (judgement.fault !== "") await this.fault(`${judgement.fault}: ${format} ${shown(message)}`)
        if (answer.closed !== undefined || judgement.fault !== "" || judgement.isDeaf) return
        state = judgement.state
        epoch = judgement.epoch ?? epoch
      }
    } finally {
      this.pushes += client.pushes
      client.end()
    }
  }

  private count(replies: ReadonlyArray<Readonly<Record<string, unknown>>>, closed: number | undefined): void {
    this.replies += replies.length
    if (closed !== undefined) this.closes[closed] = (this.closes[closed] ?? 0) + 1
    for (const { error } of replies) {
      if (error === undefined) continue
      const { code } = error as { readonly code: number }
      this.errors[code] = (this.errors[code] ?? 0) + 1
    }
  }
}

const shown = ({ bytes, isBinary }: FuzzFrame): string => {
  const text = isBinary ? bytes.toString("hex") : bytes.toString("utf8")
  return text.length > 600 ? `${text.slice(0, 600)}… (${bytes.length} bytes)` : text
}

/** Longer than anything that was planned for a connection is kept when it is gone. */
const FORGOTTEN_SECONDS = 70

/** With nobody connected, and nobody remembered. */
const quietFacts = async (server: SocketChild) => {
  for (let waited = 0; waited < 200; waited++) {
    if ((await server.ask("stats")).connections === 0) break
    await new Promise((next) => setTimeout(next, 50))
  }
  await server.ask("turn", FORGOTTEN_SECONDS)
  return server.ask("facts")
}

export const socketFuzz = async ({ frames, seed, progress }: FuzzOptions): Promise<FuzzFacts> => {
  const channels = { trade: { historySize: 100, recoveryMax: 50 } }
  const server = await startSocketChild({ channelsMax: CHANNELS_MAX, channels })
  try {
    const { accountId } = await server.ask("facts")
    const world: World = { accountId, accountOwner: "alice", channelsMax: CHANNELS_MAX, historyMax: 1000 }
    const load = { bytes: 50, perSecond: 25 }
    await server.ask("load", { channel: BOOK, kind: "book", ...load })
    await server.ask("load", { channel: "market:trade:MOCK:BTC/USDT", kind: "trade", ...load })
    await server.ask("load", { channel: "market:ticker:MOCK:BTC/USDT", kind: "ticker", ...load })
    const round = async (wanted: number, from: number): Promise<Fuzzing> => {
      const fuzzing = new Fuzzing(server, world, wanted)
      let told = 0
      const timer = setInterval(() => {
        if (fuzzing.frames - told < wanted / 20) return
        told = fuzzing.frames
        const words = `${fuzzing.frames} of ${wanted} messages, ${fuzzing.faultCount} wrong`
        server.ask("stats").then(
          ({ rss }) => progress?.(`${words}, ${Math.round(rss / 1_048_576)} MB`),
          () => progress?.(`${words}, and the server is gone`),
        )
      }, 500)
      try {
        await Promise.all(Array.from({ length: WORKERS }, (_, n) => fuzzing.work(seededRandom(from + n))))
      } finally {
        clearInterval(timer)
      }
      return fuzzing
    }
    const crashed = (...rounds: ReadonlyArray<Fuzzing>): FuzzFacts => ({
      ...figures(...rounds),
      crash: `${server.ended()}\n${server.stderr()}`,
      ...NOTHING_LEFT,
    })
    // What is compiled and cached once is part of the base.
    const warm = await round(Math.ceil(frames / 20), seed + 500_000)
    if (server.ended() !== null) return crashed(warm)
    const base = await quietFacts(server)
    const main = await round(frames - Math.ceil(frames / 20), seed)
    if (server.ended() !== null) return crashed(warm, main)
    const end = await quietFacts(server)
    const { connections, hub } = end.stats
    return {
      ...figures(warm, main),
      crash: server.stderr(),
      memory: {
        baseHeap: base.memory.heapUsed,
        endHeap: end.memory.heapUsed,
        baseRss: base.memory.rss,
        endRss: end.memory.rss,
      },
      left: { connections, subscriptions: hub.subscriptions, topics: hub.topics },
    }
  } finally {
    await server.stop()
  }
}

const NOTHING_LEFT = {
  memory: { baseHeap: 0, endHeap: 0, baseRss: 0, endRss: 0 },
  left: { connections: 0, subscriptions: 0, topics: 0 },
}

const sum = (records: ReadonlyArray<Readonly<Record<string, number>>>): Record<string, number> => {
  const total: Record<string, number> = {}
  for (const record of records)
    for (const [code, count] of Object.entries(record)) total[code] = (total[code] ?? 0) + count
  return total
}

const figures = (...rounds: ReadonlyArray<Fuzzing>) => {
  const total = (of: (round: Fuzzing) => number): number => rounds.reduce((all, round) => all + of(round), 0)
  return {
    frames: total(({ frames }) => frames),
    commands: total(({ commands }) => commands),
    replies: total(({ replies }) => replies),
    pushes: total(({ pushes }) => pushes),
    connections: total(({ connections }) => connections),
    closes: sum(rounds.map(({ closes }) => closes)),
    errors: sum(rounds.map(({ errors }) => errors)),
    faults: rounds.flatMap(({ faults }) => faults),
    faultCount: total(({ faultCount }) => faultCount),
  }
}
