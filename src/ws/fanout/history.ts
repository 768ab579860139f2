/** The newest publications of one channel, bounded by number, age and bytes: what a client that was briefly disconnected recovers from. */

import type { Outgoing } from "./topic.ts"

interface Remembered {
  readonly publication: Outgoing
  /** Monotonic ms. */
  readonly at: number
}

export interface HistoryBounds {
  readonly size: number
  readonly ttlMillis: number
  readonly bytesMax: number
}

export interface HistoryPage {
  readonly limit: number
  /** Exclusive: forward what is newer, in reverse what is older. */
  readonly since: number | undefined
  readonly reverse: boolean
}

const sizeOf = ({ json, bytes }: Outgoing): number => bytes?.length ?? json.length

export class History {
  /** Oldest first; offsets without a hole. What is before `start` has left. */
  private entries: Array<Remembered> = []
  private start = 0
  private bytes = 0

  constructor(private readonly bounds: HistoryBounds) {}

  add(publication: Outgoing, now: number): void {
    this.entries.push({ publication, at: now })
    this.bytes += sizeOf(publication)
    const { size, bytesMax } = this.bounds
    while (this.length > size || (this.bytes > bytesMax && this.length > 0)) this.drop()
    this.expire(now)
    if (this.start > 64 && this.start * 2 > this.entries.length) this.compact()
  }

  clear(): void {
    this.entries = []
    this.start = 0
    this.bytes = 0
  }

  /** Everything after offset `after` up to `top`, oldest first; undefined when part of it has left. */
  since(after: number, top: number, now: number): ReadonlyArray<Outgoing> | undefined {
    if (after === top) return []
    this.expire(now)
    const first = this.entries[this.start]?.publication
    if (after > top || first === undefined || first.offset > after + 1) return undefined
    return this.entries.slice(this.start + (after + 1 - first.offset)).map(({ publication }) => publication)
  }

  page({ limit, since, reverse }: HistoryPage, now: number): ReadonlyArray<Outgoing> {
    this.expire(now)
    let found = this.entries.slice(this.start).map(({ publication }) => publication)
    if (reverse) found.reverse()
    if (since !== undefined) found = found.filter(({ offset }) => (reverse ? offset < since : offset > since))
    return found.slice(0, limit)
  }

  /** The newest one. */
  last(now: number): Outgoing | undefined {
    this.expire(now)
    return this.length === 0 ? undefined : this.entries.at(-1)?.publication
  }

  private get length(): number {
    return this.entries.length - this.start
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
    if (first !== undefined) this.bytes -= sizeOf(first.publication)
    this.start += 1
    if (this.start === this.entries.length) this.clear()
  }

  private compact(): void {
    this.entries = this.entries.slice(this.start)
    this.start = 0
  }
}
