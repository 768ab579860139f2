/**
 * Coinbase's orders, in its lists and in its stream. The lists say what was asked for first, and beside it what was changed since; the stream says
 * what is executed and what is left, and nothing is left of what has ended.
 */
import { Decimal } from "../../../domain/decimal.ts"
import { NewestByName } from "../../../foundation/newest.ts"
import type { CcxtOrder, Raw } from "../../worker/exchange/ccxt.ts"
import { readBack } from "../../worker/session/client-ids.ts"
import { record, rows, word } from "../adapter.ts"

/** A change or a cancel that is queued is one of a working order. */
const STATUS: Readonly<Record<string, string>> = {
  PENDING: "open",
  QUEUED: "open",
  OPEN: "open",
  EDIT_QUEUED: "open",
  CANCEL_QUEUED: "open",
  FILLED: "closed",
  CANCELLED: "canceled",
  EXPIRED: "canceled",
}

const decimalOf = (text: unknown): Decimal => Decimal.fromVenue(String(text ?? "")) ?? Decimal.ZERO
const isSome = (text: unknown): boolean => decimalOf(text).compare(Decimal.ZERO) > 0

/** FAILED behind a fill is an end with that part. */
const statusOf = (info: Raw | undefined, filled: unknown): string | undefined => {
  const status = word(info, "status") ?? undefined
  if (status === "FAILED") return isSome(filled) ? "canceled" : "rejected"
  return status === undefined ? undefined : (STATUS[status] ?? status)
}

const ownClientId = ({ clientOrderId }: CcxtOrder) => readBack(clientOrderId) ?? clientOrderId

/** The newest, whichever end they are listed from. */
const newestEdit = (info: Raw | undefined): Raw | undefined =>
  rows(info?.["edit_history"]).reduce<Raw | undefined>((newest, edit) => {
    const at = (of: Raw) => String(of["replace_accept_timestamp"] ?? "")
    return newest === undefined || at(edit) >= at(newest) ? edit : newest
  }, undefined)

/** Of the lists. An order in quote has a quantity in base once it has ended. */
export const truly = (order: CcxtOrder): CcxtOrder => {
  const { info, filled } = order
  const status = statusOf(info, filled)
  const said = { ...order, status, clientOrderId: ownClientId(order) }
  const configuration = record(info?.["order_configuration"])
  const fok = configuration["limit_limit_fok"]
  if (fok !== undefined) {
    const { base_size, limit_price } = record(fok)
    return { ...said, type: "limit", amount: base_size, price: limit_price }
  }
  if (word(record(configuration["market_market_ioc"]), "quote_size") !== null)
    return { ...said, price: undefined, amount: status === "open" ? undefined : filled }
  const edit = newestEdit(info)
  return edit === undefined
    ? said
    : { ...said, amount: word(edit, "size") ?? said.amount, price: word(edit, "price") ?? said.price }
}

const REMEMBERED = 10_000

interface Terms {
  readonly amount: string
  readonly price: string | null
}

const TIMES_IN_FORCE: Readonly<Record<string, string>> = {
  GOOD_UNTIL_CANCELLED: "GTC",
  GOOD_UNTIL_DATE_TIME: "GTD",
  IMMEDIATE_OR_CANCEL: "IOC",
  FILL_OR_KILL: "FOK",
}

/** Orders of the stream, of which the terms of the newest 10,000 are kept. */
export class WsOrders {
  readonly #terms = new NewestByName<Terms>(REMEMBERED)
  readonly #parse: (order: Raw, market?: unknown) => CcxtOrder

  constructor(parse: (order: Raw, market?: unknown) => CcxtOrder) {
    this.#parse = parse
  }

  /** Without `amount`: the event does not say what was ordered, and nothing before it did. */
  read(row: Raw, market: unknown): CcxtOrder {
    const parsed = this.#parse(row, market)
    const filled = word(row, "cumulative_quantity") ?? "0"
    const type = (word(row, "order_type") ?? "").toLowerCase()
    const terms = type === "limit" ? this.#termsOf(row, filled) : undefined
    const isWholeMarket = type === "market" && word(row, "status") === "FILLED"
    return {
      ...parsed,
      clientOrderId: ownClientId(parsed),
      type,
      timeInForce: TIMES_IN_FORCE[word(row, "time_in_force") ?? ""],
      postOnly: row["post_only"] === true || row["post_only"] === "true",
      status: statusOf(row, filled),
      filled,
      amount: isWholeMarket ? filled : terms?.amount,
      price: terms?.price ?? undefined,
    }
  }

  #termsOf(row: Raw, filled: string): Terms | undefined {
    const id = word(row, "order_id") ?? ""
    const known = this.#terms.get(id)
    const left = word(row, "leaves_quantity")
    const isWhole = word(row, "status") === "FILLED" || isSome(left)
    const said = word(row, "limit_price")
    const price = isSome(said) ? said : (known?.price ?? null)
    const amount = isWhole ? decimalOf(filled).add(decimalOf(left)).toString() : known?.amount
    if (amount === undefined || price === null) return undefined
    const terms = { amount, price }
    this.#terms.set(id, terms)
    return terms
  }
}

/** The channel tells of every product of the account: futures are not listed. */
export const ordersOf = (message: unknown): unknown => {
  const event = record(message)
  if (event["channel"] !== "user" || !Array.isArray(event["events"])) return message
  const isSpot = ({ product_type }: Raw) => product_type === undefined || product_type === "SPOT"
  const events = rows(event["events"]).map((it) => ({ ...it, orders: rows(it["orders"]).filter(isSpot) }))
  return { ...event, events }
}
