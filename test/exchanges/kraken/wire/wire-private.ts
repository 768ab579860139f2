/**
 * The JSON of orders, fills and balances in private REST, field by field as Kraken sends them: instants are seconds with a fraction,
 * an order's `price` is what it paid on average, fees are in the quote asset whatever asset they were taken from.
 */
import { multiply, toFixed8 } from "../../binance/fixed.ts"
import type { KrakenAccount, KrakenFill, KrakenOrder } from "../model.ts"
import { isOpen, typeWord } from "../model.ts"
import { withPlaces } from "../numbers.ts"
import { ASSETS } from "../pairs.ts"
import { averagePrice } from "./wire-public.ts"

const COST_PLACES = 5

const seconds = (millis: number): number => millis / 1000

const inQuote = (fee: bigint, feeInBase: boolean, price: bigint): bigint => (feeInBase ? multiply(fee, price) : fee)

/** `buy 0.00100000 XBTUSD @ limit 50000.0` */
export const describe = (
  order: Pick<KrakenOrder, "pair" | "side" | "kind" | "stop" | "price" | "quantity">,
): string => {
  const { pair, side, kind, stop } = order
  const limit = `limit ${withPlaces(order.price, pair.priceDecimals)}`
  const plain = kind === "limit" ? limit : "market"
  const trigger =
    stop === undefined ? "" : `${stop.kind.replace("-", " ")} ${withPlaces(stop.price, pair.priceDecimals)}`
  const terms = stop === undefined ? plain : kind === "limit" ? `${trigger} -> ${limit}` : trigger
  return `${side} ${withPlaces(order.quantity, pair.lotDecimals)} ${pair.altname} @ ${terms}`
}

/** A stop's own price comes first. */
const pricesOf = ({ pair, kind, stop, price }: KrakenOrder) => {
  const limit = kind === "limit" ? withPlaces(price, pair.priceDecimals) : "0"
  return stop === undefined
    ? { price: limit, price2: "0" }
    : { price: withPlaces(stop.price, pair.priceDecimals), price2: limit }
}

const flagsOf = (order: KrakenOrder): string =>
  [order.isPostOnly ? "post" : "", order.feeInBase ? "fcib" : "fciq", order.isByCost ? "viqc" : ""]
    .filter((flag) => flag !== "")
    .join(",")

/** An order as OpenOrders, ClosedOrders and QueryOrders show it. */
export const orderJson = (order: KrakenOrder, withTrades: boolean) => {
  const { pair } = order
  const average = averagePrice(order.cost, order.executed)
  return {
    refid: null,
    userref: order.userref,
    ...(order.clOrdId === undefined ? {} : { cl_ord_id: order.clOrdId }),
    status: order.status,
    ...(isOpen(order) ? {} : { reason: order.reason ?? null }),
    opentm: seconds(order.openedAt),
    ...(order.closedAt === undefined ? {} : { closetm: seconds(order.closedAt) }),
    starttm: 0,
    expiretm: order.expireAt === undefined ? 0 : seconds(order.expireAt),
    descr: {
      pair: pair.altname,
      type: order.side,
      ordertype: typeWord(order),
      ...pricesOf(order),
      leverage: "none",
      order: describe(order),
      close: "",
    },
    vol: withPlaces(order.quantity, pair.lotDecimals),
    vol_exec: withPlaces(order.executed, pair.lotDecimals),
    cost: withPlaces(order.cost, COST_PLACES),
    fee: withPlaces(inQuote(order.fee, order.feeInBase, average), COST_PLACES),
    price: withPlaces(average, Math.max(COST_PLACES, pair.priceDecimals)),
    stopprice: "0.00000",
    limitprice: "0.00000",
    misc: order.stop?.isTriggered === true ? (order.stop.kind === "stop-loss" ? "stopped" : "touched") : "",
    oflags: flagsOf(order),
    ...(withTrades && order.fills.length > 0 ? { trades: order.fills.map(({ execId }) => execId) } : {}),
  }
}

/** A fill as TradesHistory shows it. */
export const fillJson = (fill: KrakenFill) => {
  const { order } = fill
  const { pair } = order
  return {
    ordertxid: order.txid,
    postxid: `TKH2SE-${fill.execId.slice(7, 12)}-CFI7LT`,
    pair: pair.id,
    time: seconds(fill.filledAt),
    type: order.side,
    ordertype: typeWord(order),
    price: withPlaces(fill.price, Math.max(COST_PLACES, pair.priceDecimals)),
    cost: withPlaces(fill.cost, COST_PLACES),
    fee: withPlaces(inQuote(fill.fee, order.feeInBase, fill.price), COST_PLACES),
    vol: withPlaces(fill.quantity, pair.lotDecimals),
    margin: "0.00000",
    leverage: "0",
    misc: "",
    trade_id: fill.tradeId,
    maker: fill.isMaker,
  }
}

/** REST's id of what the matching engine calls an asset. */
const idOf = (name: string): string => ASSETS.find((asset) => asset.name === name)?.id ?? name

const PLACES_MIN = 8

const placesOf = (name: string): number =>
  Math.max(PLACES_MIN, ASSETS.find((asset) => asset.name === name)?.decimals ?? 0)

/** Total and part on hold, by REST's ids. */
export const extendedBalances = (account: KrakenAccount) =>
  Object.fromEntries(
    [...account.balances].map(([name, { free, locked }]) => [
      idOf(name),
      { balance: withPlaces(free + locked, placesOf(name)), hold_trade: withPlaces(locked, placesOf(name)) },
    ]),
  )

export const plainBalances = (account: KrakenAccount) =>
  Object.fromEntries(Object.entries(extendedBalances(account)).map(([id, { balance }]) => [id, balance]))

/** Free amounts that a test or a person writes down, by asset name. */
export const balancesOf = (amounts: Readonly<Record<string, string>>): KrakenAccount["balances"] =>
  new Map(Object.entries(amounts).map(([name, free]) => [name, { free: toFixed8(free), locked: 0n }]))
