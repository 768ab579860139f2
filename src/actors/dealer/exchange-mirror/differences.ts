/**
 * Unexplained differences between a mirror and its venue: which of them are persistent, what was posted of them recently, by asset and by loser,
 * and the alerts to the dealer's operators. The one thing to know: a balance is often reported before the execution that moved it, so a
 * difference counts only once consecutive checks have seen it, and only the amount that all of them saw; and what was posted is read from the
 * store at every check, so that a restart changes nothing.
 */

import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import type { Dealer } from "../../../domain/dealer/dealer.ts"
import { isShort, pauseAfter, type ShortfallTerms, shareLost } from "../../../domain/dealer/shortfall.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { DealerAccountId, VenueId } from "../../../domain/ids.ts"
import type { StoredDifference } from "../../../ports/mirror-store.ts"
import type { TradingAccounts } from "../../account/messages.ts"
import type { DealerDirectory } from "../directory.ts"

// What was posted lately of an account's unexplained differences, by asset and who lost it: what later knowledge takes back, and what alarms are
// about. The one thing to know: it is read from the store with every look, so that a restart changes nothing.

interface Posted {
  readonly asset: string
  /** In whose LOSS; null: in SUSPENSE. */
  readonly loser: DealerAccountId | null
  /** Else it came. What is in SUSPENSE may be either: what is lost while no dealer links the account is no dealer's. */
  readonly isLost: boolean
  /** Lost and not made good, or come and not explained. */
  amount: Decimal
  /** Wall ms. */
  newestAt: number
}

/** By asset, loser and way. */
export type Recent = Map<string, Posted>

export const recentOf = (recent: Recent, asset: string, loser: DealerAccountId | null, isLost: boolean): Posted => {
  const key = `${asset} ${loser ?? ""} ${isLost ? "lost" : "came"}`
  const known = recent.get(key)
  if (known !== undefined) return known
  const none: Posted = { asset, loser, isLost, amount: Decimal.ZERO, newestAt: Number.NEGATIVE_INFINITY }
  recent.set(key, none)
  return none
}

/**
 * `rows`: oldest first, of twice the time that counts, for what was taken back since `since` may be of before it. What is taken back is of the
 * oldest that is left: else it would cover for its time what is lost after it.
 */
export const recentFrom = (rows: ReadonlyArray<StoredDifference>, since: number): Recent => {
  const recent: Recent = new Map()
  const left = new Map<Posted, Array<Left>>()
  for (const { asset, loser, change, code, at } of rows) {
    const isTakenBack = code === "CORRECTION"
    const posted = recentOf(recent, asset, loser, loser !== null || change.isNegative() !== isTakenBack)
    if (at >= since) posted.newestAt = at
    const open = left.get(posted) ?? []
    left.set(posted, open)
    const amount = posted.isLost ? change.negate() : change
    if (amount.isPositive()) open.push({ amount, at })
    else reverse(open, amount.negate())
  }
  for (const [posted, open] of left)
    for (const { amount, at } of open) if (at >= since) posted.amount = posted.amount.add(amount)
  return recent
}

/** What is left of a row. */
interface Left {
  amount: Decimal
  readonly at: number
}

const reverse = (open: Array<Left>, amount: Decimal): void => {
  let rest = amount
  for (let [oldest] = open; oldest !== undefined && rest.isPositive(); [oldest] = open) {
    const part = Decimal.min(rest, oldest.amount)
    rest = rest.subtract(part)
    oldest.amount = oldest.amount.subtract(part)
    if (oldest.amount.isZero()) open.shift()
  }
}

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

// Tells those who run a dealer that an account of theirs has less at its venue than anything explains. The one thing to know: it is told at
// once, when it grows, and after 1, 2, 4 … 60 minutes while it is so: until what is missing came back, or for the day that it counts.

interface Told {
  readonly lost: Decimal
  readonly pause: number
  /** Monotonic ms. */
  readonly nextAt: number
}

interface Lost {
  readonly lost: Decimal
  readonly had: Decimal
  /** For people: where it is posted. */
  readonly whose: string
  readonly areBooked: boolean
}

export class ShortfallAlarms {
  /** By account, then asset, dealer and way. */
  readonly #told = new Map<string, Map<string, Told>>()
  alerts = 0

  constructor(
    private readonly accounts: Pick<TradingAccounts["Type"], "post">,
    private readonly dealers: Pick<DealerDirectory, "find">,
    private readonly monotonic: () => number,
    private readonly terms: ShortfallTerms,
    /** That the venue takes of the asset in an order. */
    private readonly leastOf: (venue: VenueId, asset: string) => Decimal,
  ) {}

  /** Assets of accounts that are short. */
  open(): number {
    return [...this.#told.values()].reduce((sum, told) => sum + told.size, 0)
  }

  /**
   * With every look. `linked`: the dealer that hears of what is no dealer's loss. `has`: by asset, what the account has now. `areBooked`:
   * losses are; not those of a mirror that is frozen.
   */
  check(
    account: TradingAccount,
    linked: Dealer | null,
    recent: Recent,
    has: ReadonlyMap<string, Decimal>,
    areBooked: boolean,
  ): void {
    const before = this.#told.get(account.tradingAccountId)
    const told = new Map<string, Told>()
    for (const [key, { asset, loser, isLost, amount: lost }] of recent) {
      const dealer = loser === null ? linked : this.dealers.find(loser)
      if (!isLost || dealer == null) continue
      const had = lost.add(has.get(asset) ?? Decimal.ZERO)
      if (!isShort(this.terms, asset, lost, had, () => this.leastOf(account.venue, asset))) continue
      const whose =
        loser === null
          ? "the tenant's SUSPENSE, because it was lost while the account was not linked to a dealer"
          : "the dealer's LOSS"
      told.set(key, this.#tell(account, dealer, asset, { lost, had, whose, areBooked }, before?.get(key)))
    }
    if (told.size > 0) this.#told.set(account.tradingAccountId, told)
    else this.#told.delete(account.tradingAccountId)
  }

  /** Of accounts that are looked at no longer nothing is said any more. */
  keep(accounts: ReadonlySet<string>): void {
    for (const id of this.#told.keys()) if (!accounts.has(id)) this.#told.delete(id)
  }

  #tell(
    { tradingAccountId, venue }: TradingAccount,
    dealer: Dealer,
    asset: string,
    { lost, had, whose, areBooked }: Lost,
    before: Told | undefined,
  ): Told {
    const now = this.monotonic()
    const hasGrown = before?.lost.lessThan(lost) === true
    if (before !== undefined && !hasGrown && now < before.nextAt) return { ...before, lost }
    this.alerts++
    const message = `account ${tradingAccountId} at ${venue} has an unexplained shortfall of ${lost} ${asset}, ${shareLost(lost, had)} % of ${had}: it is posted to ${whose}${areBooked ? "" : " once its mirror is unfrozen"}. Check the account at the venue`
    const alert = { code: "BALANCE_SHORTFALL", severity: "CRITICAL", message, tradeOrderId: null } as const
    this.accounts.post(dealer.tradingAccountId, { _tag: "RaiseAlert", alert })
    const pause = pauseAfter(hasGrown ? undefined : before?.pause)
    return { lost, pause, nextAt: now + pause }
  }
}
