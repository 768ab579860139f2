/**
 * The two limits of an account: points of REST calls, and points of orders in one pair, where a cancel costs the more the younger
 * the order is. Both run off by the second. Figures of the Intermediate tier (docs.kraken.com, "API rate limits" and "Trading rate
 * limits").
 */
import type { KrakenAccount } from "./model.ts"
import { callLimit, orderLimit } from "./wire/refusal.ts"

const CALLS_MAX = 20
const CALLS_PER_SECOND = 0.5
const ORDERS_MAX = 125
const ORDERS_PER_SECOND = 2.34

/** Points of a cancel by the age of its order. */
const CANCEL_POINTS: ReadonlyArray<readonly [ageMillis: number, points: number]> = [
  [5_000, 8],
  [10_000, 6],
  [15_000, 5],
  [45_000, 4],
  [90_000, 2],
  [300_000, 1],
]

/** Orders have a limit of their own and cost no call points. */
const FREE: ReadonlyArray<string> = ["AddOrder", "EditOrder", "AmendOrder", "CancelOrder"]
const DOUBLE: ReadonlyArray<string> = ["TradesHistory"]

interface Counter {
  points: number
  countedAt: number
}

const runOff = (counter: Counter, perSecond: number, now: number): void => {
  counter.points = Math.max(0, counter.points - (perSecond * (now - counter.countedAt)) / 1000)
  counter.countedAt = now
}

export class Limits {
  /** Calls above the limit. */
  refused = 0

  constructor(
    readonly isOn: boolean,
    readonly now: () => number,
  ) {}

  /** A private REST call by its method's name. */
  call(account: KrakenAccount, method: string): void {
    if (!this.isOn || FREE.includes(method)) return
    const points = DOUBLE.includes(method) ? 2 : 1
    const { calls } = account
    runOff(calls, CALLS_PER_SECOND, this.now())
    if (calls.points + points > CALLS_MAX) {
      this.refused++
      throw callLimit()
    }
    calls.points += points
  }

  placed(account: KrakenAccount, symbol: string): void {
    this.#order(account, symbol, 1)
  }

  cancelled(account: KrakenAccount, symbol: string, openedAt: number): void {
    const age = this.now() - openedAt
    const points = CANCEL_POINTS.find(([ageMillis]) => age < ageMillis)?.[1] ?? 0
    // A cancel is taken even above the limit; only placing is refused.
    this.#count(account, symbol).points += this.isOn ? points : 0
  }

  #order(account: KrakenAccount, symbol: string, points: number): void {
    if (!this.isOn) return
    const counter = this.#count(account, symbol)
    if (counter.points + points > ORDERS_MAX) throw orderLimit()
    counter.points += points
  }

  #count(account: KrakenAccount, symbol: string): Counter {
    const known = account.trading.get(symbol) ?? { points: 0, countedAt: this.now() }
    account.trading.set(symbol, known)
    runOff(known, ORDERS_PER_SECOND, this.now())
    return known
  }
}
