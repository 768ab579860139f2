// A recorder: every state of a book and every trade as lines of JSON on stdout. What it may not leave out is what it missed: each loss of trust,
// and each time it was proven that the copy is the gateway's, are lines too, so that a reader of the file knows which stretches are whole.
import { Book, recordOf } from "@venue-gateway/client"
import { gateway } from "./connect.mjs"

const { INSTRUMENT = "MOCK:BTC/USDT", DEPTH = "10", VERIFY_MS = "60000" } = process.env
const depth = Number(DEPTH)
const write = (line) => process.stdout.write(`${JSON.stringify({ at: Date.now(), ...line })}\n`)

const book = new Book(gateway, INSTRUMENT, {
  onTrust: (why) => write({ kind: "trust", why }),
  onChange: ({ sequence, timestamp, bids, asks }) =>
    write({ kind: "book", sequence, timestamp, bids: bids.slice(0, depth), asks: asks.slice(0, depth) }),
})

const trades = gateway.stream.subscribe(`market:trade:${INSTRUMENT}`)
trades.on("publication", ({ data }) => write({ kind: "trade", trade: recordOf(data) }))
// Recovered: what was missed follows. Else there is a hole.
trades.on("subscribed", ({ wasRecovering, recovered }) => {
  if (wasRecovering && !recovered) write({ kind: "hole", of: "trades" })
})
trades.subscribe()

let timer
const verify = async () => {
  if (book.isTrusted) {
    const { isSame, sequence } = await book.verify()
    write({ kind: "verified", isSame, sequence })
  }
  timer = setTimeout(() => verify().catch(failed), Number(VERIFY_MS))
}
const failed = (error) => {
  console.error(error.message)
  timer = setTimeout(() => verify().catch(failed), Number(VERIFY_MS))
}

for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    clearTimeout(timer)
    book.close()
    gateway.close()
  })
await book.ready()
await verify().catch(failed)
