/**
 * A reader that leaves a market, or comes back to it, is heard by nobody else: unmodified ccxt against the sockets of the venues, as they
 * speak (`kit/spoken-venues`). One market's name is a part of another's, everywhere.
 */
import { afterEach, describe, expect, it, vi } from "vitest"
import { type SpokenFeed, speaking } from "../../../kit/spoken-venues/feed.ts"
import { readerStorm } from "../../../kit/spoken-venues/storm.ts"
import { SPOKEN } from "../../../kit/spoken-venues/venues.ts"

const BASES = ["BTC", "WBTC", "ETH"]
const PATIENCE = { timeout: 8000, interval: 10 }

let world: SpokenFeed | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

const lost = ({ told, instrument }: SpokenFeed, ...bases: ReadonlyArray<string>) =>
  told().filter((it) => it._tag === "StreamLost" && bases.some((base) => instrument(base) === it.instrumentId))

/** Every one of them has its book, and the newest change of it. */
const upToDate = (spoken: SpokenFeed, ...bases: ReadonlyArray<string>): Promise<void> =>
  vi.waitFor(() => {
    spoken.move()
    for (const base of bases) expect(spoken.snapshots(base)).toBeGreaterThan(0)
  }, PATIENCE)

const follows = (spoken: SpokenFeed, ...bases: ReadonlyArray<string>): Promise<void> =>
  vi.waitFor(() => {
    for (const base of bases) expect([base, spoken.best(base).heard]).toEqual([base, spoken.best(base).sent])
  }, PATIENCE)

describe.each(Object.keys(SPOKEN))("at %s", (name) => {
  it("a book is left, and returned to, without a word to the others", async () => {
    const spoken = await speaking(name, BASES)
    world = spoken
    for (const base of BASES) spoken.open("book", base)
    await upToDate(spoken, ...BASES)
    const { connections, snapshots } = spoken
    const [made, others] = [connections(), snapshots("WBTC")]
    const before = snapshots("BTC")

    spoken.close("book", "BTC")
    spoken.move()
    await vi.waitFor(() => expect(spoken.taken().filter((it) => /(?<!W)BTC/i.test(it))).toEqual([]), PATIENCE)
    spoken.move()
    await follows(spoken, "WBTC", "ETH")

    spoken.open("book", "BTC")
    await vi.waitFor(() => {
      spoken.move()
      expect(snapshots("BTC")).toBe(before + 1)
    }, PATIENCE)
    spoken.move()
    await follows(spoken, ...BASES)
    expect(lost(spoken, ...BASES)).toEqual([])
    expect([connections(), snapshots("WBTC")]).toEqual([made, others])
  })

  it("a book is returned to before the venue has heard that it was left", async () => {
    const spoken = await speaking(name, BASES)
    world = spoken
    for (const base of BASES) spoken.open("book", base)
    await upToDate(spoken, ...BASES)
    const made = spoken.connections()
    const before = spoken.snapshots("BTC")

    spoken.close("book", "BTC")
    spoken.open("book", "BTC")
    spoken.close("book", "BTC")
    spoken.move()
    spoken.open("book", "BTC")
    spoken.move()
    await vi.waitFor(() => {
      spoken.move()
      expect(spoken.snapshots("BTC")).toBeGreaterThan(before)
    }, PATIENCE)
    spoken.move()
    await follows(spoken, ...BASES)
    expect(lost(spoken, ...BASES)).toEqual([])
    expect(spoken.connections()).toBe(made)
  })

  // The thousand of issue and scoreboard: `npm run torture -- reader-storm`.
  it("readers that come and go at random end no connection, and no stream", async () => {
    const found = await readerStorm(name, { instruments: 6, steps: 80, seed: 7 })
    expect(found).toMatchObject({ ended: 0, lost: [], behind: [] })
  })
})
