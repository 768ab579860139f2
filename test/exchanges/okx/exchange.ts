/**
 * A loopback exchange that speaks OKX v5, spot: REST, public, business and private WebSockets on one port, real matching behind
 * (the Binance exchange's engine). Unmodified ccxt.pro works against it once its connections are routed here (`routes`).
 */
import { toFixed8 } from "../binance/fixed.ts"
import type { MarketView } from "../binance/market.ts"
import { Matching } from "../binance/matching.ts"
import { type ExecutionType, type Fill, isOpen, type Order, type SymbolRules } from "../binance/model.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions, LoopbackUser } from "../loopback.ts"
import type { ShownBook } from "../shown-books.ts"
import { clockOf, freeAmounts, openMarkets } from "../traded-markets.ts"
import { applyFault } from "./apply-fault.ts"
import { okxBooks } from "./books.ts"
import { type Arg, Channels, PRIVATE_CHANNELS, type SocketKind, send } from "./channels.ts"
import type { Core } from "./core.ts"
import { OKX_FAULTS, type OkxFault, OkxFaults } from "./faults.ts"
import { okxRoutes } from "./hosts.ts"
import { OKX_INSTRUMENTS } from "./instruments.ts"
import { Limits } from "./limits.ts"
import { type OkxAccount, setWords, wordsOf } from "./model.ts"
import { type BooksCapture, ReplayBooks } from "./replay-books.ts"
import { RestDoor } from "./rest.ts"
import { Sockets } from "./sockets.ts"
import { TimedStreams } from "./timed-streams.ts"
import { TradeStreams } from "./trade-streams.ts"
import { balanceData, cashData, fillRow, orderEvent, orderRow } from "./wire-private.ts"

export interface OkxUser extends LoopbackUser {
  readonly apiPassphrase: string
  /** A key of demo trading. */
  readonly isSimulated?: boolean
}

export interface OkxExchangeOptions extends LoopbackOptions<OkxUser> {
  readonly instruments?: ReadonlyArray<SymbolRules>
  /** Between two messages of a book that changes; default OKX's 100 ms. */
  readonly bookMillis?: number
  /** Recorded book messages in place of one instrument's own. */
  readonly replay?: BooksCapture
  /** Between two ticker and candle events; default 1000 ms. */
  readonly tickMillis?: number
  /** A socket on which nothing is said for so long is closed; default 30 s. */
  readonly idleMillis?: number
  /** Subscribe, unsubscribe and login requests a connection may send in an hour; default 480. */
  readonly requestsPerHour?: number
  /** False: no limit of orders bites. Default true. */
  readonly isLimited?: boolean
}

export interface OkxExchange extends LoopbackExchange<OkxUser, OkxFault, Placement, SocketKind> {
  /** All orders of a user, as GET order shows them, oldest first. */
  /** Oldest first; `newest`: no more than so many, the newest of them. */
  readonly orders: (apiKey: string, newest?: number) => ReadonlyArray<ReturnType<typeof orderRow>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof fillRow>>
  readonly balances: (apiKey: string) => ReturnType<typeof balanceData>["details"]
  /** What a listener of `books` must hold now. */
  readonly book: (instId: string) => ShownBook
  /** The venue's sign of life for a quiet book. */
  readonly beat: (instId: string) => void
  readonly replay: ReplayBooks | undefined
}

const BOOK_MILLIS = 100
const FIRST_STILLBORN_ID = 900_000_000
const FIRST_ACCOUNT = 446_556_178_194_944

const CANCEL_SOURCE: Partial<Record<ExecutionType, string>> = { CANCELED: "1", TRADE_PREVENTION: "32" }

/** Why the venue ended it, in its numbers: 13 FOK, 14 the rest of an IOC or market order. */
const cancelSourceOf = (execution: ExecutionType, ordType: string): string =>
  CANCEL_SOURCE[execution] ?? (ordType === "fok" ? "13" : "14")

