// Some instruments of a venue-wide channel, chosen by the server: what does not match never crosses the wire.
import { connect } from "./gateway.mjs"

const client = await connect()
const tickers = client.newSubscription("market:ticker:MOCK", {
  tagsFilter: { key: "instrumentId", cmp: "in", vals: ["MOCK:ETH/USDT", "MOCK:SOL/USDT"] },
})
tickers.on("publication", ({ data }) => console.log(`${data.instrumentId} last ${data.lastPrice}`))
tickers.subscribe()
