/**
 * Binance USDⓈ-M, linear perpetuals: the spot side's formats where they are the same, and its own listen keys, weights, ends of orders and changes.
 * Its deviations from ccxt 4.5.84, which asks for positions with each new stream, counts orders by address and at four times their weight, shows
 * conditional orders as orders, and sends no change without the order's side.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtExchange, CcxtOrder, Raw } from "../../worker/exchange/ccxt.ts"
import { type ExchangeAdapter, record, rows, word } from "../adapter.ts"
import { binance, usedWeightOf } from "../binance/adapter.ts"
import type { VenueProfile } from "../profile.ts"
import { forgetListenKey, keepListenKey } from "./listen-key.ts"

/** What ccxt's Binance has beside every exchange's. */
interface UsdmExchange extends CcxtExchange {
  calculateRateLimiterCost(api: unknown, method: string, path: string, params: Raw, config?: Raw): number | string
  /** GET /fapi/v3/balance, GET /fapi/v1/accountConfig. */
  fapiPrivateV3GetBalance(params: Raw): Promise<unknown>
  fapiPrivateGetAccountConfig(params: Raw): Promise<Raw>
}

// Weights: of an address, 2,400 a minute (REQUEST_WEIGHT in exchangeInfo).

const WEIGHT_A_MINUTE = 2400
/** ccxt has 1,200 units a minute. */
const UNITS_OF_WEIGHT = 1200 / WEIGHT_A_MINUTE

/** Where ccxt has another weight than the venue. Orders and their changes are counted by account, and weigh nothing. */
const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ["POST order", 0],
  ["PUT order", 0],
  ["GET account", 5],
  ["GET balance", 5],
  ["GET positionRisk", 5],
])

const weigh = (instance: CcxtExchange): void => {
  const exchange = instance as UsdmExchange
  const costOf = exchange.calculateRateLimiterCost.bind(exchange)
  exchange.calculateRateLimiterCost = (api, method, path, params, config) =>
    (WEIGHTS.get(`${method} ${path}`) ?? Number(costOf(api, method, path, params, config))) * UNITS_OF_WEIGHT
}

// Changes: PUT /fapi/v1/order takes the order's side, its price and its whole quantity, whether they change or not.

/** Of an order that the stream has told, or that the venue is asked for. */
const sideOf = async (exchange: CcxtExchange, id: string | undefined, symbol: string, params: Raw): Promise<string> => {
  const told = exchange.orders as { readonly hashmap?: Readonly<Record<string, Readonly<Record<string, CcxtOrder>>>> }
  const known = id === undefined ? undefined : told?.hashmap?.[symbol]?.[id]
  const { side } = known ?? (await exchange.fetchOrder(id, symbol, params))
  return String(side)
}

const prepare = (exchange: CcxtExchange, _profile: VenueProfile): void => {
  weigh(exchange)
  keepListenKey(exchange)
  const edit = exchange.editOrder.bind(exchange)
  exchange.editOrder = async (id, symbol, type, _side, amount, price, { postOnly: _, ...params }) =>
    edit(id, symbol, type, await sideOf(exchange, id, symbol, params), amount, price, params)
}

/** A code of its own, the same for each of the account's keys; the assets that there are carry it. */
const accountId = async (instance: CcxtExchange): Promise<string | null> => {
  const balances = await (instance as UsdmExchange).fapiPrivateV3GetBalance({})
  return word(rows(balances)[0], "accountAlias")
}

const notTaken = async (instance: CcxtExchange): Promise<string | null> => {
  const { dualSidePosition } = await (instance as UsdmExchange).fapiPrivateGetAccountConfig({})
  return dualSidePosition === true
    ? "an account in hedge mode: set its position mode to one-way at the venue, where orders of one symbol have one position"
    : null
}

// Positions: those of GET /fapi/v3/account, of the same instant as its balances.

/** The venue prints profits and notionals with so many places. */
const PLACES = 8

const symbolOf = (exchange: CcxtExchange, id: string): string | undefined => {
  try {
    return exchange.market(id).symbol
  } catch {
    // No market that is loaded.
    return undefined
  }
}

/** It says what a position is worth and what it gained: at the price of its entry the two are one. */
const entryOf = (quantity: Decimal, { notional, unrealizedProfit }: Raw): string | null => {
  const [worth, profit] = [notional, unrealizedProfit].map((it) => Decimal.fromVenue(String(it ?? "")))
  if (worth === undefined || profit === undefined) return null
  const price = worth.subtract(profit).divide(quantity, PLACES, "HALF_EVEN")
  return price.isPositive() ? price.toString() : null
}

const fetchedContracts: NonNullable<ExchangeAdapter["fetchedContracts"]> = (exchange, { info }) =>
  rows(info?.["positions"]).flatMap((position) => {
    const [id, amount] = [word(position, "symbol"), word(position, "positionAmt")]
    const quantity = Decimal.fromVenue(amount ?? "")
    if (id === null || quantity === undefined || quantity.isZero()) return []
    const symbol = symbolOf(exchange, id)
    const asset = symbol?.split(":")[1]
    if (asset === undefined) return []
    return [
      {
        symbol,
        asset,
        quantity: quantity.toString(),
        entryPrice: entryOf(quantity, position),
        unrealizedProfit: word(position, "unrealizedProfit"),
      },
    ]
  })

// Ends: "Expiry Reason" of the page on order updates, `er` of an event; a list of orders does not say it.

const SELF_TRADE = ["1", "3"]
/** Of an IOC, a market order, a FOK. */
const REMAINDER = ["2", "9", "10"]

const ended: ExchangeAdapter["ended"] = (order) => {
  const reason = word(order.info, "er") ?? "0"
  if (order.status !== "expired" || reason === "0") return binance.ended(order)
  if (SELF_TRADE.includes(reason)) return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }
  return { status: "CANCELLED", ending: REMAINDER.includes(reason) ? "REMAINDER" : null }
}

/** What ends or begins without an execution: nothing is told of the margin then. */
const MOVES_MARGIN = ["NEW", "AMENDMENT", "CANCELED", "EXPIRED"]

export const binanceusdm: ExchangeAdapter = {
  ...binance,
  prepare,
  preparePublic: (exchange, profile) => {
    weigh(exchange)
    binance.preparePublic?.(exchange, profile)
  },
  accountId,
  notTaken,
  fetchedContracts,
  reduceOnly: { reduceOnly: true },
  ended,
  usedShare: usedWeightOf(WEIGHT_A_MINUTE),
  // Wallet balances alone, without what positions and orders hold of them: what is available is asked for.
  changedBalances: () => null,
  balancesMoved: (event) =>
    event["e"] === "ACCOUNT_UPDATE" ||
    (event["e"] === "ORDER_TRADE_UPDATE" && MOVES_MARGIN.includes(word(record(event["o"]), "x") ?? "")),
  // Conditional orders have numbers of their own, and become orders when they are triggered.
  misleads: (event) => event["e"] === "ALGO_UPDATE",
  // The key is in the URL, and nothing is said of it.
  upWhenOpen: true,
  endsPrivateStream: (event) => event["e"] === "listenKeyExpired" || binance.endsPrivateStream(event),
  forgetLogin: forgetListenKey,
}
