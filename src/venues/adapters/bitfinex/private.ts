/**
 * Corrections for a private instance of ccxt's Bitfinex: nonces that grow, rows that are read by the venue's words, orders that are found after their end, and a
 * stream of the exchange wallet alone. Each replaces one of ccxt's functions on the instance, before its first call.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtBalance, CcxtExchange, CcxtOrder, CcxtSocket, Raw } from "../../worker/exchange/ccxt.ts"
import { classify } from "../../worker/exchange/errors.ts"
import { venueNow } from "../../worker/exchange/venue-clock.ts"
import { quoteFrames, quoteNumbers } from "../../worker/feed/digits.ts"
import { PagingFailed } from "../../worker/session/pages.ts"
import { OrderNotFound } from "../client-id-scheme.ts"
import { mayBeTaken, type NonceSigned, Nonces, placedOnce, signByNonces } from "../nonces.ts"
import { answeredError, bitfinexError, loginError } from "./codes.ts"
import { AccountRows, type Found, isOurOrder, isOurTrade, type Markets, type Row, rowsOf } from "./rows.ts"

type Ask = (params: Raw) => Promise<unknown>

/** What ccxt's Bitfinex has beside every exchange's. */
export interface BitfinexExchange extends NonceSigned, Markets {
  /** Of this instance. */
  accountRows: AccountRows
  parseJson(text: string): unknown
  handleErrors(status: number, ...rest: ReadonlyArray<unknown>): unknown
  milliseconds(): number | string
  createOrderRequest(
    symbol: string,
    type: string,
    side: string,
    amount: string,
    price: string | undefined,
    params: Raw,
  ): Raw
  handleAuthenticationMessage(socket: CcxtSocket, message: Raw): unknown
  parseWsOrder(row: Row): CcxtOrder
  parseWsTrade(row: Row): unknown
  readonly privatePostAuthWOrderSubmit: Ask
  readonly privatePostAuthWOrderUpdate: Ask
  readonly privatePostAuthWOrderCancel: Ask
  readonly privatePostAuthROrders: Ask
  readonly privatePostAuthROrdersSymbol: Ask
  readonly privatePostAuthROrdersHist: Ask
  readonly privatePostAuthROrdersSymbolHist: Ask
  readonly privatePostAuthRTradesHist: Ask
  readonly privatePostAuthRWallets: Ask
  readonly privatePostAuthRInfoUser: Ask
}

/** In microseconds, as the venue's own examples have it: nanoseconds would be above the largest that it takes, 2^53 - 1. */
const NONCES = new Nonces(1n)

const isNonceRefused = (error: unknown): boolean => classify(error).code === "10114"

/** Neither an order nor what is put on one may be taken twice, and the venue keeps no id unique. */
const isOnce = (path: string): boolean => path === "auth/w/order/submit" || path === "auth/w/order/update"

/** What a notification is about. Throws what it says where that is no success. */
const dataOf = (answer: unknown): unknown => {
  const [, , , , data, code, status, text] = Array.isArray(answer) ? (answer as Row) : []
  if (status !== "SUCCESS") throw bitfinexError(code, text)
  return data
}

// Requests and answers.

const signsAndReads = (exchange: BitfinexExchange): void => {
  signByNonces(exchange, NONCES, isNonceRefused, isOnce)
  const parseJson = exchange.parseJson.bind(exchange)
  exchange.parseJson = (text) => parseJson(quoteNumbers(text))
  const handleErrors = exchange.handleErrors.bind(exchange)
  exchange.handleErrors = (status, ...rest) => {
    const [, , , , , answer] = rest
    const error = answeredError(status, answer)
    if (error !== undefined) throw error
    return handleErrors(status, ...rest)
  }
}

// Orders.

/** A page of what has ended. */
const ENDED_MOST = 2500
const HOUR_MILLIS = 3_600_000
/** "Circa two weeks." */
const ENDED_KEPT_MILLIS = 15 * 24 * HOUR_MILLIS

/**
 * All of a stretch, of one pair or of all. Whether the venue goes by the creation of an order or by its end it does not say: a stretch that fills a page is read in
 * halves.
 */
const endedWithin = async (
  exchange: BitfinexExchange,
  of: Raw | undefined,
  start: number,
  end: number,
): Promise<ReadonlyArray<Row>> => {
  const stretch = { ...of, start, end, limit: ENDED_MOST }
  const answer = of === undefined ? exchange.privatePostAuthROrdersHist : exchange.privatePostAuthROrdersSymbolHist
  const rows = rowsOf(await answer.call(exchange, stretch))
  if (rows.length < ENDED_MOST) return rows
  if (end <= start) throw new PagingFailed("more rows with one timestamp than a page of the list can hold")
  const middle = Math.floor((start + end) / 2)
  return [...(await endedWithin(exchange, of, start, middle)), ...(await endedWithin(exchange, of, middle + 1, end))]
}

