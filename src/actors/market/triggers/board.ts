/**
 * All triggers of this process that the gateway watches itself, by instrument and by the price that they are compared with. An instrument is
 * followed while it has triggers here.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { InstrumentId } from "../../../domain/ids.ts"
import type { Trailing, Trigger, TriggeredBy } from "../../../domain/order/terms.ts"
import type { OrderSide } from "../../../domain/order/trade-order.ts"
import { isBetter, reaches, stopAt } from "../../../domain/order/trigger-prices.ts"
import { Heap, type Heaped } from "../../../kernel/heap.ts"
import type { MarketListener } from "../messages.ts"

// One price of one instrument and the triggers that are compared with it. Plain stops stand in two heaps, so a price costs what it fires;
// trailing ones are looked at with every price.

interface Fired {
  readonly by: Extract<TriggeredBy, "TRADE" | "QUOTE">
  /** The first price since the trigger was put on. */
  readonly isFirst: boolean
  /** Venue time (ms) of the trade; null: a quote. */
  readonly at: number | null
}

/** Who waits for a price. Called in the market's turn; must not throw. */
interface TriggerWatcher {
  /** Once; the trigger is off the board before. */
  readonly fired: (price: Decimal, how: Fired) => void
  /** A trailing stop followed the price. */
  readonly moved: () => void
  /** False: nothing comes that could trigger. */
  readonly health: (isLive: boolean) => void
  /** Prices may be missing since then (wall ms). */
  readonly gap: (since: number) => void
}

interface Armed extends Heaped {
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

class TriggerLine {
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
const follow = (armed: Armed, price: Decimal): void => {
  if (armed.trailing === null) return
  const { on } = armed
  armed.highWaterMark = price
  const stopPrice = stopAt(on, armed.trailing, price)
  if (on === "RISE" ? stopPrice.lessThan(armed.stopPrice) : stopPrice.greaterThan(armed.stopPrice))
    armed.stopPrice = stopPrice
}

type LineName = "LAST" | "BID" | "ASK" | "MID"

const HALF = Decimal.of("0.5")

export interface TriggerTerms extends Pick<Trigger, "on" | "source" | "stopPrice"> {
  readonly instrumentId: InstrumentId
  readonly orderSide: OrderSide
  readonly trailing: Pick<Trailing, "delta" | "amount" | "highWaterMark"> | null
}

/** One trigger on the board. */
export interface TriggerWatch {
  readonly stopPrice: () => Decimal
  readonly highWaterMark: () => Decimal | null
  /** The newest price that it is compared with; null: none is known. */
  readonly price: () => Decimal | null
  /** A price that was missed: a trailing stop follows it. True: the newest known price is beyond the stop then. */
  readonly catchUp: (price: Decimal) => boolean
  readonly callOff: () => void
}

/** A price that is followed, because triggers are compared with it. */
interface Followed {
  readonly line: TriggerLine
  readonly armed: Set<Armed>
  isLive: boolean
  release: () => void
}

export class TriggerBoard {
  readonly #follow: (instrumentId: InstrumentId, listener: MarketListener) => () => void
  readonly #followed = new Map<string, Followed>()
  #count = 0

  constructor(follow: (instrumentId: InstrumentId, listener: MarketListener) => () => void) {
    this.#follow = follow
  }

  /** Triggers of the whole process. */
  get size(): number {
    let size = 0
    for (const { armed } of this.#followed.values()) size += armed.size
    return size
  }

  /** Undefined: there is no such price. A price that is known and beyond the stop fires at once, within the call. */
  watch(terms: TriggerTerms, watcher: TriggerWatcher): TriggerWatch | undefined {
    const name = lineOf(terms)
    if (name === undefined) return undefined
    const { on, trailing } = terms
    const key = `${terms.instrumentId} ${name}`
    const followed = this.#followed.get(key) ?? this.#open(key, terms.instrumentId, name)
    const { line } = followed
    const remove = (): boolean => {
      if (!followed.armed.delete(armed)) return false
      line.remove(armed)
      if (followed.armed.size === 0) {
        this.#followed.delete(key)
        followed.release()
      }
      return true
    }
    const armed: Armed = {
      number: ++this.#count,
      position: -1,
      on,
      stopPrice: terms.stopPrice,
      trailing,
      highWaterMark: trailing?.highWaterMark ?? null,
      before: line.count,
      watcher: {
        ...watcher,
        // Who fired before it may have called it off.
        fired: (price, how) => remove() && watcher.fired(price, how),
      },
    }
    followed.armed.add(armed)
    line.put(armed)
    const isBeyond = (): boolean => line.price !== null && reaches(on, armed.stopPrice, line.price)
    if (!followed.isLive) watcher.health(false)
    const by = name === "LAST" ? "TRADE" : "QUOTE"
    if (line.price !== null && isBeyond()) armed.watcher.fired(line.price, { by, isFirst: true, at: line.at })
    return {
      stopPrice: () => armed.stopPrice,
      highWaterMark: () => armed.highWaterMark,
      price: () => line.price,
      catchUp: (price) => {
        if (armed.highWaterMark !== null && isBetter(on, price, armed.highWaterMark)) follow(armed, price)
        return isBeyond()
      },
      callOff: () => void remove(),
    }
  }

  #open(key: string, instrumentId: InstrumentId, name: LineName): Followed {
    const followed: Followed = { line: new TriggerLine(), armed: new Set(), isLive: true, release: () => undefined }
    const { line, armed } = followed
    this.#followed.set(key, followed)
    followed.release = this.#follow(instrumentId, {
      ...(name === "LAST" ? tradesOf(line, armed) : quotesOf(line, name)),
      onHealth: (isLive) => {
        followed.isLive = isLive
        if (!isLive) line.price = null
        for (const { watcher } of [...armed]) watcher.health(isLive)
      },
    })
    return followed
  }
}

/** A BUY pays the ask, a SELL gets the bid. No venue of ours tells its mark price. */
const lineOf = ({ source, orderSide }: TriggerTerms): LineName | undefined => {
  switch (source) {
    case "LAST_TRADE":
      return "LAST"
    case "BID_ASK":
      return orderSide === "BUY" ? "ASK" : "BID"
    case "MID":
      return "MID"
    case "MARK":
      return undefined
  }
}

const tradesOf = (line: TriggerLine, armed: ReadonlySet<Armed>): MarketListener => ({
  onTrade: (text, at) => {
    const price = Decimal.fromVenue(text)
    if (price !== undefined) line.take(price, at)
  },
  onDown: () => {
    line.price = null
  },
  onGap: (since) => {
    line.price = null
    for (const { watcher } of [...armed]) watcher.gap(since)
  },
})

const quotesOf = (line: TriggerLine, name: LineName): MarketListener => ({
  onQuote: (bidText, askText) => {
    const bid = bidText === null ? undefined : Decimal.fromVenue(bidText)
    const ask = askText === null ? undefined : Decimal.fromVenue(askText)
    const mid = bid === undefined || ask === undefined ? undefined : bid.add(ask).multiply(HALF)
    const price = name === "MID" ? mid : name === "BID" ? bid : ask
    if (price === undefined) line.price = null
    // The other side of the book changed: this is no new price.
    else if (line.price === null || !line.price.equals(price)) line.take(price, null)
  },
})
