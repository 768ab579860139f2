/**
 * A stream of thousands of publications and one reader whose connection is lost again and again, at random bytes: what it got is held
 * against what was published. The seed decides when and how; the timing of the machine does the rest.
 */
import type { ChannelSource } from "../../../src/ports/channel-port.ts"
import { seededRandom } from "../../exchanges/binance/replay/synthetic.ts"
import { type Haproxy, startHaproxy } from "../proxies/haproxy.ts"
import { type LossyProxy, lossyProxy } from "../proxies/lossy-proxy.ts"
import type { Format } from "../readers/raw-socket.ts"
import { bareReader, officialReader, type ReaderJudge } from "../readers/stream-readers.ts"
import { startEdges } from "../servers/socket-edges.ts"
import { startSockets } from "../servers/socket-server.ts"

export interface RecoveryRun {
  readonly reader: "official" | "bare"
  readonly format: Format
  readonly delta: boolean
  /** memory: the server remembers all that can be missed. storage: it remembers little, and reads the rest while publications go on. */
  readonly history: "memory" | "storage"
  readonly publications: number
  readonly cuts: number
  readonly seed: number
  /** So many servers read it from another, over a cable: another one after each cut. 0: there is one server. */
  readonly edges?: number
  /** Of the cable's broker; without it frames go through memory. */
  readonly nats?: string
  /** HAProxy itself stands between the line and the servers, and leads to one of them at a time: to the next one from each cut on. */
  readonly haproxy?: boolean
  readonly progress?: (cut: number, received: number) => void
}

export interface RecoveryFacts {
  readonly published: number
  readonly received: number
  readonly cuts: number
  /** Times that everybody was told to subscribe again (2500). */
  readonly restarts: number
  readonly gaps: number
  readonly duplicates: number
  readonly reorders: number
  /** Values that are not what was published. */
  readonly wrong: number
  readonly recoveries: number
  /** Of these, read from storage. */
  readonly replays: number
  readonly unrecovered: number
  /** Of the cuts: after how many the reader was seen at the server that was next. */
  readonly moves: number
  /** Why the reader gave up; empty when it did not. */
  readonly ended: string
}

/** A publication that differs a little from the one before it, in characters of one to four bytes. */
const valueAt = (n: number) => ({
  n,
  event: `TRADE_ORDER.${["SUBMITTED", "FILLED", "CANCELLED"][n % 3]}`,
  note: `заявка ${"абвгдежзик".at(n % 10)}${"一二三".at(n % 3)}${["💡", "é"].at(n % 2)}`,
  price: (60_000 + (n % 97) / 10).toFixed(1),
  filler: "x".repeat(n % 60),
})

/** More than this ahead of the reader the publisher waits: the history must reach back to it. */
const AHEAD_MAX = 600
const PATIENCE_MILLIS = 90_000

const turn = (): Promise<void> => new Promise((next) => setImmediate(next))
const moment = (millis: number): Promise<void> => new Promise((next) => setTimeout(next, millis))

/** Publications that the server remembers of a stream that is stored. */
const MEMORY_OF_STORED = 20
/** Publications during one reading of storage: what passes meanwhile has to be remembered. */
const PASSING_MAX = 15

/** All that was published, as storage has it; it answers after some turns of the loop, and sometimes later. */
class Storage {
  readonly rows: Array<string> = []
  /** Publications since the oldest reading that still goes on began; 0 when none does. */
  passed = 0
  replays = 0
  private readings = 0

  constructor(private readonly random: () => number) {}

  get isRead(): boolean {
    return this.readings > 0
  }

  add(json: string): void {
    this.rows.push(json)
    if (this.isRead) this.passed++
  }

  readonly replay: NonNullable<ChannelSource["replay"]> = (_channel, after, upTo, done) => {
    const rows = this.rows.slice(after, upTo).map((json, n) => ({ offset: after + n + 1, json }))
    this.readings++
    this.replays++
    setTimeout(
      () => {
        this.readings--
        if (!this.isRead) this.passed = 0
        done(rows)
      },
      Math.floor(this.random() * 6),
    )
  }
}

class Judge implements ReaderJudge {
  received = 0
  last = 0
  gaps = 0
  duplicates = 0
  reorders = 0
  wrong = 0
  recoveries = 0
  unrecovered = 0
  why = ""
  private readonly seen = new Set<number>()
  private subscriptions = 0

  readonly take = (offset: number, value: unknown): void => {
    this.received++
    if (JSON.stringify(value) !== JSON.stringify(valueAt(offset))) this.wrong++
    if (this.seen.has(offset)) this.duplicates++
    else if (offset < this.last) this.reorders++
    else if (offset > this.last + 1) this.gaps++
    this.seen.add(offset)
    this.last = Math.max(this.last, offset)
  }

  readonly subscribed = (wasRecovering: boolean, recovered: boolean): void => {
    this.subscriptions++
    if (wasRecovering && recovered) this.recoveries++
    else if (this.subscriptions > 1) this.unrecovered++
  }

