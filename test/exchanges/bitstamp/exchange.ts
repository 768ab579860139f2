/**
 * A loopback exchange that speaks Bitstamp's v2 API of a main account: REST and the WebSocket on one port, real matching behind (the Binance exchange's
 * engine). Unmodified ccxt.pro works against it once its connections are routed here (`routes`). What no recording confirms of it is listed in
 * docs/design/venues.md.
 */
import { randomBytes } from "node:crypto"
import { multiply } from "../binance/fixed.ts"
import { Matching } from "../binance/matching.ts"
import { isOpen, type Order, type SymbolRules } from "../binance/model.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions, LoopbackUser } from "../loopback.ts"
import { ShownBooks } from "../shown-books.ts"
import { byHand, clockOf, freeAmounts, openMarkets } from "../traded-markets.ts"
import { type Core, TOKEN_SECONDS } from "./core.ts"
import { applyFault, BITSTAMP_FAULTS, type BitstampFault, BitstampFaults } from "./faults.ts"
import { fees } from "./fees.ts"
import { bitstampRoutes } from "./hosts.ts"
import { Limits, QUOTAS, type Quota } from "./limits.ts"
import { BITSTAMP_MARKETS, pathOf } from "./markets.ts"
import { type BitstampAccount, setWords, wordsOf } from "./model.ts"
import { tradeData } from "./public-api.ts"
import { RestDoor } from "./rest.ts"
import { ORDERS, type SocketKind, Sockets, TRADES } from "./sockets.ts"
import { balanceRow, openRow, orderEvent, statusRow, tradeEvent, tradeRow } from "./wire-private.ts"

export interface BitstampExchangeOptions extends LoopbackOptions<LoopbackUser> {
  readonly markets?: ReadonlyArray<SymbolRules>
  /** The venue's own when absent; none: nothing is limited. */
  readonly quotas?: ReadonlyArray<Quota>
  /** How old lists of open orders may be; the venue's 10 s when absent. */
  readonly cachedMillis?: number
}

export interface BitstampExchange
  extends LoopbackExchange<LoopbackUser, BitstampFault, Placement<number, string>, SocketKind> {
  /** All orders of a user, oldest first: what order_status says of them, and what they were placed with. */
  readonly orders: (apiKey: string) => ReadonlyArray<ReturnType<typeof orderOf>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof tradeRow>>
  readonly balances: (apiKey: string) => ReadonlyArray<ReturnType<typeof balanceRow>>
  /** Requests above a limit of the venue. */
  readonly refusedCalls: () => number
  /** Everything that a user has working, by the user's own hand elsewhere. */
  readonly cancelAll: (apiKey: string) => void
}

const BOOK_MILLIS = 20
const BOOK_LEVELS = 100
const CACHED_MILLIS = 10_000
const FIRST_STILLBORN_ID = 0x70_00_00_00
const FIRST_USER = 4_848_701

const orderOf = (order: Order) => {
  const { price, amount_at_create } = openRow(order)
  return { ...statusRow(order), price, amount: amount_at_create, subtype: wordsOf(order).subtype }
}

