/** Who speaks on the sockets of edges: what the owner says, and words of it that come late, twice or never. In memory, by a clock that is turned by hand. */
import { describe, expect, it } from "vitest"
import { busy, done, gatesInMemory, IP } from "../../kit/cable/gates.ts"

describe("the gate of edges", () => {
  it("grants nothing by an answer of before the rights were changed, though it comes after the word of the change", async () => {
    const { nodes, settings, owner, edge } = gatesInMemory()
    const home = await owner(1)
    const here = await edge()
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const alice = here.identify()
    let channel = "private"
    const reviewed: Array<{ tag: string }> = []
    here.gate.onRenewed(() => reviewed.push(here.access(alice, channel)))
    // Answers take 50 ms and words none: the first of both orders, in which the review follows the answer.
    for (const slow of [50, 150]) {
      settings.permissions = ["read"]
      home.renew()
      nodes.time.pass(500)
      let isFirst = true
      nodes.broker.fate = (subject) => {
        if (!subject.endsWith(here.inbox) || !isFirst) return [0.1]
        isFirst = false
        return [slow]
      }
      channel = `private ${slow}`
      const asked = here.access(alice, channel)
      nodes.time.after(2, () => {
        settings.permissions = []
        home.renew()
      })
      nodes.time.pass(600)
      expect([slow, asked.tag, reviewed.at(-1)?.tag]).toEqual([slow, "Denied", "Denied"])
    }
  })

  it("has one time to learn what may be read, however often that comes into doubt meanwhile", async () => {
    const { nodes, owner, edge } = gatesInMemory()
    const home = await owner(1)
    const here = await edge()
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const alice = here.identify()
    // Each answer comes late, and after a word that the rights have changed.
    nodes.broker.fate = (subject) => [subject.endsWith(here.inbox) ? 900 : 0.1]
    const known: Array<boolean> = []
    const access = here.gate.authority.access(alice, { channel: "private", type: 0, token: "", client: "" })
    if (access._tag !== "Later") throw new Error("it is known")
    access.learn((isKnown) => known.push(isKnown))
    for (let n = 0; n < 45; n++) {
      home.renew()
      nodes.time.pass(100)
    }
    expect(known).toEqual([false])
  })

  it("learns at the next owner what was changed at the one before, though another edge has asked there first", async () => {
    const { nodes, settings, owner, edge } = gatesInMemory()
    const first = await owner(1)
    const [here, there] = [await edge(), await edge()]
    nodes.time.pass(1_000)
    for (const each of [here, there]) each.knows(first.peer)
    const alice = here.identify()
    there.identify()
    let renewals = 0
    here.gate.onRenewed(() => renewals++)
    nodes.broker.fate = (subject) => (subject.endsWith(".gate") ? [] : [0.1])
    settings.permissions = []
    first.renew()
    await first.node.kill()
    const next = await owner(2)
    nodes.time.pass(1_000)
    there.knows(next.peer)
    nodes.time.pass(50)
    here.knows(next.peer)
    nodes.time.pass(2_500)
    expect([alice.principal?.permissions, renewals > 0]).toEqual([[], true])
    // And then it is known.
    const known = renewals
    nodes.time.pass(5_000)
    expect(renewals).toBe(known)
  })

  it("has nothing judged and nothing done by an owner whose lease is over: it waits until that is renewed", async () => {
    const { nodes, settings, calls, owner, edge } = gatesInMemory()
    const [home, here] = [await owner(1), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const alice = here.identify()
    const answers: Array<unknown> = []
    settings.isLeased = false
    const request = { method: "order", data: {}, isMalformed: false, principal: alice.principal!, ip: IP }
    here.gate.rpc(request, (answer) => answers.push(answer))
    const asked = here.access(alice, "private")
    nodes.time.pass(1_000)
    expect([calls, answers, asked.tag]).toEqual([[], [], "Later"])
    settings.isLeased = true
    nodes.time.pass(1_000)
    expect([calls, answers, asked.tag]).toEqual([["order"], [done], "Granted"])
  })

  it("does no call from an address that its speaker may not come from any more, though the word of it is lost", async () => {
    const { nodes, settings, calls, owner, edge } = gatesInMemory()
    const home = await owner(1)
    const here = await edge()
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const alice = here.identify()
    nodes.broker.fate = (subject) => (subject.endsWith(".gate") ? [] : [0.1])
    settings.isRefused = true
    home.renew()
    const answers: Array<unknown> = []
    const request = { method: "order", data: {}, isMalformed: false, principal: alice.principal!, ip: IP }
    here.gate.rpc(request, (answer) => answers.push(answer))
    nodes.time.pass(6_000)
    expect([calls, answers]).toEqual([[], [busy]])
    expect(here.gate.authority.isWelcome?.(alice, { ip: IP })).toBe(false)
  })

  it("forgets where a speaker came from once no socket of it is from there", async () => {
    const { nodes, owner, edge } = gatesInMemory()
    const [home, here] = [await owner(1), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const other = "203.0.113.8"
    here.seats.add(other)
    here.identify()
    here.identify(other)
    const asked = (): ReadonlySet<string> => {
      home.identified.length = 0
      home.renew()
      nodes.time.pass(500)
      return new Set(home.identified)
    }
    nodes.time.pass(20_000)
    expect(asked()).toEqual(new Set([IP, other]))
    here.seats.delete(other)
    nodes.time.pass(20_000)
    expect(asked()).toEqual(new Set([IP]))
  })
})
