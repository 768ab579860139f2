/** Ends of a cable, in memory by a clock of their own or over a real broker: what the contract of both is held against. */
import { randomUUID } from "node:crypto"
import { type Broker, connectBroker } from "../../../src/cluster/broker.ts"
import { Cable } from "../../../src/cluster/cable.ts"
import type { AskOutcome, Peer } from "../../../src/ports/cable.ts"
import { startNats } from "../servers/nats.ts"
import { MemoryBroker as Memory, type MemoryBroker } from "./memory-wire.ts"
import { VirtualTime } from "./virtual-time.ts"

export interface Node {
  readonly cable: Cable
  readonly peer: (term: number) => Peer
  /** Its monotonic clock: each counts from when it began. */
  readonly now: () => number
  /** As if the process had been killed. */
  readonly kill: () => Promise<void>
}

export interface Nodes {
  readonly node: () => Promise<Node>
  readonly until: (holds: () => boolean) => Promise<void>
  readonly pass: (millis: number) => Promise<void>
  /** The broker is gone with what it held, and is back. */
  readonly killBroker: () => Promise<void>
  readonly startBroker: () => Promise<void>
  /** It stands still with what it holds, and goes on. */
  readonly freezeBroker: () => Promise<void>
  readonly thawBroker: () => void
  readonly defects: Array<unknown>
  readonly close: () => Promise<void>
}

/** Told each 500 ms in a cluster: without a word from a process its clock is not known. */
const greet = (cable: Cable): void => cable.tell("all", "here")

export const nodesInMemory = (): Nodes & { readonly broker: MemoryBroker; readonly time: VirtualTime } => {
  const time = new VirtualTime()
  const broker = new Memory(time.after)
  const defects: Array<unknown> = []
  let count = 0
  return {
    broker,
    time,
    defects,
    node: async () => {
      const wire = broker.wire()
      const inbox = `node-${++count}`
      const origin = count * 777_777
      const monotonic = (): number => time.monotonic() - origin
      const { soon, after } = time
      const parts = { wire, inbox, prefix: "test", monotonic, soon, after, onDefect: (e: unknown) => defects.push(e) }
      const cable = new Cable(parts)
      cable.hear("all", () => {})
      const stop = time.every(500, () => greet(cable))
      time.after(1, () => greet(cable))
      return {
        cable,
        peer: (term) => ({ inbox, term }),
        now: monotonic,
        kill: async () => {
          stop()
          broker.cut(wire)
        },
      }
    },
    until: async (holds) => {
      for (let i = 0; i < 100_000 && !holds(); i++) time.pass(1)
      if (!holds()) throw new Error("it never came to hold")
    },
    pass: async (millis) => time.pass(millis),
    killBroker: async () => broker.stop(),
    startBroker: async () => broker.start(),
    freezeBroker: async () => broker.freeze(),
    thawBroker: () => broker.thaw(),
    close: async () => {},
  }
}

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

export const nodesOverNats = async (): Promise<Nodes> => {
  const server = await startNats({ user: { name: "gateway", password: "of the broker's own" } })
  const defects: Array<unknown> = []
  const brokers = new Set<Broker>()
  const every = (millis: number, work: () => void): (() => void) => {
    const timer = setInterval(work, millis)
    return () => clearInterval(timer)
  }
  const after = (millis: number, work: () => void): void => void setTimeout(work, millis)
  let count = 0
  return {
    defects,
    node: async () => {
      const origin = ++count * 777_777
      const now = (): number => performance.now() - origin
      const inbox = randomUUID()
      const onDefect = (error: unknown): void => void defects.push(error)
      const wire = await connectBroker({
        url: server.url,
        name: inbox,
        inbox,
        prefix: "test",
        onDefect,
        onChange: () => {},
      })
      brokers.add(wire)
      const cable = new Cable({ wire, inbox, prefix: "test", monotonic: now, soon: setImmediate, after, onDefect })
      cable.hear("all", () => {})
      const stop = every(500, () => greet(cable))
      greet(cable)
      return {
        cable,
        peer: (term) => ({ inbox, term }),
        now,
        kill: async () => {
          stop()
          brokers.delete(wire)
          await wire.close()
        },
      }
    },
    until: async (holds) => {
      for (const end = performance.now() + 60_000; !holds() && performance.now() < end; ) await pause(5)
      if (!holds()) throw new Error("it never came to hold")
    },
    pass: pause,
    killBroker: server.kill,
    startBroker: server.start,
    freezeBroker: server.freeze,
    thawBroker: server.thaw,
    close: async () => {
      for (const broker of brokers) await broker.close()
      await server.kill()
    },
  }
}

/** An ask and how it ended; `outcomes` has one entry, or the contract is broken. */
export interface Told {
  readonly outcomes: ReadonlyArray<AskOutcome>
}

/** `millis` from now on. */
export const askOf = (from: Node, to: Peer, head: string, millis: number, payload: string | Uint8Array = ""): Told => {
  const outcomes: Array<AskOutcome> = []
  const deadline = from.now() + millis
  from.cable.ask({ to, service: "echo", head, payload, deadline, done: (outcome) => outcomes.push(outcome) })
  return { outcomes }
}

/** Takes all, and answers with its payload at once. */
export const echo = (node: Node, term: number, heads: Array<string> = []): (() => void) =>
  node.cable.serve("echo", {
    term,
    take: ({ head, payload, answer }) => {
      heads.push(head)
      answer(`re ${head}`, payload.toString())
      return undefined
    },
  })
