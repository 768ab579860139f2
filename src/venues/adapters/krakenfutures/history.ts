/**
 * The history of an account at Kraken Futures, which alone knows orders that ended more than five seconds ago, and what fills cost: the list of fills has no
 * fee. The one thing to know: the venue lets an account ask it a hundred times, and ten times a minute from then on; that is counted here, or a
 * search for orders would leave nothing for the next.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { NewestByName } from "../../../foundation/newest.ts"
import type { CcxtExchange, CcxtOrder, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { doingFor } from "../../worker/work.ts"
import { record, rows, word } from "../adapter.ts"
import { OrderNotFound } from "../client-id-scheme.ts"
import { decimalOf, historicOrder } from "./orders.ts"

type Ask = (params: Raw) => Promise<Raw>

/** What ccxt's Kraken Futures has beside every exchange's, of the history. */
interface HistoricExchange extends CcxtExchange {
  /** GET history/orders and history/executions. */
  readonly historyGetOrders: Ask
  readonly historyGetExecutions: Ask
}

/** Less than the venue's, for another program may ask, too. */
const POOL = 80
const FILLS_IN_MILLIS = 600_000
const ONE_MILLIS = FILLS_IN_MILLIS / POOL
/** Below it what is asked for waits for its turn, and what can be done without is not asked for. */
const KEPT = POOL / 2

/** Classified by this name: nothing was asked, and the question can be put again. */
class RateLimitExceeded extends Error {
  override readonly message = "the history was asked as often as the venue lets an account ask it"
}

/** "Silently capped". */
const PAGE = 1000
/** Behind the newest one. */
const FURTHER_PAGES = 4
const REMEMBERED = 10_000

/** A fill as both lists have it; whether they call it by one id is not documented. */
const keyOf = (order: unknown, price: unknown, quantity: unknown, at: unknown): string =>
  `${order}|${decimalOf(price)}|${decimalOf(quantity)}|${at}`

/** Ms; what happened then comes once more. */
const oldestOf = (page: Raw): number => Number(rows(page["elements"]).at(-1)?.["timestamp"]) + 1

interface Fee {
  readonly cost: string
  readonly currency: string
}

export class AccountHistory {
  readonly #exchange: HistoricExchange
  readonly #fees = new NewestByName<Fee>(REMEMBERED)
  #left = POOL
  #at = performance.now()
  /** The newest page, which has not been asked for yet; all who ask meanwhile share it. */
  #next: Promise<Raw> | null = null
  #current: Promise<unknown> = Promise.resolve()

  constructor(exchange: CcxtExchange) {
    this.#exchange = exchange as HistoricExchange
  }

  #take(kept: number): boolean {
    const now = performance.now()
    this.#left = Math.min(POOL, this.#left + (now - this.#at) / ONE_MILLIS)
    this.#at = now
    if (this.#left < 1 + kept) return false
    this.#left -= 1
    return true
  }

