/**
 * What a channel's subscribers missed, read from its storage for all of them together. The one thing to know: when the owner of the channels is another process, or has just
 * started, its memory is empty and all subscribers come back at once; read for each of them, the same events kept the database and the loop busy for longer than anyone waited.
 */
import type { ChannelSource, StoredPublication } from "../../ports/channel-port.ts"
import type { EncodedPublication } from "./topic.ts"

/** What has not been answered for so long is read anew; a database that is slow is not asked twice for the same. */
const GIVEN_UP_MILLIS = 30_000

export type Replayed = ReadonlyArray<StoredPublication> | null

interface Want {
  readonly epoch: string
  readonly after: number
  readonly upTo: number
  /** Monotonic ms; later an answer is of no use. */
  readonly until: number
  readonly done: (rows: Replayed) => void
}

type Range = Pick<Want, "epoch" | "after" | "upTo">

/** What is used of a stream. */
interface Remembering {
  readonly at: { readonly epoch: string }
  readonly served: { readonly canonical: string; readonly source: ChannelSource }
  readonly since: (after: number) => ReadonlyArray<EncodedPublication> | undefined
  readonly recollect: (rows: ReadonlyArray<StoredPublication>) => void
}

/** Of one stream, one reading at a time. */
export class Replays {
  private wants: Array<Want> = []
  /** Under way. */
  private reading: { readonly beganAt: number } | undefined = undefined

  constructor(
    private readonly stream: Remembering,
    private readonly monotonic: () => number,
  ) {}

  /** As ChannelSource.replay; at once if it is remembered. `done` does not throw. */
  read(after: number, upTo: number, until: number, done: (rows: Replayed) => void): void {
    const { epoch } = this.stream.at
    const want: Want = { epoch, after, upTo, until, done }
    const known = this.remembered(want)
    if (known !== undefined) return done(known)
    const gone = this.givenUp()
    this.wants.push(want)
    try {
      this.next()
    } finally {
      for (const one of gone) one.done(null)
    }
  }

  /** Who has waited for a reading that is never answered. */
  private givenUp(): ReadonlyArray<Want> {
    if (this.reading === undefined || this.monotonic() - this.reading.beganAt < GIVEN_UP_MILLIS) return []
    this.reading = undefined
    const gone = this.wants
    this.wants = []
    return gone
  }

  /** What the one who needs most of it needs, so that each reading is enough for one of them at least. */
  private next(): void {
    const { source, canonical } = this.stream.served
    if (this.reading !== undefined || this.wants.length === 0) return
    const first = this.wants.reduce((one, other) =>
      other.after < one.after || (other.after === one.after && other.upTo > one.upTo) ? other : one,
    )
    if (source.replay === undefined) return this.end(first, null, 0)
    const reading = { beganAt: this.monotonic() }
    this.reading = reading
    const answered = (rows: Replayed): void => {
      if (this.reading !== reading) return
      this.reading = undefined
      this.end(first, rows, this.monotonic() - reading.beganAt)
    }
    try {
      source.replay(canonical, first.after, first.upTo, answered)
    } catch (defect) {
      answered(null)
      throw defect
    }
  }

  /** Those who would have to wait for another reading that takes as long have no answer in time: they have it now. */
  private end(range: Range, rows: Replayed, took: number): void {
    const found = this.found(range, rows)
    const { epoch } = this.stream.at
    const now = this.monotonic()
    const settled: Array<() => void> = []
    this.wants = this.wants.filter((want) => {
      const isOf = want.after === range.after && want.upTo === range.upTo
      const known = want.epoch === epoch ? partOf(found, range.after, want) : undefined
      if (known === undefined && !isOf && want.epoch === epoch && want.until > now + took) return true
      settled.push(() => want.done(known ?? null))
      return false
    })
    for (const settle of settled) settle()
    this.next()
  }

  private remembered({ epoch, after, upTo }: Want): Replayed | undefined {
    if (epoch !== this.stream.at.epoch) return undefined
    const found = this.stream.since(after)?.filter(({ offset }) => offset <= upTo)
    return found?.length === upTo - after ? found : undefined
  }

  /**
   * Everything after `after`: what was read, and what was published since. One text of each for all who wait: one of each of them filled the heap where hundreds had missed
   * a thousand events.
   */
  private found({ epoch, after, upTo }: Range, rows: Replayed): ReadonlyArray<StoredPublication> {
    if (rows?.length !== upTo - after || epoch !== this.stream.at.epoch) return []
    this.stream.recollect(rows)
    return [...rows, ...(this.stream.since(upTo) ?? [])]
  }
}

/** `found` is everything after `first`; undefined: not all that is wanted is in it. */
const partOf = (
  found: ReadonlyArray<StoredPublication>,
  first: number,
  { after, upTo }: Want,
): Replayed | undefined => {
  if (after < first) return undefined
  const part = found.slice(after - first, upTo - first)
  return part.length === upTo - after ? part : undefined
}
