/**
 * Kraken Futures, linear perpetuals of a multi-collateral account, and its deviations from ccxt 4.5.84: which takes an order that was refused for one
 * without an answer, a change of the whole for one of what is left, and what its feed repeats for more of it; finds an order for five seconds after
 * its end and not by our id, pages no fills, and makes up their fees. Source: docs.kraken.com/api-reference, "Futures".
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtBalance, CcxtExchange, CcxtOrder, CcxtSocket, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { venueNow } from "../../worker/exchange/venue-clock.ts"
import { isSameId, readBack, spelled } from "../../worker/session/client-ids.ts"
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
import { ExchangeError } from "./codes.ts"
import { AccountHistory } from "./history.ts"
import {
  cancelledOrder,
  decimalOf,
  ended,
  FeedOrders,
  neverWorked,
  openOrder,
  placedOrder,
  statusOrder,
  symbolOf,
} from "./orders.ts"

type Ask = (params: Raw) => Promise<Raw>

/** What ccxt's Kraken Futures has beside every exchange's. */
interface KrakenFuturesExchange extends CcxtExchange {
  calculateRateLimiterCost(api: unknown, method: string, path: string, params: Raw, config?: Raw): unknown
  fetchTime?: () => Promise<number>
  handleOrder(socket: CcxtSocket, message: Raw): unknown
  handleOrderSnapshot(socket: CcxtSocket, message: Raw): unknown
  handleMyTrades(socket: CcxtSocket, message: Raw): unknown
  readonly publicGetTickersSymbol: Ask
  readonly privatePostSendorder: Ask
  readonly privatePostEditorder: Ask
  readonly privatePostCancelorder: Ask
  readonly privateGetOrdersStatus: Ask
  readonly privateGetOpenorders: Ask
  readonly privateGetFills: Ask
  readonly privateGetAccounts: Ask
  readonly privateGetOpenpositions: Ask
}

// How a stream of Kraken Futures ends, which ccxt does not know: by feed and product, and answered so.

/** ccxt's name of a feed where it is not the venue's. */
const NAMES: Readonly<Record<LeavableStream, string>> = { book: "orderbook", trade: "trade", ticker: "ticker" }

const leaving: Leaving = {
  leave: ({ stream: feed, market: { id, symbol } }) => {
    const key = `${NAMES[feed]}:${symbol}`
    return {
      message: { event: "unsubscribe", feed, product_ids: [id] },
      keys: [key],
      waiting: [key],
      isHeard: (message) => {
        const { event, feed: of, product_ids: ids } = record(message)
        return event === "unsubscribed" && of === feed && Array.isArray(ids) && ids.includes(id)
      },
    }
  },
}

// Limits: of an account, by cost; an order that was counted out is none.

const COSTS: ReadonlyMap<string, number> = new Map([
  ["sendorder", 10],
  ["editorder", 10],
  ["cancelorder", 10],
  ["accounts", 2],
  ["openpositions", 2],
  ["openorders", 2],
  ["orders/status", 1],
])
/** "fills (with lastFillTime specified)", and without. */
const FURTHER_FILLS_COST = 25
const FILLS_COST = 2

/** The history has a pool of its own, which `history.ts` counts. */
const costOf = (api: unknown, path: string, params: Raw): number => {
  if (api !== "private") return 1
  if (path === "fills") return params["lastFillTime"] === undefined ? FILLS_COST : FURTHER_FILLS_COST
  return COSTS.get(path) ?? FILLS_COST
}

/** What stands before the venue turns an address away with a page. */
const TURNED_AWAY_MILLIS = 30_000

const byAccount = countedByAccount(/apiLimitExceeded/)

const stops = (answer: RestAnswer): Stop | undefined => turnedAway(answer, TURNED_AWAY_MILLIS) ?? byAccount(answer)

// Requests: an order names the instant behind which the venue does not take it, by the venue's clock.

const TIMED: ReadonlySet<string> = new Set(["sendorder", "editorder"])

