/**
 * Fees of venues that take them in the quote asset: a share of what a fill costs, for which a limit buy puts something aside. The matching engine
 * keeps Binance's fee in what is received: that one is given back.
 */
import { multiply } from "./binance/fixed.ts"
import { balanceOf, type Fill, type Order } from "./binance/model.ts"

const PER_MILLE = 1000n

export interface PaidFee {
  readonly asset: string
  readonly amount: bigint
}

export interface QuoteFeeRules {
  readonly takerPerMille: bigint
  readonly makerPerMille: bigint
  /** What the venue answers where an account cannot pay. */
  readonly insufficient: () => Error
  /** Of an account that pays its fees in another asset: what it pays there for so much of the quote asset. */
  readonly elsewhere?: (order: Order, fee: bigint) => PaidFee | undefined
}

const quoteOf = ({ symbol }: Order): string => symbol.split("-")[1] ?? ""

export class QuoteFees {
  readonly #rules: QuoteFeeRules
  /** Put aside, in the quote asset. */
  readonly #held = new WeakMap<Order, bigint>()
  readonly #paid = new WeakMap<Fill, PaidFee>()

  constructor(rules: QuoteFeeRules) {
    this.#rules = rules
  }

  heldOf(order: Order): bigint {
    return this.#held.get(order) ?? 0n
  }

  paidFor(fill: Fill): PaidFee {
    return this.#paid.get(fill) ?? { asset: fill.symbol.split("-")[1] ?? "", amount: 0n }
  }

  /** What a market buy may spend of an amount that includes its fee. */
  withoutFee(amount: bigint): bigint {
    return (amount * PER_MILLE) / (PER_MILLE + this.#rules.takerPerMille)
  }

  /** Beside what the engine reserves. */
  needed(side: Order["side"], cost: bigint): bigint {
    return side === "BUY" ? (cost * this.#rules.takerPerMille) / PER_MILLE : 0n
  }

  /** Throws where the account cannot pay it. */
  hold(order: Order, amount: bigint): void {
    const balance = balanceOf(order.account, quoteOf(order))
    if (balance.free < amount) throw this.#rules.insufficient()
    balance.free -= amount
    balance.locked += amount
    this.#held.set(order, this.heldOf(order) + amount)
  }

  /** Gives back all but `needed`. */
  release(order: Order, needed: bigint): void {
    const amount = this.heldOf(order) - needed
    if (amount <= 0n) return
    const balance = balanceOf(order.account, quoteOf(order))
    balance.locked -= amount
    balance.free += amount
    this.#held.set(order, needed)
  }

  /** Books the venue's fee of a fill in place of the engine's. */
  charge(order: Order, fill: Fill): void {
    const { makerPerMille, takerPerMille, elsewhere } = this.#rules
    balanceOf(order.account, fill.feeAsset).free += fill.fee
    const fee = (fill.cost * (fill.isMaker ? makerPerMille : takerPerMille)) / PER_MILLE
    const other = elsewhere?.(order, fee)
    this.#paid.set(fill, other ?? { asset: quoteOf(order), amount: fee })
    if (other === undefined) this.#payHeld(order, fee)
    else balanceOf(order.account, other.asset).free -= other.amount
    if (order.type === "LIMIT") this.release(order, this.needed(order.side, multiply(order.price, order.left)))
  }

  #payHeld(order: Order, fee: bigint): void {
    const balance = balanceOf(order.account, quoteOf(order))
    const known = this.heldOf(order)
    const held = fee < known ? fee : known
    balance.locked -= held
    this.#held.set(order, known - held)
    balance.free -= fee - held
  }
}
