/**
 * Submits on their way through ccxt, by our client id in any spelling. ccxt signs after its throttle, so signing is the one place to see that an
 * order has waited too long (order-path 3), and the last one before its bytes may leave.
 */
import type { CcxtExchange, Raw } from "../exchange/ccxt.ts"
import { TooLate } from "../exchange/errors.ts"
import { isSameId } from "./client-ids.ts"

export interface Departure {
  /** Not to be signed after this instant (wall ms, our clock). */
  readonly notAfter: number
  /** From here on the order may be at the venue. */
  signed: boolean
}

/** Of one operation, or of each of a batch: ccxt sends a single order of OKX as a batch of one unless it is told otherwise. */
const valuesOf = (params: Raw | ReadonlyArray<Raw>): ReadonlyArray<unknown> =>
  Array.isArray(params) ? params.flatMap((operation) => Object.values(operation)) : Object.values(params)

export class Departures {
  readonly #waiting = new Map<string, Departure>()

  /** Wraps `sign` of the instance. */
  constructor(exchange: CcxtExchange) {
    const sign = exchange.sign.bind(exchange)
    exchange.sign = (path, api, method, params, headers, body) => {
      // Deribit takes its orders by GET.
      const asks = (method === "GET" && path !== "buy" && path !== "sell") || method === "DELETE"
      const values = asks || this.#waiting.size === 0 ? [] : valuesOf(params)
      for (const [clientId, departure] of this.#waiting) {
        if (!values.some((value) => isSameId(clientId, value))) continue
        if (Date.now() > departure.notAfter) throw new TooLate("its time to be sent had passed")
        departure.signed = true
      }
      return sign(path, api, method, params, headers, body)
    }
  }

  begin(clientId: string, notAfter: number): Departure {
    const departure = { notAfter, signed: false }
    this.#waiting.set(clientId, departure)
    return departure
  }

  end(clientId: string): void {
    this.#waiting.delete(clientId)
  }
}
