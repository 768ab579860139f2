/**
 * A loopback exchange that speaks Gemini's REST v1 of an account's own key, its order events and its market data on one port, real matching behind (the Binance
 * exchange's engine). Unmodified ccxt.pro works against it once its connections are routed here (`routes`). What no recording confirms of it is listed
 * in docs/design/venues.md.
 */
import { multiply } from "../binance/fixed.ts"
import { Matching } from "../binance/matching.ts"
import { isOpen, type Order, type SymbolRules } from "../binance/model.ts"
import { type Placement, Placements } from "../binance/placements.ts"
import { moving, openDoors } from "../doors.ts"
import type { LoopbackExchange, LoopbackOptions, LoopbackUser } from "../loopback.ts"
import { ShownBooks, type ShownLevel } from "../shown-books.ts"
import { byHand, clockOf, freeAmounts, openMarkets } from "../traded-markets.ts"
import type { Core } from "./core.ts"
import { applyFault, GEMINI_FAULTS, type GeminiFault, GeminiFaults } from "./faults.ts"
import { fees } from "./fees.ts"
import { geminiRoutes } from "./hosts.ts"
import { Limits, PRIVATE_QUOTAS, type Quota } from "./limits.ts"
import { GEMINI_MARKETS, nameOf } from "./markets.ts"
import { type GeminiAccount, setWords, wordsOf } from "./model.ts"
import { tradeTold } from "./public-api.ts"
import { RestDoor } from "./rest.ts"
import { Signatures } from "./signature.ts"
import { type SocketKind, Sockets } from "./sockets.ts"
import { balanceRow, eventRow, orderRow, tradeRow } from "./wire-private.ts"

export interface GeminiUser extends LoopbackUser {
  /** Its key takes a nonce that is seconds of the venue's clock; else one that increases. */
  readonly isTimed?: boolean
  /** Its key "requires heartbeat". */
  readonly needsHeartbeat?: boolean
}

export interface GeminiExchangeOptions extends LoopbackOptions<GeminiUser> {
  readonly markets?: ReadonlyArray<SymbolRules>
  /** Of a key; the venue's own when absent; none: nothing is limited. */
  readonly quotas?: ReadonlyArray<Quota>
  /** After so long without a request a key that requires heartbeat loses its orders; the venue's 30 s when absent. */
  readonly silenceMillis?: number
  /** Between two heartbeats of the order events; the venue's 5 s when absent. */
  readonly beatMillis?: number
}

export interface GeminiExchange
  extends LoopbackExchange<GeminiUser, GeminiFault, Placement<number, string>, SocketKind> {
  /** All orders of a user, oldest first, as order/status has them. */
  readonly orders: (apiKey: string) => ReadonlyArray<ReturnType<typeof orderRow>>
  readonly fills: (apiKey: string) => ReadonlyArray<ReturnType<typeof tradeRow>>
  readonly balances: (apiKey: string) => ReadonlyArray<ReturnType<typeof balanceRow>>
  /** Requests above a limit of the venue. */
  readonly refusedCalls: () => number
  /** Everything that a user has working, by the user's own hand elsewhere. */
  readonly cancelAll: (apiKey: string) => void
}

const BOOK_MILLIS = 20
const BOOK_LEVELS = 100
const SILENCE_MILLIS = 30_000
const FIRST_STILLBORN_ID = 0x70_00_00_00
const FIRST_USER = 19_433_282

/** Why the venue ended it, where nobody asked. */
const reasonOf = (order: Order): string => {
  if (order.timeInForce === "IOC") return "ImmediateOrCancelWouldPost"
  return order.timeInForce === "FOK" ? "FillOrKillWouldNotFill" : "Requested"
}

