/** From ccxt's structures to the port's: pure functions. Amounts are text; what the venue did not report stays null or "0". */
import { tradeOrderIdOf } from "../../../domain/ids.ts"
import { instrumentIdOf, parseInstrumentId } from "../../../domain/instrument/instrument.ts"
import type { OrderSide, PlainOrderType, StoredTimeInForce } from "../../../domain/order/trade-order.ts"
import type {
  VenueBalance,
  VenueFee,
  VenueFill,
  VenueOrderState,
  VenueOrderStatus,
} from "../../../ports/venue-session.ts"
import type { BalanceRow, ExchangeAdapter } from "../../adapters/adapters.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { CcxtBalance, CcxtExchange, CcxtFee, CcxtOrder, CcxtTrade, Raw } from "../exchange/ccxt.ts"
import { venueInstant } from "../exchange/instants.ts"

/** A decimal text of a private instance (its numbers are strings already); null where there is none. */
const text = (value: unknown): string | null => {
  if (typeof value === "string" && value !== "") return value
  return typeof value === "number" && Number.isFinite(value) ? String(value) : null
}

const isZero = (value: string): boolean => /^-?0*(\.0*)?$/.test(value)

const sideOf = (side: string | undefined): OrderSide | undefined =>
  side === "buy" ? "BUY" : side === "sell" ? "SELL" : undefined

/** ccxt passes words it does not know through raw (venues 4.10). */
const STATUS: Readonly<Record<string, VenueOrderStatus>> = {
  open: "OPEN",
  closed: "FILLED",
  canceled: "CANCELLED",
  canceling: "OPEN",
  rejected: "REJECTED",
}

const typeOf = (order: CcxtOrder): PlainOrderType => {
  if (order.postOnly === true || order.type === "limit_maker") return "LIMIT_MAKER"
  if (order.type === "market") return "MARKET"
  if (order.type === "limit") return "LIMIT"
  const price = text(order.price)
  return price === null || isZero(price) ? "MARKET" : "LIMIT"
}

const TIMES_IN_FORCE: Readonly<Record<string, StoredTimeInForce>> = {
  GTC: "GTC",
  IOC: "IOC",
  FOK: "FOK",
  GTD: "GTD",
  PO: "GTX",
  GTX: "GTX",
}

const ownId = (clientId: string | null | undefined): string | null =>
  clientId !== null && clientId !== undefined && tradeOrderIdOf(clientId) !== undefined ? clientId : null

/**
 * A market order of so much quote has no quantity in base but what it bought; of ours more is known than the venue says. Of another
 * program's, whose kind ccxt may read no quantity of, that is all there will ever be once it is over.
 */
const boughtSoFar = ({ status, filled }: CcxtOrder, clientId: string | null): string | null => {
  const isOver = status === "closed" || status === "canceled" || status === "expired"
  if (!isOver && status !== "open") return null
  const bought = text(filled)
  if (tradeOrderIdOf(clientId) !== undefined) return bought ?? "0"
  return isOver && bought !== null && !isZero(bought) ? bought : null
}

const endOf = (order: CcxtOrder, adapter: ExchangeAdapter): Pick<VenueOrderState, "status" | "ending"> => {
  if (order.status !== "expired" && order.status !== "canceled")
    return { status: STATUS[order.status ?? ""] ?? "UNKNOWN", ending: null }
  return adapter.neverWorked?.(order) === true ? { status: "REJECTED", ending: "WOULD_TAKE" } : adapter.ended(order)
}

/**
 * Undefined for something that is no order of a listed instrument. Whose it is, the venue's own word says first: `knownAs`, the
 * client id that it was asked for with or is remembered by, only counts where the answer carries none of ours.
 */
