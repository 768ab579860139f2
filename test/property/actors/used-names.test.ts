/** Names that an account's orders have used: a used one is never taken for new, whatever is read, added and shared when. */
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { NamePlaces, UsedNames } from "../../../src/actors/account/used-names.ts"
import type { TradingAccountId } from "../../../src/domain/ids.ts"
import type { Self } from "../../../src/kernel/behaviour.ts"
import { type AccountStore, USED_NAMES_PAGE } from "../../../src/ports/account-store.ts"

const ID = "0aaaaaaa-0000-4000-8000-000000000001" as TradingAccountId

type Store = Pick<AccountStore["Type"], "usedNames">

const namesOver = (stored: ReadonlyArray<string>, places = new NamePlaces()) => {
  const sorted = [...stored].sort()
  const store: Store = {
    usedNames: (_, kind, after) =>
      Effect.succeed(kind === "keys" ? sorted.filter((it) => it > after).slice(0, USED_NAMES_PAGE) : []),
  }
  const fork: Self<never>["fork"] = (work, done) => void Effect.runCallback(work, { onExit: done })
  const names = new UsedNames({ id: ID, parts: { store, namePlaces: places }, self: { fork } })
  return { names, places }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
/** All pages of a few are there after so many turns of the loop. */
const read = async (names: UsedNames): Promise<void> => {
  names.areNew({ clientOrderId: "any" })
  for (let turn = 0; turn < 10; turn++) await settled()
}

describe("used names", () => {
  it("are never taken for new, before, while and after those of the store are read", () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 40 }),
        fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 200 }),
        async (stored, added) => {
          const { names } = namesOver(stored)
          const half = added.length >> 1
          for (const clientOrderId of added.slice(0, half)) names.add({ clientOrderId })
          const areUsed = () =>
            [...stored, ...added.slice(0, half)].every(
              (name) => !names.areNew({ clientOrderId: name }) && !names.areNew({ idempotencyKey: name }),
            )
          expect(areUsed()).toBe(true)
          for (const idempotencyKey of added.slice(half)) names.add({ idempotencyKey, clientOrderId: idempotencyKey })
          await read(names)
          expect(areUsed()).toBe(true)
          expect(added.some((name) => names.areNew({ idempotencyKey: name }))).toBe(false)
        },
      ),
      { numRuns: 25 },
    ))

  it("leave nearly all others new, over many pages", async () => {
    const stored = Array.from({ length: 3 * USED_NAMES_PAGE + 1 }, (_, n) => `stored ${n}`)
    const { names } = namesOver(stored)
    expect(names.areNew({ clientOrderId: "new" })).toBe(false)
    await read(names)
    expect(stored.some((name) => names.areNew({ clientOrderId: name }))).toBe(false)
    const fresh = Array.from({ length: 10_000 }, (_, n) => names.areNew({ clientOrderId: `new ${n}` }))
    expect(fresh.filter((isNew) => !isNew).length).toBeLessThan(10)
    expect(names.areNew({})).toBe(true)
    expect(names.areNew({ clientOrderId: "" })).toBe(false)
  })

  it("are given up where they are too many, and give their places back", async () => {
    const { names, places } = namesOver([])
    await read(names)
    for (let n = 0; n < 262_144; n++) names.add({ clientOrderId: `name ${n}` })
    expect([names.areNew({ clientOrderId: "new" }), names.areNew({}), places.taken]).toEqual([true, true, 524_288])
    names.add({ clientOrderId: "one more" })
    expect([names.areNew({ clientOrderId: "new" }), names.areNew({}), places.taken]).toEqual([false, false, 0])
    // It has as many as before when it wakes.
    const { names: again } = namesOver([], places)
    again.add({ clientOrderId: "after a sleep" })
    await read(again)
    expect([again.areNew({ clientOrderId: "new" }), places.taken]).toEqual([false, 0])
    places.tooMany.clear()
    const { names: small } = namesOver([], places)
    small.add({ clientOrderId: "a name" })
    expect(places.taken).toBe(64)
    small.close()
    expect(places.taken).toBe(0)
  })

  it("of all accounts together have only so many places", async () => {
    const { names, places } = namesOver([])
    await read(names)
    places.taken = 16_777_216
    for (let n = 0; n < 33; n++) names.add({ clientOrderId: `name ${n}` })
    expect(names.areNew({ clientOrderId: "new" })).toBe(false)
  })
})
