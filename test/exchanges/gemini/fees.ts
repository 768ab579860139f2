/** Fees of the loopback Gemini: 0.4 % of a taker and 0.2 % of a maker, in the quote asset, beside what a buy costs. */
import { QuoteFees } from "../quote-fees.ts"
import { insufficient } from "./refusal.ts"

export const fees = new QuoteFees({ takerPerMille: 4n, makerPerMille: 2n, insufficient })
