/** Fees of the loopback KuCoin: 0.10 % of taker and maker, in the quote asset; in KCS of those who chose so, at ten of the quote asset each. */
import { QuoteFees } from "../quote-fees.ts"
import type { KucoinAccount } from "./model.ts"
import { insufficientBalance } from "./refusal.ts"

const KCS_PRICE = 10n

export const fees = new QuoteFees({
  takerPerMille: 1n,
  makerPerMille: 1n,
  insufficient: insufficientBalance,
  elsewhere: ({ account }, fee) =>
    (account as KucoinAccount).paysInKcs ? { asset: "KCS", amount: fee / KCS_PRICE } : undefined,
})
