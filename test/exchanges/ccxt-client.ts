/**
 * Unmodified ccxt.pro clients for tests against a loopback exchange, and ways to wait for what they say.
 * One exchange file is imported by its URL: the package exports only its root, which loads every exchange it knows.
 */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Exchange, Order, Trade } from "ccxt"
import { type Routes, routeCcxt } from "./route-ccxt.ts"

export type Binance = InstanceType<typeof import("ccxt").pro.binance>
export type Kraken = InstanceType<typeof import("ccxt").pro.kraken>
type Bybit = InstanceType<typeof import("ccxt").pro.bybit>
type Kucoin = InstanceType<typeof import("ccxt").pro.kucoin>
type GateIo = InstanceType<typeof import("ccxt").pro.gate>
type BitfinexCom = InstanceType<typeof import("ccxt").pro.bitfinex>
type GeminiCom = InstanceType<typeof import("ccxt").pro.gemini>
type BitstampNet = InstanceType<typeof import("ccxt").pro.bitstamp>
type Coinbase = InstanceType<typeof import("ccxt").pro.coinbase>
type Deribit = InstanceType<typeof import("ccxt").pro.deribit>
type KrakenFutures = InstanceType<typeof import("ccxt").pro.krakenfutures>
type BinanceUsdm = InstanceType<typeof import("ccxt").pro.binanceusdm>
export type Settings = Record<string, unknown>

const packageRoot = join(dirname(createRequire(import.meta.url).resolve("ccxt")), "..")
const { default: BinanceClass }: { default: new (settings: Settings) => Binance } = await import(
  pathToFileURL(join(packageRoot, "js/src/pro/binance.js")).href
)

/** Of a busy machine; those that wait for an answer that never comes have less (`hastily`). */
export const PATIENCE_MILLIS = 60_000

/** A spot-only client; `close()` is the caller's. */
export const connectBinance = (routes: Routes, settings: Settings, options: Settings = {}): Binance => {
  const client = new BinanceClass({
    timeout: PATIENCE_MILLIS,
    ...settings,
    options: { fetchMarkets: { types: ["spot"] }, fetchMargins: false, ...options },
  })
  routeCcxt(client, routes)
  return client
}

/** Loaded at the first use; `close()` is the caller's. The venue's pace is left out: it is 1 request a second in ccxt. */
export const connectKraken = async (routes: Routes, settings: Settings, options: Settings = {}): Promise<Kraken> => {
  const { default: KrakenClass }: { default: new (settings: Settings) => Kraken } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/kraken.js")).href
  )
  const client = new KrakenClass({ timeout: PATIENCE_MILLIS, enableRateLimit: false, ...settings, options })
  routeCcxt(client, routes)
  return client
}

/** Loaded at the first use, for spot of a unified account; `close()` is the caller's. */
export const connectBybit = async (routes: Routes, settings: Settings): Promise<Bybit> => {
  const { default: BybitClass }: { default: new (settings: Settings) => Bybit } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/bybit.js")).href
  )
  const options = {
    defaultType: "spot",
    fetchMarkets: { types: ["spot"] },
    enableUnifiedMargin: false,
    enableUnifiedAccount: true,
  }
  const client = new BybitClass({ timeout: PATIENCE_MILLIS, ...settings, options })
  routeCcxt(client, routes)
  client.has["fetchCurrencies"] = false
  return client
}

/** Loaded at the first use; `close()` is the caller's. */
export const connectCoinbase = async (routes: Routes, settings: Settings): Promise<Coinbase> => {
  const { default: CoinbaseClass }: { default: new (settings: Settings) => Coinbase } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/coinbase.js")).href
  )
  const client = new CoinbaseClass({ timeout: PATIENCE_MILLIS, ...settings })
  routeCcxt(client, routes)
  client.has["fetchCurrencies"] = false
  return client
}

/** Loaded at the first use; `close()` is the caller's. */
export const connectUsdm = async (routes: Routes, settings: Settings): Promise<BinanceUsdm> => {
  const { default: UsdmClass }: { default: new (settings: Settings) => BinanceUsdm } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/binanceusdm.js")).href
  )
  const client = new UsdmClass({ timeout: PATIENCE_MILLIS, ...settings })
  routeCcxt(client, routes)
  client.has["fetchCurrencies"] = false
  return client
}

/** Loaded at the first use; `close()` is the caller's. */
export const connectKrakenFutures = async (routes: Routes, settings: Settings): Promise<KrakenFutures> => {
  const { default: FuturesClass }: { default: new (settings: Settings) => KrakenFutures } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/krakenfutures.js")).href
  )
  const client = new FuturesClass({ timeout: PATIENCE_MILLIS, ...settings })
  routeCcxt(client, routes)
  return client
}

