/**
 * A loopback exchange that speaks Bybit v5, spot of a unified account: REST, public, private and trade WebSockets on one port, real matching behind (the
 * Binance exchange's engine). Unmodified ccxt.pro works against it once its connections are routed here (`routes`). What no recording
 * confirms of it is listed in docs/design/venues.md.
 */
import type { MarketView } from "../binance/market.ts"
import { Matching } from "../binance/matching.ts"
import { type Fill, isOpen, type Order, type SymbolRules } from "../binance/model.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions, LoopbackUser } from "../loopback.ts"
import { plain } from "../plain-numbers.ts"
import { ShownBooks, type ShownMessage } from "../shown-books.ts"
import { byHand, clockOf, freeAmounts, openMarkets } from "../traded-markets.ts"
import type { Core } from "./core.ts"
import { applyFault, BYBIT_FAULTS, type BybitFault, BybitFaults } from "./faults.ts"
import { bybitRoutes } from "./hosts.ts"
import { BYBIT_INSTRUMENTS } from "./instruments.ts"
import { Limits } from "./limits.ts"
import { type BybitAccount, setWords, wordsOf } from "./model.ts"
import { cancelNow } from "./private-api.ts"
import { tickerRow, tradeIdOf } from "./public-api.ts"
import { RestDoor } from "./rest.ts"
import { type SocketKind, Sockets } from "./sockets.ts"
import { executionEvent, executionRow, orderEvent, orderRow, walletRow } from "./wire-private.ts"

export type BybitUser = LoopbackUser

export interface BybitExchangeOptions extends LoopbackOptions<BybitUser> {
  readonly instruments?: ReadonlyArray<SymbolRules>
  /** False: no limit bites. Default true. */
  readonly isLimited?: boolean
}

export interface BybitExchange extends LoopbackExchange<BybitUser, BybitFault, Placement, SocketKind> {
  /** All orders of a user, as order/realtime shows them, oldest first. */
  readonly orders: (apiKey: string) => ReadonlyArray<ReturnType<typeof orderRow>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof executionRow>>
  readonly balances: (apiKey: string) => ReturnType<typeof walletRow>["coin"]
  /** Requests above a limit of the venue. */
  readonly refusedCalls: () => number
  /** Everything that a user has working, by the user's own hand elsewhere. */
  readonly cancelAll: (apiKey: string) => void
}

const BOOK_MILLIS = 20
const TICK_MILLIS = 1000
const BOOK_LEVELS = 50
const FIRST_STILLBORN_ID = 900_000_000
const FIRST_ACCOUNT = 24_600_000

/** Why an order ended whose end its owner did not ask for. */
const reasonOf = (order: Order, timeInForce: string): string => {
  if (order.status === "EXPIRED_IN_MATCH") return "EC_BySelfMatch"
  return timeInForce === "FOK" ? "EC_CancelForNoFullFill" : "EC_NoImmediateQtyToFill"
}

