/** Shares of one room: nobody has more than half, few cannot fill it, and who has none gets in while there is any. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { SharedRoom } from "../../src/foundation/shared-room.ts"

/** As many sharers as the room cannot be full with: n of them leave max / (n + 1) free, which goes to one newcomer after the other. */
const tooFew = (max: number): number => {
  let fewest = max
  for (let n = 1; n < max; n++) fewest = Math.min(fewest, n + Math.floor(max / (n + 1)))
  return fewest - 1
}

/** What each of those has who come one after the other and take what they can, until there is none. */
const greedy = (max: number): ReadonlyArray<number> => {
  const room = new SharedRoom(max)
  const shares: Array<number> = []
  for (;;) {
    let own = 0
    while (room.take(`${shares.length}`)) own++
    if (own === 0) return shares
    shares.push(own)
  }
}

it("is full with no fewer sharers than said, though each takes what it can", () => {
  expect([greedy(2_000).length, greedy(5_000).length]).toEqual([88, 140])
  expect([tooFew(2_000), tooFew(5_000)]).toEqual([87, 139])
  expect(greedy(2_000).slice(0, 4)).toEqual([1_000, 334, 166, 100])
  expect(greedy(2_000).reduce((sum, own) => sum + own)).toBe(2_000)
})

it("has a place for who has none, whatever so few others took and left before, and gives nobody more than half", () => {
  const rooms = fc.integer({ min: 4, max: 60 }).chain((max) => {
    const sharer = fc.nat(tooFew(max) - 1)
    const step = fc.record({ sharer, isLeaving: fc.boolean(), times: fc.integer({ min: 1, max: 30 }) })
    return fc.record({ max: fc.constant(max), steps: fc.array(step, { maxLength: 200 }) })
  })
  void fc.assert(
    fc.property(rooms, ({ max, steps }) => {
      const room = new SharedRoom(max)
      const counts = new Map<number, number>()
      for (const { sharer, isLeaving, times } of steps)
        for (let i = 0; i < times; i++) {
          const own = counts.get(sharer) ?? 0
          if (isLeaving) {
            if (own === 0) break
            room.leave(`${sharer}`)
            counts.set(sharer, own - 1)
          } else {
            const isIn = room.take(`${sharer}`)
            if (own === 0) expect(isIn).toBe(true)
            if (!isIn) break
            counts.set(sharer, own + 1)
            expect(own + 1).toBeLessThanOrEqual(Math.ceil(max / 2))
          }
        }
      expect(room.take("newcomer")).toBe(true)
    }),
    { numRuns: 200 },
  )
})
