/**
 * What instruments last cost, for the day when neither a book nor a trade of theirs is to be had: what a market buy walked, and what was
 * paid. Good for an estimate with a margin, never for a price of an order.
 */
import type { Decimal } from "../../domain/decimal.ts"
import type { InstrumentId } from "../../domain/ids.ts"

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
