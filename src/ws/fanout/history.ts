/**
 * The newest publications of one channel, bounded by number, age and bytes: what a client that was briefly disconnected recovers from.
 *
 * Their texts are bytes outside of V8's heap, in slabs that are used again, and so are the figures of each. As strings and objects they lived for
 * seconds in the histories of busy accounts: V8 copied each of them twice, then kept it with what is old, and had to collect that again and again.
 */
import type { Tags } from "../../ports/channel-port.ts"
import type { EncodedPublication } from "./topic.ts"

/** A history begins with the smaller of the two; the more it holds, the larger is its next slab. */
const SLAB_BYTES_MIN = 1_024
const SLAB_BYTES_MAX = 65_536
/** Of slabs that are in no history. */
const FREE_BYTES_MAX = 33_554_432

/** Texts, one after the other. */
class Slab {
  used = 0
  /** Texts that are still wanted. */
  live = 0

  constructor(readonly bytes: Buffer) {}
}

/** Those of the process that wait to be used again, by their size. */
class FreeSlabs {
  readonly #bySize = new Map<number, Array<Slab>>()
  #bytes = 0

  take(size: number): Slab {
    const slab = this.#bySize.get(size)?.pop()
    if (slab === undefined) return new Slab(Buffer.allocUnsafeSlow(size))
    this.#bytes -= size
    slab.used = 0
    return slab
  }

  give(slab: Slab): void {
    const size = slab.bytes.length
    // Above the limit, and where it was made for one long text, it is left to the collector.
    if (size > SLAB_BYTES_MAX || this.#bytes + size > FREE_BYTES_MAX) return
    const free = this.#bySize.get(size)
    if (free === undefined) this.#bySize.set(size, [slab])
    else free.push(slab)
    this.#bytes += size
  }
}

const freeSlabs = new FreeSlabs()

interface Remembered extends Pick<EncodedPublication, "epoch" | "offset" | "tags"> {
  /** The slab that its text is in; or the publication, where that is more than a text. */
  readonly kept: Slab | EncodedPublication
  /** Where in the slab. */
  readonly from: number
  readonly bytes: number
  /** Monotonic ms. */
  readonly at: number
}

interface HistoryBounds {
  readonly size: number
  readonly ttlMillis: number
  readonly bytesMax: number
}

interface HistoryPage {
  readonly limit: number
  /** Exclusive: forward what is newer, in reverse what is older. */
  readonly since: number | undefined
  readonly reverse: boolean
}

/** Nothing is told beside its text, which comes back from its bytes as it is: UTF-8 has none for half of a pair. */
const isPlain = ({ json, oneLine, bytes, subject, isFinal, info, key, removed }: EncodedPublication): boolean =>
  (oneLine ?? bytes ?? subject ?? isFinal ?? info ?? key ?? removed) === undefined && json.isWellFormed()

const publicationOf = ({ epoch, offset, tags, kept, from, bytes }: Remembered): EncodedPublication =>
  kept instanceof Slab ? { epoch, offset, json: kept.bytes.toString("utf8", from, from + bytes), tags } : kept

/** What a ring begins with; it doubles as it fills. */
const ROOM_MIN = 4
/** Of each publication: its offset, where its text is, its bytes, and since when it is here. */
const FIGURES = 4

/** What is remembered of a channel's publications, oldest first. */
class Ring {
  length = 0
  #first = 0
  #room = ROOM_MIN
  #figures = new Float64Array(ROOM_MIN * FIGURES)
  #epochs: Array<string> = new Array(ROOM_MIN).fill("")
  #tags: Array<Tags | undefined> = new Array(ROOM_MIN).fill(undefined)
  #kept: Array<Remembered["kept"] | null> = new Array(ROOM_MIN).fill(null)

  /** Monotonic ms. */
  get oldestAt(): number {
    return this.length === 0 ? Number.POSITIVE_INFINITY : this.#figures[this.#first * FIGURES + 3]!
  }

  at(index: number): Remembered | undefined {
    if (index < 0 || index >= this.length) return undefined
    const place = this.#place(index)
    const first = place * FIGURES
    const figures = this.#figures
    return {
      epoch: this.#epochs[place]!,
      offset: figures[first]!,
      tags: this.#tags[place],
      kept: this.#kept[place]!,
      from: figures[first + 1]!,
      bytes: figures[first + 2]!,
      at: figures[first + 3]!,
    }
  }

