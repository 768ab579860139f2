/**
 * Deribit, linear perpetuals, and its deviations from ccxt 4.5.84: which finds no order by its label, sends orders that the venue may take whenever it
 * likes, reads lists without their end and without what is older than a day, takes any error for the venue's failure and an old login for a good one.
 * Source: docs.deribit.com, API v2.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type {
  CcxtBalance,
  CcxtCache,
  CcxtExchange,
  CcxtMarket,
  CcxtSocket,
  CcxtTrade,
  Raw,
} from "../../worker/exchange/ccxt.ts"
import { venueNow } from "../../worker/exchange/venue-clock.ts"
import { readBack } from "../../worker/session/client-ids.ts"
import { NotSupported } from "../../worker/session/order-terms.ts"
import {
  type BalanceRow,
  type ContractRow,
  type ExchangeAdapter,
  type LeavableStream,
  type Leaving,
  record,
  rows,
  word,
} from "../adapter.ts"
import { adapterByScheme, commonScheme, OrderNotFound } from "../client-id-scheme.ts"
import type { VenueProfile } from "../profile.ts"
import { countedByAccount, type RestAnswer, type Stop, turnedAway } from "../stops.ts"
import { ClockError, ExchangeError } from "./codes.ts"
import { decimalOf, ended, firstOf, orderOf, symbolOf, tradeOf } from "./orders.ts"

type Ask = (params: Raw) => Promise<Raw>

/** What ccxt's Deribit has beside every exchange's. */
interface DeribitExchange extends CcxtExchange {
  fetchMarkets(params?: Raw): Promise<ReadonlyArray<CcxtMarket>>
  milliseconds(): number
  nonce(): unknown
  handleErrors(status: unknown, reason: unknown, url: unknown, ...rest: ReadonlyArray<unknown>): unknown
  handleOrders(socket: CcxtSocket, message: Raw): unknown
  parseTrade(trade: Raw, market?: unknown): CcxtTrade
  readonly privateGetBuy: Ask
  readonly privateGetSell: Ask
  readonly privateGetEdit: Ask
  readonly privateGetCancel: Ask
  readonly privateGetGetOrderState: Ask
  readonly privateGetGetOrderStateByLabel: Ask
  readonly privateGetGetOpenOrders: Ask
  readonly privateGetGetOrderHistoryByInstrument: Ask
  readonly privateGetGetUserTradesByInstrumentAndTime: Ask
  readonly privateGetGetAccountSummaries: Ask
  readonly privateGetGetPositions: Ask
}

// How a stream of Deribit ends, which ccxt does not know: by the names of its channels, answered by the request's number.

const KINDS: Readonly<Record<LeavableStream, string>> = { book: "book", trade: "trades", ticker: "ticker" }

const leaving: Leaving = {
  leave: ({ stream, market: { id, symbol }, socket, request }) => {
    const kind = KINDS[stream]
    const channels = Object.keys(socket.subscriptions).filter((key) => key.startsWith(`${kind}.${id}.`))
    const number = request()
    return {
      message: { jsonrpc: "2.0", method: "public/unsubscribe", params: { channels }, id: number },
      keys: channels,
      // ccxt waits for `book|BTC/USDC:USDC|100ms`, and for a ticker by its channel.
      waiting: [...channels, ...Object.keys(socket.futures).filter((key) => key.startsWith(`${kind}|${symbol}|`))],
      // Frames are read with their numbers as texts (`bareNumbers`).
      isHeard: (message) => String(record(message)["id"]) === String(number),
    }
  },
}

// Limits, of an account: "too_many_requests", and "matching_engine_queue_full".

const byAccount = countedByAccount(/"code":\s*100(?:28|47)\b/)
/** What stands before the venue turns an address away with a page, and names no time. */
const TURNED_AWAY_MILLIS = 30_000

const stops = (answer: RestAnswer): Stop | undefined => turnedAway(answer, TURNED_AWAY_MILLIS) ?? byAccount(answer)

// Time: requests are signed by the venue's clock, and an order names the instant behind which the venue does not take it.

const TIMED: ReadonlySet<string> = new Set(["buy", "sell", "edit"])

