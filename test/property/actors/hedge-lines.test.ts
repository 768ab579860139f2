/**
 * The state machine of hedging lines, driven by whatever may happen to one: quotes, fills, refusals, doubts, accounts that are gone, admins,
 * restarts. What is said of it in one table is what it does, nothing is ever hedged twice, and it always ends flat.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  exposureOf,
  HEDGE_LAW,
  type HedgeEvent,
  HedgeState,
  hedgeStateOf,
  spanOf,
  surelyOpen,
} from "../../../src/domain/dealer/hedging/hedging.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import { InsufficientBalance } from "../../../src/domain/errors/risk.ts"
import type { TradingAccountId } from "../../../src/domain/ids.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import { intentOf, LINKED } from "../../kit/records/hedges.ts"
import { HedgeWorld, OTHER } from "../../kit/worlds/hedge-world.ts"

/** A third account: whatever is lost, one more can be linked. */
const SPARE = LINKED.replace(/1$/, "9") as TradingAccountId

type Step =
  | { readonly _tag: "Quote"; readonly orderSide: "BUY" | "SELL"; readonly size: string }
  | { readonly _tag: "Ends"; readonly how: "FILLED" | "CANCELLED" | "REJECTED"; readonly part: number }
  | { readonly _tag: "Partial"; readonly part: number }
  | { readonly _tag: "No"; readonly reason: string }
  | { readonly _tag: "Doubt" }
  | { readonly _tag: "Lost"; readonly account: TradingAccountId; readonly status: "DISCONNECTED" | "INACTIVE" }
  | { readonly _tag: "Refuses"; readonly times: number }
  | { readonly _tag: "Resolve"; readonly part: number }
  | { readonly _tag: "Built"; readonly how: "restart" | "kill" }
  | { readonly _tag: "Time"; readonly millis: number }

const part = fc.integer({ min: 0, max: 10 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      _tag: fc.constant("Quote" as const),
      orderSide: fc.constantFrom("BUY" as const, "SELL" as const),
      // The last is less than the venue takes.
      size: fc.constantFrom("0.1", "0.5", "1", "2.7", "0.0004"),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      _tag: fc.constant("Ends" as const),
      how: fc.constantFrom("FILLED" as const, "CANCELLED" as const, "REJECTED" as const),
      part,
    }),
    weight: 4,
  },
  fc.record({ _tag: fc.constant("Partial" as const), part }),
  fc.record({
    _tag: fc.constant("No" as const),
    reason: fc.constantFrom("INSUFFICIENT_BALANCE: no", "INVALID_ORDER: Filter failure: NOTIONAL", "GATEWAY_LATE"),
  }),
  fc.record({ _tag: fc.constant("Doubt" as const) }),
  fc.record({
    _tag: fc.constant("Lost" as const),
    account: fc.constantFrom(LINKED, OTHER),
    status: fc.constantFrom("DISCONNECTED" as const, "INACTIVE" as const),
  }),
  fc.record({ _tag: fc.constant("Refuses" as const), times: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ _tag: fc.constant("Resolve" as const), part }),
  fc.record({ _tag: fc.constant("Built" as const), how: fc.constantFrom("restart" as const, "kill" as const) }),
  {
    arbitrary: fc.record({ _tag: fc.constant("Time" as const), millis: fc.integer({ min: 1, max: 30_000 }) }),
    weight: 3,
  },
)

const worldOf = (): HedgeWorld => {
  const world = new HedgeWorld({ attemptsMax: 2, repriceMs: 100, retryMs: 1_000 }, [LINKED, OTHER, SPARE])
  world.venues.set(SPARE, "MOCK")
  world.statuses.set(SPARE, "ACTIVE")
  return world
}

const isAtRest = (world: HedgeWorld): boolean => ["FLAT", "ACCUMULATING"].includes(stateOf(world))
const stateOf = (world: HedgeWorld): HedgeState => world.keeper.report()[0]?.state ?? "FLAT"

/** By what a line may have left its state in this step. A round of the courier answers in the same turn. */
const CAUSES: { readonly [T in Step["_tag"]]: ReadonlyArray<HedgeEvent> } = {
  Quote: ["QUOTE"],
  Ends: ["ORDER"],
  Partial: ["ORDER"],
  No: ["ORDER"],
  Doubt: ["ORDER"],
  // What is in doubt is told first, then that its account is gone.
  Lost: ["ORDER", "ACCOUNT"],
  Refuses: [],
  Resolve: ["RESOLVED"],
  // A new incarnation looks at everything at once.
  Built: ["TIME", "ORDER"],
  Time: ["TIME", "ORDER"],
}

/** What is open whatever the hedges before this one that are not over executed, by the orders alone. */
const surelyOpenBefore = (world: HedgeWorld, index: number): Decimal => {
  const [stored] = world.stored()
  const own = world.orders[index]!.order
  const before = stored!.hedges.filter((_, at) => at !== index)
  const rests = before.map((it) => ({
    orderSide: it.orderSide,
    rest: it.isOver || it.verdict !== null ? Decimal.ZERO : it.baseQuantity.subtract(it.executedQuantity),
  }))
  const known = exposureOf(stored!.totals)
  const without = own.orderSide === "BUY" ? known.add(own.executedQuantity) : known.subtract(own.executedQuantity)
  return surelyOpen(spanOf(without, rests))
}

