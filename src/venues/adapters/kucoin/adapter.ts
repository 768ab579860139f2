/**
 * KuCoin, served as ccxt has it, for both kinds of its accounts: classic ones, and unified ones with their own hosts, channels, lists and paging.
 * Source: createOrder, fetchOrder and pro/kucoin of ccxt 4.5.84.
 */
import type { CcxtExchange, Raw } from "../../worker/exchange/ccxt.ts"
import { PagingFailed } from "../../worker/session/pages.ts"
import { type ChannelNews, type ExchangeAdapter, record } from "../adapter.ts"
import { adapterByScheme, commonScheme } from "../client-id-scheme.ts"
import { countedByAccount } from "../stops.ts"

// The lists of KuCoin's unified accounts, which are paged in their own way: open orders by number, what is over and executions by the id of
// the page before. ccxt asks for them market by market, and of one page. A list is read whole here, as the first page of the profile's; one
// that cannot be is a failure, never a shorter list: an order that is not in it counts as gone.

const ACCOUNT = { accountMode: "unified", tradeType: "SPOT" }
const SIZE = 200
/** More than 3,000 orders cannot be open; of a window of a week 100,000 rows are read at most. */
const PAGES = 500

const rowsOf = (page: Raw): ReadonlyArray<unknown> => (Array.isArray(page["items"]) ? page["items"] : [])

/** `next`: what asks for the page behind this one; null: there is none. */
const whole = async (
  ask: (params: Raw) => Promise<Raw>,
  first: Raw,
  next: (page: Raw, asked: Raw) => Raw | null,
): Promise<ReadonlyArray<unknown>> => {
  const all: Array<unknown> = []
  let params: Raw | null = { ...ACCOUNT, pageSize: SIZE, ...first }
  for (let nth = 0; params !== null; nth++) {
    if (nth >= PAGES) throw new PagingFailed(`the list has more than ${PAGES} pages`)
    const page = record((await ask(params))["data"])
    const rows = rowsOf(page)
    all.push(...rows)
    const going: Raw | null = rows.length === 0 ? null : next(page, params)
    params = going === null ? null : { ...params, ...going }
  }
  return all
}

/** Of a page that does not say how to go on: one that is not full is the last. */
const endsWith = (page: Raw): null => {
  if (rowsOf(page).length >= SIZE) throw new PagingFailed("a full page of a list does not say how to continue")
  return null
}

const byNumber = (page: Raw, { pageNumber }: Raw): Raw | null => {
  const [nth, pages] = [Number(pageNumber), Number(page["totalPage"] ?? Number.NaN)]
  if (nth < pages) return { pageNumber: nth + 1 }
  return nth === pages ? null : endsWith(page)
}

/** The same id once more would be the same page for ever. */
const byLastId = (page: Raw, asked: Raw): Raw | null => {
  const lastId = page["lastId"] ?? ""
  return lastId === "" || String(lastId) === String(asked["lastId"]) ? endsWith(page) : { lastId }
}

const within = (since: number | undefined, until: unknown): Raw => ({
  ...(since !== undefined && { startAt: since }),
  ...(until !== undefined && { endAt: until }),
})

/** Every list was whole with its first page. */
const isBehind = ({ currentPage = 1 }: Raw): boolean => Number(currentPage) > 1

/** Changes a private instance in place. */
const listsOfUnified = (exchange: CcxtExchange): void => {
  const { isUTAEnabled, utaPrivateGetAccountModeOrderOpenList, utaPrivateGetAccountModeOrderHistory } = exchange
  const { utaPrivateGetAccountModeOrderExecution } = exchange
  if (
    isUTAEnabled === undefined ||
    utaPrivateGetAccountModeOrderOpenList === undefined ||
    utaPrivateGetAccountModeOrderHistory === undefined ||
    utaPrivateGetAccountModeOrderExecution === undefined
  )
    throw new Error("this version of ccxt does not support KuCoin's unified accounts")
  const idOf = (symbol: string | undefined): Raw => (symbol === undefined ? {} : { symbol: exchange.market(symbol).id })
  const open = exchange.fetchOpenOrders.bind(exchange)
  const closed = exchange.fetchClosedOrders.bind(exchange)
  const fills = exchange.fetchMyTrades.bind(exchange)

  exchange.fetchOpenOrders = async (symbol, since, limit, params = {}) => {
    if (!(await isUTAEnabled.call(exchange))) return open(symbol, since, limit, params)
    if (isBehind(params)) return []
    const ask = (of: Raw) => utaPrivateGetAccountModeOrderOpenList.call(exchange, of)
    return exchange.parseOrders(await whole(ask, { ...idOf(symbol), pageNumber: 1 }, byNumber))
  }
  exchange.fetchClosedOrders = async (symbol, since, limit, params = {}) => {
    if (!(await isUTAEnabled.call(exchange))) return closed(symbol, since, limit, params)
    if (isBehind(params)) return []
    const ask = (of: Raw) => utaPrivateGetAccountModeOrderHistory.call(exchange, of)
    return exchange.parseOrders(await whole(ask, { ...idOf(symbol), ...within(since, params["until"]) }, byLastId))
  }
  exchange.fetchMyTrades = async (symbol, since, limit, params) => {
    if (!(await isUTAEnabled.call(exchange))) return fills(symbol, since, limit, params)
    if (isBehind(params)) return []
    const ask = (of: Raw) => utaPrivateGetAccountModeOrderExecution.call(exchange, of)
    return exchange.parseTrades(await whole(ask, { ...idOf(symbol), ...within(since, params["until"]) }, byLastId))
  }
}

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