  readonly ended = (why: string): void => {
    this.why ||= why
  }
}

export const runRecovery = async (run: RecoveryRun): Promise<RecoveryFacts> => {
  const random = seededRandom(run.seed)
  const storage = new Storage(random)
  const isStored = run.history === "storage"
  const sockets = await startSockets({
    channels: { tradingAccount: { historySize: isStored ? MEMORY_OF_STORED : 1000, recoveryMax: 1000 } },
    sources: {
      tradingAccount: {
        opened: () => undefined,
        closed: () => undefined,
        position: () => ({ epoch: "e", offset: storage.rows.length, snapshot: null }),
        ...(isStored ? { replay: storage.replay } : undefined),
      },
    },
  })
  const channel = `tradingAccount:${sockets.accountId}`
  const publish = (n: number): void => {
    const json = JSON.stringify(valueAt(n))
    storage.add(json)
    sockets.hub.publish(channel, { epoch: "e", offset: n, json })
  }
  const judge = new Judge()
  const across =
    run.edges === undefined
      ? undefined
      : await startEdges(
          sockets,
          run.edges,
          { channels: { tradingAccount: { historySize: 1000, recoveryMax: 1000 } } },
          run.nats,
        )
  const servers = across === undefined ? [sockets] : across.edges
  const subscribers = (): number => servers.reduce((sum, { hub }) => sum + (hub.find(channel)?.subscribers ?? 0), 0)
  let proxy: LossyProxy | undefined
  let haproxy: Haproxy | undefined
  let moves = 0
  /** Where the reader is led to after the newest cut; undefined: it was seen there. */
  let led: number | undefined
  const seen = (): void => {
    if (led === undefined || (servers[led]!.hub.find(channel)?.subscribers ?? 0) === 0) return
    moves++
    led = undefined
  }
  let stop = (): void => undefined
  let restarts = 0
  const until = async (what: string, isSo: () => boolean): Promise<void> => {
    const deadline = performance.now() + PATIENCE_MILLIS
    while (!isSo() && judge.why === "") {
      if (performance.now() > deadline) throw new Error(`${what}: not after ${PATIENCE_MILLIS} ms`)
      await moment(1)
    }
  }
  try {
    const server = new URL(servers[0]!.url)
    if (run.haproxy === true) {
      haproxy = await startHaproxy(
        servers.map(({ url }) => Number(new URL(url).port)),
        false,
      )
      await haproxy.only(0)
    }
    proxy = await lossyProxy({ host: server.hostname, port: haproxy?.port ?? Number(server.port) })
    server.port = String(proxy.port)
    const options = { url: server.href, channel, format: run.format, delta: run.delta }
    stop = (run.reader === "official" ? officialReader : bareReader)(options, judge)
    await until("the first subscription", () => subscribers() === 1)
    const perCut = Math.floor(run.publications / (run.cuts + 1))
    let made = 0
    let dueAt = perCut
    for (let n = 1; judge.why === "" && (n <= run.publications || proxy.losses() < run.cuts); n++) {
      publish(n)
      const isDue =
        haproxy === undefined
          ? n % perCut === 0 && n / perCut <= run.cuts
          : n >= dueAt && led === undefined && made < run.cuts
      if (isDue) {
        made++
        dueAt = n + perCut
        // Most losses meet a reader that follows, the others one that is still coming back.
        if (random() < 0.7) await until("the reader", () => judge.last === n)
        if (haproxy === undefined)
          proxy.turnTo(Number(new URL(servers[Math.floor(random() * servers.length)]!.url).port))
        else {
          led = made % servers.length
          await haproxy.only(led)
        }
        proxy.lose({ afterBytes: Math.floor(random() ** 2 * 4000), serverIsTold: random() < 0.7 })
        run.progress?.(made, judge.received)
      }
      if (random() < 0.5 / perCut) {
        sockets.hub.invalidate(channel)
        restarts++
      }
      const chance = random()
      if (chance < 0.1) await turn()
      else if (chance < 0.15) await moment(Math.floor(random() * 4))
      if (storage.passed >= PASSING_MAX) await until("storage", () => !storage.isRead)
      seen()
      if (n - judge.last > AHEAD_MAX) await until("the reader's return", () => n - judge.last < AHEAD_MAX / 2)
      // All is published, but not all is cut: one at a time, so that the rest has something to be cut in.
      if (n >= run.publications) await until("the newest publication", () => judge.last >= n)
    }
    const published = storage.rows.length
    await until("the last publication", () => judge.last >= published)
    seen()
    const { received, gaps, duplicates, reorders, wrong, recoveries, unrecovered, why } = judge
    const facts = { received, gaps, duplicates, reorders, wrong, recoveries, unrecovered, ended: why }
    return { published, cuts: proxy.losses(), moves, restarts, replays: storage.replays, ...facts }
  } finally {
    stop()
    await proxy?.close()
    await haproxy?.stop()
    await across?.stop()
    await sockets.stop()
  }
}
