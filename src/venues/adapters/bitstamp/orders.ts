/**
 * Bitstamp's orders, which the venue tells in four forms: the answer to a new one, a row of the open ones, order_status and the stream. Only the stream says
 * what an order was placed with; order_status says what is left of it and its trades. What was heard of an order is remembered for what says less.
 */
import { Decimal } from "../../../domain/decimal.ts"
import { NewestByName } from "../../../foundation/newest.ts"
import type { CcxtMarket, CcxtOrder, Raw } from "../../worker/exchange/ccxt.ts"
import { record, rows } from "../adapter.ts"

export interface Terms {
  readonly type: "limit" | "market"
  readonly timeInForce: string | undefined
  readonly postOnly: boolean
  readonly price: string | undefined
  readonly amount: string | undefined
}

interface Known {
  terms: Terms | undefined
  /** `performance.now()` of its request; of one that was not placed by this session undefined. */
  readonly sentAt: number | undefined
  hasWorked: boolean
  isCancelAsked: boolean
  /** It ended at once, because it could only make. */
  wouldTake: boolean
}

const fresh = (terms: Terms | undefined, sentAt: number | undefined): Known => ({
  terms,
  sentAt,
  hasWorked: false,
  isCancelAsked: false,
  wouldTake: false,
})

const REMEMBERED = 10_000
/** Of orders that may be another account's, until the key is asked. */
const TOLD = 1000
/** What a post-only order was ended for is of the moment in which it came. */
const ARRIVAL_MILLIS = 1000

/** The orders of the account whose key it is: by the venue's ids, and by ours. */
export class HeardOrders {
  readonly #known = new NewestByName<Known>(REMEMBERED)
  readonly #told = new NewestByName<Terms>(TOLD)

  /** Its streams tell of all accounts of a user: what the key has not placed or been answered about may be another's. */
  isOwn(...names: ReadonlyArray<string | undefined>): boolean {
    return this.#find(names) !== undefined
  }

  sent(clientId: string, terms: Terms): void {
    this.#known.set(clientId, fresh(terms, performance.now()))
  }

  /** The key was answered about it. */
  owned(id: string, clientId: string | undefined): void {
    const known = this.#find([id, clientId]) ?? fresh(this.#told.get(id), undefined)
    this.#known.set(id, known)
    if (clientId !== undefined) this.#known.set(clientId, known)
  }

  cancelAsked(name: string): void {
    const known = this.#find([name])
    if (known !== undefined) known.isCancelAsked = true
  }

  termsOf(...names: ReadonlyArray<string | undefined>): Terms | undefined {
    return this.#find(names)?.terms
  }

  /** As it is told; `terms` where this said them. */
  heard(order: CcxtOrder, terms: Terms | undefined): CcxtOrder {
    const known = this.#find([order.id, order.clientOrderId])
    if (known === undefined) {
      if (order.id !== undefined && terms !== undefined) this.#told.set(order.id, terms)
      return order
    }
    known.terms ??= terms
    if (order.status === "open") known.hasWorked = true
    if (order.status === "canceled" && this.#isKilled(known, order)) known.wouldTake = true
    return { ...order, info: { ...order.info, wouldTake: known.wouldTake } }
  }

  #isKilled({ terms, sentAt, hasWorked, isCancelAsked }: Known, { filled }: CcxtOrder): boolean {
    if (terms?.postOnly !== true || sentAt === undefined || isCancelAsked || /[1-9]/.test(String(filled ?? "")))
      return false
    return !hasWorked || performance.now() - sentAt <= ARRIVAL_MILLIS
  }

  #find(names: ReadonlyArray<string | undefined>): Known | undefined {
    for (const name of names) {
      const known = name === undefined ? undefined : this.#known.get(name)
      if (known !== undefined) return known
    }
    return undefined
  }
}

/** Ids are numbers in some answers and texts in others. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined

const decimalOf = (value: unknown): Decimal | undefined => Decimal.fromVenue(textOf(value) ?? "")

const less = (whole: unknown, part: unknown): string | undefined => {
  const [a, b] = [decimalOf(whole), decimalOf(part)]
  return a === undefined || b === undefined ? undefined : a.subtract(b).toString()
}

/** "0 - buy; 1 - sell." */
const sideOf = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text === "0" ? "buy" : text === "1" ? "sell" : undefined
}

/** `2021-11-25 12:59:59.322000`, UTC. */
const instantOf = (value: unknown): number | undefined => {
  const at = typeof value === "string" ? Date.parse(`${value.replace(" ", "T")}Z`) : Number.NaN
  return Number.isFinite(at) ? at : undefined
}

const order = (symbol: string | undefined, info: Raw, said: Partial<CcxtOrder>): CcxtOrder => ({
  id: textOf(info["id"]),
  clientOrderId: textOf(info["client_order_id"]),
  symbol,
  type: undefined,
  timeInForce: undefined,
  postOnly: undefined,
  side: undefined,
  price: undefined,
  amount: undefined,
  filled: undefined,
  status: undefined,
  timestamp: undefined,
  lastUpdateTimestamp: undefined,
  lastTradeTimestamp: undefined,
  trades: undefined,
  info,
  ...said,
})

