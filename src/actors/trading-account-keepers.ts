/** Who watches over the orders of an account, each made when it is first needed: an account without orders has none of them. */
import type { TradeOrder } from "../domain/trade-order.ts"
import type { AccountCore, Keepers } from "./trading-account-core.ts"
import { startDoubt } from "./trading-account-doubt.ts"
import { keepExpiries } from "./trading-account-expiry.ts"
import { keepStrays } from "./trading-account-foreign.ts"
import { keepLeaving } from "./trading-account-leaving.ts"
import { recallAppeared } from "./trading-account-lingering.ts"
import { keepLists, type ListKeeper } from "./trading-account-list.ts"
import type { Consequence, Live } from "./trading-account-live.ts"
import { keepReadingAgain } from "./trading-account-read-again.ts"
import { letGo } from "./trading-account-release.ts"
import { keepTriggers, type TriggerKeeper } from "./trading-account-trigger.ts"

const isOfList = ({ order }: Live): boolean => order.orderListId !== null

export class AccountKeepers implements Keepers {
  readonly #core: AccountCore
  #leaving: (() => void) | null = null
  #strays: ReturnType<typeof keepStrays> | null = null
  #readingAgain: ReturnType<typeof keepReadingAgain> | null = null
  #expiries: ((live: Live) => void) | null = null
  #triggers: TriggerKeeper | null = null
  #lists: ListKeeper | null = null

  constructor(core: AccountCore) {
    this.#core = core
  }

  becameOver(): void {
    this.#leaving ??= keepLeaving(this.#core)
    this.#leaving()
  }

  becameWithheld(): void {
    this.strays.becameWithheld()
  }

  becameClear(): void {
    this.strays.becameClear()
  }

  look(live: Live, why: string): void {
    startDoubt(this.#core, live, why)
  }

  readAgain(live: Live, millis: number): void {
    this.#readingAgain ??= keepReadingAgain(this.#core)
    this.#readingAgain(live, millis)
  }

  arm(live: Live): void {
    this.triggers.arm(live)
  }

  resumeTrigger(live: Live): void {
    this.triggers.resume(live)
  }

  watchExpiry(live: Live): void {
    this.#expiries ??= keepExpiries(this.#core)
    this.#expiries(live)
  }

  consequences(live: Live, before: TradeOrder): ReadonlyArray<Consequence> {
    return isOfList(live) ? this.lists.consequences(live, before) : []
  }

  isHeldBack(live: Live): boolean {
    return isOfList(live) && this.lists.isHeldBack(live)
  }

  isSpent(live: Live): boolean {
    return isOfList(live) && this.lists.isSpent(live)
  }

  becameReady(): void {
    for (const live of this.#core.openLives()) letGo(this.#core, live)
    if (this.#core.openLives().some(isOfList)) this.lists.becameReady()
  }

  resumeLists(): void {
    if (this.#core.openLives().some(isOfList)) recallAppeared(this.#core)
  }

  close(isOrderly: boolean): void {
    this.#triggers?.close(isOrderly)
  }

  private get triggers(): TriggerKeeper {
    this.#triggers ??= keepTriggers(this.#core)
    return this.#triggers
  }

  private get strays(): ReturnType<typeof keepStrays> {
    this.#strays ??= keepStrays(this.#core)
    return this.#strays
  }

  private get lists(): ListKeeper {
    this.#lists ??= keepLists(this.#core)
    return this.#lists
  }
}
