/** Request bodies that work as they stand on a fresh gateway (the account id aside), for the reference's "try it out". */

interface Example {
  readonly summary: string
  readonly value: Readonly<Record<string, unknown>>
}

const account = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f"
const person = { email: "ada@example.com", password: "correct-horse-battery" }

/** By operationId and name. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  "auth.signup": { newUser: { summary: "A new user", value: { ...person, metadata: { desk: "fx" } } } },
  "auth.login": { login: { summary: "The same user", value: person } },
  "auth.recover": { recover: { summary: "The same user", value: { email: person.email } } },
  "auth.update": { metadata: { summary: "One key of the metadata", value: { metadata: { desk: "rates" } } } },
  "tradingAccount.connect": {
    mock: {
      summary: "The built-in venue, no credentials",
      value: { venue: "MOCK", externalTradingAccountId: "demo", nickname: "My first account" },
    },
    venue: {
      summary: "A venue, with a credential from credential/create",
      value: { venue: "BINANCE_UAT", credentialIds: ["0198f3a2-6c2d-7d4f-8e30-7b2c1d3e4f50"], nickname: "Testnet" },
    },
  },
  "tradeOrder.submit": {
    limit: {
      summary: "A limit order that rests",
      value: {
        tradingAccountId: account,
        instrumentId: "MOCK:BTC/USDT",
        orderSide: "BUY",
        orderType: "LIMIT",
        quantity: "0.01",
        limitPrice: "20000",
        idempotencyKey: "my-first-order",
      },
    },
    market: {
      summary: "A market order, answered when it is closed",
      value: {
        tradingAccountId: account,
        instrumentId: "MOCK:BTC/USDT",
        orderSide: "SELL",
        orderType: "MARKET",
        quantity: "0.01",
        awaitClosed: true,
      },
    },
  },
  "tradeOrder.cancel": {
    cancel: {
      summary: "By the order's id",
      value: { tradingAccountId: account, tradeOrderId: "0198f3a2-7d3e-7e50-9f41-8c3d2e4f5061" },
    },
  },
  "tradeOrder.replace": {
    price: {
      summary: "Another price",
      value: { tradingAccountId: account, tradeOrderId: "0198f3a2-7d3e-7e50-9f41-8c3d2e4f5061", limitPrice: "20100" },
    },
  },
  "tradeOrder.cancelAll": {
    all: { summary: "All orders of the account", value: { tradingAccountId: account } },
    instrument: {
      summary: "Those of one instrument",
      value: { tradingAccountId: account, instrumentId: "MOCK:BTC/USDT" },
    },
  },
  "tradeOrder.cancelAllAfter": {
    heartbeat: { summary: "In 30 s, unless called again", value: { tradingAccountId: account, timeoutMs: 30_000 } },
    off: { summary: "Off", value: { tradingAccountId: account, timeoutMs: 0 } },
  },
  "market.instrumentSync": { mock: { summary: "Everything MOCK lists", value: { venue: "MOCK" } } },
  "subscription.subscribe": { book: { summary: "One book", value: { instrumentId: "MOCK:BTC/USDT" } } },
}
