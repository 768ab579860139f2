/**
 * A loopback exchange that speaks Gate's spot API (v4) of classic accounts: REST and the WebSocket on one port, real matching behind (the Binance exchange's
 * engine). Unmodified ccxt.pro works against it once its connections are routed here (`routes`). What no recording confirms of it is listed in
 * docs/design/venues.md.
 */
import { Matching } from "../binance/matching.ts"
import { isOpen, type Order, type SymbolRules } from "../binance/model.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions } from "../loopback.ts"
import { ShownBooks, type ShownMessage } from "../shown-books.ts"
import { byHand, clockOf, freeAmounts, openMarkets } from "../traded-markets.ts"
import type { Core } from "./core.ts"
import { applyFault, GATE_FAULTS, type GateFault, GateFaults } from "./faults.ts"
import { charge } from "./fees.ts"
import { gateRoutes } from "./hosts.ts"
import { Limits } from "./limits.ts"
import { type GateAccount, type GateUser, setWords } from "./model.ts"
import { publicTradeRow, tickerRow } from "./public-api.ts"
import { RestDoor } from "./rest.ts"
import { BALANCES, ORDERS, type SocketKind, Sockets, TRADES } from "./sockets.ts"
import { GATE_SYMBOLS } from "./symbols.ts"
import { accountRow, balanceEvent, orderEvent, orderRow, tradeEvent, tradeRow } from "./wire-private.ts"

export interface GateExchangeOptions extends LoopbackOptions<GateUser> {
  readonly symbols?: ReadonlyArray<SymbolRules>
  /** Default true. */
  readonly isLimited?: boolean
}

export interface GateExchange extends LoopbackExchange<GateUser, GateFault, Placement<number, string>, SocketKind> {
  /** All orders of a user, as the lists show them, oldest first. */
  readonly orders: (apiKey: string) => ReadonlyArray<ReturnType<typeof orderRow>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof tradeRow>>
  readonly balances: (apiKey: string) => ReadonlyArray<ReturnType<typeof accountRow>>
  /** Requests above a limit of the venue. */
  readonly refusedCalls: () => number
  /** Everything that a user has working, by the user's own hand elsewhere. */
  readonly cancelAll: (apiKey: string) => void
}

const BOOK_MILLIS = 20
const TICK_MILLIS = 1000
const BOOK_LEVELS = 50
const FIRST_STILLBORN_ID = 0x70_00_00_00
const FIRST_ACCOUNT = 10_406_147

