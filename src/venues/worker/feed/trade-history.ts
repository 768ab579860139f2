/** Fetches trades a stream missed: the venue's newest ones by REST, in the shape of the stream's. */
import type { InstrumentId } from "../../../domain/ids.ts"
import type { MarketTrade } from "../../../ports/market-source.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import { TradeIds } from "../../trade-ids.ts"
import type { CcxtExchange, Raw } from "../exchange/ccxt.ts"
import type { Markets } from "../exchange/markets.ts"
import type { Outbox } from "../outbox.ts"
import type { Digits } from "./digits.ts"
import { tradeRows } from "./market-rows.ts"
import { MissedTrades } from "./missed-trades.ts"

export interface TradeHistoryParts {
  readonly profile: VenueProfile
  readonly exchange: CcxtExchange
  readonly markets: Markets
  readonly digits: Digits
  readonly outbox: Outbox
}

/** `seen`: what the feed has told; `last`: the newest of it, where a worker of before told it. */
export const missedTradesOf = (
  { profile, exchange, markets, digits, outbox }: TradeHistoryParts,
  instrumentId: InstrumentId,
  seen: TradeIds,
  last: MarketTrade | null,
): MissedTrades => {
  const { tradeHistory } = profile
  const newest = async (params: Raw): Promise<ReadonlyArray<MarketTrade>> => {
    const symbol = markets.listing.symbolOf(instrumentId)
    const found = await exchange.fetchTrades(symbol, undefined, undefined, { ...params })
    // What the feed has told is an end of the hole: not left out here.
    return tradeRows(instrumentId, found, digits, new TradeIds(), Date.now())
  }
  return new MissedTrades({
    last,
    history: tradeHistory.way === "BY_ID" ? () => newest(tradeHistory.params) : undefined,
    isNew: ({ externalTradeId }) => seen.take(externalTradeId, "") !== undefined,
    tell: (trades) => outbox.push({ _tag: "Trades", trades }),
    notFound: (after, before) => {
      const ends = `${after.externalTradeId} and ${before.externalTradeId}`
      outbox.push({ _tag: "TradesMissed", instrumentId })
      outbox.push({ _tag: "Noticed", what: `the venue's history does not tell of ${instrumentId} between ${ends}` })
    },
  })
}
