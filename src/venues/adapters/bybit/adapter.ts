/**
 * Bybit spot of a unified account, and its deviations from ccxt 4.5.84, which calls a half-filled cancel a filled order, looks for an order only
 * where a release of the venue forgets it, stamps logins with our clock, and takes contracts of the account for spot orders of the same symbol.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtExchange, CcxtOrder, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { readBack } from "../../worker/session/client-ids.ts"
import { NotSupported } from "../../worker/session/order-terms.ts"
import { type BalanceRow, type ExchangeAdapter, record, rows, word } from "../adapter.ts"
import { adapterByScheme, commonScheme, OrderNotFound } from "../client-id-scheme.ts"
import { type RestAnswer, type Stop, saysCode, stopOfSigned } from "../stops.ts"
import { bybitOrderSocket } from "./order-socket.ts"

/** What ccxt's Bybit has beside every exchange's. */
interface BybitExchange extends CcxtExchange {
  /** Ms of this host's clock. */
  milliseconds(): number
  /** Ms of the venue's clock, as far as it was measured. */
  nonce(): number
  parseTrade(trade: Raw, market?: unknown): CcxtTrade
  /** GET /v5/order/realtime and /v5/order/history. */
  privateGetV5OrderRealtime(params: Raw): Promise<Raw>
  privateGetV5OrderHistory(params: Raw): Promise<Raw>
  /** GET /v5/user/query-api. */
  privateGetV5UserQueryApi(params: Raw): Promise<Raw>
}

/** "403, access too frequent … please wait for at least 10 minutes": of the address. */
const BANNED_MILLIS = 600_000

/**
 * 10006, "Too many visits", comes with HTTP 200 and counts an account's requests of one kind, as 10429 and 20003 do on the trade socket; 10018, and
 * 10403 there, those of an address.
 */
const stops = (answer: RestAnswer): Stop | undefined => {
  if (answer.status === 403 || saysCode(answer, /"retCode":\s*10009\b/)) return { scope: "BAN", millis: BANNED_MILLIS }
  const resetAt = Number(answer.headers.get("x-bapi-limit-reset-timestamp") ?? Number.NaN)
  const millis = Number.isFinite(resetAt) && resetAt > Date.now() ? resetAt - Date.now() : null
  if (saysCode(answer, /"retCode":\s*(10006|10429|20003)\b/)) return stopOfSigned(answer, millis)
  return saysCode(answer, /"retCode":\s*(10018|10403)\b/) ? { scope: "ADDRESS", millis } : undefined
}

const isSome = (quantity: string | null): boolean => quantity !== null && /[1-9]/.test(quantity)

/**
 * ccxt reads PartiallyFilledCanceled as filled, and a rejection behind a fill as one without. A market order in quote has a quantity in
 * base once it has ended; before, ccxt adds what is left of it, in whatever asset.
 */
const truly = (order: CcxtOrder): CcxtOrder => {
  const { info } = order
  const status = word(info, "orderStatus")
  const isCut = status === "PartiallyFilledCanceled" || (status === "Rejected" && isSome(word(info, "cumExecQty")))
  const said = isCut ? { ...order, status: "canceled" } : order
  const unit = word(info, "marketUnit") ?? (word(info, "side") === "Buy" ? "quoteCoin" : "baseCoin")
  if (word(info, "orderType") !== "Market" || unit !== "quoteCoin") return said
  return { ...said, amount: said.status === "open" ? undefined : said.filled }
}

/** ccxt knows `feeCoin` alone, and takes the fee for one in the asset that was received. */
const withFeeAsset = (exchange: BybitExchange, trade: CcxtTrade): CcxtTrade => {
  const asset = word(record(trade.info), "feeCurrency", "feeCoin")
  if (asset === null || trade.fee === undefined) return trade
  const fee = { ...trade.fee, currency: exchange.safeCurrencyCode(asset) }
  return { ...trade, fee, fees: [fee] }
}

/** The topics tell of every product of the account, and ccxt has markets of spot alone: a contract would be read as a pair. */
const ofSpot = (message: unknown): unknown => {
  const event = record(message)
  if ((event["topic"] !== "order" && event["topic"] !== "execution") || !Array.isArray(event["data"])) return message
  const spot = rows(event["data"]).filter(({ category }) => category === "spot")
  return spot.length === event["data"].length ? message : { ...event, data: spot }
}

/**
 * What works and the newest of what has ended is in the one list; behind a release of the venue, what has ended is in the other alone
 * ("should only be queried through order history").
 */
const findOrder = async (exchange: BybitExchange, id: string | undefined, symbol: string, params: Raw) => {
  const market = exchange.market(symbol)
  const linkId = params["orderLinkId"]
  const name = id === undefined ? { orderLinkId: linkId } : { orderId: id }
  const asked = { category: "spot", symbol: market.id, ...name }
  const lists = [exchange.privateGetV5OrderRealtime, exchange.privateGetV5OrderHistory]
  for (const list of lists) {
    const answer = await list.call(exchange, asked)
    const found = rows(record(answer["result"])["list"]).find((row) =>
      id === undefined ? row["orderLinkId"] === linkId : row["orderId"] === id,
    )
    if (found !== undefined) return exchange.parseOrder(found, market)
  }
  throw new OrderNotFound("no order of the account has this id")
}

