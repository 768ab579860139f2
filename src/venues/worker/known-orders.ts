/** Which of our client ids stands behind a venue's order id: fills do not always repeat ours. The newest 10,000 are remembered. */
import { tradeOrderIdOf } from "../../domain/ids.ts"
import type { VenueOrderState } from "../../ports/venue-session.ts"

const REMEMBERED = 10_000

export class KnownOrders {
  readonly #clientIds = new Map<string, string>()

  /** Orders that are not ours are of no interest. */
  remember({ clientId, externalOrderId }: Pick<VenueOrderState, "clientId" | "externalOrderId">): void {
    if (clientId === null || tradeOrderIdOf(clientId) === undefined) return
    this.#clientIds.delete(externalOrderId)
    this.#clientIds.set(externalOrderId, clientId)
    if (this.#clientIds.size <= REMEMBERED) return
    for (const oldest of this.#clientIds.keys()) {
      this.#clientIds.delete(oldest)
      return
    }
  }

  clientIdOf(externalOrderId: string | null | undefined): string | null {
    return externalOrderId === null || externalOrderId === undefined
      ? null
      : (this.#clientIds.get(externalOrderId) ?? null)
  }
}
