/**
 * Kraken's orders in front of the matching engine: ids, words, fees, how orders end. The engine matches; every step of its is told
 * here as an execution. A post-only order that would take is accepted first and cancelled at once, as at the venue.
 */

import type { BookSide } from "../binance/book-side.ts"
import { multiply } from "../binance/fixed.ts"
import type { Matching } from "../binance/matching.ts"
import type { ExecutionType, Fill, Order } from "../binance/model.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import { chargeFee, feeAssetOf, feeNeeded, holdFee, releaseFee } from "./fees.ts"
import type { Ids } from "./ids.ts"
import { type ExecType, isOpen, type KrakenAccount, type KrakenFill, type KrakenOrder } from "./model.ts"
import type { PlaceRequest } from "./wire/order-request.ts"
import { inOurWords, invalidArguments, unknownOrder } from "./wire/refusal.ts"

/** The matching engine's words. */
const STOP_TYPES = {
  "stop-loss": { limit: "STOP_LOSS_LIMIT", market: "STOP_LOSS" },
  "take-profit": { limit: "TAKE_PROFIT_LIMIT", market: "TAKE_PROFIT" },
} as const

export type OnExecution = (order: KrakenOrder, exec: ExecType, fill: KrakenFill | undefined) => void

export class OrderDesk {
  readonly #byTxid = new Map<string, KrakenOrder>()
  readonly #byWorking = new WeakMap<Order, KrakenOrder>()
  readonly #fills = new Map<KrakenAccount, Array<KrakenFill>>()
  /** Whose engine order is being made. */
  #placing: KrakenOrder | undefined
  /** Why the engine's next cancel happens; undefined while an order is only moved. */
  #ending: { readonly status: "canceled" | "expired"; readonly reason: string } | undefined

  constructor(
    readonly matching: () => Matching,
    readonly ids: Ids,
    readonly now: () => number,
    readonly tell: OnExecution,
  ) {}

  find(account: KrakenAccount, txid: string): KrakenOrder | undefined {
    const order = this.#byTxid.get(txid)
    return order?.account === account ? order : undefined
  }

  /** Oldest first. */
  ordersOf(account: KrakenAccount): ReadonlyArray<KrakenOrder> {
    return [...this.#byTxid.values()].filter((order) => order.account === account)
  }

  /** Oldest first. */
  fillsOf(account: KrakenAccount): ReadonlyArray<KrakenFill> {
    return this.#fills.get(account) ?? []
  }

  /** Everything `place` would refuse, without placing: what `validate` runs. */
  check(account: KrakenAccount, ask: PlaceRequest): void {
    const same = this.ordersOf(account).some((order) => isOpen(order) && order.clOrdId === ask.clOrdId)
    if (ask.clOrdId !== undefined && same) throw invalidArguments("cl_ord_id not unique")
    try {
      this.matching().check(account, this.#engineRequest(ask, ask.quantity))
    } catch (cause) {
      throw inOurWords(cause)
    }
  }

  place(account: KrakenAccount, ask: PlaceRequest): KrakenOrder {
    this.check(account, ask)
    const order: KrakenOrder = {
      ...ask,
      // Its own: it triggers.
      stop: ask.stop === undefined ? undefined : { ...ask.stop },
      account,
      txid: this.ids.order(),
      openedAt: this.now(),
      fills: [],
      executed: 0n,
      cost: 0n,
      fee: 0n,
      status: "pending",
      reason: undefined,
      closedAt: undefined,
      feeHeld: 0n,
      working: undefined,
    }
    // What a stop meets is seen when it triggers.
    const before = order.stop === undefined ? this.#beforeOwn(order) : undefined
    if ((ask.isPostOnly && this.wouldTake(order, order.price)) || before === 0n) {
      this.#register(order)
      this.tell(order, "pending_new", undefined)
      this.#end(order, "canceled", before === 0n ? "Self trade prevention" : "Post only order")
      return order
    }
    this.#work(order, before === undefined ? order.quantity : before)
    if (before !== undefined && isOpen(order)) this.#end(order, "canceled", "Self trade prevention")
    return order
  }

  /** Ends an open order; throws Kraken's word for one that is over. */
  cancel(order: KrakenOrder, reason = "User requested", status: "canceled" | "expired" = "canceled"): void {
    if (!isOpen(order) || order.working === undefined) throw unknownOrder()
    this.#ending = { status, reason }
    this.matching().cancel(order.working, order.pair.symbol)
  }

  /** Changes price and quantity in place: id and fills stay, the place in the queue is lost. */
  amend(order: KrakenOrder, price: bigint, quantity: bigint, stopPrice?: bigint): void {
    const { working, stop } = order
    if (!isOpen(order) || working === undefined) throw unknownOrder()
    if (quantity <= order.executed) throw invalidArguments("volume")
    if (stopPrice !== undefined && (stop === undefined || stop.isTriggered)) throw invalidArguments("trigger_price")
    const before = { price: order.price, quantity: order.quantity }
    const stopBefore = stop?.price
    if (stop !== undefined) stop.price = stopPrice ?? stop.price
    this.#ending = undefined
    this.matching().cancel(working, order.pair.symbol)
    releaseFee(order, 0n)
    Object.assign(order, { price, quantity })
    try {
      this.#work(order, quantity - order.executed, true)
    } catch (cause) {
      Object.assign(order, before)
      if (stop !== undefined) stop.price = stopBefore ?? stop.price
      this.#work(order, before.quantity - order.executed, true)
      throw cause
    }
    this.tell(order, "amended", undefined)
  }

  /** GTD orders whose time is over. */
  expire(): void {
    const now = this.now()
    for (const order of this.#byTxid.values()) {
      if (isOpen(order) && order.expireAt !== undefined && order.expireAt <= now)
        this.cancel(order, "Expired", "expired")
    }
  }

  /** A step of the matching engine. */
  onStep(working: Order, step: ExecutionType, fill: Fill | undefined): void {
    const known = this.#byWorking.get(working) ?? this.#placing
    if (known === undefined) return
    if (step === "NEW") this.#started(known, working)
    else if (step === "TRADE" && fill !== undefined) this.#traded(known, fill)
    else if (step === "TRADE_PREVENTION") this.#end(known, "canceled", "Self trade prevention")
    else if (step === "EXPIRED") this.#end(known, "canceled", "Not enough liquidity within the limit")
    else if (this.#ending !== undefined) {
      const { status, reason } = this.#ending
      this.#ending = undefined
      this.#end(known, status, reason)
    }
  }

  #started(order: KrakenOrder, working: Order): void {
    this.#byWorking.set(working, order)
    order.working = working
    const { stop } = order
    if (stop !== undefined && order.status === "open" && working.isWorking && !stop.isTriggered) {
      stop.isTriggered = true
      this.tell(order, "triggered", undefined)
    }
    if (order.status === "open") return
    this.#register(order)
    this.tell(order, "pending_new", undefined)
    order.status = "open"
    this.tell(order, "new", undefined)
  }

  #traded(order: KrakenOrder, fill: Fill): void {
    order.executed += fill.quantity
    order.cost += fill.cost
    const fee = chargeFee(order, fill)
    order.fee += fee
    const own: KrakenFill = {
      execId: this.ids.trade(),
      tradeId: fill.tradeId,
      order,
      price: fill.price,
      quantity: fill.quantity,
      cost: fill.cost,
      fee,
      feeAsset: feeAssetOf(order),
      filledAt: fill.filledAt,
      isMaker: fill.isMaker,
    }
    order.fills.push(own)
    this.#fills.set(order.account, [...this.fillsOf(order.account), own])
    this.tell(order, "trade", own)
    const isWhole = order.isByCost ? order.working?.left === 0n : order.executed === order.quantity
    if (!isWhole) return
    order.status = "closed"
    order.closedAt = this.now()
    releaseFee(order, 0n)
    this.tell(order, "filled", undefined)
  }

