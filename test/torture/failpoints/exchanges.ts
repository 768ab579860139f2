/**
 * The exchanges that may stand behind a gateway which is killed, each behind one face: a user with a key, a placement whose answer is kept, and its
 * orders in the words of the judge. BINANCE is always there, the others where a scene of theirs is played.
 */
import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto"
import { readBack, spelled } from "../../../src/venues/worker/session/client-ids.ts"
import type { Fault } from "../../exchanges/binance/faults.ts"
import { startUsdmExchange } from "../../exchanges/binance-usdm/exchange.ts"
import { startBitfinexExchange } from "../../exchanges/bitfinex/exchange.ts"
import { startBitstampExchange } from "../../exchanges/bitstamp/exchange.ts"
import { startBybitExchange } from "../../exchanges/bybit/exchange.ts"
import { startCoinbaseExchange } from "../../exchanges/coinbase/exchange.ts"
import { startDeribitExchange } from "../../exchanges/deribit/exchange.ts"
import { startGateExchange } from "../../exchanges/gate/exchange.ts"
import { startGeminiExchange } from "../../exchanges/gemini/exchange.ts"
import { startKrakenExchange } from "../../exchanges/kraken/exchange.ts"
import { startKrakenFuturesExchange } from "../../exchanges/kraken-futures/exchange.ts"
import { startKucoinExchange } from "../../exchanges/kucoin/exchange.ts"
import type { LoopbackExchange } from "../../exchanges/loopback.ts"
import { startOkxExchange } from "../../exchanges/okx/exchange.ts"

/** As the exchange has it now; amounts are decimal texts, `cost` null where the exchange does not say it. */
export interface OrderThere {
  readonly clientOrderId: string
  /** BINANCE's word for it. */
  readonly status: string
  readonly executed: string
  readonly cost: string | null
}

interface Keys {
  readonly apiKey: string
  readonly apiSecret: string
  readonly apiPassphrase?: string
}

type Base = Pick<LoopbackExchange<never, never, PlacedThere, never>, "routes" | "placements" | "counts" | "stop">

interface PlacedThere {
  readonly clientOrderId: string
  readonly apiKey: string
  readonly count: number
  readonly created: number
}

export interface StageExchange extends Base {
  readonly venue: string
  readonly pair: string
  /** `METHOD /path` of an order, or `WS operation` where SOCKET_ORDERS names the venue. */
  readonly place: string
  readonly fault: (fault: Fault) => void
  /** A new user's, who is rich. */
  readonly enter: () => Keys
  /** How the exchange has our id, where that cannot be read back. */
  readonly spell?: (clientId: string) => string
  /** Oldest first. `newest`: of no more than so many, the newest, where the exchange can be asked so; of all elsewhere. */
  readonly orders: (apiKey: string, newest?: number) => ReadonlyArray<OrderThere>
}

export const BALANCES = { USDT: "10000000", BTC: "1000" }

/** How the exchanges count an order that arrives over a socket. */
export const SOCKET_PLACES = { binance: "WS order.place", okx: "WS order", bybit: "WS order.create" } as const
/** Whose orders may go over a socket. */
export type SocketVenue = keyof typeof SOCKET_PLACES

const hex = (bytes: number): string => randomBytes(bytes).toString("hex")

const startOkx = async (overSocket: boolean): Promise<StageExchange> => {
  const exchange = await startOkxExchange()
  const words: Readonly<Record<string, string>> = {
    live: "NEW",
    partially_filled: "PARTIALLY_FILLED",
    filled: "FILLED",
    canceled: "CANCELED",
  }
  return {
    ...exchange,
    venue: "OKX",
    pair: "BTC/USDT",
    place: overSocket ? SOCKET_PLACES.okx : "POST /api/v5/trade/order",
    enter: () => {
      const keys = { apiKey: hex(16), apiSecret: hex(16).toUpperCase(), apiPassphrase: hex(6) }
      exchange.addUser({ ...keys, balances: BALANCES })
      return keys
    },
    orders: (apiKey, newest) =>
      exchange.orders(apiKey, newest).map(({ clOrdId, state, accFillSz }) => ({
        clientOrderId: clOrdId,
        status: words[state] ?? state,
        executed: accFillSz,
        // It says the average price, rounded.
        cost: null,
      })),
  }
}

