/** 10,000 asks over a cable that loses, delays, repeats and reorders, with a broker that goes and comes: what the contract promises holds in each run. */
import { describe, expect, it } from "vitest"
import { judgeAsks, runAsks } from "../../kit/cable/ask-run.ts"
import { nodesInMemory } from "../../kit/cable/nodes.ts"

const SEEDS = 20

describe("asks under faults", () => {
  it("end once each; run once at most, and not after their deadline; what was given back has not run", async () => {
    const sums = { Answered: 0, NotTaken: 0, Unanswered: 0, ranWithoutAnswer: 0 }
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { faults, seen } = judgeAsks(await runAsks(seed))
      expect([seed, faults]).toEqual([seed, []])
      for (const way of Object.keys(sums) as ReadonlyArray<keyof typeof sums>) sums[way] += seen[way]
    }
    // None of the ways is left out.
    for (const [way, count] of Object.entries(sums)) expect([way, count > 100]).toEqual([way, true])
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
