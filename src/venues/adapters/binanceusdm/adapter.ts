/** Binance USDⓈ-M: the spot side's order formats, and its own for balances, its limit and the end of its stream. */
import type { ExchangeAdapter } from "../adapter.ts"
import { binance, usedWeightOf } from "../binance/adapter.ts"

/** For one address (REQUEST_WEIGHT in exchangeInfo). */
const WEIGHT_A_MINUTE = 2400

export const binanceusdm: ExchangeAdapter = {
  ...binance,
  usedShare: usedWeightOf(WEIGHT_A_MINUTE),
  // Wallet balances alone, without what positions and orders hold of them: what is available is asked for.
  changedBalances: () => null,
  balancesMoved: (event) => event["e"] === "ACCOUNT_UPDATE",
  misleads: () => false,
  // The key is in the URL, and nothing is said of it.
  upWhenOpen: true,
  endsPrivateStream: (event) => event["e"] === "listenKeyExpired" || binance.endsPrivateStream(event),
  // ccxt keeps the key for 20 minutes and dials the one that has expired.
  forgetLogin: (exchange) => {
    const { future } = exchange.options
    if (typeof future === "object" && future !== null) Object.assign(future, { lastAuthenticatedTime: 0 })
  },
}
