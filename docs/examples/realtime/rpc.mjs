// Calls over the open connection: operations of the HTTP API, named by their path below /api/v3 with dots.
import { connect, mockAccount } from "./gateway.mjs"

const client = await connect()
const { tradingAccountId } = await mockAccount()
const instrumentId = "MOCK:BTC/USDT"

/** Takes the query or the body of the HTTP operation and answers the `data` of its envelope. */
const rpc = async (method, parameters) => {
  const { data: envelope } = await client.rpc(method, parameters)
  return envelope.data
}

const book = await rpc("market.orderbook.get", { instrumentId, depth: 5 })
console.log(`best bid ${book.bids[0][0]}, best ask ${book.asks[0][0]}`)

const order = await rpc("tradeOrder.submit", {
  tradingAccountId,
  instrumentId,
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.01",
  limitPrice: "20000",
  // Sent again with the same key, for example after a cut, it is the same order and never a second one.
  idempotencyKey: crypto.randomUUID(),
})
console.log(`submitted: ${order.tradeOrderId}`)

const { status } = await rpc("tradeOrder.cancel", { tradingAccountId, tradeOrderId: order.tradeOrderId })
console.log(`cancelled: ${status}`)

try {
  await rpc("tradeOrder.cancel", { tradingAccountId, tradeOrderId: crypto.randomUUID() })
} catch ({ code, message }) {
  // 1000 + the HTTP status above 400: 1004 is a 404.
  console.log(`refused: ${message} (${code})`)
}
client.disconnect()
