/**
 * Channels of one process read at others, over a cable that loses, delays, repeats and reorders, with a broker and owners that come and go: each reader gets one publication
 * after the other or is told to start over, and in the end all have the newest.
 */
import { describe, expect, it } from "vitest"
import { seededRandom } from "../../exchanges/binance/replay/synthetic.ts"
import { TestReader } from "../../kit/cable/mirror-reader.ts"
import {
  ACCOUNT,
  BARS,
  BOOK,
  type TestChannel,
  TestEdge,
  TestOwner,
  TICKER,
  TRADES,
} from "../../kit/cable/mirror-world.ts"
import { nodesInMemory } from "../../kit/cable/nodes.ts"

const CHANNELS: ReadonlyArray<TestChannel> = [ACCOUNT, BOOK, TRADES, BARS, TICKER]
const SEEDS = 10
const STEPS = 600

const run = async (seed: number) => {
  const random = seededRandom(seed)
  const between = (from: number, to: number): number => from + random() * (to - from)
  const one = <A>(of: ReadonlyArray<A>): A => of[Math.floor(random() * of.length)]!
  const nodes = nodesInMemory()
  const { time, broker } = nodes
  const journal = { rows: [] }
  const owners = [new TestOwner(await nodes.node(), time, journal), new TestOwner(await nodes.node(), time, journal)]
  const edges = [new TestEdge(await nodes.node(), time), new TestEdge(await nodes.node(), time)]
  let term = 1
  let owner = owners[0]!
  const announce = (to: TestEdge, within: number): void => {
    const peer = owner.peer()
    time.after(between(0, within), () => to.knows(peer))
  }
  owner.begin(term)
  for (const edge of edges) announce(edge, 0)
  time.pass(1_000)
  broker.fate = () => {
    const luck = random()
    const delay = (): number => (random() < 0.95 ? between(0.05, 3) : between(3, 300))
    if (luck < 0.05) return []
    return luck < 0.95 ? [delay()] : [delay(), delay()]
  }
  const readers = Array.from({ length: 15 }, (_, i) => new TestReader(CHANNELS[i % 5]!, one(edges), time.after))
  for (const reader of readers) reader.subscribe()
  const change = (): void => {
    owner.publisher.end()
    for (const edge of edges) if (random() < 0.5) edge.knows(undefined)
    owner = owners[(owners.indexOf(owner) + 1) % 2]!
    owner.begin(++term)
    // The latest told is the last to be known.
    const peer = owner.peer()
    for (const edge of edges) time.after(between(0, 400), () => peer.term === term && edge.knows(peer))
  }
  for (let i = 0; i < STEPS; i++) {
    for (let n = Math.floor(between(0, 4)); n > 0; n--) owner.publish(one(CHANNELS))
    if (random() < 0.7) time.pass(between(0, 60))
    const luck = random()
    if (luck < 0.004) change()
    else if (luck < 0.008) {
      broker.stop()
      time.pass(between(1, random() < 0.1 ? 8_000 : 500))
      broker.start()
    } else if (luck < 0.012) {
      broker.freeze()
      time.pass(between(1, 2_000))
      broker.thaw()
    } else if (luck < 0.016) owner.breakOff(one([BOOK, TRADES, BARS, TICKER]))
    else if (luck < 0.08) one(readers).cut(one(edges))
  }
  broker.fate = () => [0.1]
  time.pass(20_000)
  return { owner, owners, edges, readers, defects: nodes.defects, seed }
}

describe("mirrors under faults", () => {
  it("each reader gets one publication after the other or is told, and all have the newest in the end", async () => {
    const sums = { recovered: 0, startedOver: 0, told: 0, repairs: 0 }
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { owner, edges, readers, defects } = await run(seed)
      expect(defects).toEqual([])
      for (const reader of readers) {
        const { channel, faults, position, seen, recovered, startedOver, told, isStale } = reader
        const where = `seed ${seed}, ${channel}: ${seen.slice(-8).join(", ")}`
        const { epoch, offset } = owner.at[channel]
        expect([where, faults, position, isStale]).toEqual([where, [], { epoch, offset }, false])
        sums.recovered += recovered
        sums.startedOver += startedOver
        sums.told += told
      }
      for (const edge of edges) sums.repairs += edge.mirrors.stats().repairs
    }
    // None of the ways is left out.
    for (const [way, count] of Object.entries(sums)) expect([way, count > 100]).toEqual([way, true])
  })
})