/** Loaded at the first use; `close()` is the caller's. */
export const connectDeribit = async (routes: Routes, settings: Settings): Promise<Deribit> => {
  const { default: DeribitClass }: { default: new (settings: Settings) => Deribit } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/deribit.js")).href
  )
  const client = new DeribitClass({ timeout: PATIENCE_MILLIS, ...settings })
  routeCcxt(client, routes)
  client.has["fetchCurrencies"] = false
  return client
}

/** Loaded at the first use, for spot of a classic account; `close()` is the caller's. */
export const connectKucoin = async (routes: Routes, settings: Settings): Promise<Kucoin> => {
  const { default: KucoinClass }: { default: new (settings: Settings) => Kucoin } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/kucoin.js")).href
  )
  const options = { defaultType: "spot", fetchMarkets: { types: ["spot"] }, uta: false, hf: true }
  const client = new KucoinClass({ timeout: PATIENCE_MILLIS, ...settings, options })
  routeCcxt(client, routes)
  client.has["fetchCurrencies"] = false
  return client
}

/** Loaded at the first use, for spot of a classic account; `close()` is the caller's. */
export const connectGate = async (routes: Routes, settings: Settings): Promise<GateIo> => {
  const { default: GateClass }: { default: new (settings: Settings) => GateIo } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/gate.js")).href
  )
  const options = { defaultType: "spot", fetchMarkets: { types: ["spot"] }, unifiedAccount: false }
  const client = new GateClass({ timeout: PATIENCE_MILLIS, ...settings, options })
  routeCcxt(client, routes)
  client.has["fetchCurrencies"] = false
  return client
}

/** Loaded at the first use; `close()` is the caller's. */
export const connectBitstamp = async (routes: Routes, settings: Settings): Promise<BitstampNet> => {
  const { default: BitstampClass }: { default: new (settings: Settings) => BitstampNet } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/bitstamp.js")).href
  )
  const client = new BitstampClass({ timeout: PATIENCE_MILLIS, ...settings })
  routeCcxt(client, routes)
  client.has["fetchCurrencies"] = false
  return client
}

/** Loaded at the first use; `close()` is the caller's. */
export const connectBitfinex = async (routes: Routes, settings: Settings): Promise<BitfinexCom> => {
  const { default: BitfinexClass }: { default: new (settings: Settings) => BitfinexCom } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/bitfinex.js")).href
  )
  const client = new BitfinexClass({ timeout: PATIENCE_MILLIS, ...settings })
  routeCcxt(client, routes)
  client.has["fetchCurrencies"] = false
  return client
}

/** Loaded at the first use; `close()` is the caller's. Its nonces are microseconds: a key may have been used with as much before. */
export const connectGemini = async (routes: Routes, settings: Settings): Promise<GeminiCom> => {
  const { default: GeminiClass }: { default: new (settings: Settings) => GeminiCom } = await import(
    pathToFileURL(join(packageRoot, "js/src/pro/gemini.js")).href
  )
  const client = new GeminiClass({ timeout: PATIENCE_MILLIS, ...settings })
  client.nonce = () => Math.floor((performance.timeOrigin + performance.now()) * 1000)
  routeCcxt(client, routes)
  return client
}

/** The failure's class and text, or what came instead of one. */
export const failure = async (attempt: () => Promise<unknown>): Promise<{ name: string; message: string }> => {
  try {
    return { name: "no failure", message: JSON.stringify(await attempt()).slice(0, 200) }
  } catch (cause) {
    if (!(cause instanceof Error)) return { name: "not an Error", message: String(cause) }
    return { name: cause.constructor.name, message: cause.message }
  }
}

/** With a second for the answer, where none is to come. */
export const hastily = async <A>(client: Exchange, attempt: () => Promise<A>): Promise<A> => {
  client.timeout = 1_000
  try {
    return await attempt()
  } finally {
    client.timeout = PATIENCE_MILLIS
  }
}

/** Watches until the condition holds; the test's own time limit ends a wait in vain. */
export const watchUntil = async <A>(watch: () => Promise<A>, holds: (seen: A) => boolean): Promise<A> => {
  for (;;) {
    const seen = await watch()
    if (holds(seen)) return seen
  }
}

/** What a private stream tells until an order of this client order id is cancelled and a trade was there. Watched from now on. */
export const watchAccount = (client: Exchange, cancelled: string) => {
  const orders: Array<Order> = []
  const trades: Array<Trade> = []
  const seen = Promise.all([
    watchUntil(
      () => client.watchOrders(),
      (list) => {
        orders.push(...structuredClone(list))
        return orders.some(({ clientOrderId, status }) => clientOrderId === cancelled && status === "canceled")
      },
    ),
    watchUntil(
      () => client.watchMyTrades(),
      (list) => trades.push(...list) > 0,
    ),
  ])
  return { orders, trades, seen }
}