const prepare = (instance: CcxtExchange): void => {
  const exchange = instance as BybitExchange
  const parseOrder = exchange.parseOrder.bind(exchange)
  exchange.parseOrder = (order, market) => truly(parseOrder(order, market))
  const parseTrade = exchange.parseTrade.bind(exchange)
  exchange.parseTrade = (trade, market) => withFeeAsset(exchange, parseTrade(trade, market))
  const handle = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => handle(socket, ofSpot(message))
  exchange.fetchOrder = (id, symbol, params) => findOrder(exchange, id, symbol, params)
  const edit = exchange.editOrder.bind(exchange)
  exchange.editOrder = (id, symbol, type, side, amount, price, { clientOrderId, ...params }) =>
    // ccxt wants a side, and sends none.
    edit(id, symbol, type, side ?? "buy", amount, price, {
      ...params,
      ...(clientOrderId !== undefined && { orderLinkId: clientOrderId }),
    })
  // A login is good until an instant that ccxt reckons by our clock, before it first waits: refused for ever where ours is behind.
  const { authenticate } = exchange
  exchange.authenticate = (...given) => {
    const [now, { milliseconds }] = [exchange.nonce(), exchange]
    exchange.milliseconds = () => now
    try {
      return authenticate.apply(exchange, [...given])
    } finally {
      exchange.milliseconds = milliseconds
    }
  }
}

/** Null: the key may not ask. */
const accountId = async (instance: CcxtExchange): Promise<string | null> => {
  const exchange = instance as BybitExchange
  try {
    const { result } = await exchange.privateGetV5UserQueryApi({})
    const id = record(result)["userID"]
    return typeof id === "number" || typeof id === "string" ? String(id) : null
  } catch (error) {
    if (error instanceof Error && error.name === "PermissionDenied") return null
    throw error
  }
}

/** What a coin has less what orders and positions hold of it; "" is what Bybit writes where it does not say. */
const balanceOf = (coin: Raw): BalanceRow | undefined => {
  const assetId = word(coin, "coin")
  const total = Decimal.fromVenue(word(coin, "walletBalance") ?? "")
  if (assetId === null || total === undefined) return undefined
  const held = [word(coin, "locked"), word(coin, "totalOrderIM"), word(coin, "totalPositionIM")]
  const locked = held.reduce((sum, it) => sum.add(Decimal.fromVenue(it ?? "0") ?? Decimal.ZERO), Decimal.ZERO)
  const available = Decimal.max(total.subtract(locked), Decimal.ZERO)
  return { assetId, available: available.toString(), locked: locked.toString() }
}

const coinsOf = (accounts: unknown): ReadonlyArray<Raw> => rows(accounts).flatMap(({ coin }) => rows(coin))

export const bybit: ExchangeAdapter = adapterByScheme(
  { ...commonScheme, idParam: "clientOrderId", askParam: "orderLinkId", cancelParam: "orderLinkId" },
  {
    prepare,
    orderSocket: bybitOrderSocket,
    accountId,
    /** Of its triggers nothing is proven: the gateway watches them. */
    terms: ({ trigger, cost }) => {
      if (trigger !== undefined) throw new NotSupported("BYBIT's triggers are not used")
      return cost === undefined ? {} : { cost }
    },
    ended: ({ info, timeInForce }) => {
      const [cancelType, reason] = [word(info, "cancelType"), word(info, "rejectReason")]
      if (cancelType === "CancelBySmp" || reason === "EC_BySelfMatch" || reason === "EC_StopBySelfMatch")
        return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }
      const isImmediate = timeInForce === "IOC" || timeInForce === "FOK"
      return { status: "CANCELLED", ending: isImmediate && cancelType !== "CancelByUser" ? "REMAINDER" : null }
    },
    neverWorked: ({ info }) => word(info, "rejectReason") === "EC_PostOnlyWillTakeLiquidity",
    fillClientId: ({ info }) => readBack(word(record(info), "orderLinkId")),
    // Its events are whole rows of the order, with the time of their change.
    eventsAreHints: false,
    changedBalances: (event) => {
      if (event["topic"] !== "wallet") return null
      const coins = coinsOf(event["data"]).filter((coin) => word(coin, "locked") !== null)
      const at = event["creationTime"]
      return { at: typeof at === "number" ? at : null, rows: coins.flatMap((coin) => balanceOf(coin) ?? []) }
    },
    balancesMoved: (event) =>
      event["topic"] === "wallet" && coinsOf(event["data"]).some((coin) => word(coin, "locked") === null),
    fetchedBalances: ({ info }) => coinsOf(record(info?.["result"])["list"]).flatMap((coin) => balanceOf(coin) ?? []),
    stops,
    channels: ["order", "wallet", "execution"],
    // An acknowledgement has the number of its request alone.
    asksFor: (frame) =>
      frame["op"] === "subscribe" && Array.isArray(frame["args"])
        ? { id: String(frame["req_id"]), channels: frame["args"].map(String) }
        : null,
    channelNews: (event) =>
      event["op"] === "subscribe" ? [{ asked: String(event["req_id"]), isTaken: event["success"] === true }] : [],
  },
)
