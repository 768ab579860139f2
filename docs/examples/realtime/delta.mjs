// Only what changed crosses the wire; the client puts the whole record together again.
import { connect } from "./gateway.mjs"

const client = await connect()
const ticker = client.newSubscription("market:ticker:MOCK:BTC/USDT", { delta: "fossil" })
ticker.on("publication", ({ data }) => console.log(`${data.instrumentId} bid ${data.bidPrice} ask ${data.askPrice}`))
ticker.subscribe()
