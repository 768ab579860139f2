/**
 * A loopback exchange that speaks Deribit: JSON-RPC 2.0 v2 over HTTP and a WebSocket on one port, real matching behind (the Binance exchange's engine)
 * and an account of USDC with one position a linear perpetual. Unmodified ccxt.pro works against it once its connections are routed here (`routes`).
 * What no recording confirms of it is listed in docs/design/venues.md.
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
import { DERIBIT_CONTRACTS, SETTLEMENT } from "./contracts.ts"
import type { Core } from "./core.ts"
import { applyFault, DERIBIT_FAULTS, type DeribitFault, DeribitFaults } from "./faults.ts"
import { deribitRoutes } from "./hosts.ts"
import { Limits } from "./limits.ts"
import { type DeribitAccount, setWords, wordsOf } from "./model.ts"
import { readOrder } from "./order-request.ts"
import { levelsOf, publicTradeRow, tickerRow } from "./public-methods.ts"
import { RestDoor } from "./rest.ts"
import { Signatures } from "./signature.ts"
import { ORDERS, portfolioOf, type SocketKind, Sockets, TRADES } from "./sockets.ts"
import { number, orderRow, orderView, positionRow, summaryRow, tradeRow } from "./wire.ts"

export interface DeribitUser extends LoopbackUser {
  readonly isCrossCollateral?: boolean
}

export interface DeribitOptions extends LoopbackOptions<DeribitUser> {
  readonly contracts?: ReadonlyArray<SymbolRules>
  /** False: no limit bites. Default true. */
  readonly isLimited?: boolean
  /** How long a login of a socket is good; default a year, as recorded. */
  readonly tokenSeconds?: number
}

export interface DeribitExchange
  extends LoopbackExchange<DeribitUser, DeribitFault, Placement<number, number>, SocketKind> {
  /** All orders of a user, oldest first. */
  readonly orders: (apiKey: string) => ReadonlyArray<ReturnType<typeof orderView>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof tradeRow>>
  /** As private/get_positions shows it. */
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
  /** So many orders that the user has placed and cancelled elsewhere. */
  readonly cancelledElsewhere: (apiKey: string, symbol: string, count: number) => void
}

const TICK_MILLIS = 1000
const YEAR_SECONDS = 31_536_000
const FIRST_USER = 96_103

