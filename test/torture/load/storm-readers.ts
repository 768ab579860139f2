/**
 * The clients of the reconnect storm, in a process of their own: bare sockets that keep to the protocol, all cut and all back at the same
 * moment, with the positions that they had. What follows what is judged here; the parent only asks for the sum.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { WebSocket } from "ws"
import { makeLoopTime } from "../../../src/store/orders/loop-time.ts"
import { type Answers, answer } from "../../kit/servers/process-line.ts"

/** What one client may hear. */
interface Seat {
  readonly token: string
  readonly channels: ReadonlyArray<string>
}

interface StormTally {
  /** Publications that arrived, whether pushed or recovered. */
  readonly received: number
  /** Subscriptions that came back with everything they had missed, and how much that was. */
  readonly recovered: number
  readonly caughtUp: number
  /** Subscriptions that were told to start over. */
  readonly unrecovered: number
  /** Publications that never came, came again, or were not what their offset says. */
  readonly missed: number
  readonly repeated: number
  readonly wrong: number
  /** What ended an attempt or a connection, beside the cut itself: `HTTP 503`, `closed 3008`, `error 103`, `ECONNRESET`. */
  readonly failures: Readonly<Record<string, number>>
}

interface Landing {
  /** Clients that had all their subscriptions when the patience ended. */
  readonly landed: number
  /** Of each of them, after the cut. */
  readonly millis: ReadonlyArray<number>
}

/** Ask → its question and its answer. */
export type StormAsks = {
  /** How long it took, in ms. The seats are taken by turns. */
  readonly open: readonly [{ url: string; seats: ReadonlyArray<Seat>; connections: number }, number]
  readonly storm: readonly [{ awayMillis: number; patienceMillis: number }, Landing]
  /** How many subscriptions are not where a newcomer's are, after that long at most; and some of them, in words. */
  readonly behind: readonly [number, { readonly count: number; readonly says: string }]
  readonly tally: readonly [undefined, StormTally]
}

interface Position {
  readonly epoch: string
  offset: number
}

interface Publication {
  readonly offset?: number
  readonly data: { readonly sequence?: number }
}

interface Reply {
  readonly id?: number
  readonly error?: { readonly code: number; readonly temporary?: boolean }
  readonly subscribe?: {
    readonly epoch?: string
    readonly offset?: number
    readonly recovered?: boolean
    readonly publications?: ReadonlyArray<Publication>
  }
  readonly push?: {
    readonly channel: string
    readonly pub?: Publication
    readonly unsubscribe?: { readonly code: number }
  }
}

const AT_ONCE = 200
/** Before the next attempt of one that failed, in ms: as a client's first pause. */
const PAUSE_MILLIS = 200
/** Before a subscribe is tried again that failed for now, as the official client waits: any time up to a step, which doubles, and at least the first. */
const AGAIN_MIN_MILLIS = 500
const AGAIN_MAX_MILLIS = 20_000
const againMillis = (tries: number): number =>
  Math.min(AGAIN_MAX_MILLIS, AGAIN_MIN_MILLIS + Math.random() * AGAIN_MIN_MILLIS * 2 ** Math.min(tries, 31))
/**
 * Without an answer for so long the connection is given up, as the official client does: an answer that was lost would look like one that is late. Longer than its 5 s, and counted in the
 * time of this process's loop: where it stood still for 12 s, of what a thousand sockets had for it, 51 answers that lay there unread were taken for missing.
 */
const ANSWER_MILLIS = 15_000
const LOOK_MILLIS = 500
/** From this code on an unsubscribe is the word to subscribe again, and the official client does so at once. */
const AGAIN_CODE = 2_500

const tally = { received: 0, recovered: 0, caughtUp: 0, unrecovered: 0, missed: 0, repeated: 0, wrong: 0 }
const failures: Record<string, number> = {}
const failed = (why: string): void => {
  failures[why] = (failures[why] ?? 0) + 1
}

const lived = makeLoopTime(() => true)

const PUSHED = '{"push":{"channel":"'
const OFFSET = '"offset":'

/** A publication, by as much of its line as is judged: read whole, tens of thousands a second took more than a core. Undefined: it is something else, or looks odd, and is read whole. */
const publicationIn = (line: string): { readonly channel: string; readonly offset: number } | undefined => {
  if (!line.startsWith(PUSHED)) return undefined
  const end = line.indexOf('"', PUSHED.length)
  if (!line.startsWith('","pub":{"data":{', end)) return undefined
  const at = line.lastIndexOf(OFFSET)
  const offset = at < 0 ? 0 : Number.parseInt(line.slice(at + OFFSET.length), 10)
  if (!(offset > 0)) return undefined
  const channel = line.slice(PUSHED.length, end)
  const isOdd = isAccount(channel) && !line.includes(`"sequence":${offset},`)
  return isOdd ? undefined : { channel, offset }
}