const startBybit = async (overSocket: boolean): Promise<StageExchange> => {
  const exchange = await startBybitExchange()
  const words: Readonly<Record<string, string>> = {
    New: "NEW",
    PartiallyFilled: "PARTIALLY_FILLED",
    Filled: "FILLED",
    Cancelled: "CANCELED",
    PartiallyFilledCanceled: "CANCELED",
    Rejected: "REJECTED",
  }
  return {
    ...exchange,
    venue: "BYBIT",
    pair: "BTC/USDT",
    place: overSocket ? SOCKET_PLACES.bybit : "POST /v5/order/create",
    enter: () => {
      const keys = { apiKey: hex(9), apiSecret: hex(18) }
      exchange.addUser({ ...keys, balances: BALANCES })
      return keys
    },
    orders: (apiKey) =>
      exchange.orders(apiKey).map(({ orderLinkId, orderStatus, cumExecQty, cumExecValue }) => ({
        clientOrderId: orderLinkId,
        status: words[orderStatus] ?? orderStatus,
        executed: cumExecQty,
        cost: cumExecValue,
      })),
  }
}

const startKraken = async (): Promise<StageExchange> => {
  // One account is asked by one process after another, each of which counts its own calls alone.
  const exchange = await startKrakenExchange({ isLimited: false })
  const statusOf = (status: string, executed: string): string =>
    status === "closed" ? "FILLED" : status !== "open" ? "CANCELED" : Number(executed) > 0 ? "PARTIALLY_FILLED" : "NEW"
  return {
    ...exchange,
    venue: "KRAKEN",
    pair: "BTC/USD",
    place: "POST /0/private/AddOrder",
    enter: () => {
      const keys = { apiKey: hex(28), apiSecret: randomBytes(64).toString("base64") }
      exchange.addUser({ ...keys, balances: { USD: BALANCES.USDT, BTC: BALANCES.BTC } })
      return keys
    },
    orders: (apiKey) =>
      exchange.orders(apiKey).map((order) => ({
        clientOrderId: order.cl_ord_id ?? "",
        status: statusOf(order.status, order.vol_exec),
        executed: order.vol_exec,
        cost: order.cost,
      })),
  }
}

const startCoinbase = async (): Promise<StageExchange> => {
  const exchange = await startCoinbaseExchange({ isLimited: false })
  const statusOf = (status: string, executed: string): string =>
    status === "CANCELLED"
      ? "CANCELED"
      : status === "FILLED"
        ? status
        : Number(executed) > 0
          ? "PARTIALLY_FILLED"
          : "NEW"
  return {
    ...exchange,
    venue: "COINBASE",
    pair: "BTC/USD",
    place: "POST /api/v3/brokerage/orders",
    enter: () => {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
      const apiSecret = privateKey.export({ type: "sec1", format: "pem" }).toString()
      const keys = { apiKey: `organizations/${randomUUID()}/apiKeys/${randomUUID()}`, apiSecret }
      exchange.addUser({ ...keys, balances: { USD: BALANCES.USDT, BTC: BALANCES.BTC } })
      return keys
    },
    orders: (apiKey) =>
      exchange.orders(apiKey).map(({ client_order_id, status, filled_size }) => ({
        clientOrderId: client_order_id.replaceAll("-", ""),
        status: statusOf(status, filled_size),
        executed: filled_size,
        // It says eight places of it.
        cost: null,
      })),
  }
}

const startUsdm = async (): Promise<StageExchange> => {
  // One address asks for one process after another.
  const exchange = await startUsdmExchange({ isLimited: false })
  return {
    ...exchange,
    venue: "BINANCEUSDM",
    pair: "BTC/USDT",
    place: "POST /fapi/v1/order",
    enter: () => {
      const keys = { apiKey: hex(32), apiSecret: hex(32) }
      exchange.addUser({ ...keys, balances: BALANCES })
      return keys
    },
    orders: (apiKey) =>
      exchange.orders(apiKey).map(({ clientOrderId, status, executedQty, cumQuote }) => ({
        clientOrderId,
        status,
        executed: executedQty,
        cost: cumQuote,
      })),
  }
}