const UNAUTHORIZED = "13009"
const TIMED_OUT = "13888"
/** "Valid for 60 seconds since generation"; half of it, since no answer is on its way for so long. */
const AWAY_MILLIS = 30_000

/** What the venue's own clocks may be apart. */
const APART_MILLIS = 1000

/** Each answer says when the venue got its request, in microseconds. */
const gotAt = (answer: Raw): number => Number(answer["usIn"] ?? Number.NaN) / 1000

/** Refused for its time, which the venue says in the words of a wrong key, and of an answer that takes too long. */
const isOfClock = (exchange: CcxtExchange, answer: Raw, url: string): boolean => {
  const code = String(record(answer["error"])["code"])
  if (code === UNAUTHORIZED) return Math.abs(gotAt(answer) - venueNow(exchange)) > AWAY_MILLIS
  const until = Number(/[?&]valid_until=(\d+)/.exec(url)?.[1] ?? Number.NaN)
  return code === TIMED_OUT && gotAt(answer) > until + APART_MILLIS
}

const keepsTime = (exchange: DeribitExchange, expiryMillis: number): void => {
  let nonces = 0
  exchange.milliseconds = () => venueNow(exchange)
  // The time alone is that of every request of a millisecond.
  exchange.nonce = () => `${Date.now()}.${nonces++}`
  const sign = exchange.sign.bind(exchange)
  exchange.sign = (path, api, method, params, headers, body) => {
    if (!TIMED.has(path)) return sign(path, api, method, params, headers, body)
    return sign(path, api, method, { ...params, valid_until: venueNow(exchange) + expiryMillis }, headers, body)
  }
  const handleErrors = exchange.handleErrors.bind(exchange)
  exchange.handleErrors = (status, reason, url, ...rest) => {
    const answer = record(rest[3])
    if (isOfClock(exchange, answer, String(url))) throw new ClockError("by another clock than the venue's")
    return handleErrors(status, reason, url, ...rest)
  }
}

// Orders: placed, found, changed and cancelled.

const TIMES_IN_FORCE: Readonly<Record<string, string>> = {
  IOC: "immediate_or_cancel",
  FOK: "fill_or_kill",
}

/** An inverse contract counts its amounts in its quote currency, and is settled in its base: costs and positions would be others than they are told. */
const linear = (exchange: CcxtExchange, symbol: string): CcxtMarket => {
  const market = exchange.market(symbol)
  if (market.linear !== true) throw new NotSupported("the gateway sends no orders of contracts that are not linear")
  return market
}

const POST_ONLY = { post_only: true, reject_post_only: true } as const

const changesOrders = (exchange: DeribitExchange): void => {
  exchange.createOrder = async (symbol, type, side, amount, price, { label, timeInForce, postOnly, reduceOnly }) => {
    const asked = {
      instrument_name: linear(exchange, symbol).id,
      amount,
      type: type === "market" ? "market" : "limit",
      label,
      ...(type !== "market" && { price }),
      ...(postOnly === true && POST_ONLY),
      ...(typeof timeInForce === "string" && { time_in_force: TIMES_IN_FORCE[timeInForce] }),
      ...(reduceOnly === true && { reduce_only: true }),
    }
    const answer = await (side === "buy" ? exchange.privateGetBuy(asked) : exchange.privateGetSell(asked))
    const { order, trades } = record(record(answer)["result"])
    // What an answer executed is of its order's market.
    const executed = rows(trades).map((row) => ({ ...tradeOf(exchange, row), symbol: undefined }))
    return { ...orderOf(exchange, record(order)), trades: executed }
  }
  exchange.cancelOrder = async (id) =>
    orderOf(exchange, record((await exchange.privateGetCancel({ order_id: id }))["result"]))
  exchange.editOrder = async (id, symbol, _type, _side, amount, price, { clientOrderId, postOnly }) => {
    linear(exchange, symbol)
    const order_id = id ?? (await exchange.fetchOrder(undefined, symbol, { clientOrderId })).id
    const to = { order_id, amount, ...(price !== undefined && { price }), ...(postOnly === true && POST_ONLY) }
    try {
      return orderOf(exchange, record(record((await exchange.privateGetEdit(to))["result"])["order"]))
    } catch (error) {
      // "Cancelled on edit because of reject_post_only setting": whether it is, the order itself has to say.
      if (says(error, "11054")) throw new ExchangeError("the order may be over")
      throw error
    }
  }
}

