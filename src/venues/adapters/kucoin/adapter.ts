/**
 * KuCoin spot of a classic account, and its deviations from ccxt 4.5.84, which reads ids of trades as floats, one page of each list, a cancel that was
 * asked for as the end of its order, and fills without their fees. Source: www.kucoin.com/docs-new, and the venue's own SDK
 * (github.com/Kucoin/kucoin-universal-sdk at 78c90c77).
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtBalance, CcxtExchange, CcxtOrder, CcxtSocket, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { costTerms, NotSupported } from "../../worker/session/order-terms.ts"
import { pause } from "../../worker/waits.ts"
import { type BalanceRow, type ChangedBalances, type ExchangeAdapter, record, rows, word } from "../adapter.ts"
import { adapterByScheme, commonScheme, OrderNotFound } from "../client-id-scheme.ts"
import { type RestAnswer, type Stop, stopOfSigned, turnedAway } from "../stops.ts"
import { Heard, isHint, listed, streamed } from "./orders.ts"

type Ask = (params: Raw) => Promise<Raw>

/** What ccxt's KuCoin has beside every exchange's. */
interface KucoinExchange extends CcxtExchange {
  /** Numbers that a float does not hold are read as texts. */
  quoteJsonNumbers: boolean
  parseWsOrder(order: Raw, market?: unknown): CcxtOrder
  handleMyTrade(socket: CcxtSocket, message: unknown): unknown
  subscribe(url: string, key: string, topic: string, ...rest: ReadonlyArray<unknown>): Promise<unknown>
  negotiate(...given: ReadonlyArray<unknown>): Promise<string>
  /** The amount of a market order by value. */
  marketOrderAmountToPrecision(symbol: string, amount: unknown): string
  readonly privateGetAccounts: Ask
  readonly privateGetUserApiKey: Ask
  readonly privateGetHfAccountsOpened: Ask
  readonly privateGetHfOrdersActive: Ask
  readonly privateGetHfOrdersActiveSymbols: Ask
  readonly privateGetHfOrdersClientOrderClientOid: Ask
  readonly privateGetHfOrdersDone: Ask
  readonly privateGetHfOrdersOrderId: Ask
  readonly privateGetHfFills: Ask
  readonly privatePostBulletPrivate: Ask
  readonly utaPrivateGetAccountMode: Ask
}

/** By this name it is classified, like ccxt's own. */
class BadResponse extends Error {
  override readonly name = "BadResponse"
}

/** What stands before the venue turns an address away with a page: "1015, based on the IP limit, block 30s". */
const TURNED_AWAY_MILLIS = 30_000

const stops = (answer: RestAnswer): Stop | undefined => {
  const { status, headers } = answer
  const away = turnedAway(answer, TURNED_AWAY_MILLIS)
  if (away !== undefined || status !== 429) return away
  const reset = Number(headers.get("gw-ratelimit-reset") ?? Number.NaN)
  return stopOfSigned(answer, reset > 0 ? reset : null)
}

/** Of the pool that the request belongs to. */
const usedShare = (headers: ReadonlyMap<string, string>): number | undefined => {
  const of = (name: string): number => Number(headers.get(`gw-ratelimit-${name}`) ?? Number.NaN)
  const share = 1 - of("remaining") / of("limit")
  return Number.isFinite(share) ? share : undefined
}

const HEARD = new WeakMap<CcxtExchange, Heard>()

const heardBy = (exchange: CcxtExchange): Heard => {
  const known = HEARD.get(exchange) ?? new Heard()
  HEARD.set(exchange, known)
  return known
}

// The private stream: a token by REST, then the topics.

const URLS = "urls"

/** ccxt keeps a refused token for as long as it lives once the stream has begun anew. */
const socketUrl = async (exchange: KucoinExchange): Promise<string> => {
  const { token, instanceServers } = record((await exchange.privatePostBulletPrivate({}))["data"])
  const { endpoint, pingInterval } = rows(instanceServers)[0] ?? {}
  if (typeof token !== "string" || typeof endpoint !== "string")
    throw new BadResponse("the venue's answer has no token of its sockets")
  const url = `${endpoint}?${new URLSearchParams({ token, privateChannel: "true", connectId: "private" })}`
  const socket = exchange.client(url) as CcxtSocket & { keepAlive: number }
  // Without a ping for longer the venue closes.
  socket.keepAlive = Math.min(socket.keepAlive, Number(pingInterval ?? socket.keepAlive))
  return url
}

const negotiated = (exchange: KucoinExchange): Promise<string> => {
  const known = record(exchange.options[URLS])["private"]
  if (known instanceof Promise) return known
  const asked = socketUrl(exchange)
  exchange.options[URLS] = { private: asked }
  asked.catch(() => {
    if (record(exchange.options[URLS])["private"] === asked) delete exchange.options[URLS]
  })
  return asked
}

