/**
 * Books that are asked for by REST this moment, also while the question waits for the venue's budget: for minutes, of the last of many. Only
 * the newest question of a book counts: one whose place in the queue it took is never answered.
 */
import type { CcxtExchange } from "../exchange/ccxt.ts"
import { currentWork } from "../work.ts"

export class BooksOnTheirWay {
  /** The newest question, by ccxt's symbol. */
  readonly #newest = new Map<string, symbol>()

  /** Changes the instance in place, around whatever asks. */
  install(exchange: CcxtExchange): void {
    const fetchOrderBook = exchange.fetchOrderBook.bind(exchange)
    exchange.fetchOrderBook = async (symbol, ...rest) => {
      // Audits, and seeds of books that are whole.
      if (currentWork()?.isAside === true) return fetchOrderBook(symbol, ...rest)
      const question = Symbol()
      this.#newest.set(symbol, question)
      try {
        return await fetchOrderBook(symbol, ...rest)
      } finally {
        if (this.#newest.get(symbol) === question) this.#newest.delete(symbol)
      }
    }
  }

  has(symbol: string): boolean {
    return this.#newest.has(symbol)
  }
}