/**
 * Page by page from the newest on, to the last one that is kept: "no such order" is said of no part of them. What a page has no room for was made, and ended, no
 * later than the earliest end in it, whichever of the two the venue goes by; where that leads nowhere the stretch is read in halves.
 */
const findEnded = async (
  exchange: BitfinexExchange,
  asked: Raw,
  isIt: (row: Row) => boolean,
): Promise<Row | undefined> => {
  let end = Number.POSITIVE_INFINITY
  for (;;) {
    const until = Number.isFinite(end) ? { end } : {}
    const rows = rowsOf(await exchange.privatePostAuthROrdersSymbolHist({ ...asked, ...until, limit: ENDED_MOST }))
    const found = rows.find(isIt)
    if (found !== undefined || rows.length < ENDED_MOST) return found
    const earliest = Math.min(...rows.map((row) => Number(row[5])))
    if (!(earliest < end)) break
    end = earliest
  }
  return (await endedWithin(exchange, asked, venueNow(exchange) - ENDED_KEPT_MILLIS, end)).find(isIt)
}

/** By the venue's id or by ours: what works, then what has ended. In this order, so that one which ends meanwhile is in neither's blind spot. */
const find = async (
  exchange: BitfinexExchange,
  symbol: string,
  isIt: (row: Row) => boolean,
  named: Raw,
): Promise<CcxtOrder> => {
  const asked = { symbol: exchange.market(symbol).id, ...named }
  const active = rowsOf(await exchange.privatePostAuthROrdersSymbol(asked)).find(isIt)
  if (active !== undefined) return exchange.accountRows.order(active, "ACTIVE")
  const found = await findEnded(exchange, asked, isIt)
  if (found === undefined) throw new OrderNotFound("the venue has no such order")
  return exchange.accountRows.order(found, "ENDED")
}

const byId = (exchange: BitfinexExchange, symbol: string, id: string): Promise<CcxtOrder> =>
  find(exchange, symbol, (row) => String(row[0]) === id, { id: [Number(id)] })

/** Its history does not know our ids, and of what works a question needs the day on which it was made: all of the pair are looked through. */
const byCid = (exchange: BitfinexExchange, symbol: string, hex: unknown): Promise<CcxtOrder> => {
  const cid = exchange.accountRows.spelled(String(hex))
  return find(exchange, symbol, (row) => String(row[2]) === cid, {})
}

const isNotFound = (error: unknown): boolean => classify(error).category === "ORDER_NOT_FOUND"

const cancel = async (exchange: BitfinexExchange, asked: Raw): Promise<CcxtOrder> => {
  const row = dataOf(await exchange.privatePostAuthWOrderCancel(asked))
  return exchange.accountRows.order(Array.isArray(row) ? row : [], "SUBMITTED")
}

const submit = (exchange: BitfinexExchange, symbol: string, hex: string, asked: Raw): Promise<CcxtOrder> =>
  placedOnce(
    async () => {
      const [row = []] = rowsOf(dataOf(await exchange.privatePostAuthWOrderSubmit(asked)))
      return exchange.accountRows.order(row, "SUBMITTED")
    },
    () => byCid(exchange, symbol, hex),
    isNonceRefused,
  )

