/**
 * A loopback exchange that speaks Kraken Spot: REST and WebSocket v2 on one port, real matching behind. Unmodified ccxt.pro works
 * against it once its connections are routed here (`routes`); everything ends with `stop()`.
 */
import { toFixed8 } from "../binance/fixed.ts"
import type { Row } from "../binance/market.ts"
import { Matching } from "../binance/matching.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { SyntheticMarket } from "../binance/replay/synthetic.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions } from "../loopback.ts"
import { byHand, clockOf } from "../traded-markets.ts"
import { applyFault } from "./apply-fault.ts"
import { type Core, marketOf } from "./core.ts"
import { KRAKEN_FAULTS, type KrakenFault, KrakenFaults } from "./faults.ts"
import { Ids } from "./ids.ts"
import { Limits } from "./limits.ts"
import type { KrakenAccount } from "./model.ts"
import { withPlaces } from "./numbers.ts"
import { OrderDesk } from "./order-desk.ts"
import { DEFAULT_PAIRS, type KrakenPair, rulesOf } from "./pairs.ts"
import { Connections, type SocketKind } from "./wire/connections.ts"
import { krakenRoutes } from "./wire/hosts.ts"
import { MarketStreams } from "./wire/market-streams.ts"
import { findPair } from "./wire/order-request.ts"
import { PrivateStreams } from "./wire/private-streams.ts"
import { RestDoor } from "./wire/rest.ts"
import { Sockets } from "./wire/sockets.ts"
import { Tokens } from "./wire/tokens.ts"
import { balancesOf, extendedBalances, fillJson, orderJson } from "./wire/wire-private.ts"

export interface KrakenUser {
  readonly apiKey: string
  /** Base64, as the venue gives it out. */
  readonly apiSecret: string
  /** Free amounts as decimal texts, by asset in WebSocket v2's words (`BTC`, `USD`). */
  readonly balances: Readonly<Record<string, string>>
}

export interface KrakenExchangeOptions extends LoopbackOptions<KrakenUser> {
  readonly pairs?: ReadonlyArray<KrakenPair>
  /** The venue's limits on calls and orders; default on. */
  readonly isLimited?: boolean
  /** Steps of orders leave several to a message (private-streams.ts); default false. */
  readonly isBatched?: boolean
}

export interface KrakenExchange
  extends LoopbackExchange<KrakenUser, KrakenFault, Placement<string, string>, SocketKind> {
  /** All orders of a user as QueryOrders shows them, with their ids. */
  readonly orders: (apiKey: string) => ReadonlyArray<ReturnType<typeof orderJson> & { readonly txid: string }>
  /** Oldest first. */
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof fillJson> & { readonly execId: string }>
  readonly balances: (apiKey: string) => ReturnType<typeof extendedBalances>
  /** Money that comes from elsewhere; told on the `balances` channel. */
  readonly deposit: (apiKey: string, asset: string, amount: string) => void
  /** Calls that were above the limit. */
  readonly refusedCalls: () => number
  /** The best levels now, in the digits of the `book` channel. */
  readonly depth: (
    symbol: string,
    limit: number,
  ) => { readonly bids: ReadonlyArray<Row>; readonly asks: ReadonlyArray<Row> }
}

const EXPIRY_MILLIS = 250

