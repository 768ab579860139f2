/**
 * A loopback exchange that speaks Coinbase's Advanced Trade API, spot: REST and the WebSocket on one port, real matching behind (the Binance
 * exchange's engine). Unmodified ccxt.pro works against it once its connections are routed here (`routes`). What no recording confirms of it is
 * listed in docs/design/venues.md.
 */
import { randomUUID } from "node:crypto"
import { multiply } from "../binance/fixed.ts"
import { Matching } from "../binance/matching.ts"
import { isOpen, type Order, type SymbolRules } from "../binance/model.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions, LoopbackUser } from "../loopback.ts"
import { ShownBooks, type ShownMessage } from "../shown-books.ts"
import { byHand, clockOf, freeAmounts, openMarkets } from "../traded-markets.ts"
import type { Core } from "./core.ts"
import { applyFault, COINBASE_FAULTS, type CoinbaseFault, CoinbaseFaults } from "./faults.ts"
import { fees } from "./fees.ts"
import { coinbaseRoutes } from "./hosts.ts"
import { Limits } from "./limits.ts"
import { type CoinbaseAccount, orderIdOf, portfolioIdOf, setWords, timeText } from "./model.ts"
import { cancelNow, placeElsewhere } from "./private-api.ts"
import { COINBASE_PRODUCTS } from "./products.ts"
import { tickerRow, tradeRow } from "./public-api.ts"
import { RestDoor } from "./rest.ts"
import { type SocketKind, Sockets } from "./sockets.ts"
import { fillRow, orderEvent, orderRow, walletRow } from "./wire-private.ts"

export interface CoinbaseExchangeOptions extends LoopbackOptions<LoopbackUser> {
  readonly products?: ReadonlyArray<SymbolRules>
  /** False: no limit bites. Default true. */
  readonly isLimited?: boolean
}

export interface CoinbaseExchange
  extends LoopbackExchange<LoopbackUser, CoinbaseFault, Placement<number, string>, SocketKind> {
  /** All orders of a user, as orders/historical shows them, oldest first. */
  readonly orders: (apiKey: string) => ReadonlyArray<ReturnType<typeof orderRow>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof fillRow>>
  readonly balances: (apiKey: string) => ReadonlyArray<ReturnType<typeof walletRow>>
  /** Requests above a limit of the venue. */
  readonly refusedCalls: () => number
  /** Everything that a user has working, by the user's own hand elsewhere. */
  readonly cancelAll: (apiKey: string) => void
  /** A limit order of another program of the user; answers its id. */
  readonly placeElsewhere: (
    apiKey: string,
    order: { readonly product: string; readonly side: "BUY" | "SELL"; readonly size: string; readonly price: string },
  ) => string
}

const BOOK_MILLIS = 20
const BEAT_MILLIS = 1000
const BOOK_LEVELS = 500
/** Open orders in one message of a snapshot. */
const SNAPSHOT_ORDERS = 50
const FIRST_ACCOUNT = 31_400_000

