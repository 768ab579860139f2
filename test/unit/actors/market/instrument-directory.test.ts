/** What each tenant sees of the instruments that are known. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { InstrumentDirectory } from "../../../../src/actors/market/instrument-directory.ts"
import type { TenantId } from "../../../../src/domain/ids.ts"
import { INTERNAL, internalInstrumentId } from "../../../../src/domain/order/internal-order.ts"
import { MOCK } from "../../../../src/venues/mock/instruments.ts"
import { instrumentOf } from "../../../kit/records/instruments.ts"

const [HOME, ACME, OTHER] = ["default" as TenantId, "acme" as TenantId, "other" as TenantId]
const shared = instrumentOf("MOCK:BTC/USDT")
const plain = instrumentOf(internalInstrumentId("BTC", "USDT"), { tenantId: HOME })
const theirs = instrumentOf(internalInstrumentId("BTC", "USDT", ACME), { tenantId: ACME })

const filled = (): InstrumentDirectory => {
  const directory = Effect.runSync(InstrumentDirectory.pipe(Effect.provide(InstrumentDirectory.Default)))
  directory.put([theirs, shared, plain])
  return directory
}

describe("the directory of instruments", () => {
  it("shows a tenant its own markets and what all share, and nobody else's", () => {
    const directory = filled()
    const seen = (viewer: TenantId | null) =>
      [shared, plain, theirs].filter(({ instrumentId }) => directory.find(instrumentId, viewer) !== undefined)
    expect(seen(HOME)).toEqual([shared, plain])
    expect(seen(ACME)).toEqual([shared, theirs])
    expect(seen(OTHER)).toEqual([shared])
    expect(seen(null)).toEqual([shared])
    expect([HOME, ACME, OTHER, null].map((viewer) => directory.ofVenue(INTERNAL, viewer))).toEqual([
      [plain],
      [theirs],
      [],
      [],
    ])
    expect(directory.ofVenue(MOCK, OTHER)).toEqual([shared])
    expect(directory.everyTenants(INTERNAL)).toEqual([plain, theirs])
  })

  it("knows what a pair is called for each, as it is listed last", () => {
    const directory = filled()
    expect([HOME, ACME, OTHER].map((viewer) => directory.ofPair(INTERNAL, "BTC/USDT", viewer))).toEqual([
      plain,
      theirs,
      undefined,
    ])
    expect(directory.ofPair(MOCK, "BTC/USDT", OTHER)).toEqual(shared)
    const retired = { ...theirs, status: "DELISTED" } as const
    directory.put([retired])
    expect(directory.ofPair(INTERNAL, "BTC/USDT", ACME)).toEqual(retired)
    expect(directory.ofVenue(INTERNAL, ACME)).toEqual([retired])
  })

  it("names what is listed next, and gives no tenant a name that another one took", () => {
    const directory = filled()
    const pairOf = (baseAsset: string) => ({ baseAsset, quoteAsset: "USDT" })
    expect(directory.nameOf(pairOf("ETH"), HOME, HOME)).toBe("INTERNAL:ETH/USDT")
    expect(directory.nameOf(pairOf("ETH"), ACME, HOME)).toBe("INTERNAL:ETH/USDT@acme")
    // The installation's own is another tenant now.
    expect(directory.nameOf(pairOf("BTC"), OTHER, OTHER)).toBe("INTERNAL:BTC/USDT@other")
  })

  it("hides what is another's, not what nobody knows", () => {
    const directory = filled()
    expect(directory.hides(plain.instrumentId, ACME)).toBe(true)
    expect(directory.hides(theirs.instrumentId, ACME)).toBe(false)
    expect(directory.hides(shared.instrumentId, ACME)).toBe(false)
    expect(directory.hides("LATER:BTC/USDT", ACME)).toBe(false)
  })

  it("knows of what its venue lists no more, that somebody wants it, and not of a market of ours that was retired", () => {
    const directory = filled()
    directory.put([
      { ...shared, status: "DELISTED" },
      { ...theirs, status: "DELISTED" },
    ])
    expect(directory.isDoubted(MOCK)).toBe(false)
    expect(directory.delistingFault(shared.instrumentId)).toMatchObject({
      _tag: "InstrumentDelisted",
      instrumentId: "MOCK:BTC/USDT",
    })
    expect(directory.isDoubted(MOCK)).toBe(true)
    expect([plain, theirs].map(({ instrumentId }) => directory.delistingFault(instrumentId))).toEqual([
      undefined,
      undefined,
    ])
    directory.put([shared])
    expect(directory.delistingFault(shared.instrumentId)).toBeUndefined()
  })
})