const says = (error: unknown, code: string): boolean =>
  error instanceof Error && new RegExp(`"code":\\s*${code}\\b`).test(error.message)

// Lists: what is recent, orders for half an hour and trades for a day, is in one; everything, once it is indexed, in another.

const PAGE = 1000
/** Of the newest orders that are over, so many are searched. */
const SEARCHED_PAGES = 5
/** Trades older than this are read where all are; what is younger stands in the list of what is recent, with two hours to spare. */
const RECENT_TRADES_MILLIS = 22 * 3_600_000

const findsOrders = (exchange: DeribitExchange): void => {
  const history = async (symbol: string, offset: unknown, historical: boolean): Promise<ReadonlyArray<Raw>> => {
    const of = { instrument_name: exchange.market(symbol).id, count: PAGE, offset }
    const asked = { ...of, include_unfilled: true, include_old: true, historical }
    return rows((await exchange.privateGetGetOrderHistoryByInstrument(asked))["result"])
  }
  const search = async (symbol: string, isIt: (row: Raw) => boolean): Promise<Raw> => {
    for (let page = 0; page < SEARCHED_PAGES; page++) {
      const found = await history(symbol, page * PAGE, true)
      const order = firstOf(found.filter(isIt))
      if (order !== undefined) return order
      if (found.length < PAGE) break
    }
    throw new OrderNotFound("deribit has no such order among what is recent and the newest of its history")
  }
  const state = async (id: string, symbol: string): Promise<Raw> => {
    try {
      return record((await exchange.privateGetGetOrderState({ order_id: id }))["result"])
    } catch (error) {
      if (!says(error, "10004")) throw error
      return search(symbol, (row) => row["order_id"] === id)
    }
  }
  exchange.fetchOrder = async (id, symbol, { label }) => {
    if (id !== undefined) return orderOf(exchange, await state(id, symbol))
    const currency = record(exchange.market(symbol))["settleId"]
    const answer = await exchange.privateGetGetOrderStateByLabel({ currency, label })
    const order = firstOf(rows(answer["result"]))
    return orderOf(exchange, order ?? (await search(symbol, (row) => row["label"] === label)))
  }
  exchange.fetchOpenOrders = async (symbol) => {
    const open = rows((await exchange.privateGetGetOpenOrders({}))["result"]).map((row) => orderOf(exchange, row))
    return open.filter((order) => order.symbol !== undefined && (symbol === undefined || order.symbol === symbol))
  }
  exchange.fetchClosedOrders = async (symbol, _since, _limit, params) =>
    (await history(String(symbol), params?.["offset"] ?? 0, false)).map((row) => orderOf(exchange, row))
  /** The other list: an order is in one, in the other, or for a while in both. */
  exchange.fetchCanceledOrders = async (symbol, _since, _limit, params) =>
    (await history(String(symbol), params?.["offset"] ?? 0, true)).map((row) => orderOf(exchange, row))
}

const readsTrades = (exchange: DeribitExchange): void => {
  const page = async (symbol: string, from: number, to: number, historical: boolean) => {
    const between = { start_timestamp: from, end_timestamp: to, count: PAGE, sorting: "asc", historical }
    const asked = { instrument_name: exchange.market(symbol).id, ...between }
    const { trades } = record((await exchange.privateGetGetUserTradesByInstrumentAndTime(asked))["result"])
    if (!Array.isArray(trades)) throw new ExchangeError("an answer without trades")
    return rows(trades).map((row) => tradeOf(exchange, row))
  }
  exchange.fetchMyTrades = async (symbol, since) => {
    const name = String(symbol)
    const from = since ?? 0
    const now = venueNow(exchange)
    // Our reading of the venue's clock is late by the way of an answer: the end lies ahead.
    const end = now + RECENT_TRADES_MILLIS
    const seam = now - RECENT_TRADES_MILLIS
    if (from >= seam) return page(name, from, end, false)
    const old = await page(name, from, seam, true)
    // A full page has more behind it, before what is recent.
    return old.length >= PAGE ? old : [...old, ...(await page(name, seam + 1, end, false))]
  }
}