  push({ epoch, offset, tags, kept, from, bytes, at }: Remembered): void {
    if (this.length === this.#room) this.#widen()
    const place = this.#place(this.length++)
    this.#epochs[place] = epoch
    this.#tags[place] = tags
    this.#kept[place] = kept
    const first = place * FIGURES
    this.#figures[first] = offset
    this.#figures[first + 1] = from
    this.#figures[first + 2] = bytes
    this.#figures[first + 3] = at
  }

  /** The oldest has left. */
  shift(): void {
    this.#tags[this.#first] = undefined
    this.#kept[this.#first] = null
    this.#first = (this.#first + 1) % this.#room
    this.length--
  }

  slice(from = 0): Array<Remembered> {
    return Array.from({ length: Math.max(0, this.length - from) }, (_, index) => this.at(from + index)!)
  }

  #place(index: number): number {
    return (this.#first + index) % this.#room
  }

  #widen(): void {
    const all = this.slice()
    this.#room *= 2
    this.#figures = new Float64Array(this.#room * FIGURES)
    for (const column of [this.#epochs, this.#tags, this.#kept]) column.length = this.#room
    this.#first = 0
    this.length = 0
    for (const one of all) this.push(one)
  }
}

export class History {
  /** Offsets without a hole. Null: nothing is remembered. */
  private ring: Ring | null = null
  private bytes = 0
  /** Where the next text goes, if it has room. */
  private slab: Slab | null = null

  constructor(private readonly bounds: HistoryBounds) {}

  add(publication: EncodedPublication, now: number): void {
    const remembered = this.remembered(publication, now)
    this.ring ??= new Ring()
    this.ring.push(remembered)
    this.bytes += remembered.bytes
    const { size, bytesMax } = this.bounds
    while (this.length > size || (this.bytes > bytesMax && this.length > 0)) this.drop()
    this.expire(now)
  }

  /** What went before, oldest first, up to where this begins, or to `top`: the newest of it, as far as there is room. */
  recollect(older: ReadonlyArray<EncodedPublication>, top: number, now: number): void {
    this.expire(now)
    const first = this.ring?.at(0)
    let next = first?.offset ?? top + 1
    const at = first?.at ?? now
    const found: Array<Remembered> = []
    const { size, bytesMax } = this.bounds
    for (const publication of older.toReversed()) {
      if (publication.offset >= next) continue
      if (publication.offset !== next - 1 || this.length + found.length >= size) break
      const remembered = this.remembered(publication, at)
      found.push(remembered)
      this.bytes += remembered.bytes
      next = publication.offset
      if (this.bytes > bytesMax) break
    }
    const all = [...found.reverse(), ...(this.ring?.slice() ?? [])]
    if (all.length === 0) return
    this.ring = new Ring()
    for (const one of all) this.ring.push(one)
    while (this.bytes > bytesMax && this.length > 0) this.drop()
  }

  clear(): void {
    while (this.length > 0) this.drop()
  }

  /** Everything after offset `after` up to `top`, oldest first; undefined when part of it has left. */
  since(after: number, top: number, now: number): ReadonlyArray<EncodedPublication> | undefined {
    if (after === top) return []
    this.expire(now)
    const first = this.ring?.at(0)
    if (after > top || first === undefined || first.offset > after + 1) return undefined
    return this.ring?.slice(after + 1 - first.offset).map(publicationOf)
  }

  page({ limit, since, reverse }: HistoryPage, now: number): ReadonlyArray<EncodedPublication> {
    this.expire(now)
    let found = this.ring?.slice() ?? []
    if (reverse) found.reverse()
    if (since !== undefined) found = found.filter(({ offset }) => (reverse ? offset < since : offset > since))
    return found.slice(0, limit).map(publicationOf)
  }

  /** The newest one. */
  last(now: number): EncodedPublication | undefined {
    this.expire(now)
    const last = this.ring?.at(this.length - 1)
    return last === undefined ? undefined : publicationOf(last)
  }

  private get length(): number {
    return this.ring?.length ?? 0
  }

  private remembered(publication: EncodedPublication, at: number): Remembered {
    const { epoch, offset, json, tags } = publication
    // To count the bytes makes one text of the hundred parts that a record is put together of, which V8 would keep: 0.5 kB for 3.9.
    const bytes = publication.bytes?.length ?? Buffer.byteLength(json)
    if (!isPlain(publication)) return { epoch, offset, tags, kept: publication, from: 0, bytes, at }
    const slab = this.slabFor(bytes)
    const from = slab.used
    slab.bytes.write(json, from)
    slab.used += bytes
    slab.live += 1
    return { epoch, offset, tags, kept: slab, from, bytes, at }
  }

  private slabFor(bytes: number): Slab {
    const { slab } = this
    if (slab !== null && slab.bytes.length - slab.used >= bytes) return slab
    if (slab?.live === 0) freeSlabs.give(slab)
    let size = SLAB_BYTES_MIN
    while (size < SLAB_BYTES_MAX && (size < bytes || size * 4 < this.bytes)) size *= 2
    this.slab = freeSlabs.take(Math.max(size, bytes))
    return this.slab
  }

  private expire(now: number): void {
    while (this.ring !== null && now - this.ring.oldestAt > this.bounds.ttlMillis) this.drop()
  }

  private drop(): void {
    const first = this.ring?.at(0)
    if (this.ring === null || first === undefined) return
    this.bytes -= first.bytes
    if (first.kept instanceof Slab) this.leave(first.kept)
    this.ring.shift()
    if (this.ring.length === 0) this.ring = null
  }

  /** One of its texts is not wanted any more. */
  private leave(slab: Slab): void {
    slab.live -= 1
    if (slab.live > 0) return
    // The next texts go to its beginning again.
    if (slab === this.slab) slab.used = 0
    else freeSlabs.give(slab)
  }
}