  #end(order: KrakenOrder, status: "canceled" | "expired", reason: string): void {
    order.status = status
    order.reason = reason
    order.closedAt = this.now()
    releaseFee(order, 0n)
    this.tell(order, status, undefined)
  }

  #register(order: KrakenOrder): void {
    this.#byTxid.set(order.txid, order)
  }

  /** Hands (the rest of) an order to the engine, its fee put aside first. */
  #work(order: KrakenOrder, quantity: bigint, isAmended = false): void {
    const named = order.kind === "limit" ? order.price : order.stop?.price
    const cost = named === undefined ? this.#costNow(order, quantity) : multiply(named, quantity)
    holdFee(order, order.isByCost ? feeNeeded(order, quantity, 0n) : feeNeeded(order, cost, quantity))
    this.#placing = order
    try {
      const clOrdId = isAmended ? undefined : order.clOrdId
      this.matching().place(order.account, this.#engineRequest({ ...order, clOrdId }, quantity))
    } catch (cause) {
      releaseFee(order, 0n)
      throw inOurWords(cause)
    } finally {
      this.#placing = undefined
    }
  }

  #engineRequest(
    ask: Pick<PlaceRequest, "pair" | "side" | "kind" | "timeInForce" | "price" | "isByCost" | "clOrdId" | "stop">,
    quantity: bigint,
  ): OrderRequest {
    const isLimit = ask.kind === "limit"
    const stop = ask.stop === undefined || ask.stop.isTriggered ? undefined : ask.stop
    return {
      symbol: ask.pair.symbol,
      side: ask.side === "buy" ? "BUY" : "SELL",
      type: stop === undefined ? (isLimit ? "LIMIT" : "MARKET") : STOP_TYPES[stop.kind][isLimit ? "limit" : "market"],
      timeInForce: isLimit && ask.timeInForce === "IOC" ? "IOC" : "GTC",
      quantity: ask.isByCost ? undefined : quantity,
      quoteOrderQuantity: ask.isByCost ? quantity : undefined,
      price: isLimit ? ask.price : undefined,
      stopPrice: stop?.price,
      clientOrderId: ask.clOrdId,
    }
  }

  #opposite({ pair, side }: KrakenOrder): BookSide {
    const market = this.matching().market(pair.symbol)
    return side === "buy" ? market.asks : market.bids
  }

  wouldTake(order: KrakenOrder, price: bigint): boolean {
    const side = this.#opposite(order)
    return side.best !== undefined && side.isReached(side.best.price, price)
  }

  /**
   * Self trade prevention cancels the newer order where it meets an older one of the same account: how much it takes from others
   * before, undefined when it never gets there.
   */
  #beforeOwn(order: KrakenOrder): bigint | undefined {
    if (order.isByCost) return undefined
    let taken = 0n
    for (const { entry } of this.#opposite(order).reachable(order.kind === "limit" ? order.price : undefined)) {
      if (entry.order?.account === order.account) return taken
      taken += entry.left
      if (taken >= order.quantity) return undefined
    }
    return undefined
  }

  /** Of a market order by quantity, at the book of this moment. */
  #costNow(order: KrakenOrder, quantity: bigint): bigint {
    let left = quantity
    let cost = 0n
    for (const { price, entry } of this.#opposite(order).reachable(undefined)) {
      const part = entry.left < left ? entry.left : left
      cost += multiply(price, part)
      left -= part
      if (left === 0n) break
    }
    return cost
  }
}