export const orderState = (
  { venue, orderTimes }: Pick<VenueProfile, "venue" | "orderTimes">,
  order: CcxtOrder,
  adapter: ExchangeAdapter,
  knownAs: string | null = null,
): VenueOrderState | undefined => {
  const side = sideOf(order.side)
  const clientId = ownId(adapter.orderClientId(order)) ?? ownId(knownAs) ?? order.clientOrderId ?? null
  const quantity = text(order.amount) ?? boughtSoFar(order, clientId)
  if (order.id === undefined || order.symbol === undefined || side === undefined || quantity === null) return undefined
  const instrumentId = instrumentIdOf(venue, order.symbol)
  if (parseInstrumentId(instrumentId) === undefined) return undefined
  const orderType = typeOf(order)
  const price = text(order.price)
  const end = endOf(order, adapter)
  return {
    tradeOrderId: tradeOrderIdOf(clientId) ?? null,
    externalOrderId: order.id,
    clientId,
    instrumentId,
    orderSide: side,
    orderType,
    timeInForce: orderType === "LIMIT_MAKER" ? "GTX" : (TIMES_IN_FORCE[order.timeInForce ?? ""] ?? "GTC"),
    limitPrice: orderType === "MARKET" || price === null || isZero(price) ? null : price,
    quantity,
    executedQuantity: text(order.filled) ?? "0",
    status: end.status,
    ending: end.ending,
    ...(adapter.isTriggered?.(order) === true && { isTriggered: true }),
    // Binance says -1 of a stop that does not work yet, others 0 of a trade that never was.
    createdAt: timeOf(order, orderTimes.created),
    updatedAt: orderTimes.updated === null ? null : timeOf(order, orderTimes.updated),
  }
}

const OWN = "info."

/** Of ccxt's order, or with `info.` of the venue's own row. An order's creation is no time of what became of it. */
const timeOf = (order: CcxtOrder, field: string): number | null => {
  const value = field.startsWith(OWN) ? order.info?.[field.slice(OWN.length)] : (order as unknown as Raw)[field]
  return venueInstant(typeof value === "string" ? Number(value) : (value as number | undefined))
}

const feesOf = (trade: CcxtTrade): ReadonlyArray<VenueFee> => {
  const given: ReadonlyArray<CcxtFee> =
    trade.fees !== undefined && trade.fees.length > 0 ? trade.fees : trade.fee === undefined ? [] : [trade.fee]
  return given.flatMap(({ cost, currency }) => {
    const quantity = text(cost)
    return quantity === null || currency === undefined || isZero(quantity) ? [] : [{ asset: currency, quantity }]
  })
}

/** What the order says of its fill where the fill itself does not (fills inside the answer of a submit). */
export interface FillContext {
  readonly clientId: string | null
  readonly externalOrderId?: string
  readonly symbol?: string
  readonly side?: string
  /** The venue's clock, ms, for a fill without a time of its own. */
  readonly at: number
}

export const fill = (venue: VenueProfile["venue"], trade: CcxtTrade, context: FillContext): VenueFill | undefined => {
  const side = sideOf(trade.side ?? context.side)
  const price = text(trade.price)
  const quantity = text(trade.amount)
  const symbol = trade.symbol ?? context.symbol
  const externalOrderId = trade.order ?? context.externalOrderId
  if (trade.id === undefined || side === undefined || price === null || quantity === null) return undefined
  if (symbol === undefined || externalOrderId === undefined) return undefined
  const instrumentId = instrumentIdOf(venue, symbol)
  if (parseInstrumentId(instrumentId) === undefined) return undefined
  return {
    tradeOrderId: tradeOrderIdOf(context.clientId) ?? null,
    externalOrderId,
    externalTradeId: trade.id,
    instrumentId,
    orderSide: side,
    quantity,
    price,
    fees: feesOf(trade),
    executedAt: venueInstant(trade.timestamp) ?? context.at,
  }
}

/** Rows under the venue's names. All of them are there: what is not named is zero. */
export const namedBalances = (
  exchange: Pick<CcxtExchange, "safeCurrencyCode">,
  rows: ReadonlyArray<BalanceRow>,
): ReadonlyArray<VenueBalance> =>
  rows.flatMap(({ assetId, available, locked }) =>
    isZero(available) && isZero(locked) ? [] : [{ asset: exchange.safeCurrencyCode(assetId), available, locked }],
  )

/** `all` leaves out what is zero, because whatever is not named is zero then. */
export const balances = (balance: CcxtBalance, all: boolean): ReadonlyArray<VenueBalance> => {
  const used = balance.used ?? {}
  return Object.entries(balance.free ?? {}).flatMap(([asset, value]) => {
    const available = text(value) ?? "0"
    const locked = text(used[asset]) ?? "0"
    return all && isZero(available) && isZero(locked) ? [] : [{ asset, available, locked }]
  })
}
