/** Executions that the gateway infers from a venue's word alone, and the trades that explain them later: nothing counts twice. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import type { VenueFill } from "../../../../../src/ports/venue-session.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import type { World } from "../../../../sim/world.ts"

/** The venue names what it executed, without an update time of its own: ccxt then gives the time of creation. Trades come later. */
const inferredWorld = (quantity: string, patch: Parameters<typeof placed>[1] = {}) => {
  const world = readyWorld()
  const order = placed(world, patch)
  const sim = world.venue.find(order)!
  world.venue.fates.stream = () => "drop"
  const trades = [world.venue.fill(sim, Decimal.of(quantity), "99")]
  sim.fills.length = 0
  world.venue.fates.stream = () => "deliver"
  const view = () =>
    world.venue.tell({ _tag: "OrderSeen", state: { ...world.venue.stateOf(sim), updatedAt: sim.createdAt } })
  view()
  world.advance(6_000)
  return { world, order, sim, trades, view }
}

const tell = (world: World, fill: VenueFill) => {
  world.venue.tell({ _tag: "Filled", fill })
  world.advance(100)
}

const summed = ({ executedQuantity, executedCost, averageOf, executions }: ReturnType<typeof ofWorld>) => ({
  executedQuantity: executedQuantity.toString(),
  executedCost: executedCost.toString(),
  averageOf,
  executions: executions.map((it) => [it.inferred, it.executedQuantity.toString()]),
})

const ofWorld = (world: World, order: TradeOrder) => {
  const now = world.read(order.tradeOrderId)
  return { ...now, averageOf: now.executedCost.divide(now.executedQuantity, 4, "HALF_EVEN").toString() }
}

describe("an inferred execution", () => {
  it("is replaced by the trade that explains it, whose time is later than the venue's word", () => {
    const { world, order, trades } = inferredWorld("1")
    const before = world.read(order.tradeOrderId).executions[0]!
    expect(summed(ofWorld(world, order))).toMatchObject({ executedQuantity: "1", executions: [[true, "1"]] })
    tell(world, trades[0]!)
    expect(summed(ofWorld(world, order))).toEqual({
      executedQuantity: "1",
      executedCost: "99",
      averageOf: "99",
      executions: [[false, "1"]],
    })
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "FILLED", overfillQuantity: Decimal.ZERO })
    expect(world.read(order.tradeOrderId).executions[0]!.replaces).toBe(before.executionId)
    expect(world.kinds().filter((kind) => kind === "TRADING_ACCOUNT.ALERT")).toEqual([])
    world.advance(60_000)
    expect(world.portfolio().map((it) => `${it.currency} ${it.available.add(it.locked)}`)).toEqual(
      [...world.venue.totals].map(([asset, total]) => `${asset} ${total}`),
    )
  })

  it("is counted in the balances no longer than until its trade comes, whatever its price", () => {
    const { world, trades } = inferredWorld("1")
    const totals = () => new Map(world.portfolio().map((it) => [it.currency, `${it.available.add(it.locked)}`]))
    tell(world, trades[0]!)
    expect(totals()).toEqual(new Map([...world.venue.totals].map(([asset, total]) => [asset, `${total}`])))
  })

  it.each([0, 60_000])("is in the balances that were told since it was named, our clock %i ms ahead", (ahead) => {
    const world = readyWorld()
    const order = placed(world)
    const sim = world.venue.find(order)!
    world.wallAheadMillis = ahead
    world.venue.fates.stream = () => "drop"
    world.venue.fill(sim, Decimal.ONE, "99")
    sim.fills.length = 0
    world.venue.fates.stream = () => "deliver"
    world.venue.tell({ _tag: "OrderSeen", state: { ...world.venue.stateOf(sim), updatedAt: null } })
    world.advance(2_000)
    const totals = [...world.venue.totals].map(([asset, total]) => `${asset} ${total}`)
    world.venue.tell({ _tag: "BalancesSeen", balances: world.venue.balances() })
    const inferred = () => [...world.database.executions.values()].filter((it) => it.inferred)
    while (inferred().length === 0) world.advance(10)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("FILLED")
    expect(world.portfolio().map((it) => `${it.currency} ${it.available.add(it.locked)}`)).toEqual(totals)
  })

  it("keeps what a trade leaves unexplained, as a new execution in its place", () => {
    const { world, order, trades } = inferredWorld("0.8")
    const [inferred] = world.read(order.tradeOrderId).executions
    const part = { ...trades[0]!, quantity: "0.3" }
    tell(world, part)
    const half = world.read(order.tradeOrderId)
    expect(summed(ofWorld(world, order))).toMatchObject({
      executedQuantity: "0.8",
      executedCost: "79.7",
      executions: [
        [true, "0.5"],
        [false, "0.3"],
      ],
    })
    expect(half.executions.map((it) => it.replaces)).toEqual([inferred!.executionId, inferred!.executionId])
    tell(world, part)
    expect(summed(ofWorld(world, order)).executedQuantity).toBe("0.8")
    tell(world, { ...part, externalTradeId: "T-other", quantity: "0.5" })
    expect(summed(ofWorld(world, order))).toEqual({
      executedQuantity: "0.8",
      executedCost: "79.2",
      averageOf: "99",
      executions: [
        [false, "0.3"],
        [false, "0.5"],
      ],
    })
    expect(world.read(order.tradeOrderId).orderStatus).toBe("PARTIALLY_FILLED")
    expect(world.database.executions.size).toBe(4)
  })

  it("does not hide what a trade executes beyond it", () => {
    const { world, order, trades } = inferredWorld("0.3")
    tell(world, { ...trades[0]!, quantity: "0.7" })
    expect(summed(ofWorld(world, order))).toMatchObject({ executedQuantity: "0.7", executions: [[false, "0.7"]] })
    expect(world.read(order.tradeOrderId).held.toString()).toBe("30")
  })

  it("grows by what the venue names beyond it", () => {
    const { world, order, sim, view } = inferredWorld("0.3")
    world.venue.fates.stream = () => "drop"
    world.venue.fill(sim, Decimal.of("0.3"), "98")
    sim.fills.length = 0
    world.venue.fates.stream = () => "deliver"
    view()
    world.advance(6_000)
    expect(summed(ofWorld(world, order))).toMatchObject({ executedQuantity: "0.6", executions: [[true, "0.6"]] })
    expect(world.database.executions.size).toBe(2)
  })

  it("is explained after a restart as before", () => {
    const { world, order, trades } = inferredWorld("0.8")
    world.crash()
    world.start()
    world.advance(2_000)
    tell(world, trades[0]!)
    expect(summed(ofWorld(world, order))).toMatchObject({ executedQuantity: "0.8", executedCost: "79.2" })
  })
})

describe("an order that was cancelled, and filled after all", () => {
  it("was not cancelled: FILLED without the time of a cancel", () => {
    const world = readyWorld()
    const order = placed(world)
    const sim = world.venue.find(order)!
    world.cancel(order.tradeOrderId)
    world.advance(1_000)
    expect(world.read(order.tradeOrderId).canceledAt).not.toBeNull()
    world.venue.oddFill(sim, Decimal.ONE)
    world.advance(1_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({
      orderStatus: "FILLED",
      cancelReason: null,
      canceledAt: null,
    })
  })
})
