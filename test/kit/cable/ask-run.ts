/** Asks of three nodes to two over a cable in memory that loses, delays, repeats and reorders, with a broker that goes and comes and terms that change: one run for each seed. */
import type { Cable } from "../../../src/cluster/cable.ts"
import type { Asked, AskOutcome } from "../../../src/ports/cable.ts"
import { nodesInMemory } from "./nodes.ts"

/** mulberry32. */
const randomOf = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const ASKS = 500

export interface AskRun {
  /** By ask: when it ran, by the clock of all. */
  readonly ran: Map<string, Array<number>>
  readonly ended: Map<string, { readonly deadline: number; readonly outcomes: Array<AskOutcome> }>
  readonly defects: ReadonlyArray<unknown>
}

export const runAsks = async (seed: number, spoil: (cable: Cable) => void = () => undefined): Promise<AskRun> => {
  const random = randomOf(seed)
  const between = (from: number, to: number): number => from + random() * (to - from)
  const nodes = nodesInMemory()
  const { time, broker } = nodes
  const edges = [await nodes.node(), await nodes.node(), await nodes.node()]
  const owners = [await nodes.node(), await nodes.node()]
  for (const { cable } of [...edges, ...owners]) spoil(cable)
  nodes.time.pass(1_000)
  broker.fate = () => {
    const luck = random()
    const delay = (): number => (random() < 0.9 ? between(0.05, 5) : between(5, 4_000))
    if (luck < 0.1) return []
    return luck < 0.8 ? [delay()] : [delay(), delay(), delay()]
  }
  const ran: AskRun["ran"] = new Map()
  const ended: AskRun["ended"] = new Map()
  let term = 1
  const waiting: Array<Asked> = []
  const serve = (): void => {
    for (const [i, { cable }] of owners.entries())
      cable.serve("call", {
        term: term * 2 + i,
        take: (asked) => {
          if (random() < 0.1) return "leaving"
          ran.set(asked.head, [...(ran.get(asked.head) ?? []), time.monotonic()])
          if (random() < 0.2) waiting.push(asked)
          else asked.answer(asked.head, asked.payload.toString())
          return undefined
        },
      })
  }
  serve()
  for (let i = 0; i < ASKS; i++) {
    const edge = edges[Math.floor(random() * edges.length)]!
    const which = Math.floor(random() * owners.length)
    const head = `${i}`
    const millis = between(1, 6_000)
    const outcomes: Array<AskOutcome> = []
    ended.set(head, { deadline: time.monotonic() + millis, outcomes })
    const to = owners[which]!.peer(term * 2 + which)
    const done = (outcome: AskOutcome): number => outcomes.push(outcome)
    edge.cable.ask({ to, service: "call", head, payload: head.repeat(3), deadline: edge.now() + millis, done })
    if (random() < 0.5) time.pass(between(0, 30))
    if (random() < 0.01) {
      term++
      serve()
    }
    if (random() < 0.01) {
      broker.stop()
      time.pass(between(1, 800))
      broker.start()
    }
    if (random() < 0.02) {
      broker.freeze()
      time.pass(between(1, 3_000))
      broker.thaw()
    }
    for (const asked of waiting.splice(0, Math.floor(random() * 3))) asked.answer(asked.head, asked.payload.toString())
  }
  time.pass(20_000)
  return { ran, ended, defects: nodes.defects }
}

/** What the contract of the cable forbids and this run has; and how often each way was gone. */
export const judgeAsks = ({ ran, ended, defects }: AskRun) => {
  const seen = { Answered: 0, NotTaken: 0, Unanswered: 0, ranWithoutAnswer: 0 }
  const faults: Array<string> = defects.map(String)
  for (const [head, { deadline, outcomes }] of ended) {
    const times = ran.get(head) ?? []
    const [outcome] = outcomes
    if (outcome === undefined || outcomes.length > 1) faults.push(`ask ${head} ended ${outcomes.length} times`)
    if (times.length > 1) faults.push(`ask ${head} ran ${times.length} times`)
    if (times.some((at) => at > deadline)) faults.push(`ask ${head} ran after its deadline`)
    if (outcome === undefined) continue
    seen[outcome._tag]++
    if (outcome._tag === "NotTaken" && times.length > 0) faults.push(`ask ${head} was given back and ran`)
    if (outcome._tag === "Unanswered") seen.ranWithoutAnswer += times.length
    if (outcome._tag !== "Answered") continue
    const isWhole = outcome.head === head && outcome.payload.toString() === head.repeat(3)
    if (!isWhole || times.length !== 1) faults.push(`ask ${head} was answered as ${outcome.head}`)
  }
  return { faults, seen }
}
