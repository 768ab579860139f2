// Everything that happens on a trading account, numbered without a gap.
import { call, connect, mockAccount } from "./gateway.mjs"

const client = await connect()
const { tradingAccountId } = await mockAccount()
const orders = new Map() // tradeOrderId → order

const take = ({ sequence, kind, data }) => {
  if (kind.startsWith("TRADE_ORDER.")) {
    orders.set(data.tradeOrderId, data)
    console.log(`${sequence} ${kind} ${data.orderSide} ${data.quantity} ${data.instrumentId}: ${data.status}`)
  } else if (kind === "EXECUTION.CREATED") {
    console.log(`${sequence} ${kind} ${data.executedQuantity} at ${data.executedPrice}`)
  } else if (kind === "PORTFOLIO.UPDATED") {
    console.log(`${sequence} ${kind} ${data.map(({ currency, available }) => `${currency} ${available}`).join(", ")}`)
  } else console.log(`${sequence} ${kind}`)
}

/** Events that wait while the orders are being loaded. They may tell again what was loaded; the newest tells last. */
let waiting = null

/** What the orders are now, from the HTTP API: at the beginning, and after an absence that was too long. */
const load = async () => {
  const mine = []
  waiting = mine
  const newest = await call("GET", `tradeOrder/list?tradingAccountId=${tradingAccountId}&limit=100`).catch(
    (failure) => {
      console.error(failure.message)
    },
  )
  if (waiting !== mine) return // a later load has taken over
  if (newest === undefined) return setTimeout(load, 1000)
  orders.clear()
  for (const order of newest) orders.set(order.tradeOrderId, order)
  console.log(`loaded: ${orders.size} orders`)
  waiting = null
  mine.forEach(take)
}

const events = client.newSubscription(`tradingAccount:${tradingAccountId}`)
events.on("publication", ({ data: event }) => (waiting === null ? take(event) : waiting.push(event)))
events.on("subscribed", async ({ wasRecovering, recovered }) => {
  // After a cut the missed events follow by themselves; only after a long one the history does not reach back.
  if (recovered) console.log("back: the missed events follow")
  else {
    if (wasRecovering) console.log("away for too long")
    await load()
  }
})
events.on("unsubscribed", ({ code, reason }) => console.log(`unsubscribed: ${reason} (${code})`))
events.subscribe()
await events.ready()

// So that something happens.
await call("POST", "tradeOrder/submit", {
  tradingAccountId,
  instrumentId: "MOCK:BTC/USDT",
  orderSide: "BUY",
  orderType: "MARKET",
  quantity: "0.01",
  idempotencyKey: crypto.randomUUID(),
})
