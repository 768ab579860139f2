/** The cable's contract, held against the memory of the simulation and a real broker alike. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Asked } from "../../../src/ports/cable.ts"
import { askOf, echo, type Node, type Nodes, nodesInMemory, nodesOverNats, type Told } from "../../kit/cable/nodes.ts"
import { natsMissing } from "../../kit/servers/nats.ts"

const worlds: ReadonlyArray<readonly [string, () => Promise<Nodes>, skip: boolean]> = [
  ["memory", async () => nodesInMemory(), false],
  [natsMissing === null ? "NATS" : `NATS (${natsMissing})`, nodesOverNats, natsMissing !== null],
]

describe.each(worlds)("the cable over %s", (_name, open, skip) => {
  let nodes: Nodes
  const alive: Array<Node> = []
  const node = async (): Promise<Node> => {
    const made = await nodes.node()
    alive.push(made)
    return made
  }
  beforeAll(async () => {
    if (!skip) nodes = await open()
  })
  afterEach(async () => {
    for (const one of alive.splice(0)) await one.kill()
    expect(nodes?.defects.splice(0) ?? []).toEqual([])
  })
  afterAll(async () => nodes?.close())

  /** `a` has heard of `b`, which takes nothing yet. */
  const knows = async (a: Node, b: Node): Promise<void> => {
    const asks: Array<Told> = []
    await nodes.until(() => {
      asks.push(askOf(a, b.peer(-1), "", 10_000))
      return asks.some(({ outcomes: [it] }) => it?._tag === "NotTaken" && it.reason === "term")
    })
    await nodes.until(() => asks.every(({ outcomes }) => outcomes.length > 0))
  }
  const pair = async (): Promise<readonly [Node, Node]> => {
    const [a, b] = [await node(), await node()]
    await knows(a, b)
    await knows(b, a)
    return [a, b]
  }
  const ended = (told: ReadonlyArray<Told>) => nodes.until(() => told.every(({ outcomes }) => outcomes.length > 0))

  it.skipIf(skip)(
    "carries bytes as they are: of an ask what a body may have, of an answer more than a frame holds",
    async () => {
      const [a, b] = await pair()
      const texts = ["", `{"a":1.10}`, "ä€😀\n", "x".repeat(65_536), "€".repeat(700_000), "{}".repeat(2_000_000)]
      const asked: Array<string> = []
      b.cable.serve("echo", {
        term: 7,
        take: ({ head, payload, answer }: Asked) => {
          asked.push(payload.toString())
          answer(`re ${head}`, texts[Number(head)]!)
          return undefined
        },
      })
      const told = texts.map((text, i) => askOf(a, b.peer(7), `${i}`, 30_000, i < 4 ? text : ""))
      const raw = askOf(a, b.peer(7), "0", 30_000, Uint8Array.of(0xc3, 0xa4))
      await ended([...told, raw])
      for (const [i, { outcomes }] of told.entries()) {
        const [outcome] = outcomes
        expect(outcome).toMatchObject({ _tag: "Answered", head: `re ${i}` })
        expect(outcome?._tag === "Answered" && outcome.payload.toString() === texts[i]).toBe(true)
      }
      expect(asked).toEqual([...texts.slice(0, 4), "", "", "ä"])
    },
  )

  it.skipIf(skip)("gives back what nobody listens to, what is of another term, and what the peer refuses", async () => {
    const [a, b] = await pair()
    const heads: Array<string> = []
    echo(b, 7, heads)
    const other = askOf(a, b.peer(6), "other", 5_000)
    await ended([other])
    expect(other.outcomes).toEqual([{ _tag: "NotTaken", reason: "term" }])
    const stop = b.cable.serve("echo", { term: 7, take: () => "leaving" })
    const refused = askOf(a, b.peer(7), "refused", 5_000)
    await ended([refused])
    expect(refused.outcomes).toEqual([{ _tag: "NotTaken", reason: "leaving" }])
    stop()
    const unserved = askOf(a, b.peer(7), "unserved", 5_000)
    await ended([unserved])
    expect(unserved.outcomes).toEqual([{ _tag: "NotTaken", reason: "term" }])
    await b.kill()
    // The broker notices a moment later: what it still sends there is lost.
    const gone: Array<Told> = []
    await nodes.until(() => {
      gone.push(askOf(a, b.peer(7), "gone", 1_000))
      return gone.some(({ outcomes: [it] }) => it?._tag === "NotTaken" && it.reason === "absent")
    })
    await ended(gone)
    expect(heads).toEqual([])
  })

  it.skipIf(skip)("sends nothing to a process that it has not heard of, and nothing late", async () => {
    const [a, b] = await pair()
    echo(b, 7)
    expect(askOf(a, { inbox: "of-yesterday", term: 7 }, "", 5_000).outcomes).toEqual([
      { _tag: "NotTaken", reason: "unheard" },
    ])
    expect(askOf(a, b.peer(7), "", 0).outcomes).toEqual([{ _tag: "NotTaken", reason: "late" }])
  })

  it.skipIf(skip)("tells news to all that listen for as long as they do, and who says it", async () => {
    const [a, b] = await pair()
    const heard: Array<string> = []
    const stop = b.cable.hear("news", (text, from) => heard.push(`${text} ${from === a.cable.inbox}`))
    await nodes.until(() => {
      a.cable.tell("news", "ä")
      return heard.length > 0
    })
    stop()
    a.cable.tell("news", "later")
    await ended([askOf(a, b.peer(7), "behind it", 5_000)])
    expect([...new Set(heard)]).toEqual(["ä true"])
  })

  it.skipIf(skip)(
    "tells once that there was no answer, at the deadline; what is answered then is not heard",
    async () => {
      const [a, b] = await pair()
      const taken: Array<Asked> = []
      b.cable.serve("echo", { term: 7, take: (asked) => void taken.push(asked) })
      const told = askOf(a, b.peer(7), "slow", 300)
      await ended([told])
      expect(told.outcomes).toEqual([{ _tag: "Unanswered" }])
      taken[0]!.answer("too late", "")
      echo(b, 7)
      const next = askOf(a, b.peer(7), "next", 10_000)
      await ended([next])
      expect([taken.length, told.outcomes.length]).toEqual([1, 1])
    },
  )

  it.skipIf(skip)("answers once, and an ask whose work throws not at all", async () => {
    const [a, b] = await pair()
    b.cable.serve("echo", {
      term: 7,
      take: ({ answer }) => {
        answer("first", "")
        answer("second", "")
        throw new Error("after it")
      },
    })
    const told = askOf(a, b.peer(7), "", 5_000)
    await ended([told])
    expect(told.outcomes).toMatchObject([{ _tag: "Answered", head: "first" }])
    b.cable.serve("echo", {
      term: 7,
      take: () => {
        throw new Error("before it")
      },
    })
    const lost = askOf(a, b.peer(7), "", 300)
    await ended([lost])
    expect(lost.outcomes).toEqual([{ _tag: "Unanswered" }])
    expect(nodes.defects.splice(0)).toHaveLength(2)
  })

  it.skipIf(skip)("runs nothing whose deadline passed at a broker that stood still", async () => {
    const [a, b] = await pair()
    const heads: Array<string> = []
    echo(b, 7, heads)
    await nodes.freezeBroker()
    const told = askOf(a, b.peer(7), "frozen", 200)
    await nodes.pass(400)
    nodes.thawBroker()
    await ended([told])
    expect(told.outcomes[0]).toMatchObject({ _tag: expect.stringMatching("Unanswered|NotTaken") })
    const behind = askOf(a, b.peer(7), "behind it", 10_000)
    await ended([behind])
    expect(heads).toEqual(["behind it"])
  })

  it.skipIf(skip)(
    "gives back what cannot be sent without a broker, and goes on with the next; answers wait for it",
    async () => {
      const [a, b] = await pair()
      const taken: Array<Asked> = []
      b.cable.serve("echo", { term: 7, take: (asked) => void taken.push(asked) })
      const open = askOf(a, b.peer(7), "open", 60_000)
      await nodes.until(() => taken.length === 1)
      await nodes.killBroker()
      await nodes.until(() => !a.cable.isUp() && !b.cable.isUp())
      expect(askOf(a, b.peer(7), "down", 5_000).outcomes).toEqual([{ _tag: "NotTaken", reason: "down" }])
      taken[0]!.answer("kept", "")
      expect(open.outcomes).toEqual([])
      let isBack = false
      a.cable.onUp(() => {
        isBack = true
      })
      await nodes.startBroker()
      await nodes.until(() => isBack)
      await ended([open])
      expect(open.outcomes).toMatchObject([{ _tag: "Answered", head: "kept" }])
      echo(b, 7)
      const tries: Array<Told> = []
      await nodes.until(() => {
        tries.push(askOf(a, b.peer(7), "again", 5_000))
        return tries.some(({ outcomes: [it] }) => it?._tag === "Answered")
      })
      await ended(tries)
      for (const { outcomes } of tries) expect(outcomes).toHaveLength(1)
    },
  )
})

describe("over NATS alone", () => {
  it.skipIf(natsMissing !== null)("gives up a broker that stands still, and comes back when it goes on", async () => {
    const nodes = await nodesOverNats()
    try {
      const a = await nodes.node()
      await nodes.freezeBroker()
      await nodes.until(() => !a.cable.isUp())
      nodes.thawBroker()
      await nodes.until(() => a.cable.isUp())
      await a.kill()
    } finally {
      await nodes.close()
    }
  })
})