const startKucoin = async (): Promise<StageExchange> => {
  const exchange = await startKucoinExchange()
  const statusOf = (active: boolean, cancelExist: boolean, executed: string): string =>
    active ? (Number(executed) > 0 ? "PARTIALLY_FILLED" : "NEW") : cancelExist ? "CANCELED" : "FILLED"
  return {
    ...exchange,
    venue: "KUCOIN",
    pair: "BTC/USDT",
    place: "POST /api/v1/hf/orders",
    enter: () => {
      const keys = { apiKey: hex(12), apiSecret: hex(18), apiPassphrase: hex(6) }
      exchange.addUser({ ...keys, balances: BALANCES })
      return keys
    },
    orders: (apiKey, newest) =>
      exchange.orders(apiKey, newest).map(({ clientOid, active, cancelExist, dealSize, dealFunds }) => ({
        clientOrderId: clientOid,
        status: statusOf(active, cancelExist, dealSize),
        executed: dealSize,
        cost: dealFunds,
      })),
  }
}

const startGate = async (): Promise<StageExchange> => {
  // One account is asked by one process after another, each of which counts its own calls alone.
  const exchange = await startGateExchange({ isLimited: false })
  const statusOf = (status: string, executed: string): string =>
    status === "closed" ? "FILLED" : status !== "open" ? "CANCELED" : Number(executed) > 0 ? "PARTIALLY_FILLED" : "NEW"
  return {
    ...exchange,
    venue: "GATE",
    pair: "BTC/USDT",
    place: "POST /api/v4/spot/orders",
    enter: () => {
      const keys = { apiKey: hex(16), apiSecret: hex(32) }
      exchange.addUser({ ...keys, balances: BALANCES })
      return keys
    },
    orders: (apiKey) =>
      exchange.orders(apiKey).map(({ text, status, filled_amount, filled_total }) => ({
        clientOrderId: readBack(text) ?? text,
        status: statusOf(status, filled_amount),
        executed: filled_amount,
        cost: filled_total,
      })),
  }
}

const startKrakenFutures = async (): Promise<StageExchange> => {
  // One account is asked by one process after another, each of which counts its own calls alone.
  const exchange = await startKrakenFuturesExchange({ isLimited: false })
  return {
    ...exchange,
    venue: "KRAKENFUTURES",
    pair: "BTC/USD",
    place: "POST /derivatives/api/v3/sendorder",
    enter: () => {
      const keys = { apiKey: hex(28), apiSecret: randomBytes(48).toString("base64") }
      exchange.addUser({ ...keys, balances: { USD: BALANCES.USDT } })
      return keys
    },
    orders: (apiKey) =>
      exchange.orders(apiKey).map(({ cliOrdId, status, filled, cost }) => ({
        clientOrderId: readBack(cliOrdId) ?? "",
        // The rest of what never rests.
        status: status === "EXPIRED" ? "CANCELED" : status,
        executed: filled,
        cost,
      })),
  }
}

const startBitstamp = async (): Promise<StageExchange> => {
  // One account is asked by one process after another, each of which counts its own calls alone.
  const exchange = await startBitstampExchange({ quotas: [] })
  const statusOf = (status: string, left: number, amount: number): string =>
    status === "Finished" ? "FILLED" : status !== "Open" ? "CANCELED" : left < amount ? "PARTIALLY_FILLED" : "NEW"
  return {
    ...exchange,
    venue: "BITSTAMP",
    pair: "BTC/USD",
    place: "POST /api/v2/buy/market/btcusd/",
    enter: () => {
      const keys = { apiKey: hex(16), apiSecret: hex(16) }
      exchange.addUser({ ...keys, balances: { USD: BALANCES.USDT, BTC: BALANCES.BTC } })
      return keys
    },
    orders: (apiKey) =>
      exchange.orders(apiKey).map(({ client_order_id, status, amount, amount_remaining }) => ({
        clientOrderId: client_order_id ?? "",
        status: statusOf(status, Number(amount_remaining), Number(amount)),
        executed: (Number(amount) - Number(amount_remaining)).toFixed(8),
        // It says what each of its trades did.
        cost: null,
      })),
  }
}

