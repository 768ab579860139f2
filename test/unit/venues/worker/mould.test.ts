/** Accounts' instances of each venue's ccxt class: alike in what the venue is, and apart in everything that one of them could write to. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { privateInstances } from "../../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** The parts of every ccxt instance that are looked at here. */
interface Whole extends CcxtExchange {
  readonly urls: Record<string, unknown>
  readonly throttler: object
  nonce: () => number
  milliseconds: () => number
  seconds: () => number
  uuid: () => string
  request: (...given: ReadonlyArray<unknown>) => unknown
  fetch: (url: string, method: string, headers: unknown, body: unknown) => Promise<unknown>
  setMarkets(markets: ReadonlyArray<object>): unknown
}

/** Gemini wants the word in its keys; a secret that ends with "=" is of another kind at Coinbase. */
const SECRETS = ["account-a", "account-b"].map((apiKey) => ({
  apiKey,
  apiSecret: Buffer.from(`the secret of ${apiKey}.`).toString("base64"),
  apiPassphrase: `passphrase of ${apiKey}`,
}))
const NOW = Date.UTC(2026, 0, 2)
const MARKET = { id: "BTCUSDT", symbol: "BTC/USDT", base: "BTC", quote: "USDT", spot: true, precision: {}, limits: {} }

const settings = (profile: VenueProfile) => ({ profile, routes: {}, proxy: null })

const pairOf = async (profile: VenueProfile): Promise<readonly [Whole, Whole]> => {
  const instanceOf = privateInstances(await loadExchange(profile.exchange), settings(profile))
  const [a, b] = SECRETS.map((secrets) => instanceOf(secrets) as Whole)
  return [a!, b!]
}

/** As ccxt makes it. */
const plainOf = async (profile: VenueProfile, { apiKey, apiSecret, apiPassphrase }: (typeof SECRETS)[number]) => {
  const Exchange = await loadExchange(profile.exchange)
  const options = structuredClone(profile.options)
  const plain = new Exchange({ number: String, apiKey, secret: apiSecret, password: apiPassphrase, options })
  if (profile.sandbox) plain.setSandboxMode(true)
  return plain as Whole
}

