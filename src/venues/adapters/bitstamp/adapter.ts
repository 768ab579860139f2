/**
 * Bitstamp spot of a main account, and its deviations from ccxt 4.5.84, which streams orders of one market at a time and takes a token that has expired for a
 * wrong key, names times in force as the venue does not, and reads of order_status neither what was ordered nor what is executed. Source:
 * www.bitstamp.net/api and www.bitstamp.net/websocket/v2.
 */
import type { CcxtBalance, CcxtExchange, CcxtOrder, Raw } from "../../worker/exchange/ccxt.ts"
import { readBack } from "../../worker/session/client-ids.ts"
import { waitsOf } from "../../worker/waits.ts"
import { type BalanceRow, type ExchangeAdapter, record, rows, word } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { signsInTime, tellsTime } from "../dated-clock.ts"
import type { VenueProfile } from "../profile.ts"
import { countedByAccount, type RestAnswer, type Stop, turnedAway } from "../stops.ts"
import { HeardOrders, listed, placed, shown, streamed, streamedTerms, type Terms, textOf, tradeRows } from "./orders.ts"
import { BEAT, MarketStreams, type StreamingExchange } from "./streams.ts"

type Ask = (params: Raw) => Promise<unknown>

/** What ccxt's Bitstamp has beside every exchange's. */
interface BitstampExchange extends StreamingExchange {
  safeSymbol(marketId: string | undefined, market: unknown, delimiter: string): string
  parseWsOrder(order: Raw, market?: unknown): CcxtOrder
  readonly publicGetEurUsd: Ask
  readonly privatePostAccountBalances: Ask
  readonly privatePostCancelOrder: Ask
  readonly privatePostOpenOrdersAll: Ask
  readonly privatePostOrderStatus: Ask
  readonly privatePostUserTransactionsPair: Ask
}

/** 400.002, .067 and .068: "exceeded rate limit", "client rate limit", "market rate limit". */
const byAccount = countedByAccount(/"400\.0(?:02|67|68)"/)
/** What stands before the venue turns an address away with a page, and names no time. */
const TURNED_AWAY_MILLIS = 60_000

const stops = (answer: RestAnswer): Stop | undefined => turnedAway(answer, TURNED_AWAY_MILLIS) ?? byAccount(answer)

const STREAMS = new WeakMap<CcxtExchange, MarketStreams>()

/** The venue's words for what a limit order does at once; a market order has none. */
const optionOf = ({ postOnly, timeInForce }: Raw): string | undefined => {
  if (postOnly === true) return "moc_order"
  return timeInForce === "IOC" ? "ioc_order" : timeInForce === "FOK" ? "fok_order" : undefined
}

// Orders: placed, found and cancelled by our id or the venue's.

const placesOrders = (exchange: BitstampExchange, heard: HeardOrders, streams: MarketStreams): void => {
  const create = exchange.createOrder.bind(exchange)
  exchange.createOrder = async (symbol, type, side, amount, price, params) => {
    const { postOnly, timeInForce, ...given } = params
    await streams.want(symbol)
    const clientId = String(given["client_order_id"])
    const terms: Terms = {
      type: type === "market" ? "market" : "limit",
      timeInForce: textOf(timeInForce),
      postOnly: postOnly === true,
      price,
      amount,
    }
    heard.sent(clientId, terms)
    const option = optionOf(params)
    const order = await create(symbol, type, side, amount, price, {
      ...given,
      ...(option !== undefined && { [option]: "True" }),
    })
    if (order.id !== undefined) heard.owned(order.id, clientId)
    return order
  }
  // Of new orders alone: what else ccxt would read is read below.
  exchange.parseOrder = (row, market) => placed(textOf(record(market)["symbol"]), row)
  exchange.fetchOrder = async (id, symbol, { client_order_id }) => {
    await streams.want(symbol)
    const row = record(await exchange.privatePostOrderStatus(id === undefined ? { client_order_id } : { id }))
    const [named, clientId] = [textOf(row["id"]), textOf(row["client_order_id"])]
    if (named !== undefined) heard.owned(named, clientId)
    const order = shown(exchange.market(symbol), row, heard.termsOf(named, clientId))
    return heard.heard(order, undefined)
  }
  exchange.cancelOrder = async (id, symbol, { client_order_id }) => {
    heard.cancelAsked(id ?? String(client_order_id))
    const row = record(await exchange.privatePostCancelOrder(id === undefined ? { client_order_id } : { id }))
    return placed(symbol, { id: row["id"] })
  }
}

