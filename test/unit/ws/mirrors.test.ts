/** Mirrors of an owner's channels in memory, by a clock that is turned by hand: what is told, what is asked, and when readers are told to start over. */
import { beforeEach, describe, expect, it } from "vitest"
import { parseChannel } from "../../../src/domain/channel.ts"
import { Maps } from "../../../src/ws/maps/maps.ts"
import { publishedTexts, readWord } from "../../../src/ws/mirrors/words.ts"
import { TestReader } from "../../kit/cable/mirror-reader.ts"
import {
  ACCOUNT,
  BARS,
  BOOK,
  kinds,
  type TestChannel,
  TestEdge,
  TestOwner,
  TICKER,
  TRADES,
} from "../../kit/cable/mirror-world.ts"
import { nodesInMemory } from "../../kit/cable/nodes.ts"

describe("words", () => {
  it("carry publications as they are, with what is known of them", () => {
    const publications = [
      { epoch: "e 1", offset: 4, json: `{"a":"ä\\n"}` },
      { epoch: "e 1", offset: 5, json: "{}", tags: { kind: "x" }, subject: "MOCK:BTC/USDT", isFinal: true },
      { epoch: "e2", offset: 1, json: "1" },
    ]
    const words = publishedTexts(3, publications).map(readWord)
    expect(words.map(({ term, epoch }) => [term, epoch])).toEqual([
      [3, "e 1"],
      [3, "e2"],
    ])
    expect(words.flatMap((word) => (word._tag === "Published" ? word.publications : []))).toEqual(publications)
  })

  it("say of what is too long only that it is there, and of much as many as it takes", () => {
    const of = (offset: number, length: number) => ({ epoch: "e", offset, json: `"${"x".repeat(length)}"` })
    const texts = publishedTexts(3, [of(1, 10), of(2, 200_000), of(3, 100_000), of(4, 100_000)])
    expect(texts.map((text) => readWord(text)._tag)).toEqual(["Published", "Behind", "Published", "Published"])
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(140_000)
  })
})

