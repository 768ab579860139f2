/**
 * Kraken's `executions` channel, put together: the first report of an order says everything, later ones little more than its id, and
 * a message may hold several of different kinds. ccxt looks at the first row alone, keeps trades from orders and orders from trades,
 * and loses what has no symbol. Rows are the venue's, numbers as text (bare-numbers.ts).
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtSocket, Raw } from "../../worker/exchange/ccxt.ts"

/** What one report comes to. */
export interface Execution {
  /** The order with all that is known of it; null while that is too little to say which order it is. */
  readonly order: Raw | null
  readonly orderId: string
  readonly isTrade: boolean
  readonly report: Raw
}

const REMEMBERED = 10_000

const record = (value: unknown): Raw => (typeof value === "object" && value !== null ? (value as Raw) : {})

const decimal = (value: unknown): Decimal =>
  (typeof value === "string" ? Decimal.fromVenue(value) : undefined) ?? Decimal.ZERO

/** A market buy of so much quote: what it buys is known only when it has ended. */
export const isByCost = (order: Raw): boolean => decimal(order["cash_order_qty"]).isPositive()

const hasQuantity = (order: Raw): boolean => order["order_qty"] !== undefined || isByCost(order)

export class Executions {
  readonly #orders = new Map<string, Raw>()
  /** By connection: each counts anew. */
  readonly #sequences = new WeakMap<CcxtSocket, number>()

  /** The hole before a message of the channel, in words. */
  holeBefore(socket: CcxtSocket, message: Raw): string | undefined {
    const sequence = Number(message["sequence"])
    const previous = this.#sequences.get(socket)
    this.#sequences.set(socket, sequence)
    if (message["type"] === "snapshot" || previous === undefined || sequence === previous + 1) return undefined
    return `executions jumped from ${previous} to ${sequence}`
  }

  /** In the venue's order. */
  read(message: Raw): ReadonlyArray<Execution> {
    const { data } = message
    return Array.isArray(data) ? data.map((row) => this.#one(record(row))) : []
  }

  #one(report: Raw): Execution {
    const orderId = String(report["order_id"])
    const known = this.#orders.get(orderId)
    const isTrade = report["exec_type"] === "trade"
    const order: Record<string, unknown> = { ...known, ...report, created: known?.["created"] ?? report["timestamp"] }
    if (isTrade) {
      // Of the order, not of this trade; a venue that leaves it out lets it be counted.
      order["cum_qty"] = report["cum_qty"] ?? decimal(known?.["cum_qty"]).add(decimal(report["last_qty"])).toString()
      // The report that the order is filled comes by itself; until then the venue calls it partially filled.
      const isWhole =
        !isByCost(order) &&
        order["order_qty"] !== undefined &&
        decimal(order["cum_qty"]).atLeast(decimal(order["order_qty"]))
      if (isWhole) order["order_status"] = "filled"
    }
    this.#remember(orderId, order)
    const isKnown = order["symbol"] !== undefined && order["side"] !== undefined && hasQuantity(order)
    return { order: isKnown ? order : null, orderId, isTrade, report }
  }

  #remember(orderId: string, order: Raw): void {
    this.#orders.delete(orderId)
    this.#orders.set(orderId, order)
    if (this.#orders.size <= REMEMBERED) return
    for (const oldest of this.#orders.keys()) {
      this.#orders.delete(oldest)
      return
    }
  }
}
