/** Orders and trades of the platform's own venue as session reports. */

import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import type { InternalOrder, InternalTrade } from "../../domain/order/internal-order.ts"
import type { OrderSide } from "../../domain/order/trade-order.ts"
import type { VenueFill, VenueOrderState } from "../../ports/venue-session.ts"
import { orderState } from "../order-state.ts"

export const stateOf = (order: InternalOrder): VenueOrderState => orderState(order, order.tradeOrderId, order)

/** An order of the account that a quote has filled. */
export const quotedStateOf = (trade: InternalTrade): VenueOrderState => {
  const { takerOrderId: tradeOrderId, instrumentId, takerSide: orderSide, price, quantity, executedAt: at } = trade
  return orderState({ tradeOrderId, instrumentId, orderSide, orderType: "LIMIT", timeInForce: "FOK" }, tradeOrderId, {
    limitPrice: price,
    quantity,
    executed: quantity,
    status: "FILLED",
    ending: null,
    createdAt: at,
    updatedAt: at,
  })
}

const opposite = (side: OrderSide): OrderSide => (side === "BUY" ? "SELL" : "BUY")

/** A trade as one of its two accounts sees it; null for a side that has no order. */
export const fillOf = (
  trade: InternalTrade,
  side: "maker" | "taker",
  { baseAsset, quoteAsset }: Pick<Instrument, "baseAsset" | "quoteAsset">,
): VenueFill | null => {
  const isTaker = side === "taker"
  const tradeOrderId = isTaker ? trade.takerOrderId : trade.makerOrderId
  if (tradeOrderId === null) return null
  const orderSide = isTaker ? trade.takerSide : opposite(trade.takerSide)
  const fee = isTaker ? trade.takerFee : trade.makerFee
  const asset = orderSide === "BUY" ? baseAsset : quoteAsset
  return {
    tradeOrderId,
    externalOrderId: tradeOrderId,
    externalTradeId: trade.tradeId,
    instrumentId: trade.instrumentId,
    orderSide,
    quantity: trade.quantity.toString(),
    price: trade.price.toString(),
    fees: fee.isPositive() ? [{ asset, quantity: fee.toString() }] : [],
    executedAt: trade.executedAt,
  }
}

/** The sides of a trade that an account has an order on. */
export const fillsOf = (
  trade: InternalTrade,
  account: TradingAccountId,
  assets: Pick<Instrument, "baseAsset" | "quoteAsset">,
): ReadonlyArray<VenueFill> =>
  (["maker", "taker"] as const).flatMap((side) => {
    const owner = side === "taker" ? trade.takerAccountId : trade.makerAccountId
    const fill = owner === account ? fillOf(trade, side, assets) : null
    return fill === null ? [] : [fill]
  })

export const acceptedOf = (order: InternalOrder, at: number) =>
  ({ _tag: "Accepted", tradeOrderId: order.tradeOrderId, externalOrderId: order.tradeOrderId, at }) as const

export const changedOf = (order: InternalOrder, askedAt: number, at: number) =>
  ({ ...acceptedOf(order, at), _tag: "AmendAccepted", askedAt }) as const

export const refusedOf = (tradeOrderId: TradeOrderId, code: string, text: string, at: number) =>
  ({ _tag: "Refused", tradeOrderId, code, text, at }) as const

const CODES: Partial<Record<DomainError["_tag"], string>> = {
  InsufficientBalance: "INSUFFICIENT_BALANCE",
  WalletFrozen: "WALLET_FROZEN",
  WalletClosed: "WALLET_CLOSED",
  StorageUnavailable: "STORAGE_UNAVAILABLE",
  AccountForbidden: "ACCOUNT_FORBIDDEN",
  InsufficientPermissions: "INSUFFICIENT_PERMISSIONS",
  SessionRevoked: "SESSION_REVOKED",
  Busy: "BUSY",
}
/** Why the ledger does not take an order, in the words of the errno table where there is one. */
export const codeOf = ({ _tag }: DomainError): string => CODES[_tag] ?? "SETTLEMENT_REFUSED"
