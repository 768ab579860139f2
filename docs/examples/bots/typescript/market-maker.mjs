// A market maker: one order on each side of the middle, moved when the market has moved. What it does when something breaks is the point:
// a book that may not be traded on (isTrusted) has no orders out; a submit without an answer is submitted again by its key, also by the next
// start (the file of KEYS_FILE); and if this program dies or is cut off, the gateway cancels its orders (keepAlive).
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { Account, Book, keepAlive, submit } from "@venue-gateway/client"
import { accountOf, gateway } from "./connect.mjs"

const { KEYS_FILE = "market-maker.jsonl", PERIOD_MS = "1000" } = process.env
const instrumentId = "MOCK:BTC/USDT"
const quantity = "0.01"
/** Of the middle, on each side. */
const EDGE = 0.001
/** An order is moved when it is further from where it belongs than this, of the middle. */
const TOLERANCE = 0.0002

let isEnding = false
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    isEnding = true
  })

const tradingAccountId = await accountOf("market-maker")

const write = (line) => appendFileSync(KEYS_FILE, `${JSON.stringify(line)}\n`)

/** Submits once, with its key on disk before; `key` of an earlier try. Null: no order came of it, or its outcome is not known yet. */
const place = async (order, key) => {
  const submission = await submit(gateway, order, {
    ...(key === undefined ? {} : { key }),
    persist: (made, body) => write({ key: made, order: body }),
  })
  const { outcome } = submission
  if (outcome === "Unanswered") return null
  write({ key: submission.key, outcome })
  if (outcome === "Refused") console.error(`${order.orderSide} refused: ${submission.error.message}`)
  return outcome === "Refused" ? null : submission.order
}

/** Keys of submits that an earlier run, or this one, never heard the end of. */
const unresolved = () => {
  const open = new Map()
  const text = existsSync(KEYS_FILE) ? readFileSync(KEYS_FILE, "utf8") : ""
  for (const line of text.split("\n").filter((it) => it.endsWith("}"))) {
    const { key, order, outcome } = JSON.parse(line)
    if (outcome === undefined) open.set(key, order)
    else open.delete(key)
  }
  return [...open]
}

const resolve = async () => {
  for (const [key, order] of unresolved()) {
    const found = await place(order, key)
    console.log(`${key}: ${found === null ? "no order, or not known yet" : found.status}`)
  }
}

const book = await new Book(gateway, instrumentId, {
  onTrust: (why) => console.log(why === null ? "the book is whole" : `the book is not to be traded on: ${why}`),
}).ready()
const account = await new Account(gateway, tradingAccountId, {
  onExecution: ({ orderSide, executedQuantity, executedPrice }) =>
    console.log(`${orderSide} ${executedQuantity} at ${executedPrice}`),
  onResynced: ({ why, missedFrom }) => console.log(`events from ${missedFrom} on may be missing: ${why}; loaded again`),
  // The key was revoked, or the like: nothing comes any more.
  onEnded: ({ message }) => {
    console.error(message)
    isEnding = true
  },
}).ready()
await resolve()
const alive = await keepAlive(gateway, tradingAccountId, {
  timeoutMs: 15_000,
  onLate: () => console.log("cut off: the gateway cancels what is out"),
})

/** What is out on a side, the newest last. */
const working = (side) => [...account.orders.values()].filter(({ orderSide }) => orderSide === side)

const cancel = async ({ tradeOrderId }) => {
  // Filled meanwhile, or no answer: its event tells.
  await gateway
    .post("tradeOrder/cancel", { tradingAccountId, tradeOrderId })
    .catch((error) => console.error(error.message))
}

const keepSide = async (orderSide, price, middle) => {
  const [kept, ...others] = working(orderSide).toReversed()
  for (const order of others) await cancel(order)
  if (kept !== undefined) {
    if (Math.abs(Number(kept.limitPrice) - price) <= middle * TOLERANCE) return
    await cancel(kept)
    // The next round places it, once the account knows that this one is over.
    return
  }
  const order = {
    tradingAccountId,
    instrumentId,
    orderSide,
    orderType: "LIMIT",
    quantity,
    limitPrice: price.toFixed(2),
  }
  const placed = await place(order)
  if (placed !== null) console.log(`${orderSide} ${placed.quantity} at ${placed.limitPrice}: ${placed.status}`)
}

const round = async () => {
  if (unresolved().length > 0) return resolve()
  if (!book.isTrusted) {
    for (const order of account.orders.values()) await cancel(order)
    return
  }
  const middle = (Number(book.bids[0][0]) + Number(book.asks[0][0])) / 2
  await keepSide("BUY", middle * (1 - EDGE), middle)
  await keepSide("SELL", middle * (1 + EDGE), middle)
}

while (!isEnding) {
  await round()
  await new Promise((next) => setTimeout(next, Number(PERIOD_MS)))
}
try {
  await gateway.post("tradeOrder/cancelAll", { tradingAccountId })
  await alive.stop({ disarm: true })
  console.log("ended: all orders are cancelled")
} catch (error) {
  console.error(`${error.message}: the gateway cancels what is out, within 15 s`)
  await alive.stop({ disarm: false })
}
account.close()
gateway.close()
