// The last bars of an instrument, and every bar that closes from then on.
import { call, connect } from "./gateway.mjs"

const { INSTRUMENT = "MOCK:BTC/USDT", INTERVAL = "1m" } = process.env

const print = ([openTime, open, high, low, close, volume], isClosed) =>
  console.log(
    `${new Date(openTime).toISOString()} ${isClosed ? "closed" : "lives"} open ${open} high ${high} low ${low} close ${close} volume ${volume}`,
  )

const client = await connect()
const klines = client.newSubscription(`market:kline:${INSTRUMENT}:${INTERVAL}`)
// Each publication is one bar: while it lives the newest state, then exactly once its last.
klines.on("publication", ({ data: { candles, isClosed } }) => print(candles[0], isClosed))
klines.subscribe()
await klines.ready()

const query = new URLSearchParams({ instrumentId: INSTRUMENT, interval: INTERVAL, limit: "10" })
const { candles, isClosed } = await call("GET", `market/kline/get?${query}`)
console.log(`${candles.length} bars before`)
for (const [at, row] of candles.entries()) print(row, isClosed || at < candles.length - 1)
