/**
 * KuCoin, served as ccxt has it, for both kinds of its accounts: classic ones, and unified ones with hosts, channels and lists of their own
 * (`unified.ts`). Source: createOrder, fetchOrder and pro/kucoin of ccxt 4.5.84.
 */
import type { Raw } from "../../worker/exchange/ccxt.ts"
import type { ChannelNews, ExchangeAdapter } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { countedByAccount } from "../stops.ts"
import { listsOfUnified } from "./unified.ts"

/** What each topic of a classic account and each channel of a unified one tells. */
const TELLS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/spotMarket/tradeOrders": ["orders", "fills"],
  "/account/balance": ["balances"],
  orderAll: ["orders"],
  "execution.lite": ["fills"],
  balance: ["balances"],
}

/** An acknowledgement has the number of its request alone; what is refused is an error to ccxt, which ends nothing. */
const news = ({ type, id, result }: Raw): ReadonlyArray<ChannelNews> => {
  if (type === "ack" || result === true) return [{ asked: String(id), isTaken: true }]
  return type === "error" || result === false ? [{ asked: String(id), isTaken: false }] : []
}

const scheme = { ...commonScheme, idParam: "clientOid", askParam: "clientOid", cancelParam: "clientOid" }

export const kucoin: ExchangeAdapter = adapterByScheme(scheme, {
  prepare: (exchange) => {
    // ccxt wants an id also where the order is named by ours, and sends ours alone.
    const fetchOrder = exchange.fetchOrder.bind(exchange)
    exchange.fetchOrder = (id, symbol, params) => fetchOrder(id ?? String(params["clientOid"]), symbol, params)
    listsOfUnified(exchange)
  },
  stops: countedByAccount(),
  channels: ["orders", "fills", "balances"],
  asksFor: ({ type, action, id, topic, channel }) =>
    type === "subscribe" || action === "subscribe"
      ? { id: String(id), channels: TELLS[String(topic ?? channel)] ?? [] }
      : null,
  channelNews: news,
  // The tokens of its sockets, which ccxt keeps for as long as it lives; and an account may have been made a unified one meanwhile.
  forgetLogin: ({ options }) => {
    delete options["urls"]
    delete options["utaToken"]
    delete options["uta"]
  },
})
