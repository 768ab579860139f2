/** Uuids made of names: the same for the same name for ever, which a fixed vector holds. */
import { describe, expect, it } from "vitest"
import { nameUuid } from "../../../src/domain/ids.ts"

describe("a name's uuid", () => {
  it("is of version 5 and never changes", () => {
    // Another implementation's answer for our namespace and this name.
    expect(nameUuid("BINANCE|BINANCE:BTC/USDT|4223")).toBe("16a0916b-1890-5d2b-b682-abd5ce6bc352")
    expect(nameUuid("BINANCE|BINANCE:BTC/USDT|4223")).not.toBe(nameUuid("BINANCE|BINANCE:BTC/USDT|4224"))
    expect(nameUuid("a")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})
