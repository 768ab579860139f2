/** Reads a venue's markets as a connector does, with unmodified ccxt, from answers that the test gives instead of the venue. */
import { type Instrument, instrumentIdOf } from "../../../src/domain/instrument/instrument.ts"
import { adapterOf } from "../../../src/venues/adapters/adapters.ts"
import type { VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { instrumentOf } from "../../../src/venues/instrument-of.ts"
import type { CcxtExchange } from "../../../src/venues/worker/exchange/ccxt.ts"
import { loadExchange } from "../../../src/venues/worker/exchange/load.ts"
import { instrumentRow, Listing } from "../../../src/venues/worker/exchange/markets.ts"

/** The body for a path with its query; undefined: the venue has nothing there. */
export type Answers = (pathAndQuery: string) => string | undefined

type Rest = CcxtExchange & {
  readonly has: Record<string, unknown>
  fetch: (url: string) => Promise<unknown>
  readonly parseJson: (body: string) => unknown
}

/** What the venue lists, by `BASE/QUOTE`. */
export const readMarkets = async (
  profile: VenueProfile,
  answers: Answers,
  keys: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, Instrument>> => {
  const Exchange = await loadExchange(profile.exchange)
  const settings = { enableRateLimit: false, options: structuredClone(profile.options), ...keys }
  const exchange = new Exchange(settings) as Rest
  if (!profile.needsCurrencies) exchange.has["fetchCurrencies"] = false
  exchange.fetch = async (url) => {
    const { pathname, search } = new URL(url)
    const body = answers(pathname + search)
    if (body === undefined) throw new Error(`no answer for ${pathname}${search}`)
    return exchange.parseJson(body)
  }
  adapterOf(profile).preparePublic?.(exchange, profile)
  await exchange.loadMarkets(true)
  const listing = new Listing(profile)
  listing.update(exchange.markets)
  return new Map(
    listing.all().map((listed) => [listed.name, instrumentOf(profile.venue, instrumentRow(listed, exchange))]),
  )
}

export const marketOf = (markets: ReadonlyMap<string, Instrument>, symbol: string): Instrument => {
  const found = markets.get(symbol)
  if (found === undefined) throw new Error(`not listed: ${symbol}; there are ${[...markets.keys()].join(", ")}`)
  if (found.instrumentId !== instrumentIdOf(found.venue, symbol)) throw new Error(`wrong id: ${found.instrumentId}`)
  return found
}
