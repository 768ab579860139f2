/**
 * A loopback exchange that speaks Binance USDⓈ-M futures: REST, market streams and listen keys on one port, real matching behind (the Binance spot
 * exchange's engine) and a margin account of one position a symbol. Unmodified ccxt.pro works against it once its connections are routed here
 * (`routes`). What no recording confirms of it is listed in docs/design/venues.md.
 */
import type { WebSocket } from "ws"
import { Faults } from "../binance/faults.ts"
import { toFixed8 } from "../binance/fixed.ts"
import type { MarketView } from "../binance/market.ts"
import { Matching } from "../binance/matching.ts"
import { balanceOf, type ExecutionType, isOpen, type Order, type SymbolRules } from "../binance/model.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { DiffStreams } from "../binance/wire/diff-streams.ts"
import { Sockets } from "../binance/wire/sockets.ts"
import { StreamHub } from "../binance/wire/stream-hub.ts"
import { TimedStreams } from "../binance/wire/timed-streams.ts"
import { aggregateEvent, bookTickerEvent, tradeEvent } from "../binance/wire/wire-public.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions, LoopbackUser } from "../loopback.ts"
import { plain } from "../plain-numbers.ts"
import { byHand, clockOf, openMarkets } from "../traded-markets.ts"
import { USDM_CONTRACTS } from "./contracts.ts"
import type { Core } from "./core.ts"
import { applyFault, USDM_FAULTS, type UsdmFault } from "./faults.ts"
import { usdmRoutes } from "./hosts.ts"
import { Limits } from "./limits.ts"
import { listenKeyRoutes } from "./listen-keys.ts"
import { MarginPurse } from "./margin.ts"
import { positionOf, sizeOf, type UsdmAccount } from "./model.ts"
import { RestDoor } from "./rest.ts"
import { accountEvent, accountJson, fillJson, orderEvent, orderJson, positionJson } from "./wire-private.ts"
import { expiryOf, NOTHING_TO_REDUCE, setWords, wordsOf } from "./words.ts"

export type UsdmUser = LoopbackUser

export interface UsdmExchangeOptions extends LoopbackOptions<UsdmUser> {
  readonly contracts?: ReadonlyArray<SymbolRules>
  /** False: no limit bites. Default true. */
  readonly isLimited?: boolean
}

export interface UsdmExchange extends LoopbackExchange<UsdmUser, UsdmFault, Placement, "market" | "user"> {
  /** All orders of a user, as GET order shows them, oldest first. */
  readonly orders: (apiKey: string) => ReadonlyArray<ReturnType<typeof orderJson>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof fillJson>>
  /** As GET account shows its assets. */
  readonly balances: (apiKey: string) => ReturnType<typeof accountJson>["assets"]
  /** As GET positionRisk shows it, also of nothing. */
  readonly position: (apiKey: string, symbol: string) => ReturnType<typeof positionJson> | undefined
  /** Long and short of one symbol are two positions from now on. */
  readonly setDualSide: (apiKey: string, on: boolean) => void
  /** What is in the wallet changes without an order, as by a transfer or a funding fee. */
  readonly moveWallet: (apiKey: string, asset: string, change: string, reason: string) => void
  /** The venue closes a position at the market, for want of margin. */
  readonly liquidate: (apiKey: string, symbol: string) => void
  /** Best first. */
  readonly levels: (symbol: string, side: "bids" | "asks") => ReadonlyArray<{ readonly price: string }>
  /** Requests above a limit of the venue. */
  readonly refusedCalls: () => number
  /** Everything that a user has working, by the user's own hand elsewhere. */
  readonly cancelAll: (apiKey: string) => void
}

const DIFF_MILLIS = 100
const SLOW_DIFF_MILLIS = 1000
/** How the client order ids of its orders begin. */
const LIQUIDATION = "autoclose-"
const FIRST_ACCOUNT = 71_530_000

/** `/private/ws?listenKey=…`, and `/public/ws/…` and `/market/ws/…` of market data. */
const kindOf = (path: string): "market" | "user" | undefined => {
  if (path.startsWith("/private/ws")) return "user"
  return /^\/(public|market)\/(ws|stream)(\/|$)/.test(path) ? "market" : undefined
}

