/** 10,000 asks over a cable that loses, delays, repeats and reorders, with a broker that goes and comes: what the contract promises holds in each run. */
import { describe, expect, it } from "vitest"
import type { Asked, AskOutcome } from "../../../src/ports/cable.ts"
import { nodesInMemory } from "../../kit/cable/nodes.ts"

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
const SEEDS = 20

interface Run {
  /** By ask: when it ran, by the clock of all. */
  readonly ran: Map<string, Array<number>>
  readonly ended: Map<string, { readonly deadline: number; readonly outcomes: Array<AskOutcome> }>
  readonly defects: ReadonlyArray<unknown>
}

const run = async (seed: number): Promise<Run> => {
  const random = randomOf(seed)
  const between = (from: number, to: number): number => from + random() * (to - from)
  const nodes = nodesInMemory()
  const { time, broker } = nodes
  const edges = [await nodes.node(), await nodes.node(), await nodes.node()]
  const owners = [await nodes.node(), await nodes.node()]
  nodes.time.pass(1_000)
  broker.fate = () => {
    const luck = random()
    const delay = (): number => (random() < 0.9 ? between(0.05, 5) : between(5, 4_000))
    if (luck < 0.1) return []
    return luck < 0.8 ? [delay()] : [delay(), delay(), delay()]
  }
  const ran: Run["ran"] = new Map()
  const ended: Run["ended"] = new Map()
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

describe("asks under faults", () => {
  it("end once each; run once at most, and not after their deadline; what was given back has not run", async () => {
    const seen = { Answered: 0, NotTaken: 0, Unanswered: 0, ranWithoutAnswer: 0 }
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { ran, ended, defects } = await run(seed)
      expect(defects).toEqual([])
      for (const [head, { deadline, outcomes }] of ended) {
        const where = `seed ${seed}, ask ${head}`
        const times = ran.get(head) ?? []
        const [outcome] = outcomes
        expect([where, outcomes.length]).toEqual([where, 1])
        expect([where, times.length]).toEqual([where, Math.min(1, times.length)])
        for (const at of times) expect([where, at <= deadline]).toEqual([where, true])
        seen[outcome!._tag]++
        if (outcome?._tag === "NotTaken") expect([where, outcome.reason, times]).toEqual([where, outcome.reason, []])
        else if (outcome?._tag === "Answered") {
          expect([where, outcome.head, outcome.payload.toString()]).toEqual([where, head, head.repeat(3)])
          expect([where, times.length]).toEqual([where, 1])
        } else seen.ranWithoutAnswer += times.length
      }
    }
    // None of the ways is left out.
    for (const [way, count] of Object.entries(seen)) expect([way, count > 100]).toEqual([way, true])
  })

  it("go in one frame for each peer and loop turn, answers too", async () => {
    const nodes = nodesInMemory()
    const [edge, owner] = [await nodes.node(), await nodes.node()]
    owner.cable.serve("call", { term: 1, take: ({ answer }) => void answer("", "") })
    nodes.time.pass(1_000)
    const before = nodes.broker.frames
    let answers = 0
    for (let i = 0; i < 100; i++) {
      const done = (): void => void answers++
      edge.cable.ask({ to: owner.peer(1), service: "call", head: "", payload: "x", deadline: edge.now() + 1_000, done })
    }
    nodes.time.pass(10)
    expect([answers, nodes.broker.frames - before]).toEqual([100, 2])
  })
})