// The socket. ccxt's reader of orders takes what waits for a trigger for an order, that of trades keeps none, and nothing that the venue asks is answered.

const KEPT_TRADES = 100

/** ccxt makes one with every message, and forgets it. */
const keptTrades = (): CcxtCache<CcxtTrade> => {
  const kept: Array<CcxtTrade> = []
  const append = (trade: CcxtTrade): void => {
    kept.push(trade)
    if (kept.length > KEPT_TRADES) kept.shift()
  }
  return Object.assign(kept, { append })
}

const MOST_TIMER_MILLIS = 2 ** 31 - 1
/** Of a login's time, after which it is renewed. */
const RENEWED_AFTER = 0.8

const keepsLogin = (exchange: DeribitExchange): ((socket: CcxtSocket, result: Raw) => void) => {
  let timer: NodeJS.Timeout | undefined
  const close = exchange.close.bind(exchange)
  exchange.close = () => {
    clearTimeout(timer)
    return close()
  }
  return (socket, { refresh_token, expires_in }) => {
    if (typeof refresh_token !== "string") return
    clearTimeout(timer)
    const millis = Math.min(Number(expires_in) * 1000 * RENEWED_AFTER, MOST_TIMER_MILLIS)
    timer = setTimeout(() => {
      if (exchange.clients[socket.url] !== socket) return
      const params = { grant_type: "refresh_token", refresh_token }
      say(exchange, socket, "public/auth", params)
    }, millis).unref()
  }
}

/** What is said on a socket that has died meanwhile is of no interest. */
const say = (exchange: CcxtExchange, socket: CcxtSocket, method: string, params: Raw): void => {
  socket.send({ jsonrpc: "2.0", id: exchange.requestId(), method, params }).catch(() => undefined)
}

const hearsChannels = (exchange: DeribitExchange): void => {
  exchange.parseOrder = (row) => orderOf(exchange, row)
  exchange.parseTrade = (row) => tradeOf(exchange, row)
  exchange.myTrades = keptTrades()
  const handleOrders = exchange.handleOrders.bind(exchange)
  exchange.handleOrders = (socket, message) => {
    const params = record(message["params"])
    const { data } = params
    const told = (Array.isArray(data) ? rows(data) : [record(data)]).filter(
      (row) => orderOf(exchange, row).symbol !== undefined,
    )
    return handleOrders(socket, { ...message, params: { ...params, data: told } })
  }
  const loggedIn = keepsLogin(exchange)
  const handle = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => {
    const said = record(message)
    if (said["method"] === "heartbeat") {
      if (record(said["params"])["type"] === "test_request") say(exchange, socket, "public/test", {})
      return undefined
    }
    if (isOfClock(exchange, said, "")) throw new ClockError("a login by another clock than the venue's")
    loggedIn(socket, record(said["result"]))
    return handle(socket, message)
  }
}

const prepare = (instance: CcxtExchange, { orderExpiryMillis }: VenueProfile): void => {
  const exchange = instance as DeribitExchange
  keepsTime(exchange, orderExpiryMillis ?? 0)
  changesOrders(exchange)
  findsOrders(exchange)
  readsTrades(exchange)
  hearsChannels(exchange)
  exchange.fetchBalance = async () => {
    const [{ result: summary }, { result: positions }] = await Promise.all([
      exchange.privateGetGetAccountSummaries({}),
      exchange.privateGetGetPositions({ currency: "any", kind: "future" }),
    ])
    const { summaries } = record(summary)
    // An answer without its list says nothing of what is there.
    if (!Array.isArray(summaries) || !Array.isArray(positions))
      throw new ExchangeError("an answer without the account's currencies, or without its positions")
    return { info: { summaries, positions } } as unknown as CcxtBalance
  }
}

/**
 * "For linear futures [the amount] is the underlying base currency coin", in books, trades and orders alike: one of it is one base, whatever the venue
 * calls a contract.
 */
