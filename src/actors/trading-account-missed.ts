/**
 * Reads what triggers missed while they were not watched, from the venue's bars: one question at a time for all triggers of an
 * instrument. Without an answer after a few tries the account is told that nothing can be said.
 */

import type { Decimal } from "../domain/decimal.ts"
import type { InstrumentId } from "../domain/ids.ts"
import type { Bar } from "../domain/kline.ts"
import { firstBarOf, MISSED_INTERVAL, type Missed, passBar } from "../domain/missed-prices.ts"
import type { AccountCore } from "./trading-account-core.ts"

/** The venue's bars lag a little behind its trades. */
const SETTLE_MILLIS = 2_000
const PAGE = 1_000
const TRIES_MAX = 5
const RETRY_MILLIS = 5_000

export interface MissedTrigger {
  missed: Missed
  readonly isOver: () => boolean
  /** A price that came to pass while nobody watched; the trigger as it stood then. */
  readonly crossed: (price: Decimal, missed: Missed) => void
  /** Nothing crossed it: where a trailing stop stands now. */
  readonly passed: (missed: Missed) => void
}

export class MissedPrices {
  readonly #core: AccountCore
  readonly #waiting = new Map<InstrumentId, Array<MissedTrigger>>()
  readonly #reading = new Set<InstrumentId>()

  constructor(core: AccountCore) {
    this.#core = core
  }

  add(instrumentId: InstrumentId, trigger: MissedTrigger): void {
    // No bar that could prove anything has begun yet.
    if (firstBarOf(trigger.missed) > this.#core.parts.clock.now()) return
    const waiting = this.#waiting.get(instrumentId)
    if (waiting !== undefined) {
      waiting.push(trigger)
      return
    }
    this.#waiting.set(instrumentId, [trigger])
    if (!this.#reading.has(instrumentId)) this.#core.self.later(SETTLE_MILLIS, () => this.#begin(instrumentId))
  }

  #begin(instrumentId: InstrumentId): void {
    const triggers = this.#waiting.get(instrumentId)?.filter((it) => !it.isOver()) ?? []
    this.#waiting.delete(instrumentId)
    this.#reading.delete(instrumentId)
    if (triggers.length === 0) return
    this.#reading.add(instrumentId)
    this.#read(instrumentId, triggers, Math.min(...triggers.map((it) => firstBarOf(it.missed))), 1)
  }

  #read(instrumentId: InstrumentId, triggers: ReadonlyArray<MissedTrigger>, from: number, attempt: number): void {
    const { parts, self } = this.#core
    const range = { interval: MISSED_INTERVAL, from, to: null, limit: PAGE }
    parts.markets.readKlines(instrumentId, range, {
      ok: ({ candles, isClosed }) =>
        self.turn(() => {
          const bars = candles.map(([openAt, open, high, low, close, volume]): Bar => {
            return { openAt, open, high, low, close, volume }
          })
          const rest = this.#pass(triggers, bars)
          const last = bars.at(-1)
          if (isClosed && bars.length >= PAGE && last !== undefined && rest.length > 0)
            this.#read(instrumentId, rest, last.openAt + 1, 1)
          else this.#end(instrumentId, rest)
        })(),
      fail: () =>
        self.turn(() => {
          const rest = triggers.filter((it) => !it.isOver())
          if (attempt < TRIES_MAX && rest.length > 0) {
            self.later(RETRY_MILLIS * 2 ** (attempt - 1), () => this.#read(instrumentId, rest, from, attempt + 1))
            return
          }
          if (rest.length > 0)
            this.#core.outlet.alert({
              code: "TRIGGER_HISTORY_UNKNOWN",
              severity: "WARNING",
              message: `${instrumentId}: whether a stop price was passed while nobody watched could not be read`,
              tradeOrderId: null,
            })
          this.#begin(instrumentId)
        })(),
    })
  }

  #pass(triggers: ReadonlyArray<MissedTrigger>, bars: ReadonlyArray<Bar>): ReadonlyArray<MissedTrigger> {
    return triggers.filter((trigger) => {
      for (const bar of bars) {
        if (trigger.isOver()) return false
        const passed = passBar(trigger.missed, bar)
        trigger.missed = passed.missed
        if (!("crossed" in passed)) continue
        trigger.crossed(passed.crossed, passed.missed)
        return false
      }
      return !trigger.isOver()
    })
  }

  #end(instrumentId: InstrumentId, triggers: ReadonlyArray<MissedTrigger>): void {
    for (const trigger of triggers) trigger.passed(trigger.missed)
    this.#begin(instrumentId)
  }
}
