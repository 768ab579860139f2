/**
 * A connection that ends in the middle of a burst, and a replica that answers late, cost no reader a level without a word: unmodified ccxt
 * against the sockets of every venue, as they speak (`kit/spoken-venues`).
 */
import { afterEach, describe, expect, it, vi } from "vitest"
import { type SpokenFeed, speaking } from "../../../kit/spoken-venues/feed.ts"
import { SPOKEN } from "../../../kit/spoken-venues/venues.ts"

const BASES = ["BTC", "WBTC"]
// Where snapshots come by REST a quiet book is asked for after six seconds.
const PATIENCE = { timeout: 20_000, interval: 20 }
const BURST = 20

let world: SpokenFeed | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

describe.each(Object.keys(SPOKEN))("at %s", (name) => {
  it("each book is told to be lost, and begins with a snapshot before any further change", {
    timeout: 60_000,
  }, async () => {
    const spoken = await speaking(name, BASES)
    world = spoken
    for (const base of BASES) spoken.open("book", base)
    await vi.waitFor(() => {
      spoken.move()
      for (const base of BASES) expect(spoken.snapshots(base)).toBeGreaterThan(0)
    }, PATIENCE)
    for (let nth = 0; nth < BURST; nth++) spoken.move()
    spoken.cut()
    await vi.waitFor(() => {
      spoken.move()
      for (const base of BASES) expect([base, spoken.snapshots(base) > 1]).toEqual([base, true])
    }, PATIENCE)
    spoken.move()
    await vi.waitFor(() => {
      for (const base of BASES) expect([base, spoken.best(base).heard]).toEqual([base, spoken.best(base).sent])
    }, PATIENCE)
    for (const base of BASES) {
      const words = spoken.told().flatMap((it) => {
        if (it._tag === "StreamLost" && it.instrumentId === spoken.instrument(base)) return ["lost"]
        if (it._tag !== "Depth" || it.update.instrumentId !== spoken.instrument(base)) return []
        return [it.update.snapshot ? "snapshot" : "change"]
      })
      expect(words).toContain("lost")
      // Nothing but a snapshot follows a loss.
      words.forEach((word, at) => {
        if (word === "lost") expect(["snapshot", "lost"]).toContain(words[at + 1])
      })
    }
  })
})

const BY_REST = Object.keys(SPOKEN).filter((name) => SPOKEN[name]?.snapshot === null)

describe.each(BY_REST)("at %s, whose books begin by REST", (name) => {
  it("no change is put on top of an answer of a replica that is behind", { timeout: 60_000 }, async () => {
    const spoken = await speaking(name, BASES)
    world = spoken
    const late = spoken.answerLate(BASES.length)
    for (const base of BASES) spoken.open("book", base)
    await vi.waitFor(() => {
      spoken.move()
      for (const base of BASES) {
        expect(spoken.snapshots(base)).toBeGreaterThan(0)
        expect([base, late.has(spoken.best(base).heard ?? "")]).toEqual([base, false])
      }
    }, PATIENCE)
    spoken.move()
    await vi.waitFor(() => {
      for (const base of BASES) expect([base, spoken.best(base).heard]).toEqual([base, spoken.best(base).sent])
    }, PATIENCE)
    expect(late.size).toBeGreaterThan(0)
    // While nothing has changed yet nothing shows that it is; the first change does.
    for (const base of BASES) {
      const words = spoken.told().flatMap((it) => {
        if (it._tag === "StreamLost" && it.instrumentId === spoken.instrument(base)) return ["lost"]
        if (it._tag !== "Depth" || it.update.instrumentId !== spoken.instrument(base)) return []
        if (!it.update.snapshot) return ["change"]
        return [late.has(it.update.bids[1] ?? "") ? "late snapshot" : "snapshot"]
      })
      words.forEach((word, at) => {
        if (word === "late snapshot") expect(["lost", "snapshot"]).toContain(words[at + 1])
      })
    }
  })
})
