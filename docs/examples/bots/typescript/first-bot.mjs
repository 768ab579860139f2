// A first bot: it looks at a live book, buys a little at the best price, and waits for the order's end.
import { Account, awaitClosed, Book, submit } from "@venue-gateway/client"
import { accountOf, gateway } from "./connect.mjs"

const instrumentId = "MOCK:BTC/USDT"
const tradingAccountId = await accountOf("first-bot")
const book = await new Book(gateway, instrumentId).ready()
const account = await new Account(gateway, tradingAccountId).ready()
console.log(`best bid ${book.bids[0][0]}, best ask ${book.asks[0][0]}`)

const order = { tradingAccountId, instrumentId, orderSide: "BUY", orderType: "MARKET", quantity: "0.001" }
const submission = await submit(gateway, order)
console.log(submission.outcome)
if (submission.outcome === "Stored" || submission.outcome === "Replayed") {
  const closed = await awaitClosed(gateway, submission.order, { account, timeoutMs: 60_000 })
  console.log(`${closed.status}: ${closed.executedQuantity} at ${closed.averagePrice}`)
  // Refused: the error says why. Unanswered: the same submit with { key: submission.key } says what became of it.
} else console.error(submission.error)
gateway.close()
