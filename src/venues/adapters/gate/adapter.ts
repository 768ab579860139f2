/**
 * Gate spot of a classic account, and its deviations from ccxt 4.5.84, which cuts the list of open orders at one page of all pairs, signs the stream by our
 * clock, looks for an order of ours where only working ones are, and takes orders of the margin account for those of spot. Source:
 * www.gate.com/docs/developers/apiv4, and its page on spot WebSockets.
 */
import type { CcxtBalance, CcxtExchange, CcxtOrder, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { readBack, spelled } from "../../worker/session/client-ids.ts"
import { costTerms, NotSupported } from "../../worker/session/order-terms.ts"
import { type BalanceRow, type ChangedBalances, type ExchangeAdapter, record, rows, word } from "../adapter.ts"
import { adapterByScheme, commonScheme, OrderNotFound } from "../client-id-scheme.ts"
import type { VenueProfile } from "../profile.ts"
import { type RestAnswer, type Stop, stopOfSigned, turnedAway } from "../stops.ts"
import { isByValue, Streamed, truly, withFeeAsset } from "./orders.ts"

type Ask = (params: Raw) => Promise<unknown>

/** What ccxt's Gate has beside every exchange's. */
interface GateExchange extends CcxtExchange {
  /** Ms of the venue's clock, as far as it was measured. */
  nonce(): number
  seconds(): number
  parseTrade(trade: Raw, market?: unknown): CcxtTrade
  calculateRateLimiterCost(api: unknown, method: string, path: string, ...rest: ReadonlyArray<unknown>): unknown
  readonly privateAccountGetDetail: Ask
  readonly privateSpotGetAccounts: Ask
  readonly privateSpotGetMyTrades: Ask
  readonly privateSpotGetOpenOrders: Ask
  readonly privateSpotGetOrders: Ask
  readonly privateSpotGetOrdersOrderId: Ask
}

interface Signed {
  readonly headers: Record<string, string>
}

const SPOT = { account: "spot" }

/** What stands before the venue turns an address away with a page. */
const TURNED_AWAY_MILLIS = 30_000
/** The longest of its windows. */
const WINDOW_MILLIS = 10_000

const stops = (answer: RestAnswer): Stop | undefined => {
  const { status, headers } = answer
  const away = turnedAway(answer, TURNED_AWAY_MILLIS)
  if (away !== undefined || status !== 429) return away
  // Seconds of the venue's clock: what ours makes of it is believed within what may be true.
  const left = Number(headers.get("x-gate-ratelimit-reset-timestamp") ?? Number.NaN) * 1000 - Date.now()
  return stopOfSigned(answer, left > 0 && left <= WINDOW_MILLIS ? left : null)
}

const STREAMED = new WeakMap<CcxtExchange, Streamed>()

const streamedBy = (exchange: CcxtExchange): Streamed => {
  const known = STREAMED.get(exchange) ?? new Streamed()
  STREAMED.set(exchange, known)
  return known
}

// Requests: by the venue's clock, and by its counts.

/** Orders and their changes: counted for themselves, and refused behind an instant that we name. */
const ORDERS: ReadonlySet<string> = new Set(["POST orders", "PATCH orders/{order_id}"])

const signInTime = (exchange: GateExchange, expiryMillis: number): void => {
  // A subscription names the second in which it was signed.
  exchange.seconds = () => Math.floor(exchange.nonce() / 1000)
  const sign = exchange.sign.bind(exchange)
  exchange.sign = (path, api, method, params, headers, body) => {
    const signed = sign(path, api, method, params, headers, body)
    // No part of the signature. After it the venue does not take the order any more (contract C3).
    if (ORDERS.has(`${method} ${path}`))
      (signed as Signed).headers["x-gate-exptime"] = String(exchange.nonce() + expiryMillis)
    return signed
  }
  const costOf = exchange.calculateRateLimiterCost.bind(exchange)
  exchange.calculateRateLimiterCost = (api, method, path, ...rest) =>
    ORDERS.has(`${method} ${path}`) ? 0 : costOf(api, method, path, ...rest)
}

// Lists: without ccxt's own filters, which take out of a page what was created before its start, and all but one page of open orders.

const OPEN_PAGE = 100
/** More than so many orders of a pair cannot be open. */
const OPEN_PAGES = 100

const within = (since: number | undefined, limit: number | undefined, { until, page }: Raw): Raw => ({
  ...SPOT,
  ...(limit !== undefined && { limit }),
  ...(page !== undefined && { page }),
  ...(since !== undefined && { from: Math.floor(since / 1000) }),
  ...(until !== undefined && { to: Math.floor(Number(until) / 1000) }),
})

const readsWholeLists = (exchange: GateExchange): void => {
  const pairOf = (symbol: string | undefined): Raw =>
    symbol === undefined ? {} : { currency_pair: exchange.market(symbol).id }
  exchange.fetchOpenOrders = async (symbol) => {
    const pair = symbol === undefined ? undefined : exchange.market(symbol).id
    const found: Array<Raw> = []
    for (let page = 1, isFull = true; isFull && page <= OPEN_PAGES; page++) {
      const pairs = rows(await exchange.privateSpotGetOpenOrders({ ...SPOT, page, limit: OPEN_PAGE }))
      const pages = pairs.map(({ orders }) => rows(orders))
      found.push(...pages.flat())
      isFull = pages.some((orders) => orders.length >= OPEN_PAGE)
    }
    return exchange.parseOrders(found.filter((it) => pair === undefined || it["currency_pair"] === pair))
  }
  exchange.fetchClosedOrders = async (symbol, since, limit, params = {}) => {
    const asked = { ...pairOf(symbol), status: "finished", ...within(since, limit, params) }
    return exchange.parseOrders(rows(await exchange.privateSpotGetOrders(asked)))
  }
  exchange.fetchMyTrades = async (symbol, since, limit, params) =>
    exchange.parseTrades(
      rows(await exchange.privateSpotGetMyTrades({ ...pairOf(symbol), ...within(since, limit, params) })),
    )
}

const ENDED_PAGE = 100
/** Of a pair's newest ended orders so many are searched. */
const ENDED_PAGES = 10

const isNotFound = (error: unknown): boolean => error instanceof Error && error.name === "OrderNotFound"

/**
 * By our id the venue knows working orders alone ("only order ID can be used after the order is finished"): what has ended is found in the list. In this order,
 * so that one which ends meanwhile is in neither's blind spot.
 */
const findOrder = async (exchange: GateExchange, id: string | undefined, symbol: string, { text }: Raw) => {
  const market = exchange.market(symbol)
  const asked = { ...SPOT, currency_pair: market.id }
  try {
    const found = record(await exchange.privateSpotGetOrdersOrderId({ ...asked, order_id: id ?? text }))
    if (word(found, "id") === null) throw new OrderNotFound("no order of the account has this id")
    return exchange.parseOrder(found, market)
  } catch (error) {
    if (id !== undefined || !isNotFound(error)) throw error
  }
  for (let page = 1; page <= ENDED_PAGES; page++) {
    const ended = rows(await exchange.privateSpotGetOrders({ ...asked, status: "finished", page, limit: ENDED_PAGE }))
    const found = ended.find((row) => row["text"] === text)
    if (found !== undefined) return exchange.parseOrder(found, market)
    if (ended.length < ENDED_PAGE) break
  }
  throw new OrderNotFound("no order of the account has this client order id")
}

/** The channels of orders and trades tell of the user's margin accounts, too, in markets of the same names. */
const ofSpot = (message: unknown, streamed: Streamed): unknown => {
  const { channel, event, result } = record(message)
  if (event !== "update" || !Array.isArray(result)) return message
  if (channel === "spot.orders")
    return { ...record(message), result: rows(result).filter((it) => streamed.isOfSpot(it)) }
  if (channel === "spot.usertrades")
    return { ...record(message), result: rows(result).filter((it) => streamed.isTradeOfSpot(it)) }
  return message
}

const prepare = (instance: CcxtExchange, { orderExpiryMillis }: VenueProfile): void => {
  const exchange = instance as GateExchange
  const streamed = streamedBy(exchange)
  signInTime(exchange, orderExpiryMillis ?? 0)
  const parseOrder = exchange.parseOrder.bind(exchange)
  exchange.parseOrder = (order, market) => {
    const said = truly(exchange, parseOrder(order, market))
    streamed.note(said)
    return said.info === undefined ? said : { ...said, info: { ...said.info, hasRested: streamed.hasRested(said.id) } }
  }
  const parseTrade = exchange.parseTrade.bind(exchange)
  exchange.parseTrade = (trade, market) => withFeeAsset(parseTrade(trade, market))
  const handle = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => handle(socket, ofSpot(message, streamed))
  readsWholeLists(exchange)
  exchange.fetchOrder = (id, symbol, params) => findOrder(exchange, id, symbol, params)
  exchange.fetchBalance = async () => ({ info: await exchange.privateSpotGetAccounts({}) }) as unknown as CcxtBalance
  const edit = exchange.editOrder.bind(exchange)
  exchange.editOrder = async (id, symbol, type, side, amount, price, { clientOrderId, postOnly: _, ...params }) => {
    const name = id ?? spelled(String(clientOrderId), "gate")
    const answer = await edit(name, symbol, type, side ?? "buy", amount, price, params)
    // A new price that a post-only order would take at, or an amount below what is executed: the change ends it.
    if (answer.status === "canceled") throw new OrderNotFound("the change ended the order")
    return answer
  }
}

const detailOf = async (instance: CcxtExchange): Promise<Raw | null> => {
  try {
    return record(await (instance as GateExchange).privateAccountGetDetail({}))
  } catch (error) {
    if (error instanceof Error && error.name === "PermissionDenied") return null
    throw error
  }
}

const accountId = async (instance: CcxtExchange): Promise<string | null> => {
  const id = (await detailOf(instance))?.["user_id"]
  return typeof id === "number" || typeof id === "string" ? String(id) : null
}

/** "Mode: 1 - classic, 2 - legacy unified". */
const CLASSIC = 1

const notTaken = async (instance: CcxtExchange): Promise<string | null> => {
  const detail = await detailOf(instance)
  if (detail === null)
    return "a key that may not read its account, which could be a unified one: give it the right to read the account"
  return Number(record(detail["key"])["mode"]) === CLASSIC
    ? null
    : "a unified account: set the account mode to classic at the venue, whose spot orders are those that are proven"
}

const fetchedBalances = ({ info }: CcxtBalance): ReadonlyArray<BalanceRow> =>
  rows(info).flatMap((row) => {
    const [assetId, available, locked] = [word(row, "currency"), word(row, "available"), word(row, "locked")]
    return assetId === null || available === null ? [] : [{ assetId, available, locked: locked ?? "0" }]
  })

const balanceEvents = ({ channel, event, result }: Raw): ReadonlyArray<Raw> =>
  channel === "spot.balances" && event === "update" ? rows(result) : []

const changedBalances = (event: Raw): ChangedBalances | null => {
  const said = balanceEvents(event)
  if (said.length === 0) return null
  const at = Math.max(...said.map((row) => Number(row["timestamp_ms"])))
  return {
    at: Number.isFinite(at) ? at : null,
    rows: said.flatMap((row) => {
      const [assetId, available, locked] = [word(row, "currency"), word(row, "available"), word(row, "freeze")]
      return assetId === null || available === null || locked === null ? [] : [{ assetId, available, locked }]
    }),
  }
}

/** What a post-only order was refused for is of the moment in which it came. */
const isOfItsArrival = ({ create_time_ms: created, update_time_ms: updated }: Raw): boolean =>
  !(Number(updated) - Number(created) > 1000)

/** "ioc", "fok", and that there was no other side, or no quantity, to trade with. */
const REMAINDERS: ReadonlySet<string | null> = new Set(["ioc", "fok", "depth_not_enough", "trader_not_enough", "small"])

export const gate: ExchangeAdapter = adapterByScheme(
  { ...commonScheme, spelling: "gate", idParam: "text", askParam: "text", cancelParam: "order_id" },
  {
    prepare,
    accountId,
    notTaken,
    /** Of its triggers nothing is proven: the gateway watches them. */
    terms: (order) => {
      if (order.trigger !== undefined) throw new NotSupported("GATE's triggers are not used")
      return costTerms(order)
    },
    ended: ({ info, type }: CcxtOrder) => {
      const finish = word(info, "finish_as")
      if (finish === "stp") return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }
      return { status: "CANCELLED", ending: REMAINDERS.has(finish) || type === "market" ? "REMAINDER" : null }
    },
    neverWorked: ({ info, filled }) =>
      word(info, "finish_as") === "poc" &&
      info?.["hasRested"] !== true &&
      isOfItsArrival(info ?? {}) &&
      !/[1-9]/.test(String(filled ?? "")),
    fillClientId: ({ info }) => readBack(word(record(info), "text")),
    // Its events are whole rows of the order. Of a market buy the quantity may be left out, which the order itself has.
    eventsAreHints: ({ info }) => isByValue(info ?? {}) && word(info, "filled_amount") === null,
    changedBalances,
    balancesMoved: (event) => balanceEvents(event).some((row) => word(row, "freeze") === null),
    fetchedBalances,
    stops,
    channels: ["spot.orders", "spot.balances", "spot.usertrades"],
    channelNews: ({ event, channel, error }) =>
      event === "subscribe" ? [{ channel: String(channel), isTaken: error === null || error === undefined }] : [],
  },
)
