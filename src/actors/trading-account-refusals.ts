/** What is remembered of evidence that did not become part of an order: what the store refused, and what is in quarantine. */

const REMEMBERED_MAX = 1_000
/** A refusal may have been the fault of something else in the unit; a second one of the same evidence is its own. */
const REFUSALS_MAX = 2

/** Evidence by what it says, whichever way it came: as a report, among the trades, as an answer. */
const keyOf = (evidence: unknown): string => {
  const wrapped = evidence as { readonly fill?: object; readonly state?: object } | null
  const said = wrapped?.fill ?? wrapped?.state ?? wrapped
  return JSON.stringify({ ...said, tradeOrderId: undefined })
}

/** A bounded number of keys, the oldest forgotten first. */
class Remembered {
  private readonly counts = new Map<string, number>()
  get isEmpty(): boolean {
    return this.counts.size === 0
  }
  count(key: string): number {
    return this.counts.get(key) ?? 0
  }
  add(key: string): void {
    this.counts.set(key, this.count(key) + 1)
    if (this.counts.size > REMEMBERED_MAX) this.counts.delete(this.counts.keys().next().value!)
  }
}

/**
 * What the store has refused of an account's evidence. It outlives the incarnations of the actor: each refusal ends one, the next one
 * reads from the store what is true, and without this memory the same report could end it again and again.
 */
export class Refusals {
  private readonly refused = new Remembered()
  note(evidence: unknown): void {
    this.refused.add(keyOf(evidence))
  }
  isBarred(evidence: unknown): boolean {
    return !this.refused.isEmpty && this.refused.count(keyOf(evidence)) >= REFUSALS_MAX
  }
}

/** What this incarnation has put into quarantine. */
export class Quarantine {
  private readonly stored = new Remembered()
  /** Whether it is new. */
  add(evidence: unknown): boolean {
    const key = keyOf(evidence)
    if (this.stored.count(key) > 0) return false
    this.stored.add(key)
    return true
  }
}
