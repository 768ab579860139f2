/** Channel names and what each kind of channel refers to (specification, Events; contract C13). */

import { type InstrumentId, TENANT_NAME, type TenantId, type TradingAccountId, type VenueId } from "./ids.ts"
import { instrumentIdOf } from "./instrument/instrument.ts"
import { isKlineInterval, type KlineInterval } from "./market/kline.ts"
import { INTERNAL } from "./order/internal-order.ts"

export type ChannelKind = Channel["kind"]

export type Channel =
  | {
      /** The account's events; what holds of it now, as maps: its open orders by id, its positions by currency. */
      readonly kind: "tradingAccount" | "accountOrders" | "accountPositions"
      readonly name: string
      readonly tradingAccountId: TradingAccountId
    }
  | { readonly kind: "orderbook"; readonly name: string; readonly venue: VenueId; readonly instrumentId: InstrumentId }
  | { readonly kind: "ticker"; readonly name: string; readonly venue: VenueId; readonly instrumentId: InstrumentId }
  | {
      readonly kind: "venueTicker"
      readonly name: string
      readonly venue: VenueId
      /** At INTERNAL whose markets; null: those that all tenants share. */
      readonly tenantId: TenantId | null
    }
  | { readonly kind: "trade"; readonly name: string; readonly venue: VenueId; readonly instrumentId: InstrumentId }
  | {
      readonly kind: "kline"
      readonly name: string
      readonly venue: VenueId
      readonly instrumentId: InstrumentId
      readonly interval: KlineInterval
    }

export const accountChannel = (id: TradingAccountId): string => `tradingAccount:${id}`
export const accountOrdersChannel = (id: TradingAccountId): string => `tradingAccount:${id}:orders`
export const accountPositionsChannel = (id: TradingAccountId): string => `tradingAccount:${id}:positions`
export const bookChannel = (id: InstrumentId): string => `market:orderbook:${id}`
export const tickerChannel = (id: InstrumentId): string => `market:ticker:${id}`
export const venueTickerChannel = (venue: VenueId, tenantId: TenantId | null = null): string =>
  `market:ticker:${venue}${tenantId === null ? "" : `@${tenantId}`}`
export const tradeChannel = (id: InstrumentId): string => `market:trade:${id}`
export const klineChannel = (id: InstrumentId, interval: KlineInterval): string => `market:kline:${id}:${interval}`

const ACCOUNT =
  /^tradingAccount:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?::(orders|positions))?$/
const ACCOUNT_KINDS = { orders: "accountOrders", positions: "accountPositions" } as const
const MARKET = new RegExp(
  `^market:(orderbook|ticker|trade|kline):([A-Z][A-Z0-9_]{0,39})(?::([A-Z0-9.]{1,30})[/-]([A-Z0-9.]{1,30}))?(?:@(${TENANT_NAME}))?(?::(\\w{2,3}))?$`,
)

/**
 * The channel a client names; undefined when there is none of that name (protocol error 102).
 * `BASE-QUOTE` is accepted for `BASE/QUOTE`: such a channel keeps the name the client used and shares the instrument.
 */
export const parseChannel = (name: string): Channel | undefined => {
  const account = ACCOUNT.exec(name)
  if (account !== null) {
    const kind = account[2] === undefined ? "tradingAccount" : ACCOUNT_KINDS[account[2] as "orders" | "positions"]
    return { kind, name, tradingAccountId: account[1] as TradingAccountId }
  }
  const market = MARKET.exec(name)
  if (market === null) return undefined
  const venue = market[2] as VenueId
  const tenantId = (market[5] as TenantId | undefined) ?? null
  const interval = market[6]
  if (tenantId !== null && venue !== INTERNAL) return undefined
  if (market[3] === undefined)
    return market[1] === "ticker" && interval === undefined ? { kind: "venueTicker", name, venue, tenantId } : undefined
  const instrumentId = instrumentIdOf(venue, `${market[3]}/${market[4]}${tenantId === null ? "" : `@${tenantId}`}`)
  const kind = market[1] as "orderbook" | "ticker" | "trade" | "kline"
  if (kind !== "kline") return interval === undefined ? { kind, name, venue, instrumentId } : undefined
  return interval !== undefined && isKlineInterval(interval) ? { kind, name, venue, instrumentId, interval } : undefined
}
