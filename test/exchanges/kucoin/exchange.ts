/**
 * A loopback exchange that speaks KuCoin's spot API of classic accounts (`hf`): REST and the WebSocket on one port, real matching behind (the Binance
 * exchange's engine). Unmodified ccxt.pro works against it once its connections are routed here (`routes`). What no recording confirms of it is
 * listed in docs/design/venues.md.
 */
import { multiply } from "../binance/fixed.ts"
import { Matching } from "../binance/matching.ts"
import { type Fill, isOpen, type Order, type SymbolRules } from "../binance/model.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions } from "../loopback.ts"
import { plain } from "../plain-numbers.ts"
import { ShownBooks, type ShownMessage } from "../shown-books.ts"
import { byHand, clockOf, freeAmounts, openMarkets } from "../traded-markets.ts"
import type { Core } from "./core.ts"
import { applyFault, KUCOIN_FAULTS, type KucoinFault, KucoinFaults } from "./faults.ts"
import { fees } from "./fees.ts"
import { kucoinRoutes } from "./hosts.ts"
import { Limits, type Quotas, VIP0 } from "./limits.ts"
import { type KucoinAccount, type KucoinUser, setWords, tradeIdOf } from "./model.ts"
import { tickerRow } from "./public-api.ts"
import { RestDoor } from "./rest.ts"
import { BALANCES, ORDERS_V1, ORDERS_V2, type SocketKind, Sockets } from "./sockets.ts"
import { KUCOIN_SYMBOLS } from "./symbols.ts"
import { accountRow, balanceEvent, fillRow, orderEvent, orderRow } from "./wire-private.ts"

export interface KucoinExchangeOptions extends LoopbackOptions<KucoinUser> {
  readonly symbols?: ReadonlyArray<SymbolRules>
  /** What 30 s may weigh; null: no limit bites. Default VIP0's. */
  readonly quotas?: Quotas | null
}

export interface KucoinExchange
  extends LoopbackExchange<KucoinUser, KucoinFault, Placement<number, string>, SocketKind> {
  /** All orders of a user, as the lists show them, oldest first. */
  /** Oldest first; `newest`: no more than so many, the newest of them. */
  readonly orders: (apiKey: string, newest?: number) => ReadonlyArray<ReturnType<typeof orderRow>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof fillRow>>
  readonly balances: (apiKey: string) => ReadonlyArray<ReturnType<typeof accountRow>>
  /** Requests above a limit of the venue. */
  readonly refusedCalls: () => number
  /** Everything that a user has working, by the user's own hand elsewhere. */
  readonly cancelAll: (apiKey: string) => void
}

const BOOK_MILLIS = 20
const TICK_MILLIS = 1000
/** More than a reader is seeded with. */
const BOOK_LEVELS = 500
const FIRST_STILLBORN_ID = 0x70_00_00_00
const FIRST_ACCOUNT = 165_100_000

