/** Readers at two edges of channels of two owners, over a cable in memory that loses, delays, repeats and reorders, with a broker and owners that come and go: one run for each seed. */
import { seededRandom } from "../../exchanges/binance/replay/synthetic.ts"
import { TestReader } from "./mirror-reader.ts"
import { ACCOUNT, BARS, BOOK, type TestChannel, TestEdge, TestOwner, TICKER, TRADES } from "./mirror-world.ts"
import { nodesInMemory } from "./nodes.ts"

const CHANNELS: ReadonlyArray<TestChannel> = [ACCOUNT, BOOK, TRADES, BARS, TICKER]
const STEPS = 600

export const runMirrors = async (seed: number, spoil: (edge: TestEdge) => void = () => undefined) => {
  const random = seededRandom(seed)
  const between = (from: number, to: number): number => from + random() * (to - from)
  const one = <A>(of: ReadonlyArray<A>): A => of[Math.floor(random() * of.length)]!
  const nodes = nodesInMemory()
  const { time, broker } = nodes
  const journal = { rows: [] }
  const owners = [new TestOwner(await nodes.node(), time, journal), new TestOwner(await nodes.node(), time, journal)]
  const edges = [new TestEdge(await nodes.node(), time), new TestEdge(await nodes.node(), time)]
  for (const edge of edges) spoil(edge)
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
  const faults = nodes.defects.map(String)
  for (const { channel, faults: found, position, seen, isStale } of readers) {
    const { epoch, offset } = owner.at[channel]
    const where = `${channel}: ${seen.slice(-8).join(", ")}`
    for (const fault of found) faults.push(`${fault}; ${where}`)
    if (position?.epoch !== epoch || position.offset !== offset) faults.push(`not at ${epoch} ${offset}; ${where}`)
    if (isStale) faults.push(`still not of now; ${where}`)
  }
  const sum = (of: (reader: TestReader) => number): number => readers.reduce((total, it) => total + of(it), 0)
  return {
    faults,
    sums: {
      recovered: sum(({ recovered }) => recovered),
      startedOver: sum(({ startedOver }) => startedOver),
      told: sum(({ told }) => told),
      repairs: edges.reduce((total, { mirrors }) => total + mirrors.stats().repairs, 0),
    },
  }
}
