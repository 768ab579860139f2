/**
 * The money of contracts: an order puts up a margin of its notional by the leverage of its symbol, a fill moves the position, and what is
 * realized and every fee go to the wallet, in the settlement asset. Cross margin, one asset, one position a symbol.
 */
import { execute, filled, type Purse } from "../binance/accounts.ts"
import { multiply } from "../binance/fixed.ts"
import { balanceOf, type Fill, isOpen, type Order, type PublicTrade, type SymbolRules } from "../binance/model.ts"
import { entryPriceOf, leverageOf, type MarginAccount, positionOf, sizeOf, unrealizedOf } from "./model.ts"
import { insufficientMargin } from "./refusal.ts"

/** Of a taker 0.04 %, of a maker 0.02 %. */
const TAKER_DIVISOR = 2500n
const MAKER_DIVISOR = 5000n

export interface Margins {
  readonly wallet: bigint
  readonly unrealized: bigint
  readonly ofPositions: bigint
  readonly ofOrders: bigint
  readonly available: bigint
}

export class MarginPurse implements Purse {
  constructor(
    /** The account as this venue keeps it, by its key. */
    readonly accountOf: (apiKey: string) => MarginAccount | undefined,
    readonly markOf: (symbol: string) => bigint,
    readonly rulesOf: (symbol: string) => SymbolRules | undefined,
  ) {}

  marginsOf(account: MarginAccount, asset: string): Margins {
    const wallet = balanceOf(account, asset).free
    let [unrealized, ofPositions, ofOrders] = [0n, 0n, 0n]
    for (const [symbol, position] of account.positions) {
      if (position.amount === 0n || this.rulesOf(symbol)?.quote !== asset) continue
      const mark = this.markOf(symbol)
      unrealized += unrealizedOf(position, mark)
      ofPositions += multiply(mark, sizeOf(position.amount)) / BigInt(leverageOf(account, symbol))
    }
    for (const order of account.orders.values())
      if (isOpen(order) && order.reservedAsset === asset) ofOrders += order.reserved
    const available = wallet + unrealized - ofPositions - ofOrders
    return { wallet, unrealized, ofPositions, ofOrders, available: available < 0n ? 0n : available }
  }

  readonly due: Purse["due"] = ({ account, side, quantity, isReduceOnly }, rules, cost) => {
    const own = this.#own(account.apiKey)
    const { amount } = positionOf(own, rules.symbol)
    const closes = side === "BUY" ? amount < 0n : amount > 0n
    if (isReduceOnly || (closes && sizeOf(amount) >= quantity)) return { asset: rules.quote, amount: 0n }
    return { asset: rules.quote, amount: cost() / BigInt(leverageOf(own, rules.symbol)) }
  }

  readonly reserve: Purse["reserve"] = (account, asset, amount) => {
    if (amount > this.marginsOf(this.#own(account.apiKey), asset).available) throw insufficientMargin()
  }

  readonly release: Purse["release"] = (order, amount) => {
    order.reserved -= amount
  }

  readonly fill = (rules: SymbolRules, order: Order, trade: PublicTrade, isMaker: boolean): Fill => {
    const account = this.#own(order.account.apiKey)
    const cost = multiply(trade.price, trade.quantity)
    const before = order.left
    execute(order, trade, cost)
    order.reserved = (order.reserved * order.left) / before
    const fee = cost / (isMaker ? MAKER_DIVISOR : TAKER_DIVISOR)
    const realized = move(account, rules.symbol, order.side === "BUY" ? trade.quantity : -trade.quantity, trade)
    balanceOf(account, rules.quote).free += realized - fee
    const fill = filled(order, trade, { cost, fee, feeAsset: rules.quote, isMaker })
    this.realized.set(fill, realized)
    return fill
  }

  /** What each fill realized. */
  readonly realized = new WeakMap<Fill, bigint>()

  #own(apiKey: string): MarginAccount {
    const own = this.accountOf(apiKey)
    if (own === undefined) throw new Error(`no futures account has the key ${apiKey}`)
    return own
  }
}

/** Answers what the trade realized. */
const move = (account: MarginAccount, symbol: string, change: bigint, { price, tradedAt }: PublicTrade): bigint => {
  const position = positionOf(account, symbol)
  const { amount } = position
  const entry = entryPriceOf(position)
  const after = amount + change
  position.amount = after
  position.updatedAt = tradedAt
  const isOpposite = amount !== 0n && amount > 0n !== change > 0n
  if (!isOpposite) {
    position.entryCost += multiply(price, sizeOf(change))
    return 0n
  }
  const closed = sizeOf(change) < sizeOf(amount) ? sizeOf(change) : sizeOf(amount)
  const gain = multiply(price, closed) - multiply(entry, closed)
  const realized = amount > 0n ? gain : -gain
  position.realized += realized
  const isTurned = after !== 0n && after > 0n !== amount > 0n
  position.entryCost =
    after === 0n ? 0n : isTurned ? multiply(price, sizeOf(after)) : position.entryCost - multiply(entry, closed)
  return realized
}
