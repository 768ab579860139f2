/**
 * Tells those who run a dealer that an account of theirs has less at its venue than anything explains. The one thing to know: it is told at
 * once, when it grows, and after 1, 2, 4 … 60 minutes while it is so: until what is missing came back, or for the day that it counts.
 */

import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import type { Dealer } from "../../../domain/dealer/dealer.ts"
import { isShort, pauseAfter, type ShortfallTerms, shareLost } from "../../../domain/dealer/shortfall.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { VenueId } from "../../../domain/ids.ts"
import type { TradingAccounts } from "../../account/messages.ts"
import type { DealerDirectory } from "../directory.ts"
import type { Recent } from "./recent.ts"

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
        loser === null ? "the tenant's SUSPENSE, as lost while no dealer linked the account" : "the dealer's LOSS"
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
    const message = `account ${tradingAccountId} at ${venue} has ${lost} ${asset} less than anything explains, ${shareLost(lost, had)} % of ${had}: it is posted to ${whose}${areBooked ? "" : " once its mirror is frozen no longer"}. Look at the venue`
    const alert = { code: "BALANCE_SHORTFALL", severity: "CRITICAL", message, tradeOrderId: null } as const
    this.accounts.post(dealer.tradingAccountId, { _tag: "RaiseAlert", alert })
    const pause = pauseAfter(hasGrown ? undefined : before?.pause)
    return { lost, pause, nextAt: now + pause }
  }
}
