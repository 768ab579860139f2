/**
 * `npm run exchange -- [--venue binance|binance-usdm|bitfinex|bitstamp|bybit|coinbase|deribit|gate|gemini|kraken|kraken-futures|kucoin|okx] --port P
 * [--user KEY:SECRET[:PASSPHRASE]] [--replay FILE] [--speed X]`: a loopback exchange as a process. Prints one line, `exchange {json}`, when it listens:
 * `url`, `routes` (a VENUE_ROUTES value) and the keys of the first user. SIGTERM ends it. Only Binance replays a capture.
 */
import { parseArgs } from "node:util"
import { startBinanceExchange } from "./binance/exchange.ts"
import type { Replay, ReplayOptions } from "./binance/replay/replay.ts"
import { startUsdmExchange } from "./binance-usdm/exchange.ts"
import { startBitfinexExchange } from "./bitfinex/exchange.ts"
import { startBitstampExchange } from "./bitstamp/exchange.ts"
import { startBybitExchange } from "./bybit/exchange.ts"
import { startCoinbaseExchange } from "./coinbase/exchange.ts"
import { startDeribitExchange } from "./deribit/exchange.ts"
import { startGateExchange } from "./gate/exchange.ts"
import { startGeminiExchange } from "./gemini/exchange.ts"
import { startKrakenExchange } from "./kraken/exchange.ts"
import { startKrakenFuturesExchange } from "./kraken-futures/exchange.ts"
import { startKucoinExchange } from "./kucoin/exchange.ts"
import { startOkxExchange } from "./okx/exchange.ts"

const DEFAULT_USER = `${"k".repeat(64)}:${"s".repeat(64)}:passphrase`
/** Large enough that a long load test never meets the bottom. */
const BALANCES = {
  USD: "100000000",
  USDC: "100000000",
  USDT: "100000000",
  BTC: "10000",
  ETH: "100000",
  BNB: "100000",
  DOGE: "100000000",
  SOL: "100000",
  XRP: "10000000",
}

interface Start {
  readonly port: number
  readonly users: ReadonlyArray<{
    readonly apiKey: string
    readonly apiSecret: string
    readonly apiPassphrase: string
    readonly balances: Readonly<Record<string, string>>
  }>
  readonly replay?: ReplayOptions
}

interface Running {
  readonly url: string
  readonly routes: Readonly<Record<string, string>>
  readonly replay?: Replay | undefined
  readonly stop: () => Promise<void>
}

const STARTS: Readonly<Record<string, (start: Start) => Promise<Running>>> = {
  binance: startBinanceExchange,
  // A load test is not the traffic of one account, which the venue would limit.
  "binance-usdm": ({ port, users }) => startUsdmExchange({ port, users, isLimited: false }),
  bitfinex: ({ port, users }) => startBitfinexExchange({ port, users, quota: null }),
  bitstamp: ({ port, users }) => startBitstampExchange({ port, users, quotas: [] }),
  bybit: ({ port, users }) => startBybitExchange({ port, users, isLimited: false }),
  coinbase: ({ port, users }) => startCoinbaseExchange({ port, users, isLimited: false }),
  deribit: ({ port, users }) => startDeribitExchange({ port, users, isLimited: false }),
  gate: ({ port, users }) => startGateExchange({ port, users, isLimited: false }),
  gemini: ({ port, users }) => startGeminiExchange({ port, users, quotas: [] }),
  kraken: ({ port, users }) => startKrakenExchange({ port, users, isLimited: false }),
  "kraken-futures": ({ port, users }) => startKrakenFuturesExchange({ port, users, isLimited: false }),
  kucoin: ({ port, users }) => startKucoinExchange({ port, users, quotas: null }),
  okx: ({ port, users }) => startOkxExchange({ port, users }).then(({ url, routes, stop }) => ({ url, routes, stop })),
}

const { values } = parseArgs({
  options: {
    venue: { type: "string", default: "binance" },
    port: { type: "string", default: "0" },
    replay: { type: "string" },
    speed: { type: "string", default: "1" },
    user: { type: "string", multiple: true, default: [DEFAULT_USER] },
  },
})

// ccxt takes keys of Gemini whose names say that they are an account's.
const PREFIX = values.venue === "gemini" ? "account-" : ""
const users = values.user.map((keys) => {
  const [apiKey = "", apiSecret = "", apiPassphrase = "passphrase"] = keys.split(":")
  if (apiKey === "" || apiSecret === "") throw new Error(`--user expects KEY:SECRET[:PASSPHRASE], not ${keys}`)
  return { apiKey: `${PREFIX}${apiKey}`, apiSecret, apiPassphrase, balances: BALANCES }
})
const speed = Number(values.speed)
if (!(speed > 0)) throw new Error(`--speed expects a number above 0, not ${values.speed}`)
const start = STARTS[values.venue]
if (start === undefined)
  throw new Error(`--venue expects one of ${Object.keys(STARTS).join(", ")}, not ${values.venue}`)
if (values.replay !== undefined && values.venue !== "binance") throw new Error("--replay is for --venue binance")

const exchange = await start({
  port: Number(values.port),
  users,
  ...(values.replay === undefined ? {} : { replay: { file: values.replay, speed } }),
})
const { url, routes } = exchange
const { apiKey, apiSecret, apiPassphrase } = users[0] ?? { apiKey: "", apiSecret: "", apiPassphrase: "" }
console.log(`exchange ${JSON.stringify({ url, routes, apiKey, apiSecret, apiPassphrase })}`)

exchange.replay?.done.then(
  () => console.error(`replay: ${exchange.replay?.framesSent} frames sent`),
  (cause: unknown) => {
    console.error("replay failed:", cause)
    process.exitCode = 1
    void exchange.stop()
  },
)
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void exchange.stop())