describe("mirrors", () => {
  let nodes: ReturnType<typeof nodesInMemory>
  let owner: TestOwner
  let edges: ReadonlyArray<TestEdge>
  beforeEach(async () => {
    nodes = nodesInMemory()
    const { time } = nodes
    owner = new TestOwner(await nodes.node(), time, { rows: [] })
    edges = [new TestEdge(await nodes.node(), time), new TestEdge(await nodes.node(), time)]
    owner.begin(1)
    time.pass(1_000)
    for (const edge of edges) edge.knows(owner.peer())
  })
  const reader = (channel: TestChannel, edge = edges[0]!): TestReader => {
    const made = new TestReader(channel, edge, nodes.time.after)
    made.subscribe()
    nodes.time.pass(5)
    expect(made.isSubscribed).toBe(true)
    return made
  }
  const word = (subject: string): boolean => subject.includes(".word.")
  const isUpToDate = (...readers: ReadonlyArray<TestReader>): void => {
    for (const { faults, position, channel } of readers) {
      const { epoch, offset } = owner.at[channel]
      expect([faults, position]).toEqual([[], { epoch, offset }])
    }
  }

  it("are told of each turn once, however many readers there are, and nothing of channels without one", () => {
    const readers = [reader(TRADES), reader(TRADES), reader(TRADES), reader(TRADES, edges[1])]
    let words = 0
    nodes.broker.fate = (subject) => {
      if (word(subject)) words++
      return [0.1]
    }
    for (let i = 0; i < 10; i++) {
      owner.publish(TRADES)
      owner.publish(BOOK)
    }
    nodes.time.pass(5)
    expect(words).toBe(1)
    isUpToDate(...readers)
  })

  it("find out within a second that the last word was lost", () => {
    const readers = ([ACCOUNT, BOOK, TRADES] as const).map((channel) => reader(channel))
    nodes.broker.fate = (subject) => (word(subject) ? [] : [0.1])
    for (const channel of [ACCOUNT, BOOK, TRADES] as const) owner.publish(channel)
    nodes.time.pass(1_100)
    isUpToDate(...readers)
    expect(readers.map(({ told }) => told)).toEqual([0, 0, 0])
  })

  it("find out within a second that an account has more than was published, though nothing follows", () => {
    const readers = [reader(ACCOUNT), reader(ACCOUNT, edges[1])]
    owner.publish(ACCOUNT)
    nodes.time.pass(10)
    isUpToDate(...readers)
    // As where the account's actor begins anew: it was stored in the life before, which did not come to tell it.
    owner.store(ACCOUNT)
    nodes.time.pass(2_000)
    isUpToDate(...readers)
  })

  it("let who is there wait 100 ms at most for the sake of a newcomer whom the owner does not answer", () => {
    const there = reader(BOOK)
    owner.publish(BOOK)
    nodes.time.pass(10)
    isUpToDate(there)
    // Market data goes on meanwhile.
    owner.isLeased = false
    const newcomer = new TestReader(BOOK, edges[0]!, nodes.time.after)
    newcomer.subscribe()
    nodes.time.pass(5)
    owner.publish(BOOK)
    nodes.time.pass(150)
    isUpToDate(there)
    expect(newcomer.isSubscribed).toBe(false)
    owner.isLeased = true
    nodes.time.pass(1_000)
    isUpToDate(there, newcomer)
  })

  it("ask for what is too long to be told", () => {
    const readers = [reader(TRADES), reader(TRADES, edges[1])]
    owner.publish(TRADES, "x".repeat(900_000))
    owner.publish(TRADES)
    nodes.time.pass(20)
    isUpToDate(...readers)
    expect(readers.map(({ told }) => told)).toEqual([0, 0])
  })

  it("tell readers to start over when what was lost is not there any more", () => {
    const readers = [reader(TRADES), reader(BARS), reader(ACCOUNT)]
    nodes.broker.fate = (subject) => (word(subject) ? [] : [0.1])
    for (let i = 0; i < 30; i++) for (const channel of [TRADES, BARS, ACCOUNT] as const) owner.publish(channel)
    nodes.time.pass(5)
    nodes.broker.fate = () => [0.1]
    nodes.time.pass(2_000)
    isUpToDate(...readers)
    expect(readers.map(({ told }) => told)).toEqual([1, 1, 0])
  })

  it("hold a feed open for as long as there is interest, and 30 s longer", () => {
    const one = reader(TRADES)
    nodes.time.pass(60_000)
    expect(owner.calls).toEqual([`opened ${TRADES}`])
    one.cut(edges[1]!)
    nodes.time.pass(60_000)
    expect(owner.calls).toEqual([`opened ${TRADES}`])
    one.cut(edges[1]!)
    nodes.time.pass(1)
    for (const edge of edges) edge.knows(undefined)
    nodes.time.pass(60_000)
    expect(owner.calls).toEqual([`opened ${TRADES}`, `closed ${TRADES}`])
    expect(owner.publisher.size).toBe(0)
  })

  it("tell readers after 5 s without a word of the owner, who come back when it does", () => {
    const one = reader(TRADES)
    nodes.broker.stop()
    nodes.time.pass(4_000)
    expect(one.told).toBe(0)
    nodes.time.pass(3_000)
    expect([one.told, one.isSubscribed]).toEqual([1, false])
    owner.publish(TRADES)
    nodes.broker.start()
    nodes.time.pass(3_000)
    isUpToDate(one)
    expect([one.told, one.isSubscribed, one.startedOver]).toEqual([1, true, 0])
  })

  describe("while nothing is heard of the owner", () => {
    const away = (): void => edges[0]!.knows(undefined)
    const back = (): void => edges[0]!.knows(owner.peer())

    it("tell readers of books and tickers so, have newcomers wait, and take it back without a number of their own", () => {
      const readers = [reader(BOOK), reader(TICKER), reader(TRADES)]
      for (const channel of [BOOK, TICKER, TRADES] as const) owner.publish(channel)
      nodes.time.pass(5)
      const [book, ticker, trades] = readers
      expect(readers.map(({ isStale }) => isStale)).toEqual([false, false, false])
      away()
      nodes.time.pass(300)
      expect(readers.map(({ isStale }) => isStale)).toEqual([true, true, false])
      const newcomer = new TestReader(BOOK, edges[0]!, nodes.time.after)
      newcomer.subscribe()
      // Of these no more than that they are not of now can be told, however long it takes.
      nodes.time.pass(10_000)
      expect([book!.told, ticker!.told, trades!.told, newcomer.isSubscribed]).toEqual([0, 0, 1, false])
      back()
      nodes.time.pass(1_000)
      expect([...readers, newcomer].map((it) => [it.isStale, it.isSubscribed])).toEqual(
        Array.from({ length: 4 }, () => [false, true]),
      )
      isUpToDate(...readers, newcomer)
      expect([book!.told, ticker!.told]).toEqual([0, 0])
    })

    it("tell it once, and go on with what was missed", () => {
      const one = reader(BOOK)
      owner.publish(BOOK)
      nodes.time.pass(5)
      nodes.broker.fate = (subject) => (word(subject) ? [] : [0.1])
      away()
      nodes.time.pass(3_000)
      owner.publish(BOOK)
      nodes.broker.fate = () => [0.1]
      back()
      nodes.time.pass(1_000)
      isUpToDate(one)
      expect([one.isStale, one.told]).toEqual([false, 0])
      expect(one.seen.slice(-3)).toEqual(["term 1 1", "stale", "term 1 2"])
    })

    it("tell it of the book's map as well", () => {
      const { hub } = edges[0]!
      const map = new Maps(hub, kinds).of(parseChannel(BOOK)!)!
      hub.open(map)
      owner.publish(BOOK)
      nodes.time.pass(5)
      const entry = (): unknown =>
        map
          .map!.entries.page(0, 1_000, 10, () => true)
          .entries.flatMap(({ key, json }) => (key === "book" ? [JSON.parse(json)] : []))
      expect(entry()).toEqual([{ sequence: 1, quality: "SYNCED" }])
      away()
      nodes.time.pass(300)
      expect(entry()).toEqual([{ sequence: 1, quality: "STALE" }])
      back()
      nodes.time.pass(100)
      expect(entry()).toEqual([{ sequence: 1, quality: "SYNCED" }])
    })
  })

  it("take nothing from an owner that has lost the database and does not know it yet", async () => {
    const one = reader(ACCOUNT)
    const before = owner
    owner = new TestOwner(await nodes.node(), nodes.time, { rows: [] })
    owner.begin(2)
    nodes.time.pass(1_000)
    edges[0]!.knows(owner.peer())
    nodes.time.pass(100)
    before.publish(ACCOUNT)
    nodes.time.pass(100)
    expect(one.position?.offset).toBe(0)
    owner.publish(ACCOUNT)
    nodes.time.pass(100)
    isUpToDate(one)
  })

  it("are answered nothing by an owner whose lease is over, and begin when that is renewed", () => {
    owner.isLeased = false
    const one = new TestReader(TRADES, edges[0]!, nodes.time.after)
    one.subscribe()
    nodes.time.pass(1_000)
    expect(one.isSubscribed).toBe(false)
    owner.isLeased = true
    nodes.time.pass(1_000)
    expect(one.isSubscribed).toBe(true)
    owner.publish(TRADES)
    nodes.time.pass(5)
    isUpToDate(one)
  })

  it("go on at another owner: accounts where they were, markets in a new epoch", async () => {
    const readers = [reader(ACCOUNT), reader(TRADES), reader(BOOK)]
    owner.publish(ACCOUNT)
    nodes.time.pass(5)
    owner.publisher.end()
    const next = new TestOwner(await nodes.node(), nodes.time, owner.journal)
    next.begin(2)
    nodes.time.pass(1_000)
    owner = next
    for (const channel of [ACCOUNT, TRADES, BOOK] as const) owner.publish(channel)
    edges[0]!.knows(owner.peer())
    nodes.time.pass(100)
    isUpToDate(...readers)
    expect(readers.map(({ told }) => told)).toEqual([0, 1, 1])
  })
})