  /** The account's own name, the same for each of its keys. */
  async accountId(): Promise<string | null> {
    return word(await this.#exchange.historyGetExecutions({ count: 1 }), "accountUid")
  }

  /** By the newest word on it: an order of which nothing is there may still be one. */
  async find(marketId: string, isIt: (order: CcxtOrder) => boolean): Promise<CcxtOrder> {
    let page = await this.#newest()
    for (let further = 0; ; further++) {
      const found = this.#in(page, isIt)
      if (found !== undefined) return found
      const isLast = rows(page["elements"]).length < PAGE || further >= FURTHER_PAGES
      if (isLast) throw new OrderNotFound("no order of the account has this id")
      if (!this.#take(KEPT)) throw new RateLimitExceeded()
      // Behind the newest events of all contracts, those of its own.
      const before = further === 0 ? { before: oldestOf(page) } : { continuation_token: page["continuationToken"] }
      page = await this.#exchange.historyGetOrders({ ...before, tradeable: marketId, sort: "desc", count: PAGE })
    }
  }

  #in(page: Raw, isIt: (order: CcxtOrder) => boolean): CcxtOrder | undefined {
    for (const element of rows(page["elements"])) {
      const order = historicOrder(this.#exchange, element)
      if (order !== undefined && isIt(order)) return order
    }
    return undefined
  }

  #newest(): Promise<Raw> {
    this.#next ??= this.#current.then(() => doingFor("doubt", null, () => this.#askNewest()))
    return this.#next
  }

  async #askNewest(): Promise<Raw> {
    while (!this.#take(0)) await sleep(ONE_MILLIS / 10, undefined, { ref: false })
    const isShort = this.#left < KEPT
    // A search that begins from here on gets a page that is newer than its question.
    this.#next = null
    const page = this.#exchange.historyGetOrders({ sort: "desc", count: PAGE })
    this.#current = Promise.allSettled([page, isShort ? sleep(ONE_MILLIS, undefined, { ref: false }) : undefined])
    return page
  }

  /** Each once, as its newest event has it. */
  async ordersSince(since: number | undefined): Promise<ReadonlyArray<CcxtOrder>> {
    const found = new Map<string | undefined, CcxtOrder>()
    const asked = { sort: "asc", count: PAGE, ...(since !== undefined && { since }) }
    for (let token: unknown = undefined, isFull = true; isFull; ) {
      if (!this.#take(0)) throw new RateLimitExceeded()
      const further = token === undefined ? {} : { continuation_token: token }
      const page = await this.#exchange.historyGetOrders({ ...asked, ...further })
      for (const element of rows(page["elements"])) {
        const order = historicOrder(this.#exchange, element)
        if (order !== undefined) found.set(order.id, order)
      }
      token = page["continuationToken"]
      isFull = rows(page["elements"]).length >= PAGE && token !== undefined
    }
    return [...found.values()]
  }

  /** Of the feed of fills, whose rows say what they cost. */
  noteFill({ order_id, price, qty, time, fee_paid: cost, fee_currency: currency }: Raw): void {
    if (cost === undefined || typeof currency !== "string") return
    this.#fees.set(keyOf(order_id, price, qty, Number(time)), {
      cost: decimalOf(cost).toString(),
      currency: this.#exchange.safeCurrencyCode(currency),
    })
  }

  /** The same fills with their fees, where the feed has said them or the history does. */
  async withFees(trades: ReadonlyArray<CcxtTrade>): Promise<ReadonlyArray<CcxtTrade>> {
    const isUnsaid = (trade: CcxtTrade): boolean => trade.fee === undefined && this.#feeOf(trade) === undefined
    const unsaid = trades.filter(isUnsaid)
    if (unsaid.length > 0 && this.#take(KEPT)) await this.#learn(unsaid)
    return trades.map((trade) => {
      const fee = trade.fee ?? this.#feeOf(trade)
      return fee === undefined ? trade : { ...trade, fee, fees: [fee] }
    })
  }

  #feeOf({ order, price, amount, timestamp }: CcxtTrade): Fee | undefined {
    return this.#fees.get(keyOf(order, price, amount, timestamp))
  }

  /** A failure leaves them without: that what was traded is told does not wait for what it cost. */
  async #learn(trades: ReadonlyArray<CcxtTrade>): Promise<void> {
    const newest = Math.max(...trades.map(({ timestamp }) => timestamp ?? 0))
    const asked = { sort: "desc", count: PAGE, before: newest + 1 }
    const answer = await this.#exchange.historyGetExecutions(asked).catch(() => ({}))
    for (const { event } of rows(record(answer)["elements"])) {
      const { Execution, execution: other } = record(event)
      const execution = record(record(Execution ?? other)["execution"])
      const order = record(execution["order"])
      const cost = record(execution["orderData"])["fee"]
      if (order["uid"] === undefined || cost === undefined) continue
      const quote = this.#quoteOf(order["tradeable"])
      if (quote === undefined) continue
      const key = keyOf(order["uid"], execution["price"], execution["quantity"], Number(execution["timestamp"]))
      this.#fees.set(key, { cost: decimalOf(cost).toString(), currency: quote })
    }
  }

  /** Contracts that are settled in their quote currency have their fees in it. */
  #quoteOf(marketId: unknown): string | undefined {
    try {
      return this.#exchange.market(String(marketId).toUpperCase()).settle
    } catch {
      return undefined
    }
  }
}
