/** What ccxt's own OKX sends and counts once our settings are on it; nothing is dialled. */
import { beforeAll, describe, expect, it } from "vitest"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import type { ConnectorSettings } from "../../../../src/venues/connector/wire.ts"
import type { CcxtExchange, CcxtExchangeClass } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { privateInstances, publicInstance } from "../../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"

const profileOf = (venue: string) => {
  const profile = PROFILES.find((known) => known.venue === venue)
  if (profile === undefined) throw new Error(`${venue} is not in the registry`)
  return profile
}
const settingsOf = (venue: string): ConnectorSettings => ({
  connector: venue,
  profile: profileOf(venue),
  routes: {},
  proxy: null,
  breakable: false,
})
const secrets = { apiKey: "k", apiSecret: "s", apiPassphrase: "p" }

interface Signed {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

describe("our OKX", () => {
  let Okx: CcxtExchangeClass
  beforeAll(async () => {
    Okx = await loadExchange("okx")
  })
  const made = (venue: string): CcxtExchange => privateInstances(Okx, settingsOf(venue))(secrets)

  const sign = (exchange: CcxtExchange, path: string, method = "POST") =>
    exchange.sign(path, "private", method, { instId: "BTC-USDT", clOrdId: "c" }) as Signed

  it("gives orders an expiry by the venue's clock, and nothing else one", () => {
    const exchange = made("OKX")
    // Ours is 60 s ahead of the venue's.
    exchange.options["timeDifference"] = 60_000
    const before = Date.now()
    const expTime = Number(sign(exchange, "trade/order").headers["expTime"])
    const { orderExpiryMillis } = profileOf("OKX")
    expect(expTime).toBeGreaterThanOrEqual(before - 60_000 + (orderExpiryMillis ?? Number.NaN))
    expect(expTime).toBeLessThanOrEqual(Date.now() - 60_000 + (orderExpiryMillis ?? Number.NaN))
    expect(sign(exchange, "trade/cancel-order").headers["expTime"]).toBeUndefined()
    expect(sign(exchange, "trade/order", "GET").headers["expTime"]).toBeUndefined()
  })

  it("sends an order as one object, with our id and nobody's tag", () => {
    const { url, body } = sign(made("OKX"), "trade/order")
    expect(url).toBe("https://www.okx.com/api/v5/trade/order")
    expect(JSON.parse(body)).toEqual({ instId: "BTC-USDT", clOrdId: "c" })
  })

  it("lets 54 orders out at once, as the venue does, and not one by one", () => {
    expect((made("OKX") as unknown as { throttler: { config: object } }).throttler.config).toMatchObject({
      algorithm: "rollingWindow",
      windowSize: 2000,
      maxWeight: expect.closeTo(2000 / 110),
    })
  })

  it("marks demo trading by its header, and only that", () => {
    const header = (venue: string) => (made(venue) as unknown as { headers: Record<string, string> }).headers
    expect(header("OKX_UAT")["x-simulated-trading"]).toBe("1")
    expect(header("OKX")["x-simulated-trading"]).toBeUndefined()
  })

  it("needs no keys for public streams that ccxt would log in for", async () => {
    const exchange = publicInstance(Okx, settingsOf("OKX"))
    await expect(exchange.authenticate({ access: "business" })).resolves.toBeUndefined()
  })

  it("turns the sign of a fee, that of a rebate too", () => {
    const exchange = made("OKX") as unknown as {
      orderToTrade(order: object): { readonly fee: unknown; readonly fees: ReadonlyArray<unknown> }
    }
    const fee = (fillFee: string) =>
      exchange.orderToTrade({ symbol: "BTC/USDT", info: { fillFee, fillFeeCcy: "BTC" } }).fees
    expect(fee("-0.0000005")).toEqual([{ cost: "0.0000005", currency: "BTC" }])
    expect(fee("0.01")).toEqual([{ cost: "-0.01", currency: "BTC" }])
    expect(fee("0")).toEqual([{ cost: "0", currency: "BTC" }])
  })
})