const isAccount = (channel: string): boolean => channel.startsWith("tradingAccount:")

class StormReader {
  readonly positions = new Map<string, Position>()
  #socket: WebSocket | undefined
  /** Of this connection: subscribes that have no answer yet, with the loop's time at which they were asked, and how many there were. */
  #asked = new Map<number, { readonly channel: string; readonly at: number }>()
  #asks = 0
  /** Channels that failed for now, and are asked for again. */
  #waiting = new Set<string>()
  /** Subscribes of a channel that failed for now, one after the other. */
  readonly #tries = new Map<string, number>()
  /** What was said of a channel last. */
  readonly #last = new Map<string, string>()
  #landed: () => void = () => undefined

  constructor(
    readonly url: string,
    readonly seat: Seat,
  ) {}

  /** Resolves with the moment in which it had all its subscriptions, however often it had to try. */
  land(): Promise<number> {
    return new Promise((resolve) => {
      this.#landed = () => resolve(performance.now())
      this.#connect()
    })
  }

  /** Why a subscription is where it is: `open, asked 3 times, error 100`. */
  standing(channel: string): string {
    const isAsked = [...this.#asked.values()].some((asked) => asked.channel === channel)
    const how = isAsked ? "asked" : this.#waiting.has(channel) ? "waits to ask again" : "not asked"
    const tries = this.#tries.get(channel) ?? 0
    const socket = this.#socket === undefined ? "no socket" : `socket in state ${this.#socket.readyState}`
    return `${socket}, ${how}, failed ${tries} times, last heard ${this.#last.get(channel) ?? "nothing"}`
  }

  /** As a network that goes away: without a word to the other side. */
  cut(): void {
    const cut = this.#socket
    this.#socket = undefined
    this.#asked = new Map()
    cut?.terminate()
  }

  #connect(): void {
    const own = new WebSocket(this.url, { perMessageDeflate: false, handshakeTimeout: ANSWER_MILLIS })
    this.#socket = own
    const lost = (why: string): void => {
      if (own === this.#socket) this.#lose(why)
    }
    own.on("open", () => own.send(this.#commands()))
    own.on("message", (message: Buffer) => {
      // What is still under way of a connection that was cut does not count.
      for (const line of message.toString().split("\n")) if (own === this.#socket) this.#read(own, line)
    })
    own.on("unexpected-response", (_request, { statusCode }) => lost(`HTTP ${statusCode}`))
    own.on("error", (error: NodeJS.ErrnoException) => lost(error.code ?? error.message))
    own.on("close", (code) => lost(`closed ${code}`))
  }

  #commands(): string {
    const { token, channels } = this.seat
    this.#asked = new Map()
    this.#waiting = new Set()
    this.#asks = 1
    return [JSON.stringify({ id: 1, connect: { token } }), ...channels.map((it) => this.#subscribe(it))].join("\n")
  }

  #subscribe(channel: string): string {
    const id = ++this.#asks
    this.#asked.set(id, { channel, at: lived() })
    const position = this.positions.get(channel)
    return JSON.stringify({ id, subscribe: { channel, ...(position !== undefined && { recover: true, ...position }) } })
  }

  #ask(own: WebSocket, channel: string): void {
    if (own !== this.#socket) return
    this.#waiting.delete(channel)
    own.send(this.#subscribe(channel))
  }

  /** Gives the connection up where an answer is missing; the connect's comes before those of its subscribes. */
  look(now: number): void {
    for (const { at } of this.#asked.values())
      if (now - at > ANSWER_MILLIS) return this.#lose(`no answer in ${ANSWER_MILLIS / 1_000} s`)
  }

  #lose(why: string): void {
    this.cut()
    failed(why)
    setTimeout(() => this.#connect(), PAUSE_MILLIS * (0.5 + Math.random()))
  }

  #read(own: WebSocket, line: string): void {
    if (line === "{}") return own.send("{}")
    const known = publicationIn(line)
    if (known !== undefined) {
      this.#last.set(known.channel, "published")
      return this.#take(known.channel, known.offset)
    }
    const { id = 0, error, subscribe, push }: Reply = JSON.parse(line)
    if (error !== undefined) failed(`error ${error.code}`)
    if (push?.pub !== undefined) this.#publication(push.channel, push.pub)
    const told = push?.channel ?? this.#asked.get(id)?.channel
    if (told !== undefined)
      this.#last.set(
        told,
        `${error?.code ?? push?.unsubscribe?.code ?? (push === undefined ? "subscribed" : "published")}`,
      )
    if (push?.unsubscribe !== undefined) {
      failed(`unsubscribed ${push.unsubscribe.code}`)
      if (push.unsubscribe.code >= AGAIN_CODE) this.#ask(own, push.channel)
    }
    const channel = this.#asked.get(id)?.channel
    if (channel === undefined) return
    this.#asked.delete(id)
    if (error?.temporary === true) {
      this.#waiting.add(channel)
      const tries = this.#tries.get(channel) ?? 0
      this.#tries.set(channel, tries + 1)
      return void setTimeout(() => this.#ask(own, channel), againMillis(tries))
    }
    if (subscribe === undefined) return
    this.#tries.delete(channel)
    this.#subscribed(channel, subscribe)
    if (this.#asked.size + this.#waiting.size === 0) this.#landed()
  }

  #subscribed(channel: string, reply: NonNullable<Reply["subscribe"]>): void {
    const { epoch = "", offset = 0, publications = [] } = reply
    const known = this.positions.get(channel)
    if (known === undefined || reply.recovered !== true || known.epoch !== epoch) {
      if (known !== undefined) tally.unrecovered++
      this.positions.set(channel, { epoch, offset })
      return
    }
    tally.recovered++
    tally.caughtUp += publications.length
    for (const publication of publications) this.#publication(channel, publication)
    // It was told that it has everything up to here.
    if (known.offset < offset) tally.missed += offset - known.offset
    known.offset = Math.max(known.offset, offset)
  }

  #publication(channel: string, { offset = 0, data }: Publication): void {
    if (isAccount(channel) && data.sequence !== offset) tally.wrong++
    this.#take(channel, offset)
  }

  #take(channel: string, offset: number): void {
    tally.received++
    const position = this.positions.get(channel)
    if (position === undefined) return void tally.wrong++
    if (offset <= position.offset) return void tally.repeated++
    tally.missed += offset - position.offset - 1
    position.offset = offset
  }
}

let readers: ReadonlyArray<StormReader> = []
setInterval(() => {
  const now = lived()
  for (const reader of readers) reader.look(now)
}, LOOK_MILLIS).unref()

/** Where a newcomer is told that each channel stands. */
const tops = async (): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>()
  for (const { url, seat } of new Map(readers.map((reader) => [reader.seat, reader])).values()) {
    const probe = new StormReader(url, seat)
    await probe.land()
    for (const [channel, { offset }] of probe.positions) found.set(channel, offset)
    probe.cut()
  }
  return found
}

const answers: Answers<StormAsks> = {
  open: async ({ url, seats, connections }) => {
    const startedAt = performance.now()
    readers = Array.from({ length: connections }, (_, n) => new StormReader(url, seats[n % seats.length]!))
    for (let n = 0; n < connections; n += AT_ONCE)
      await Promise.all(readers.slice(n, n + AT_ONCE).map((reader) => reader.land()))
    return performance.now() - startedAt
  },
  storm: async ({ awayMillis, patienceMillis }) => {
    const cutAt = performance.now()
    for (const reader of readers) reader.cut()
    await sleep(awayMillis)
    const millis: Array<number> = []
    const all = Promise.all(readers.map(async (reader) => void millis.push((await reader.land()) - cutAt)))
    await Promise.race([all, sleep(patienceMillis)])
    return { landed: millis.length, millis: [...millis] }
  },
  behind: async (patienceMillis) => {
    const wanted = await tops()
    const late = (): ReadonlyArray<string> =>
      readers.flatMap((reader) =>
        reader.seat.channels.flatMap((channel) => {
          const at = reader.positions.get(channel)
          const top = wanted.get(channel) ?? 0
          if ((at?.offset ?? -1) >= top) return []
          return [`${channel} at ${at?.epoch} ${at?.offset}, newcomers at ${top}: ${reader.standing(channel)}`]
        }),
      )
    const deadlineAt = performance.now() + patienceMillis
    while (late().length > 0 && performance.now() < deadlineAt) await sleep(100)
    const all = new Map<string, number>()
    for (const one of late()) all.set(one, (all.get(one) ?? 0) + 1)
    return {
      count: late().length,
      says: [...all]
        .slice(0, 10)
        .map(([one, n]) => `${n} x ${one}`)
        .join("; "),
    }
  },
  tally: () => ({ ...tally, failures: { ...failures } }),
}

answer(answers, async () => {
  for (const reader of readers) reader.cut()
})
