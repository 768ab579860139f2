// The latest price of one instrument, and of every instrument of a venue.
import { connect } from "./gateway.mjs"

const client = await connect()

const show = (channel) => {
  const tickers = client.newSubscription(channel)
  // The newest value comes right after subscribing; a slow reader gets fewer values, never old ones.
  tickers.on("publication", ({ data }) =>
    console.log(`${channel} ${data.instrumentId} last ${data.lastPrice} bid ${data.bidPrice} ask ${data.askPrice}`),
  )
  tickers.subscribe()
}

show("market:ticker:MOCK:BTC/USDT")
// At most ten values a second of each instrument.
show("market:ticker:MOCK")
