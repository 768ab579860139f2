/**
 * Binance's deviations, spot and futures: what ccxt's unified fields lose of its responses and events; books that begin with a REST snapshot to
 * which the buffered changes are applied; a pair of exits as its own order list.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { venueClientId } from "../../../domain/ids.ts"
import type { VenueOrder } from "../../../ports/venue-session.ts"
import type { CcxtExchange, CcxtOrder, CcxtOrderBook, CcxtSocket, Raw } from "../../worker/exchange/ccxt.ts"
import { costTerms, NotSupported, triggerTerms } from "../../worker/session/order-terms.ts"
import { type ExchangeAdapter, word } from "../adapter.ts"
import { saysCode } from "../stops.ts"
import { binanceOrderSocket } from "./order-socket.ts"

// Binance's books begin with a REST snapshot that the buffered changes must join. ccxt skips those that do not, so the answer of a replica
// that lags behind the stream would be taken for the book until the next change. Such an answer is not used: the venue is asked again.

/** Before each further question; a replica is behind by fractions of a second. After the last the subscription begins anew. */
const ASK_AGAIN_MILLIS = [250, 1000]

type Asked = (symbol: string, ...rest: ReadonlyArray<unknown>) => Promise<CcxtOrderBook>

interface Change {
  readonly U?: unknown
  readonly u?: unknown
  /** Of futures: the last update of the change before. */
  readonly pu?: unknown
}

/** Whether changes, oldest first, follow a snapshot of this update without a hole. What it holds already says nothing. */
const joins = (nonce: number, changes: ReadonlyArray<unknown>): boolean => {
  let last = nonce
  for (const change of changes) {
    const { U, u, pu } = change as Change
    const [first, final] = [Number(U), Number(u)]
    if (pu === undefined) {
      if (final <= last) continue
      if (first > last + 1) return false
    } else {
      if (final < last) continue
      if (first > last && Number(pu) !== last) return false
    }
    last = final
  }
  return true
}

/** Changes the instance in place, before its first call. */
const joinSnapshots = (instance: CcxtExchange): void => {
  const exchange = instance as CcxtExchange & { fetchRestOrderBookSafe: Asked }
  const ask: Asked = exchange.fetchRestOrderBookSafe.bind(exchange)
  exchange.fetchRestOrderBookSafe = async (symbol, ...rest) => {
    // The book of another subscription has a question of its own.
    const book = exchange.orderbooks[symbol]
    for (const wait of [...ASK_AGAIN_MILLIS, null]) {
      const snapshot = await ask(symbol, ...rest)
      const now = exchange.orderbooks[symbol]
      if (book === undefined || now === undefined) return snapshot
      // ccxt would begin the new book with what was asked for the old one.
      if (book !== now) return new Promise(() => undefined)
      if (snapshot.nonce !== undefined && joins(snapshot.nonce, book.cache)) return snapshot
      if (wait !== null) await sleep(wait)
    }
    // Spelled as ccxt does where it gives a book up for this (`exchange/errors.ts`).
    throw new Error(`failed to synchronize WebSocket feed with the snapshot of ${symbol}: it is older than the changes`)
  }
}

/**
 * An answer to a request that ccxt does not know any more. It looks for its number in all that is subscribed on the socket, and throws at what is a mark
 * only (`spot: true`, of the user data stream), which ends the stream and leaves every order on that socket in doubt.
 */
const passOverStrangers = (instance: CcxtExchange): void => {
  const exchange = instance as CcxtExchange & {
    handleSubscriptionStatus(socket: CcxtSocket, message: unknown): unknown
  }
  const handle = exchange.handleSubscriptionStatus.bind(exchange)
  exchange.handleSubscriptionStatus = (socket, message) =>
    Object.values(socket.subscriptions).every((it) => typeof it === "object") ? handle(socket, message) : message
}

// A pair of exits as Binance's own order list (POST /api/v3/orderList/oco, which ccxt has no unified method for): one request, two orders
// under client ids of ours, of which the venue ends one when the other is executed, triggered or cancelled.

/** The order belongs to a list: `g` of an event, `orderListId` of an answer; -1 for none. */
const isInBinanceList = ({ info }: CcxtOrder): boolean => {
  const list = info?.["g"] ?? info?.["orderListId"] ?? -1
  return String(list) !== "-1"
}

/** In the venue's words for a leg; without a trigger it rests as maker. */
const wordsOf = ({ trigger, limitPrice, tradeOrderId }: VenueOrder): Readonly<Record<string, string>> => {
  const ClientOrderId = venueClientId(tradeOrderId)
  const price = limitPrice === null ? {} : { Price: limitPrice }
  if (trigger === undefined) {
    if (limitPrice === null) throw new NotSupported("a leg of a list needs a price or a trigger")
    return { Type: "LIMIT_MAKER", ClientOrderId, ...price }
  }
  if (trigger.source !== "LAST_TRADE") throw new NotSupported(`the venue's triggers do not support ${trigger.source}`)
  if (trigger.kind === "TRAILING_STOP")
    throw new NotSupported("a trailing stop follows the gateway's own high-water mark")
  const type = trigger.kind === "STOP" ? "STOP_LOSS" : "TAKE_PROFIT"
  const StopPrice = trigger.stopPrice
  return limitPrice === null
    ? { Type: type, ClientOrderId, StopPrice }
    : { Type: `${type}_LIMIT`, ClientOrderId, StopPrice, TimeInForce: "GTC", ...price }
}

