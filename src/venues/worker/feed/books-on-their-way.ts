/** Books that are asked for by REST this moment, also while the question waits for the venue's budget: for minutes, of the last of many. */
import type { CcxtExchange } from "../exchange/ccxt.ts"
import { currentWork } from "../work.ts"

export class BooksOnTheirWay {
  /** Questions by ccxt's symbol. */
  readonly #asked = new Map<string, number>()

  /** Changes the instance in place, around whatever asks. */
  install(exchange: CcxtExchange): void {
    const fetchOrderBook = exchange.fetchOrderBook.bind(exchange)
    exchange.fetchOrderBook = async (symbol, ...rest) => {
      // Audits, and seeds of books that are whole.
      if (currentWork()?.isAside === true) return fetchOrderBook(symbol, ...rest)
      this.#asked.set(symbol, (this.#asked.get(symbol) ?? 0) + 1)
      try {
        return await fetchOrderBook(symbol, ...rest)
      } finally {
        const left = (this.#asked.get(symbol) ?? 1) - 1
        if (left === 0) this.#asked.delete(symbol)
        else this.#asked.set(symbol, left)
      }
    }
  }

  has(symbol: string): boolean {
    return this.#asked.has(symbol)
  }
}
