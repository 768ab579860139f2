/**
 * Orders over Binance's WebSocket API: `order.place` and `order.cancel` have the parameters and the answers of POST and DELETE /api/v3/order, with the
 * signature over all of them in alphabetical order, the key among them. On the socket of the user data stream, which the private session keeps open.
 * Source: binance-spot-api-docs, web-socket-api.md, "Request security", "Rate limits" and "Trading requests"; ccxt 4.5.84 `signParams`.
 */
import type { Raw } from "../../worker/exchange/ccxt.ts"
import { type OrderSocket, record, rows } from "../adapter.ts"

const METHODS: Readonly<Record<string, string>> = { POST: "order.place", DELETE: "order.cancel" }
const ORDER = /\/api\/v3\/order(?:\?|$)/
/** "INT" and "LONG" in the venue's tables; everything else is text there. */
const NUMBERS: ReadonlyArray<string> = ["timestamp", "recvWindow", "orderId"]

/** As the venue's REST answers say it. `retryAfter` of an error is an instant in ms. */
const headersOf = (message: Raw): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {}
  const { retryAfter, serverTime } = record(record(message["error"])["data"])
  if (typeof retryAfter === "number") {
    const from = typeof serverTime === "number" ? serverTime : Date.now()
    headers["retry-after"] = String(Math.max(0, Math.ceil((retryAfter - from) / 1000)))
  }
  for (const { rateLimitType, interval, intervalNum, count } of rows(message["rateLimits"]))
    if (rateLimitType === "REQUEST_WEIGHT" && interval === "MINUTE" && intervalNum === 1)
      headers["x-mbx-used-weight-1m"] = String(count)
  return headers
}

export const binanceOrderSocket: OrderSocket = {
  operationOf: ({ url, method }) => (ORDER.test(url) ? METHODS[method] : undefined),
  urlOf: (exchange) => {
    const { ws } = exchange.urls["api"] as { readonly ws: Readonly<Record<string, Readonly<Record<string, string>>>> }
    return ws["ws-api"]?.["spot"]
  },
  messageOf: (exchange, { url, method, body }, operation, id) => {
    const signed = new URLSearchParams(method === "POST" ? String(body) : url.slice(url.indexOf("?") + 1))
    signed.delete("signature")
    const params: Record<string, unknown> = {}
    for (const [key, value] of signed) params[key] = NUMBERS.includes(key) ? Number(value) : value
    return { id, method: operation, params: exchange.signParams(params) }
  },
  idOf: ({ id }) => id,
  answerOf: (message) => ({
    status: Number(message["status"]),
    headers: headersOf(message),
    body: JSON.stringify(message["result"] ?? message["error"] ?? {}),
  }),
}
