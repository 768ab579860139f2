/**
 * Gemini spot of an account's own key, and its deviations from ccxt 4.5.84, which has a stream without its acknowledged end of orders, an order filled with its first
 * trade, and no trade at all of its events. Source: developer.gemini.com for REST; the fields of order events are ccxt's and no page
 * of the venue's was read for them.
 */
import type { CcxtCache, CcxtExchange, CcxtOrder, CcxtSocket, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { LOST_PLACE } from "../../worker/exchange/errors.ts"
import { endSocket } from "../../worker/exchange/sockets.ts"
import { readBack } from "../../worker/session/client-ids.ts"
import { NotSupported } from "../../worker/session/order-terms.ts"
import { PagingFailed } from "../../worker/session/pages.ts"
import { type ExchangeAdapter, type Leaving, record, rows, word } from "../adapter.ts"
import { adapterByScheme, commonScheme, OrderNotFound } from "../client-id-scheme.ts"
import { sharesTime, tellsTime } from "../dated-clock.ts"
import { type NonceSigned, placedOnce } from "../nonces.ts"
import { countedByAccount, type RestAnswer, type Stop, turnedAway } from "../stops.ts"
import { isHint, isRemainder, type Names, reasonOf, shown, told, tradeTold, unbroken } from "./orders.ts"
import { isNonceUsed, keepAlive, signByKind } from "./signing.ts"

type Ask = (params: Raw) => Promise<unknown>

/** What ccxt's Gemini has beside every exchange's. */
interface GeminiExchange extends NonceSigned, Names {
  safeSymbol(marketId: string | undefined, market?: unknown): string
  handleErrors(status: number, ...rest: ReadonlyArray<unknown>): unknown
  watch(url: string, key: string, message: Raw | undefined, subscription: string): Promise<unknown>
  readonly publicGetV1Symbols: Ask
  readonly privatePostV1OrderStatus: Ask
  readonly privatePostV1Mytrades: Ask
}

// Public streams.

/**
 * How a stream of Gemini ends, which ccxt does not know. Book and trades of a market come by one subscription, whose end the venue does
 * not acknowledge; it reads in order, so what follows is of the next one.
 */
const leaving: Leaving = {
  isJoint: true,
  leave: ({ stream, market: { id, symbol } }) =>
    stream === "ticker"
      ? null
      : {
          message: { type: "unsubscribe", subscriptions: [{ name: "l2", symbols: [id.toUpperCase()] }] },
          keys: [`l2:${symbol}`],
          waiting: [`orderbook:${symbol}`, `trades:${symbol}`],
          isHeard: null,
        },
}

// Answers.

/** By this name it is classified, like ccxt's own: nothing is known of what was asked for. */
class ExchangeNotAvailable extends Error {
  override readonly name = "ExchangeNotAvailable"
}

/** These say it under any body. */
const isLimit = (status: number): boolean => status === 418 || status === 429

/** ccxt keeps the message of a refusal and drops its reason, and takes a page in place of JSON for an order that is not there, or a request that is wrong. */
const keepReasons = (exchange: GeminiExchange): void => {
  const handle = exchange.handleErrors.bind(exchange)
  exchange.handleErrors = (status, reason, url, method, headers, body, response, ...rest) => {
    const isSaid = record(response)["result"] === "error"
    if (!isSaid && status >= 400 && !isLimit(status))
      throw new ExchangeNotAvailable(`${exchange.id} answered ${status} without a reason`)
    try {
      return handle(status, reason, url, method, headers, body, response, ...rest)
    } catch (error) {
      if (isSaid && error instanceof Error) error.message = `${exchange.id} ${body}`
      throw error
    }
  }
}

const TURNED_AWAY_MILLIS = 60_000
const byAccount = countedByAccount()

/** What stands before the venue turns an address away with a page, and names no time. */
const stops = (answer: RestAnswer): Stop | undefined => turnedAway(answer, TURNED_AWAY_MILLIS) ?? byAccount(answer)

const placesOnce = (exchange: GeminiExchange): void => {
  const create = exchange.createOrder.bind(exchange)
  exchange.createOrder = async (symbol, type, side, amount, price, params) => {
    // "The API doesn't directly support market orders."
    if (type !== "limit") throw new NotSupported("the venue has limit orders only")
    return placedOnce(
      () => create(symbol, type, side, amount, price, params),
      () => shownBy(exchange, { client_order_id: params["clientOrderId"] }),
      isNonceUsed,
    )
  }
}

const shownBy = async (exchange: GeminiExchange, asked: Raw): Promise<CcxtOrder> => {
  const answer = await exchange.privatePostV1OrderStatus(asked)
  // Of an id that was used more than once it may have several.
  const all = Array.isArray(answer) ? rows(answer) : [record(answer)]
  const newest = all.reduce<Raw | undefined>((best, row) => (isNewer(row, best) ? row : best), undefined)
  if (newest === undefined) throw new OrderNotFound("no order of the account has this id")
  return shown(exchange, newest)
}

const readsAnswers = (exchange: GeminiExchange): void => {
  exchange.parseOrder = (row) => shown(exchange, row)
  exchange.fetchOrder = (id, _, { client_order_id }) =>
    shownBy(exchange, id === undefined ? { client_order_id } : { order_id: id })
}

const isNewer = (row: Raw, best: Raw | undefined): boolean =>
  best === undefined || Number(row["timestampms"]) > Number(best["timestampms"])

/** The list of trades goes on from its oldest row only where it has those first, as the venue describes it: the first full page proves it. */
const readsTrades = (exchange: GeminiExchange): void => {
  let isOldestFirst = false
  exchange.fetchMyTrades = async (symbol, since, limit = 500, params) => {
    const market = exchange.market(symbol ?? "")
    const ask = async (limit_trades: number) =>
      rows(
        await exchange.privatePostV1Mytrades({
          symbol: market.id,
          limit_trades,
          // "On or after", which costs a row where it is after.
          ...(since !== undefined && { timestamp: Math.max(0, since - 1) }),
          ...params,
        }),
      )
    const page = await ask(limit)
    if (since !== undefined && page.length >= limit && !isOldestFirst) {
      const [first] = await ask(1)
      const oldest = Math.min(...page.map((row) => Number(row["timestampms"])))
      if (Number(first?.["timestampms"]) !== oldest)
        throw new PagingFailed(
          "the venue's list of trades does not begin with the oldest: it cannot be read completely",
        )
      isOldestFirst = true
    }
    return exchange.parseTrades(unbroken(page), market)
  }
}

// The private stream.

const CHANNEL = "events"
const ORDERS = "orders"

/** The headers of the login go over the socket's settings, and ccxt would replace them all: route, proxy and backoff with them. */
const keepSocketSettings = (exchange: CcxtExchange): void => {
  const extend = exchange.extendExchangeOptions.bind(exchange)
  exchange.extendExchangeOptions = (settings) => {
    const [given, kept] = [record(settings["ws"]), record(exchange.options["ws"])]
    extend({
      ...settings,
      ws: { ...given, ...kept, options: { ...record(given["options"]), ...record(kept["options"]) } },
    })
  }
}

/** Every message of the connection is counted, heartbeats too: a hole is a message that was lost. */
class Sequences {
  readonly #last = new WeakMap<CcxtSocket, number>()

  /** In words; undefined: there is none. Events of one message may have a number each, or one for all. */
  holeBefore(socket: CcxtSocket, parts: ReadonlyArray<Raw>): string | undefined {
    const numbers = parts.map((part) => Number(part["socket_sequence"] ?? Number.NaN)).filter(Number.isFinite)
    if (numbers.length === 0) return undefined
    const previous = this.#last.get(socket)
    this.#last.set(socket, Math.max(previous ?? 0, ...numbers))
    const first = Math.min(...numbers)
    return previous === undefined || first <= previous + 1 ? undefined : `from ${previous} to ${first}`
  }
}

const cache = <A>(): CcxtCache<A> => ({ append: () => undefined })

/** The same was said by the event before it, in full. */
const REPEATS: ReadonlySet<unknown> = new Set(["closed"])

const readsEvents = (exchange: GeminiExchange, hear: (at: number) => void, begin: () => void): void => {
  const orders = cache<CcxtOrder>()
  const trades = cache<CcxtTrade>()
  Object.assign(exchange, { orders, myTrades: trades })
  const sequences = new Sequences()
  exchange.watchOrders = async () => {
    // All kinds of events: what is filtered out might be counted.
    const url = `${record(exchange.urls["api"])["ws"]}/v1/order/events?heartbeat=true`
    if (exchange.clients[url] === undefined) {
      begin()
      // A refused dial does not say why; this says whether the key is good, and of which kind.
      await exchange.fetchBalance()
      await exchange.authenticate({ url })
    }
    return exchange.watch(url, ORDERS, undefined, ORDERS)
  }
  const tell = (event: Raw): void => {
    const trade = tradeTold(exchange, event)
    if (trade !== undefined) exchange.myTrades?.append(trade)
    if (!REPEATS.has(event["type"])) exchange.orders?.append(told(exchange, event))
  }
  const handle = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => {
    const parts = Array.isArray(message) ? rows(message) : [record(message)]
    const hole = sequences.holeBefore(socket, parts)
    if (hole !== undefined) {
      endSocket(socket, `${LOST_PLACE} order events jumped ${hole}`)
      return undefined
    }
    for (const part of parts) if (part["type"] !== "initial") hear(Number(part["timestampms"] ?? Number.NaN))
    const events = parts.filter((part) => part["order_id"] !== undefined)
    if (events.length === 0 && !Array.isArray(message)) return handle(socket, message)
    for (const event of events) tell(event)
    return undefined
  }
}

const prepare = (instance: CcxtExchange): void => {
  const exchange = instance as GeminiExchange
  keepSocketSettings(exchange)
  const { now, hear } = sharesTime(exchange)
  const begin = keepAlive(exchange, signByKind(exchange, now))
  keepReasons(exchange)
  placesOnce(exchange)
  readsAnswers(exchange)
  readsTrades(exchange)
  readsEvents(exchange, hear, begin)
}

export const gemini: ExchangeAdapter = adapterByScheme(
  { ...commonScheme, askParam: "client_order_id" },
  {
    prepare,
    // The clock has no question of its own.
    preparePublic: (exchange) => tellsTime(exchange, () => (exchange as GeminiExchange).publicGetV1Symbols({})),
    leaving,
    channels: [CHANNEL],
    channelNews: ({ type, result }) =>
      type === "subscription_ack"
        ? [{ channel: CHANNEL, isTaken: true }]
        : result === "error"
          ? [{ channel: CHANNEL, isTaken: false }]
          : [],
    ended: (order) => {
      if (reasonOf(order) === "SelfCrossPrevented") return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }
      return { status: "CANCELLED", ending: isRemainder(order) ? "REMAINDER" : null }
    },
    neverWorked: (order) => reasonOf(order) === "MakerOrCancelWouldTake",
    // "If the order is already canceled, the message will succeed but have no effect": of one that was filled, too.
    cancelPends: ({ status }) => status !== "canceled",
    fillClientId: ({ info }) => readBack(word(record(info), "client_order_id")),
    eventsAreHints: isHint,
    // There is no stream of them.
    balancesMoved: (event) => Array.isArray(event) && event.some((part) => record(part)["type"] !== "initial"),
    stops,
  },
)
