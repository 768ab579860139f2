/**
 * Which of our client ids stands behind a venue's order id: fills do not always repeat ours. The newest 10,000 are remembered. The one thing
 * to know: an id is given with its instrument, for some venues count their orders anew in each market.
 */
import { type InstrumentId, tradeOrderIdOf, type VenueId } from "../../../domain/ids.ts"
import { instrumentIdOf } from "../../../domain/instrument/instrument.ts"
import type { VenueOrderState } from "../../../ports/venue-session.ts"
import type { CcxtTrade } from "../exchange/ccxt.ts"

const REMEMBERED = 10_000

const keyOf = (externalOrderId: string, instrumentId: InstrumentId): string => `${instrumentId}|${externalOrderId}`

export class KnownOrders {
  readonly #clientIds = new Map<string, string>()

  /** Orders that are not ours are of no interest. */
  remember({ clientId, ...name }: Pick<VenueOrderState, "clientId" | "externalOrderId" | "instrumentId">): void {
    if (clientId === null || tradeOrderIdOf(clientId) === undefined) return
    const key = keyOf(name.externalOrderId, name.instrumentId)
    this.#clientIds.delete(key)
    this.#clientIds.set(key, clientId)
    if (this.#clientIds.size <= REMEMBERED) return
    for (const oldest of this.#clientIds.keys()) {
      this.#clientIds.delete(oldest)
      return
    }
  }

  clientIdOf(externalOrderId: string, instrumentId: InstrumentId): string | null {
    return this.#clientIds.get(keyOf(externalOrderId, instrumentId)) ?? null
  }

  /** Of what names an order and carries the instrument's name: see `Listing.named`. */
  clientIdOfTrade(venue: VenueId, { order, symbol }: Pick<CcxtTrade, "order" | "symbol">): string | null {
    return order === undefined || symbol === undefined ? null : this.clientIdOf(order, instrumentIdOf(venue, symbol))
  }
}
