/**
 * The judge of the order path: every placement that reached the door, by client order id, and how many orders it made.
 * It counts before signature, faults and matching, so a request that was answered by a cut connection is counted too.
 */
export interface Placement {
  readonly clientOrderId: string
  readonly apiKey: string
  readonly symbol: string
  /** How often a placement with this client order id arrived. */
  readonly count: number
  /** How many orders were created for it: more than one means the client paid twice. */
  readonly created: number
  readonly orderIds: ReadonlyArray<number>
  /** Binance's error codes of the arrivals that were refused. */
  readonly refusals: ReadonlyArray<number>
}

export class Placements {
  readonly #byClientOrderId = new Map<
    string,
    { apiKey: string; symbol: string; count: number; orderIds: Array<number>; refusals: Array<number> }
  >()

  arrived(clientOrderId: string, apiKey: string, symbol: string): void {
    const known = this.#byClientOrderId.get(clientOrderId)
    if (known !== undefined) known.count += 1
    else this.#byClientOrderId.set(clientOrderId, { apiKey, symbol, count: 1, orderIds: [], refusals: [] })
  }

  created(clientOrderId: string, orderId: number): void {
    this.#byClientOrderId.get(clientOrderId)?.orderIds.push(orderId)
  }

  refused(clientOrderId: string, code: number): void {
    this.#byClientOrderId.get(clientOrderId)?.refusals.push(code)
  }

  list(): ReadonlyArray<Placement> {
    return [...this.#byClientOrderId].map(([clientOrderId, seen]) => ({
      clientOrderId,
      apiKey: seen.apiKey,
      symbol: seen.symbol,
      count: seen.count,
      created: seen.orderIds.length,
      orderIds: [...seen.orderIds],
      refusals: [...seen.refusals],
    }))
  }
}
