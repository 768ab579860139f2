/**
 * Last prices for the price collar, also while no client reads the market (what the feeds know now, what they knew within the last minute, and
 * one query for all orders that wait for the same instrument); and as a fallback when neither a book nor a trade is available. Times are
 * monotonic ms.
 */
import type { Decimal } from "../../domain/decimal.ts"
import type { InstrumentId } from "../../domain/ids.ts"
import type { Markets } from "./messages.ts"

// What instruments last cost, for the day when neither a book nor a trade of theirs is to be had: what a market buy walked, and what was
// paid. Good for an estimate with a margin, never for a price of an order.

interface Known {
  readonly price: Decimal
  readonly at: number
}

export class KnownPrices {
  private readonly known = new Map<InstrumentId, Known>()

  /** `at`: wall ms. An older price than the one that is known says nothing. */
  note(instrumentId: InstrumentId, price: Decimal, at: number): void {
    const before = this.known.get(instrumentId)
    if (before === undefined || before.at <= at) this.known.set(instrumentId, { price, at })
  }

  /** Not from before `since` (wall ms). */
  find(instrumentId: InstrumentId, since: number): Decimal | null {
    const known = this.known.get(instrumentId)
    return known === undefined || known.at < since ? null : known.price
  }
}

/** What a submit or a change waits for a last price, without which it can go as well: the venue judges. */
export const COLLAR_MILLIS = 1_000
/** A price is good for the collar, which is a factor of two, for so long after it was seen. */
const RECENT_MILLIS = 60_000
/** An instrument whose price did not come is not waited for again within this time. */
const SILENT_MILLIS = 30_000
/** Orders that pass by a price of the last minute ask the feed for a newer one at most so often. */
const REFRESH_MILLIS = 1_000

interface Seen {
  price: string
  at: number
}

export class LastPrices {
  private readonly seen = new Map<InstrumentId, Seen>()
  private readonly silentUntil = new Map<InstrumentId, number>()
  private readonly refreshedAt = new Map<InstrumentId, number>()
  /** Of one question each. */
  private readonly waiting = new Map<InstrumentId, Set<() => void>>()

  constructor(
    private readonly markets: Pick<Markets["Type"], "lastPrice" | "readTicker">,
    private readonly monotonic: () => number,
  ) {}

  /** As the feed knows it, as decimal text; null while it is closed. */
  now(instrumentId: InstrumentId): string | null {
    const price = this.markets.lastPrice(instrumentId)
    if (price === null) return null
    const seen = this.seen.get(instrumentId)
    if (seen === undefined) this.seen.set(instrumentId, { price, at: this.monotonic() })
    else {
      seen.price = price
      seen.at = this.monotonic()
    }
    return price
  }

  /** The newest within the last minute. The feed is opened, so that the next order finds a newer one. */
  recent(instrumentId: InstrumentId): string | null {
    const seen = this.seen.get(instrumentId)
    const now = this.monotonic()
    if (seen === undefined || now - seen.at > RECENT_MILLIS) return null
    if (now - (this.refreshedAt.get(instrumentId) ?? Number.NEGATIVE_INFINITY) >= REFRESH_MILLIS) {
      this.refreshedAt.set(instrumentId, now)
      this.ask(instrumentId, () => undefined)
    }
    return seen.price
  }

  /** It did not come when it was last waited for. */
  isSilent(instrumentId: InstrumentId): boolean {
    return this.monotonic() < (this.silentUntil.get(instrumentId) ?? Number.NEGATIVE_INFINITY)
  }

  /** An order has waited for it: it is known now, or the next orders do not wait. */
  waited(instrumentId: InstrumentId): void {
    if (this.now(instrumentId) === null) this.silentUntil.set(instrumentId, this.monotonic() + SILENT_MILLIS)
  }

  /** Opens the feed; `run` is called once, when the price is known or the feed has failed, maybe before this returns. */
  ask(instrumentId: InstrumentId, run: () => void): void {
    const others = this.waiting.get(instrumentId)
    if (others !== undefined) {
      others.add(run)
      return
    }
    const all = new Set([run])
    this.waiting.set(instrumentId, all)
    const answered = (): void => {
      this.waiting.delete(instrumentId)
      this.now(instrumentId)
      for (const each of all) each()
    }
    this.markets.readTicker(instrumentId, { ok: answered, fail: answered })
  }
}
