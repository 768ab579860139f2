/**
 * Bitfinex's rows of orders and trades, read cell by cell. ccxt 4.5.84 does not know most of the words by which an order has ended, reads our id from another
 * cell and the fee with another sign of the stream, and has what other wallets do among the rest.
 */
import { Decimal } from "../../../domain/decimal.ts"
import { Newest, NewestByName } from "../../../foundation/newest.ts"
import type { CcxtExchange, CcxtMarket, CcxtOrder, CcxtTrade } from "../../worker/exchange/ccxt.ts"
import { spelled } from "../../worker/session/client-ids.ts"

/** Cells are texts: numbers were put between quotes. */
export type Row = ReadonlyArray<unknown>

export const rowsOf = (answer: unknown): ReadonlyArray<Row> =>
  Array.isArray(answer) ? answer.filter((it): it is Row => Array.isArray(it)) : []

/** Where a row was found. ACTIVE: it works. ENDED: it does not. SUBMITTED: in the answer to what was asked for, which goes by its words. */
export type Found = "ACTIVE" | "ENDED" | "SUBMITTED"

export interface Markets {
  readonly markets_by_id: Readonly<Record<string, ReadonlyArray<CcxtMarket>>> | undefined
}

const textOf = (cell: unknown): string | undefined =>
  cell === null || cell === undefined || cell === "" ? undefined : String(cell)

const numberOf = (cell: unknown): number | undefined => {
  const text = textOf(cell)
  return text === undefined ? undefined : Number(text)
}

const decimalOf = (cell: unknown): Decimal | undefined => Decimal.fromVenue(textOf(cell) ?? "")

const symbolOf = ({ markets_by_id }: Markets, cell: unknown): string | undefined =>
  markets_by_id?.[textOf(cell) ?? ""]?.find(({ spot }) => spot === true)?.symbol

const EXCHANGE_WALLET = /^EXCHANGE /

/** Of the exchange wallet, in a pair that is known: ccxt throws at others. */
export const isOurOrder = (exchange: Markets, row: Row): boolean =>
  EXCHANGE_WALLET.test(String(row[8])) && symbolOf(exchange, row[3]) !== undefined

export const isOurTrade = (exchange: Markets, row: Row): boolean =>
  (textOf(row[6]) === undefined || EXCHANGE_WALLET.test(String(row[6]))) && symbolOf(exchange, row[1]) !== undefined

const IS_POST_ONLY = 4096

const END = /^(?:FORCED )?EXECUTED\b|\bCANCELED\b|^INSUFFICIENT |^RSN_/

/** Undefined: neither where it was found nor its words say it. "PARTIALLY FILLED" is the word of one that works, and of one that ended in part. */
const statusOf = (word: string, found: Found, left: Decimal | undefined): string | undefined => {
  if (found === "ENDED" || END.test(word)) return left?.isZero() === true ? "closed" : "canceled"
  return found === "ACTIVE" || /^(?:ACTIVE|PARTIALLY FILLED)\b/.test(word) ? "open" : undefined
}

const kindOf = (kind: string): Pick<CcxtOrder, "type" | "timeInForce"> => {
  const isPriced = /LIMIT|FOK|IOC/.test(kind)
  return {
    type: isPriced ? "limit" : "market",
    timeInForce: kind.endsWith("IOC") ? "IOC" : kind.endsWith("FOK") ? "FOK" : "GTC",
  }
}

/** Sold is what is below zero. */
const sideOf = (amount: Decimal): "buy" | "sell" => (amount.isNegative() ? "sell" : "buy")

const orderOf = (exchange: Markets, row: Row, found: Found): CcxtOrder => {
  const [left, whole] = [decimalOf(row[6]), decimalOf(row[7])]
  const kind = String(row[8] ?? "")
  // The price of a stop is its trigger's.
  const price = kind.includes("STOP") ? row[19] : row[16]
  return {
    id: textOf(row[0]),
    clientOrderId: textOf(row[2]),
    symbol: symbolOf(exchange, row[3]),
    ...kindOf(kind),
    postOnly: (Number(row[12] ?? 0) & IS_POST_ONLY) !== 0,
    side: whole === undefined ? undefined : sideOf(whole),
    price: textOf(price),
    amount: whole?.abs().toString(),
    filled: whole === undefined || left === undefined ? undefined : whole.subtract(left).abs().toString(),
    status: statusOf(String(row[13] ?? ""), found, left),
    timestamp: numberOf(row[4]),
    lastUpdateTimestamp: numberOf(row[5]),
    lastTradeTimestamp: undefined,
    trades: undefined,
    info: { ...row },
  }
}

/** One of another wallet keeps its place in the list, and has no symbol. */
const tradeOf = (exchange: CcxtExchange & Markets, row: Row): CcxtTrade => {
  const amount = decimalOf(row[4])
  const fee = decimalOf(row[9])
  const currency = textOf(row[10])
  const paid =
    fee === undefined || currency === undefined
      ? undefined
      : { cost: fee.negate().toString(), currency: exchange.safeCurrencyCode(currency) }
  return {
    id: textOf(row[0]),
    order: textOf(row[3]),
    symbol: isOurTrade(exchange, row) ? symbolOf(exchange, row[1]) : undefined,
    side: amount === undefined ? undefined : sideOf(amount),
    price: textOf(row[5]),
    amount: amount?.abs().toString(),
    timestamp: numberOf(row[2]),
    fee: paid,
    fees: undefined,
    info: { ...row },
  }
}

const REMEMBERED = 10_000

/**
 * Reads the rows of one account. Its orders have our ids as numbers, of which nothing can be read back: those that this instance has sent, or asked for, it knows
 * again. Of an order it says whether it has worked: of what ended without a fill that is not in its row.
 */
export class AccountRows {
  readonly #exchange: CcxtExchange & Markets
  readonly #rested = new Newest(REMEMBERED)
  readonly #ids = new NewestByName<string>(REMEMBERED)

  constructor(exchange: CcxtExchange & Markets) {
    this.#exchange = exchange
  }

  /** Our id as the venue takes it. */
  spelled(hex: string): string {
    const cid = spelled(hex, "number")
    this.#ids.set(cid, hex)
    return cid
  }

  order(row: Row, found: Found): CcxtOrder {
    const order = orderOf(this.#exchange, row, found)
    const { id = "", status, info, clientOrderId } = order
    if (found === "ACTIVE" && status === "open") this.#rested.add(id)
    return {
      ...order,
      clientOrderId: this.#ids.get(clientOrderId ?? "") ?? clientOrderId,
      info: { ...info, hasRested: this.#rested.has(id) },
    }
  }

  trade(row: Row): CcxtTrade {
    const trade = tradeOf(this.#exchange, row)
    return { ...trade, info: { ...trade.info, clientOrderId: this.#ids.get(String(row[11])) } }
  }
}
