/** The events about a quote on the accounts of both sides: its record as visible to each. */
import { type Quote, type QuoteNews, quoteRecord } from "../../../domain/dealer/quote.ts"
import type { DealerCore } from "../core.ts"

export const newsOf = (
  { parts, dealer }: Pick<DealerCore, "parts" | "dealer">,
  quote: Quote,
  at: number,
): ReadonlyArray<QuoteNews> => [
  {
    eventId: parts.ids.uuid(),
    tradingAccountId: quote.traderAccountId,
    at,
    payload: JSON.stringify(quoteRecord(quote, false)),
  },
  {
    eventId: parts.ids.uuid(),
    tradingAccountId: dealer.tradingAccountId,
    at,
    payload: JSON.stringify(quoteRecord(quote, true)),
  },
]
