/** The files of tests that prove a venue's orders, under test/integration. */

export const session = "venues/connector-orders.test.ts"
export const worker = "venues/connector-worker.test.ts"
export const binance = "gateway/orders/binance.test.ts"
export const binanceAccount = "gateway/orders/binance-account.test.ts"
export const okx = {
  orders: "venues/okx/okx-orders.test.ts",
  outcomes: "venues/okx/okx-outcomes.test.ts",
  session: "venues/okx/okx-session.test.ts",
  gateway: "gateway/orders/okx.test.ts",
}
export const kraken = "venues/kraken/kraken-orders.test.ts"
export const krakenAccount = "gateway/orders/kraken.test.ts"
export const bybit = {
  orders: "venues/bybit/bybit-orders.test.ts",
  outcomes: "venues/bybit/bybit-outcomes.test.ts",
  session: "venues/bybit/bybit-session.test.ts",
  gateway: "gateway/orders/bybit.test.ts",
}

export const coinbase = {
  orders: "venues/coinbase/coinbase-orders.test.ts",
  outcomes: "venues/coinbase/coinbase-outcomes.test.ts",
  session: "venues/coinbase/coinbase-session.test.ts",
  gateway: "gateway/orders/coinbase.test.ts",
}

export const usdm = {
  orders: "venues/binanceusdm/usdm-orders.test.ts",
  outcomes: "venues/binanceusdm/usdm-outcomes.test.ts",
  session: "venues/binanceusdm/usdm-session.test.ts",
  gateway: "gateway/orders/binanceusdm.test.ts",
  positions: "gateway/contracts/binanceusdm-positions.test.ts",
}

export const kucoin = {
  orders: "venues/kucoin/kucoin-orders.test.ts",
  outcomes: "venues/kucoin/kucoin-outcomes.test.ts",
  session: "venues/kucoin/kucoin-session.test.ts",
  gateway: "gateway/orders/kucoin.test.ts",
}

export const gate = {
  orders: "venues/gate/gate-orders.test.ts",
  outcomes: "venues/gate/gate-outcomes.test.ts",
  session: "venues/gate/gate-session.test.ts",
  gateway: "gateway/orders/gate.test.ts",
}

export const futures = {
  orders: "venues/krakenfutures/futures-orders.test.ts",
  lists: "venues/krakenfutures/futures-lists.test.ts",
  outcomes: "venues/krakenfutures/futures-outcomes.test.ts",
  session: "venues/krakenfutures/futures-session.test.ts",
  gateway: "gateway/contracts/krakenfutures.test.ts",
  positions: "gateway/contracts/krakenfutures-positions.test.ts",
}

export const bitstamp = {
  orders: "venues/bitstamp/bitstamp-orders.test.ts",
  outcomes: "venues/bitstamp/bitstamp-outcomes.test.ts",
  session: "venues/bitstamp/bitstamp-session.test.ts",
  gateway: "gateway/orders/bitstamp.test.ts",
}

export const gemini = {
  orders: "venues/gemini/gemini-orders.test.ts",
  outcomes: "venues/gemini/gemini-outcomes.test.ts",
  session: "venues/gemini/gemini-session.test.ts",
  gateway: "gateway/orders/gemini.test.ts",
}

export const deribit = {
  orders: "venues/deribit/deribit-orders.test.ts",
  lists: "venues/deribit/deribit-lists.test.ts",
  outcomes: "venues/deribit/deribit-outcomes.test.ts",
  session: "venues/deribit/deribit-session.test.ts",
  gateway: "gateway/contracts/deribit.test.ts",
  positions: "gateway/contracts/deribit-positions.test.ts",
}

export const bitfinex = {
  orders: "venues/bitfinex/bitfinex-orders.test.ts",
  lists: "venues/bitfinex/bitfinex-lists.test.ts",
  outcomes: "venues/bitfinex/bitfinex-outcomes.test.ts",
  session: "venues/bitfinex/bitfinex-session.test.ts",
  gateway: "gateway/orders/bitfinex.test.ts",
}
