/** What comes to a process all at once: taken a few ms at a time, so that its loop has turns for all else. */
import { expect, it } from "vitest"
import { Cable } from "../../../src/cluster/cable.ts"
import type { AskOutcome } from "../../../src/ports/cable.ts"
import { MemoryBroker } from "../../kit/cable/memory-wire.ts"
import { VirtualTime } from "../../kit/cable/virtual-time.ts"

const ASKS = 300
/** Of one ask, where it is taken. */
const TAKE_MILLIS = 1

it("takes asks for a few ms of a loop turn, and all of them once, in their order, before their deadlines", () => {
  const time = new VirtualTime()
  const broker = new MemoryBroker(time.after)
  let spent = 0
  let turns = 0
  const make = (inbox: string, monotonic: () => number, soon: (work: () => void) => void): Cable => {
    const onDefect = (error: unknown): never => {
      throw error
    }
    const cable = new Cable({ wire: broker.wire(), inbox, prefix: "t", monotonic, soon, after: time.after, onDefect })
    cable.hear("all", () => {})
    time.every(100, () => cable.tell("all", "here"))
    return cable
  }
  const owner = make(
    "owner",
    () => time.monotonic() + spent,
    (work) =>
      time.soon(() => {
        turns++
        work()
      }),
  )
  const edge = make("edge", time.monotonic, time.soon)
  const taken: Array<string> = []
  const byTurn = new Map<number, number>()
  const answered: Array<string> = []
  owner.serve("prompt", {
    term: 1,
    take: ({ head, answer }) => {
      answered.push(`${head} after ${taken.length}`)
      answer(head, "")
      return undefined
    },
  })
  owner.serve("echo", {
    term: 1,
    isInTurns: true,
    take: ({ head, answer }) => {
      taken.push(head)
      byTurn.set(turns, (byTurn.get(turns) ?? 0) + 1)
      spent += TAKE_MILLIS
      answer(head, "")
      return undefined
    },
  })
  time.pass(200)
  const outcomes: Array<AskOutcome> = []
  const heads = Array.from({ length: ASKS }, (_, i) => `${i}`)
  const ask = (head: string, service = "echo"): void =>
    edge.ask({
      to: { inbox: "owner", term: 1 },
      service,
      head,
      payload: "",
      deadline: time.monotonic() + 5_000,
      done: (outcome) => outcomes.push(outcome),
    })
  for (const head of heads) ask(head)
  ask("another", "prompt")
  time.pass(100)
  expect(taken).toEqual(heads)
  expect(outcomes.map(({ _tag }) => _tag)).toEqual([...heads, "another"].map(() => "Answered"))
  expect(answered).toEqual(["another after 0"])
  expect(Math.max(...byTurn.values())).toBeLessThanOrEqual(5)
})