/** Resolves when the port listens. */
export const startKrakenExchange = async (options: KrakenExchangeOptions = {}): Promise<KrakenExchange> => {
  const now = clockOf(options)
  const pairs = options.pairs ?? DEFAULT_PAIRS
  const counted = new Map<string, number>()
  const faults = new KrakenFaults()
  const ids = new Ids(options.seed ?? 1)
  const accounts = new Map<string, KrakenAccount>()
  const connections = new Connections()
  const tokens = new Tokens(accounts, now)
  const markets = new MarketStreams({ connections, faults, now })
  const privates = new PrivateStreams({
    connections,
    faults,
    ids,
    now,
    desk: () => desk,
    isBatched: options.isBatched ?? false,
  })
  const desk: OrderDesk = new OrderDesk(
    () => matching,
    ids,
    now,
    (order, exec, fill) => privates.onExecution(order, exec, fill),
  )
  const accountOf = (apiKey: string): KrakenAccount | undefined => accounts.get(apiKey)
  const matching = new Matching(
    {
      onLevel: (market, side, price) => markets.onLevel(market.rules.symbol, side, price),
      onTrade: (market, trade) => markets.onTrade(market.rules.symbol, trade),
      onOrder: (order, step, fill) => desk.onStep(order, step, fill),
      onBalances: (account, names) => {
        const own = accountOf(account.apiKey)
        if (own !== undefined) privates.onBalances(own, names)
      },
    },
    now,
  )
  const core: Core = {
    pairs,
    matching,
    desk,
    accounts,
    placements: new Placements<string, string>(),
    faults,
    limits: new Limits(options.isLimited ?? true, now),
    tokens,
    ids,
    now,
    count: (what) => counted.set(what, (counted.get(what) ?? 0) + 1),
  }
  const addUser = ({ apiKey, apiSecret, balances }: KrakenUser) => {
    const account: KrakenAccount = {
      apiKey,
      apiSecret,
      accountNumber: accounts.size + 1,
      balances: balancesOf(balances),
      orders: new Map(),
      byClientOrderId: new Map(),
      fills: [],
      lastNonce: 0n,
      calls: { points: 0, countedAt: now() },
      trading: new Map(),
    }
    accounts.set(apiKey, account)
    privates.opened(account)
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic: Array<SyntheticMarket> = []
  for (const [index, pair] of pairs.entries()) {
    const market = matching.addSymbol(rulesOf(pair))
    if (options.market !== "empty") synthetic.push(new SyntheticMarket(matching, market, (options.seed ?? 1) + index))
    markets.add(pair, market)
  }

  const sockets = new Sockets(core, { market: markets, private: privates }, connections)
  const throwFault = (fault: KrakenFault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      forgetTokens: () => tokens.forget(),
      pushUser: (apiKey, message) => {
        const account = accountOf(apiKey)
        if (account !== undefined) privates.say(account, message)
      },
    })
  const orders = (apiKey: string) => {
    const account = accountOf(apiKey)
    const known = account === undefined ? [] : desk.ordersOf(account)
    return known.map((order) => ({ txid: order.txid, ...orderJson(order, true) }))
  }
  const control = {
    placements: () => core.placements.list(),
    orders,
    counts: () => Object.fromEntries(counted),
    fault: throwFault,
  }
  const rest = new RestDoor(core)
  const { port, url, close } = await openDoors({ port: options.port, control, faults: KRAKEN_FAULTS, rest, sockets })

  const timers = [setInterval(() => desk.expire(), EXPIRY_MILLIS), ...moving(synthetic, options)]
  return {
    port,
    url,
    routes: krakenRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: control.placements,
    orders,
    fills: (apiKey) => {
      const account = accountOf(apiKey)
      const known = account === undefined ? [] : desk.fillsOf(account)
      return known.map((fill) => ({ execId: fill.execId, ...fillJson(fill) }))
    },
    balances: (apiKey) => {
      const account = accountOf(apiKey)
      return account === undefined ? {} : extendedBalances(account)
    },
    deposit: (apiKey, asset, amount) => {
      const account = accountOf(apiKey)
      if (account === undefined) throw new Error(`no user ${apiKey}`)
      privates.deposited(account, asset, toFixed8(amount))
    },
    counts: control.counts,
    refusedCalls: () => core.limits.refused,
    socketCount: (kind) => sockets.count(kind),
    ...byHand(matching),
    depth: (symbol, limit) => {
      const pair = findPair(pairs, symbol)
      const rows = (side: "bids" | "asks") =>
        marketOf(core, pair)
          [side].levels.slice(0, limit)
          .map((level): Row => [withPlaces(level.price, pair.priceDecimals), withPlaces(level.total, pair.lotDecimals)])
      return { bids: rows("bids"), asks: rows("asks") }
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      markets.stop()
      privates.stop()
      sockets.stop()
      await close()
    },
  }
}
