/**
 * Gate's orders and trades as ccxt 4.5.84 reads them, put right: it hands on words of how an order ended that it does not know, reckons the quantity of a
 * market buy by quotients, and drops a fee whose asset the stream leaves out.
 */
import { Decimal } from "../../../domain/decimal.ts"
import { Newest } from "../../../foundation/newest.ts"
import type { CcxtExchange, CcxtOrder, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { record, word } from "../adapter.ts"

const isSome = (amount: string | null): boolean => amount !== null && /[1-9]/.test(amount)

/** Its amount is of the quote asset, and so is what is left of it. */
export const isByValue = ({ type, side }: Raw): boolean => type === "market" && side === "buy"

/** "Any order that is not filled totally is cancelled." Lists say `status`, the stream says `event`. */
const isOver = ({ status, event }: Raw): boolean => (status === undefined ? event === "finish" : status !== "open")

const isWhole = (info: Raw): boolean => {
  if (info["status"] !== undefined) return info["status"] === "closed"
  const finish = word(info, "finish_as")
  return (
    finish === "filled" || ((finish === null || finish === "-" || finish === "unknown") && !isSome(word(info, "left")))
  )
}

/** What remains of a market buy is less than one step of the pair costs, at a price a tenth above what it paid. */
const isSpent = (exchange: CcxtExchange, { symbol }: CcxtOrder, info: Raw): boolean => {
  const left = word(info, "left")
  if (left === null || symbol === undefined) return false
  const step = Number(exchange.market(symbol).precision.amount)
  return Number(left) < step * Number(word(info, "avg_deal_price")) * 1.1
}

const filledOf = ({ filled }: CcxtOrder, info: Raw): unknown => {
  const [amount, left] = [word(info, "amount"), word(info, "left")].map((text) => Decimal.fromVenue(text ?? ""))
  if (isByValue(info) || amount === undefined || left === undefined) return word(info, "filled_amount") ?? filled
  return amount.subtract(left).toString()
}

export const truly = (exchange: CcxtExchange, order: CcxtOrder): CcxtOrder => {
  const info = order.info ?? {}
  // An answer that names the order alone.
  if (info["status"] === undefined && info["event"] === undefined) return order
  const filled = filledOf(order, info)
  const over = isOver(info)
  const isFilled =
    over && (isWhole(info) || (isByValue(info) && isSome(String(filled)) && isSpent(exchange, order, info)))
  return {
    ...order,
    status: !over ? "open" : isFilled ? "closed" : "canceled",
    filled,
    // It has one in base once it is over.
    amount: isByValue(info) ? (over ? filled : undefined) : order.amount,
  }
}

/** Where the stream names no asset, a fee is taken from what is received. */
export const withFeeAsset = (trade: CcxtTrade): CcxtTrade => {
  const info = record(trade.info)
  const fee = word(info, "fee")
  if (fee === null || word(info, "fee_currency") !== null || trade.symbol === undefined) return trade
  const [base, quote] = trade.symbol.split("/")
  const currency = trade.side === "buy" ? base : quote
  const others = (trade.fees ?? []).filter((it) => it.currency !== undefined)
  return { ...trade, fees: [{ cost: fee, currency }, ...others] }
}

const REMEMBERED = 10_000

/** Of an account whose isolated margin and other accounts share its streams. */
export class Streamed {
  readonly #elsewhere = new Newest(REMEMBERED)
  readonly #rested = new Newest(REMEMBERED)

  /** Orders that worked; what ended without a fill since may have worked. */
  note({ id, status }: CcxtOrder): void {
    if (status === "open" && id !== undefined) this.#rested.add(id)
  }

  hasRested(id: string | undefined): boolean {
    return id !== undefined && this.#rested.has(id)
  }

  isOfSpot(order: Raw): boolean {
    const { account } = order
    if (account === undefined || account === "spot") return true
    this.#elsewhere.add(String(order["id"]))
    return false
  }

  isTradeOfSpot(trade: Raw): boolean {
    return !this.#elsewhere.has(String(trade["order_id"]))
  }
}
