/**
 * The judge of the order path: every placement that reached the door, by client order id, and how many orders it made.
 * It counts before signature, faults and matching, so a request that was answered by a cut connection is counted too.
 */

/** Ids and refusals as the venue has them: Binance's are numbers. */
export interface Placement<OrderId = number, Refusal = number> {
  readonly clientOrderId: string
  readonly apiKey: string
  readonly symbol: string
  /** How often a placement with this client order id arrived. */
  readonly count: number
  /** How many orders were created for it: more than one means the client paid twice. */
  readonly created: number
  readonly orderIds: ReadonlyArray<OrderId>
  /** The venue's error codes or texts of the arrivals that were refused. */
  readonly refusals: ReadonlyArray<Refusal>
}

interface Seen<OrderId, Refusal> {
  readonly apiKey: string
  readonly symbol: string
  count: number
  readonly orderIds: Array<OrderId>
  readonly refusals: Array<Refusal>
}

export class Placements<OrderId = number, Refusal = number> {
  readonly #byClientOrderId = new Map<string, Seen<OrderId, Refusal>>()

  constructor(private readonly told: (clientOrderId: string) => void = () => undefined) {}

  arrived(clientOrderId: string, apiKey: string, symbol: string): void {
    this.told(clientOrderId)
    const known = this.#byClientOrderId.get(clientOrderId)
    if (known !== undefined) known.count += 1
    else this.#byClientOrderId.set(clientOrderId, { apiKey, symbol, count: 1, orderIds: [], refusals: [] })
  }

  created(clientOrderId: string, orderId: OrderId): void {
    this.#byClientOrderId.get(clientOrderId)?.orderIds.push(orderId)
  }

  refused(clientOrderId: string, refusal: Refusal): void {
    this.#byClientOrderId.get(clientOrderId)?.refusals.push(refusal)
  }

  list(): ReadonlyArray<Placement<OrderId, Refusal>> {
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
