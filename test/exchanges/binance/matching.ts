/**
 * The matching engine: price-time priority, all Binance Spot order types, balances free and locked, 0.1 % fee in what is received.
 * Synchronous: when `place` returns the order has matched, and the listener has been told everything in the order it happened.
 */
import { type Purse, spotPurse } from "./accounts.ts"
import type { BookSide } from "./book-side.ts"
import { multiply, UNIT } from "./fixed.ts"
import { Market } from "./market.ts"
import type { Account, ExecutionType, Fill, Order, OrderList, PublicTrade, Side, SymbolRules } from "./model.ts"
import { hasLimitPrice, hasTrigger, isOpen } from "./model.ts"
import type { OrderRequest } from "./wire/filters.ts"
import {
  duplicateOrder,
  invalidSymbol,
  unknownOrderSent,
  wouldTake,
  wouldTrigger,
  wrongRelation,
} from "./wire/refusal.ts"

export interface MatchingListener {
  /** A level has a new total; 0n when it is gone. */
  readonly onLevel: (market: Market, side: "bids" | "asks", price: bigint, total: bigint) => void
  readonly onTrade: (market: Market, trade: PublicTrade) => void
  /** Read the order at once: it goes on changing. */
  readonly onOrder: (order: Order, execution: ExecutionType, fill: Fill | undefined) => void
  /** A list was placed, or is over. */
  readonly onList?: (list: OrderList) => void
  readonly onBalances: (account: Account, assets: ReadonlyArray<string>) => void
}

/** What both legs of a list have in common is said once by Binance: symbol, side, quantity. */
export interface ListRequest {
  readonly above: OrderRequest
  readonly below: OrderRequest
  readonly listClientOrderId: string | undefined
}

/** An order, or the anonymous market. */
interface Taker {
  readonly side: Side
  readonly limit: bigint | undefined
  readonly order: Order | undefined
  left: bigint
}

export class Matching {
  readonly markets = new Map<string, Market>()
  #orderId = 1000
  #listId = 1

  constructor(
    readonly listener: MatchingListener,
    readonly now: () => number,
    readonly purse: Purse = spotPurse,
  ) {}

  addSymbol(rules: SymbolRules): Market {
    const market = new Market(rules)
    this.markets.set(rules.symbol, market)
    return market
  }

  market(symbol: string | undefined): Market {
    const market = symbol === undefined ? undefined : this.markets.get(symbol)
    if (market === undefined) throw invalidSymbol()
    return market
  }