/** Beside what the first version tells, the second one says of each order that it has come. */
const ORDERS = "/spotMarket/tradeOrders"
const ORDERS_V2 = "/spotMarket/tradeOrdersV2"
const BALANCES = "/account/balance"

// Lists: of one symbol each, the newest first, and of 100 rows.

const PAGE = 100

const within = (since: number | undefined, { until, lastId }: Raw): Raw => ({
  limit: PAGE,
  ...(since !== undefined && { startAt: since }),
  ...(until !== undefined && { endAt: until }),
  ...(lastId !== undefined && { lastId }),
})

/** A page's rows, of which the first says where the next page begins. */
const pageOf = (answer: Raw): ReadonlyArray<Raw> => {
  const { items, lastId } = record(answer["data"])
  return rows(items).map((row, nth) => (nth === 0 ? { ...row, lastId: String(lastId ?? "") } : row))
}

const readsWholeLists = (exchange: KucoinExchange): void => {
  const idOf = (symbol: string | undefined): string => exchange.market(String(symbol)).id
  exchange.fetchOpenOrders = async (symbol) => {
    const { symbols } = symbol === undefined ? record((await exchange.privateGetHfOrdersActiveSymbols({}))["data"]) : {}
    const ids = symbol === undefined ? (Array.isArray(symbols) ? symbols.map(String) : []) : [idOf(symbol)]
    const found: Array<CcxtOrder> = []
    for (const id of ids)
      found.push(...exchange.parseOrders(rows((await exchange.privateGetHfOrdersActive({ symbol: id }))["data"])))
    return found
  }
  exchange.fetchClosedOrders = async (symbol, since, _limit, params = {}) =>
    exchange.parseOrders(
      pageOf(await exchange.privateGetHfOrdersDone({ symbol: idOf(symbol), ...within(since, params) })),
    )
  exchange.fetchMyTrades = async (symbol, since, _limit, params) => {
    const { orderId } = params
    const of = orderId === undefined ? {} : { orderId }
    const asked = { symbol: idOf(symbol), ...of, ...within(since, params) }
    return exchange.parseTrades(pageOf(await exchange.privateGetHfFills(asked)))
  }
}

const cursorOf = (page: ReadonlyArray<CcxtTrade>): string | undefined =>
  page.map(({ info }) => word(info, "lastId")).find((it) => it !== null) ?? undefined

/** Before each look at an order's trades, until they say as much as the stream: the list is behind it. */
const FILL_LOOKS_MILLIS = [0, 100, 300, 1000]

const fillsOf: ExchangeAdapter["fillsOf"] = async (exchange, { id, symbol, filled }, isKnown) => {
  const trades = new Map<string, CcxtTrade>()
  const told = Decimal.fromVenue(String(filled)) ?? Decimal.ZERO
  const heard = heardBy(exchange)
  for (const millis of FILL_LOOKS_MILLIS) {
    if (millis > 0) await pause(millis)
    for (let lastId: string | undefined; ; ) {
      const before = trades.size
      const params = { orderId: id, ...(lastId !== undefined && { lastId }) }
      const page = await exchange.fetchMyTrades(symbol, undefined, undefined, params)
      // ccxt has each page in order of time.
      for (const trade of [...page].reverse()) if (trade.id !== undefined) trades.set(trade.id, trade)
      lastId = cursorOf(page)
      if (lastId === undefined || trades.size === before || page.some(isKnown)) break
    }
    if (heard.executed(String(id), [...trades.values()]).compare(told) >= 0) break
  }
  return [...trades.values()]
}

/** By the venue's id, or by ours; either of one symbol. */
const findOrder = async (exchange: KucoinExchange, id: string | undefined, symbol: string, { clientOid }: Raw) => {
  const market = exchange.market(symbol)
  const answer = await (id === undefined
    ? exchange.privateGetHfOrdersClientOrderClientOid({ symbol: market.id, clientOid })
    : exchange.privateGetHfOrdersOrderId({ symbol: market.id, orderId: id }))
  const found = record(answer["data"])
  if (found["id"] === undefined) throw new OrderNotFound("no order of the account has this id")
  return exchange.parseOrder(found, market)
}