/** Resolves when the port listens. */
export const startDeribitExchange = async (options: DeribitOptions = {}): Promise<DeribitExchange> => {
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const faults = new DeribitFaults()
  const accounts = new Map<string, DeribitAccount>()
  const contracts = options.contracts ?? DERIBIT_CONTRACTS
  const placeOf = new Map(contracts.map(({ symbol }, index) => [symbol, index + 1]))
  /** Of a contract's book, one more for every message. */
  const changeIds = new Map<string, number>()

  const push = (apiKey: string, channel: string, data: unknown): void => {
    if (accounts.has(apiKey) && !faults.userEventsSuppressed) sockets.push(apiKey, channel, data)
  }
  const pushOrder = (order: Order): void => push(order.account.apiKey, ORDERS, orderRow(order))
  const pushPortfolio = (account: DeribitAccount, currency: string): void => {
    for (const name of ["any", currency]) push(account.apiKey, portfolioOf(name), summaryRow(core, account, currency))
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
        const before = changeIds.get(symbol) ?? 0
        changeIds.set(symbol, before + 1)
        const channel = `book.${symbol}.100ms`
        if (!sockets.has(channel)) return
        const row = [total === 0n ? "delete" : "change", number(price), number(total)]
        const data = {
          ...{
            type: "change",
            timestamp: now(),
            instrument_name: symbol,
            change_id: before + 1,
            prev_change_id: before,
          },
          bids: side === "bids" ? [row] : [],
          asks: side === "asks" ? [row] : [],
        }
        for (const text of faults.onDiff(`${symbol.toLowerCase()}@depth@100ms`, JSON.stringify(data)))
          sockets.publish(channel, JSON.parse(text))
      },
      onTrade: ({ rules: { symbol } }, trade) =>
        sockets.publish(`trades.${symbol}.100ms`, [publicTradeRow(core, symbol, trade)]),
      onOrder: (order, execution, fill) => {
        const account = accounts.get(order.account.apiKey)
        if (account === undefined) return
        // One that is new is told of when it was matched, and one that was changed has its words.
        if (execution === "NEW" && core.placing !== undefined) setWords(order, core.placing)
        else if (fill !== undefined) executed(account, order, fill)
        else if (!isBeingPlaced(order)) pushOrder(order)
      },
      onBalances: ({ apiKey }) => {
        const account = accounts.get(apiKey)
        if (account !== undefined) pushPortfolio(account, SETTLEMENT)
      },
    },
    now,
    purse,
  )
  const isBeingPlaced = (order: Order): boolean => core.placing !== undefined && wordsOf(order) === core.placing
  const executed = (account: DeribitAccount, order: Order, fill: Fill): void => {
    push(account.apiKey, TRADES, [tradeRow(core, account, fill)])
    if (!isBeingPlaced(order)) pushOrder(order)
    // Behind the match that is under way.
    queueMicrotask(() => endIdle(account, order.symbol))
  }
  /** Reduce-only orders end with what they would reduce. */
  const endIdle = (account: DeribitAccount, symbol: string): void => {
    const { amount } = positionOf(account, symbol)
    for (const order of [...account.orders.values()]) {
      const isIdle = order.side === "BUY" ? amount >= 0n : amount <= 0n
      if (isOpen(order) && order.symbol === symbol && order.isReduceOnly === true && isIdle) matching.expire(order)
    }
  }
  const core: Core = {
    matching,
    accounts,
    views: new Map(),
    placements: new Placements<number, number>(),
    faults,
    limits: new Limits(options.isLimited ?? true),
    purse,
    now,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    placeOf: (symbol) => placeOf.get(symbol) ?? 0,
    placing: undefined,
    placed: pushOrder,
    told: ({ apiKey }, row) => push(apiKey, ORDERS, row),
  }
  const signatures = new Signatures(accounts, now)
  const sockets: Sockets = new Sockets(core, signatures, {
    tokenSeconds: options.tokenSeconds ?? YEAR_SECONDS,
    first: (channel, symbol) => {
      const view = core.views.get(symbol)
      if (channel !== "book" || view === undefined) return undefined
      const { bids, asks } = levelsOf(view)
      const rows = (side: typeof bids) => side.map((level) => ["new", ...level])
      const head = {
        type: "snapshot",
        timestamp: now(),
        instrument_name: symbol,
        change_id: changeIds.get(symbol) ?? 0,
      }
      return { ...head, bids: rows(bids), asks: rows(asks) }
    },
  })
  const addUser = ({ apiKey, apiSecret, balances, isCrossCollateral = false }: DeribitUser) => {
    accounts.set(apiKey, {
      apiKey,
      apiSecret,
      accountNumber: accounts.size,
      userId: FIRST_USER + accounts.size,
      balances: new Map(freeAmounts(balances)),
      orders: new Map(),
      byClientOrderId: new Map(),
      fills: [],
      positions: new Map(),
      leverage: new Map(),
      triggers: new Map(),
      isCrossCollateral,
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, contracts, core.views, now, options)

  const throwFault = (fault: DeribitFault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      pushUser: (apiKey, event) => sockets.pushRaw(apiKey, event),
      now,
      testRequest: () => sockets.testRequest(),
    })
  const accountOf = (apiKey: string): DeribitAccount => {
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
  const rest = new RestDoor(core, signatures)
  const { port, url, close } = await openDoors({ port: options.port, control, faults: DERIBIT_FAULTS, rest, sockets })

  const tick = (): void => {
    for (const view of core.views.values()) sockets.publish(`ticker.${view.rules.symbol}.100ms`, tickerRow(view))
  }
  const timers = [setInterval(tick, TICK_MILLIS), ...moving(synthetic, options)]
  return {
    port,
    url,
    routes: deribitRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) => {
      const account = accounts.get(apiKey)
      return account === undefined ? [] : account.fills.map((fill) => tradeRow(core, account, fill))
    },
    position: (apiKey, symbol) => positionRow(core, accountOf(apiKey), symbol),
    moveWallet: (apiKey, asset, change) => {
      const account = accountOf(apiKey)
      balanceOf(account, asset).free += change.startsWith("-") ? -toFixed8(change.slice(1)) : toFixed8(change)
      pushPortfolio(account, asset)
    },
    liquidate: (apiKey, symbol) => {
      const account = accountOf(apiKey)
      const { amount } = positionOf(account, symbol)
      const plan = { quoteOrderQuantity: undefined, price: undefined, stopPrice: undefined, clientOrderId: undefined }
      const terms = { type: "MARKET", timeInForce: "GTC", isReduceOnly: true } as const
      const side = amount > 0n ? "SELL" : "BUY"
      matching.place(account, { symbol, side, quantity: sizeOf(amount), ...terms, ...plan })
    },
    levels: (symbol, side) => matching.market(symbol)[side].levels.map(({ price }) => ({ price: plain(price) })),
    counts: () => Object.fromEntries(counts),
    refusedCalls: () => core.limits.refused,
    socketCount: (kind) => sockets.count(kind),
    ...byHand(matching),
    cancelAll: (apiKey) => {
      for (const order of accounts.get(apiKey)?.orders.values() ?? [])
        if (isOpen(order)) {
          wordsOf(order).cancelReason = "user_request"
          matching.cancel(order, order.symbol)
        }
    },
    cancelledElsewhere: (apiKey, symbol, count) => {
      const market = matching.market(symbol)
      const of = { instrument_name: symbol, amount: market.rules.stepSize, price: market.rules.startPrice }
      for (let i = 0; i < count; i++) {
        const { request, words } = readOrder(market, "BUY", of)
        core.placing = words
        const order = matching.place(accountOf(apiKey), request)
        core.placing = undefined
        words.cancelReason = "user_request"
        matching.cancel(order, symbol)
      }
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      sockets.stop()
      await close()
    },
  }
}