  /** Everything `place` would refuse, without placing: also what `order/test` runs. */
  check(account: Account, request: OrderRequest): void {
    const market = this.market(request.symbol)
    market.filters.check(request, market.tape.last?.price)
    const known = request.clientOrderId === undefined ? undefined : account.byClientOrderId.get(request.clientOrderId)
    if (known !== undefined && isOpen(known)) throw duplicateOrder()
    const best = this.#opposite(market, request.side).best
    if (request.type === "LIMIT_MAKER" && best !== undefined) {
      if (this.#opposite(market, request.side).isReached(best.price, request.price)) throw wouldTake()
    }
    const last = market.tape.last?.price
    if (hasTrigger(request.type) && last !== undefined) {
      if (isTriggered(request.side, request.type, request.stopPrice ?? 0n, last)) throw wouldTrigger()
    }
  }

  /** Places, matches, and returns the order as it stands after matching; throws a `Refusal` and changes nothing. */
  place(account: Account, request: OrderRequest): Order {
    this.check(account, request)
    const market = this.market(request.symbol)
    const quantity = request.quantity ?? this.#quantityForQuote(market, account, request)
    const due = this.#reservation(market, account, request, quantity)
    const order = this.#create(account, request, { quantity, ...due })
    this.#announce(market, order, "NEW")
    if (order.isWorking) this.#match(market, order)
    else market.stops.add(order)
    return order
  }

  /** Two exits around the market, which lock their funds once. */
  placeList(account: Account, { above, below, listClientOrderId }: ListRequest): OrderList {
    const market = this.market(above.symbol)
    const last = market.tape.last?.price
    const levelOf = ({ type, price, stopPrice }: OrderRequest): bigint => (hasTrigger(type) ? stopPrice : price) ?? 0n
    if (last !== undefined && !(levelOf(below) < last && last < levelOf(above))) throw wrongRelation()
    for (const request of [above, below]) this.check(account, request)
    const quantity = above.quantity ?? 0n
    const { asset, amount } = this.#reservation(market, account, above, quantity)
    const other = this.#reservation(market, account, below, quantity).amount
    const [holder, dearer] = amount >= other ? [above, amount] : [below, other]
    const orders = [above, below].map((request) =>
      this.#create(account, request, { quantity, asset, amount: request === holder ? dearer : 0n }),
    )
    const orderListId = this.#listId++
    const { symbol } = above
    const list: OrderList = {
      orderListId,
      listClientOrderId: listClientOrderId ?? `list_${orderListId}`,
      symbol,
      orders,
    }
    for (const order of orders) order.list = list
    this.listener.onList?.(list)
    for (const order of orders) this.#announce(market, order, "NEW")
    for (const order of orders)
      if (!order.isWorking) market.stops.add(order)
      else this.#match(market, order)
    return list
  }

  /** The order begins to execute: the other one of its list ends, and what that locked is this one's. */
  #leaveList(market: Market, order: Order): void {
    const other = order.list?.orders.find((it) => it !== order)
    if (other === undefined || !isOpen(other)) return
    order.reserved += other.reserved
    other.reserved = 0n
    this.#end(market, other, "EXPIRED")
  }

