/**
 * The judge of the order path: every placement that reached the door, by `cl_ord_id`, and how many orders it made. It counts before
 * signature, faults and matching, so a request that was answered by a cut connection is counted too.
 */
export interface Placement {
  readonly clientOrderId: string
  readonly apiKey: string
  readonly symbol: string
  /** How often a placement with this id arrived. */
  readonly count: number
  /** How many orders were made for it: more than one means the client paid twice. */
  readonly created: number
  readonly orderIds: ReadonlyArray<string>
  /** The error texts of the arrivals that were refused. */
  readonly refusals: ReadonlyArray<string>
}

interface Seen {
  readonly apiKey: string
  readonly symbol: string
  count: number
  readonly orderIds: Array<string>
  readonly refusals: Array<string>
}

export class Placements {
  readonly #byClientOrderId = new Map<string, Seen>()

  arrived(clientOrderId: string, apiKey: string, symbol: string): void {
    const known = this.#byClientOrderId.get(clientOrderId)
    if (known !== undefined) known.count += 1
    else this.#byClientOrderId.set(clientOrderId, { apiKey, symbol, count: 1, orderIds: [], refusals: [] })
  }

  created(clientOrderId: string, txid: string): void {
    this.#byClientOrderId.get(clientOrderId)?.orderIds.push(txid)
  }

  refused(clientOrderId: string, text: string): void {
    this.#byClientOrderId.get(clientOrderId)?.refusals.push(text)
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
