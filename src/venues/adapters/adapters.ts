/** The adapter code of each venue, by the name that its profile gives; `none` trusts ccxt. */
import { type ExchangeAdapter, none } from "./adapter.ts"
import { binance } from "./binance/adapter.ts"
import { binanceusdm } from "./binanceusdm/adapter.ts"
import { bitfinex } from "./bitfinex/adapter.ts"
import { bitstamp } from "./bitstamp/adapter.ts"
import { bybit } from "./bybit/adapter.ts"
import { coinbase } from "./coinbase/adapter.ts"
import { deribit } from "./deribit/adapter.ts"
import { gate } from "./gate/adapter.ts"
import { gemini } from "./gemini/adapter.ts"
import { kraken } from "./kraken/adapter.ts"
import { krakenfutures } from "./krakenfutures/adapter.ts"
import { kucoin } from "./kucoin/adapter.ts"
import { okx } from "./okx/adapter.ts"
import type { VenueProfile } from "./profile.ts"

export type { BalanceRow, ExchangeAdapter } from "./adapter.ts"

const ADAPTERS: { readonly [K in VenueProfile["adapter"]]: ExchangeAdapter } = {
  none,
  binance,
  binanceusdm,
  bitfinex,
  bitstamp,
  bybit,
  coinbase,
  deribit,
  gate,
  gemini,
  kraken,
  krakenfutures,
  kucoin,
  okx,
}

export const adapterOf = ({ adapter }: Pick<VenueProfile, "adapter">): ExchangeAdapter => ADAPTERS[adapter]