  #create(
    account: Account,
    request: OrderRequest,
    { quantity, asset, amount }: { readonly quantity: bigint; readonly asset: string; readonly amount: bigint },
  ): Order {
    this.purse.reserve(account, asset, amount)
    const orderId = this.#orderId++
    const placedAt = this.now()
    const order: Order = {
      account,
      orderId,
      clientOrderId: request.clientOrderId ?? `web_${orderId}`,
      symbol: request.symbol,
      side: request.side,
      type: request.type,
      timeInForce: request.timeInForce,
      price: request.price ?? 0n,
      stopPrice: request.stopPrice ?? 0n,
      quoteOrderQuantity: request.quoteOrderQuantity ?? 0n,
      quantity,
      placedAt,
      fills: [],
      left: quantity,
      cost: 0n,
      status: "NEW",
      updatedAt: placedAt,
      isWorking: !hasTrigger(request.type),
      isResting: false,
      reserved: amount,
      reservedAsset: asset,
      ...(request.isReduceOnly === true && { isReduceOnly: true }),
    }
    account.orders.set(orderId, order)
    account.byClientOrderId.set(order.clientOrderId, order)
    return order
  }

  /** Cancels an open order; throws Binance's -2011 when there is none. */
  cancel(order: Order | undefined, symbol: string): Order {
    if (order === undefined || order.symbol !== symbol || !isOpen(order)) throw unknownOrderSent()
    this.#finish(this.market(symbol), order, "CANCELED")
    return order
  }

  /** The venue ends an open order itself. */
  expire(order: Order): void {
    if (isOpen(order)) this.#finish(this.market(order.symbol), order, "EXPIRED")
  }

  /**
   * Sets the anonymous amount of a level. Where it reaches resting orders of accounts it fills them first, as the taker; it
   * never trades with other anonymous liquidity, so whoever makes the market removes crossed levels before adding.
   */
  setLiquidity(market: Market, side: "bids" | "asks", price: bigint, quantity: bigint): void {
    const takes: Side = side === "bids" ? "BUY" : "SELL"
    const opposite = this.#opposite(market, takes)
    let left = quantity
    if (left > 0n && opposite.best !== undefined && opposite.isReached(opposite.best.price, price)) {
      for (const { price: at, entry } of [...opposite.reachable(price)]) {
        if (left === 0n || entry.order === undefined) continue
        const part = entry.left < left ? entry.left : left
        left -= part
        const level = opposite.level(at)
        if (level !== undefined) this.#level(market, opposite, at, opposite.take(level, entry, part))
        this.#trade(market, takes, undefined, entry.order, at, part)
      }
    }
    const own = side === "bids" ? market.bids : market.asks
    const before = own.level(price)?.total ?? 0n
    const total = own.setAnonymous(price, left)
    if (total !== before) this.#level(market, own, price, total)
    this.#triggerStops(market)
  }

  /** Matches an open order that stands in no book, and rests what is left: how an amended order goes on. */
  work(market: Market, order: Order): void {
    this.#match(market, order)
  }

  /** Whether an order at this price would find all of its quantity now. */
  couldFill(market: Market, account: Account, { side, price, quantity = 0n }: OrderRequest): boolean {
    return this.#reach(market, side, account, price, quantity).quantity >= quantity
  }

  /** A market order by nobody: how the synthetic market trades. */
  takeAnonymously(market: Market, side: Side, quantity: bigint): void {
    this.#sweep(market, { side, limit: undefined, order: undefined, left: quantity })
    this.#triggerStops(market)
  }

  #match(market: Market, order: Order): void {
    const limit = hasLimitPrice(order.type) ? order.price : undefined
    const reach = this.#reach(market, order.side, order.account, limit, order.left)
    if (order.timeInForce === "FOK" && reach.quantity < order.left) {
      this.#finish(market, order, "EXPIRED")
      return
    }
    this.#sweep(market, { side: order.side, limit, order, left: order.left })
    if (isOpen(order)) {
      if (limit === undefined || order.timeInForce === "IOC" || order.left === 0n) {
        this.#finish(market, order, "EXPIRED")
      } else {
        const own = order.side === "BUY" ? market.bids : market.asks
        own.rest(order.price, { order, left: order.left })
        order.isResting = true
        this.#level(market, own, order.price, own.level(order.price)?.total ?? 0n)
      }
    }
    this.#triggerStops(market)
  }

  #sweep(market: Market, taker: Taker): void {
    const opposite = this.#opposite(market, taker.side)
    for (let level = opposite.best; level !== undefined && taker.left > 0n; level = opposite.best) {
      const entry = level.queue[0]
      if (entry === undefined || !opposite.isReached(level.price, taker.limit)) return
      if (entry.order !== undefined && entry.order.account === taker.order?.account) {
        // Self-trade prevention EXPIRE_MAKER, Binance's default.
        this.#finish(market, entry.order, "EXPIRED_IN_MATCH")
        continue
      }
      const quantity = entry.left < taker.left ? entry.left : taker.left
      const { price } = level
      taker.left -= quantity
      this.#level(market, opposite, price, opposite.take(level, entry, quantity))
      this.#trade(market, taker.side, taker.order, entry.order, price, quantity)
    }
  }

  #trade(
    market: Market,
    takes: Side,
    taker: Order | undefined,
    maker: Order | undefined,
    price: bigint,
    quantity: bigint,
  ): void {
    const trade = {
      tradeId: market.nextTradeId++,
      price,
      quantity,
      tradedAt: this.now(),
      isBuyerMaker: takes === "SELL",
    }
    market.tape.add(trade)
    this.listener.onTrade(market, trade)
    for (const order of [taker, maker]) {
      if (order === undefined) continue
      this.#leaveList(market, order)
      const fill = this.purse.fill(market.rules, order, trade, order === maker)
      this.#announce(market, order, "TRADE", fill)
      this.#tellList(order)
    }
  }

  /** One of a list takes the other with it. */
  #finish(market: Market, order: Order, status: "CANCELED" | "EXPIRED" | "EXPIRED_IN_MATCH"): void {
    this.#end(market, order, status)
    for (const other of order.list?.orders ?? [])
      if (isOpen(other)) this.#end(market, other, status === "CANCELED" ? "CANCELED" : "EXPIRED")
    this.#tellList(order)
  }

  #tellList({ list }: Order): void {
    if (list !== undefined && !list.orders.some(isOpen)) this.listener.onList?.(list)
  }

  #end(market: Market, order: Order, status: "CANCELED" | "EXPIRED" | "EXPIRED_IN_MATCH"): void {
    if (order.isResting) {
      const own = order.side === "BUY" ? market.bids : market.asks
      this.#level(market, own, order.price, own.remove(order))
      order.isResting = false
    }
    market.stops.delete(order)
    order.status = status
    order.updatedAt = this.now()
    this.purse.release(order, order.reserved)
    this.#announce(market, order, status === "EXPIRED_IN_MATCH" ? "TRADE_PREVENTION" : status)
  }

  #triggerStops(market: Market): void {
    const last = market.tape.last?.price
    if (last === undefined) return
    for (const order of market.stops) {
      if (!isTriggered(order.side, order.type, order.stopPrice, last)) continue
      market.stops.delete(order)
      order.isWorking = true
      order.updatedAt = this.now()
      this.#leaveList(market, order)
      // As the venue does it: a second NEW, on the book now.
      this.#announce(market, order, "NEW")
      if (order.side === "BUY" && !hasLimitPrice(order.type) && !this.#reserveAgain(market, order)) {
        this.#finish(market, order, "EXPIRED")
      } else this.#match(market, order)
    }
  }

  /** A stop without a price was reserved at its trigger; what it costs is known only now. */
  #reserveAgain(market: Market, order: Order): boolean {
    this.purse.release(order, order.reserved)
    const { cost } = this.#reach(market, order.side, order.account, undefined, order.left)
    try {
      this.purse.reserve(order.account, order.reservedAsset, cost)
    } catch {
      return false
    }
    order.reserved = cost
    return true
  }

  /** What an order could take now from others, at most `wanted`, and its exact cost fill by fill. */
  #reach(market: Market, side: Side, account: Account, limit: bigint | undefined, wanted: bigint) {
    let quantity = 0n
    let cost = 0n
    for (const { price, entry } of this.#opposite(market, side).reachable(limit)) {
      if (quantity === wanted) break
      if (entry.order?.account === account) continue
      const part = entry.left < wanted - quantity ? entry.left : wanted - quantity
      quantity += part
      cost += multiply(price, part)
    }
    return { quantity, cost }
  }

  /** The quantity, in whole steps, that an amount of quote asset buys or must be sold for at the book of this moment. */
  #quantityForQuote(market: Market, account: Account, request: OrderRequest): bigint {
    let quote = request.quoteOrderQuantity ?? 0n
    let quantity = 0n
    for (const { price, entry } of this.#opposite(market, request.side).reachable(undefined)) {
      if (entry.order?.account === account) continue
      const affordable = (quote * UNIT) / price
      const part = entry.left < affordable ? entry.left : affordable - (affordable % market.filters.stepSize)
      quantity += part
      quote -= multiply(price, part)
      if (part < entry.left) break
    }
    return quantity
  }

  #reservation(market: Market, account: Account, request: OrderRequest, quantity: bigint) {
    const { side, isReduceOnly = false } = request
    return this.purse.due({ account, side, quantity, isReduceOnly }, market.rules, () => {
      const price = hasLimitPrice(request.type) ? request.price : request.stopPrice
      if (price !== undefined && request.type !== "MARKET") return multiply(price, quantity)
      return this.#reach(market, side, account, undefined, quantity).cost
    })
  }

  #opposite(market: Market, side: Side): BookSide {
    return side === "BUY" ? market.asks : market.bids
  }

  #level(market: Market, side: BookSide, price: bigint, total: bigint): void {
    market.updateId += 1
    this.listener.onLevel(market, side.side, price, total)
  }

  #announce(market: Market, order: Order, execution: ExecutionType, fill?: Fill): void {
    this.listener.onOrder(order, execution, fill)
    this.listener.onBalances(order.account, [market.rules.base, market.rules.quote])
  }
}

const isTriggered = (side: Side, type: string, stopPrice: bigint, last: bigint): boolean => {
  const waitsForRise = (side === "BUY") === type.startsWith("STOP_LOSS")
  return waitsForRise ? last >= stopPrice : last <= stopPrice
}
