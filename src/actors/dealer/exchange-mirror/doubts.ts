/**
 * Which differences between a mirror and its venue are there to stay. The one thing to know: a balance is often told before the execution
 * that moved it, so a difference counts only where looks on end have seen it, and only as much of it as all of them saw.
 */
import { Decimal } from "../../../domain/decimal.ts"

/** At 5 s between looks a fill has ten seconds and more to arrive after the balance that it changed. */
const LOOKS = 3

interface Seen {
  readonly least: Decimal
  readonly looks: number
}

export class Doubts {
  #seen = new Map<string, Seen>()
  #looks = 0
  #booked = 0

  /** By asset: what this look sees. Answers what is there to stay; the count of these begins anew where they are booked. */
  settled(differences: ReadonlyMap<string, Decimal>, areBooked: boolean): ReadonlyMap<string, Decimal> {
    this.#booked = areBooked ? this.#booked + 1 : 0
    const next = new Map<string, Seen>()
    const settled = new Map<string, Decimal>()
    for (const [asset, change] of differences) {
      const before = this.#seen.get(asset)
      const goesOn = before !== undefined && before.least.isNegative() === change.isNegative()
      const nearer = change.isNegative() ? Decimal.max : Decimal.min
      const one = goesOn
        ? { least: nearer(before.least, change), looks: before.looks + 1 }
        : { least: change, looks: 1 }
      const isSettled = one.looks >= LOOKS
      if (isSettled) settled.set(asset, one.least)
      if (!isSettled || !areBooked) next.set(asset, one)
    }
    this.#seen = next
    return settled
  }

  /** As many looks on end as a difference needs could book what they saw: what came by the first of them is settled. */
  get haveSeenAll(): boolean {
    return this.#booked >= LOOKS
  }

  /**
   * After each look: whether as many have been made as a difference needs, on end, since a dealer is linked to the account no more, or once
   * again. What was lost by then is settled.
   */
  hasLookedBack(isBetween: boolean): boolean {
    this.#looks = isBetween ? this.#looks + 1 : 0
    if (this.#looks < LOOKS) return false
    this.#looks = 0
    return true
  }
}
