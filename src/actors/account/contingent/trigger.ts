/**
 * Keeps the triggers that the gateway watches itself (contract C5): armed orders are on the board of the process; a firing is one unit, and the
 * order is dispatched from its commit. The path of a trailing stop is stored at most once a second and published with the next event of its
 * order: it is in every read of the record, but is not an event of its own.
 */
import { Decimal } from "../../../domain/decimal.ts"
import { WouldTriggerImmediately } from "../../../domain/errors/order-parameters.ts"
import type { InstrumentId } from "../../../domain/ids.ts"
import { priceStep } from "../../../domain/instrument/instrument.ts"
import type { Bar } from "../../../domain/market/kline.ts"
import { eventOf, hasRunOut, moved } from "../../../domain/order/evidence/progress.ts"
import { collaredPrice, knownPrice } from "../../../domain/order/rules/price.ts"
import type { Trigger, TriggeredBy } from "../../../domain/order/terms.ts"
import { placeOf, type TradeOrder } from "../../../domain/order/trade-order.ts"
import { firstBarOf, MISSED_INTERVAL, type Missed, passBar, reaches } from "../../../domain/order/trigger-prices.ts"
import type { TriggerWatch } from "../../market/triggers/board.ts"
import type { AccountCore, TriggerKeeper } from "../core.ts"
import { dispatchTriggered, mayDispatch, withDeadline } from "../orders/dispatch.ts"
import { VENUE_CLOCK_MILLIS } from "../positions.ts"
import type { Alert, Consequence, WorkingOrder } from "../working-order.ts"
import { watchExpiry } from "./expiry.ts"

/** Between two stored steps of one trailing stop; what a crash takes is found again in the venue's history of prices. */
const SAVE_MILLIS = 1_000
/** Steps that one unit stores. */
const SAVED_TOGETHER = 100

/** Where a trigger stands: on the board it moves ahead of the stored image. */
type Stand = Pick<Trigger, "stopPrice"> & { readonly highWaterMark: Decimal | null }

const triggerOf = ({ terms }: TradeOrder): Trigger | null => terms?.trigger ?? null

const withTrigger = (order: TradeOrder, patch: Partial<Trigger>): TradeOrder => {
  const { terms } = order
  const trigger = triggerOf(order)
  return terms === null || trigger === null
    ? order
    : { ...order, terms: { ...terms, trigger: { ...trigger, ...patch } } }
}

const standing = (order: TradeOrder, { stopPrice, highWaterMark }: Stand): TradeOrder => {
  const trailing = triggerOf(order)?.trailing ?? null
  return withTrigger(order, {
    stopPrice,
    trailing: trailing === null || highWaterMark === null ? trailing : { ...trailing, highWaterMark },
  })
}

const keeperOf = (core: AccountCore): TriggerKeeper => {
  core.keepers.triggers ??= keepTriggers(core)
  return core.keepers.triggers
}

/** As it is stored when it is watched from `armedAt` on. */
export const stampedAt = (core: AccountCore, { venueAhead: _, ...trigger }: Trigger, armedAt: number): Trigger => {
  const venueAhead = core.venueAhead()
  return { ...trigger, armedAt, ...(venueAhead !== undefined && { venueAhead }) }
}

/** Watches the order's trigger. */
export const armTrigger = (core: AccountCore, working: WorkingOrder): void => keeperOf(core).arm(working)

/** As `armTrigger`, of an order that was armed when the process ended: what it missed is looked at. */
export const resumeTrigger = (core: AccountCore, working: WorkingOrder): void => keeperOf(core).resume(working)

