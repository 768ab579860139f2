/** Calls on the sockets of edges: done once by the owner, or the next one, or not at all, and what an edge has room for. In memory, by a clock that is turned by hand. */
import { describe, expect, it } from "vitest"
import { CALLS_MAX } from "../../../src/ws/mirrors/edge-gate.ts"
import { GATE_SERVICE } from "../../../src/ws/mirrors/gate-words.ts"
import { busy, done, gatesInMemory, IP, unknown } from "../../kit/cable/gates.ts"

describe("calls at an edge", () => {
  it("gives a call the time that its client has left, and begins none with too little", async () => {
    const { nodes, calls, owner, edge } = gatesInMemory()
    const home = await owner(1)
    const here = await edge()
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const principal = here.identify().principal!
    const answers: Array<unknown> = []
    const call = (method: string): void => {
      const request = { method, data: {}, isMalformed: false, principal, ip: IP }
      here.gate.rpc(request, (answer) => answers.push(answer))
    }
    here.knows(undefined)
    call("slow")
    nodes.time.pass(3_000)
    here.knows(home.peer)
    nodes.time.pass(2_100)
    expect([calls, answers]).toEqual([["slow"], [busy]])
    here.knows(undefined)
    call("late")
    nodes.time.pass(4_850)
    here.knows(home.peer)
    nodes.time.pass(1_000)
    expect([calls, answers]).toEqual([["slow"], [busy, busy]])
  })

  it("has a call that an owner holds back, as it ends or has just begun, done by it later or by the next one", async () => {
    const { nodes, settings, calls, owner, edge } = gatesInMemory()
    const [home, here] = [await owner(1), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const principal = here.identify().principal!
    const answers: Array<unknown> = []
    const call = (method: string): void => {
      const request = { method, data: {}, isMalformed: false, principal, ip: IP }
      here.gate.rpc(request, (answer) => answers.push(answer))
    }
    settings.holdsBack = "crowded"
    call("order")
    nodes.time.pass(1_000)
    expect([calls, answers]).toEqual([[], []])
    // What changes nothing is answered by one that is behind, as over HTTP.
    call("order.get")
    nodes.time.pass(200)
    expect([calls, answers]).toEqual([["order.get"], [done]])
    settings.holdsBack = undefined
    nodes.time.pass(200)
    expect([calls, answers]).toEqual([
      ["order.get", "order"],
      [done, done],
    ])
    settings.holdsBack = "leaving"
    call("next")
    call("next.get")
    nodes.time.pass(1_000)
    expect(calls).toEqual(["order.get", "order"])
    const next = await owner(2)
    nodes.time.pass(1_000)
    here.knows(next.peer)
    nodes.time.pass(1_000)
    expect(calls).toEqual(["order.get", "order", "next", "next.get"])
    expect(answers).toEqual([done, done, done, done])
  })

  it("says of a call that it is unknown 250 ms after a later owner was heard, and asks that one for what changes nothing", async () => {
    const { nodes, calls, owner, edge } = gatesInMemory()
    const [home, here] = [await owner(1), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const principal = here.identify().principal!
    const answers: Array<readonly [string, unknown]> = []
    for (const method of ["stuck", "stuck.get"])
      here.gate.rpc({ method, data: {}, isMalformed: false, principal, ip: IP }, (answer) =>
        answers.push([method, answer]),
      )
    nodes.time.pass(100)
    // The same one again, and none, say nothing.
    here.knows(home.peer)
    here.knows(undefined)
    expect([calls, answers]).toEqual([["stuck", "stuck.get"], []])
    await home.node.kill()
    const next = await owner(2)
    nodes.time.pass(1_000)
    here.knows(next.peer)
    nodes.time.pass(200)
    expect(answers).toEqual([["stuck.get", done]])
    nodes.time.pass(2_000)
    expect(answers).toEqual([
      ["stuck.get", done],
      ["stuck", unknown],
    ])
    expect(calls).toEqual(["stuck", "stuck.get", "stuck.get"])
    // What was answered is not answered again at its deadline.
    nodes.time.pass(10_000)
    expect(answers).toHaveLength(2)
  })

  it("hears the last words of the owner before, and has the next one do what that had not taken", async () => {
    const { nodes, settings, calls, owner, edge } = gatesInMemory()
    const [home, next, here] = [await owner(1), await owner(2), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const principal = here.identify().principal!
    const answers: Array<readonly [string, unknown]> = []
    const call = (method: string): void =>
      here.gate.rpc({ method, data: {}, isMalformed: false, principal, ip: IP }, (answer) =>
        answers.push([method, answer]),
      )
    // Asked, and its words are on their way when the next one is heard.
    nodes.broker.fate = (subject) => [subject.endsWith(here.inbox) ? 100 : 0.1]
    call("taken")
    nodes.time.pass(1)
    settings.holdsBack = "leaving"
    call("refused")
    nodes.time.pass(1)
    here.knows(next.peer)
    expect([calls, answers]).toEqual([["taken"], []])
    nodes.time.pass(1_000)
    expect(calls).toEqual(["taken", "refused"])
    expect(answers).toEqual([
      ["taken", done],
      ["refused", done],
    ])
  })

  it("has room for others, however many calls of one address wait for an owner", async () => {
    const { nodes, owner, edge } = gatesInMemory()
    const [home, here] = [await owner(1), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const principal = here.identify().principal!
    here.knows(undefined)
    /** How often each answer was given. */
    const told = (count: number, from: (index: number) => string): Record<string, number> => {
      const answers: Record<string, number> = {}
      for (let i = 0; i < count; i++)
        here.gate.rpc({ method: "order", data: {}, isMalformed: false, principal, ip: from(i) }, (answer) => {
          const word = typeof answer === "string" ? answer : answer.envelope
          answers[word] = (answers[word] ?? 0) + 1
        })
      return answers
    }
    const half = CALLS_MAX / 2
    const many = told(CALLS_MAX, () => IP)
    expect(many).toEqual({ [busy.envelope]: half })
    const others = told(1_000, (index) => `198.51.100.${index % 250}`)
    expect(others).toEqual({})
    here.knows(home.peer)
    nodes.time.pass(1_000)
    expect([many, others]).toEqual([{ [busy.envelope]: half, [done.envelope]: half }, { [done.envelope]: 1_000 }])
    // And what has ended, whichever way, is no share of anyone's.
    here.knows(undefined)
    for (let round = 0; round < 2; round++) {
      const again = told(CALLS_MAX, () => IP)
      expect(again).toEqual({ [busy.envelope]: half })
      nodes.time.pass(6_000)
      expect(again).toEqual({ [busy.envelope]: CALLS_MAX })
    }
  })

  it("keeps no place for what it cannot say to an owner, or not read of it, and answers that", async () => {
    const { nodes, calls, owner, edge } = gatesInMemory()
    const [home, here] = [await owner(1), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const principal = here.identify().principal!
    const answers: Array<unknown> = []
    const call = (method: string, data: unknown): void =>
      here.gate.rpc({ method, data, isMalformed: false, principal, ip: IP }, (answer) => answers.push(answer))
    // A message of 64 KiB can be so: JSON.parse reads it, and JSON.stringify has not the stack for it.
    const deep: unknown = JSON.parse("[".repeat(20_000) + "]".repeat(20_000))
    call("deep", deep)
    nodes.time.pass(1_000)
    expect([calls, answers]).toEqual([["deep malformed"], [done]])
    const stop = home.node.cable.serve(GATE_SERVICE, {
      term: 1,
      take: ({ head, answer }) => (head === "rpc" ? void answer("", "{") : "leaving"),
    })
    call("order", {})
    nodes.time.pass(1_000)
    expect([answers, nodes.defects.length]).toEqual([[done, unknown], 1])
    stop()
    here.knows(undefined)
    for (let i = 0; i < CALLS_MAX / 2; i++) call("order", {})
    expect(answers).toHaveLength(2)
    call("order", {})
    expect(answers).toEqual([done, unknown, busy])
  })

  it("lets go of a call that no owner has, once its socket is gone: it is not done, and its place is another's", async () => {
    const { nodes, calls, owner, edge } = gatesInMemory()
    const [home, here] = [await owner(1), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const principal = here.identify().principal!
    const answers: Array<unknown> = []
    let isGone = false
    const call = (method: string, isOver = () => false): void =>
      here.gate.rpc({ method, data: {}, isMalformed: false, principal, ip: IP, isOver }, (answer) =>
        answers.push(answer),
      )
    // What an owner has stays as it is.
    nodes.broker.fate = () => [50]
    call("asked", () => isGone)
    nodes.time.pass(1)
    here.knows(undefined)
    for (let i = 1; i < CALLS_MAX / 2; i++) call("gone", () => isGone)
    isGone = true
    nodes.time.pass(200)
    expect([calls, answers]).toEqual([["asked"], [done]])
    for (let i = 0; i < CALLS_MAX / 2; i++) call("later")
    expect(answers).toEqual([done])
    here.knows(home.peer)
    nodes.time.pass(1_000)
    expect([new Set(calls), calls.length]).toEqual([new Set(["asked", "later"]), 1 + CALLS_MAX / 2])
  })

  it("asks no owner for what that would call late: it is told that nothing was done, and not that nothing is known", async () => {
    const { nodes, calls, owner, edge } = gatesInMemory()
    const [home, here] = [await owner(1), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const principal = here.identify().principal!
    const answers: Array<unknown> = []
    here.knows(undefined)
    here.gate.rpc({ method: "order", data: {}, isMalformed: false, principal, ip: IP }, (answer) =>
      answers.push(answer),
    )
    nodes.time.pass(4_850)
    // The owner's refusal would come when the time is over.
    nodes.broker.fate = () => [140]
    here.knows(home.peer)
    nodes.time.pass(1_000)
    expect([calls, answers]).toEqual([[], [busy]])
  })
})
