/**
 * What one request to the ledger moves for a market: for each trade both assets between two wallets, a fee per order to the house, and the holds
 * of the orders concerned, released before they pay and made again for what remains. The one thing to know: nothing here has happened until the
 * ledger confirms it; images, reports and levels wait for that.
 */
import { Decimal } from "../../domain/decimal.ts"
import type { TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import {
  feeOf,
  type InternalFees,
  type InternalOrder,
  type InternalTrade,
  internalOrderRow,
  internalTradeRow,
  restOf,
} from "../../domain/order/internal-order.ts"
import { accountingWalletId, type WalletId } from "../../domain/wallet/wallet.ts"
import type { LedgerFact, Transfer } from "../../ports/ledger-port.ts"
import type { SessionReport } from "../../ports/venue-session.ts"
import type { MatchSide } from "../matching/matcher.ts"

export interface SettlementParts {
  readonly instrument: Instrument
  readonly fees: InternalFees
  readonly uuid: () => string
  readonly at: number
}

/** What an order's rest needs: of a market buy, whose price is not known, all that is left of what was held for it. */
export const holdOf = (order: InternalOrder): Decimal => {
  if (order.orderSide === "SELL") return restOf(order)
  return order.limitPrice === null ? order.held : order.limitPrice.multiply(restOf(order))
}

/** The transfer that holds it. The payee is not known yet. */
export const pendingOf = (order: InternalOrder, instrument: Instrument, holdId: string, amount: Decimal): Transfer => ({
  transferId: holdId,
  kind: "pending",
  pendingId: null,
  debitWalletId: order.walletId,
  creditWalletId: accountingWalletId(order.tenantId, "CLEARING"),
  asset: order.orderSide === "BUY" ? instrument.quoteAsset : instrument.baseAsset,
  amount,
  code: "HOLD",
  reference: order.tradeOrderId,
  expiresAt: null,
})

export const voidOf = (order: InternalOrder, pendingId: string, transferId: string): Transfer => ({
  transferId,
  kind: "void",
  pendingId,
  amount: null,
  code: "RELEASE",
  reference: order.tradeOrderId,
})

export const orderFact = (order: InternalOrder): LedgerFact => ({ tag: "internal_order", row: internalOrderRow(order) })
export const tradeFact = (trade: InternalTrade): LedgerFact => ({ tag: "internal_trade", row: internalTradeRow(trade) })

export class Settlement {
  readonly transfers: Array<Transfer> = []
  /** Beside each transfer, the orders that it is about: one of them is to blame when the ledger refuses it. */
  readonly concerned: Array<ReadonlyArray<TradeOrderId>> = []
  readonly trades: Array<InternalTrade> = []
  readonly reports: Array<readonly [TradingAccountId, SessionReport]> = []
  readonly levels: Array<{ readonly side: MatchSide; readonly price: bigint; readonly quantity: bigint }> = []
  /** Every order that is other than before, as it will be. */
  readonly images = new Map<TradeOrderId, InternalOrder>()
  readonly #parts: SettlementParts
  /** Whose row is to be written. */
  readonly #changed = new Set<TradeOrderId>()
  readonly #freed = new Set<TradeOrderId>()
  readonly #fees = new Map<TradeOrderId, { readonly asset: string; amount: Decimal }>()

  constructor(parts: SettlementParts) {
    this.#parts = parts
  }

  get at(): number {
    return this.#parts.at
  }

  /** Nothing for the ledger: what it says may be said at once. */
  get isEmpty(): boolean {
    return this.#changed.size === 0
  }

  /** Transfers that it will have at most, once it is finished. */
  get size(): number {
    return this.transfers.length + 2 * this.#freed.size
  }

  /** The order is on its way to the book or on it; its row says so already. */
  know(order: InternalOrder): void {
    this.images.set(order.tradeOrderId, order)
  }

  image(id: TradeOrderId): InternalOrder | undefined {
    return this.images.get(id)
  }

  report(order: InternalOrder, report: SessionReport): void {
    this.reports.push([order.tradingAccountId, report])
  }

  trade(maker: InternalOrder, taker: InternalOrder, price: Decimal, quantity: Decimal): void {
    const { instrument, fees, uuid, at } = this.#parts
    const cost = price.multiply(quantity)
    const [buyer, seller] = taker.orderSide === "BUY" ? [taker, maker] : [maker, taker]
    this.#free(buyer)
    this.#free(seller)
    const tradeId = uuid()
    const both = [buyer.tradeOrderId, seller.tradeOrderId]
    this.#pay(buyer.walletId, seller.walletId, instrument.quoteAsset, cost, tradeId, both)
    this.#pay(seller.walletId, buyer.walletId, instrument.baseAsset, quantity, tradeId, [...both].reverse())
    const feeFor = (order: InternalOrder, rate: Decimal): Decimal => {
      const isBuy = order.orderSide === "BUY"
      const amount = feeOf(isBuy ? quantity : cost, rate)
      const asset = isBuy ? instrument.baseAsset : instrument.quoteAsset
      const known = this.#fees.get(order.tradeOrderId)
      if (known === undefined) this.#fees.set(order.tradeOrderId, { asset, amount })
      else known.amount = known.amount.add(amount)
      return amount
    }
    this.trades.push({
      tradeId,
      instrumentId: instrument.instrumentId,
      price,
      quantity,
      takerSide: taker.orderSide,
      makerOrderId: maker.tradeOrderId,
      makerAccountId: maker.tradingAccountId,
      makerFee: feeFor(maker, fees.makerRate),
      takerOrderId: taker.tradeOrderId,
      takerAccountId: taker.tradingAccountId,
      takerFee: feeFor(taker, fees.takerRate),
      quoteId: null,
      executedAt: at,
    })
    for (const order of [maker, taker]) {
      const executed = order.executed.add(quantity)
      const held = order === buyer && order.limitPrice === null ? order.held.subtract(cost) : order.held
      const isFilled = executed.equals(order.quantity)
      const status = isFilled ? "FILLED" : order.status
      this.change({ ...order, executed, held, status, updatedAt: at })
    }
  }

  /** The order is over, or other than it was; its hold is let go, and taken anew if it is open. */
  change(order: InternalOrder): void {
    this.#free(order)
    this.#changed.add(order.tradeOrderId)
    this.images.set(order.tradeOrderId, order)
  }

  /** Fees, new holds and rows: then it is ready for the ledger. */
  finish(): ReadonlyArray<LedgerFact> {
    const { instrument, uuid } = this.#parts
    for (const [id, { asset, amount }] of this.#fees) {
      const { walletId, tenantId, tradeOrderId } = this.images.get(id)!
      if (amount.isPositive())
        this.#pay(walletId, accountingWalletId(tenantId, "FEES"), asset, amount, tradeOrderId, [tradeOrderId], "FEE")
    }
    const facts: Array<LedgerFact> = []
    for (const id of this.#changed) {
      const order = this.images.get(id)!
      const amount = holdOf(order)
      const isHeld = order.status === "OPEN" && amount.isPositive()
      const holdId = isHeld ? uuid() : null
      if (holdId !== null) this.#add(pendingOf(order, instrument, holdId, amount), [id])
      const stored = { ...order, holdId, held: isHeld ? amount : Decimal.ZERO }
      this.images.set(id, stored)
      facts.push(orderFact(stored))
    }
    for (const trade of this.trades) facts.push(tradeFact(trade))
    return facts
  }

  #free(order: InternalOrder): void {
    if (order.holdId === null || this.#freed.has(order.tradeOrderId)) return
    this.#freed.add(order.tradeOrderId)
    this.#add(voidOf(order, order.holdId, this.#parts.uuid()), [order.tradeOrderId])
  }

  #pay(
    debitWalletId: WalletId,
    creditWalletId: WalletId,
    asset: string,
    amount: Decimal,
    reference: string,
    concerned: ReadonlyArray<TradeOrderId>,
    code: "TRADE" | "FEE" = "TRADE",
  ): void {
    const common = { debitWalletId, creditWalletId, asset, amount, reference, code }
    this.#add(
      { ...common, transferId: this.#parts.uuid(), kind: "single", pendingId: null, expiresAt: null },
      concerned,
    )
  }

  #add(transfer: Transfer, concerned: ReadonlyArray<TradeOrderId>): void {
    this.transfers.push(transfer)
    this.concerned.push(concerned)
  }
}
