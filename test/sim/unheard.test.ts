/** What an account is told to know of trades that its stream lost (`checks/unheard.ts`): when it may lack them, and when it is wrong. */
import { afterEach, describe, expect, it, vi } from "vitest"
import type { AccountCore } from "../../src/actors/account/core.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import type { VenueBalances } from "../../src/ports/venue-session.ts"
import { Checks } from "./checks/checks.ts"
import { MAIN } from "./venue/exchange.ts"
import { BTC_USDT } from "./venue/listing.ts"
import { SimMarkets } from "./venue/market.ts"
import { simAccount, World } from "./world.ts"

/** The account reads its balances when its session opens, and never again. */
const sabotage = { readsOnce: false }

vi.mock("../../src/actors/account/venue/balances.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/account/venue/balances.ts")>()
  return {
    ...real,
    applyBalances: (core: AccountCore, told: VenueBalances): void => {
      if (!sabotage.readsOnce || core.connection.phase !== "ready") real.applyBalances(core, told)
    },
  }
})

afterEach(() => {
  sabotage.readsOnce = false
})

const watchedWorld = () => {
  const world = new World()
  const checks = new Checks(world, new SimMarkets(world, world.venue.instruments), () => undefined)
  checks.join(simAccount())
  world.start()
  checks.processStarted()
  world.advance(1_000)
  expect(world.status()).toBe("ACTIVE")
  return {
    world,
    /** Two looks: the first learns since when it is ACTIVE. */
    saidAfter: (millis: number): ReadonlyArray<string> => {
      checks.safety()
      world.advance(millis)
      checks.safety()
      return checks.violations.splice(0).filter((it) => it.includes("for a while"))
    },
    btc: (): string | undefined =>
      world
        .portfolio(null)
        .find((it) => it.currency === "BTC")
        ?.available.toString(),
  }
}

/** An order placed elsewhere is filled, and the stream says nothing of it. */
const tradeUnheard = ({ venue }: World): void => {
  const { stream } = venue.fates
  venue.fates.stream = () => "drop"
  const terms = { instrumentId: BTC_USDT, orderSide: "BUY", orderType: "LIMIT", timeInForce: "GTC" } as const
  venue.place({ ...terms, quantity: "5", limitPrice: "99" }, null, MAIN, null)
  const [sim] = venue.openOrders(MAIN)
  venue.fill(sim!, sim!.quantity)
  venue.fates.stream = stream
}

describe("of a trade that the stream lost, the simulation", () => {
  it("lets an account that rests not know for ten minutes, in which it may be wrong by nothing else", () => {
    const { world, saidAfter, btc } = watchedWorld()
    world.advance(60_000)
    tradeUnheard(world)
    expect(saidAfter(120_000)).toEqual([])
    expect(btc()).toBe("1000")
    world.venue.totals.set("BTC", world.venue.totals.get("BTC")!.add(Decimal.ONE))
    expect(saidAfter(10_000).at(-1)).toContain("BTC: 1000 + 0, and the venue has had 1006")
  })

  it("sees an account that rests and does not know it after that", () => {
    const { world, saidAfter } = watchedWorld()
    sabotage.readsOnce = true
    world.advance(60_000)
    tradeUnheard(world)
    expect(saidAfter(500_000)).toEqual([])
    expect(saidAfter(100_000).join()).toContain("BTC: 1000 + 0, and the venue has had 1005")
  })

  it("sees an account that does not know it at the audit of balances after an order has stirred it", () => {
    const { world, saidAfter } = watchedWorld()
    sabotage.readsOnce = true
    world.advance(60_000)
    tradeUnheard(world)
    world.submit()
    expect(saidAfter(25_000)).toEqual([])
    expect(saidAfter(20_000).join()).toContain("BTC: 1000 + 0, and the venue has had 1005")
  })

  it("takes no order of the account's own for unheard of", () => {
    const { world, saidAfter } = watchedWorld()
    sabotage.readsOnce = true
    const { stream } = world.venue.fates
    world.submit()
    world.advance(60_000)
    world.venue.fates.stream = () => "drop"
    const [sim] = world.venue.openOrders(MAIN)
    world.venue.fill(sim!, sim!.quantity)
    world.venue.fates.stream = stream
    expect(saidAfter(8_000).join()).toContain("BTC: 1000 + 0, and the venue has had")
  })
})