/** The first request that a question for the balances makes, as it would leave. */
const signed = async (exchange: Whole): Promise<string> => {
  const left: Array<unknown> = []
  exchange.setMarkets([])
  exchange.nonce = () => NOW
  exchange.milliseconds = () => NOW
  exchange.seconds = () => NOW / 1000
  exchange.uuid = () => "uuid"
  exchange.throttle = () => Promise.resolve()
  exchange.fetch = (...request) => {
    left.push(request)
    return Promise.reject(new Error("it leaves"))
  }
  // The accounts of KuCoin are asked for whatever they are called.
  const asks = Reflect.get(exchange, exchange.id === "kucoin" ? "privateGetAccounts" : "fetchBalance")
  await expect(asks.call(exchange)).rejects.toThrow("it leaves")
  return JSON.stringify(left[0])
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Objects that can be written to, by the way to them. */
const writable = (exchange: object): ReadonlyMap<object, string> => {
  const found = new Map<object, string>()
  const seen = new Set<object>()
  const visit = (value: unknown, way: string): void => {
    if (!isObject(value) || seen.has(value) || Object.prototype.isPrototypeOf.call(value, exchange)) return
    seen.add(value)
    if (!Object.isFrozen(value)) found.set(value, way)
    for (const [name, each] of Object.entries(value)) visit(each, `${way}.${name}`)
  }
  // Those that it inherits, too.
  for (const name in exchange) visit(Reflect.get(exchange, name), name)
  return found
}

const heap = (): number => {
  // Of a process that has read all of ccxt: a tenth of a second each.
  collect()
  return process.memoryUsage().heapUsed
}

describe.each(PROFILES.map((profile) => [profile.venue, profile] as const))(
  "two accounts' instances for %s",
  (_, profile) => {
    it("share nothing that can be written to", async () => {
      const [a, b] = await pairOf(profile)
      const ofB = writable(b)
      expect([...writable(a)].filter(([value]) => ofB.has(value)).map(([, way]) => way)).toEqual([])
      expect(() => Object.assign(a.has, { fetchBalance: false })).toThrow(TypeError)
      expect(() => Object.assign(a.urls, { api: {} })).toThrow(TypeError)
    })

    it("sign with their own keys what ccxt's own instance of each signs", async () => {
      const [a, b] = await pairOf(profile)
      const [plainA, plainB] = await Promise.all(SECRETS.map((secrets) => plainOf(profile, secrets)))
      const [ofA, ofB] = [await signed(a), await signed(b)]
      expect(ofA).toBe(await signed(plainA!))
      expect(ofB).toBe(await signed(plainB!))
      expect(ofA).toContain("account-a")
      expect(ofB).toContain("account-b")
    })

    it("see nothing of each other's markets, options, sockets, nonces and paces", async () => {
      const [a, b] = await pairOf(profile)
      a.setMarkets([MARKET])
      Object.assign(a.options, { timeDifference: 5, ws: null })
      a.client("wss://host.example")
      a.nonce = () => 7
      Object.assign(a.tokenBucket, { capacity: 0 })
      expect(Object.keys(a.markets ?? {})).toEqual(["BTC/USDT"])
      expect(b.markets).toBeUndefined()
      expect(b.options["timeDifference"]).not.toBe(5)
      expect(b.options["ws"]).not.toBeNull()
      expect([Object.keys(a.clients).length, Object.keys(b.clients)]).toEqual([1, []])
      expect(b.nonce()).not.toBe(7)
      expect(b.tokenBucket["capacity"]).not.toBe(0)
      expect(b.throttler).not.toBe(a.throttler)
    })

    it("have every endpoint of ccxt's own instance, and call it for themselves", async () => {
      const [a, b] = await pairOf(profile)
      const [plain, other] = await Promise.all(SECRETS.map((secrets) => plainOf(profile, secrets)))
      // Its own are bound to it; all others are the class's.
      const endpoints = Object.keys(plain!).filter(
        (name) =>
          typeof Reflect.get(plain!, name) === "function" && Reflect.get(plain!, name) !== Reflect.get(other!, name),
      )
      const asked = async (exchange: Whole) => {
        const said: Array<unknown> = []
        exchange.request = (...given) => said.push(given)
        for (const name of endpoints) await Reflect.get(exchange, name).call(exchange, { of: name }, { in: name })
        for (const name of endpoints) await Reflect.get(exchange, name).call(exchange)
        return said
      }
      const expected = await asked(plain!)
      expect(expected.length).toBeGreaterThan(100)
      expect(await asked(a)).toEqual(expected)
      b.request = () => "b"
      expect(await Promise.all(endpoints.map((name) => Reflect.get(b, name).call(b)))).toEqual(endpoints.map(() => "b"))
    })

    it("cost few bytes of heap", async () => {
      const instanceOf = privateInstances(await loadExchange(profile.exchange), settings(profile))
      const all = [instanceOf(SECRETS[0]!)]
      const before = heap()
      for (let number = 0; number < 100; number++) all.push(instanceOf(SECRETS[1]!))
      expect((heap() - before) / 100).toBeLessThan(20_000)
      expect(all.length).toBe(101)
    })
  },
)

describe("instances of a venue's test environment", () => {
  it.each(PROFILES.filter(({ sandbox }) => sandbox).map((profile) => [profile.venue, profile] as const))(
    "of %s leave those of its production where they are",
    async (_, profile) => {
      const production = PROFILES.find((it) => it.exchange === profile.exchange && !it.sandbox)
      if (production === undefined) throw new Error(`no production of ${profile.venue}`)
      const Exchange = await loadExchange(profile.exchange)
      const instanceOf = privateInstances(Exchange, settings(production))
      const before = JSON.stringify((instanceOf(SECRETS[0]!) as Whole).urls)
      const [test] = await pairOf(profile)
      const after = instanceOf(SECRETS[1]!) as Whole
      expect(JSON.stringify(after.urls)).toBe(before)
      expect(test.urls["api"]).not.toEqual(after.urls["api"])
    },
  )
})
