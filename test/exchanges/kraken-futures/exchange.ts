/**
 * A loopback exchange that speaks Kraken Futures: REST under `/derivatives/api/v3` and `/api/history`, and the WebSocket of version 1 on one port, real
 * matching behind (the Binance exchange's engine) and a multi-collateral account of one position a contract. Unmodified ccxt.pro works against it once
 * its connections are routed here (`routes`). What no recording confirms of it is listed in docs/design/venues.md.
 */
import { toFixed8 } from "../binance/fixed.ts"
import { Matching } from "../binance/matching.ts"
import { balanceOf, type Fill, isOpen, type Order, type SymbolRules } from "../binance/model.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { MarginPurse } from "../binance-usdm/margin.ts"
import { positionOf, sizeOf } from "../binance-usdm/model.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions, LoopbackUser } from "../loopback.ts"
import { plain } from "../plain-numbers.ts"
import { byHand, clockOf, freeAmounts, openMarkets } from "../traded-markets.ts"
import { KRAKEN_CONTRACTS } from "./contracts.ts"
import type { Core } from "./core.ts"
import { applyFault, KRAKEN_FUTURES_FAULTS, type KrakenFuturesFault, KrakenFuturesFaults } from "./faults.ts"
import { krakenFuturesRoutes } from "./hosts.ts"
import { Limits } from "./limits.ts"
import { accountUidOf, eventUidOf, type FuturesAccount, orderIdOf, setWords, wordsOf } from "./model.ts"
import { tickerRow, tradeUid } from "./public-api.ts"
import { RestDoor } from "./rest.ts"
import { BALANCES, FILLS, ORDERS, PLAIN_ORDERS, POSITIONS, type SocketKind, Sockets } from "./sockets.ts"
import {
  balancesRow,
  feedRow,
  fillFeedRow,
  fillRow,
  historyRow,
  orderView,
  positionRow,
  positionRows,
} from "./wire-private.ts"

export interface KrakenFuturesOptions extends LoopbackOptions<LoopbackUser> {
  readonly contracts?: ReadonlyArray<SymbolRules>
  /** False: no limit bites. Default true. */
  readonly isLimited?: boolean
}

export interface KrakenFuturesExchange
  extends LoopbackExchange<LoopbackUser, KrakenFuturesFault, Placement<number, string>, SocketKind> {
  /** All orders of a user, oldest first. */
  readonly orders: (apiKey: string) => ReadonlyArray<ReturnType<typeof orderView>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof fillRow>>
  /** As GET openpositions shows it; undefined where there is none. */
  readonly position: (apiKey: string, symbol: string) => ReturnType<typeof positionRow>
  /** What is in the wallet changes without an order, as by a transfer or funding. */
  readonly moveWallet: (apiKey: string, asset: string, change: string) => void
  /** The venue closes a position at the market, for want of margin. */
  readonly liquidate: (apiKey: string, symbol: string) => void
  /** Best first. */
  readonly levels: (symbol: string, side: "bids" | "asks") => ReadonlyArray<{ readonly price: string }>
  /** Requests above a limit of the venue. */
  readonly refusedCalls: () => number
  /** Everything that a user has working, by the user's own hand elsewhere. */
  readonly cancelAll: (apiKey: string) => void
}

const TICK_MILLIS = 1000
const SNAPSHOT_FILLS = 100
const FIRST_STILLBORN_ID = 0x70_00_00_00
/** What `orders/status` calls it, in the words of the feed and of the history. */
const FEED_REASONS: Readonly<Record<string, string>> = {
  CANCELLED_BY_USER: "cancelled_by_user",
  WOULD_NOT_REDUCE_POSITION: "would_not_reduce_position",
  IOC_WOULD_NOT_EXECUTE_REASON: "ioc_order_failed_because_it_would_not_be_executed",
  WOULD_EXECUTE_SELF_REASON: "would_execute_self",
  LIQUIDATION_ORDER: "liquidation",
}