/** Resolves when the port listens. */
export const startKucoinExchange = async (options: KucoinExchangeOptions = {}): Promise<KucoinExchange> => {
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const faults = new KucoinFaults()
  const accounts = new Map<string, KucoinAccount>()
  let stillborn = FIRST_STILLBORN_ID

  const tell: Core["tell"] = (order, type, fill) => {
    const { apiKey } = order.account
    if (!accounts.has(apiKey) || faults.userEventsSuppressed) return
    const event = orderEvent(order, type, now(), fill)
    sockets.push(apiKey, ORDERS_V2, "orderChange", event)
    if (type !== "received") sockets.push(apiKey, ORDERS_V1, "orderChange", event)
  }
  const matching = new Matching(
    {
      onLevel: ({ rules }) => books.onLevel(rules.symbol),
      onTrade: ({ rules: { symbol } }, trade) => {
        const row = { symbol, sequence: tradeIdOf(trade), side: trade.isBuyerMaker ? "sell" : "buy", type: "match" }
        const traded = { size: plain(trade.quantity), price: plain(trade.price), tradeId: tradeIdOf(trade) }
        const time = `${trade.tradedAt}000000`
        sockets.publish(`/market/match:${symbol}`, "trade.l3match", { ...row, ...traded, time })
      },
      onOrder: (order, execution, fill) => {
        if (execution === "NEW") {
          if (core.placing !== undefined) setWords(order, core.placing)
          fees.hold(order, fees.needed(order.side, costOf(order)))
          tell(order, "received")
          return
        }
        if (fill === undefined) {
          fees.release(order, 0n)
          tell(order, "canceled")
          return
        }
        fees.charge(order, fill)
        core.heldFills?.add(fill)
        if (!isOpen(order)) fees.release(order, 0n)
        tell(order, "match", fill)
        if (!isOpen(order)) tell(order, "filled")
      },
      onBalances: ({ apiKey }, assets) => {
        const account = accounts.get(apiKey)
        if (account === undefined || faults.userEventsSuppressed) return
        for (const asset of assets)
          sockets.push(apiKey, BALANCES, "account.balance", balanceEvent(account, asset, now()))
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
    limits: new Limits(options.quotas === undefined ? VIP0 : options.quotas),
    now,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    placing: undefined,
    nextStillbornId: () => stillborn++,
    tell,
    heldCancels: new Set(),
    heldFills: null,
    tokens: new Map(),
    shownBook: (symbol) => books.book(symbol),
  }
  const sockets = new Sockets(core)
  const books: ShownBooks = new ShownBooks({
    markets: matching.markets,
    levels: BOOK_LEVELS,
    faults,
    isHeld: () => false,
    publish: (symbol, text) => sockets.publish(`/market/level2:${symbol}`, "trade.l2update", JSON.parse(text)),
    write: (message) => JSON.stringify(bookChange(message, now())),
  })
  const addUser = ({ kind = "HIGH_FREQUENCY", paysInKcs = false, balances, ...keys }: KucoinUser) => {
    accounts.set(keys.apiKey, {
      ...keys,
      kind,
      paysInKcs,
      accountNumber: FIRST_ACCOUNT + accounts.size,
      balances: new Map(freeAmounts(balances)),
      orders: new Map(),
      byClientOrderId: new Map(),
      fills: [],
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, options.symbols ?? KUCOIN_SYMBOLS, core.views, now, options)

  const throwFault = (fault: KucoinFault) =>
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
      holdFills: (isOn) => {
        core.heldFills = isOn ? new Set<Fill>() : null
      },
    })
  const orders = (apiKey: string, newest = Number.POSITIVE_INFINITY) =>
    [...(accounts.get(apiKey)?.orders.values() ?? [])].slice(-newest).map(orderRow)
  const control = {
    placements: () => core.placements.list(),
    orders,
    counts: () => Object.fromEntries(counts),
    fault: throwFault,
  }
  const rest = new RestDoor(core)
  const { port, url, close } = await openDoors({ port: options.port, control, faults: KUCOIN_FAULTS, rest, sockets })

  const tick = (): void => {
    for (const symbol of sockets.listened("/market/snapshot")) {
      const view = core.views.get(symbol)
      if (view?.tape.last === undefined) continue
      const { time, ...row } = tickerRow(view)
      const data = { ...row, datetime: time, lastTradedPrice: row.last, trading: true }
      sockets.publish(`/market/snapshot:${symbol}`, "trade.snapshot", { sequence: String(time), data })
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
    routes: kucoinRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) => {
      const account = accounts.get(apiKey)
      return (account?.fills ?? []).flatMap((fill, nth) => {
        const order = account?.orders.get(fill.orderId)
        return order === undefined ? [] : [fillRow(order, fill, BigInt(nth))]
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
      const working = [...(accounts.get(apiKey)?.orders.values() ?? [])].filter(isOpen)
      for (const order of working) matching.cancel(order, order.symbol)
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

/** Changes of a book are numbered without a hole; each level says of which change it is. */
const bookChange = ({ symbol, bids, asks, previous, sequence }: ShownMessage, time: number) => {
  const rows = (side: typeof bids) => side.map(({ price, size }) => [price, size, String(sequence)])
  return {
    changes: { asks: rows(asks), bids: rows(bids) },
    sequenceStart: previous + 1,
    sequenceEnd: sequence,
    symbol,
    time,
  }
}
