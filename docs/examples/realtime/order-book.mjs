// A local copy of one order book, exact at every sequence.
import { connect } from "./gateway.mjs"

const { INSTRUMENT = "MOCK:BTC/USDT" } = process.env

const bids = new Map() // price → quantity, in the venue's own digits
const asks = new Map()
let sequence = null // of the newest record applied; null while there is no book to trust

const change = (levels, rows) => {
  for (const [price, quantity] of rows) {
    if (Number(quantity) === 0) levels.delete(price)
    else levels.set(price, quantity)
  }
}

/** False when the record does not follow the one before. */
const apply = (record) => {
  if (record.updateType === "SNAPSHOT") {
    bids.clear()
    asks.clear()
  } else if (sequence === null || record.previousSequence !== sequence) return false
  change(bids, record.bids)
  change(asks, record.asks)
  sequence = record.sequence
  return true
}

const client = await connect()

const watch = () => {
  const book = client.newSubscription(`market:orderbook:${INSTRUMENT}`)

  book.on("publication", ({ data: record }) => {
    if (!apply(record)) {
      // Never seen from this server; but a book with a gap must not be traded on. A new subscription begins with a SNAPSHOT.
      client.removeSubscription(book)
      sequence = null
      return watch()
    }
    const [bid] = [...bids].sort(([a], [b]) => b - a)
    const [ask] = [...asks].sort(([a], [b]) => a - b)
    // RESYNCING: the gateway met a gap at the venue, a SNAPSHOT follows. STALE: the venue is silent.
    console.log(
      `${record.updateType} ${sequence} ${record.quality} bid ${bid} ask ${ask} levels ${bids.size}/${asks.size}`,
    )
  })

  // The connection was cut. The copy stands still from here on.
  book.on("subscribing", ({ code, reason }) => console.log(`subscribing: ${reason} (${code})`))

  // Back: either every DIFF that was missed follows, or a SNAPSHOT.
  book.on("subscribed", ({ wasRecovering, recovered }) => {
    if (wasRecovering && !recovered) sequence = null
    console.log(`subscribed: ${recovered ? "the missed DIFFs follow" : "a SNAPSHOT follows"}`)
  })

  // For good: the instrument is gone, or access to it.
  book.on("unsubscribed", ({ code, reason }) => {
    sequence = null
    console.log(`unsubscribed: ${reason} (${code})`)
  })

  book.subscribe()
}

watch()