/** The day is that of its creation, by the venue's clock: an older one is found first. */
const cancelByCid = async (exchange: BitfinexExchange, symbol: string, hex: unknown): Promise<CcxtOrder> => {
  const cid_date = new Date(venueNow(exchange)).toISOString().slice(0, 10)
  try {
    return await cancel(exchange, { cid: Number(exchange.accountRows.spelled(String(hex))), cid_date })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  const { id, status } = await byCid(exchange, symbol, hex)
  if (status !== "open") throw new OrderNotFound("the order has ended")
  return cancel(exchange, { id: Number(id) })
}

const IS_POST_ONLY = 4096

/** What the whole quantity grows by: whether `amount` would be the whole or the rest of it, the venue does not say. */
const change = async (
  exchange: BitfinexExchange,
  { id, amount: before, side, status }: CcxtOrder,
  amount: string,
  price: string | undefined,
  postOnly: unknown,
): Promise<CcxtOrder> => {
  if (status !== "open") throw new OrderNotFound("the order has ended")
  const growth = Decimal.of(amount).subtract(Decimal.fromVenue(String(before)) ?? Decimal.ZERO)
  const delta = side === "sell" ? growth.negate() : growth
  const asked = {
    id: Number(id),
    ...(price !== undefined && { price }),
    ...(!delta.isZero() && { delta: delta.toString() }),
    // Said once it is of the order's arrival alone: a change without it may take.
    ...(postOnly === true && { flags: IS_POST_ONLY }),
  }
  const answer = await exchange.privatePostAuthWOrderUpdate(asked).catch((error: unknown) => {
    throw isNonceRefused(error) ? mayBeTaken() : error
  })
  const row = dataOf(answer)
  return exchange.accountRows.order(Array.isArray(row) ? row : [], "SUBMITTED")
}

const sendsOrders = (exchange: BitfinexExchange): void => {
  exchange.createOrder = async (symbol, type, side, amount, price, { cid, ...terms }) => {
    const params = { ...terms, cid: Number(exchange.accountRows.spelled(String(cid))) }
    const asked = exchange.createOrderRequest(symbol, type, side, amount, price, params)
    return submit(exchange, symbol, String(cid), asked)
  }
  exchange.fetchOrder = (id, symbol, { cid }) =>
    id === undefined ? byCid(exchange, symbol, cid) : byId(exchange, symbol, id)
  exchange.cancelOrder = (id, symbol, { cid }) =>
    id === undefined ? cancelByCid(exchange, symbol, cid) : cancel(exchange, { id: Number(id) })
  exchange.editOrder = async (id, symbol, _type, _side, amount, price, { clientOrderId, postOnly }) => {
    const order = id === undefined ? await byCid(exchange, symbol, clientOrderId) : await byId(exchange, symbol, id)
    return change(exchange, order, amount, price, postOnly)
  }
}

// Lists.

const readsWholeLists = (exchange: BitfinexExchange): void => {
  const orders = (rows: ReadonlyArray<Row>, found: Found): ReadonlyArray<CcxtOrder> =>
    rows.filter((row) => isOurOrder(exchange, row)).map((row) => exchange.accountRows.order(row, found))
  exchange.fetchOpenOrders = async (symbol) =>
    orders(
      rowsOf(
        symbol === undefined
          ? await exchange.privatePostAuthROrders({})
          : await exchange.privatePostAuthROrdersSymbol({ symbol: exchange.market(symbol).id }),
      ),
      "ACTIVE",
    )
  exchange.fetchClosedOrders = async (_, since = 0) => {
    const rows = await endedWithin(exchange, undefined, since, venueNow(exchange) + HOUR_MILLIS)
    // One that ends meanwhile may be in both halves.
    return orders([...new Map(rows.map((row) => [row[0], row])).values()], "ENDED")
  }
  // Without an end, which ccxt names by our clock.
  exchange.fetchMyTrades = async (_, since, limit, params) => {
    const asked = { ...params, ...(since !== undefined && { start: since }), ...(limit !== undefined && { limit }) }
    return rowsOf(await exchange.privatePostAuthRTradesHist(asked)).map((row) => exchange.accountRows.trade(row))
  }
  exchange.fetchBalance = async () => ({ info: await exchange.privatePostAuthRWallets({}) }) as unknown as CcxtBalance
}

// The stream.

const ORDER_EVENTS: ReadonlySet<unknown> = new Set(["on", "ou", "oc"])

/** Undefined: nothing is left of it. */
const ofExchangeWallet = (exchange: BitfinexExchange, message: unknown): unknown => {
  if (!Array.isArray(message)) return message
  const [channel, type, data] = message as Row
  if (String(channel) !== "0" || !Array.isArray(data)) return message
  if (type === "os") return [channel, type, rowsOf(data).filter((row) => isOurOrder(exchange, row))]
  if (ORDER_EVENTS.has(type)) return isOurOrder(exchange, data) ? message : undefined
  return type === "tu" && !isOurTrade(exchange, data) ? undefined : message
}

const hearsAccount = (exchange: BitfinexExchange): void => {
  quoteFrames(exchange)
  const authenticate = exchange.authenticate.bind(exchange)
  exchange.authenticate = (...given) => {
    const { milliseconds } = exchange
    // ccxt makes its nonce of them, at once: one that is above those of requests.
    exchange.milliseconds = () => NONCES.next(exchange.apiKey ?? "")
    try {
      return authenticate(...given)
    } finally {
      exchange.milliseconds = milliseconds
    }
  }
  const handleLogin = exchange.handleAuthenticationMessage.bind(exchange)
  exchange.handleAuthenticationMessage = (socket, message) => {
    if (message["status"] === "OK") return handleLogin(socket, message)
    const refused = loginError(message["code"], message["msg"])
    if (isNonceRefused(refused)) NONCES.raise(exchange.apiKey ?? "", 60_000)
    delete socket.subscriptions["authenticated"]
    return socket.reject(refused, "authenticated")
  }
  let found: Found = "ACTIVE"
  const handle = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => {
    const heard = ofExchangeWallet(exchange, message)
    if (heard === undefined) return undefined
    found = Array.isArray(heard) && heard[1] === "oc" ? "ENDED" : "ACTIVE"
    return handle(socket, heard)
  }
  exchange.parseWsOrder = (row) => exchange.accountRows.order(row, found)
  exchange.parseWsTrade = (row) => exchange.accountRows.trade(row)
}

export const prepareBitfinex = (instance: CcxtExchange): void => {
  const exchange = instance as BitfinexExchange
  exchange.accountRows = new AccountRows(exchange)
  signsAndReads(exchange)
  sendsOrders(exchange)
  readsWholeLists(exchange)
  hearsAccount(exchange)
}