/** Resolves when the port listens. */
export const startCoinbaseExchange = async (options: CoinbaseExchangeOptions = {}): Promise<CoinbaseExchange> => {
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const faults = new CoinbaseFaults()
  const accounts = new Map<string, CoinbaseAccount>()

  const announce = (order: Order): void => {
    const { apiKey } = order.account
    if (accounts.has(apiKey) && !faults.userEventsSuppressed)
      sockets.push(apiKey, [{ type: "update", orders: [orderEvent(order)] }])
  }
  const matching = new Matching(
    {
      onLevel: ({ rules }) => books.onLevel(rules.symbol),
      onTrade: ({ rules: { symbol } }, trade) => {
        sockets.publish("market_trades", symbol, [{ type: "update", trades: [tradeRow(symbol, trade)] }])
        const view = core.views.get(symbol)
        if (view !== undefined) sockets.publish("ticker", symbol, [{ type: "update", tickers: [tickerRow(view)] }])
      },
      onOrder: (order, execution, fill) => {
        if (execution === "NEW" && core.placing !== undefined) {
          setWords(order, core.placing)
          fees.hold(order, fees.needed(order.side, costOf(order)))
          core.placing = undefined
        }
        if (fill !== undefined) fees.charge(order, fill)
        if (!isOpen(order)) fees.release(order, 0n)
        announce(order)
      },
      onBalances: () => undefined,
    },
    now,
  )
  const core: Core = {
    matching,
    accounts,
    views: new Map(),
    placements: new Placements<number, string>(),
    faults,
    limits: new Limits(options.isLimited ?? true),
    now,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    placing: undefined,
    heldCancels: new Set(),
  }
  /** Working orders in parts, the last one shorter than the others. */
  const ordersShown = (account: CoinbaseAccount): ReadonlyArray<object> => {
    const rows = [...account.orders.values()].filter(isOpen).map(orderEvent)
    const parts = Math.floor(rows.length / SNAPSHOT_ORDERS) + 1
    return Array.from({ length: parts }, (_, part) => ({
      type: "snapshot",
      orders: rows.slice(part * SNAPSHOT_ORDERS, (part + 1) * SNAPSHOT_ORDERS),
    }))
  }
  const sockets: Sockets = new Sockets(core, (channel, id, account) => {
    if (channel === "user") return account === undefined ? [] : ordersShown(account)
    const view = core.views.get(id)
    if (view === undefined) return []
    if (channel === "level2") return [JSON.parse(books.snapshot(id) ?? "{}")]
    const trades = view.tape.trades.slice(-50).reverse()
    if (channel === "market_trades") return [{ type: "snapshot", trades: trades.map((trade) => tradeRow(id, trade)) }]
    return [{ type: "snapshot", tickers: [tickerRow(view)] }]
  })
  const books = new ShownBooks({
    markets: matching.markets,
    levels: BOOK_LEVELS,
    faults,
    isHeld: () => false,
    publish: (product, text) => sockets.publish("level2", product, [JSON.parse(text)]),
    write: (message) => bookText(message),
  })
  const bookText = ({ symbol, kind, bids, asks }: ShownMessage): string => {
    const event_time = timeText(now())
    const rows = (side: "bid" | "offer", levels: typeof bids) =>
      levels.map(({ price, size }) => ({ side, event_time, price_level: price, new_quantity: size }))
    const updates = [...rows("bid", bids), ...rows("offer", asks)]
    return JSON.stringify({ type: kind, product_id: symbol, updates })
  }
  const addUser = ({ apiKey, apiSecret, balances }: LoopbackUser) => {
    const accountNumber = FIRST_ACCOUNT + accounts.size
    accounts.set(apiKey, {
      apiKey,
      apiSecret,
      accountNumber,
      portfolioId: portfolioIdOf(accountNumber),
      balances: new Map(freeAmounts(balances)),
      orders: new Map(),
      byClientOrderId: new Map(),
      fills: [],
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, options.products ?? COINBASE_PRODUCTS, core.views, now, options)

  const throwFault = (fault: CoinbaseFault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      pushUser: (apiKey, event) => sockets.pushRaw(apiKey, event),
      releaseCancels: () => {
        const held = [...core.heldCancels]
        core.heldCancels.clear()
        // One that came too late is never heard of again.
        for (const order of held) if (isOpen(order)) cancelNow(core, order)
      },
    })
  const orders = (apiKey: string) =>
    [...(accounts.get(apiKey)?.orders.values() ?? [])].map((order) => orderRow(order, core.heldCancels.has(order)))
  const control = {
    placements: () => core.placements.list(),
    orders,
    counts: () => Object.fromEntries(counts),
    fault: throwFault,
  }
  const rest = new RestDoor(core)
  const { port, url, close } = await openDoors({ port: options.port, control, faults: COINBASE_FAULTS, rest, sockets })
  const timers = [
    setInterval(() => books.flush(), BOOK_MILLIS),
    setInterval(() => sockets.beat(), BEAT_MILLIS),
    ...moving(synthetic, options),
  ]
  return {
    port,
    url,
    routes: coinbaseRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) => {
      const account = accounts.get(apiKey)
      return (account?.fills ?? []).flatMap((fill) => {
        const order = account?.orders.get(fill.orderId)
        return order === undefined ? [] : [fillRow(order, fill)]
      })
    },
    balances: (apiKey) => {
      const account = accounts.get(apiKey)
      return account === undefined ? [] : [...account.balances.keys()].map((asset) => walletRow(account, asset))
    },
    counts: () => Object.fromEntries(counts),
    refusedCalls: () => core.limits.refused,
    socketCount: (kind) => sockets.count(kind),
    ...byHand(matching),
    cancelAll: (apiKey) => {
      const working = [...(accounts.get(apiKey)?.orders.values() ?? [])].filter(isOpen)
      for (const order of working) cancelNow(core, order)
    },
    placeElsewhere: (apiKey, { product, side, size, price }) => {
      const account = accounts.get(apiKey)
      if (account === undefined) throw new Error(`no user ${apiKey}`)
      const terms = { base_size: size, limit_price: price, post_only: false }
      const fields = { product_id: product, side, order_configuration: { limit_limit_gtc: terms } }
      return orderIdOf(placeElsewhere(core, account, { ...fields, client_order_id: randomUUID() }).orderId)
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      sockets.stop()
      await close()
    },
  }
}

/** Of a limit order before it trades. */
const costOf = ({ type, price, quantity }: Order): bigint => (type === "LIMIT" ? multiply(price, quantity) : 0n)
