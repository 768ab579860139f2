// Every public trade of an instrument, and the newest ones before we came.
import { connect } from "./gateway.mjs"

const { INSTRUMENT = "MOCK:BTC/USDT" } = process.env

const client = await connect()
const trades = client.newSubscription(`market:trade:${INSTRUMENT}`)
const print = (when, { side, quantity, price, timestampDateTime }) =>
  console.log(`${when} ${timestampDateTime} ${side} ${quantity} at ${price}`)

trades.on("publication", ({ data: trade }) => print("now", trade))
trades.subscribe()
await trades.ready()

const { publications } = await trades.history({ limit: 10, reverse: true })
for (const { data: trade } of publications) print("before", trade)
