/** From ccxt's public structures to the port's, in the venue's own digits: pure functions with the Digits that have them. */
import type { InstrumentId } from "../../../domain/ids.ts"
import type { MarketTrade, TickerUpdate } from "../../../ports/market-source.ts"
import type { TradeIds } from "../../trade-ids.ts"
import type { CcxtTicker, CcxtTrade } from "../exchange/ccxt.ts"
import { venueInstant } from "../exchange/instants.ts"
import type { Digits } from "./digits.ts"

/** Of one frame; without those that were handed on before. `receivedAt` stands in where the venue tells no time. */
export const tradeRows = (
  instrumentId: InstrumentId,
  trades: ReadonlyArray<CcxtTrade>,
  digits: Digits,
  ids: TradeIds,
  receivedAt: number,
): ReadonlyArray<MarketTrade> =>
  trades.flatMap((trade) => {
    const price = digits.field(trade, "price")
    const quantity = digits.field(trade, "amount")
    if (price === null || quantity === null) return []
    const side = trade.side === "buy" ? "BUY" : trade.side === "sell" ? "SELL" : "UNKNOWN"
    const at = venueInstant(trade.timestamp) ?? receivedAt
    const externalTradeId = ids.take(trade.id, `${at}:${side}:${price}:${quantity}`)
    return externalTradeId === undefined ? [] : [{ instrumentId, externalTradeId, price, quantity, side, at }]
  })

export const tickerRow = (
  instrumentId: InstrumentId,
  ticker: CcxtTicker,
  digits: Digits,
  lastQuantityField: string | null,
  receivedAt: number,
): TickerUpdate => {
  const lastQuantity = lastQuantityField === null ? undefined : ticker.info?.[lastQuantityField]
  // Some tell the side of a quantity by its sign (Gate's options): that is no amount.
  const amount = (name: string): string | null => {
    const text = digits.field(ticker, name)
    return text === null || text.startsWith("-") ? null : text
  }
  return {
    instrumentId,
    lastPrice: amount("last"),
    lastQuantity: typeof lastQuantity === "string" ? lastQuantity : null,
    bidPrice: amount("bid"),
    bidQuantity: amount("bidVolume"),
    askPrice: amount("ask"),
    askQuantity: amount("askVolume"),
    at: venueInstant(ticker.timestamp) ?? receivedAt,
  }
}
