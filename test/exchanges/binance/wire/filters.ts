/**
 * The filters of a symbol: LOT_SIZE, PRICE_FILTER and NOTIONAL, checked in Binance's order and refused in its words.
 * An exact multiple is meant exactly: the check is a remainder of bigints.
 */
import { multiply, toFixed8 } from "../fixed.ts"
import type { OrderType, Side, SymbolRules, TimeInForce } from "../model.ts"
import { hasLimitPrice, hasTrigger } from "../model.ts"
import { filterFailure } from "./refusal.ts"

/** An order as the caller asked for it, parameters already read (order-request.ts). */
export interface OrderRequest {
  readonly symbol: string
  readonly side: Side
  readonly type: OrderType
  readonly timeInForce: TimeInForce
  readonly quantity: bigint | undefined
  readonly quoteOrderQuantity: bigint | undefined
  readonly price: bigint | undefined
  readonly stopPrice: bigint | undefined
  readonly clientOrderId: string | undefined
  /** Of contracts: it only makes a position smaller. */
  readonly isReduceOnly?: boolean
}

export class Filters {
  readonly tickSize: bigint
  readonly stepSize: bigint
  readonly minQuantity: bigint
  readonly maxQuantity: bigint
  readonly minNotional: bigint
  readonly maxPrice = toFixed8("1000000")
  readonly maxNotional = toFixed8("9000000")

  constructor(rules: SymbolRules) {
    this.tickSize = toFixed8(rules.tickSize)
    this.stepSize = toFixed8(rules.stepSize)
    this.minQuantity = toFixed8(rules.minQuantity ?? rules.stepSize)
    this.maxQuantity = toFixed8(rules.maxQuantity ?? "9000")
    this.minNotional = toFixed8(rules.minNotional ?? "5")
  }

  /** Throws the refusal of the first filter that fails. `lastPrice` values orders that name no price. */
  check(request: OrderRequest, lastPrice: bigint | undefined): void {
    const { quantity, price, stopPrice } = request
    if (hasLimitPrice(request.type) && !this.#isPrice(price)) throw filterFailure("PRICE_FILTER")
    if (hasTrigger(request.type) && !this.#isPrice(stopPrice)) throw filterFailure("PRICE_FILTER")
    if (quantity !== undefined && !this.#isQuantity(quantity)) throw filterFailure("LOT_SIZE")
    const notional = this.#notional(request, lastPrice)
    if (notional !== undefined && notional < this.minNotional) throw filterFailure("NOTIONAL")
    if (notional !== undefined && hasLimitPrice(request.type) && notional > this.maxNotional) {
      throw filterFailure("NOTIONAL")
    }
  }

  #isPrice(price: bigint | undefined): boolean {
    return price !== undefined && price > 0n && price <= this.maxPrice && price % this.tickSize === 0n
  }

  #isQuantity(quantity: bigint): boolean {
    return quantity >= this.minQuantity && quantity <= this.maxQuantity && quantity % this.stepSize === 0n
  }

  #notional(request: OrderRequest, lastPrice: bigint | undefined): bigint | undefined {
    if (request.quoteOrderQuantity !== undefined) return request.quoteOrderQuantity
    const price = request.price ?? request.stopPrice ?? lastPrice
    return price === undefined || request.quantity === undefined ? undefined : multiply(price, request.quantity)
  }
}