/** Resolves when the port listens. */
export const startOkxExchange = async (options: OkxExchangeOptions = {}): Promise<OkxExchange> => {
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const faults = new OkxFaults()
  const channels = new Channels()
  const views = new Map<string, MarketView>()
  const accounts = new Map<string, OkxAccount>()
  const tradeStreams = new TradeStreams(channels)
  const replay = options.replay === undefined ? undefined : new ReplayBooks(options.replay, channels)
  let stillborn = FIRST_STILLBORN_ID

  const owner = (account: { readonly apiKey: string }) => accounts.get(account.apiKey)
  const tell = (order: Order, fill: Fill | undefined) => {
    const account = owner(order.account)
    if (account === undefined || faults.userEventsSuppressed) return
    const uid = String(account.accountNumber)
    channels.push(account, "orders", "SPOT", (arg) => ({ arg: { ...arg, uid }, data: [orderEvent(order, fill)] }))
  }
  const matching = new Matching(
    {
      onLevel: ({ rules }) => {
        if (rules.symbol !== options.replay?.instId) books.onLevel(rules.symbol)
      },
      onTrade: ({ rules }, trade) => tradeStreams.onTrade(rules.symbol, trade),
      onOrder: (order, execution, fill) => {
        if (execution === "NEW" && core.placing !== undefined) setWords(order, core.placing)
        const words = wordsOf(order)
        if (fill !== undefined) words.lastFill = fill
        else if (!isOpen(order)) words.cancelSource = cancelSourceOf(execution, words.ordType)
        tell(order, fill)
      },
      onBalances: ({ apiKey }, assets) => {
        const account = accounts.get(apiKey)
        if (account === undefined || faults.userEventsSuppressed) return
        const uid = String(account.accountNumber)
        channels.push(account, "account", undefined, (arg) => ({
          arg: { ...arg, uid },
          eventType: "event_update",
          curPage: 1,
          lastPage: true,
          data: [balanceData(account, assets, now())],
        }))
        channels.push(account, "balance_and_position", undefined, (arg) => ({
          arg: { ...arg, uid },
          data: [cashData(account, assets, "filled", now())],
        }))
      },
    },
    now,
  )
  const books = okxBooks(matching.markets, channels, faults, now)
  const core: Core = {
    matching,
    accounts,
    views,
    placements: new Placements(),
    faults,
    limits: new Limits(options.isLimited ?? true),
    now,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    placing: undefined,
    nextStillbornId: () => stillborn++,
    announce: (order) => tell(order, undefined),
    forgotten: new Set(),
    heldCancels: new Set(),
  }
  const addUser = ({ apiKey, apiSecret, apiPassphrase, balances, isSimulated = false }: OkxUser) => {
    accounts.set(apiKey, {
      apiKey,
      apiSecret,
      passphrase: apiPassphrase,
      isSimulated,
      accountNumber: FIRST_ACCOUNT + accounts.size,
      balances: new Map(freeAmounts(balances)),
      orders: new Map(),
      byClientOrderId: new Map(),
      fills: [],
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, options.instruments ?? OKX_INSTRUMENTS, views, now, options)

  const first = (account: OkxAccount | undefined, arg: Arg): string | undefined => {
    const instId = arg.instId ?? ""
    if (arg.channel === "books")
      return instId === replay?.capture.instId ? replay.capture.snapshot : books.snapshot(instId)
    if (account === undefined || !PRIVATE_CHANNELS.includes(arg.channel)) return timed.first(arg)
    if (arg.channel === "orders") return undefined
    const uid = String(account.accountNumber)
    const assets = [...account.balances.keys()]
    return arg.channel === "account"
      ? JSON.stringify({
          arg: { ...arg, uid },
          eventType: "snapshot",
          curPage: 1,
          lastPage: true,
          data: [balanceData(account, undefined, now())],
        })
      : JSON.stringify({ arg: { ...arg, uid }, data: [cashData(account, assets, "snapshot", now())] })
  }
  const timed = new TimedStreams(channels, views)
  const sockets = new Sockets({
    core,
    channels,
    first: ({ account }, arg) => first(account, arg),
    idleMillis: options.idleMillis ?? 30_000,
    requestsPerHour: options.requestsPerHour ?? 480,
  })
  const throwFault = (fault: OkxFault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      announceUpgrade: () => sockets.announceUpgrade(),
      pushUser: (apiKey, event) => {
        for (const connection of channels.connections) {
          if (connection.account?.apiKey === apiKey) send(connection, JSON.stringify(event))
        }
      },
      releaseBooks: () => books.release(),
      releaseCancels: () => {
        for (const order of core.heldCancels) if (isOpen(order)) matching.cancel(order, order.symbol)
        core.heldCancels.clear()
      },
      forgetCancelled: () => {
        for (const { orders } of accounts.values()) {
          for (const order of orders.values()) {
            if (!isOpen(order) && order.fills.length === 0) core.forgotten.add(order)
          }
        }
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
  const { port, url, close } = await openDoors({ port: options.port, control, faults: OKX_FAULTS, rest, sockets })

  const timers = [
    setInterval(() => books.flush(), options.bookMillis ?? BOOK_MILLIS),
    setInterval(() => timed.tick(), options.tickMillis ?? 1000),
    ...moving(synthetic, options),
  ]
  return {
    port,
    url,
    routes: okxRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) => {
      const account = accounts.get(apiKey)
      return account === undefined ? [] : account.fills.map((fill, index) => fillRow(account, fill, index))
    },
    balances: (apiKey) => {
      const account = accounts.get(apiKey)
      return account === undefined ? [] : balanceData(account, undefined, now()).details
    },
    counts: () => Object.fromEntries(counts),
    socketCount: (kind) => sockets.count(kind),
    setLevel: (instId, side, price, quantity) => {
      matching.setLiquidity(matching.market(instId), side, toFixed8(price), toFixed8(quantity))
      tradeStreams.flush()
    },
    trade: (instId, side, quantity) => {
      matching.takeAnonymously(matching.market(instId), side, toFixed8(quantity))
      tradeStreams.flush()
    },
    book: (instId) => books.book(instId),
    beat: (instId) => books.beat(instId),
    replay,
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      sockets.stop()
      await close()
    },
  }
}