const keepTriggers = (core: AccountCore): TriggerKeeper => {
  const { parts, self } = core
  const missed = new MissedPrices(core)
  /** Trailing stops that moved since they were stored. */
  const unsaved = new Set<WorkingOrder>()
  /** Whose price was not known at the submit, and was not beyond the stop when it was. */
  const priced = new WeakSet<WorkingOrder>()
  /** Of whose silence the account was told. */
  const silent = new Set<InstrumentId>()

  const arm = (working: WorkingOrder, isResumed: boolean): void => {
    // How far a trailing stop came is ahead of its image, from which it is armed again.
    const came = working.watch?.highWaterMark() ?? null
    working.watch?.callOff()
    working.watch = null
    if (placeOf(working.order) !== "ARMED") return
    if (working.order.orderStatus === "CREATED") {
      const next = moved(working.order, "ACCEPTED")
      core.change(working, next, eventOf(next))
    }
    const { order } = working
    const trigger = triggerOf(order)
    if (trigger === null) return
    const { instrumentId, orderSide } = order
    const watchedAt = parts.clock.monotonic()
    const mine = (run: (watch: TriggerWatch) => void): void =>
      self.turn(() => {
        const { watch } = working
        if (watch !== null && watch === own) run(watch)
      })()
    const own = parts.triggers.watch(
      {
        instrumentId,
        orderSide,
        on: trigger.on,
        source: trigger.source,
        stopPrice: trigger.stopPrice,
        trailing: trigger.trailing,
      },
      {
        // The first price after a restart tells what came to pass before it.
        fired: (price, { by, isFirst, at }) =>
          mine((watch) => {
            if (isUnpriced(working) && at !== null && isOfBefore(trigger, watchedAt, at)) judgeSoon(working, price)
            else fire(working, standOf(watch), price, isResumed && isFirst ? "RECOVERY" : by)
          }),
        moved: () => {
          if (!unsaved.has(working)) mine(() => saveSoon(working))
        },
        health: (isLive) => mine(() => turnHealth(working, isLive)),
        gap: (since) => mine((watch) => lookBack(working, watch, since, core.venueAhead() ?? 0)),
      },
    )
    if (own === undefined) {
      unwatchable(working)
      return
    }
    working.watch = own
    if (came !== null) own.catchUp(came)
    if (trigger.health === "STALE") turnHealth(working, true)
    if (isResumed) lookBack(working, own, order.updatedAt, trigger.venueAhead ?? 0)
    else if (isUnpriced(working)) askPrice(working, own)
  }

  /** A trade of before the arming, by our clock and by the venue's: ours may have been ahead of it when the order was armed. */
  const isOfBefore = ({ armedAt }: Trigger, watchedAt: number, at: number): boolean => {
    const venueAt = core.balances.venueTimeAt(watchedAt)
    return armedAt !== null && at < armedAt && (venueAt === null || at < venueAt + VENUE_CLOCK_MILLIS)
  }

  const isUnpriced = (working: WorkingOrder): boolean =>
    triggerOf(working.order)?.isUnpriced === true && !priced.has(working)

  /** Opens the feed that knows the price as it was at the submit, or as near to it as can be known. */
  const askPrice = (working: WorkingOrder, own: TriggerWatch): void => {
    const answered = self.turn(() => {
      if (working.watch !== own) return
      // Without any the first trade decides.
      const last = own.price() ?? knownPrice(working.order, parts.markets)
      if (last !== null) judge(working, last)
    })
    parts.markets.readTicker(working.order.instrumentId, { ok: answered, fail: answered })
  }

  /** A trade of before its arming is beyond the stop: older ones may come together with newer ones, and the newest counts. */
  const judgeSoon = (working: WorkingOrder, price: Decimal): void => {
    working.watch?.callOff()
    working.watch = null
    self.later(0, () => {
      if (working.watch === null) judge(working, knownPrice(working.order, parts.markets) ?? price)
    })
  }

  /** As the submit would have been, had the price been known then: refused, or taken. */
  const judge = (working: WorkingOrder, last: Decimal): void => {
    const { order } = working
    const trigger = triggerOf(order)
    if (trigger === null || placeOf(order) !== "ARMED") return
    const { on, stopPrice } = trigger
    if (!reaches(on, stopPrice, last)) {
      priced.add(working)
      if (working.watch === null) arm(working, false)
      return
    }
    working.watch?.callOff()
    working.watch = null
    const { message } = new WouldTriggerImmediately({ stopPrice: stopPrice.toString(), lastPrice: last.toString() })
    const next = moved(order, "REJECTED", { rejectReason: `WOULD_TRIGGER_IMMEDIATELY: ${message}` })
    core.change(working, next, eventOf(next))
  }

  const standOf = (watch: TriggerWatch): Stand => ({
    stopPrice: watch.stopPrice(),
    highWaterMark: watch.highWaterMark(),
  })

  /** No price of that kind comes from the venue: an order whose trigger is not watched must be rejected. */
  const unwatchable = (working: WorkingOrder): void => {
    const rejectReason = `UNSUPPORTED_TRIGGER_SOURCE: ${triggerOf(working.order)?.source}`
    const next = moved(working.order, "REJECTED", { rejectReason })
    const { tradeOrderId } = next
    const alert: Alert = { code: "TRIGGER_NOT_WATCHED", severity: "CRITICAL", message: rejectReason, tradeOrderId }
    core.change(working, next, eventOf(next), { alerts: [alert] })
  }

  const fire = (working: WorkingOrder, stand: Stand, price: Decimal, by: TriggeredBy): void => {
    working.watch?.callOff()
    working.watch = null
    unsaved.delete(working)
    const now = parts.clock.now()
    const { order } = working
    if (placeOf(order) !== "ARMED") return
    // Its time is over. The timer of its expiry may be late: the clock was set.
    if (hasRunOut(order, now)) return watchExpiry(core, working)
    const fired = withTrigger(released(standing(order, stand), price), {
      triggeredAt: now,
      triggeredBy: by,
      triggerPrice: price,
    })
    const leaves = mayDispatch(core, working)
    const letGoAt = parts.clock.monotonic()
    working.isUnsent = leaves
    core.change(working, leaves ? withDeadline(core, fired) : fired, "TRADE_ORDER.TRIGGERED", {
      ...(leaves && {
        committed: () => {
          parts.failpoint.hit("trigger.committed")
          dispatchTriggered(core, working, letGoAt)
        },
      }),
    })
  }

  /** What goes to the venue: GTD and DAY were for the time of waiting (contract C6). */
  const released = (order: TradeOrder, price: Decimal): TradeOrder => {
    const instrument = parts.instruments.find(order.instrumentId, order.tenantId)
    const trigger = triggerOf(order)
    const next: TradeOrder = { ...order, timeInForce: "GTC", expireAt: null }
    const offset = trigger?.trailing?.limitOffset ?? null
    if (trigger !== null && offset !== null) {
      const limitPrice = trigger.stopPrice.add(offset)
      if (instrument === undefined) return { ...next, limitPrice }
      // On the tick that is easier to fill.
      const step = priceStep(instrument, limitPrice)
      const onTick = limitPrice.roundTo(step, order.orderSide === "BUY" ? "CEIL" : "FLOOR")
      return { ...next, limitPrice: Decimal.max(onTick, step) }
    }
    if (order.limitPrice !== null || core.venue.capabilities.marketOrders || instrument === undefined) return next
    const side = order.orderSide === "BUY" ? "asks" : "bids"
    const touch = parts.markets.topOfBook(order.instrumentId, side, 1)[0]?.[0]
    const far = touch === undefined ? price : (Decimal.fromVenue(touch) ?? price)
    return { ...next, timeInForce: "IOC", limitPrice: collaredPrice(order.orderSide, far, instrument) }
  }

  const saveSoon = (working: WorkingOrder): void => {
    unsaved.add(working)
    if (unsaved.size === 1) self.later(SAVE_MILLIS, saveAll)
  }

  /** How far the trailing stops of the account have come, many in one unit. */
  const saveAll = (): void => {
    const steps: Array<Consequence> = []
    for (const working of unsaved) {
      const { order, watch } = working
      if (watch !== null && placeOf(order) === "ARMED")
        steps.push({ live: working, next: standing(order, standOf(watch)), kind: null })
    }
    unsaved.clear()
    for (let from = 0; from < steps.length; from += SAVED_TOGETHER) {
      const [first, ...others] = steps.slice(from, from + SAVED_TOGETHER)
      if (first !== undefined) core.change(first.live, first.next, null, { portfolio: false, others })
    }
  }

  const turnHealth = (working: WorkingOrder, isLive: boolean): void => {
    const { order } = working
    const health = isLive ? "LIVE" : "STALE"
    const { instrumentId } = order
    if (isLive) silent.delete(instrumentId)
    if (placeOf(order) !== "ARMED" || triggerOf(order)?.health === health) return
    const alerts: Array<Alert> = []
    if (!isLive && !silent.has(instrumentId)) {
      silent.add(instrumentId)
      const message = `${instrumentId}: neither trades nor a book arrive, so its triggers cannot fire`
      alerts.push({ code: "TRIGGERS_STALE", severity: "CRITICAL", message, tradeOrderId: null })
    }
    core.change(working, withTrigger(order, { health }), null, { portfolio: false, alerts })
  }

  /**
   * Prices from `since` on may have been missed: our clock, to which the venue's was ahead by `sinceAhead` when it was read. A bar's time is the
   * venue's, and ours may have been set since by another process, or in this one: what was read then is compared by how both stood then.
   */
  const lookBack = (working: WorkingOrder, watch: TriggerWatch, since: number, sinceAhead: number): void => {
    const { order } = working
    const trigger = triggerOf(order)
    // The venue's bars are made of trades.
    if (trigger === null || trigger.armedAt === null || trigger.source !== "LAST_TRADE") return
    const { stopPrice, highWaterMark } = standOf(watch)
    const { trailing } = trigger
    const armedAt = trigger.armedAt + (trigger.venueAhead ?? 0)
    const was: Missed = {
      on: trigger.on,
      stopPrice,
      trailing: trailing === null ? null : { ...trailing, highWaterMark: highWaterMark ?? trailing.highWaterMark },
      armedAt,
      since: Math.max(since + sinceAhead, armedAt),
    }
    const looked: MissedTrigger = {
      missed: was,
      isOver: () => working.watch !== watch,
      crossed: (price, { stopPrice, trailing }) =>
        fire(working, { stopPrice, highWaterMark: trailing?.highWaterMark ?? null }, price, "RECOVERY"),
      passed: ({ trailing: now }) => {
        if (now === null) return
        const isBeyond = watch.catchUp(now.highWaterMark)
        const price = watch.price()
        if (isBeyond && price !== null) fire(working, standOf(watch), price, "RECOVERY")
        else if (!unsaved.has(working)) saveSoon(working)
      },
    }
    missed.add(order.instrumentId, looked)
  }

  return {
    arm: (working) => arm(working, false),
    resume: (working) => arm(working, true),
    close: (isShutdown) => {
      if (isShutdown) saveAll()
      for (const { watch } of core.orders.openLives()) watch?.callOff()
    },
  }
}

