/**
 * Random ends of a take-profit at a venue that forgets what it cancelled, whose stream is silent and whose lists and balances are late: the
 * stop never sells more than is left, and sells it in the end.
 */
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import { ListWorld } from "../../kit/worlds/list-world.ts"
import { Random } from "../../sim/time.ts"
import { PLAIN_TRAITS } from "../../sim/traits.ts"

vi.mock("../../../src/actors/account/venue/session.ts", async (original) =>
  (await import("../../kit/worlds/newest-core.ts")).keepingCore(original),
)

/** An order that is not known any more, and of which balances say nothing, is waited for that long. */
const GONE_MILLIS = 400_000

const whole = Decimal.of("10")

interface End {
  /** At the venue, by both exits. */
  readonly sold: Decimal
  readonly most: Decimal
  readonly isOver: boolean
}

const end = (seed: number): End => {
  const random = new Random(seed)
  const kind = random.pick(["entry", "pair"] as const)
  const world = new ListWorld(kind).wake()
  const { venue } = world
  venue.random = new Random(seed + 1)
  venue.traits = {
    ...PLAIN_TRAITS,
    forgetsCancelled: true,
    historyLagMillis: random.pick([0, 1_000, 60_000]),
    balancesLagMillis: random.pick([0, 300, 3_000]),
    tellsBalances: random.chance(0.5),
    feeAsset: random.pick(["QUOTE", "QUOTE", "RECEIVED"] as const),
  }
  venue.fates.latencyMillis = () => random.between(1, 60)
  const pause = (): void => world.advance(random.pick([1, 20, 300, 2_000, 12_000]))
  const sold = (): Decimal =>
    [...venue.orders.values()]
      .filter(({ order }) => order.orderSide === "SELL")
      .reduce((sum, { executed }) => sum.add(executed), Decimal.ZERO)
  let most = Decimal.ZERO
  const look = (): void => {
    most = Decimal.max(most, sold())
  }
  if (kind === "entry") {
    for (const part of random.pick([["10"], ["4", "6"], ["2", "3", "5"]])) {
      world.buy(part)
      pause()
    }
    world.advance(3_000)
  }
  // From now on only answers tell of orders.
  venue.fates.stream = ({ _tag }) => (_tag === "OrderSeen" || _tag === "Filled" ? "drop" : "deliver")
  const sell = (): void => {
    const profit = world.atVenue("TAKE_PROFIT")
    if (profit?.status === "OPEN" && random.chance(0.6)) venue.fill(profit, Decimal.of(random.pick(["1", "2", "4"])))
  }
  for (let step = 0; step < 3; step++) {
    sell()
    pause()
  }
  if (random.chance(0.2)) venue.totals.set("BTC", venue.totals.get("BTC")!.add(Decimal.of(random.pick(["1", "2"]))))
  const stop = world.leg("STOP_LOSS")
  const isArmed = !isTerminal(stop.orderStatus) && stop.terms?.trigger?.triggeredAt === null
  if (isArmed) world.fire("STOP_LOSS")
  world.advance(random.between(0, 100), look)
  sell()
  for (let left = GONE_MILLIS; left > 0; left -= 1_000) world.advance(1_000, look)
  return { sold: sold(), most, isOver: world.rows().every(({ orderStatus }) => isTerminal(orderStatus)) }
}

describe("a take-profit whose end the venue forgets", () => {
  it("and the stop sell what there is, and no more", () => {
    void fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        const { sold, most, isOver } = end(seed)
        expect(most.greaterThan(whole)).toBe(false)
        // Fees in what was bought are not there to be sold.
        expect(sold.atLeast(Decimal.of("9.98"))).toBe(true)
        expect(isOver).toBe(true)
      }),
      { numRuns: 25, seed: 34 },
    )
  })
})