/** Resolves when the port listens. */
export const startUsdmExchange = async (options: UsdmExchangeOptions = {}): Promise<UsdmExchange> => {
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const faults = new Faults()
  const accounts = new Map<string, UsdmAccount>()
  const views = new Map<string, MarketView>()
  /** By the key that they were dialled with. */
  const listeners = new Map<WebSocket, string>()
  const contracts = options.contracts ?? USDM_CONTRACTS
  const hub = new StreamHub({ inboundMessagesPerSecond: 10, count, onSubscribe: () => undefined })
  const diffs = new DiffStreams(hub, faults, views, now, true)

  const sendTo = (listenKey: string | undefined, event: object) => {
    const text = JSON.stringify(event)
    for (const [socket, key] of listeners) if (key === listenKey && socket.readyState === socket.OPEN) socket.send(text)
  }
  const pushUser = (apiKey: string, event: object) => sendTo(accounts.get(apiKey)?.listenKey?.key, event)
  const push = (apiKey: string, event: object) => {
    if (!faults.userEventsSuppressed) pushUser(apiKey, event)
  }
  const publish = (stream: string, event: () => unknown) => {
    if (!hub.has(stream)) return
    const shown = event()
    if (shown !== undefined) hub.publish(stream, JSON.stringify(shown))
  }
  const markOf = (symbol: string): bigint => {
    const market = matching.market(symbol)
    return market.tape.last?.price ?? market.bids.best?.price ?? market.asks.best?.price ?? 0n
  }
  const purse = new MarginPurse(
    (apiKey) => accounts.get(apiKey),
    markOf,
    (symbol) => matching.markets.get(symbol)?.rules,
  )
  /** Orders that were announced once: the next NEW of one is a change. */
  const announced = new Set<number>()
  const told = (order: Order, execution: ExecutionType): ExecutionType | "AMENDMENT" | "CALCULATED" => {
    if (execution === "TRADE" && order.clientOrderId.startsWith(LIQUIDATION)) return "CALCULATED"
    if (execution !== "NEW") return execution
    if (announced.has(order.orderId)) return "AMENDMENT"
    announced.add(order.orderId)
    return "NEW"
  }
  const matching: Matching = new Matching(
    {
      onLevel: (market, side, price, total) => {
        diffs.onLevel(market, side, price, total)
        const view = views.get(market.rules.symbol)
        if (view !== undefined) publish(`${market.rules.symbol.toLowerCase()}@bookTicker`, () => bookTickerEvent(view))
      },
      onTrade: ({ rules: { symbol } }, trade) => {
        publish(`${symbol.toLowerCase()}@trade`, () => tradeEvent(symbol, trade, now()))
        publish(`${symbol.toLowerCase()}@aggTrade`, () => aggregateEvent(symbol, trade, now()))
      },
      onOrder: (order, execution, fill) => {
        if (execution === "NEW" && core.placing !== undefined) setWords(order, core.placing)
        const words = wordsOf(order)
        if (!isOpen(order) && words.expiry === 0) words.expiry = expiryOf(order, words)
        const { apiKey } = order.account
        push(apiKey, orderEvent(core, order, told(order, execution), fill))
        const account = accounts.get(apiKey)
        if (fill === undefined || account === undefined) return
        const of = { reason: "ORDER", asset: fill.feeAsset, change: 0n, symbols: [order.symbol] }
        push(apiKey, accountEvent(core, account, of))
        // Behind the match that is under way.
        queueMicrotask(() => endIdle(account, order.symbol))
      },
      onBalances: () => undefined,
    },
    now,
    purse,
  )
  /** Reduce-only orders end with what they would reduce. */
  const endIdle = (account: UsdmAccount, symbol: string) => {
    const { amount } = positionOf(account, symbol)
    for (const order of [...account.orders.values()]) {
      const isIdle = order.side === "BUY" ? amount >= 0n : amount <= 0n
      if (!isOpen(order) || order.symbol !== symbol || order.isReduceOnly !== true || !isIdle) continue
      wordsOf(order).expiry = NOTHING_TO_REDUCE
      matching.expire(order)
    }
  }
  const core: Core = {
    matching,
    accounts,
    views,
    placements: new Placements(),
    faults,
    limits: new Limits(options.isLimited ?? true, now),
    purse,
    now,
    count,
    push,
    placing: undefined,
    forgotten: new Set(),
  }
  const addUser = ({ apiKey, apiSecret, balances }: UsdmUser) => {
    // What is no margin asset here can be given to every exchange's users, and is not in this wallet.
    const margins = new Set(contracts.map(({ quote }) => quote))
    const amounts = Object.entries(balances).flatMap(([asset, free]) =>
      margins.has(asset) ? [[asset, { free: toFixed8(free), locked: 0n }] as const] : [],
    )
    accounts.set(apiKey, {
      apiKey,
      apiSecret,
      accountNumber: FIRST_ACCOUNT + accounts.size,
      balances: new Map(amounts),
      orders: new Map(),
      byClientOrderId: new Map(),
      fills: [],
      positions: new Map(),
      leverage: new Map(),
      marginType: new Map(),
      isDualSide: false,
      isMultiAssets: false,
      listenKey: undefined,
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, contracts, views, now, options)
  diffs.forget()

  const cut = (listenKey: string) => {
    for (const [socket, key] of listeners) if (key === listenKey) socket.terminate()
  }
  const throwFault = (fault: UsdmFault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      pushUser,
      expireListenKey: (apiKey, isTold) => {
        const account = accounts.get(apiKey)
        const key = account?.listenKey?.key
        if (account === undefined || key === undefined) return
        if (isTold) sendTo(key, { e: "listenKeyExpired", E: String(now()), listenKey: key })
        account.listenKey = undefined
      },
      forgetCancelled: () => {
        for (const { orders } of accounts.values())
          for (const order of orders.values()) if (!isOpen(order) && order.fills.length === 0) core.forgotten.add(order)
      },
    })
  const orders = (apiKey: string) => [...(accounts.get(apiKey)?.orders.values() ?? [])].map(orderJson)
  const control = {
    placements: () => core.placements.list(),
    orders,
    counts: () => Object.fromEntries(counts),
    fault: throwFault,
  }
  const sockets = new Sockets(
    () => faults.webSocketsRefused,
    (kind, socket, url) => {
      count(`WS connect ${kind}`)
      if (kind === "market") {
        hub.attach(socket, new URL(url.pathname.replace(/^\/(public|market)/, "") + url.search, url))
        return
      }
      // A key that does not exist is taken without a word, and nothing comes.
      listeners.set(socket, url.searchParams.get("listenKey") ?? url.pathname.split("/").at(-1) ?? "")
      socket.on("close", () => listeners.delete(socket))
    },
    kindOf,
  )
  const rest = new RestDoor(core, listenKeyRoutes(cut))
  const { port, url, close } = await openDoors({ port: options.port, control, faults: USDM_FAULTS, rest, sockets })

  const timed = new TimedStreams(hub, views)
  const timers = [
    setInterval(() => diffs.flush("100ms"), DIFF_MILLIS),
    setInterval(() => diffs.flush("1000ms"), SLOW_DIFF_MILLIS),
    setInterval(() => timed.tick(), 1000),
    ...moving(synthetic, options),
  ]
  return {
    port,
    url,
    routes: usdmRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) => (accounts.get(apiKey)?.fills ?? []).map((fill) => fillJson(core, fill)),
    balances: (apiKey) => {
      const account = accounts.get(apiKey)
      return account === undefined ? [] : accountJson(core, account).assets
    },
    position: (apiKey, symbol) => {
      const account = accounts.get(apiKey)
      return account && positionJson(core, account, symbol)
    },
    setDualSide: (apiKey, on) => {
      const account = accounts.get(apiKey)
      if (account !== undefined) account.isDualSide = on
    },
    moveWallet: (apiKey, asset, change, reason) => {
      const account = accounts.get(apiKey)
      if (account === undefined) throw new Error("no such key")
      const by = change.startsWith("-") ? -toFixed8(change.slice(1)) : toFixed8(change)
      balanceOf(account, asset).free += by
      push(apiKey, accountEvent(core, account, { reason, asset, change: by, symbols: [] }))
    },
    counts: () => Object.fromEntries(counts),
    liquidate: (apiKey, symbol) => {
      const account = accounts.get(apiKey)
      const { amount } = account === undefined ? { amount: 0n } : positionOf(account, symbol)
      if (account === undefined || amount === 0n) throw new Error("nothing to liquidate")
      const { bids, asks, filters } = matching.market(symbol)
      const touch = (amount > 0n ? bids : asks).best?.price ?? 0n
      const price = amount > 0n ? touch / 2n : touch * 2n
      core.placing = { type: "LIMIT", timeInForce: "IOC", expiry: 0 }
      try {
        matching.place(account, {
          symbol,
          side: amount > 0n ? "SELL" : "BUY",
          type: "LIMIT",
          timeInForce: "IOC",
          quantity: sizeOf(amount),
          quoteOrderQuantity: undefined,
          price: price - (price % filters.tickSize),
          stopPrice: undefined,
          clientOrderId: `${LIQUIDATION}${now()}`,
        })
      } finally {
        core.placing = undefined
      }
    },
    levels: (symbol, side) => matching.market(symbol)[side].levels.map(({ price }) => ({ price: plain(price) })),
    refusedCalls: () => core.limits.refused,
    socketCount: (kind) => sockets.count(kind),
    ...byHand(matching),
    cancelAll: (apiKey) => {
      for (const order of [...(accounts.get(apiKey)?.orders.values() ?? [])])
        if (isOpen(order)) matching.cancel(order, order.symbol)
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      sockets.stop()
      await close()
    },
  }
}