const take = (world: HedgeWorld, it: Step, number: number): void => {
  const open = world.orders.filter(({ order }) => !isTerminal(order.orderStatus))
  const mine = open.find(({ order }) => world.statuses.get(order.tradingAccountId) === "ACTIVE")?.order
  const upTo = (tenths: number): string => {
    const { executedQuantity, baseQuantity } = mine!
    const rest = baseQuantity.subtract(executedQuantity)
    return `${executedQuantity.add(rest.multiply(Decimal.fromUnits(BigInt(tenths), 1)))}`
  }
  switch (it._tag) {
    case "Quote":
      world.executed(intentOf(number, { orderSide: it.orderSide, quantity: Decimal.of(it.size) }))
      return
    case "Ends":
      if (mine !== undefined)
        world.becomes(it.how, upTo(it.how === "FILLED" ? 10 : Math.min(it.part, 9)), mine.tradeOrderId)
      return
    case "Partial":
      if (mine !== undefined) world.becomes(mine.orderStatus, upTo(Math.min(it.part, 9)), mine.tradeOrderId)
      return
    case "No":
      if (mine?.executedQuantity.isZero()) world.becomes("REJECTED", "0", mine.tradeOrderId, undefined, it.reason)
      return
    case "Doubt":
      if (mine !== undefined) world.becomes("UNKNOWN", `${mine.executedQuantity}`, mine.tradeOrderId)
      return
    case "Lost":
      if (world.statuses.get(it.account) === "ACTIVE") world.lose(it.account, it.status)
      return
    case "Refuses":
      for (let time = 0; time < it.times; time++)
        world.failures.push(new InsufficientBalance({ asset: "USDT", required: "1", available: "0" }))
      return
    case "Resolve": {
      const doubt = world.keeper.report()[0]?.inDoubt[0]
      if (doubt === undefined) return
      const { order } = world.orders.find(({ order }) => order.tradeOrderId === doubt.tradeOrderId)!
      const rest = order.baseQuantity.subtract(order.executedQuantity)
      const said = order.executedQuantity.add(rest.multiply(Decimal.fromUnits(BigInt(it.part), 1)))
      const { error } = world.resolve(`${said}`, "100", order.tradeOrderId)
      expect(error).toBeUndefined()
      return
    }
    case "Built":
      world[it.how]()
      return
    case "Time":
      world.pass(it.millis)
  }
}

describe("a hedging line", () => {
  it("leaves its states by what its table says, hedges nothing twice, and ends flat", () => {
    const left = new Map<string, number>()
    void fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        const world = worldOf()
        const judge = (it: Step, number: number): void => {
          const [before, known] = [stateOf(world), world.orders.length]
          take(world, it, number)
          const after = stateOf(world)
          if (before !== after) {
            left.set(before, (left.get(before) ?? 0) + 1)
            const { exits } = HEDGE_LAW[before]
            expect([before, after, it._tag, CAUSES[it._tag].some((cause) => exits.includes(cause))]).toEqual([
              before,
              after,
              it._tag,
              true,
            ])
          }
          for (let index = known; index < world.orders.length; index++) {
            // The newest: what came after it in the same step has not changed what it was sent for.
            if (index < world.orders.length - 1) continue
            const { orderSide, baseQuantity } = world.orders[index]!.order
            const sure = surelyOpenBefore(world, index)
            expect(orderSide).toBe(sure.isNegative() ? "SELL" : "BUY")
            const size = sure.isNegative() ? sure.negate() : sure
            expect([`${baseQuantity}`, `${size}`, baseQuantity.atMost(size)]).toEqual([
              `${baseQuantity}`,
              `${size}`,
              true,
            ])
          }
        }
        steps.forEach((it, index) => {
          judge(it, index + 1)
        })
        world.failures = []
        // Whatever happened: venues answer, admins speak, time passes.
        for (let round = 0; round < 50 && !isAtRest(world); round++) {
          judge({ _tag: "Ends", how: "FILLED", part: 10 }, 0)
          judge({ _tag: "Resolve", part: round % 11 }, 0)
          judge({ _tag: "Time", millis: 3_600_000 }, 0)
        }
        expect([isAtRest(world), world.keeper.isFlat(), world.keeper.isIdle()]).toEqual([true, true, true])
      }),
      { numRuns: 150 },
    )
    // Every state was left, by this many of the steps: a table that nobody walks would prove nothing.
    for (const state of HedgeState.literals) expect([state, (left.get(state) ?? 0) > 10]).toEqual([state, true])
  })

  it("has one state for every combination of what decides it, and an exit from each", () => {
    const flags = fc.record({
      isAsking: fc.boolean(),
      atWork: fc.constantFrom("NONE" as const, "WORKING" as const, "IN_DOUBT" as const),
      open: fc.constantFrom("NOTHING" as const, "DUST" as const, "SOME" as const),
      isCarrying: fc.boolean(),
      hasFailed: fc.boolean(),
    })
    void fc.assert(
      fc.property(flags, (facts) => {
        const state = hedgeStateOf(facts)
        const { exits, sends, alerts } = HEDGE_LAW[state]
        expect(exits.length).toBeGreaterThan(0)
        // What waits for somebody's word says so, and what waits for nobody moves by itself.
        if (state === "IN_DOUBT" || state === "CARRIED")
          expect([alerts, exits.includes("RESOLVED")]).toEqual([true, true])
        if (sends) expect(exits).toContain("TIME")
        // Nothing is flat that is open, at work or carried.
        if (state === "FLAT")
          expect(facts).toMatchObject({ isAsking: false, atWork: "NONE", open: "NOTHING", isCarrying: false })
      }),
    )
  })
})
