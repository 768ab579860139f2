/** How often an account is audited: at its own pace while the venue answers at once, at the venue's where it makes questions wait. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { placedElsewhere, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { BTC_USDT, SIM } from "../../../../sim/venue/listing.ts"
import { okOf, World } from "../../../../sim/world.ts"

describe("audits", () => {
  it("keep their periods while they are answered, and stretch instead of piling up where they wait", () => {
    const world = new World()
    world.start()
    world.advance(1_000)
    world.submit()
    world.advance(120_000)
    const periods = () => world.accounts.auditPeriods().get(SIM)
    expect(periods()?.balances).toBeGreaterThanOrEqual(30_000)
    expect(periods()?.openOrders).toBeGreaterThanOrEqual(10_000)
    expect(periods()?.openOrders).toBeLessThan(11_500)
    const before = world.venue.questions
    world.advance(60_000)
    expect(world.venue.questions - before).toBeGreaterThanOrEqual(8)
    // Each question takes 40 s.
    world.venue.fates.latencyMillis = () => 20_000
    world.advance(60_000)
    const slow = world.venue.questions
    world.advance(400_000)
    expect(world.venue.questions - slow).toBeLessThanOrEqual(11)
    expect(periods()?.openOrders).toBeGreaterThan(40_000)
    expect(periods()?.openOrders).toBeLessThan(200_000)
    world.venue.fates.latencyMillis = () => 5
    world.advance(400_000)
    expect(periods()?.openOrders).toBeLessThan(11_500)
  })

  it("that wait at the venue's budget keep no order in doubt waiting", () => {
    const world = new World()
    world.start()
    world.advance(1_000)
    world.submit()
    world.venue.listsWaitMillis = 14_000
    world.advance(30_000)
    world.venue.fates.submit = () => "lostAfter"
    world.venue.fates.stream = () => "drop"
    for (let second = 0; second < 20; second++) {
      const asked = world.submit()
      world.advance(1_500)
      expect(world.read(okOf(asked).order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    }
  })

  it("that wait at the venue's budget keep no proof waiting", () => {
    const world = new World()
    world.start()
    world.advance(1_000)
    world.submit()
    world.venue.listsWaitMillis = 60_000
    world.advance(60_000)
    world.venue.fates.submit = () => "lostBefore"
    const asked = world.submit()
    // 2 s to leave, the venue's window of 5 s, the margin of 10 s, then the question and the view.
    world.advance(17_000)
    expect(world.read(okOf(asked).order.tradeOrderId).orderStatus).toBe("UNKNOWN")
    world.advance(3_000)
    expect(world.read(okOf(asked).order.tradeOrderId)).toMatchObject({
      orderStatus: "REJECTED",
      rejectReason: "NOT_PLACED: proven by expiry",
    })
  })

  it("and doubts that a long outage left unanswered are caught up with within a minute of its end", () => {
    const world = new World()
    world.start()
    world.advance(1_000)
    world.venue.fates.submit = () => "lostBefore"
    world.venue.isUp = false
    const orders = Array.from({ length: 20 }, () => okOf(advanced(world, world.submit())).order)
    world.advance(600_000)
    world.venue.isUp = true
    world.advance(60_000)
    const states = orders.map(({ tradeOrderId }) => world.read(tradeOrderId).orderStatus)
    expect(new Set(states)).toEqual(new Set(["REJECTED"]))
  })

  it("leave no doubt waiting for its next question when there is news of it", () => {
    const world = new World()
    world.start()
    world.advance(1_000)
    const { tradeOrderId } = okOf(advanced(world, world.submit())).order
    world.venue.fates.cancel = () => "silentBefore"
    world.venue.fates.stream = () => "drop"
    world.venue.isUp = false
    world.cancel(tradeOrderId)
    world.advance(100_000)
    // It has ended there unheard, and the venue says so to the next cancel.
    world.venue.end(world.venue.find({ tradeOrderId, externalOrderId: null })!, "CANCELLED")
    world.venue.fates.cancel = () => "accept"
    world.venue.isUp = true
    world.cancel(tradeOrderId)
    world.advance(3_000)
    expect(world.read(tradeOrderId).orderStatus).toBe("CANCELLED")
  })

  const advanced = <A>(world: World, asked: A): A => {
    world.advance(500)
    return asked
  }

  /** An order placed elsewhere, of which the stream says nothing. */
  const hiddenOrder = (world: World): void => {
    world.venue.fates.stream = () => "drop"
    const order = { instrumentId: BTC_USDT, orderSide: "SELL", orderType: "LIMIT", timeInForce: "GTC" } as const
    world.venue.place({ ...order, quantity: "1", limitPrice: "107" }, null)
    world.venue.fates.stream = () => "deliver"
  }
  const tellBalances = (world: World): void =>
    world.venue.tell({ _tag: "BalancesSeen", balances: { ...world.venue.balances(), complete: false } })
  const position = (world: World, asset: string): string | undefined =>
    world
      .portfolio(null)
      .find(({ currency }) => currency === asset)
      ?.available.toString()
  const imported = (world: World) =>
    [...world.database.orders.values()].filter(({ order }) => order.origin === "EXTERNAL")

  it("of an account without orders look for what locks its funds once the stream has said so, and only once for the same lock", () => {
    const world = new World()
    world.start()
    world.advance(1_000)
    world.venue.oddBalances = [{ asset: "ETH", available: "0", locked: "5" }]
    tellBalances(world)
    world.advance(60_000)
    const quiet = world.venue.questions
    world.advance(120_000)
    expect(world.venue.questions - quiet).toBe(0)
    hiddenOrder(world)
    tellBalances(world)
    world.advance(12_000)
    expect(imported(world).length).toBe(1)
  })

  it("of an account that rests are few: its balances and its open orders, each within ten minutes", () => {
    const world = new World()
    world.start()
    world.advance(60_000)
    const before = world.venue.questions
    world.advance(3_600_000)
    expect(world.venue.questions - before).toBeGreaterThanOrEqual(12)
    expect(world.venue.questions - before).toBeLessThanOrEqual(16)
  })

  it("of an account that rests find what its stream did not say, within ten minutes, and look again at once", () => {
    const world = new World()
    world.start()
    world.advance(60_000)
    world.venue.oddBalances = [{ asset: "ETH", available: "7", locked: "0" }]
    let seconds = 0
    for (; position(world, "ETH") !== "7" && seconds < 600; seconds++) world.advance(1_000)
    expect(seconds).toBeGreaterThan(300)
    expect(seconds).toBeLessThan(600)
    world.venue.oddBalances = [{ asset: "ETH", available: "8", locked: "0" }]
    world.advance(70_000)
    expect(position(world, "ETH")).toBe("8")
  })

  it("of balances go on while an order is open, the stream is down, or something has just moved", () => {
    const world = new World()
    world.start()
    world.advance(60_000)
    const told = () => world.venue.questions
    const { tradeOrderId } = okOf(advanced(world, world.submit())).order
    world.advance(30_000)
    const working = told()
    world.advance(300_000)
    expect(told() - working).toBeGreaterThanOrEqual(10 + 29 + 4)
    world.cancel(tradeOrderId)
    world.advance(70_000)
    const quiet = told()
    world.advance(300_000)
    expect(told() - quiet).toBeLessThanOrEqual(2)
    world.venue.streamDown()
    const down = told()
    world.advance(300_000)
    expect(told() - down).toBeGreaterThanOrEqual(9)
  })

  it("of an account that rests come more and more seldom while the venue does not answer them", () => {
    const world = new World()
    world.start()
    world.advance(60_000)
    world.venue.isUp = false
    world.advance(700_000)
    const before = world.venue.questions
    world.advance(3_600_000)
    expect(world.venue.questions - before).toBeLessThanOrEqual(20)
    world.venue.isUp = true
    const { oddBalances } = world.venue
    world.venue.oddBalances = [...oddBalances, { asset: "ETH", available: "9", locked: "0" }]
    world.advance(660_000)
    expect(position(world, "ETH")).toBe("9")
  })

  it("of an account without orders look for what locks nothing, every ten minutes", () => {
    const world = new World()
    world.start()
    world.advance(1_000)
    world.venue.locked = () => Decimal.ZERO
    hiddenOrder(world)
    world.advance(300_000)
    expect(imported(world).length).toBe(0)
    world.advance(320_000)
    expect(imported(world).length).toBe(1)
  })

  it("of trades take in all that were missed of an order, and not one with each", () => {
    const world = readyWorld()
    const { tradeOrderId } = okOf(advanced(world, world.submit({ quantity: "5" as never }))).order
    world.venue.fates.stream = () => "drop"
    const [sim] = world.venue.openOrders()
    for (let trade = 0; trade < 4; trade++) world.venue.fill(sim!, Decimal.ONE)
    world.cancel(tradeOrderId)
    world.advance(1_000)
    expect(world.read(tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", executedQuantity: Decimal.ZERO })
    world.advance(70_000)
    expect(world.read(tradeOrderId).executedQuantity.toString()).toBe("4")
  })

  it.each([
    ["that its venue does not show for a minute", 10_000, false],
    ["minutes later", 300_000, false],
    ["in another process", 10_000, true],
  ])("of trades find an order that comes after it was given up and is filled unheard, %s", (_, after, isRestarted) => {
    const world = readyWorld()
    world.venue.fates.submit = () => "lostBefore"
    world.venue.isKnown = (sim) => sim.status !== "FILLED" || world.time.now - sim.updatedAt > 60_000
    const { tradeOrderId } = okOf(advanced(world, world.submit({ orderType: "MARKET" }))).order
    world.advance(30_000)
    expect(world.read(tradeOrderId).orderStatus).toBe("REJECTED")
    world.venue.fates.stream = () => "drop"
    if (isRestarted) {
      world.crash()
      world.start()
    }
    world.advance(after)
    placedElsewhere(world, { orderType: "MARKET", limitPrice: null }, tradeOrderId)
    world.advance(150_000)
    expect(world.read(tradeOrderId).orderStatus).toBe("FILLED")
  })
})