/** Resolves when the port listens. */
export const startGeminiExchange = async (options: GeminiExchangeOptions = {}): Promise<GeminiExchange> => {
  const now = clockOf(options)
  const counts = new Map<string, number>()
  const faults = new GeminiFaults()
  const accounts = new Map<string, GeminiAccount>()
  let stillborn = FIRST_STILLBORN_ID
  let eventId = 1

  const tell: Core["tell"] = (order, event, fill) => {
    const account = accounts.get(order.account.apiKey)
    if (account !== undefined && !faults.userEventsSuppressed)
      sockets.push(account, [eventRow(order, event, String(eventId++), fill)])
  }
  const matching = new Matching(
    {
      onLevel: ({ rules }) => books.onLevel(rules.symbol),
      onTrade: ({ rules: { symbol } }, trade) => sockets.publish(symbol, JSON.stringify(tradeTold(symbol, trade))),
      onOrder: (order, execution, fill) => {
        if (execution === "NEW") {
          if (core.placing === undefined) return
          setWords(order, core.placing)
          fees.hold(order, fees.needed(order.side, multiply(order.price, order.quantity)))
          core.placing = undefined
          tell(order, "accepted")
          return
        }
        if (fill !== undefined) {
          fees.charge(order, fill)
          tell(order, "fill", fill)
        }
        if (isOpen(order)) return
        fees.release(order, 0n)
        if (order.status !== "FILLED") {
          const words = wordsOf(order)
          words.reason ??= reasonOf(order)
          tell(order, "cancelled")
        }
        tell(order, "closed")
      },
      onBalances: () => undefined,
    },
    now,
  )
  const core: Core = {
    matching,
    accounts,
    views: new Map(),
    placements: new Placements<number, string>(),
    faults,
    limits: new Limits(options.quotas ?? PRIVATE_QUOTAS),
    now,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    placing: undefined,
    nextStillbornId: () => stillborn++,
    tell,
    shownBook: (symbol) => books.book(symbol),
    heldCancels: new Set(),
    cancel: (order) => {
      wordsOf(order).reason = "Requested"
      matching.cancel(order, order.symbol)
    },
  }
  const signatures = new Signatures()
  const sockets: Sockets = new Sockets(core, signatures, options.beatMillis)
  const changes = (side: "buy" | "sell", levels: ReadonlyArray<ShownLevel>) =>
    levels.map(({ price, size }) => [side, price, size])
  const books: ShownBooks = new ShownBooks({
    markets: matching.markets,
    levels: BOOK_LEVELS,
    faults,
    isHeld: () => false,
    publish: (symbol, text) => sockets.publish(symbol, text),
    write: ({ symbol, bids, asks }) =>
      JSON.stringify({
        type: "l2_updates",
        symbol: nameOf(symbol),
        changes: [...changes("buy", bids), ...changes("sell", asks)],
      }),
  })
  const addUser = ({ balances, ...user }: GeminiUser) => {
    accounts.set(user.apiKey, {
      apiKey: user.apiKey,
      apiSecret: user.apiSecret,
      accountNumber: FIRST_USER + accounts.size,
      balances: new Map(freeAmounts(balances)),
      orders: new Map(),
      byClientOrderId: new Map(),
      byName: new Map(),
      fills: [],
      isTimed: user.isTimed === true,
      needsHeartbeat: user.needsHeartbeat === true,
      heardAt: performance.now(),
    })
  }
  for (const user of options.users ?? []) addUser(user)

  const synthetic = openMarkets(matching, options.markets ?? GEMINI_MARKETS, core.views, now, options)

  const ordersOf = (apiKey: string): ReadonlyArray<Order> => [...(accounts.get(apiKey)?.orders.values() ?? [])]
  const cancelAll = (apiKey: string): void => {
    for (const order of ordersOf(apiKey)) if (isOpen(order)) core.cancel(order)
  }
  const silenceMillis = options.silenceMillis ?? SILENCE_MILLIS
  const endSilent = (): void => {
    for (const { apiKey, needsHeartbeat, heardAt } of accounts.values())
      if (needsHeartbeat && performance.now() - heardAt > silenceMillis) cancelAll(apiKey)
  }
  const throwFault = (fault: GeminiFault) =>
    applyFault(fault, {
      faults,
      closeSockets: (kind, code) => sockets.close(kind, code),
      pushUser: (apiKey, event) => sockets.pushRaw(apiKey, event),
      releaseCancels: () => {
        const held = [...core.heldCancels]
        core.heldCancels.clear()
        // Of one that came too late it is told, and nothing happened.
        for (const order of held)
          if (isOpen(order)) core.cancel(order)
          else tell(order, "cancel_rejected")
      },
    })
  const orders = (apiKey: string) => ordersOf(apiKey).map(orderRow)
  const control = {
    placements: () => core.placements.list(),
    orders,
    counts: () => Object.fromEntries(counts),
    fault: throwFault,
  }
  const rest = new RestDoor(core, signatures)
  const { port, url, close } = await openDoors({ port: options.port, control, faults: GEMINI_FAULTS, rest, sockets })
  const timers = [
    setInterval(() => books.flush(), BOOK_MILLIS),
    setInterval(endSilent, silenceMillis / 4),
    ...moving(synthetic, options),
  ]
  return {
    port,
    url,
    routes: geminiRoutes(url),
    addUser,
    removeUser: (apiKey) => void accounts.delete(apiKey),
    fault: throwFault,
    placements: () => core.placements.list(),
    orders,
    fills: (apiKey) => (accounts.get(apiKey)?.fills ?? []).map((fill) => tradeRow(fill, undefined)),
    balances: (apiKey) => {
      const account = accounts.get(apiKey)
      return account === undefined ? [] : [...account.balances.keys()].map((asset) => balanceRow(account, asset))
    },
    counts: () => Object.fromEntries(counts),
    refusedCalls: () => core.limits.refused,
    socketCount: (kind) => sockets.count(kind),
    ...byHand(matching),
    cancelAll,
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      sockets.stop()
      await close()
    },
  }
}
