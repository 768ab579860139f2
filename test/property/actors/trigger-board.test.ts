/** The board fires exactly what a naive look at every trigger with every price fires, in the same order. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { MarketListener } from "../../../src/actors/market/messages.ts"
import { TriggerBoard, type TriggerWatch } from "../../../src/actors/market/triggers/board.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"

const BTC = "SIM:BTC/USDT" as InstrumentId

interface Naive {
  readonly number: number
  readonly on: "RISE" | "FALL"
  readonly distance: number | null
  stop: number
  best: number
}

type Step =
  | {
      readonly kind: "arm"
      readonly on: "RISE" | "FALL"
      readonly away: number
      readonly distance: number | null
    }
  | { readonly kind: "callOff"; readonly which: number }
  | { readonly kind: "trade"; readonly price: number }

const side = fc.constantFrom("RISE" as const, "FALL" as const)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("arm" as const),
      on: side,
      away: fc.integer({ min: 1, max: 40 }),
      distance: fc.option(fc.integer({ min: 1, max: 40 }), { nil: null }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("callOff" as const), which: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("trade" as const), price: fc.integer({ min: 50, max: 150 }) }),
  },
)

/** Every trigger, every price: nearest stop first, then the oldest; rising ones before falling ones. */
const scan = (armed: Array<Naive>, price: number): ReadonlyArray<number> => {
  const fired = armed.filter((it) => (it.on === "RISE" ? price >= it.stop : price <= it.stop))
  for (const it of armed) {
    if (it.distance === null || fired.includes(it)) continue
    if (it.on === "RISE" && price < it.best) {
      it.best = price
      it.stop = Math.min(it.stop, price + it.distance)
    } else if (it.on === "FALL" && price > it.best) {
      it.best = price
      it.stop = Math.max(it.stop, price - it.distance)
    }
  }
  const sign = (it: Naive): number => (it.on === "RISE" ? it.stop : -it.stop)
  return fired
    .sort((a, b) => (a.on === b.on ? sign(a) - sign(b) || a.number - b.number : a.on === "RISE" ? -1 : 1))
    .map((it) => it.number)
}

describe("the board of triggers", () => {
  it("fires what a naive scan fires, in price order", () => {
    let firedInAll = 0
    void fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: "max" }), (steps) => {
        let listener: MarketListener | undefined
        const board = new TriggerBoard((_id, it) => {
          listener = it
          return () => {
            listener = undefined
          }
        })
        const watches = new Map<number, TriggerWatch>()
        let armed: Array<Naive> = []
        let fired: Array<number> = []
        let price = 100
        let number = 0
        for (const it of steps) {
          if (it.kind === "arm") {
            const mine = ++number
            const stop = it.on === "RISE" ? price + it.away : price - it.away
            const { on, distance } = it
            armed.push({ number: mine, on, distance, stop, best: price })
            const trailing =
              distance === null
                ? null
                : { delta: null, amount: Decimal.of(`${distance}`), highWaterMark: Decimal.of(`${price}`) }
            const watch = board.watch(
              {
                instrumentId: BTC,
                orderSide: "SELL",
                source: "LAST_TRADE",
                on,
                stopPrice: Decimal.of(`${stop}`),
                trailing,
              },
              {
                fired: () => fired.push(mine),
                moved: () => undefined,
                health: () => undefined,
                gap: () => undefined,
              },
            )
            if (watch !== undefined) watches.set(mine, watch)
          } else if (it.kind === "callOff") {
            const chosen = armed[it.which % Math.max(1, armed.length)]
            if (chosen === undefined) continue
            watches.get(chosen.number)?.callOff()
            armed = armed.filter((other) => other !== chosen)
          } else {
            price = it.price
            fired = []
            listener?.onTrade?.(`${price}`, 0)
            const expected = scan(armed, price)
            expect(fired).toEqual(expected)
            armed = armed.filter((other) => !expected.includes(other.number))
            firedInAll += fired.length
          }
          expect(board.size).toBe(armed.length)
          for (const one of armed)
            expect(watches.get(one.number)?.stopPrice().toString()).toBe(Decimal.of(`${one.stop}`).toString())
        }
      }),
      { numRuns: 300 },
    )
    expect(firedInAll).toBeGreaterThan(1_000)
  })
})
