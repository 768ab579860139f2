/**
 * The newest publications of one channel, bounded by number, age and bytes: what a client that was briefly disconnected recovers from.
 *
 * Their texts are bytes outside of V8's heap, in slabs that are used again. As strings they lived for seconds in the histories of busy accounts:
 * V8 copied each of them twice, then kept it with what is old, and had to collect that again and again.
 */
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

/** UTF-8 has no bytes for half of a pair. */
const HALF_A_PAIR = /\p{Surrogate}/u

/** Nothing is told beside its text, which comes back from its bytes as it is. */
const isPlain = ({ json, oneLine, bytes, subject, isFinal, info, key, removed }: EncodedPublication): boolean =>
  (oneLine ?? bytes ?? subject ?? isFinal ?? info ?? key ?? removed) === undefined && !HALF_A_PAIR.test(json)

const publicationOf = ({ epoch, offset, tags, kept, from, bytes }: Remembered): EncodedPublication =>
  kept instanceof Slab ? { epoch, offset, json: kept.bytes.toString("utf8", from, from + bytes), tags } : kept

export class History {
  /** Oldest first; offsets without a hole. What is before `start` has left. */
  private entries: Array<Remembered> = []
  private start = 0
  private bytes = 0
  /** Where the next text goes, if it has room. */
  private slab: Slab | null = null

  constructor(private readonly bounds: HistoryBounds) {}

  add(publication: EncodedPublication, now: number): void {
    const remembered = this.remembered(publication, now)
    this.entries.push(remembered)
    this.bytes += remembered.bytes
    const { size, bytesMax } = this.bounds
    while (this.length > size || (this.bytes > bytesMax && this.length > 0)) this.drop()
    this.expire(now)
    if (this.start > 64 && this.start * 2 > this.entries.length) this.compact()
  }

  /** What went before, oldest first, up to where this begins, or to `top`: the newest of it, as far as there is room. */
  recollect(older: ReadonlyArray<EncodedPublication>, top: number, now: number): void {
    this.expire(now)
    const first = this.entries[this.start]
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
    this.entries = [...found.reverse(), ...this.entries.slice(this.start)]
    this.start = 0
    while (this.bytes > bytesMax && this.length > 0) this.drop()
  }

  clear(): void {
    while (this.length > 0) this.drop()
  }

  /** Everything after offset `after` up to `top`, oldest first; undefined when part of it has left. */
  since(after: number, top: number, now: number): ReadonlyArray<EncodedPublication> | undefined {
    if (after === top) return []
    this.expire(now)
    const first = this.entries[this.start]
    if (after > top || first === undefined || first.offset > after + 1) return undefined
    return this.entries.slice(this.start + (after + 1 - first.offset)).map(publicationOf)
  }

  page({ limit, since, reverse }: HistoryPage, now: number): ReadonlyArray<EncodedPublication> {
    this.expire(now)
    let found = this.entries.slice(this.start)
    if (reverse) found.reverse()
    if (since !== undefined) found = found.filter(({ offset }) => (reverse ? offset < since : offset > since))
    return found.slice(0, limit).map(publicationOf)
  }

  /** The newest one. */
  last(now: number): EncodedPublication | undefined {
    this.expire(now)
    const last = this.length === 0 ? undefined : this.entries.at(-1)
    return last === undefined ? undefined : publicationOf(last)
  }

  private get length(): number {
    return this.entries.length - this.start
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
    for (;;) {
      const first = this.entries[this.start]
      if (first === undefined || now - first.at <= this.bounds.ttlMillis) return
      this.drop()
    }
  }

  private drop(): void {
    const first = this.entries[this.start]
    if (first !== undefined) {
      this.bytes -= first.bytes
      if (first.kept instanceof Slab) this.leave(first.kept)
    }
    this.start += 1
    if (this.start < this.entries.length) return
    this.entries = []
    this.start = 0
  }

  /** One of its texts is not wanted any more. */
  private leave(slab: Slab): void {
    slab.live -= 1
    if (slab.live > 0) return
    // The next texts go to its beginning again.
    if (slab === this.slab) slab.used = 0
    else freeSlabs.give(slab)
  }

  private compact(): void {
    this.entries = this.entries.slice(this.start)
    this.start = 0
  }
}