/** It waits for the price to rise. */
const isAbove = ({ trigger, orderSide }: VenueOrder): boolean =>
  trigger === undefined ? orderSide === "SELL" : trigger.on === "RISE"

const placeBinancePair = async (
  exchange: CcxtExchange,
  symbol: string,
  legs: readonly [VenueOrder, VenueOrder],
): Promise<ReadonlyArray<CcxtOrder>> => {
  const [one, other] = legs
  const place = exchange.privatePostOrderListOco
  if (place === undefined) throw new NotSupported("ccxt does not know the venue's lists")
  if (isAbove(one) === isAbove(other) || one.quantity !== other.quantity)
    throw new NotSupported("the legs of a list must have one size, with the market price between them")
  const market = exchange.market(symbol)
  const request: Record<string, string> = {
    symbol: market.id,
    side: one.orderSide,
    quantity: one.quantity,
    newOrderRespType: "RESULT",
  }
  for (const leg of legs)
    for (const [name, value] of Object.entries(wordsOf(leg)))
      request[`${isAbove(leg) ? "above" : "below"}${name}`] = value
  const answer = await place.call(exchange, request)
  const reports = answer["orderReports"]
  return Array.isArray(reports) ? reports.map((report: Raw) => exchange.parseOrder(report, market)) : []
}

/** Of Binance Spot, for one address (REQUEST_WEIGHT in exchangeInfo). */
const WEIGHT_A_MINUTE = 6000

/** The weight that the venue has counted of its limit for one address. */
export const usedWeightOf =
  (aMinute: number): NonNullable<ExchangeAdapter["usedShare"]> =>
  (headers) => {
    const weight = Number(headers.get("x-mbx-used-weight-1m") ?? Number.NaN)
    return Number.isFinite(weight) ? weight / aMinute : undefined
  }

const BINANCE_STOPS: ReadonlyArray<string> = ["STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"]

export const binance: ExchangeAdapter = {
  orderSocket: binanceOrderSocket,
  prepare: passOverStrangers,
  preparePublic: joinSnapshots,
  // `stopLossPrice` and `takeProfitPrice` make the venue's four types of stops, `cost` a quoteOrderQty.
  terms: (order) => ({ ...triggerTerms(order), ...costTerms(order) }),
  placePair: placeBinancePair,
  /** A stop that works is on the book, or was: `isWorking` of an answer, `w` of an event, which is false again once it has ended. */
  isTriggered: ({ info, filled }) =>
    BINANCE_STOPS.includes(word(info, "o", "type") ?? "") &&
    (info?.["isWorking"] === true || info?.["w"] === true || /[1-9]/.test(String(filled ?? "0"))),
  /**
   * Binance says EXPIRED for the rest of an IOC, FOK or market order and for what it cancels itself; it has no order that ends by
   * time, and EXPIRED is kept for time (contract C1.3). EXPIRED_IN_MATCH is its self trade prevention.
   */
  ended: (order) => {
    if (order.status !== "expired") return { status: "CANCELLED", ending: null }
    const status = word(order.info, "X", "status")
    if (status === "EXPIRED_IN_MATCH") return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }
    const timeInForce = word(order.info, "f", "timeInForce")
    const type = word(order.info, "o", "type")
    const remainder =
      timeInForce === "IOC" ||
      timeInForce === "FOK" ||
      type === "MARKET" ||
      type === "STOP_LOSS" ||
      type === "TAKE_PROFIT"
    // A market stop that worked had no counterpart; else the other order of its list was executed or triggered.
    if (isInBinanceList(order) && order.info?.["isWorking"] !== true) return { status: "CANCELLED", ending: "LIST" }
    return { status: "CANCELLED", ending: remainder ? "REMAINDER" : null }
  },
  // The answer to a cancel has the cancel's id in its place.
  orderClientId: (order) => word(order.info, "origClientOrderId") ?? order.clientOrderId ?? null,
  fillClientId: (trade) => word(trade.info, "c"),
  endsPrivateStream: (event) => event["e"] === "eventStreamTerminated",
  // ccxt merges the events of a burst into one answer with all the assets it ever saw, which may be stale after a new connection.
  changedBalances: (event) => {
    const { e, E, B } = event
    if (e !== "outboundAccountPosition" || !Array.isArray(B)) return null
    const rows = B.flatMap((row: Raw) => {
      const [assetId, available, locked] = [word(row, "a"), word(row, "f"), word(row, "l")]
      return assetId === null || available === null || locked === null ? [] : [{ assetId, available, locked }]
    })
    return { at: typeof E === "number" ? E : null, rows }
  },
  usedShare: usedWeightOf(WEIGHT_A_MINUTE),
  // "Too many new orders": of the account. Every other 429 is about the weight of all requests of the address.
  stops: (answer) =>
    answer.status === 429 && answer.ofAccount && saysCode(answer, /"code":\s*-1015\b/)
      ? { scope: "ACCOUNT", millis: null }
      : undefined,
  // A difference, not a balance: ccxt adds it to what it does not know. The account position that follows has the amounts.
  misleads: (event) => event["e"] === "balanceUpdate" || event["e"] === "externalLockUpdate",
}
