/**
 * One price of one instrument and the triggers that are compared with it. Plain stops stand in two heaps, so a price costs what it fires;
 * trailing ones are looked at with every price.
 */
import type { Decimal } from "../../../domain/decimal.ts"
import type { Trailing, TriggeredBy } from "../../../domain/order/terms.ts"
import { isBetter, reaches, stopAt } from "../../../domain/order/trigger-prices.ts"
import { Heap, type Heaped } from "../../../kernel/heap.ts"

export interface Fired {
  readonly by: Extract<TriggeredBy, "TRADE" | "QUOTE">
  /** The first price since the trigger was put on. */
  readonly isFirst: boolean
  /** Venue time (ms) of the trade; null: a quote. */
  readonly at: number | null
}

/** Who waits for a price. Called in the market's turn; must not throw. */
export interface TriggerWatcher {
  /** Once; the trigger is off the board before. */
  readonly fired: (price: Decimal, how: Fired) => void
  /** A trailing stop followed the price. */
  readonly moved: () => void
  /** False: nothing comes that could trigger. */
  readonly health: (isLive: boolean) => void
  /** Prices may be missing since then (wall ms). */
  readonly gap: (since: number) => void
}

export interface Armed extends Heaped {
  /** In order of arming. */
  readonly number: number
  readonly on: "RISE" | "FALL"
  stopPrice: Decimal
  readonly trailing: Pick<Trailing, "delta" | "amount"> | null
  /** Best price since arming; null where nothing trails. */
  highWaterMark: Decimal | null
  /** Prices of the line before it was put on. */
  readonly before: number
  readonly watcher: TriggerWatcher
}

/** Nearest to the market first, then the oldest. */
const comesFirst = (a: Armed, b: Armed): boolean => {
  const order = a.on === "RISE" ? a.stopPrice.compare(b.stopPrice) : b.stopPrice.compare(a.stopPrice)
  return order < 0 || (order === 0 && a.number < b.number)
}

export class TriggerLine {
  readonly #plain = { RISE: new Heap<Armed>(comesFirst), FALL: new Heap<Armed>(comesFirst) }
  readonly #trailing = new Set<Armed>()
  /** How many prices there were. */
  count = 0
  /** The newest price; null after an interruption. */
  price: Decimal | null = null
  /** Venue time of the newest price (ms); null: a quote's. */
  at: number | null = null

  put(armed: Armed): void {
    if (armed.trailing === null) this.#plain[armed.on].add(armed)
    else this.#trailing.add(armed)
  }

  remove(armed: Armed): void {
    if (armed.position >= 0) this.#plain[armed.on].remove(armed)
    else this.#trailing.delete(armed)
  }

  /** `at`: venue time of a trade (ms); null: a quote. */
  take(price: Decimal, at: number | null): void {
    this.price = price
    this.at = at
    this.count++
    const fired: Array<Armed> = []
    for (const on of ["RISE", "FALL"] as const) {
      const heap = this.#plain[on]
      for (let top = heap.top(); top !== undefined && reaches(on, top.stopPrice, price); top = heap.top()) {
        heap.remove(top)
        fired.push(top)
      }
    }
    if (this.#trailing.size > 0) this.#trail(price, fired)
    if (fired.length > 1) fired.sort((a, b) => (a.on === b.on ? (comesFirst(a, b) ? -1 : 1) : a.on === "RISE" ? -1 : 1))
    const by = at === null ? "QUOTE" : "TRADE"
    for (const { watcher, before } of fired) watcher.fired(price, { by, isFirst: this.count === before + 1, at })
  }

  #trail(price: Decimal, fired: Array<Armed>): void {
    const moved: Array<Armed> = []
    for (const armed of this.#trailing) {
      const { on, trailing, highWaterMark, stopPrice } = armed
      if (reaches(on, stopPrice, price)) {
        this.#trailing.delete(armed)
        fired.push(armed)
      } else if (trailing !== null && highWaterMark !== null && isBetter(on, price, highWaterMark)) {
        follow(armed, price)
        moved.push(armed)
      }
    }
    for (const { watcher } of moved) watcher.moved()
  }
}

/** The best price is this one; the stop follows unless it is nearer to the market already. */
export const follow = (armed: Armed, price: Decimal): void => {
  if (armed.trailing === null) return
  const { on } = armed
  armed.highWaterMark = price
  const stopPrice = stopAt(on, armed.trailing, price)
  if (on === "RISE" ? stopPrice.lessThan(armed.stopPrice) : stopPrice.greaterThan(armed.stopPrice))
    armed.stopPrice = stopPrice
}