const signInTime = (exchange: KrakenFuturesExchange, expiryMillis: number): void => {
  const sign = exchange.sign.bind(exchange)
  exchange.sign = (path, api, method, params, headers, body) => {
    if (!TIMED.has(path)) return sign(path, api, method, params, headers, body)
    const processBefore = new Date(venueNow(exchange) + expiryMillis).toISOString()
    return sign(path, api, method, { ...params, processBefore }, headers, body)
  }
}

/** Of an answer that is a success whatever became of the order. */
const statusOf = (answer: Raw, part: string): Raw => {
  const said = record(answer[part])
  if (word(said, "status") === null) throw new ExchangeError("no status")
  return said
}

const GONE: ReadonlyArray<unknown> = ["filled", "notFound", "orderForEditNotFound"]

const readsOrders = (exchange: KrakenFuturesExchange, history: AccountHistory): void => {
  exchange.createOrder = async (symbol, type, side, amount, price, { cliOrdId, timeInForce, postOnly, reduceOnly }) => {
    if (timeInForce === "FOK")
      throw new NotSupported("what the venue answers to a FOK that it does not fill is not known")
    const orderType = type === "market" ? "mkt" : postOnly === true ? "post" : timeInForce === "IOC" ? "ioc" : "lmt"
    const answer = await exchange.privatePostSendorder({
      orderType,
      symbol: exchange.market(symbol).id,
      side,
      size: amount,
      cliOrdId,
      ...(price !== undefined && { limitPrice: price }),
      ...(reduceOnly === true && { reduceOnly }),
    })
    const said = statusOf(answer, "sendStatus")
    if (said["status"] !== "placed") throw new ExchangeError(String(said["status"]))
    return placedOrder(exchange, said, { amount, orderType })
  }
  exchange.cancelOrder = async (id, symbol, { cliOrdId }) => {
    const answer = await exchange.privatePostCancelorder(id === undefined ? { cliOrdId } : { order_id: id })
    const said = statusOf(answer, "cancelStatus")
    const status = String(said["status"])
    if (GONE.includes(status)) throw new OrderNotFound(`krakenfutures ${JSON.stringify({ error: status })}`)
    if (status !== "cancelled") throw new ExchangeError(status)
    // "This may only be part of the order as part may have been filled": of how much, the order itself has to say.
    return (
      cancelledOrder(exchange, said) ??
      exchange.fetchOrder(id ?? word(said, "order_id") ?? undefined, symbol, { cliOrdId })
    )
  }
  exchange.editOrder = async (id, _symbol, _type, _side, amount, price, { clientOrderId }) => {
    const name = id === undefined ? { cliOrdId: spelled(String(clientOrderId), "uuid") } : { orderId: id }
    const to = { size: amount, qtyMode: "ABSOLUTE", ...(price !== undefined && { limitPrice: price }) }
    const said = statusOf(await exchange.privatePostEditorder({ ...name, ...to }), "editStatus")
    const status = String(said["status"])
    if (GONE.includes(status)) throw new OrderNotFound(`krakenfutures ${JSON.stringify({ error: status })}`)
    // Whether such an order goes on as it was is not said: it is looked at.
    if (status === "postWouldExecute") throw new ExchangeError("the order may be over")
    if (status !== "edited") throw new ExchangeError(status)
    return { id: word(said, "orderId") ?? id } as CcxtOrder
  }
  exchange.fetchOrder = async (id, symbol, { cliOrdId }) => {
    const asked = id === undefined ? { cliOrdIds: cliOrdId } : { orderIds: [id] }
    const [row] = rows((await exchange.privateGetOrdersStatus(asked))["orders"])
    const order = row === undefined ? undefined : statusOrder(exchange, row)
    if (order !== undefined) return order
    const hex = readBack(typeof cliOrdId === "string" ? cliOrdId : null)
    return history.find(exchange.market(symbol).id, (it) =>
      id === undefined ? hex !== null && isSameId(hex, it.clientOrderId) : it.id === id,
    )
  }
  exchange.fetchOpenOrders = async (symbol) => {
    const open = rows((await exchange.privateGetOpenorders({}))["openOrders"]).flatMap((row) =>
      openOrder(exchange, row),
    )
    return symbol === undefined ? open : open.filter((order) => order.symbol === symbol)
  }
  exchange.fetchClosedOrders = async (_symbol, since) => history.ordersSince(since)
}