// What triggers missed while they were not watched, from the venue's bars: one question at a time for all triggers of an instrument. Without
// an answer after a few tries the account is told that nothing can be said.

/** The venue's bars lag a little behind its trades. */
const SETTLE_MILLIS = 2_000
const PAGE = 1_000
const TRIES_MAX = 5
const RETRY_MILLIS = 5_000

interface MissedTrigger {
  missed: Missed
  readonly isOver: () => boolean
  /** A price reached while the feed was closed; the trigger as it was then. */
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
    const waiting = this.#waiting.get(instrumentId)
    if (waiting !== undefined) {
      waiting.push(trigger)
      return
    }
    this.#waiting.set(instrumentId, [trigger])
    if (!this.#reading.has(instrumentId)) this.#core.self.later(SETTLE_MILLIS, () => this.#begin(instrumentId))
  }

  #begin(instrumentId: InstrumentId): void {
    const venueNow = this.#core.venueTime()
    // Of the others no bar that could prove anything has begun yet.
    const isDue = (it: MissedTrigger): boolean => !it.isOver() && firstBarOf(it.missed) <= venueNow
    const triggers = this.#waiting.get(instrumentId)?.filter(isDue) ?? []
    this.#waiting.delete(instrumentId)
    this.#reading.delete(instrumentId)
    if (triggers.length === 0) return
    this.#reading.add(instrumentId)
    this.#read(instrumentId, triggers, Math.min(...triggers.map((it) => firstBarOf(it.missed))), 1)
  }

  #read(instrumentId: InstrumentId, triggers: ReadonlyArray<MissedTrigger>, from: number, attempt: number): void {
    const { parts, self } = this.#core
    const range = { interval: MISSED_INTERVAL, from, to: null, limit: PAGE }
    parts.markets.lookBack(instrumentId, range, {
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
              message: `${instrumentId}: it could not be determined whether a stop price was crossed while prices were not watched`,
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
