// Open orders and balances as tables that keep themselves up to date: map subscriptions.
import { call, connect, mockAccount } from "./gateway.mjs"

const client = await connect()
const { tradingAccountId } = await mockAccount()

const table = (name, show) => {
  const rows = new Map()
  const map = client.newMapSubscription(`tradingAccount:${tradingAccountId}:${name}`)
  // The whole table: at the beginning, and whenever a change may have been missed.
  map.on("sync", ({ entries }) => {
    rows.clear()
    for (const { key, data } of entries) rows.set(key, data)
    console.log(`${name}: ${rows.size} rows`)
  })
  // One row changed or left.
  map.on("update", ({ key, data, removed }) => {
    if (removed) rows.delete(key)
    else rows.set(key, data)
    console.log(`${name}: ${removed ? `${key} is gone` : show(data)}, ${rows.size} rows`)
  })
  map.subscribe()
  return map.ready()
}

await table("orders", (order) => `${order.orderSide} ${order.quantity} at ${order.limitPrice}: ${order.status}`)
await table("positions", (position) => `${position.currency} ${position.available} free of ${position.balance}`)

// So that something happens: an order that rests, and is cancelled.
const order = await call("POST", "tradeOrder/submit", {
  tradingAccountId,
  instrumentId: "MOCK:BTC/USDT",
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.01",
  limitPrice: "20000",
})
await call("POST", "tradeOrder/cancel", { tradingAccountId, tradeOrderId: order.tradeOrderId })
