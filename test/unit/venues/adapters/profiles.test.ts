/** Every venue of the registry on its real ccxt class, without a network: what the profile says must be what ccxt can do. */
import { describe, expect, it } from "vitest"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import type { CcxtExchange, CcxtExchangeClass } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { privateInstances, publicInstance } from "../../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"
import { unproven } from "../../../kit/worlds/unproven-venue.ts"

const SECRETS = { apiKey: "key", apiSecret: "c2VjcmV0", apiPassphrase: "passphrase" }
const LISTED = [
  "BINANCE BINANCEUSDM OKX KRAKEN BYBIT COINBASE BITSTAMP BITFINEX DERIBIT GEMINI KUCOIN GATE KRAKENFUTURES",
].flatMap((line) => line.split(" "))

/** What ccxt knows of an exchange beside what connectors touch. */
interface Described extends CcxtExchange {
  readonly urls: { readonly api: unknown; readonly test?: { readonly ws?: unknown } }
  readonly hostname: string | undefined
  readonly requiredCredentials: Readonly<Record<string, boolean>>
  readonly features: Readonly<Record<string, unknown>>
  implodeHostname(url: string): string
}

const settings = (profile: VenueProfile) => ({ profile, routes: {}, breakable: false, proxy: null })
const started = async (profile: VenueProfile): Promise<Described> =>
  publicInstance(await loadExchange(profile.exchange), settings(profile)) as Described

describe("the registry", () => {
  it("has every venue that is promised, once", () => {
    const venues = PROFILES.map(({ venue }) => String(venue))
    expect(new Set(venues).size).toBe(venues.length)
    expect(venues).toEqual(expect.arrayContaining(LISTED))
  })

  it.each(PROFILES.map((profile) => [profile.venue, profile] as const))(
    "starts %s: a file, plain data, hosts, keys and terms that ccxt knows",
    async (_, profile) => {
      const exchange = await started(profile)
      expect(structuredClone(profile)).toEqual(profile)
      expect(exchange.id).toBe(profile.exchange)
      expect([exchange.has["watchOrderBook"], exchange.has["watchTrades"]]).toEqual([true, true])
      const urls = exchange.implodeHostname(JSON.stringify(exchange.urls.api))
      for (const host of profile.hosts.filter((it) => !/^ws-api-spot\./.test(it)))
        expect(urls).toContain(host.replace(/:443$/, ""))
      expect(exchange.requiredCredentials["password"]).toBe(profile.needsPassphrase)
      const instance = privateInstances(await loadExchange(profile.exchange), settings(profile))(SECRETS)
      expect(instance.id).toBe(profile.exchange)
      const kinds = exchange.features as Readonly<Record<string, { readonly linear?: unknown }>>
      const kind = profile.lists === "spot" ? kinds["spot"] : (kinds["swap"]?.linear ?? kinds["swap"])
      const known = termsOf(kind)
      for (const word of profile.timesInForce) expect(known[word === "GTX" ? "PO" : word], word).toBe(true)
    },
  )

  it.each(PROFILES.filter(({ sandbox }) => sandbox).map((profile) => [profile.venue, profile] as const))(
    "goes to other hosts for %s, with its production beside it",
    async (venue, profile) => {
      expect(venue).toMatch(/_UAT$/)
      const production = PROFILES.find((it) => it.venue === venue.replace(/_UAT$/, ""))
      expect(production?.sandbox).toBe(false)
      expect(production?.exchange).toBe(profile.exchange)
      expect(profile.hosts).not.toEqual(production?.hosts)
      const exchange = await started(profile)
      expect((exchange.urls as { readonly test?: { readonly ws?: unknown } }).test?.ws ?? profile.hosts).toBeDefined()
    },
  )

  it.each(["KRAKEN", "COINBASE", "KUCOIN", "BITSTAMP", "BITFINEX", "BINANCEUSDM", "GATE"])(
    "has no test environment of %s, because ccxt has none that works",
    (venue) => {
      expect(PROFILES.some((profile) => profile.venue === `${venue}_UAT`)).toBe(false)
    },
  )
})

describe("one line", () => {
  it.each([
    ["MEXC", "mexc"],
    ["HITBTC", "hitbtc"],
    ["BINANCEUS", "binanceus"],
    ["COINBASEEXCHANGE", "coinbaseexchange"],
  ])("brings %s", async (venue, file) => {
    const profile = unproven(venue, file)
    const exchange = await started(profile)
    expect([profile.venue, exchange.id, exchange.has["watchOrderBook"]]).toEqual([venue, file, true])
    expect(structuredClone(profile)).toEqual(profile)
    const Exchange: CcxtExchangeClass = await loadExchange(file)
    expect(privateInstances(Exchange, settings(profile))(SECRETS).id).toBe(file)
  })
})

const termsOf = (kind: unknown): Readonly<Record<string, unknown>> => {
  const create = (kind as { readonly createOrder?: { readonly timeInForce?: Readonly<Record<string, unknown>> } })
    .createOrder
  return { GTC: true, ...create?.timeInForce }
}
