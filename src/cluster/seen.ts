/**
 * Which asks were read, taken or not: a frame that comes twice does nothing twice, and nothing that was given back is taken after all. They are kept
 * by deadline: one that is long over is late, and need not be remembered.
 */

const SLOT_MILLIS = 1_000
/** After its deadline. */
export const KEPT_MILLIS = 2_000

export class SeenAsks {
  /** By the asking process, by the second of the deadline. */
  private readonly bySender = new Map<string, Map<number, Set<number>>>()
  private sweptAt = Number.NEGATIVE_INFINITY

  /** False: it was there already. */
  add(from: string, id: number, deadline: number, now: number): boolean {
    if (now - this.sweptAt >= SLOT_MILLIS) this.sweep(now)
    let slots = this.bySender.get(from)
    if (slots === undefined) {
      slots = new Map()
      this.bySender.set(from, slots)
    }
    const slot = Math.floor(deadline / SLOT_MILLIS)
    const ids = slots.get(slot)
    if (ids === undefined) slots.set(slot, new Set([id]))
    else if (ids.has(id)) return false
    else ids.add(id)
    return true
  }

  private sweep(now: number): void {
    this.sweptAt = now
    const over = Math.floor((now - KEPT_MILLIS) / SLOT_MILLIS)
    for (const [from, slots] of this.bySender) {
      for (const slot of slots.keys()) if (slot < over) slots.delete(slot)
      if (slots.size === 0) this.bySender.delete(from)
    }
  }
}