// Fills: newest first, without ccxt's own filter and without the fee that it makes up.

const fillOf = (exchange: CcxtExchange, row: Raw): CcxtTrade => {
  const [cost, currency] = [row["fee_paid"], word(row, "fee_currency")]
  const fee =
    cost === undefined || currency === null
      ? undefined
      : { cost: decimalOf(cost).toString(), currency: exchange.safeCurrencyCode(currency) }
  return {
    id: word(row, "fill_id") ?? undefined,
    order: word(row, "order_id") ?? undefined,
    symbol: symbolOf(exchange, row["symbol"]),
    side: word(row, "side") ?? undefined,
    price: decimalOf(row["price"]).toString(),
    amount: decimalOf(row["size"]).toString(),
    timestamp: Date.parse(String(row["fillTime"])),
    fee,
    fees: fee === undefined ? undefined : [fee],
    info: row,
  }
}

const readsFills = (exchange: KrakenFuturesExchange, history: AccountHistory): void => {
  exchange.fetchMyTrades = async (_symbol, _since, _limit, { lastFillTime }) => {
    const answer = await exchange.privateGetFills(lastFillTime === undefined ? {} : { lastFillTime })
    // Of one instant, too, in the order in which they were traded.
    return history.withFees([...rows(answer["fills"])].reverse().map((row) => fillOf(exchange, row)))
  }
}

// The feeds. ccxt's reader of orders adds what is filled to what it knew, and tells no end that names an order alone.

const hearsFeeds = (exchange: KrakenFuturesExchange, history: AccountHistory): void => {
  const feed = new FeedOrders()
  // ccxt's own makes the cache; of no orders.
  const makeCache = exchange.handleOrderSnapshot.bind(exchange)
  exchange.handleOrderSnapshot = (socket, message) => {
    makeCache(socket, { ...message, orders: [] })
    for (const order of feed.snapshot(exchange, message)) exchange.orders?.append(order)
  }
  exchange.handleOrder = (_socket, message) => {
    const order = feed.change(exchange, message)
    if (order === "UNKNOWN") void lookAt(exchange, String(message["order_id"]))
    else if (order !== undefined) exchange.orders?.append(order)
  }
  const handleFills = exchange.handleMyTrades.bind(exchange)
  exchange.handleMyTrades = (socket, message) => {
    for (const row of rows(message["fills"])) history.noteFill(row)
    // The newest hundred of all time: what of them is news, the account reads in the list.
    return message["feed"] === "fills_snapshot" ? undefined : handleFills(socket, message)
  }
}

/** Of an order that the feed has said nothing of but its end: a question that fails is left to the account's audits. */
const lookAt = (exchange: KrakenFuturesExchange, id: string): Promise<void> =>
  exchange.privateGetOrdersStatus({ orderIds: [id] }).then(
    (answer) => {
      const [row] = rows(answer["orders"])
      const order = row === undefined ? undefined : statusOrder(exchange, row)
      if (order !== undefined) exchange.orders?.append(order)
    },
    () => undefined,
  )

/** "100 requests per second" of a connection; ccxt spaces what it says on one by its pace of REST. */
const MESSAGE_MILLIS = 20

const speak = (exchange: CcxtExchange): void => {
  exchange.tokenBucket = { ...exchange.tokenBucket, refillRate: 1 / MESSAGE_MILLIS }
}

const HISTORIES = new WeakMap<CcxtExchange, AccountHistory>()

const historyOf = (exchange: CcxtExchange): AccountHistory => {
  const known = HISTORIES.get(exchange) ?? new AccountHistory(exchange)
  HISTORIES.set(exchange, known)
  return known
}

const prepare = (instance: CcxtExchange, { orderExpiryMillis }: VenueProfile): void => {
  const exchange = instance as KrakenFuturesExchange
  const history = historyOf(exchange)
  exchange.calculateRateLimiterCost = (api, _method, path, params) => costOf(api, path, params)
  speak(exchange)
  signInTime(exchange, orderExpiryMillis ?? 0)
  readsOrders(exchange, history)
  readsFills(exchange, history)
  hearsFeeds(exchange, history)
  exchange.fetchBalance = async () => {
    const [accounts, positions] = await Promise.all([
      exchange.privateGetAccounts({}),
      exchange.privateGetOpenpositions({}),
    ])
    const info = { accounts: accounts["accounts"], openPositions: positions["openPositions"] }
    // An answer without its list says nothing of what is open.
    if (record(info.accounts)["flex"] === undefined || !Array.isArray(info.openPositions))
      throw new ExchangeError("an answer without the account's margin, or without its positions")
    return { info } as unknown as CcxtBalance
  }
}

