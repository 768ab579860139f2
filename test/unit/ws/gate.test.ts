/** Who speaks on the sockets of edges: what the owner says, and words of it that come late, twice or never. In memory, by a clock that is turned by hand. */
import { beforeEach, describe, expect, it } from "vitest"
import type { SessionId, TenantId, UserId } from "../../../src/domain/ids.ts"
import type { Principal } from "../../../src/domain/user/user.ts"
import type { Peer } from "../../../src/ports/cable.ts"
import type { RpcAnswer } from "../../../src/ports/rpc.ts"
import type { Authority, Credentials } from "../../../src/ws/channels/authority.ts"
import type { Served } from "../../../src/ws/fanout/stream.ts"
import { CALLS_MAX, EdgeGate } from "../../../src/ws/mirrors/edge-gate.ts"
import { Gate } from "../../../src/ws/mirrors/gate.ts"
import { ERRORS } from "../../../src/ws/protocol/error-codes.ts"
import { type Node, nodesInMemory } from "../../kit/cable/nodes.ts"

const IP = "203.0.113.7"
const SPEAKER = "session-alice" as SessionId
const principal = (permissions: Principal["permissions"]): Principal => ({
  userId: "alice" as UserId,
  sessionId: SPEAKER,
  tenantId: "default" as TenantId,
  permissions,
  environments: ["PROD"],
  provenAt: 0,
  secondFactor: "none",
  isAdminWithheld: false,
  key: null,
})
const done: RpcAnswer = { envelope: `"done"`, failure: null }
const busy: RpcAnswer = { envelope: `"busy"`, failure: null }
const unknown: RpcAnswer = { envelope: `"unknown"`, failure: null }

/** What is stored, whichever process owns it. */
interface Stored {
  permissions: Principal["permissions"]
  isRefused: boolean
}

