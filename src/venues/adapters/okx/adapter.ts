/**
 * OKX's deviations from ccxt 4.5.84, which stamps the login with our clock, sets no expiry on orders, keeps the venue's sign of a streamed fee,
 * ends every stream at an order of an instrument that is not loaded, and reports equity as balances.
 */

import type { CcxtBalance, CcxtExchange, CcxtOrder, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { NotSupported } from "../../worker/session/order-terms.ts"
import { type BalanceRow, type ExchangeAdapter, record, rows, word } from "../adapter.ts"
import type { VenueProfile } from "../profile.ts"
import { countedByAccount } from "../stops.ts"
import { okxOrderSocket } from "./order-socket.ts"

/** What ccxt's OKX has beside every exchange's. */
interface OkxExchange extends CcxtExchange {
  readonly markets_by_id: Readonly<Record<string, unknown>> | undefined
  /** Ms of the venue's clock, as far as it was measured. */
  nonce(): number
  seconds(): number
  parseOrder(order: Raw, market?: unknown): CcxtOrder
  orderToTrade(order: CcxtOrder, market?: unknown): CcxtTrade
  fetchAccounts(): Promise<ReadonlyArray<{ readonly id: string | undefined }>>
}

interface Signed {
  readonly headers: Record<string, string>
}

/** "-0.01" is charged and "0.01" a rebate; a fee is the other way round. */
const negated = (signed: string): string =>
  signed.startsWith("-") ? signed.slice(1) : /^0*(\.0*)?$/.test(signed) ? signed : `-${signed}`

const balanceRows = (account: Raw): ReadonlyArray<BalanceRow> =>
  rows(account["details"]).flatMap((row) => {
    const [assetId, available, locked] = [word(row, "ccy"), word(row, "availBal"), word(row, "frozenBal")]
    return assetId === null || available === null ? [] : [{ assetId, available, locked: locked ?? "0" }]
  })

/** ccxt throws over an order whose instrument it has not loaded (listed since): with it every private stream would begin anew. */
const withoutUnlisted = (exchange: OkxExchange, message: unknown): unknown => {
  const event = record(message)
  if (record(event["arg"])["channel"] !== "orders" || !Array.isArray(event["data"])) return message
  const known = rows(event["data"]).filter(({ instId }) => String(instId) in (exchange.markets_by_id ?? {}))
  return known.length === event["data"].length ? message : { ...event, data: known }
}

/** A market order in quote ("sell for 10 USDT", placed elsewhere): ccxt takes ten for a quantity. It has one once it has ended. */
const inBase = (order: CcxtOrder): CcxtOrder => {
  const { info, status, filled } = order
  if (word(info, "tgtCcy") !== "quote_ccy" || word(info, "ordType") !== "market") return order
  return { ...order, amount: status !== "open" && /[1-9]/.test(String(filled)) ? filled : undefined }
}

const prepare = (instance: CcxtExchange, { orderExpiryMillis }: VenueProfile): void => {
  const exchange = instance as OkxExchange
  // Only the login counts in seconds. By our own clock it would be refused for ever where ours is half a minute off.
  exchange.seconds = () => Math.floor(exchange.nonce() / 1000)
  const sign = exchange.sign.bind(exchange)
  exchange.sign = (path, api, method, params, headers, body) => {
    const signed = sign(path, api, method, params, headers, body)
    // No part of the signature. After it the venue does not take the order any more (contract C3).
    if (method === "POST" && (path === "trade/order" || path === "trade/amend-order") && orderExpiryMillis !== null)
      (signed as Signed).headers["expTime"] = String(exchange.nonce() + orderExpiryMillis)
    return signed
  }
  const parseOrder = exchange.parseOrder.bind(exchange)
  exchange.parseOrder = (order, market) => inBase(parseOrder(order, market))
  const orderToTrade = exchange.orderToTrade.bind(exchange)
  exchange.orderToTrade = (order, market) => {
    const trade = orderToTrade(order, market)
    const cost = word(record(order.info), "fillFee")
    const fee = cost === null ? undefined : { cost: negated(cost), currency: trade.fee?.currency }
    return { ...trade, fee, fees: fee === undefined ? [] : [fee] }
  }
  const handle = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => handle(socket, withoutUnlisted(exchange, message))
}

export const okx: ExchangeAdapter = {
  prepare,
  orderSocket: okxOrderSocket,
  /** Its triggers are orders of another kind, whose ids the orders they release do not have: the gateway watches them. */
  terms: ({ trigger, cost }) => {
    if (trigger !== undefined) throw new NotSupported("OKX's triggers are not used")
    return cost === undefined ? {} : { tgtCcy: "quote_ccy", cost }
  },
  /** `cancelSource`: 13 is a FOK that could not be filled, 14 the rest of an IOC or market order, 32 self trade prevention. */
  ended: ({ info }) => {
    const source = word(info, "cancelSource")
    if (source === "32") return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }
    return { status: "CANCELLED", ending: source === "13" || source === "14" ? "REMAINDER" : null }
  },
  neverWorked: ({ info }) => word(info, "cancelSource") === "31",
  orderClientId: (order) => order.clientOrderId ?? null,
  fillClientId: (trade) => word(record(trade.info), "clOrdId"),
  // "The connection will soon be closed for a service upgrade."
  endsPrivateStream: (event) => event["event"] === "notice" && event["code"] === "64008",
  // 50011 is of the account where it was signed, of the address where not; 50061 counts a subaccount's orders, and is said of the operation (`sCode`);
  // 60014 is the socket's word.
  stops: countedByAccount(/"(code|sCode)":\s*"(50011|50061|60014)"/),
  channels: ["orders", "account"],
  channelNews: (event) => {
    const arg = record(event["arg"])
    if (event["event"] === "subscribe") return [{ channel: String(arg["channel"]), isTaken: true }]
    // Too many connections of the account have the channel: this one was acknowledged and then ended.
    return event["event"] === "channel-conn-count-error" ? [{ channel: String(event["channel"]), isTaken: false }] : []
  },
  changedBalances: (event) => {
    if (record(event["arg"])["channel"] !== "account") return null
    const [account = {}] = rows(event["data"])
    const at = word(account, "uTime")
    return { at: at === null ? null : Number(at), rows: balanceRows(account) }
  },
  // ccxt's are equity, which counts unrealised gains; what can be traded and what is held stand beside it.
  fetchedBalances: ({ info }: CcxtBalance) => balanceRows(rows(info?.["data"])[0] ?? {}),
  misleads: () => false,
  accountId: async (exchange) => (await (exchange as OkxExchange).fetchAccounts())[0]?.id ?? null,
  streamNews: (message) => {
    const event = record(message)
    const arg = record(event["arg"])
    switch (event["event"]) {
      case "subscribe":
        return { _tag: "Taken", channel: String(arg["channel"]), marketId: String(arg["instId"]) }
      case "unsubscribe":
        return { _tag: "Left", channel: String(arg["channel"]), marketId: String(arg["instId"]) }
      case "notice":
        return event["code"] === "64008" ? { _tag: "Ending" } : null
      case "error": {
        const named = /channel:([\w-]+),instId:([\w-]+)/.exec(String(event["msg"]))
        return { _tag: "Refused", channel: named?.[1] ?? null, marketId: named?.[2] ?? null }
      }
      default:
        return null
    }
  },
}
