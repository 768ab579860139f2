/** Requests on their way to the node that does them, over a cable in memory and by a clock that is turned by hand. */
import { expect, it } from "vitest"
import { ERRANDS_MAX, Forwarder, PEER_CALLS } from "../../../src/http/forward/forwarder.ts"
import type { TakeAsked } from "../../../src/ports/cable.ts"
import { MeterBoard } from "../../../src/ports/meters.ts"
import { nodesInMemory } from "../../kit/cable/nodes.ts"

/** `next` takes what comes once `turn` was called, by when the other one is asked no more. */
const world = async (take: TakeAsked, next: TakeAsked = take) => {
  const { time, node, broker } = nodesInMemory()
  const [owner, heir, edge] = [await node(), await node(), await node()]
  owner.cable.serve(PEER_CALLS, { term: 1, take })
  heir.cable.serve(PEER_CALLS, { term: 2, take: next })
  let peer = owner.peer(1)
  let heard = (): void => {}
  const home = {
    peer: () => peer,
    onPeer: (listener: () => void) => {
      heard = listener
    },
  }
  const turn = (): void => {
    peer = heir.peer(2)
    heard()
  }
  const { cable, now: monotonic } = edge
  const forwarder = new Forwarder({ cable, home, monotonic, after: time.after, meters: new MeterBoard() })
  time.pass(1_000)
  const pass = (head: string, millis: number, from = "203.0.113.7", isRead = false): { answer: string | undefined } => {
    const one: { answer: string | undefined } = { answer: undefined }
    const passing = forwarder.pass({
      from,
      head,
      body: "",
      isRead,
      deadline: monotonic() + millis,
      isOver: () => false,
      answered: (answer) => {
        one.answer = answer
      },
      unanswered: () => {
        one.answer = "unanswered"
      },
    })
    if (passing === undefined) one.answer = "refused"
    return one
  }
  return { time, pass, turn, broker }
}

it("holds nothing back from a node for the sake of requests that it did not take for what they are", async () => {
  const { time, pass } = await world(({ head, answer }) => {
    if (head !== "plain") return head
    answer("done", "")
    return undefined
  })
  for (const reason of ["late", "unknown"]) {
    // Bodies that come to their end when their time is nearly over, or paths of another version: one client sends them for as long as it likes.
    const answers = Array.from({ length: 20 }, () => {
      pass(reason, 400)
      time.pass(10)
      const plain = pass("plain", 1_000)
      time.pass(10)
      return plain.answer
    })
    expect([reason, new Set(answers)]).toEqual([reason, new Set(["done"])])
  }
})

it("asks no node for what that would call late: that nothing was done is known, though its word would come too late", async () => {
  let asked = 0
  const { time, pass, broker } = await world(() => {
    asked++
    return "late"
  })
  broker.fate = () => [60]
  const late = pass("plain", 100)
  time.pass(1_000)
  expect([asked, late.answer]).toEqual([0, undefined])
})

it("sends nothing more for a moment to a node that takes nothing", async () => {
  let asked = 0
  const { time, pass } = await world(() => {
    asked++
    return "leaving"
  })
  for (let i = 0; i < 20; i++) {
    pass("plain", 1_000)
    time.pass(1)
  }
  expect(asked).toBeLessThan(5)
})

it("asks a node that is crowded for what changes nothing, and for no change for a moment", async () => {
  const asked: Array<string> = []
  const { time, pass } = await world(({ head, answer }) => {
    asked.push(head)
    if (head !== "read") return "crowded"
    answer("done", "")
    return undefined
  })
  const reads = Array.from({ length: 20 }, () => {
    pass("change", 1_000)
    time.pass(2)
    const read = pass("read", 1_000, "203.0.113.7", true)
    time.pass(2)
    return read.answer
  })
  expect(new Set(reads)).toEqual(new Set(["done"]))
  expect(asked.filter((head) => head === "change").length).toBeLessThan(10)
})

it("has room for others, however many requests of one address wait", async () => {
  let isOpen = false
  const { time, pass } = await world(({ answer }) => {
    if (!isOpen) return "leaving"
    answer("done", "")
    return undefined
  })
  const many = Array.from({ length: ERRANDS_MAX }, () => pass("plain", 60_000, "203.0.113.66"))
  const refused = many.filter(({ answer }) => answer === "refused").length
  expect(refused).toBe(ERRANDS_MAX / 2)
  const others = Array.from({ length: 1_000 }, (_, i) => pass("plain", 60_000, `198.51.100.${i % 250}`))
  expect(others.filter(({ answer }) => answer === "refused")).toEqual([])
  isOpen = true
  time.pass(1_000)
  expect(others.every(({ answer }) => answer === "done")).toBe(true)
  // And what has ended is no share of anyone's.
  isOpen = false
  const again = Array.from({ length: ERRANDS_MAX }, () => pass("plain", 1_000, "203.0.113.66"))
  expect(again.filter(({ answer }) => answer === "refused")).toHaveLength(ERRANDS_MAX / 2)
  time.pass(2_000)
  expect(pass("plain", 1_000, "203.0.113.66").answer).toBeUndefined()
})

it("hears the last words of the node before, and asks the next one for what that had not taken", async () => {
  const asked: Array<string> = []
  const { time, pass, turn } = await world(
    ({ head, answer }) => {
      asked.push(`before ${head}`)
      if (head === "refused") return "leaving"
      if (head === "done") answer("by the one before", "")
      return undefined
    },
    ({ head, answer }) => {
      asked.push(`next ${head}`)
      answer("by the next", "")
      return undefined
    },
  )
  const [refused, done, silent] = [pass("refused", 5_000), pass("done", 5_000), pass("silent", 5_000)]
  // Asked, and its words are on their way.
  time.pass(1)
  turn()
  time.pass(200)
  expect([refused.answer, done.answer, silent.answer]).toEqual(["by the next", "by the one before", undefined])
  time.pass(200)
  expect(silent.answer).toBe("unanswered")
  expect(asked).toEqual(["before refused", "before done", "before silent", "next refused"])
})