const readsLists = (exchange: BitstampExchange, heard: HeardOrders, streams: MarketStreams): void => {
  exchange.fetchOpenOrders = async () => {
    const found = rows(await exchange.privatePostOpenOrdersAll({})).flatMap((row) => {
      const name = textOf(row["market"]) ?? textOf(row["currency_pair"])
      const symbol = exchange.safeSymbol(name, undefined, "/")
      const id = textOf(row["id"])
      if (id === undefined || exchange.markets?.[symbol]?.spot !== true) return []
      const clientId = textOf(row["client_order_id"])
      heard.owned(id, clientId)
      return [{ symbol, order: listed(symbol, row, heard.termsOf(id, clientId)) }]
    })
    // Before the trades are asked for: what happens from now on is told.
    await Promise.all([...new Set(found.map(({ symbol }) => symbol))].map((symbol) => streams.want(symbol)))
    return found.map(({ order }) => heard.heard(order, undefined))
  }
  exchange.fetchMyTrades = async (symbol, _since, limit, { offset = 0 }) => {
    const market = exchange.market(symbol ?? "")
    const asked = { pair: market.id, limit, offset, sort: "desc" }
    const answer = await exchange.privatePostUserTransactionsPair(asked)
    return exchange.parseTrades(
      tradeRows(answer, (rate) => exchange.numberToString(rate)),
      market,
    )
  }
  exchange.fetchBalance = async () =>
    ({ info: await exchange.privatePostAccountBalances({}) }) as unknown as CcxtBalance
}

const prepare = (instance: CcxtExchange, profile: VenueProfile): void => {
  const exchange = instance as BitstampExchange
  const heard = new HeardOrders()
  const streams = new MarketStreams(exchange, waitsOf(profile).acknowledgedMillis)
  STREAMS.set(exchange, streams)
  const venueSaid = signsInTime(exchange)
  placesOrders(exchange, heard, streams)
  readsLists(exchange, heard, streams)
  exchange.parseWsOrder = (row, market) => {
    const order = streamed(textOf(record(market)["symbol"]), row)
    const isOwn = heard.isOwn(order.id, order.clientOrderId)
    if (isOwn && order.id !== undefined) heard.owned(order.id, order.clientOrderId)
    const said = heard.heard(order, streamedTerms(row))
    return { ...said, info: { ...said.info, isOwn } }
  }
  exchange.watchOrders = () => streams.watch()
  const handle = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => {
    const { event, channel, data } = record(message)
    // ccxt takes a token that has expired for a wrong key.
    if (event === "bts:error" || event === BEAT) return undefined
    if (event === "bts:subscription_succeeded") streams.acknowledged(String(channel))
    const row = record(data)
    venueSaid(Number(row["microtimestamp"] ?? Number.NaN) / 1000)
    if (event === "trade" && !heard.isOwn(textOf(row["order_id"]))) return undefined
    return handle(socket, message)
  }
}

const fetchedBalances = ({ info }: CcxtBalance): ReadonlyArray<BalanceRow> =>
  rows(info).flatMap((row) => {
    const [assetId, available, locked] = [word(row, "currency"), word(row, "available"), word(row, "reserved")]
    return assetId === null || available === null ? [] : [{ assetId, available, locked: locked ?? "0" }]
  })

export const bitstamp: ExchangeAdapter = adapterByScheme(
  { ...commonScheme, idParam: "client_order_id", askParam: "client_order_id", cancelParam: "client_order_id" },
  {
    prepare,
    // The clock has no question of its own.
    preparePublic: (exchange) => tellsTime(exchange, () => (exchange as BitstampExchange).publicGetEurUsd({})),
    accountId: async (exchange) =>
      textOf(record(await (exchange as BitstampExchange).privatePostWebsocketsToken({}))["user_id"]) ?? null,
    ended: ({ status, type, timeInForce }) => {
      if (status === "expired") return { status: "EXPIRED", ending: null }
      const isImmediate = type === "market" || timeInForce === "IOC" || timeInForce === "FOK"
      return { status: "CANCELLED", ending: isImmediate ? "REMAINDER" : null }
    },
    neverWorked: ({ info }) => info?.["wouldTake"] === true,
    fillClientId: ({ info }) => readBack(word(record(info), "client_order_id")),
    // Of another account of the user's, or of another program: the key is asked whether it is one of its own.
    eventsAreHints: ({ info }) => info?.["isOwn"] !== true,
    fetchedBalances,
    // There is no stream of them.
    balancesMoved: ({ channel }) => String(channel ?? "").startsWith("private-my_"),
    stops,
    channels: [BEAT],
    channelNews: ({ event }) =>
      event === BEAT
        ? [{ channel: BEAT, isTaken: true }]
        : event === "bts:error"
          ? [{ channel: "", isTaken: false }]
          : [],
    endsPrivateStream: ({ event }) => event === "bts:request_reconnect",
    forgetLogin: (exchange) => STREAMS.get(exchange)?.forget(),
    // A trade has its price as a JSON number, which ccxt reads, and as the venue spells it.
    restate: (message) => {
      const trade = record(record(message)["data"])
      const { price_str, amount_str } = trade
      if (typeof price_str === "string" && typeof amount_str === "string")
        Object.assign(trade, { price: price_str, amount: amount_str })
    },
  },
)
