/** The running sums of acknowledged holds say what a look at every open order would say, over random lives of orders. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { type AcknowledgedHold, AcknowledgedHolds } from "../../../src/domain/order/hold.ts"

interface Held {
  readonly asset: string
  amount: Decimal
  acknowledged: AcknowledgedHold | null
}

const order = fc.nat(9)
/** Milliseconds from a clock that goes on by 50 with every step: the venue's may be behind or ahead. */
const around = fc.integer({ min: -1_500, max: 500 })
const step = fc.oneof(
  fc.record({ kind: fc.constant("hold" as const), order, to: fc.nat(50) }),
  fc.record({ kind: fc.constant("acknowledge" as const), order, after: around }),
  fc.record({ kind: fc.constant("begin" as const), order, to: fc.nat(50) }),
  fc.record({ kind: fc.constant("look" as const), after: around }),
)

const shown = (sums: ReadonlyMap<string, Decimal>): ReadonlyArray<string> =>
  [...sums].flatMap(([asset, sum]) => (sum.isZero() ? [] : [`${asset} ${sum}`])).sort()

it("the running sums are what the loop over all orders says", () => {
  let compared = 0
  void fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 200 }), (steps) => {
      const sums = new AcknowledgedHolds()
      const newOrder = (index: number, amount: Decimal): Held => ({
        amount,
        acknowledged: null,
        asset: index % 3 === 0 ? "BTC" : "USDT",
      })
      const lives = Array.from({ length: 10 }, (_, index) => newOrder(index, Decimal.ZERO))
      /** Over and out of memory; the sums still know those that they were told of. */
      const holdOf = (of: Held, to: Decimal): void => {
        of.amount = to
        if (of.acknowledged !== null) sums.changed(of.acknowledged, to)
      }
      for (const [index, it] of steps.entries()) {
        const clock = index * 50
        if (it.kind === "hold") holdOf(lives[it.order]!, Decimal.of(String(it.to)))
        else if (it.kind === "begin") {
          holdOf(lives[it.order]!, Decimal.ZERO)
          lives[it.order] = newOrder(it.order, Decimal.of(String(it.to)))
        } else if (it.kind === "acknowledge") {
          const live = lives[it.order]!
          if (live.acknowledged !== null) continue
          live.acknowledged = { asset: live.asset, held: live.amount, acceptedAt: clock + it.after }
          sums.acknowledged(live.acknowledged)
        } else {
          const at = clock + it.after
          const loop = new Map<string, Decimal>()
          for (const { amount, acknowledged, asset } of lives)
            if (acknowledged !== null && acknowledged.acceptedAt <= at)
              loop.set(asset, (loop.get(asset) ?? Decimal.ZERO).add(amount))
          const said = sums.at(at)
          if (said === null) continue
          compared++
          expect(shown(said)).toEqual(shown(loop))
        }
      }
    }),
    { numRuns: 500 },
  )
  expect(compared).toBeGreaterThan(1_000)
})

it("stay exact when more orders are acknowledged at once than are kept apart", () => {
  const sums = new AcknowledgedHolds()
  for (let at = 1; at <= 3_000; at++) sums.acknowledged({ acceptedAt: at, asset: "USDT", held: Decimal.ONE })
  expect(sums.at(1_000)).toBeNull()
  expect(sums.at(2_500)?.get("USDT")?.toString()).toBe("2500")
  expect(sums.at(9_000)?.get("USDT")?.toString()).toBe("3000")
})

it("keep no order that is over, however many were acknowledged", () => {
  const sums = new AcknowledgedHolds()
  const working = { acceptedAt: 2, asset: "USDT", held: Decimal.ONE }
  sums.acknowledged(working)
  for (let at = 3; at <= 3_000; at++) {
    const hold = { acceptedAt: at, asset: "USDT", held: Decimal.ONE }
    sums.acknowledged(hold)
    sums.changed(hold, Decimal.ZERO)
  }
  // Had they pushed out the one that works, this would be too long ago.
  expect(sums.at(1)?.size).toBe(0)
  expect(sums.at(2)?.get("USDT")?.toString()).toBe("1")
})
