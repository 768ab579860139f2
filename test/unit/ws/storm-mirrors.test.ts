/** Many who come back at once: to an owner that has just begun, whose memory is empty, or to an edge; and what they do whose answers fail. */
import { beforeEach, describe, expect, it } from "vitest"
import type { Ask, AskOutcome } from "../../../src/ports/cable.ts"
import type { ChannelSource, StoredPublication } from "../../../src/ports/channel-port.ts"
import { PATIENCE_MILLIS } from "../../../src/ws/fanout/recovery.ts"
import { Replays } from "../../../src/ws/fanout/replays.ts"
import { TestReader } from "../../kit/cable/mirror-reader.ts"
import { ACCOUNT, BOOK, TestEdge, TestOwner } from "../../kit/cable/mirror-world.ts"
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

describe("many at an edge that opens the channel for all of them", () => {
  /** Of one edge and its owner, with readers who wait for one answer; each goes on in a turn of its own. */
  const crowd = async (channel: typeof ACCOUNT | typeof BOOK) => {
    const nodes = nodesInMemory()
    const { time } = nodes
    nodes.broker.fate = () => [0.1]
    const owner = new TestOwner(await nodes.node(), time, { rows: [] })
    const edge = new TestEdge(await nodes.node(), time)
    owner.begin(1)
    time.pass(1_000)
    owner.publish(channel)
    const turns: Array<() => void> = []
    const inTurn = (work: () => void): void => void turns.push(work)
    const readers = Array.from({ length: READERS }, () => new TestReader(channel, edge, time.after, inTurn))
    edge.knows(owner.peer())
    for (const reader of readers) reader.subscribe()
    time.pass(10)
    const begun = (): number => readers.filter(({ isSubscribed }) => isSubscribed).length
    const oneTurn = (): void => turns.shift()?.()
    const whole = (): void => {
      const { epoch, offset } = owner.at[channel]
      for (const { faults, position, told } of readers)
        expect([faults, position, told]).toEqual([[], { epoch, offset }, 0])
    }
    const refused = (): number => readers.reduce((sum, reader) => sum + reader.refused, 0)
    return { time, owner, edge, turns, begun, oneTurn, whole, refused }
  }

  it("begin in turns, with what was published since", async () => {
    const { time, owner, begun, turns, oneTurn, whole } = await crowd(ACCOUNT)
    expect([begun(), turns.length]).toEqual([0, READERS])
    for (let n = 1; n <= READERS; n++) {
      oneTurn()
      expect(begun()).toBe(n)
      owner.publish(ACCOUNT)
      time.pass(10)
    }
    whole()
  })

  it("have one time for all that they wait for, however often that is, and ask again then", async () => {
    const { time, edge, turns, begun, oneTurn, refused } = await crowd(ACCOUNT)
    // Their turns come late, and then nothing is known of the owner again.
    time.pass(3_000)
    edge.knows(undefined)
    while (turns.length > 0) oneTurn()
    expect([begun(), refused()]).toEqual([0, 0])
    time.pass(1_100)
    expect([begun(), refused()]).toEqual([0, READERS])
  })

  it("wait again where it is in doubt by then, and begin with the snapshot of a book that is of now", async () => {
    const { time, owner, edge, begun, turns, oneTurn, whole } = await crowd(BOOK)
    while (turns.length > READERS / 2) oneTurn()
    edge.knows(undefined)
    const before = begun()
    while (turns.length > 0) oneTurn()
    expect(begun()).toBe(before)
    owner.publish(BOOK)
    edge.knows(owner.peer())
    time.pass(1_000)
    while (turns.length > 0) {
      oneTurn()
      owner.publish(BOOK)
      time.pass(10)
    }
    time.pass(1_000)
    expect(begun()).toBe(READERS)
    whole()
  })
})

