// Some instruments of a venue-wide channel, chosen by the server.
import { connect } from "./gateway.mjs"

const client = await connect()
const tickers = client.newSubscription("market:ticker:MOCK", {
  tagsFilter: { key: "baseAsset", cmp: "in", vals: ["ETH", "SOL"] },
})
tickers.on("publication", ({ data }) => console.log(`${data.instrumentId} last ${data.lastPrice}`))
tickers.subscribe()