/** Resolves when the port listens. */
export const startBybitExchange = async (options: BybitExchangeOptions = {}): Promise<BybitExchange> => {
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const faults = new BybitFaults()
  const views = new Map<string, MarketView>()
  const accounts = new Map<string, BybitAccount>()
  let stillborn = FIRST_STILLBORN_ID
  let sequence = 0

  const push = (apiKey: string, topic: string, data: ReadonlyArray<object>) => {
    if (accounts.has(apiKey) && !faults.userEventsSuppressed) sockets.push(apiKey, topic, data)
  }
  const announce = (order: Order) => push(order.account.apiKey, "order", [orderEvent(order)])
  const ended = (order: Order): void => {
    const words = wordsOf(order)
    if (order.status === "FILLED" || words.cancelType === "CancelByUser") return
    words.rejectReason = reasonOf(order, words.timeInForce)
    if (order.status === "EXPIRED_IN_MATCH") words.cancelType = "CancelBySmp"
  }
  const told = (order: Order, fill: Fill | undefined): void => {
    if (fill !== undefined) push(order.account.apiKey, "execution", [executionEvent(order, fill)])
    announce(order)
  }
  const matching = new Matching(
    {
      onLevel: ({ rules }) => books.onLevel(rules.symbol),
      onTrade: ({ rules: { symbol } }, trade) => {
        const { tradedAt: T, isBuyerMaker } = trade
        const row = { T, s: symbol, S: isBuyerMaker ? "Sell" : "Buy", v: plain(trade.quantity), p: plain(trade.price) }
        const data = [{ ...row, i: tradeIdOf(trade), BT: false, RPI: false, seq: ++sequence }]
        const topic = `publicTrade.${symbol}`
        sockets.publish(topic, JSON.stringify({ topic, type: "snapshot", ts: now(), data }))
      },
      onOrder: (order, execution, fill) => {
        if (execution === "NEW" && core.placing !== undefined) setWords(order, core.placing)
        if (fill === undefined && !isOpen(order)) ended(order)
        told(order, fill)
      },
      onBalances: ({ apiKey }, assets) => {
        const account = accounts.get(apiKey)
        if (account !== undefined) push(apiKey, "wallet", [walletRow(account, assets)])
      },
    },
    now,
  )
  const core: Core = {
    matching,
    accounts,
    views,
    placements: new Placements(),
    faults,
    limits: new Limits(options.isLimited ?? true, now),
    now,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    placing: undefined,
    nextStillbornId: () => stillborn++,
    announce,
    released: new Set(),
    forgotten: new Set(),
    heldCancels: new Set(),
  }
  const tickerText = (view: MarketView): string => {
    const topic = `tickers.${view.rules.symbol}`
    return JSON.stringify({ topic, type: "snapshot", ts: now(), cs: ++sequence, data: tickerRow(view) })
  }
  const sockets: Sockets = new Sockets(core, (topic) => {
    const [name, ...rest] = topic.split(".")
    const symbol = rest.at(-1) ?? ""
    if (name === "orderbook") return books.snapshot(symbol)
    const view = views.get(symbol)
    return name === "tickers" && view?.tape.last !== undefined ? tickerText(view) : undefined
  })
  const books = new ShownBooks({
    markets: matching.markets,
    levels: BOOK_LEVELS,
    faults,
    isHeld: () => false,
    publish: (symbol, text) => sockets.publish(`orderbook.${BOOK_LEVELS}.${symbol}`, text),
    write: (message) => bookText(message),
  })
  /** Updates of a book are numbered one by one, each book for itself. */
  const updates = new Map<string, number>()
  const bookText = ({ symbol, kind, bids, asks, sequence: seq }: ShownMessage): string => {
    const u = (updates.get(symbol) ?? 1) + (kind === "update" ? 1 : 0)
    updates.set(symbol, u)
    const rows = (side: typeof bids) => side.map(({ price, size }) => [price, size])
    return JSON.stringify({
      topic: `orderbook.${BOOK_LEVELS}.${symbol}`,
      type: kind === "update" ? "delta" : "snapshot",
      ts: now(),
      data: { s: symbol, b: rows(bids), a: rows(asks), u, seq },
      cts: now(),
    })
  }
  const addUser = ({ apiKey, apiSecret, balances }: BybitUser) => {
    accounts.set(apiKey, {
      apiKey,
      apiSecret,
      accountNumber: FIRST_ACCOUNT + accounts.size,
      balances: new Map(freeAmounts(balances)),
      orders: new Map(),
      byClientOrderId: new Map(),
      fills: [],
      linkIds: new Set(),
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, options.instruments ?? BYBIT_INSTRUMENTS, views, now, options)

  const over = (): ReadonlyArray<Order> =>
    [...accounts.values()].flatMap(({ orders }) => [...orders.values()].filter((order) => !isOpen(order)))
  const throwFault = (fault: BybitFault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      pushUser: (apiKey, event) => sockets.pushRaw(apiKey, event),
      closeTradeSockets: () => sockets.closeTrade(),
      releaseCancels: () => {
        for (const order of core.heldCancels) {
          if (isOpen(order)) cancelNow(core, order)
          else {
            // A cancel that was accepted and came too late is told by the order once more.
            const words = wordsOf(order)
            Object.assign(words, { cancelType: "CancelByUser", rejectReason: "EC_OrigClOrdIDDoesNotExist" })
            announce(order)
          }
        }
        core.heldCancels.clear()
      },
      release: () => {
        for (const order of over()) core.released.add(order)
      },
      forgetCancelled: () => {
        for (const order of over()) if (order.fills.length === 0) core.forgotten.add(order)
      },
    })
  const orders = (apiKey: string) => [...(accounts.get(apiKey)?.orders.values() ?? [])].map(orderRow)
  const control = {
    placements: () => core.placements.list(),
    orders,
    counts: () => Object.fromEntries(counts),
    fault: throwFault,
  }
  const rest = new RestDoor(core)
  const { port, url, close } = await openDoors({ port: options.port, control, faults: BYBIT_FAULTS, rest, sockets })

  const tick = (): void => {
    const listened = sockets.listened()
    for (const view of views.values()) {
      const topic = `tickers.${view.rules.symbol}`
      if (listened.has(topic) && view.tape.last !== undefined) sockets.publish(topic, tickerText(view))
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
    routes: bybitRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) => {
      const account = accounts.get(apiKey)
      return (account?.fills ?? []).flatMap((fill) => {
        const order = account?.orders.get(fill.orderId)
        return order === undefined ? [] : [executionRow(order, fill)]
      })
    },
    balances: (apiKey) => {
      const account = accounts.get(apiKey)
      return account === undefined ? [] : walletRow(account).coin
    },
    counts: () => Object.fromEntries(counts),
    refusedCalls: () => core.limits.refused,
    socketCount: (kind) => sockets.count(kind),
    ...byHand(matching),
    cancelAll: (apiKey) => {
      const working = [...(accounts.get(apiKey)?.orders.values() ?? [])].filter(isOpen)
      for (const order of working) cancelNow(core, order)
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      sockets.stop()
      await close()
    },
  }
}
