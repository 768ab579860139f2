/**
 * Orders over OKX's private socket: `order`, `cancel-order` and `amend-order` have the fields and the answers of POST /api/v5/trade/…, with the
 * instrument by its number (`instIdCode`) in place of its id, and `expTime` beside them. They are not signed: the socket is logged in.
 * Source: okx.com/docs-v5, "WS / Place order", "WS / Cancel order", "WS / Amend order"; its change log of 2026 takes `instId` away there.
 */
import type { CcxtExchange, Raw } from "../../worker/exchange/ccxt.ts"
import { type OrderSocket, record } from "../adapter.ts"

interface OkxUrls extends CcxtExchange {
  getUrl(channel: string, access: string): string
  /** Several kinds of markets may have one id. */
  readonly markets_by_id: Readonly<Record<string, ReadonlyArray<Raw>>> | undefined
}

const TRADE = /\/api\/v5\/trade\/(order|cancel-order|amend-order)$/

/** A frame that the venue cannot read is answered by the frame itself, in its text. */
const QUOTED_ID = /"id"\s*:\s*"(\w+)"/

const numberOf = (exchange: CcxtExchange, instId: unknown): number | undefined => {
  const [market] = (exchange as OkxUrls).markets_by_id?.[String(instId)] ?? []
  const code = market?.["instIdCode"]
  return typeof code === "number" && Number.isSafeInteger(code) ? code : undefined
}

export const okxOrderSocket: OrderSocket = {
  operationOf: ({ url, method }) => (method === "POST" ? TRADE.exec(url)?.[1] : undefined),
  urlOf: (exchange) => (exchange as OkxUrls).getUrl("private", "private"),
  acknowledgesLogin: ({ event, code }) => event === "login" && (code === undefined || code === "0"),
  messageOf: (exchange, { headers, body }, operation, id) => {
    const { instId, ...terms } = record(JSON.parse(String(body)))
    const instIdCode = numberOf(exchange, instId)
    if (instIdCode === undefined) return undefined
    const { expTime } = record(headers)
    return { id, op: operation, ...(expTime !== undefined && { expTime }), args: [{ instIdCode, ...terms }] }
  },
  idOf: ({ id, event, msg }) => id ?? (event === "error" ? QUOTED_ID.exec(String(msg))?.[1] : undefined),
  answerOf: ({ code, msg, data }) => ({ status: 200, headers: {}, body: JSON.stringify({ code, msg, data }) }),
  // "Please log in": the venue has forgotten the login.
  isOver: ({ code }) => code === "60011",
}
