/**
 * What a channel's subscribers missed, read from its storage for all of them together. The one thing to know: when the owner of the channels is another process, or has just
 * started, its memory is empty and all subscribers come back at once; read for each of them, the same events kept the database and the loop busy for longer than anyone waited.
 */
import type { ChannelSource, StoredPublication } from "../../ports/channel-port.ts"
import type { EncodedPublication } from "./topic.ts"

/** Later an answer is of no use: a client waits 5 s. */
const PATIENCE_MILLIS = 4_000

export type Replayed = ReadonlyArray<StoredPublication> | null

interface Want {
  readonly epoch: string
  readonly after: number
  readonly upTo: number
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
  private isReading = false

  constructor(
    private readonly stream: Remembering,
    private readonly monotonic: () => number,
  ) {}

  /** As ChannelSource.replay; at once if it is remembered. `done` does not throw. */
  read(after: number, upTo: number, done: (rows: Replayed) => void): void {
    const { epoch } = this.stream.at
    const want: Want = { epoch, after, upTo, until: this.monotonic() + PATIENCE_MILLIS, done }
    const known = this.remembered(want)
    if (known !== undefined) return done(known)
    this.wants.push(want)
    this.next()
  }

  /** What the one who needs most of it needs, so that each reading is enough for one of them at least. */
  private next(): void {
    const { source, canonical } = this.stream.served
    if (this.isReading || this.wants.length === 0) return
    const first = this.wants.reduce((one, other) =>
      other.after < one.after || (other.after === one.after && other.upTo > one.upTo) ? other : one,
    )
    if (source.replay === undefined) return this.end(first, null)
    this.isReading = true
    source.replay(canonical, first.after, first.upTo, (rows) => {
      this.isReading = false
      this.end(first, rows)
    })
  }

  private end(range: Range, rows: Replayed): void {
    if (rows !== null && range.epoch === this.stream.at.epoch) this.stream.recollect(rows)
    const now = this.monotonic()
    const settled: Array<() => void> = []
    this.wants = this.wants.filter((want) => {
      const isOf = want.after === range.after && want.upTo === range.upTo
      const known = this.remembered(want) ?? this.joined(range, rows, want)
      if (known === undefined && !isOf && want.epoch === this.stream.at.epoch && want.until > now) return true
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

  /** Of what was read, and published since. */
  private joined(range: Range, rows: Replayed, { epoch, after, upTo }: Want): Replayed | undefined {
    if (rows === null || epoch !== range.epoch || epoch !== this.stream.at.epoch) return undefined
    const since = upTo > range.upTo ? this.stream.since(range.upTo) : []
    if (since === undefined || after < range.after) return undefined
    const found = [...rows, ...since].filter(({ offset }) => offset > after && offset <= upTo)
    return found.length === upTo - after ? found : undefined
  }
}
