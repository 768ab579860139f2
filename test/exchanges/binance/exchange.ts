/**
 * A loopback exchange that speaks Binance Spot: REST, market streams and the WebSocket API on one port, real matching behind.
 * Unmodified ccxt.pro works against it once its connections are routed here (`routes`); everything ends with `stop()`.
 */
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions, LoopbackUser } from "../loopback.ts"
import { byHand, clockOf, freeAmounts } from "../traded-markets.ts"
import { applyFault } from "./apply-fault.ts"
import type { Core } from "./core.ts"
import type { Fault } from "./faults.ts"
import { Faults } from "./faults.ts"
import { toFixed8 } from "./fixed.ts"
import type { DepthShown, MarketView } from "./market.ts"
import { viewOf } from "./market.ts"
import { Matching } from "./matching.ts"
import { type Account, balanceOf, type SymbolRules } from "./model.ts"
import type { Placement } from "./placements.ts"
import { Placements } from "./placements.ts"
import type { Replay, ReplayOptions } from "./replay/replay.ts"
import { ReplayMarket } from "./replay/replay-market.ts"
import { DEFAULT_SYMBOLS, SyntheticMarket } from "./replay/synthetic.ts"
import { DiffStreams } from "./wire/diff-streams.ts"
import { binanceRoutes } from "./wire/hosts.ts"
import { RestDoor } from "./wire/rest.ts"
import { Sockets } from "./wire/sockets.ts"
import { StreamHub } from "./wire/stream-hub.ts"
import { TimedStreams } from "./wire/timed-streams.ts"
import { UserStreams } from "./wire/user-streams.ts"
import { accountPosition, executionReport, fillJson, listStatus, orderJson } from "./wire/wire-private.ts"
import { aggregateEvent, bookTickerEvent, tradeEvent } from "./wire/wire-public.ts"
import { attachWebSocketApi } from "./wire/ws-api.ts"

export type ExchangeUser = LoopbackUser

export interface BinanceExchangeOptions extends LoopbackOptions<ExchangeUser> {
  readonly symbols?: ReadonlyArray<SymbolRules>
  /** A capture as the market: only its symbol is listed, unless `symbols` says otherwise. */
  readonly replay?: ReplayOptions
  /** Messages a second a client may send on a market stream connection; default Binance's 5. */
  readonly inboundMessagesPerSecond?: number
  /** Between two ticker and candle events; default 1000 ms. */
  readonly tickMillis?: number
  /**
   * How long after an order was taken more is told of it: by events, and by the answer to its placement. Default: at once. For tests that
   * look in between, as a busy machine does by accident.
   */
  readonly fillsLateMillis?: number
  /** Called with the client order id of each placement as it arrives, by whichever way, before anything is checked. */
  readonly arrived?: (clientOrderId: string) => void
}

export interface BinanceExchange extends LoopbackExchange<ExchangeUser, Fault, Placement, "market" | "user"> {
  /** Another key of the account that `opens` opens. What is ordered with a key is told on that key's stream. */
  readonly addKey: (key: Pick<ExchangeUser, "apiKey" | "apiSecret"> & { readonly opens: string }) => void
  /** All orders of a user, as GET order shows them. */
  /** Oldest first; `newest`: no more than so many, the newest of them. */
  readonly orders: (apiKey: string, newest?: number) => ReadonlyArray<ReturnType<typeof orderJson>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof fillJson>>
  readonly balances: (apiKey: string) => ReturnType<typeof accountPosition>["B"]
  /** What is free of an asset changes without an order, as by a deposit or a withdrawal. */
  readonly setBalance: (apiKey: string, asset: string, free: string) => void
  /** The newest thousand of them, and when each came, monotonic ms. */
  readonly arrivals: () => ReadonlyArray<{ readonly what: string; readonly at: number }>
  /** What GET depth shows now. */
  readonly depth: (symbol: string, limit: number) => DepthShown
  readonly replay: Replay | undefined
}

const DIFF_MILLIS = 100
const ARRIVALS_MAX = 1_000
const SLOW_DIFF_MILLIS = 1000