const preparePublic = (instance: CcxtExchange): void => {
  const exchange = instance as DeribitExchange
  const fetchMarkets = exchange.fetchMarkets.bind(exchange)
  exchange.fetchMarkets = async (params) =>
    (await fetchMarkets(params)).map((market) => (market.linear === true ? { ...market, contractSize: 1 } : market))
}

// Balances: what is available of a currency, and the rest of it. Where the collateral of all currencies is one, each says all of it as its own.

const balanceOf = (row: Raw): ReadonlyArray<BalanceRow> => {
  const assetId = word(row, "currency")
  if (assetId === null || row["balance"] === undefined || row["available_funds"] === undefined) return []
  const held = Decimal.max(decimalOf(row["balance"]), Decimal.ZERO)
  const said = Decimal.max(decimalOf(row["available_funds"]), Decimal.ZERO)
  const available = row["cross_collateral_enabled"] === true ? Decimal.min(said, held) : said
  const locked = Decimal.max(held.subtract(available), Decimal.ZERO)
  return [{ assetId, available: available.toString(), locked: locked.toString() }]
}

const fetchedContracts: NonNullable<ExchangeAdapter["fetchedContracts"]> = (exchange, { info }) =>
  rows(info?.["positions"]).flatMap((row): ReadonlyArray<ContractRow> => {
    const symbol = symbolOf(exchange, row["instrument_name"])
    const market = symbol === undefined ? undefined : exchange.markets?.[symbol]
    // "Position size in base currency."
    const size = decimalOf(row["size_currency"]).abs()
    if (market?.linear !== true || market.settle === undefined || size.isZero()) return []
    const profit = row["floating_profit_loss"]
    return [
      {
        symbol,
        asset: market.settle,
        quantity: (row["direction"] === "sell" ? size.negate() : size).toString(),
        entryPrice: decimalOf(row["average_price"]).toString(),
        unrealizedProfit: profit === undefined || profit === null ? null : decimalOf(profit).toString(),
      },
    ]
  })

// Channels: `user.orders.any.any.raw` is one of user.orders.

const kindOf = (channel: unknown): string => String(channel).split(".").slice(0, 2).join(".")

const channelOf = ({ method, params }: Raw): string =>
  method === "subscription" ? kindOf(record(params)["channel"]) : ""

const CHANNELS = ["user.orders", "user.portfolio", "user.trades"]

export const deribit: ExchangeAdapter = adapterByScheme(
  { ...commonScheme, idParam: "label", idField: "label", askParam: "label", logsIn: true },
  {
    prepare,
    preparePublic,
    leaving,
    stops,
    ended,
    accountId: async (exchange) => {
      const { result } = await (exchange as DeribitExchange).privateGetGetAccountSummaries({ extended: true })
      const { id } = record(result)
      return id === undefined || id === null ? null : String(id)
    },
    reduceOnly: { reduceOnly: true },
    fillClientId: ({ info }) => readBack(word(info, "label")),
    // Its events are whole orders.
    eventsAreHints: false,
    changedBalances: (event) => {
      if (channelOf(event) !== "user.portfolio") return null
      const changed = balanceOf(record(record(event["params"])["data"]))
      return changed.length === 0 ? null : { at: null, rows: changed }
    },
    // Positions are told by a question: after executions, and where an order begins or ends.
    balancesMoved: (event) => channelOf(event) === "user.trades" || channelOf(event) === "user.orders",
    fetchedBalances: ({ info }) => rows(info?.["summaries"]).flatMap(balanceOf),
    fetchedContracts,
    channels: CHANNELS,
    asksFor: ({ method, id, params }) => {
      const { channels } = record(params)
      return method === "private/subscribe" && Array.isArray(channels)
        ? { id: String(id), channels: channels.map(kindOf) }
        : null
    },
    // The answer lists the channels that were taken.
    channelNews: ({ id, result }) => {
      if (!Array.isArray(result)) return []
      return result.length === 0
        ? [{ asked: String(id), isTaken: false }]
        : result.map((channel) => ({ channel: kindOf(channel), isTaken: true }))
    },
  },
)