describe("the gate of edges", () => {
  let nodes: ReturnType<typeof nodesInMemory>
  let stored: Stored
  let holdsBack: string | undefined
  let isLeased: boolean
  const calls: Array<string> = []
  beforeEach(() => {
    nodes = nodesInMemory()
    stored = { permissions: ["read"], isRefused: false }
    holdsBack = undefined
    isLeased = true
    calls.length = 0
  })

  const owner = async (term: number) => {
    const node = await nodes.node()
    const renewers: Array<(speaker: SessionId) => void> = []
    const credentials: Credentials = {
      user: "alice",
      get principal() {
        return principal(stored.permissions)
      },
      expiresAt: null,
      info: null,
      channels: [],
    }
    const identified: Array<string> = []
    const authority: Authority = {
      identify: (_token, { ip }) => {
        identified.push(ip)
        return stored.isRefused ? "forbidden" : credentials
      },
      isWelcome: () => !stored.isRefused,
      access: ({ principal: who }, { channel }) =>
        who?.permissions.includes("read") === true
          ? { _tag: "Granted", served: { canonical: channel } as Served, expiresAt: null, info: null }
          : { _tag: "Denied", error: ERRORS.permissionDenied },
      refreshSubscription: () => ({ expiresAt: null }),
    }
    const gate = new Gate({
      cable: node.cable,
      authority,
      rpc: ({ method, deadline = 0 }, answer) => {
        calls.push(method)
        if (method.startsWith("stuck") && term === 1) return
        // The venue says nothing: it ends by its deadline.
        if (method === "slow") nodes.time.after(deadline - 150 - node.now(), () => answer(busy))
        else answer(done)
      },
      mayAct: () => isLeased,
      holdsBack: () => (term === 1 ? holdsBack : undefined),
      onSpeakerEnded: () => {},
      onSpeakerRenewed: (listener) => void renewers.push(listener),
      onOperatorGone: () => {},
      monotonic: node.now,
      after: nodes.time.after,
    })
    gate.begin(term)
    return {
      node,
      identified,
      peer: node.peer(term),
      renew: () => {
        for (const renewed of renewers) renewed(SPEAKER)
      },
    }
  }

  const edge = async () => {
    const node: Node = await nodes.node()
    const listeners: Array<() => void> = []
    let home: Peer | undefined
    const seats = new Set([IP])
    const gate = new EdgeGate({
      cable: node.cable,
      owner: () => home,
      onOwner: (listener) => void listeners.push(listener),
      servedOf: (canonical) => ({ canonical }) as Served,
      speakers: () => [...seats].map((ip) => ({ speaker: SPEAKER, ip })),
      isRead: (method) => method.endsWith(".get"),
      refusals: { busy: () => busy, unknown: () => unknown },
      monotonic: node.now,
      after: nodes.time.after,
    })
    const { authority } = gate
    let found: Credentials | undefined
    const identify = (ip = IP): Credentials => {
      const from = { ip }
      const first = authority.identify("t", from)
      if (typeof first === "string" || !("unseen" in first)) throw new Error("nothing was asked")
      first.learn(() => {
        const again = authority.identify("t", from)
        if (typeof again !== "string" && !("unseen" in again)) found = again
      })
      nodes.time.pass(200)
      return found!
    }
    return {
      gate,
      /** Where its sockets come from. */
      seats,
      inbox: node.peer(0).inbox,
      knows: (peer: Peer | undefined) => {
        home = peer
        for (const listener of listeners) listener()
      },
      identify,
      /** Of a channel: whether it may be read, once it is known. */
      access: (credentials: Credentials, channel: string) => {
        const asked: { tag: string } = { tag: "" }
        const request = { channel, type: 0, token: "", client: "" }
        const look = (): void => {
          const access = authority.access(credentials, request)
          asked.tag = access._tag
          if (access._tag === "Later") access.learn((known) => (known ? look() : undefined))
        }
        look()
        return asked
      },
    }
  }

  it("grants nothing by an answer of before the rights were changed, though it comes after the word of the change", async () => {
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
      stored.permissions = ["read"]
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
        stored.permissions = []
        home.renew()
      })
      nodes.time.pass(600)
      expect([slow, asked.tag, reviewed.at(-1)?.tag]).toEqual([slow, "Denied", "Denied"])
    }
  })

  it("learns at the next owner what was changed at the one before, though another edge has asked there first", async () => {
    const first = await owner(1)
    const [here, there] = [await edge(), await edge()]
    nodes.time.pass(1_000)
    for (const each of [here, there]) each.knows(first.peer)
    const alice = here.identify()
    there.identify()
    let renewals = 0
    here.gate.onRenewed(() => renewals++)
    nodes.broker.fate = (subject) => (subject.endsWith(".gate") ? [] : [0.1])
    stored.permissions = []
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

  it("gives a call the time that its client has left, and begins none with too little", async () => {
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
    const [home, here] = [await owner(1), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const principal = here.identify().principal!
    const answers: Array<unknown> = []
    const call = (method: string): void => {
      const request = { method, data: {}, isMalformed: false, principal, ip: IP }
      here.gate.rpc(request, (answer) => answers.push(answer))
    }
    holdsBack = "crowded"
    call("order")
    nodes.time.pass(1_000)
    expect([calls, answers]).toEqual([[], []])
    holdsBack = undefined
    nodes.time.pass(200)
    expect([calls, answers]).toEqual([["order"], [done]])
    holdsBack = "leaving"
    call("next")
    nodes.time.pass(1_000)
    expect(calls).toEqual(["order"])
    const next = await owner(2)
    nodes.time.pass(1_000)
    here.knows(next.peer)
    nodes.time.pass(1_000)
    expect([calls, answers]).toEqual([
      ["order", "next"],
      [done, done],
    ])
  })

  it("has nothing judged and nothing done by an owner whose lease is over: it waits until that is renewed", async () => {
    const [home, here] = [await owner(1), await edge()]
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const alice = here.identify()
    const answers: Array<unknown> = []
    isLeased = false
    const request = { method: "order", data: {}, isMalformed: false, principal: alice.principal!, ip: IP }
    here.gate.rpc(request, (answer) => answers.push(answer))
    const asked = here.access(alice, "private")
    nodes.time.pass(1_000)
    expect([calls, answers, asked.tag]).toEqual([[], [], "Later"])
    isLeased = true
    nodes.time.pass(1_000)
    expect([calls, answers, asked.tag]).toEqual([["order"], [done], "Granted"])
  })

  it("does no call from an address that its speaker may not come from any more, though the word of it is lost", async () => {
    const home = await owner(1)
    const here = await edge()
    nodes.time.pass(1_000)
    here.knows(home.peer)
    const alice = here.identify()
    nodes.broker.fate = (subject) => (subject.endsWith(".gate") ? [] : [0.1])
    stored.isRefused = true
    home.renew()
    const answers: Array<unknown> = []
    const request = { method: "order", data: {}, isMalformed: false, principal: alice.principal!, ip: IP }
    here.gate.rpc(request, (answer) => answers.push(answer))
    nodes.time.pass(6_000)
    expect([calls, answers]).toEqual([[], [busy]])
    expect(here.gate.authority.isWelcome?.(alice, { ip: IP })).toBe(false)
  })

  it("says of a call that it is unknown 250 ms after a later owner was heard, and asks that one for what changes nothing", async () => {
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
    holdsBack = "leaving"
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

  it("forgets where a speaker came from once no socket of it is from there", async () => {
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