/** Resolves when the port listens. */
export const startBinanceExchange = async (options: BinanceExchangeOptions = {}): Promise<BinanceExchange> => {
  const fillsLateMillis = options.fillsLateMillis ?? 0
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const arrivals: Array<{ readonly what: string; readonly at: number }> = []
  const count = (what: string) => {
    counts.set(what, (counts.get(what) ?? 0) + 1)
    arrivals.push({ what, at: performance.now() })
    if (arrivals.length > ARRIVALS_MAX) arrivals.shift()
  }
  const faults = new Faults()
  const placements = new Placements(options.arrived)
  const users = new UserStreams()
  const accounts = new Map<string, Account>()
  const views = new Map<string, MarketView>()
  const replayed: { market?: ReplayMarket } = {}
  const hub = new StreamHub({
    inboundMessagesPerSecond: options.inboundMessagesPerSecond ?? 5,
    count,
    onSubscribe: (stream) => {
      const start = options.replay?.start ?? "first depth subscriber"
      if (start === "first depth subscriber" && stream.includes("@depth")) replayed.market?.replay.start()
    },
  })
  const diffs = new DiffStreams(hub, faults, views, now)
  const replayedSymbols = new Set<string>()

  let executions = 0
  const pushUser = (apiKey: string, event: unknown) => {
    if (!faults.userEventsSuppressed) users.push(apiKey, event)
  }
  const publish = (stream: string, event: () => unknown) => {
    if (!hub.has(stream)) return
    const shown = event()
    if (shown !== undefined) hub.publish(stream, JSON.stringify(shown))
  }
  const matching = new Matching(
    {
      onLevel: (market, side, price, total) => {
        const { symbol } = market.rules
        if (replayedSymbols.has(symbol)) return
        diffs.onLevel(market, side, price, total)
        const view = views.get(symbol)
        if (view !== undefined) publish(`${symbol.toLowerCase()}@bookTicker`, () => bookTickerEvent(view))
      },
      onTrade: (market, trade) => {
        const { symbol } = market.rules
        if (replayedSymbols.has(symbol)) return
        publish(`${symbol.toLowerCase()}@trade`, () => tradeEvent(symbol, trade, now()))
        publish(`${symbol.toLowerCase()}@aggTrade`, () => aggregateEvent(symbol, trade, now()))
      },
      onOrder: (order, execution, fill) => {
        executions += 1
        const report = executionReport(order, execution, fill, executions, now())
        if (execution === "NEW" || fillsLateMillis === 0) pushUser(order.account.apiKey, report)
        else setTimeout(() => pushUser(order.account.apiKey, report), fillsLateMillis).unref()
      },
      onList: (list) => {
        const [order] = list.orders
        if (order !== undefined) pushUser(order.account.apiKey, listStatus(list, now()))
      },
      onBalances: (account, assets) => pushUser(account.apiKey, accountPosition(account, assets, now())),
    },
    now,
  )
  const core: Core = { matching, accounts, views, placements, faults, users, now, count }
  const addUser = ({ apiKey, apiSecret, balances }: ExchangeUser) => {
    const accountNumber = 354_937_868 + accounts.size
    const account = { apiKey, apiSecret, accountNumber, balances: new Map(freeAmounts(balances)) }
    accounts.set(apiKey, { ...account, orders: new Map(), byClientOrderId: new Map(), fills: [] })
  }
  for (const user of options.users ?? []) addUser(user)
  const addKey: BinanceExchange["addKey"] = ({ apiKey, apiSecret, opens }) => {
    const account = accounts.get(opens)
    if (account === undefined) throw new Error("no such key")
    accounts.set(apiKey, { ...account, apiKey, apiSecret })
  }

  const synthetic: Array<SyntheticMarket> = []
  if (options.replay !== undefined) {
    const find = (symbol: string) => {
      const rules = [...(options.symbols ?? []), ...DEFAULT_SYMBOLS].find((known) => known.symbol === symbol)
      if (rules === undefined) throw new Error(`no rules are known for the capture's symbol ${symbol}`)
      replayedSymbols.add(symbol)
      return matching.addSymbol(rules)
    }
    replayed.market = await ReplayMarket.open(options.replay, find, matching, hub, faults)
    views.set(replayed.market.replay.symbol, replayed.market.view)
  }
  const symbols = options.symbols ?? (options.replay === undefined ? DEFAULT_SYMBOLS : [])
  for (const [index, rules] of symbols.entries()) {
    if (views.has(rules.symbol)) continue
    const market = matching.addSymbol(rules)
    views.set(rules.symbol, viewOf(market, now))
    if (options.market !== "empty") synthetic.push(new SyntheticMarket(matching, market, (options.seed ?? 1) + index))
  }

  diffs.forget()

  const throwFault = (fault: Fault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      pushUser: (apiKey, event) => users.push(apiKey, event),
    })
  const accountOf = (apiKey: string) => accounts.get(apiKey)
  const orders = (apiKey: string, newest = Number.POSITIVE_INFINITY) =>
    [...(accountOf(apiKey)?.orders.values() ?? [])].slice(-newest).map(orderJson)
  const control = {
    placements: () => placements.list(),
    orders,
    counts: () => Object.fromEntries(counts),
    fault: throwFault,
  }
  const rest = new RestDoor(core, fillsLateMillis)
  const sockets = new Sockets(
    () => faults.webSocketsRefused,
    (kind, socket, url) => {
      count(`WS connect ${kind}`)
      if (kind === "user") attachWebSocketApi(core, socket)
      else hub.attach(socket, url)
    },
  )
  const { port, url, close } = await openDoors({ port: options.port, control, rest, sockets })

  const timed = new TimedStreams(hub, views)
  const timers = [
    setInterval(() => diffs.flush("100ms"), DIFF_MILLIS),
    setInterval(() => diffs.flush("1000ms"), SLOW_DIFF_MILLIS),
    setInterval(() => timed.tick(), options.tickMillis ?? 1000),
    ...moving(synthetic, options),
  ]
  if (options.replay?.start === "at once") replayed.market?.replay.start()
  return {
    port,
    url,
    routes: binanceRoutes(url),
    addUser,
    addKey,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => placements.list(),
    orders,
    fills: (apiKey) => (accountOf(apiKey)?.fills ?? []).map(fillJson),
    balances: (apiKey) => {
      const account = accountOf(apiKey)
      return account === undefined ? [] : accountPosition(account, [...account.balances.keys()], now()).B
    },
    setBalance: (apiKey, asset, free) => {
      const account = accountOf(apiKey)
      if (account === undefined) throw new Error("no such key")
      balanceOf(account, asset).free = toFixed8(free)
      pushUser(apiKey, accountPosition(account, [asset], now()))
    },
    counts: () => Object.fromEntries(counts),
    arrivals: () => [...arrivals],
    socketCount: (kind) => sockets.count(kind),
    ...byHand(matching),
    depth: (symbol, limit) => {
      const view = views.get(symbol)
      if (view === undefined) throw new Error(`no symbol ${symbol}`)
      return view.depth(limit)
    },
    replay: replayed.market?.replay,
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      replayed.market?.replay.close()
      sockets.stop()
      await close()
    },
  }
}
