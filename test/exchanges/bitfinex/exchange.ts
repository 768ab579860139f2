/**
 * A loopback exchange that speaks Bitfinex's API (v2), of which the exchange wallet trades: REST and the WebSocket on one port, real matching behind (the Binance
 * exchange's engine). Unmodified ccxt.pro works against it once its connections are routed here (`routes`). What no recording confirms of it is listed in
 * docs/design/venues.md.
 */
import { toFixed8 } from "../binance/fixed.ts"
import { Matching } from "../binance/matching.ts"
import { balanceOf, isOpen, type Order, type SymbolRules } from "../binance/model.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions } from "../loopback.ts"
import { plain } from "../plain-numbers.ts"
import { ShownBooks, type ShownLevel, type ShownMessage } from "../shown-books.ts"
import { byHand, clockOf, openMarkets } from "../traded-markets.ts"
import type { Core } from "./core.ts"
import { applyFault, BITFINEX_FAULTS, type BitfinexFault, BitfinexFaults } from "./faults.ts"
import { charge, paidFor } from "./fees.ts"
import { bitfinexRoutes } from "./hosts.ts"
import { Limits, PER_MINUTE, type Quota } from "./limits.ts"
import { type BitfinexAccount, type BitfinexUser, orderIdOf, setWords, tradeIdOf, wordsOf } from "./model.ts"
import { Bare, written } from "./numbers.ts"
import { publicTradeRow, tickerRow } from "./public-api.ts"
import { RestDoor } from "./rest.ts"
import { type SocketKind, Sockets } from "./sockets.ts"
import { BITFINEX_SYMBOLS, currencyOf } from "./symbols.ts"
import { notification, orderRow, statusOf, tradeRow, walletRow } from "./wire-private.ts"

export interface BitfinexExchangeOptions extends LoopbackOptions<BitfinexUser> {
  readonly symbols?: ReadonlyArray<SymbolRules>
  /** Of each endpoint; null: nothing is counted. */
  readonly quota?: Quota | null
  /** Default UPDATE. */
  readonly historyBy?: Core["historyBy"]
}

/** What a test wants to know of an order. */
export interface OrderThere {
  readonly id: string
  readonly cid: string
  readonly status: string
  readonly isOpen: boolean
  readonly kind: string
  readonly flags: number
  readonly amount: string
  readonly price: string
  readonly executed: string
  readonly cost: string
}

export interface BitfinexExchange extends LoopbackExchange<BitfinexUser, BitfinexFault, Placement, SocketKind> {
  /** All orders of a user, oldest first. */
  readonly orders: (apiKey: string) => ReadonlyArray<OrderThere>
  readonly fills: (
    apiKey: string,
  ) => ReadonlyArray<{ readonly id: string; readonly fee: string; readonly asset: string }>
  /** Requests above a limit of the venue. */
  readonly refusedCalls: () => number
  /** Everything that a user has working, by the user's own hand elsewhere. */
  readonly cancelAll: (apiKey: string) => void
  /** As the venue's lists and its stream write it. */
  readonly row: (apiKey: string, id: string) => ReadonlyArray<unknown>
}

const BOOK_MILLIS = 20
const TICK_MILLIS = 1000
const BOOK_LEVELS = 25
const FIRST_STILLBORN_ID = 0x70_00_00_00
const FIRST_ACCOUNT = 3_159_883

const there = (order: Order): OrderThere => {
  const { cid, kind, flags } = wordsOf(order)
  return {
    id: String(orderIdOf(order.orderId)),
    cid: String(cid),
    status: statusOf(order),
    isOpen: isOpen(order),
    kind,
    flags,
    amount: plain(order.quantity),
    price: plain(order.price),
    executed: plain(order.quantity - order.left),
    cost: plain(order.cost),
  }
}

