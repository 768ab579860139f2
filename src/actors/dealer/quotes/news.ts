/** What the accounts of both sides tell of a quote: its record as each of them may see it. */
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
