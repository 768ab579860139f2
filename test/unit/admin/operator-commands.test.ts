/** The words of the commands that are about the installation and not about a user. */
import { describe, expect, it } from "vitest"
import { parseMigrate } from "../../../src/admin/migrate.ts"
import { parseTradingMode } from "../../../src/admin/trading-mode.ts"

describe("the command line", () => {
  it("reads a trading mode, with or without a reason, or asks for the one in force", () => {
    expect(parseTradingMode(["trading-mode"])).toEqual({ _tag: "TradingMode", tradingMode: null, reason: null })
    expect(parseTradingMode(["trading-mode", "cancel_only"])).toMatchObject({
      tradingMode: "cancel_only",
      reason: null,
    })
    const told = parseTradingMode(["trading-mode", "maintenance", "moving", "house"])
    expect(told).toMatchObject({ tradingMode: "maintenance", reason: "moving house" })
    for (const words of [[], ["trading-mode", "halt"], ["trading-mode", ""], ["ban", "online"]])
      expect(parseTradingMode(words)).toBeUndefined()
  })

  it("reads a migration, for the owner alone or for a gateway's role", () => {
    expect(parseMigrate(["migrate"])).toEqual({ _tag: "Migrate", role: null })
    expect(parseMigrate(["migrate", "--for", "gateway"])).toEqual({ _tag: "Migrate", role: "gateway" })
    for (const words of [["migrate", "gateway"], ["migrate", "--for"], ["migrate", "--for", "a", "b"], []])
      expect(parseMigrate(words)).toBeUndefined()
  })
})
