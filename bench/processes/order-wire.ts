/** What the two sides of `order` agree on: where orders go and how they look. */
export const SUBMIT_PATH = "/api/v3/tradeOrder/submit"
export const ACCOUNTS = 128

/** Far below the market, so that everything rests; spread over instruments and prices, so that no price level or book grows long. */
const RESTING = [
  { instrumentId: "MOCK:BTC/USDT", limitPrice: (n: number) => `${100 + n}.5`, quantity: "0.06" },
  { instrumentId: "MOCK:ETH/USDT", limitPrice: (n: number) => `${10 + n}.25`, quantity: "0.6" },
  { instrumentId: "MOCK:SOL/USDT", limitPrice: (n: number) => `${1 + (n % 40)}.5`, quantity: "6" },
  { instrumentId: "MOCK:BTC/EUR", limitPrice: (n: number) => `${100 + n}.5`, quantity: "0.06" },
] as const

export const BALANCES = JSON.stringify({ USDT: "1000000000000", EUR: "1000000000000" })

/** Whole requests for the load generator: account i goes with index i, i + ACCOUNTS, … */
export const orderRequests = (accounts: ReadonlyArray<string>, token: string): ReadonlyArray<string> =>
  requestsOf(accounts, token, "")

/** More than all of BALANCES buys. */
export const refusedRequests = (accounts: ReadonlyArray<string>, token: string): ReadonlyArray<string> =>
  requestsOf(accounts, token, "999999999999")

const requestsOf = (accounts: ReadonlyArray<string>, token: string, more: string): ReadonlyArray<string> =>
  RESTING.flatMap(({ instrumentId, limitPrice, quantity }) =>
    accounts.map((tradingAccountId, n) => {
      const body = JSON.stringify({
        tradingAccountId,
        instrumentId,
        idempotencyKey: "bench-order-{{n}}",
        clientOrderId: "bench-order-{{n}}",
        orderSide: "BUY",
        orderType: "LIMIT",
        timeInForce: "GTC",
        quantityType: "BASE",
        quantity: `${more}${quantity}`,
        limitPrice: limitPrice(n),
      })
      // The mark is replaced by 12 digits.
      const bytes = body.replaceAll("{{n}}", "0".repeat(12)).length
      return (
        `POST ${SUBMIT_PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nUser-Agent: bench\r\nContent-Length: ${bytes}\r\n\r\n${body}`
      )
    }),
  )
