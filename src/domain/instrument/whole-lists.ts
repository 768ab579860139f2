/**
 * Whether a venue's instrument list can be complete. A venue in trouble returns a part of its list: one with less than half of the known
 * instruments delists nothing, until the venue has returned it for hours.
 */

/** Of so many that a venue listed, a list of less than half is trouble and no closed market. */
const MANY = 10
/** What a venue has said for so long without a break is believed all the same. */
const BELIEVED_MILLIS = 6 * 3_600_000

export interface Short {
  /** Of so many that were traded, so many are listed still. */
  readonly before: number
  readonly kept: number
  /** The list before was whole. */
  readonly isNew: boolean
}

/** Of one venue, by the instruments' names or ids. */
export class WholeLists {
  readonly #monotonic: () => number
  /** Since when it has given lists that are too short to be believed. */
  #shortSince: number | undefined

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  /** How short the list is; undefined: it may be all. `before` and `listed` are what is open to trading. */
  shortness(before: ReadonlySet<string>, listed: ReadonlySet<string>): Short | undefined {
    let kept = 0
    for (const name of before) if (listed.has(name)) kept += 1
    if (before.size < MANY || kept * 2 >= before.size) {
      this.believed()
      return undefined
    }
    const now = this.#monotonic()
    const isNew = this.#shortSince === undefined
    this.#shortSince ??= now
    if (now - this.#shortSince >= BELIEVED_MILLIS) return undefined
    return { before: before.size, kept, isNew }
  }

  /** The list is taken as it is: it may be all, or an operator asked for it. */
  believed(): void {
    this.#shortSince = undefined
  }
}
