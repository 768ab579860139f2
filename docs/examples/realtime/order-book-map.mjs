// The same book as a map: one entry per level, kept by the client library, whatever happens to the connection.
import { connect } from "./gateway.mjs"

const { INSTRUMENT = "MOCK:BTC/USDT" } = process.env

const levels = new Map() // key → { side, price, quantity }

const best = (side) => {
  const sign = side === "bids" ? -1 : 1
  const prices = [...levels.values()].filter((level) => level.side === side).map(({ price }) => price)
  return prices.sort((a, b) => sign * (a - b))[0]
}

/** `book` is the last change of every update: the levels fit together when it comes. */
const show = ({ sequence, quality }) =>
  console.log(`book ${sequence} ${quality} bid ${best("bids")} ask ${best("asks")} levels ${levels.size}`)

const client = await connect()
const book = client.newMapSubscription(`market:orderbook:${INSTRUMENT}`)

// The whole book: at the beginning, and whenever a change may have been missed.
book.on("sync", ({ entries }) => {
  levels.clear()
  for (const { key, data } of entries) if (key !== "book") levels.set(key, data)
  const whole = entries.find(({ key }) => key === "book")
  if (whole !== undefined) show(whole.data)
})

book.on("update", ({ key, data, removed }) => {
  if (key === "book") show(data)
  else if (removed) levels.delete(key)
  else levels.set(key, data)
})

book.subscribe()
