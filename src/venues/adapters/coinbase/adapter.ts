/**
 * Coinbase's Advanced Trade, spot, and its deviations from ccxt 4.5.84, which signs by our clock and with a key of one kind alone, takes what is
 * executed of an order in the stream for its quantity, answers a refused cancel without its reason, and reads one page of the wallets.
 */
import { Afresh } from "../../../foundation/afresh.ts"
import type { CcxtBalance, CcxtExchange, CcxtOrder, CcxtSocket, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { LOST_PLACE } from "../../worker/exchange/errors.ts"
import { endSocket } from "../../worker/exchange/sockets.ts"
import { SequenceGuard } from "../../worker/feed/sequence-guard.ts"
import { isSameId, readBack } from "../../worker/session/client-ids.ts"
import { costTerms, NotSupported } from "../../worker/session/order-terms.ts"
import { openOrdersOf, PagingFailed } from "../../worker/session/pages.ts"
import { doingFor } from "../../worker/work.ts"
import { type BalanceRow, type ExchangeAdapter, record, rows, word } from "../adapter.ts"
import { adapterByScheme, commonScheme, OrderNotFound } from "../client-id-scheme.ts"
import type { VenueProfile } from "../profile.ts"
import { countedByAccount, type RestAnswer, type Stop, turnedAway } from "../stops.ts"
import { leaving } from "./leaving.ts"
import { ordersOf, truly, WsOrders } from "./orders.ts"

/** What ccxt's Coinbase has beside every exchange's. */
interface CoinbaseExchange extends CcxtExchange {
  secret: string
  readonly urls: { readonly api: { readonly ws: string } }
  /** Of this host's clock. */
  seconds(): number
  /** Ms of the venue's clock, as far as it was measured. */
  nonce(): number
  fetchTime(): Promise<number | undefined>
  parseWsOrder(order: Raw, market?: unknown): CcxtOrder
  createAuthToken(seconds: number, method: string | undefined, url: string | undefined, isEdwards: boolean): string
  createWSAuth(channel: string, productIds: ReadonlyArray<string>): Raw
  v3PublicGetBrokerageTime(params: Raw): Promise<Raw>
  v3PrivateGetBrokerageAccounts(params: Raw): Promise<Raw>
  v3PrivateGetBrokerageKeyPermissions(params: Raw): Promise<Raw>
  v3PrivatePostBrokerageOrdersBatchCancel(params: Raw): Promise<Raw>
  v3PrivatePostBrokerageOrdersEdit(params: Raw): Promise<Raw>
}

/** By these names failures are classified, like ccxt's own. */
class OperationFailed extends Error {
  override readonly name = "OperationFailed"
}

class InvalidNonce extends Error {
  override readonly name = "InvalidNonce"

  constructor() {
    super('coinbase {"errors":[{"id":"authentication_error","message":"request timestamp expired"}]}')
  }
}

class AuthenticationError extends Error {
  override readonly name = "AuthenticationError"
}

/** Of a key; the newest list says 30 requests a second of an account. */
const byAccount = countedByAccount()
/** The gate in front of the venue turns an address away with a page, and names no time. */
const TURNED_AWAY_MILLIS = 60_000

const stops = (answer: RestAnswer): Stop | undefined =>
  turnedAway(answer, TURNED_AWAY_MILLIS, [403]) ?? byAccount(answer)

// Who signs, and by which clock.

/** It is asked without a key. */
const CLOCK = "/brokerage/time"
/** A token is good from its instant on, and for two minutes. */
const BEHIND_MILLIS_MAX = 60_000
const AHEAD_MILLIS_MAX = 2_000

/** With milliseconds, which ccxt leaves out. */
const readsTheClock = (exchange: CoinbaseExchange): void => {
  exchange.fetchTime = async () => {
    const { epochMillis } = await exchange.v3PublicGetBrokerageTime({})
    return epochMillis === undefined ? undefined : Number(epochMillis)
  }
}

/** An Ed25519 key is 64 bytes in base64; ccxt takes it for an old one in the stream. */
const isEdwards = (secret: string): boolean =>
  !secret.startsWith("-----BEGIN") && (secret.length === 88 || secret.endsWith("="))

/** Answers what tells a wrong clock from a wrong key; a clock that cannot be read may be wrong, and no key is given up for it. */
const signsByVenueClock = (exchange: CoinbaseExchange): (() => Promise<boolean>) => {
  // As the file of the key has it.
  exchange.secret = exchange.secret.replaceAll("\\n", "\n")
  exchange.seconds = () => Math.floor(exchange.nonce() / 1000)
  const oldAuth = exchange.createWSAuth.bind(exchange)
  exchange.createWSAuth = (channel, productIds) => {
    const { secret, seconds } = exchange
    const isToken = secret.startsWith("-----BEGIN") || isEdwards(secret)
    // A new one each time: the one of before may be about to expire.
    return isToken
      ? { jwt: exchange.createAuthToken(seconds(), undefined, undefined, isEdwards(secret)) }
      : oldAuth(channel, productIds)
  }
  const createAuthToken = exchange.createAuthToken.bind(exchange)
  exchange.createAuthToken = (...given) => {
    try {
      return createAuthToken(...given)
    } catch {
      throw new AuthenticationError("the secret is no private key")
    }
  }
  readsTheClock(exchange)
  const offset = (): number => Number(exchange.options["timeDifference"] ?? 0)
  // What was refused may have no time left: this is another question, and one for all that were refused together.
  const venueNow = new Afresh(() => doingFor("doubt", null, () => exchange.fetchTime()))
  const mayClockBeWrong = async (signedWith = offset()): Promise<boolean> => {
    try {
      const now = await venueNow.ask()
      const ahead = now === undefined ? 0 : Date.now() - signedWith - now
      return ahead > AHEAD_MILLIS_MAX || ahead < -BEHIND_MILLIS_MAX
    } catch {
      return true
    }
  }
  // "Unauthorized" is all that it says of a token that is not good yet, or no more: no reason to give up a key.
  const fetch = exchange.fetch.bind(exchange)
  exchange.fetch = async (...request) => {
    const signedWith = offset()
    try {
      return await fetch(...request)
    } catch (error) {
      const isRefused = error instanceof Error && error.constructor.name === "AuthenticationError"
      if (!isRefused || request[0].endsWith(CLOCK) || !(await mayClockBeWrong(signedWith))) throw error
      throw new InvalidNonce()
    }
  }
  return mayClockBeWrong
}

// Orders: found, cancelled, changed.

/** Pages of orders that are searched for one that is not among the working ones. */
const SEARCHED_PAGES = 50
const PAGE = 100

/** On whichever row ccxt hung it. */
const cursorOf = (page: ReadonlyArray<{ readonly info: Raw | undefined }>): string | undefined =>
  page.map(({ info }) => word(info, "cursor")).find((it) => it !== null) ?? undefined

/** The venue has no question by our id: what is newest first, then what works, then what is older. */
const search = async (exchange: CoinbaseExchange, profile: VenueProfile, hex: string): Promise<CcxtOrder> => {
  const among = (orders: ReadonlyArray<CcxtOrder>) => orders.find(({ clientOrderId }) => isSameId(hex, clientOrderId))
  let cursor: string | undefined
  for (let page = 0; page < SEARCHED_PAGES; page++) {
    const params = { product_type: "SPOT", ...(cursor !== undefined && { cursor }) }
    const orders = await exchange.fetchOrders(undefined, undefined, PAGE, params)
    const found =
      among(orders) ??
      (page === 0 ? among(await openOrdersOf({ profile, exchange, now: exchange.nonce() })) : undefined)
    if (found !== undefined) return found
    cursor = cursorOf(orders)
    if (cursor === undefined) throw new OrderNotFound("no order of the account has this client order id")
  }
  throw new PagingFailed("the account has more orders than are searched for one of them")
}

const cancel = async (exchange: CoinbaseExchange, id: string | undefined, symbol: string): Promise<CcxtOrder> => {
  const answer = await exchange.v3PrivatePostBrokerageOrdersBatchCancel({ order_ids: [id] })
  const result = rows(answer["results"]).find(({ order_id }) => order_id === id)
  if (result?.["success"] !== true) throw new OperationFailed(`coinbase ${JSON.stringify(result ?? {})}`)
  return exchange.parseOrder(result, exchange.market(symbol))
}

const BEATS = "heartbeats"
const FILLS_PAGE = 250

const prepare = (instance: CcxtExchange, profile: VenueProfile): void => {
  const exchange = instance as CoinbaseExchange
  const mayClockBeWrong = signsByVenueClock(exchange)
  const parseOrder = exchange.parseOrder.bind(exchange)
  exchange.parseOrder = (order, market) => truly(parseOrder(order, market))
  const told = new WsOrders(exchange.parseWsOrder.bind(exchange))
  exchange.parseWsOrder = (order, market) => told.read(order, market)
  const guard = new SequenceGuard("coinbase")
  const handle = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket: CcxtSocket, message) => {
    const { type, message: said } = record(message)
    if (type === "error" && /authentication/i.test(String(said))) {
      void mayClockBeWrong().then((isIt) => {
        socket.onError(isIt ? new InvalidNonce() : new OperationFailed(String(said)))
        socket.close()
      })
      return undefined
    }
    const finding = guard.look(socket, message)
    if (typeof finding === "object") {
      endSocket(socket, `${LOST_PLACE} ${finding.hole}`)
      return undefined
    }
    return handle(socket, ordersOf(message))
  }
  const watchOrders = exchange.watchOrders.bind(exchange)
  exchange.watchOrders = () => {
    const orders = watchOrders()
    // "Most channels close within 60-90 seconds if no updates are sent." Once per socket, whose end the orders tell.
    const { ws } = exchange.urls.api
    if (exchange.client(ws).subscriptions[BEATS] === undefined)
      exchange.watch(ws, BEATS, { type: "subscribe", channel: BEATS }, BEATS).catch(() => undefined)
    return orders
  }
  const fetchOrder = exchange.fetchOrder.bind(exchange)
  exchange.fetchOrder = (id, symbol, { client_order_id, ...params }) =>
    id === undefined
      ? search(exchange, profile, readBack(String(client_order_id)) ?? "")
      : fetchOrder(id, symbol, params)
  exchange.cancelOrder = (id, symbol) => cancel(exchange, id, symbol)
  exchange.editOrder = async (id, symbol, _type, _side, amount, price, { clientOrderId }) => {
    const order_id = id ?? (await search(exchange, profile, String(clientOrderId))).id
    const answer = await exchange.v3PrivatePostBrokerageOrdersEdit({ order_id, size: amount, price })
    if (answer["success"] !== true) throw new OperationFailed(`coinbase ${JSON.stringify(answer)}`)
    return exchange.parseOrder({ order_id }, exchange.market(symbol))
  }
  exchange.fetchBalance = async () => {
    const accounts: Array<Raw> = []
    for (let cursor: unknown; ; ) {
      const page = await exchange.v3PrivateGetBrokerageAccounts({ limit: 250, ...(cursor !== undefined && { cursor }) })
      accounts.push(...rows(page["accounts"]))
      if (page["has_next"] !== true) break
      if (typeof page["cursor"] !== "string" || page["cursor"] === cursor)
        throw new PagingFailed("the venue returned the same page of a list again: it cannot be read completely")
      cursor = page["cursor"]
    }
    return { info: { accounts } } as unknown as CcxtBalance
  }
}