const startBitfinex = async (): Promise<StageExchange> => {
  // One address asks for one process after another, each of which counts its own calls alone.
  const exchange = await startBitfinexExchange({ quota: null })
  const statusOf = (isOpen: boolean, executed: number, amount: number): string =>
    isOpen ? (executed > 0 ? "PARTIALLY_FILLED" : "NEW") : executed === amount ? "FILLED" : "CANCELED"
  return {
    ...exchange,
    venue: "BITFINEX",
    pair: "BTC/USDT",
    place: "POST /v2/auth/w/order/submit",
    enter: () => {
      const keys = { apiKey: hex(22), apiSecret: hex(22) }
      exchange.addUser({ ...keys, balances: BALANCES })
      return keys
    },
    spell: (clientId) => spelled(clientId, "number"),
    orders: (apiKey) =>
      exchange.orders(apiKey).map(({ cid, isOpen, executed, amount, cost }) => ({
        clientOrderId: cid,
        status: statusOf(isOpen, Number(executed), Number(amount)),
        executed,
        cost,
      })),
  }
}

const startGemini = async (): Promise<StageExchange> => {
  // One account is asked by one process after another, each of which counts its own calls alone.
  const exchange = await startGeminiExchange({ quotas: [] })
  const statusOf = ({ is_live, is_cancelled, executed_amount }: ReturnType<typeof exchange.orders>[number]): string =>
    is_cancelled ? "CANCELED" : !is_live ? "FILLED" : executed_amount === "0" ? "NEW" : "PARTIALLY_FILLED"
  return {
    ...exchange,
    venue: "GEMINI",
    pair: "BTC/USD",
    place: "POST /v1/order/new",
    enter: () => {
      const keys = { apiKey: `account-${hex(10)}`, apiSecret: hex(14) }
      exchange.addUser({ ...keys, balances: { USD: BALANCES.USDT, BTC: BALANCES.BTC } })
      return keys
    },
    orders: (apiKey) =>
      exchange.orders(apiKey).map((row) => ({
        clientOrderId: row.client_order_id ?? "",
        status: statusOf(row),
        executed: row.executed_amount,
        // It says the average price, rounded.
        cost: null,
      })),
  }
}

const startDeribit = async (): Promise<StageExchange> => {
  // One account is asked by one process after another, each of which counts its own calls alone.
  const exchange = await startDeribitExchange({ isLimited: false })
  const statusOf = (state: string, executed: string): string =>
    state === "filled" ? "FILLED" : state === "cancelled" ? "CANCELED" : executed === "0" ? "NEW" : "PARTIALLY_FILLED"
  return {
    ...exchange,
    venue: "DERIBIT",
    pair: "BTC/USDC",
    place: "GET /api/v2/private/buy",
    enter: () => {
      const keys = { apiKey: hex(4), apiSecret: hex(32) }
      exchange.addUser({ ...keys, balances: { USDC: BALANCES.USDT } })
      return keys
    },
    orders: (apiKey) =>
      exchange.orders(apiKey).map(({ label, order_state, filled, cost }) => ({
        clientOrderId: label,
        status: statusOf(order_state, filled),
        executed: filled,
        cost,
      })),
  }
}

export const OTHER_EXCHANGES = {
  okx: startOkx,
  kraken: startKraken,
  bybit: startBybit,
  coinbase: startCoinbase,
  binanceusdm: startUsdm,
  kucoin: startKucoin,
  gate: startGate,
  krakenfutures: startKrakenFutures,
  bitstamp: startBitstamp,
  gemini: startGemini,
  deribit: startDeribit,
  bitfinex: startBitfinex,
}
export type OtherVenue = keyof typeof OTHER_EXCHANGES
