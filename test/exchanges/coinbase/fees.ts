/** Fees of the loopback Coinbase: 0.60 % of a taker and 0.40 % of a maker, in the quote asset. */
import { QuoteFees } from "../quote-fees.ts"
import { insufficientFund } from "./refusal.ts"

export const fees = new QuoteFees({ takerPerMille: 6n, makerPerMille: 4n, insufficient: insufficientFund })
