/** Many who come back at once to an owner that has just begun: its memory is empty, and what they missed is in its storage, which takes its time. */
import { beforeEach, describe, expect, it } from "vitest"
import { TestReader } from "../../kit/cable/mirror-reader.ts"
import { ACCOUNT, TestEdge, TestOwner } from "../../kit/cable/mirror-world.ts"
import { nodesInMemory } from "../../kit/cable/nodes.ts"

const READERS = 25

describe("after the owner has changed", () => {
  let nodes: ReturnType<typeof nodesInMemory>
  let next: TestOwner
  let edges: ReadonlyArray<TestEdge>
  /** Without a mirror yet. */
  let fresh: ReadonlyArray<TestEdge>
  let readers: ReadonlyArray<TestReader>

  /** All have the first event; forty more are stored, which no one hears of. */
  beforeEach(async () => {
    nodes = nodesInMemory()
    const { time, broker } = nodes
    const journal = { rows: [] }
    const before = new TestOwner(await nodes.node(), time, journal)
    next = new TestOwner(await nodes.node(), time, journal)
    edges = [new TestEdge(await nodes.node(), time), new TestEdge(await nodes.node(), time)]
    fresh = [new TestEdge(await nodes.node(), time), new TestEdge(await nodes.node(), time)]
    before.begin(1)
    time.pass(1_000)
    for (const edge of edges) edge.knows(before.peer())
    readers = edges.flatMap((edge) => Array.from({ length: READERS }, () => new TestReader(ACCOUNT, edge, time.after)))
    for (const reader of readers) reader.subscribe()
    before.publish(ACCOUNT)
    time.pass(10)
    broker.fate = (subject) => (subject.includes(".word.") ? [] : [0.1])
    for (let i = 0; i < 40; i++) before.publish(ACCOUNT)
    time.pass(5)
    broker.fate = () => [0.1]
    next.begin(2)
  })

  const isWhole = (): void => {
    const { epoch, offset } = next.at[ACCOUNT]
    for (const { faults, position, told, isSubscribed } of readers)
      expect([faults, position, told, isSubscribed]).toEqual([[], { epoch, offset }, 0, true])
  }

  it("mirrors have what they missed, though to read it takes longer than an ask", () => {
    next.readMillis = 2_500
    for (const edge of edges) edge.knows(next.peer())
    nodes.time.pass(8_000)
    isWhole()
    expect(next.reads).toBe(1)
  })

  it("readers have what they missed by one reading for all of them, at edges that have just begun as well", () => {
    next.readMillis = 100
    for (const edge of fresh) edge.knows(next.peer())
    for (const [index, reader] of readers.entries()) reader.cut(fresh[index % 2]!)
    nodes.time.pass(2_000)
    isWhole()
    expect(next.reads).toBe(1)
  })
})