/** Resolves when the port listens. */
export const startBitfinexExchange = async (options: BitfinexExchangeOptions = {}): Promise<BitfinexExchange> => {
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const faults = new BitfinexFaults()
  const accounts = new Map<string, BitfinexAccount>()
  /** What each wallet was told to hold, by key and asset. */
  const told = new Map<string, bigint>()
  let stillborn = FIRST_STILLBORN_ID

  const push = (apiKey: string, type: string, data: unknown): void => {
    if (accounts.has(apiKey) && !faults.userEventsSuppressed) sockets.push(apiKey, type, data)
  }
  const tell: Core["tell"] = (order, event) => {
    push(order.account.apiKey, event, orderRow(order))
  }
  const notify: Core["notify"] = (order, event) => {
    push(order.account.apiKey, "n", notification(now(), event, orderRow(order, event === "on-req"), "Submitting."))
  }
  /** A wallet is told of when its balance has changed; what is available has to be calculated first. */
  const tellWallets = (account: BitfinexAccount, assets: ReadonlyArray<string>): void => {
    for (const asset of account.pays === "LEO" ? [...assets, "LEO"] : assets) {
      const { free, locked } = balanceOf(account, asset)
      const key = `${account.apiKey} ${asset}`
      if (told.get(key) === free + locked) continue
      told.set(key, free + locked)
      push(account.apiKey, "wu", walletRow(account, asset, false))
    }
  }
  const matching = new Matching(
    {
      onLevel: ({ rules }) => books.onLevel(rules.symbol),
      onTrade: ({ rules: { symbol } }, trade) => {
        const row = publicTradeRow(symbol, trade)
        for (const type of ["te", "tu"]) sockets.publish(`trades:${symbol}`, type, row)
      },
      onOrder: (order, execution, fill) => {
        const { apiKey } = order.account
        if (execution === "NEW") {
          // One that is new is told of when it stands in the book, and one that was changed has its words.
          if (core.placing !== undefined) {
            setWords(order, core.placing)
            notify(order, "on-req")
          } else tell(order, "ou")
          return
        }
        if (fill === undefined) {
          tell(order, "oc")
          return
        }
        charge(order, fill)
        push(apiKey, "te", tradeRow(order, fill, false))
        if (!isOpen(order)) tell(order, "oc")
        else if (wordsOf(order).isTold) tell(order, "ou")
        // With its fee it comes last of all.
        push(apiKey, "tu", tradeRow(order, fill))
      },
      onBalances: ({ apiKey }, assets) => {
        const account = accounts.get(apiKey)
        if (account !== undefined) tellWallets(account, assets)
      },
    },
    now,
  )
  const core: Core = {
    matching,
    accounts,
    views: new Map(),
    placements: new Placements<number, number>(),
    faults,
    limits: new Limits(options.quota === undefined ? PER_MINUTE : options.quota),
    historyBy: options.historyBy ?? "UPDATE",
    now,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    placing: undefined,
    nextStillbornId: () => stillborn++,
    heldCancels: new Set(),
    tell,
    notify,
    shownBook: (symbol) => books.book(symbol),
  }
  const sockets: Sockets = new Sockets(core, (topic) => {
    const [channel, ...rest] = topic.split(":")
    const symbol = rest.join(":")
    if (channel === "trades")
      return [...(core.views.get(symbol)?.tape.trades ?? [])]
        .slice(-30)
        .reverse()
        .map((trade) => publicTradeRow(symbol, trade))
    const view = core.views.get(symbol)
    if (channel === "ticker") return view?.tape.last === undefined ? undefined : tickerRow(view)
    const snapshot = books.snapshot(symbol)
    return snapshot === undefined ? undefined : new Bare(snapshot)
  })
  const books: ShownBooks = new ShownBooks({
    markets: matching.markets,
    levels: BOOK_LEVELS,
    faults,
    isHeld: () => false,
    publish: (symbol, text) => {
      for (const row of text.split("\n")) sockets.publish(`book:${symbol}`, new Bare(row))
    },
    write: bookRows,
  })
  const addUser = ({ fees, mayNotRead = [], balances, ...keys }: BitfinexUser) => {
    const amounts = Object.entries(balances).map(
      ([asset, free]) => [currencyOf(asset), { free: toFixed8(free), locked: 0n }] as const,
    )
    for (const [asset, { free }] of amounts) told.set(`${keys.apiKey} ${asset}`, free)
    accounts.set(keys.apiKey, {
      ...keys,
      pays: fees,
      mayNotRead,
      lastNonce: 0,
      accountNumber: FIRST_ACCOUNT + accounts.size,
      balances: new Map(amounts),
      orders: new Map(),
      byClientOrderId: new Map(),
      fills: [],
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, options.symbols ?? BITFINEX_SYMBOLS, core.views, now, options)

  const throwFault = (fault: BitfinexFault) =>
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
      inform: (code, text) => sockets.inform(code, text),
    })
  const ordersOf = (apiKey: string): ReadonlyArray<Order> => [...(accounts.get(apiKey)?.orders.values() ?? [])]
  const orders = (apiKey: string) => ordersOf(apiKey).map(there)
  const control = {
    placements: () => core.placements.list(),
    orders,
    counts: () => Object.fromEntries(counts),
    fault: throwFault,
  }
  const rest = new RestDoor(core)
  const { port, url, close } = await openDoors({ port: options.port, control, faults: BITFINEX_FAULTS, rest, sockets })

  const tick = (): void => {
    for (const [symbol, view] of core.views)
      if (view.tape.last !== undefined && sockets.isListened(`ticker:${symbol}`))
        sockets.publish(`ticker:${symbol}`, tickerRow(view))
  }
  const timers = [
    setInterval(() => books.flush(), BOOK_MILLIS),
    setInterval(tick, TICK_MILLIS),
    ...moving(synthetic, options),
  ]
  return {
    port,
    url,
    routes: bitfinexRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) =>
      (accounts.get(apiKey)?.fills ?? []).map((fill) => {
        const { asset, amount } = paidFor(fill)
        return { id: String(tradeIdOf(fill.symbol, fill.tradeId)), fee: plain(amount), asset }
      }),
    counts: () => Object.fromEntries(counts),
    refusedCalls: () => core.limits.refused,
    socketCount: (kind) => sockets.count(kind),
    ...byHand(matching),
    cancelAll: (apiKey) => {
      for (const order of ordersOf(apiKey)) if (isOpen(order)) matching.cancel(order, order.symbol)
    },
    row: (apiKey, id) => {
      const order = ordersOf(apiKey).find((it) => String(orderIdOf(it.orderId)) === id)
      if (order === undefined) throw new Error(`no order ${id}`)
      return JSON.parse(written(orderRow(order)))
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      sockets.stop()
      await close()
    },
  }
}

/** [price, count, amount]; a count of zero deletes. The snapshot is one list, each change a row of its own. */
const bookRows = ({ kind, bids, asks }: ShownMessage): string => {
  const row = (sign: string, { price, size, orders }: ShownLevel): string =>
    size === "0" ? `[${price},0,${sign}1]` : `[${price},${orders},${sign}${size}]`
  const all = [...bids.map((level) => row("", level)), ...asks.map((level) => row("-", level))]
  return kind === "snapshot" ? `[${all.join(",")}]` : all.join("\n")
}
