/**
 * What a profile promises of times in force, seen in the request that is signed for it. An option that ccxt does not know is dropped, or
 * sent under a name that the venue ignores, unless the connector says it in the venue's words: the order would rest although it was
 * to be filled or killed.
 */
import { generateKeyPairSync } from "node:crypto"
import { describe, expect, it } from "vitest"
import { adapterOf } from "../../../../src/venues/adapters/adapters.ts"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"

type Word = "IOC" | "FOK" | "GTX"

/** How each venue writes them in a request, by ccxt exchange. */
const WRITTEN: Readonly<Record<string, Partial<Record<Word, RegExp>>>> = {
  binance: { IOC: /timeInForce=IOC/, FOK: /timeInForce=FOK/, GTX: /type=LIMIT_MAKER/ },
  binanceusdm: { IOC: /timeInForce=IOC/, FOK: /timeInForce=FOK/, GTX: /timeInForce=GTX/ },
  bitfinex: { IOC: /"EXCHANGE IOC"/, FOK: /"EXCHANGE FOK"/, GTX: /"flags":4096/ },
  bitstamp: { IOC: /ioc_order=true/i, FOK: /fok_order=true/i, GTX: /moc_order=true/i },
  bybit: { IOC: /"timeInForce":"IOC"/, FOK: /"timeInForce":"FOK"/, GTX: /"timeInForce":"PostOnly"/ },
  coinbase: { IOC: /limit_ioc/, FOK: /limit_fok/, GTX: /"post_only":true/ },
  deribit: { IOC: /immediate_or_cancel/, FOK: /fill_or_kill/, GTX: /post_only=true/ },
  gate: { IOC: /"time_in_force":"ioc"/, FOK: /"time_in_force":"fok"/, GTX: /"time_in_force":"poc"/ },
  gemini: { IOC: /immediate-or-cancel/, FOK: /fill-or-kill/, GTX: /maker-or-cancel/ },
  kraken: { IOC: /timeinforce=IOC/i, GTX: /oflags=[^&]*post/ },
  krakenfutures: { IOC: /orderType=ioc/, GTX: /orderType=post/ },
  kucoin: { IOC: /"timeInForce":"IOC"/, FOK: /"timeInForce":"FOK"/, GTX: /"postOnly":true/ },
  okx: { IOC: /"ordType":"ioc"/, FOK: /"ordType":"fok"/, GTX: /"ordType":"post_only"/ },
}

interface Private extends CcxtExchange {
  fetch: (url: string, method: string, headers: unknown, body: unknown) => Promise<unknown>
  safeMarketStructure: (market: object) => unknown
}

/** A key in whatever form the exchange signs with. */
const SECRET = Buffer.from("secret".repeat(8)).toString("base64")
const EC_KEY = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey.export({
  type: "sec1",
  format: "pem",
})

const requestOf = async (profile: VenueProfile, params: object): Promise<string> => {
  const Exchange = await loadExchange(profile.exchange)
  const exchange = new Exchange({
    number: String,
    enableRateLimit: false,
    // Gemini's form; the others take any.
    apiKey: "account-key",
    secret: profile.exchange === "coinbase" ? EC_KEY : SECRET,
    password: "p",
    uid: "u",
    options: structuredClone(profile.options),
  }) as Private
  const spot = profile.lists === "spot"
  const symbol = spot ? "BTC/USD" : "BTC/USD:USD"
  const market = exchange.safeMarketStructure({
    id: "BTCUSD",
    symbol,
    base: "BTC",
    quote: "USD",
    baseId: "BTC",
    quoteId: "USD",
    ...(spot ? {} : { settle: "USD", settleId: "USD", linear: true, inverse: false, contractSize: 1 }),
    type: spot ? "spot" : "swap",
    spot,
    swap: !spot,
    contract: !spot,
    active: true,
    precision: { price: "0.1", amount: "0.001" },
    limits: { amount: {}, cost: {}, price: {} },
    info: { orderTypes: ["LIMIT", "LIMIT_MAKER", "MARKET"] },
  })
  adapterOf(profile).prepare?.(exchange, profile)
  exchange.setMarkets([market])
  // As private instances have it: what is given was checked before.
  exchange.amountToPrecision = (_symbol, amount) => String(amount)
  exchange.priceToPrecision = (_symbol, price) => String(price)
  const sent: Array<string> = []
  exchange.fetch = async (url, method, headers, body) => {
    // What kind of account it is: an ordinary one.
    if (/query-api|account\/(detail|info|mode)/.test(url)) return { retCode: 0, result: {}, code: "200000", data: {} }
    const header = (headers as Record<string, string> | undefined)?.["X-GEMINI-PAYLOAD"]
    const payload = header === undefined ? "" : Buffer.from(header, "base64").toString()
    sent.push(`${method} ${url} ${String(body ?? "")} ${payload}`)
    throw new Error("not sent")
  }
  await exchange
    .createOrder(symbol, "limit", "buy", "1", "100", { clientOrderId: "0123456789abcdef0123456789abcdef", ...params })
    .catch((error: unknown) => {
      if (sent.length === 0) throw error
    })
  return sent[0] ?? ""
}

/** As the connector asks for it (worker/private-session.ts). */
const paramsFor = (word: Word): object => (word === "GTX" ? { postOnly: true } : { timeInForce: word })

const profiles = PROFILES.filter(
  (profile, at) => PROFILES.findIndex(({ exchange }) => exchange === profile.exchange) === at,
)

describe("a time in force that a profile promises", () => {
  it.each(profiles.map((profile) => [profile.venue, profile] as const))("reaches %s", async (_venue, profile) => {
    for (const word of ["IOC", "FOK", "GTX"] as const) {
      if (!profile.timesInForce.includes(word)) continue
      const written = WRITTEN[profile.exchange]?.[word]
      if (written === undefined) throw new Error(`nobody has said how ${profile.exchange} writes ${word}`)
      expect(await requestOf(profile, {})).not.toMatch(written)
      expect(await requestOf(profile, paramsFor(word))).toMatch(written)
    }
  })
})
