/** Accounts of venues in this process sleep when nothing keeps them awake: whoever asks them wakes them, and notices nothing of it. */
import { describe, expect, it } from "vitest"
import type { Position } from "../../../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { ACCOUNT, okOf, type World } from "../../../../sim/world.ts"

/** After more than five idle minutes without a listener. */
const asleep = (): World => {
  const world = readyWorld({ venue: { inProcess: true } })
  world.isHeard = false
  world.advance(400_000)
  expect(world.accounts.stats().live).toBe(0)
  world.isHeard = true
  world.published.length = 0
  return world
}
const events = (world: World): number => world.database.events.get(ACCOUNT)?.length ?? 0
const positions = (world: World) => {
  const asked = world.ask<ReadonlyArray<Position>>((reply) => ({ _tag: "ReadPortfolio", currency: null, reply }))
  world.advance(500)
  return okOf(asked).map(({ currency, available, locked }) => [currency, `${available}`, `${locked}`])
}

describe("a sleeping account", () => {
  it("answers its portfolio as it is, the first time that it is asked", () => {
    const before = positions(readyWorld({ venue: { inProcess: true } }))
    expect(before.length).toBeGreaterThan(0)
    expect(positions(asleep())).toEqual(before)
  })

  it("publishes nothing when it wakes and nothing has changed, and stays ACTIVE", () => {
    const world = asleep()
    const stored = events(world)
    const seen = new Set<string>()
    world.ask((reply) => ({ _tag: "ReadPortfolio", currency: null, reply }))
    world.advance(5_000, () => void seen.add(world.status()))
    expect(world.accounts.stats().live).toBe(1)
    expect([world.kinds(), events(world), [...seen]]).toEqual([[], stored, ["ACTIVE"]])
  })

  it("begins a map of its positions with what was told before it slept", () => {
    const world = asleep()
    world.state("accountPositions")
    world.advance(5_000)
    const state = world.state("accountPositions")
    world.advance(10)
    expect(state?.entries.map(({ key }) => key)).toEqual(positions(world).map(([currency]) => currency))
    expect(world.invalidated).toEqual([])
  })

  it("tells what of its balances has changed meanwhile, and nothing else", () => {
    const world = asleep()
    world.venue.totals.set("USDT", Decimal.of("5"))
    world.ask((reply) => ({ _tag: "ReadPortfolio", currency: null, reply }))
    world.advance(5_000)
    expect(world.kinds()).toEqual(["PORTFOLIO.UPDATED"])
    expect(world.published.map(({ json }) => json.match(/"currency":"(\w+)"/g))).toEqual([['"currency":"USDT"']])
  })

  it("says when its venue cannot be reached, and when it can be again", () => {
    const world = asleep()
    world.venue.isUp = false
    const asked = world.ask((reply) => ({ _tag: "ReadPortfolio", currency: null, reply }))
    world.advance(20_000)
    expect(asked.answer).toMatchObject({ error: { _tag: "PortfolioUnavailable" } })
    expect(world.status()).toBe("UNAVAILABLE")
    world.venue.isUp = true
    world.advance(60_000)
    expect(world.status()).toBe("ACTIVE")
    expect(world.kinds().at(-1)).toBe("TRADING_ACCOUNT.RECONCILED")
  })
})
