/**
 * The entries of a map by key, each as the publication that last changed it, and recently removed keys: enough to send any subscriber what has
 * changed since its position, however many changes that were, as one change per key.
 */
import type { Tags } from "../../ports/channel-port.ts"
import type { EncodedPublication } from "../fanout/topic.ts"

/** An entry as it is now; `json` null: it is gone. */
export interface EntryChange {
  readonly key: string
  readonly json: string | null
  /** The same for as long as the entry lives: a filter would otherwise keep from a reader that an entry is not what it was. */
  readonly tags?: Tags | undefined
}

export interface EntryPage {
  readonly entries: ReadonlyArray<EncodedPublication>
  /** Where the next page begins; undefined after the last one. */
  readonly next: number | undefined
}

/** What is read of the entries of a map. */
export type MapReading = Pick<MapEntries, "epoch" | "offset" | "page" | "since">

export interface Entry {
  /** In the order of their coming, so that a page can go on where the one before ended whatever changed between. */
  readonly ordinal: number
  readonly publication: EncodedPublication
}

/** Of entries in the order of their coming. */
export const pageOf = (
  all: Iterable<Entry>,
  after: number,
  upTo: number,
  limit: number,
  wants: (entry: EncodedPublication) => boolean,
): EntryPage => {
  const entries: Array<EncodedPublication> = []
  let last = after
  for (const { ordinal, publication } of all) {
    if (ordinal <= after || publication.offset > upTo || !wants(publication)) continue
    if (entries.length === limit) return { entries, next: last }
    entries.push(publication)
    last = ordinal
  }
  return { entries, next: undefined }
}

/** Keys that left and are remembered. Readers who have been away for longer start over. */
const REMOVALS_MAX = 4096

export class MapEntries {
  /** In the order of their coming. */
  private readonly entries = new Map<string, Entry>()
  /** Removals, oldest first. */
  private readonly removals = new Map<string, EncodedPublication>()
  private ordinals = 0
  private top = 0
  /** What left up to this offset is not all known any more. */
  private floor = 0

  constructor(readonly epoch: string) {}

  /** Of the newest change. */
  get offset(): number {
    return this.top
  }

  get size(): number {
    return this.entries.size
  }

  /** Answers what is to be published: only what changes something. */
  apply(changes: ReadonlyArray<EntryChange>): ReadonlyArray<EncodedPublication> {
    const published: Array<EncodedPublication> = []
    for (const change of changes) {
      const publication =
        change.json === null ? this.remove(change.key) : this.set(change.key, change.json, change.tags)
      if (publication !== undefined) published.push(publication)
    }
    return published
  }

  /** `whole` is everything: what it does not name is removed first. */
  replace(whole: ReadonlyArray<EntryChange>): ReadonlyArray<EncodedPublication> {
    const named = new Set(whole.map(({ key }) => key))
    const gone = [...this.entries.keys()].filter((key) => !named.has(key))
    return this.apply([...gone.map((key): EntryChange => ({ key, json: null })), ...whole])
  }

  /** Entries that a reader wants and that have not changed after `upTo`, in the order of their coming, those up to `after` left out. */
  page(after: number, upTo: number, limit: number, wants: (entry: EncodedPublication) => boolean): EntryPage {
    return pageOf(this.entries.values(), after, upTo, limit, wants)
  }

  /** What is different from how it was at `offset`, in the order of the changes; undefined when that cannot be told. */
  since(offset: number): ReadonlyArray<EncodedPublication> | undefined {
    if (offset > this.top || offset < this.floor) return undefined
    if (offset === this.top) return []
    const changed: Array<EncodedPublication> = []
    for (const { publication } of this.entries.values()) if (publication.offset > offset) changed.push(publication)
    for (const removal of this.removals.values()) if (removal.offset > offset) changed.push(removal)
    return changed.sort((a, b) => a.offset - b.offset)
  }

  private set(key: string, json: string, tags: Tags | undefined): EncodedPublication | undefined {
    const before = this.entries.get(key)
    if (before?.publication.json === json) return undefined
    const publication: EncodedPublication = { epoch: this.epoch, offset: ++this.top, json, key, tags }
    this.removals.delete(key)
    this.entries.set(key, { ordinal: before?.ordinal ?? ++this.ordinals, publication })
    return publication
  }

  private remove(key: string): EncodedPublication | undefined {
    const before = this.entries.get(key)
    if (before === undefined) return undefined
    const { tags } = before.publication
    const removal: EncodedPublication = { epoch: this.epoch, offset: ++this.top, json: "", key, removed: true, tags }
    this.entries.delete(key)
    this.removals.set(key, removal)
    for (const [oldest, { offset }] of this.removals) {
      if (this.removals.size <= REMOVALS_MAX) break
      this.removals.delete(oldest)
      this.floor = offset
    }
    return removal
  }
}
