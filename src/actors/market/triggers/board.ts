/**
 * All triggers of this process that the gateway watches itself, by instrument and by the price that they are compared with. An instrument
 * is followed while one of its triggers is here.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { InstrumentId } from "../../../domain/ids.ts"
import type { Trailing, Trigger } from "../../../domain/order/terms.ts"
import type { OrderSide } from "../../../domain/order/trade-order.ts"
import { isBetter, reaches } from "../../../domain/order/trigger-prices.ts"
import type { MarketListener } from "../messages.ts"
import { type Armed, follow, TriggerLine, type TriggerWatcher } from "./line.ts"

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
