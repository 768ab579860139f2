/** Names of markets of tenants, alone and in channels. */
import { describe, expect, it } from "vitest"
import { klineChannel, parseChannel, venueTickerChannel } from "../../../src/domain/channel.ts"
import type { TenantId } from "../../../src/domain/ids.ts"
import { INSTRUMENT_ID_MAX, parseInstrumentId } from "../../../src/domain/instrument/instrument.ts"
import { INTERNAL, internalInstrumentId } from "../../../src/domain/order/internal-order.ts"

const names = (tenant: string) => internalInstrumentId("BTC", "USDT", tenant as TenantId)
const LONGEST = internalInstrumentId("B".repeat(30), "U".repeat(30), "t".repeat(64) as TenantId)

describe("the name of a market of a tenant", () => {
  it("is the plain one where the tenant is the installation's own", () => {
    expect(internalInstrumentId("BTC", "USDT")).toBe("INTERNAL:BTC/USDT")
    expect(names("acme")).toBe("INTERNAL:BTC/USDT@acme")
  })

  it("is read back, whatever the command line takes for a tenant's name", () => {
    const parts = { venue: INTERNAL, symbol: "BTC/USDT", baseAsset: "BTC", quoteAsset: "USDT" }
    for (const tenant of ["acme", "A.b_c-9", "1", "t".repeat(64)])
      expect(parseInstrumentId(names(tenant))).toEqual(parts)
    for (const tenant of ["", "-a", "a:b", "a/b", "a@b", "a b", "t".repeat(65)])
      expect([tenant, parseInstrumentId(names(tenant))]).toEqual([tenant, undefined])
    expect(parseInstrumentId(LONGEST)).toBeDefined()
    expect(LONGEST.length).toBe(INSTRUMENT_ID_MAX)
  })

  it("is one of INTERNAL alone", () => {
    expect(parseInstrumentId("BINANCE:BTC/USDT@acme")).toBeUndefined()
    expect(parseChannel("market:orderbook:BINANCE:BTC/USDT@acme")).toBeUndefined()
    expect(parseChannel("market:ticker:BINANCE@acme")).toBeUndefined()
  })

  it("stands in the names of channels", () => {
    const instrumentId = names("acme")
    for (const kind of ["orderbook", "ticker", "trade"])
      expect(parseChannel(`market:${kind}:INTERNAL:BTC-USDT@acme`)).toMatchObject({ kind, instrumentId })
    const name = klineChannel(instrumentId, "1m")
    expect(parseChannel(name)).toEqual({ kind: "kline", name, venue: INTERNAL, instrumentId, interval: "1m" })
    const tickers = venueTickerChannel(INTERNAL, "acme" as TenantId)
    expect(parseChannel(tickers)).toMatchObject({ kind: "venueTicker", venue: INTERNAL, tenantId: "acme" })
    expect(parseChannel("market:ticker:MOCK")).toMatchObject({ kind: "venueTicker", tenantId: null })
  })
})
