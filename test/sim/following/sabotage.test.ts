/** A check that cannot fail proves nothing: each of these breaks decision 96 in one place, and its worlds must show it within a few seeds. */
import { afterEach, describe, it, vi } from "vitest"
import { UsedNames } from "../../../src/actors/account/used-names.ts"
import type { WorkingOrder } from "../../../src/actors/account/working-order.ts"
import { seenBy } from "../checks/seen-by.ts"
import { type FollowingOptions, simulateFollowing } from "./simulation.ts"

const expectSeen = seenBy<FollowingOptions>(simulateFollowing, { full: 120, near: 30 })

const INTACT = { waits: false }
const sabotage = { ...INTACT }

vi.mock("../../../src/actors/account/working-order.ts", async (original) => {
  const real = await original<typeof import("../../../src/actors/account/working-order.ts")>()
  return {
    ...real,
    isHandedOver: (working: WorkingOrder) => (sabotage.waits ? working.stored : real.isHandedOver(working)),
  }
})

afterEach(() => {
  Object.assign(sabotage, INTACT)
  vi.restoreAllMocks()
})

describe("worlds of a venue that follows the journal notice a gateway that", { timeout: 900_000 }, () => {
  it("takes back nothing that stands on a refused unit", () => {
    expectSeen("takes back nothing behind a refused unit", /at the venue and not stored/, 4, {
      storeOf: (store) => ({
        ...store,
        commit: (unit) =>
          store.commit({
            ...unit,
            settled: (outcome) => {
              if (outcome._tag !== "Refused" || !outcome.reason.includes("based on")) unit.settled(outcome)
            },
          }),
      }),
    })
  })

  it("says that its switch asked for cancels which are not stored", () => {
    sabotage.waits = true
    expectSeen("the switch asks before it is stored", /the switch has fired/, 23)
  })

  it("answers a cancel of all before it is stored", () => {
    sabotage.waits = true
    expectSeen("answers a cancel of all before it is stored", /a cancel of all was answered/, 17)
  })

  it("takes back nothing at all", () => {
    expectSeen("takes back nothing", /at the venue and not stored/, 1, {
      sessionOf: ({ forgo: _, ...session }) => session,
    })
  })

  it("takes a used name for a new one", () => {
    vi.spyOn(UsedNames.prototype, "areNew").mockReturnValue(true)
    expectSeen("takes a used name for a new one", /began anew|executed/, 1)
  })

  it("acknowledges before the commit", () => {
    expectSeen("acknowledges before the commit", /not stored|lost/, 1, {
      storeOf: (store, { time, database }) => {
        const sequences = new Map<string, number>()
        return {
          ...store,
          commit: (unit) => {
            const sequence = sequences.get(unit.accountId) ?? database.events.get(unit.accountId)?.length ?? 0
            sequences.set(unit.accountId, sequence + unit.events.length)
            time.schedule(() => unit.settled({ _tag: "Committed", firstSequence: sequence + 1 }), 0)
            store.commit({ ...unit, settled: () => undefined })
          },
        }
      },
    })
  })
})