const wordsOf = (terms: Terms | undefined): Partial<CcxtOrder> =>
  terms === undefined
    ? {}
    : { type: terms.type, timeInForce: terms.timeInForce, postOnly: terms.postOnly, price: terms.price }

/** The answer to a new order: its id, and what was asked for. */
export const placed = (symbol: string | undefined, row: Raw): CcxtOrder =>
  order(symbol, row, { side: sideOf(row["type"]), timestamp: instantOf(row["datetime"]), amount: row["amount"] })

/** A row of open_orders: `amount` is what remains. */
export const listed = (symbol: string | undefined, row: Raw, terms: Terms | undefined): CcxtOrder => {
  const amount = textOf(row["amount_at_create"]) ?? textOf(row["amount"])
  return order(symbol, row, {
    type: "limit",
    ...wordsOf(terms),
    status: "open",
    side: sideOf(row["type"]),
    price: textOf(row["price"]),
    amount,
    filled: less(amount, row["amount"]),
    timestamp: instantOf(row["datetime"]),
  })
}

const STATUS: Readonly<Record<string, string>> = {
  "In Queue": "open",
  Open: "open",
  "Cancel pending": "open",
  Finished: "closed",
  Canceled: "canceled",
  Expired: "expired",
}

/** A trade that the account was both sides of stands there twice. */
const executedIn = (transactions: ReadonlyArray<Raw>, base: string): Decimal => {
  const byId = new Map(transactions.map((row) => [textOf(row["tid"]), row]))
  return [...byId.values()].reduce(
    (sum, row) => sum.add(decimalOf(row[base.toLowerCase()]) ?? Decimal.ZERO),
    Decimal.ZERO,
  )
}

/** order_status: what an order was placed with is what remains and what was traded. */
export const shown = (market: CcxtMarket, row: Raw, terms: Terms | undefined): CcxtOrder => {
  const transactions = rows(row["transactions"])
  const traded = executedIn(transactions, market.base)
  const left = decimalOf(row["amount_remaining"])
  const whole = textOf(row["amount"]) ?? terms?.amount
  const filled =
    transactions.length > 0 || whole === undefined ? traded.toString() : less(whole, row["amount_remaining"])
  return order(market.symbol, row, {
    ...wordsOf(terms),
    ...(row["price"] !== undefined && terms === undefined && { price: textOf(row["price"]) }),
    status: STATUS[String(row["status"])],
    side: sideOf(row["type"]),
    amount: whole ?? (left === undefined ? undefined : traded.add(left).toString()),
    filled: filled ?? traded.toString(),
    timestamp: instantOf(row["datetime"]),
  })
}

/** `order_subtype`, as far as it is known; others are told by their price alone. */
const SUBTYPES: Readonly<Record<string, Partial<Terms>>> = {
  "0": { type: "limit" },
  "1": { type: "market" },
  "2": { type: "market" },
  "4": { type: "limit", timeInForce: "IOC" },
  "5": { type: "limit", postOnly: true },
  "6": { type: "limit", timeInForce: "FOK" },
  "8": { type: "limit", timeInForce: "GTD" },
}

export const streamedTerms = (row: Raw): Terms => {
  const said = SUBTYPES[String(row["order_subtype"])]
  return {
    type: said?.type ?? "limit",
    timeInForce: said?.timeInForce,
    postOnly: said?.postOnly ?? false,
    price: said?.type === "market" ? undefined : textOf(row["price_str"]),
    amount: textOf(row["amount_at_create"]),
  }
}

/** `data` of private-my_orders, under the name of its event. What remains and what was traded are what was ordered. */
export const streamed = (symbol: string | undefined, row: Raw): CcxtOrder => {
  const left = textOf(row["amount_str"])
  const micros = Number(row["microtimestamp"])
  const isOver = row["event"] === "order_deleted"
  const isWhole = isOver && left !== undefined && !/[1-9]/.test(left)
  return order(symbol, row, {
    ...wordsOf(streamedTerms(row)),
    id: textOf(row["id_str"]) ?? textOf(row["id"]),
    status: isWhole ? "closed" : isOver ? "canceled" : "open",
    side: sideOf(row["order_type"]),
    amount: textOf(row["amount_at_create"]),
    filled: less(row["amount_at_create"], left),
    lastUpdateTimestamp: Number.isFinite(micros) ? Math.floor(micros / 1000) : undefined,
  })
}

/** Of user_transactions: an exchange rate is a number there, of which ccxt would read an exponent. */
export const tradeRows = (answer: unknown, spell: (rate: number) => string): ReadonlyArray<Raw> =>
  rows(answer)
    .filter((row) => textOf(row["type"]) === "2")
    .map((row) => {
      const rate = Object.entries(record(row)).find(
        ([name, value]) => /^[a-z0-9]+_[a-z0-9]+$/.test(name) && isRate(name, value),
      )
      return rate === undefined ? row : { ...row, price: typeof rate[1] === "number" ? spell(rate[1]) : rate[1] }
    })

const OTHERS: ReadonlySet<string> = new Set(["order_id", "self_trade", "self_trade_order_id"])

const isRate = (name: string, value: unknown): boolean =>
  !OTHERS.has(name) && (typeof value === "number" || typeof value === "string")
