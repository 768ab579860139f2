/**
 * Corrections for a private instance of ccxt's Kraken: increasing nonces, orders that expire and are found by our own id, and fills in order.
 * Each function replaces one of ccxt's on the instance, before its first call.
 */
import type { CcxtExchange, CcxtOrder, CcxtTrade } from "../../worker/exchange/ccxt.ts"
import { classify } from "../../worker/exchange/errors.ts"
import { venueNow } from "../../worker/exchange/venue-clock.ts"
import { quoteFrames } from "../../worker/feed/digits.ts"
import { OrderNotFound } from "../client-id-scheme.ts"
import { Nonces, signByNonces } from "../nonces.ts"
import type { VenueProfile } from "../profile.ts"
import { hearClock } from "./clock.ts"
import { ASSET_NAMES, type KrakenExchange } from "./exchange.ts"
import { readPrivateStream } from "./private-stream.ts"

/** In nanoseconds, which is above whatever a key was used with elsewhere. */
const NONCES = new Nonces(1000n)

/** Of ccxt's name, by which it is classified. */
class AuthenticationError extends Error {}

export const prepareKraken = (instance: CcxtExchange, { orderExpiryMillis }: VenueProfile): void => {
  const exchange = instance as KrakenExchange
  Object.assign(exchange.commonCurrencies, ASSET_NAMES)
  quoteFrames(exchange)
  // The answer of another call would stand there by the time that a failed cancel looks at it.
  exchange.enableLastHttpResponse = false
  hearClock(exchange)
  signInTime(exchange, orderExpiryMillis ?? 0)
  signByNonces(exchange, NONCES, (error) => classify(error).code === "EAPI:Invalid nonce")
  findByClientId(exchange)
  readFills(exchange)
  readPrivateStream(exchange)
  const parseOrder = exchange.parseOrder.bind(exchange)
  exchange.parseOrder = (order, market) => asOrdered(parseOrder(order, market))
  const createOrder = exchange.createOrder.bind(exchange)
  // The fee in the quote asset, whatever the account prefers: what the history says then is what the stream said.
  exchange.createOrder = (symbol, type, side, amount, price, params) =>
    createOrder(symbol, type, side, amount, price, { ...params, oflags: "fciq" })
}

/** The volume of a market buy of so much quote is in quote: ccxt takes it for base. Of a GTD order ccxt does not say that it is one. */
const asOrdered = (order: CcxtOrder): CcxtOrder => {
  const isByCost = /\bviqc\b/.test(String(order.info?.["oflags"] ?? ""))
  const isTimed = Number(order.info?.["expiretm"] ?? 0) > 0
  return { ...order, ...(isByCost && { amount: undefined }), ...(isTimed && { timeInForce: "GTD" }) }
}

/** By the venue's clock, in whole seconds as the venue's own examples have it: never later than was promised. */
const deadline = (exchange: KrakenExchange, expiryMillis: number): string => {
  return `${new Date(venueNow(exchange) + expiryMillis).toISOString().slice(0, 19)}Z`
}

const isBase64 = (text: string): boolean =>
  text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)

/** Orders get their deadline with their signature, after whatever made them wait. */
const signInTime = (exchange: KrakenExchange, expiryMillis: number): void => {
  const sign = exchange.sign.bind(exchange)
  exchange.sign = (path, api, method, params, headers, body) => {
    if (api === "private" && !isBase64(exchange.secret ?? "")) throw new AuthenticationError("the secret is not base64")
    const isTimed = path === "AddOrder" || path === "AmendOrder"
    const timed = isTimed ? { ...params, deadline: deadline(exchange, expiryMillis) } : params
    return sign(path, api, method, timed, headers, body)
  }
}

const newest = (orders: ReadonlyArray<CcxtOrder>): CcxtOrder | undefined =>
  [...orders].sort((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0)).at(-1)

/**
 * ccxt asks QueryOrders for the order `undefined` and finds nothing, whatever there is. Open orders first: what closes between the two
 * questions is in the answer to the second.
 */
const findByClientId = (exchange: KrakenExchange): void => {
  const fetchOrder = exchange.fetchOrder.bind(exchange)
  exchange.fetchOrder = async (id, symbol, params) => {
    const { clientOrderId } = params
    if (id !== undefined || typeof clientOrderId !== "string") return fetchOrder(id, symbol, params)
    const own = { clientOrderId }
    const found =
      newest(await exchange.fetchOpenOrders(undefined, undefined, undefined, own)) ??
      newest(await exchange.fetchClosedOrders(undefined, undefined, undefined, own))
    if (found === undefined) throw new OrderNotFound("neither an open nor a closed order has this id")
    return found
  }
}

const figure = ({ info }: CcxtTrade, name: string): number => Number(info?.[name] ?? 0)

/** Fills of one moment by their numbers; ccxt has them by the letters of their ids. */
const inVenueOrder = (a: CcxtTrade, b: CcxtTrade): number =>
  figure(a, "time") - figure(b, "time") || figure(a, "trade_id") - figure(b, "trade_id")

/** Of all markets, in the venue's order; the start of its history is a whole second, exclusive. */
const readFills = (exchange: KrakenExchange): void => {
  const fetchMyTrades = exchange.fetchMyTrades.bind(exchange)
  exchange.fetchMyTrades = async (_, since, __, params) => {
    const from = since === undefined ? undefined : Math.max(0, since - 1000)
    return [...(await fetchMyTrades(undefined, from, undefined, params))].sort(inVenueOrder)
  }
}