/** Resolves when the port listens. */
export const startGateExchange = async (options: GateExchangeOptions = {}): Promise<GateExchange> => {
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const faults = new GateFaults()
  const accounts = new Map<string, GateAccount>()
  let stillborn = FIRST_STILLBORN_ID

  const push = (apiKey: string, channel: string, rows: ReadonlyArray<object>): void => {
    if (accounts.has(apiKey) && !faults.userEventsSuppressed) sockets.push(apiKey, channel, rows)
  }
  const tell: Core["tell"] = (order, type) => push(order.account.apiKey, ORDERS, [orderEvent(order, type)])
  const matching = new Matching(
    {
      onLevel: ({ rules }) => books.onLevel(rules.symbol),
      onTrade: ({ rules: { symbol } }, trade) => {
        const { create_time, id, ...row } = publicTradeRow(symbol, trade)
        sockets.publish("spot.trades", symbol, { ...row, id: Number(id), create_time: Number(create_time) })
      },
      onOrder: (order, execution, fill) => {
        if (execution === "NEW") {
          // One that is new is told of when it stands in the book, and one that was changed has its words.
          if (core.placing !== undefined) setWords(order, core.placing)
          else tell(order, "update")
          return
        }
        if (fill !== undefined) {
          charge(order, fill)
          push(order.account.apiKey, TRADES, [tradeEvent(order, fill)])
        }
        tell(order, isOpen(order) ? "update" : "finish")
      },
      onBalances: ({ apiKey }, assets) => {
        const account = accounts.get(apiKey)
        if (account === undefined) return
        const named = account.paysIn === undefined ? assets : [...assets, account.paysIn]
        push(
          apiKey,
          BALANCES,
          named.map((asset) => balanceEvent(account, asset, now())),
        )
      },
    },
    now,
  )
  const core: Core = {
    matching,
    accounts,
    views: new Map(),
    placements: new Placements<number, string>(),
    faults,
    limits: new Limits(options.isLimited ?? true, now),
    now,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    placing: undefined,
    nextStillbornId: () => stillborn++,
    tell,
    shownBook: (symbol) => books.book(symbol),
  }
  const sockets: Sockets = new Sockets(core, (topic) => {
    const [channel, pair = ""] = topic.split(":")
    const snapshot = channel === "spot.obu" ? books.snapshot(pair) : undefined
    return snapshot === undefined ? undefined : JSON.parse(snapshot)
  })
  const books: ShownBooks = new ShownBooks({
    markets: matching.markets,
    levels: BOOK_LEVELS,
    faults,
    isHeld: () => false,
    publish: (symbol, text) => sockets.publish("spot.obu", symbol, JSON.parse(text)),
    write: (message) => JSON.stringify(bookResult(message, now())),
  })
  const addUser = ({ kind = "CLASSIC", paysIn, hidesAccount = false, balances, ...keys }: GateUser) => {
    accounts.set(keys.apiKey, {
      ...keys,
      kind,
      paysIn,
      hidesAccount,
      accountNumber: FIRST_ACCOUNT + accounts.size,
      balances: new Map(freeAmounts(balances)),
      orders: new Map(),
      byClientOrderId: new Map(),
      byText: new Map(),
      fills: [],
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, options.symbols ?? GATE_SYMBOLS, core.views, now, options)

  const throwFault = (fault: GateFault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      pushUser: (apiKey, event) => sockets.pushRaw(apiKey, event),
    })
  const ordersOf = (apiKey: string): ReadonlyArray<Order> => [...(accounts.get(apiKey)?.orders.values() ?? [])]
  const orders = (apiKey: string) => ordersOf(apiKey).map(orderRow)
  const control = {
    placements: () => core.placements.list(),
    orders,
    counts: () => Object.fromEntries(counts),
    fault: throwFault,
  }
  const rest = new RestDoor(core)
  const { port, url, close } = await openDoors({ port: options.port, control, faults: GATE_FAULTS, rest, sockets })

  const tick = (): void => {
    for (const pair of sockets.listened("spot.tickers")) {
      const view = core.views.get(pair)
      if (view?.tape.last !== undefined) sockets.publish("spot.tickers", pair, tickerRow(view))
    }
  }
  const timers = [
    setInterval(() => books.flush(), BOOK_MILLIS),
    setInterval(tick, TICK_MILLIS),
    ...moving(synthetic, options),
  ]
  return {
    port,
    url,
    routes: gateRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) => {
      const account = accounts.get(apiKey)
      return (account?.fills ?? []).flatMap((fill) => {
        const order = account?.orders.get(fill.orderId)
        return order === undefined ? [] : [tradeRow(order, fill)]
      })
    },
    balances: (apiKey) => {
      const account = accounts.get(apiKey)
      return account === undefined ? [] : [...account.balances.keys()].map((asset) => accountRow(account, asset))
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

/** Of spot.obu: changes are numbered without a hole; a book that begins is whole. */
const bookResult = ({ symbol, kind, bids, asks, previous, sequence }: ShownMessage, t: number) => {
  const rows = (side: typeof bids) => side.map(({ price, size }) => [price, size])
  const range = kind === "snapshot" ? { full: true } : { U: previous + 1 }
  return { t, ...range, s: `ob.${symbol}.${BOOK_LEVELS}`, u: sequence, b: rows(bids), a: rows(asks) }
}
