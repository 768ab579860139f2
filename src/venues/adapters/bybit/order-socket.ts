/**
 * Orders over Bybit's trade socket, which has a login of its own and nothing else: `order.create`, `order.amend` and `order.cancel` have the fields
 * of POST /v5/order/…, the time and the window of the request in `header`, and the answers of REST under other names. Source: docs/v5,
 * "Websocket Trade Guideline" and "Error Codes" (WS OpenAPI).
 */
import type { CcxtExchange, Raw } from "../../worker/exchange/ccxt.ts"
import { type OrderSocket, record } from "../adapter.ts"

const ORDER = /\/v5\/order\/(create|amend|cancel)$/
const HEADERS: ReadonlyArray<string> = ["X-BAPI-TIMESTAMP", "X-BAPI-RECV-WINDOW", "Referer"]

/** "Too many sessions under the same UID" here, and a wrong key in an answer of REST. */
const SESSIONS = 10003
/** "Ws trade service is restarting, do not accept new request, but the request in the process is not affected." */
const RESTARTING = 10019

const urlOf = ({ urls }: CcxtExchange): string | undefined => {
  const url = record(record(record(urls["api"])["ws"])["private"])["trade"]
  return typeof url === "string" ? url : undefined
}

/** In lower case, as texts. */
const headersOf = (message: Raw): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(record(message["header"])).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )

export const bybitOrderSocket: OrderSocket = {
  operationOf: ({ url, method }) => {
    const what = method === "POST" ? ORDER.exec(url)?.[1] : undefined
    return what === undefined ? undefined : `order.${what}`
  },
  urlOf,
  open: (exchange) => exchange.authenticate(urlOf(exchange)),
  acknowledgesLogin: ({ op, success, retCode }) => op === "auth" && (success === true || retCode === 0),
  messageOf: (_, { headers, body }, operation, id) => {
    // The socket takes no other orders than working ones, and no word for them.
    const { orderFilter, ...order } = record(JSON.parse(String(body)))
    const args = [operation === "order.cancel" || orderFilter === undefined ? order : { ...order, orderFilter }]
    const sent = record(headers)
    const header = Object.fromEntries(HEADERS.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])))
    return { reqId: id, header, op: operation, args }
  },
  idOf: ({ reqId }) => reqId,
  answerOf: (message) => {
    const { retCode, retMsg, data, retExtInfo } = message
    const headers = headersOf(message)
    // Of the socket and not of the key: the order may not have been taken, and the next one goes by request.
    if (retCode === SESSIONS) return { status: 503, headers, body: String(retMsg) }
    const said = { retCode, retMsg, result: data ?? {}, retExtInfo: retExtInfo ?? {}, time: Number(headers["timenow"]) }
    return { status: 200, headers, body: JSON.stringify(said) }
  },
  isOver: ({ retCode }) => retCode === SESSIONS || retCode === RESTARTING,
}