/** Of vaults and of derivatives nothing can be traded here. */
const TRADED_WALLETS: ReadonlyArray<unknown> = ["ACCOUNT_TYPE_CRYPTO", "ACCOUNT_TYPE_FIAT"]

const walletsOf = ({ info }: CcxtBalance): ReadonlyArray<BalanceRow> =>
  rows(info?.["accounts"]).flatMap((wallet) => {
    const [assetId, available, locked] = [
      word(wallet, "currency"),
      word(record(wallet["available_balance"]), "value"),
      word(record(wallet["hold"]), "value"),
    ]
    if (assetId === null || available === null || locked === null || !TRADED_WALLETS.includes(wallet["type"])) return []
    return [{ assetId, available, locked }]
  })

const BY_USER = /user/i

export const coinbase: ExchangeAdapter = adapterByScheme(
  { ...commonScheme, spelling: "uuid", idParam: "client_order_id", askParam: "client_order_id" },
  {
    prepare,
    preparePublic: (exchange) => readsTheClock(exchange as CoinbaseExchange),
    accountId: async (exchange) => {
      const { portfolio_uuid } = await (exchange as CoinbaseExchange).v3PrivateGetBrokerageKeyPermissions({})
      return typeof portfolio_uuid === "string" ? portfolio_uuid : null
    },
    /** Of its triggers nothing is proven: the gateway watches them. A market buy is an amount of the quote asset, and nothing else. */
    terms: (order) => {
      if (order.trigger !== undefined) throw new NotSupported("COINBASE's triggers are not used")
      if (order.orderType === "MARKET" && order.orderSide === "BUY" && order.cost === undefined)
        throw new NotSupported("COINBASE buys at the market by cost alone")
      return costTerms(order)
    },
    ended: ({ info, timeInForce }) => {
      if (word(info, "status") === "EXPIRED") return { status: "EXPIRED", ending: null }
      const isImmediate = timeInForce === "IOC" || timeInForce === "FOK"
      const isByUser = BY_USER.test(word(info, "cancel_message", "cancel_reason") ?? "")
      return { status: "CANCELLED", ending: isImmediate && !isByUser ? "REMAINDER" : null }
    },
    // Of what has ended an event does not say how much was ordered.
    eventsAreHints: ({ amount }) => amount === undefined,
    fillsOf: async (exchange, { id }, isKnown) => {
      const trades = new Map<string, CcxtTrade>()
      for (let cursor: string | undefined; ; ) {
        const before = trades.size
        const params = { order_ids: [id], ...(cursor !== undefined && { cursor }) }
        const page = await exchange.fetchMyTrades(undefined, undefined, FILLS_PAGE, params)
        // ccxt has each page in order of time.
        for (const trade of [...page].reverse()) if (trade.id !== undefined) trades.set(trade.id, trade)
        cursor = cursorOf(page)
        const isEnd = trades.size === before || page.some(isKnown)
        if (cursor === undefined || isEnd) return [...trades.values()]
      }
    },
    fetchedBalances: walletsOf,
    // There is no stream of them.
    balancesMoved: ({ channel, events }) =>
      channel === "user" && rows(events).some(({ type, orders }) => type === "update" && rows(orders).length > 0),
    leaving,
    stops,
    channels: ["user", "heartbeats"],
    channelNews: ({ channel, events }) => {
      const [first] = channel === "subscriptions" ? rows(events) : []
      const taken = record(first?.["subscriptions"])
      return ["user", "heartbeats"].filter((it) => it in taken).map((it) => ({ channel: it, isTaken: true }))
    },
  },
)