const prepare = (instance: CcxtExchange): void => {
  const exchange = instance as KucoinExchange
  const heard = heardBy(exchange)
  exchange.quoteJsonNumbers = true
  exchange.marketOrderAmountToPrecision = (_symbol, amount) => String(amount)
  const parseOrder = exchange.parseOrder.bind(exchange)
  exchange.parseOrder = (order, market) => listed(parseOrder(order, market), heard)
  const parseWsOrder = exchange.parseWsOrder.bind(exchange)
  exchange.parseWsOrder = (order, market) => streamed(parseWsOrder(order, market), heard)
  // A match in the stream says nothing of its fee: trades are asked for.
  exchange.handleMyTrade = () => undefined
  exchange.negotiate = () => negotiated(exchange)
  const subscribe = exchange.subscribe.bind(exchange)
  exchange.subscribe = (url, key, topic, ...rest) => subscribe(url, key, topic === ORDERS ? ORDERS_V2 : topic, ...rest)
  readsWholeLists(exchange)
  exchange.fetchOrder = (id, symbol, params) => findOrder(exchange, id, symbol, params)
  exchange.fetchBalance = async () => ({ info: await exchange.privateGetAccounts({}) }) as unknown as CcxtBalance
}

// Accounts: which of them, and what they hold.

const accountId = async (instance: CcxtExchange): Promise<string | null> => {
  const { uid } = record((await (instance as KucoinExchange).privateGetUserApiKey({}))["data"])
  return typeof uid === "number" || typeof uid === "string" ? String(uid) : null
}

const notTaken = async (instance: CcxtExchange): Promise<string | null> => {
  const exchange = instance as KucoinExchange
  const { selfAccountMode } = record((await exchange.utaPrivateGetAccountMode({}))["data"])
  if (selfAccountMode === "UNIFIED")
    return "a unified account: set the account mode to classic at the venue, whose spot orders are those that are proven"
  const { data } = await exchange.privateGetHfAccountsOpened({})
  return data === false ? "a low-frequency spot account: have the venue upgrade it to high frequency" : null
}

/** Pro accounts of before the two were one had a name of their own. */
const TRADED = ["trade_hf", "trade"]

const fetchedBalances = ({ info }: CcxtBalance): ReadonlyArray<BalanceRow> => {
  const all = rows(record(info)["data"])
  const kind = TRADED.find((it) => all.some(({ type }) => type === it))
  return all.flatMap((row) => {
    const [assetId, available, locked] = [word(row, "currency"), word(row, "available"), word(row, "holds")]
    if (row["type"] !== kind || assetId === null || available === null || locked === null) return []
    return [{ assetId, available, locked }]
  })
}

/** Of the account that orders are paid from alone: the topic has the user's others, too. */
const OF_TRADING = /^trade(_hf)?\./

const changedBalances = ({ topic, data }: Raw): ChangedBalances | null => {
  if (topic !== BALANCES) return null
  const row = record(data)
  const [assetId, available, locked] = [word(row, "currency"), word(row, "available"), word(row, "hold")]
  if (!OF_TRADING.test(String(row["relationEvent"])) || assetId === null || available === null || locked === null)
    return null
  const at = Number(row["time"])
  return { at: Number.isFinite(at) ? at : null, rows: [{ assetId, available, locked }] }
}

const CHANNELS: Readonly<Record<string, string>> = { [ORDERS_V2]: "orders", [BALANCES]: "balances" }

export const kucoin: ExchangeAdapter = adapterByScheme(
  { ...commonScheme, idParam: "clientOid", askParam: "clientOid", cancelParam: "clientOid" },
  {
    prepare,
    accountId,
    notTaken,
    /** Of its triggers nothing is proven: the gateway watches them. */
    terms: (order) => {
      if (order.trigger !== undefined) throw new NotSupported("KUCOIN's triggers are not used")
      return costTerms(order)
    },
    ended: ({ type, timeInForce }) => {
      const isImmediate = type === "market" || timeInForce === "IOC" || timeInForce === "FOK"
      return { status: "CANCELLED", ending: isImmediate ? "REMAINDER" : null }
    },
    neverWorked: ({ info, postOnly, filled }) =>
      postOnly === true && info?.["neverRested"] === true && !/[1-9]/.test(String(filled ?? "")),
    eventsAreHints: isHint,
    fillsOf,
    changedBalances,
    fetchedBalances,
    stops,
    usedShare,
    channels: ["orders", "balances"],
    // An acknowledgement has the number of its request alone.
    asksFor: ({ type, id, topic }) =>
      type === "subscribe" ? { id: String(id), channels: [CHANNELS[String(topic)] ?? String(topic)] } : null,
    channelNews: ({ type, id }) =>
      type === "ack" || type === "error" ? [{ asked: String(id), isTaken: type === "ack" }] : [],
    forgetLogin: (exchange) => {
      // A token may be good no more.
      delete exchange.options[URLS]
      heardBy(exchange).forget()
    },
  },
)