describe("an owner whose words cannot be read", () => {
  /** Its answers to asks of that name come spoilt while it is said. */
  const spoiling = async (head: string) => {
    const nodes = nodesInMemory()
    const { time } = nodes
    nodes.broker.fate = () => [0.1]
    const owner = new TestOwner(await nodes.node(), time, { rows: [] })
    const node = await nodes.node()
    const spoilt = { now: true }
    const ask = (one: Ask): void => {
      const done = (outcome: AskOutcome): void =>
        one.done(
          outcome._tag === "Answered" && spoilt.now && one.head === head
            ? { ...outcome, head: "{", payload: Buffer.from("1 {\n{") }
            : outcome,
        )
      node.cable.ask({ ...one, done })
    }
    const cable = Object.assign(Object.create(node.cable) as typeof node.cable, { ask })
    const edge = new TestEdge({ ...node, cable }, time)
    owner.begin(1)
    time.pass(1_000)
    edge.knows(owner.peer())
    const reader = new TestReader(ACCOUNT, edge, time.after)
    return { time, owner, edge, reader, spoilt }
  }

  it("is asked again for a channel until they can", async () => {
    const { time, reader, spoilt } = await spoiling("open")
    reader.subscribe()
    time.pass(2_000)
    expect(reader.isSubscribed).toBe(false)
    spoilt.now = false
    time.pass(1_000)
    expect(reader.isSubscribed).toBe(true)
  })

  it("is taken for one that does not have what was missed, and asked for what others have missed", async () => {
    const { time, owner, edge, reader, spoilt } = await spoiling("fill")
    const other = new TestReader(ACCOUNT, edge, time.after)
    for (const one of [reader, other]) one.subscribe()
    time.pass(100)
    expect([reader.isSubscribed, other.isSubscribed]).toEqual([true, true])
    // Out of the edge's memory.
    const miss = (): void => {
      for (let n = 0; n < 20; n++) owner.publish(ACCOUNT)
      time.pass(100)
    }
    for (const one of [reader, other]) one.leave()
    miss()
    reader.subscribe()
    time.pass(1_000)
    expect([reader.isSubscribed, reader.recovered]).toEqual([true, 0])
    spoilt.now = false
    other.subscribe()
    time.pass(1_000)
    expect([other.isSubscribed, other.recovered]).toEqual([true, 1])
  })
})

type Replay = NonNullable<ChannelSource["replay"]>

const rowsOf = (after: number, upTo: number): ReadonlyArray<StoredPublication> =>
  Array.from({ length: upTo - after }, (_, n) => ({ offset: after + n + 1, json: "{}" }))

const storage = (replay: Replay) => {
  const clock = { now: 0 }
  const source: ChannelSource = {
    opened: () => {},
    closed: () => {},
    position: () => ({ epoch: "e", offset: 9, snapshot: null }),
    replay,
  }
  const replays = new Replays(
    { at: { epoch: "e" }, served: { canonical: "c", source }, since: () => undefined, recollect: () => {} },
    () => clock.now,
  )
  const answers: Array<number | null> = []
  const read = (after: number): void =>
    replays.read(after, 9, clock.now + PATIENCE_MILLIS, (rows) => answers.push(rows?.length ?? null))
  return { clock, read, answers }
}

describe("a reading of storage", () => {
  it("answers who waits for a reading that fails at once, and reads again for the next", () => {
    let calls = 0
    const { read, answers } = storage((_channel, after, upTo, done) => {
      if (calls++ === 0) throw new Error("no storage")
      done(rowsOf(after, upTo))
    })
    expect(() => read(4)).toThrow("no storage")
    expect(answers).toEqual([null])
    read(5)
    expect(answers).toEqual([null, 4])
  })

  it("answers who has waited for a reading that is never answered, where the next one fails", () => {
    let calls = 0
    const { clock, read, answers } = storage(() => {
      if (calls++ > 0) throw new Error("no storage")
    })
    read(4)
    clock.now += 30_000
    expect(() => read(6)).toThrow("no storage")
    expect(answers).toEqual([null, null])
  })

  it("gives up a reading that is not answered for 30 s as the next one comes, and takes no word of it then", () => {
    const readings: Array<() => void> = []
    const { clock, read, answers } = storage((_channel, after, upTo, done) => {
      readings.push(() => done(rowsOf(after, upTo)))
    })
    read(4)
    clock.now += 29_000
    read(5)
    expect([readings.length, answers]).toEqual([1, []])
    clock.now += 1_000
    read(6)
    expect([readings.length, answers]).toEqual([2, [null, null]])
    readings[0]?.()
    expect(answers).toEqual([null, null])
    readings[1]?.()
    expect(answers).toEqual([null, null, 3])
  })
})
