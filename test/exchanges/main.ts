/**
 * `npm run exchange -- --port P [--replay FILE] [--speed X] [--user KEY:SECRET]`: the loopback Binance Spot exchange as a process.
 * Prints one line, `exchange {json}`, when it listens: `url`, `routes` (a VENUE_ROUTES value), `apiKey` and `apiSecret`. SIGTERM ends it.
 */
import { parseArgs } from "node:util"
import { startBinanceExchange } from "./binance/exchange.ts"

const DEFAULT_USER = `${"k".repeat(64)}:${"s".repeat(64)}`
/** Large enough that a long load test never meets the bottom. */
const BALANCES = { USDT: "100000000", BTC: "10000", ETH: "100000", BNB: "100000", SOL: "100000", XRP: "10000000" }

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    replay: { type: "string" },
    speed: { type: "string", default: "1" },
    user: { type: "string", multiple: true, default: [DEFAULT_USER] },
  },
})

const users = values.user.map((pair) => {
  const [apiKey = "", apiSecret = ""] = pair.split(":")
  if (apiKey === "" || apiSecret === "") throw new Error(`--user expects KEY:SECRET, not ${pair}`)
  return { apiKey, apiSecret, balances: BALANCES }
})
const speed = Number(values.speed)
if (!(speed > 0)) throw new Error(`--speed expects a number above 0, not ${values.speed}`)

const exchange = await startBinanceExchange({
  port: Number(values.port),
  users,
  ...(values.replay === undefined ? {} : { replay: { file: values.replay, speed } }),
})
const { url, routes } = exchange
const { apiKey, apiSecret } = users[0] ?? { apiKey: "", apiSecret: "" }
console.log(`exchange ${JSON.stringify({ url, routes, apiKey, apiSecret })}`)

exchange.replay?.done.then(
  () => console.error(`replay: ${exchange.replay?.framesSent} frames sent`),
  (cause: unknown) => {
    console.error("replay failed:", cause)
    process.exitCode = 1
    void exchange.stop()
  },
)
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void exchange.stop())