/** The time stands in every answer of the venue, and has no endpoint of its own. */
const preparePublic = (instance: CcxtExchange): void => {
  const exchange = instance as KrakenFuturesExchange
  speak(exchange)
  exchange.has["fetchTime"] = true
  exchange.fetchTime = async () => {
    const market = Object.values(exchange.markets ?? {}).find(({ swap, active }) => swap === true && active !== false)
    const answer = await exchange.publicGetTickersSymbol({ symbol: market?.id })
    const at = Date.parse(word(answer, "serverTime") ?? "")
    if (Number.isNaN(at)) throw new ExchangeError("an answer without a time")
    return at
  }
}

// Balances of the multi-collateral wallet: what is free of each currency, and the rest of it.

const balancesOf = (currencies: unknown): ReadonlyArray<BalanceRow> =>
  Object.entries(record(currencies)).flatMap(([assetId, said]) => {
    const { quantity, available } = record(said)
    if (quantity === undefined || available === undefined) return []
    const free = Decimal.max(decimalOf(available), Decimal.ZERO)
    const locked = Decimal.max(decimalOf(quantity).subtract(free), Decimal.ZERO)
    return [{ assetId, available: free.toString(), locked: locked.toString() }]
  })

const fetchedContracts: NonNullable<ExchangeAdapter["fetchedContracts"]> = (exchange, { info }) =>
  rows(info?.["openPositions"]).flatMap((row): ReadonlyArray<ContractRow> => {
    const symbol = symbolOf(exchange, row["symbol"])
    const asset = symbol?.split(":")[1]
    const size = decimalOf(row["size"])
    if (asset === undefined || size.isZero()) return []
    const profit = row["unrealizedPnl"]
    return [
      {
        symbol,
        asset,
        quantity: (row["side"] === "short" ? Decimal.ZERO.subtract(size) : size).toString(),
        entryPrice: decimalOf(row["price"]).toString(),
        unrealizedProfit: profit === undefined || profit === null ? null : decimalOf(profit).toString(),
      },
    ]
  })

const ORDERS = "open_orders_verbose"
const CHANNELS = [ORDERS, "balances", "fills"]

export const krakenfutures: ExchangeAdapter = adapterByScheme(
  {
    ...commonScheme,
    spelling: "uuid",
    idParam: "cliOrdId",
    askParam: "cliOrdId",
    cancelParam: "cliOrdId",
    logsIn: true,
  },
  {
    prepare,
    preparePublic,
    leaving,
    stops,
    accountId: (exchange) => historyOf(exchange).accountId(),
    ended,
    neverWorked,
    reduceOnly: { reduceOnly: true },
    fillClientId: ({ info }) => readBack(word(info, "cli_ord_id", "cliOrdId")),
    // Its events are whole orders, or name one whose last event was.
    eventsAreHints: false,
    changedBalances: (event) => {
      if (event["feed"] !== "balances" && event["feed"] !== "balances_snapshot") return null
      const changed = balancesOf(record(event["flex_futures"])["currencies"])
      const at = Number(event["timestamp"])
      return changed.length === 0 ? null : { at: Number.isFinite(at) ? at : null, rows: changed }
    },
    // Positions are told by a question: after executions, and where an order begins or ends.
    balancesMoved: ({ event, feed }) => event === undefined && (feed === "fills" || feed === ORDERS),
    fetchedBalances: ({ info }) => balancesOf(record(record(info?.["accounts"])["flex"])["currencies"]),
    fetchedContracts,
    channels: CHANNELS,
    channelNews: ({ event, feed }) =>
      event === "subscribed" || event === "subscribed_failed"
        ? [{ channel: String(feed), isTaken: event === "subscribed" }]
        : [],
  },
)