/** Resolves when the port listens. */
export const startKrakenFuturesExchange = async (
  options: KrakenFuturesOptions = {},
): Promise<KrakenFuturesExchange> => {
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const faults = new KrakenFuturesFaults()
  const accounts = new Map<string, FuturesAccount>()
  const contracts = options.contracts ?? KRAKEN_CONTRACTS
  let [events, messages, stillborn] = [0, 0, FIRST_STILLBORN_ID]
  /** Of a contract's book, one more for every message. */
  const bookSequences = new Map<string, number>()

  const push = (apiKey: string, feed: string, message: object): void => {
    if (accounts.has(apiKey) && !faults.userEventsSuppressed) sockets.push(apiKey, feed, message)
  }
  const pushOrder = (order: Order, message: object): void => {
    for (const feed of [ORDERS, PLAIN_ORDERS]) push(order.account.apiKey, feed, message)
  }
  const purse = new MarginPurse(
    (apiKey) => accounts.get(apiKey),
    (symbol) => {
      const market = matching.market(symbol)
      return market.tape.last?.price ?? market.bids.best?.price ?? market.asks.best?.price ?? 0n
    },
    (symbol) => matching.markets.get(symbol)?.rules,
  )
  const matching: Matching = new Matching(
    {
      onLevel: ({ rules: { symbol } }, side, price, total) => {
        const seq = (bookSequences.get(symbol) ?? 0) + 1
        bookSequences.set(symbol, seq)
        if (!sockets.has("book", symbol)) return
        const change = {
          side: side === "bids" ? "buy" : "sell",
          price: Number(plain(price)),
          qty: Number(plain(total)),
        }
        const text = JSON.stringify({ feed: "book", product_id: symbol, seq, ...change, timestamp: now() })
        for (const frame of faults.onDiff(`${symbol.toLowerCase()}@depth@100ms`, text))
          sockets.publish("book", symbol, frame)
      },
      onTrade: ({ rules: { symbol } }, trade) => {
        const row = {
          ...{ feed: "trade", product_id: symbol, uid: tradeUid(symbol, trade), seq: trade.tradeId, type: "fill" },
          ...{ side: trade.isBuyerMaker ? "sell" : "buy", time: trade.tradedAt },
          ...{ qty: Number(plain(trade.quantity)), price: Number(plain(trade.price)) },
        }
        sockets.publish("trade", symbol, JSON.stringify(row))
      },
      onOrder: (order, execution, fill) => {
        const account = accounts.get(order.account.apiKey)
        if (account === undefined) return
        if (execution === "NEW") {
          // One that is new is told of when it stands in the book, and one that was changed has its words.
          if (core.placing !== undefined) setWords(order, core.placing)
          else changed(account, order)
        } else if (fill !== undefined) executed(account, order, fill)
        else ended(account, order, execution)
      },
      onBalances: ({ apiKey }) => {
        const account = accounts.get(apiKey)
        if (account !== undefined) push(apiKey, BALANCES, balancesRow(core, account, messages++))
      },
    },
    now,
    purse,
  )
  const isBeingPlaced = (order: Order): boolean => core.placing !== undefined && wordsOf(order) === core.placing
  const changed = (account: FuturesAccount, order: Order): void => {
    pushOrder(order, { order: feedRow(order), is_cancel: false, reason: "edited_by_user" })
    const row = historyRow(order, account)
    core.note(account, order.symbol, { OrderUpdated: { oldOrder: row, newOrder: row, reason: "edited_by_user" } })
  }
  const executed = (account: FuturesAccount, order: Order, fill: Fill): void => {
    const rows = [fillFeedRow(account, fill, messages++)]
    push(account.apiKey, FILLS, { username: account.accountUid, fills: rows })
    const isFull = !isOpen(order)
    if (isFull && wordsOf(order).reason !== "LIQUIDATION_ORDER") wordsOf(order).reason = "FULL_FILL"
    if (!isBeingPlaced(order)) {
      const reason = isFull ? "full_fill" : "partial_fill"
      pushOrder(order, { order: feedRow(order), is_cancel: isFull, reason })
      const row = historyRow(order, account)
      core.note(account, order.symbol, { OrderUpdated: { oldOrder: row, newOrder: row, reason } })
    }
    // Behind the match that is under way.
    queueMicrotask(() => endIdle(account, order.symbol))
  }
  const ended = (account: FuturesAccount, order: Order, execution: string): void => {
    const words = wordsOf(order)
    if (execution === "TRADE_PREVENTION") words.reason = "WOULD_EXECUTE_SELF_REASON"
    else if (execution === "EXPIRED" && order.timeInForce === "IOC") words.reason = "IOC_WOULD_NOT_EXECUTE_REASON"
    const reason = FEED_REASONS[words.reason] ?? "cancelled_by_admin"
    // An order that ends at once never was in the feed; its history follows its placement.
    if (isBeingPlaced(order)) return
    const { cliOrdId } = words
    const id = { order_id: orderIdOf(order.orderId), ...(cliOrdId !== null && { cli_ord_id: cliOrdId }) }
    pushOrder(order, { ...id, is_cancel: true, reason })
    core.note(account, order.symbol, { OrderCancelled: { order: historyRow(order, account), reason } })
  }
  /** Reduce-only orders end with what they would reduce. */
  const endIdle = (account: FuturesAccount, symbol: string): void => {
    const { amount } = positionOf(account, symbol)
    for (const order of [...account.orders.values()]) {
      const isIdle = order.side === "BUY" ? amount >= 0n : amount <= 0n
      if (!isOpen(order) || order.symbol !== symbol || order.isReduceOnly !== true || !isIdle) continue
      wordsOf(order).reason = "WOULD_NOT_REDUCE_POSITION"
      matching.expire(order)
    }
  }
  const core: Core = {
    matching,
    accounts,
    views: new Map(),
    placements: new Placements<number, string>(),
    faults,
    limits: new Limits(options.isLimited ?? true),
    purse,
    now,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    placing: undefined,
    placed: (account, order) => {
      const row = historyRow(order, account)
      core.note(account, order.symbol, { OrderPlaced: { order: row, reason: "new_user_order", reducedQuantity: "" } })
      if (isOpen(order)) {
        pushOrder(order, { order: feedRow(order), is_cancel: false, reason: "new_placed_order_by_user" })
        return
      }
      const reason = FEED_REASONS[wordsOf(order).reason] ?? "cancelled_by_admin"
      if (order.left > 0n) core.note(account, order.symbol, { OrderCancelled: { order: row, reason } })
    },
    stillborn: (account, order) => {
      const reason = "post_order_failed_because_it_would_filled"
      push(account.apiKey, ORDERS, { order: feedRow(order), is_cancel: true, reason })
      const row = historyRow(order, account)
      core.note(account, order.symbol, { OrderRejected: { order: row, orderError: "", reason: "post_would_execute" } })
    },
    nextStillbornId: () => stillborn++,
    note: (account, symbol, event) => {
      if (!faults.isHistoryHeld) account.events.push({ uid: eventUidOf(events++), at: now(), symbol, event })
    },
  }
  const sockets: Sockets = new Sockets(core, {
    ofProduct: (feed, symbol) => {
      if (feed !== "book") return undefined
      const { bids, asks } = core.views.get(symbol)?.depth(Number.POSITIVE_INFINITY) ?? { bids: [], asks: [] }
      const rows = (side: typeof bids) => side.map(([price, qty]) => ({ price: Number(price), qty: Number(qty) }))
      const seq = bookSequences.get(symbol) ?? 0
      const head = { feed: "book_snapshot", product_id: symbol, timestamp: now(), seq, tickSize: null }
      return { ...head, bids: rows(bids), asks: rows(asks) }
    },
    ofAccount: (feed, account) => {
      const open = [...account.orders.values()].filter(isOpen)
      const { accountUid } = account
      switch (feed) {
        case FILLS: {
          const fills = account.fills.slice(-SNAPSHOT_FILLS).map((fill) => fillFeedRow(account, fill, messages++))
          return { feed: "fills_snapshot", account: accountUid, fills }
        }
        case BALANCES:
          return { feed: "balances_snapshot", ...balancesRow(core, account, messages++) }
        case POSITIONS:
          return { feed, account: accountUid, positions: positionRows(core, account), seq: 0, timestamp: now() }
        default:
          return { feed: `${feed}_snapshot`, account: accountUid, orders: open.map(feedRow) }
      }
    },
  })
  const addUser = ({ apiKey, apiSecret, balances }: LoopbackUser) => {
    accounts.set(apiKey, {
      apiKey,
      apiSecret,
      accountNumber: accounts.size,
      accountUid: accountUidOf(accounts.size),
      balances: new Map(freeAmounts(balances)),
      orders: new Map(),
      byClientOrderId: new Map(),
      fills: [],
      positions: new Map(),
      leverage: new Map(),
      usedIds: new Set(),
      events: [],
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, contracts, core.views, now, options)

  const throwFault = (fault: KrakenFuturesFault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      pushUser: (apiKey, event) => sockets.pushRaw(apiKey, event),
      now,
    })
  const accountOf = (apiKey: string): FuturesAccount => {
    const account = accounts.get(apiKey)
    if (account === undefined) throw new Error("no such key")
    return account
  }
  const orders = (apiKey: string) => [...(accounts.get(apiKey)?.orders.values() ?? [])].map(orderView)
  const control = {
    placements: () => core.placements.list(),
    orders,
    counts: () => Object.fromEntries(counts),
    fault: throwFault,
  }
  const rest = new RestDoor(core)
  const { port, url, close } = await openDoors({
    port: options.port,
    control,
    faults: KRAKEN_FUTURES_FAULTS,
    rest,
    sockets,
  })

  const tick = (): void => {
    for (const view of core.views.values())
      if (sockets.has("ticker", view.rules.symbol) && view.tape.last !== undefined) {
        const { bidSize, askSize, vol24h, symbol, ...row } = tickerRow(view)
        const shown = { ...row, bid_size: bidSize, ask_size: askSize, volume: vol24h }
        sockets.publish("ticker", symbol, JSON.stringify({ feed: "ticker", time: now(), product_id: symbol, ...shown }))
      }
  }
  const timers = [setInterval(tick, TICK_MILLIS), ...moving(synthetic, options)]
  return {
    port,
    url,
    routes: krakenFuturesRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) => {
      const account = accounts.get(apiKey)
      return account === undefined ? [] : account.fills.map((fill) => fillRow(account, fill))
    },
    position: (apiKey, symbol) => positionRow(core, accountOf(apiKey), symbol),
    moveWallet: (apiKey, asset, change) => {
      const account = accountOf(apiKey)
      balanceOf(account, asset).free += change.startsWith("-") ? -toFixed8(change.slice(1)) : toFixed8(change)
      push(apiKey, BALANCES, balancesRow(core, account, messages++))
    },
    liquidate: (apiKey, symbol) => {
      const account = accountOf(apiKey)
      const { amount } = positionOf(account, symbol)
      core.placing = { type: "mkt", cliOrdId: null, reason: "LIQUIDATION_ORDER" }
      try {
        const plan = { quoteOrderQuantity: undefined, price: undefined, stopPrice: undefined, clientOrderId: undefined }
        const terms = { type: "MARKET", timeInForce: "GTC", isReduceOnly: true } as const
        const side = amount > 0n ? "SELL" : "BUY"
        const order = matching.place(account, { symbol, side, quantity: sizeOf(amount), ...terms, ...plan })
        core.placed(account, order)
      } finally {
        core.placing = undefined
      }
    },
    levels: (symbol, side) => matching.market(symbol)[side].levels.map(({ price }) => ({ price: plain(price) })),
    counts: () => Object.fromEntries(counts),
    refusedCalls: () => core.limits.refused,
    socketCount: (kind) => sockets.count(kind),
    ...byHand(matching),
    cancelAll: (apiKey) => {
      for (const order of accounts.get(apiKey)?.orders.values() ?? [])
        if (isOpen(order)) {
          wordsOf(order).reason = "CANCELLED_BY_USER"
          matching.cancel(order, order.symbol)
        }
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      sockets.stop()
      await close()
    },
  }
}