/** Resolves when the port listens. */
export const startBitstampExchange = async (options: BitstampExchangeOptions = {}): Promise<BitstampExchange> => {
  const now = clockOf(options)
  const firstMicros = now() * 1000
  const counts = new Map<string, number>()
  const faults = new BitstampFaults()
  const accounts = new Map<string, BitstampAccount>()
  const tokens = new Map<string, { readonly account: BitstampAccount; readonly until: number }>()
  let stillborn = FIRST_STILLBORN_ID

  const tell: Core["tell"] = (order, event) => {
    const account = accounts.get(order.account.apiKey)
    if (account !== undefined && !faults.userEventsSuppressed)
      sockets.push(account, ORDERS, order.symbol, event, orderEvent(order))
  }
  const matching = new Matching(
    {
      onLevel: ({ rules }) => books.onLevel(rules.symbol),
      onTrade: ({ rules: { symbol } }, trade) =>
        sockets.publish(`live_trades_${pathOf(symbol)}`, "trade", tradeData(symbol, trade)),
      onOrder: (order, execution, fill) => {
        if (execution === "NEW" && core.placing !== undefined) {
          setWords(order, core.placing)
          fees.hold(order, fees.needed(order.side, costOf(order)))
          core.placing = undefined
          tell(order, "order_created")
          return
        }
        if (fill !== undefined) {
          fees.charge(order, fill)
          const account = accounts.get(order.account.apiKey)
          if (account !== undefined && !faults.userEventsSuppressed)
            sockets.push(account, TRADES, order.symbol, "trade", tradeEvent(fill))
        }
        if (!isOpen(order)) fees.release(order, 0n)
        tell(order, isOpen(order) ? "order_changed" : "order_deleted")
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
    limits: new Limits(options.quotas ?? QUOTAS),
    now,
    cachedMillis: options.cachedMillis ?? CACHED_MILLIS,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    placing: undefined,
    nextStillbornId: () => stillborn++,
    tell,
    shownBook: (symbol) => books.book(symbol),
    bookTime: (sequence) => firstMicros + sequence,
    tokenFor: (account) => {
      const token = randomBytes(16).toString("hex")
      tokens.set(token, { account, until: performance.now() + TOKEN_SECONDS * 1000 })
      return token
    },
    ownerOf: (token) => {
      const found = tokens.get(token)
      return found !== undefined && found.until > performance.now() ? found.account : undefined
    },
    heldCancels: new Set(),
  }
  const sockets: Sockets = new Sockets(core)
  const books: ShownBooks = new ShownBooks({
    markets: matching.markets,
    levels: BOOK_LEVELS,
    faults,
    isHeld: () => false,
    publish: (symbol, text) => sockets.publish(`diff_order_book_${pathOf(symbol)}`, "data", JSON.parse(text)),
    write: ({ bids, asks, sequence }) => {
      const microtimestamp = core.bookTime(sequence)
      const rows = (side: typeof bids) => side.map(({ price, size }) => [price, size])
      const times = { timestamp: String(Math.floor(microtimestamp / 1e6)), microtimestamp: String(microtimestamp) }
      return JSON.stringify({ ...times, bids: rows(bids), asks: rows(asks) })
    },
  })
  const addUser = ({ balances, ...keys }: LoopbackUser) => {
    accounts.set(keys.apiKey, {
      apiKey: keys.apiKey,
      apiSecret: keys.apiSecret,
      accountNumber: FIRST_USER + accounts.size,
      balances: new Map(freeAmounts(balances)),
      orders: new Map(),
      byClientOrderId: new Map(),
      byName: new Map(),
      cached: new Map(),
      fills: [],
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, options.markets ?? BITSTAMP_MARKETS, core.views, now, options)

  const throwFault = (fault: BitstampFault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      pushUser: (apiKey, event) => sockets.pushRaw(apiKey, event),
      releaseCancels: () => {
        const held = [...core.heldCancels]
        core.heldCancels.clear()
        // One that came too late is never heard of again.
        for (const order of held) if (isOpen(order)) matching.cancel(order, order.symbol)
      },
    })
  const ordersOf = (apiKey: string): ReadonlyArray<Order> => [...(accounts.get(apiKey)?.orders.values() ?? [])]
  const orders = (apiKey: string) => ordersOf(apiKey).map(orderOf)
  const control = {
    placements: () => core.placements.list(),
    orders,
    counts: () => Object.fromEntries(counts),
    fault: throwFault,
  }
  const rest = new RestDoor(core)
  const { port, url, close } = await openDoors({ port: options.port, control, faults: BITSTAMP_FAULTS, rest, sockets })
  const timers = [setInterval(() => books.flush(), BOOK_MILLIS), ...moving(synthetic, options)]
  return {
    port,
    url,
    routes: bitstampRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) => (accounts.get(apiKey)?.fills ?? []).map(tradeRow),
    balances: (apiKey) => {
      const account = accounts.get(apiKey)
      return account === undefined ? [] : [...account.balances.keys()].map((asset) => balanceRow(account, asset))
    },
    counts: () => Object.fromEntries(counts),
    refusedCalls: () => core.limits.refused,
    socketCount: (kind) => sockets.count(kind),
    ...byHand(matching),
    cancelAll: (apiKey) => {
      for (const order of ordersOf(apiKey)) if (isOpen(order)) matching.cancel(order, order.symbol)
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
