/** A check that cannot fail proves nothing: each of these breaks the gateway in one place, and the simulation must see it within a few seeds. */
import { afterEach, describe, expect, it, vi } from "vitest"
import type { AccountCore } from "../../src/actors/trading-account-core.ts"
import type { Live } from "../../src/actors/trading-account-live.ts"
import { AccountOrders } from "../../src/actors/trading-account-orders.ts"
import { dispatch } from "../../src/actors/trading-account-release.ts"
import type { Due, ListTerms, OrderList } from "../../src/domain/order-list.ts"
import type { Pairing } from "../../src/domain/order-list-pair.ts"
import type { VenueFill } from "../../src/ports/venue-session.ts"
import { type SimulateOptions, simulate } from "./simulation.ts"

const INTACT = { resends: false, doubles: false, frees: false, keeps: false }
const sabotage = { ...INTACT }

vi.mock("../../src/actors/trading-account-doubt.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/trading-account-doubt.ts")>()
  return {
    ...real,
    startDoubt: (core: AccountCore, live: Live, why: string) => {
      if (sabotage.resends && live.order.orderStatus === "UNKNOWN" && core.session !== null) dispatch(core, live)
      real.startDoubt(core, live, why)
    },
  }
})

vi.mock("../../src/actors/trading-account-evidence.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/trading-account-evidence.ts")>()
  return {
    ...real,
    applyFill: (core: AccountCore, live: Live, fill: VenueFill) => {
      const isNew = real.applyFill(core, live, fill)
      if (sabotage.doubles && isNew)
        real.applyFill(core, live, { ...fill, externalTradeId: `${fill.externalTradeId} again` })
      return isNew
    },
  }
})

vi.mock("../../src/domain/order-list.ts", async (original) => {
  const real = await original<typeof import("../../src/domain/order-list.ts")>()
  return {
    ...real,
    isHeldBackBy: (list: OrderList, order: OrderList["entries"][number]) =>
      !sabotage.frees && real.isHeldBackBy(list, order),
    duesIn: (list: OrderList, terms: ListTerms): ReadonlyArray<Due> =>
      real.duesIn(list, terms).map((due) => (sabotage.frees && due._tag === "Arm" ? { ...due, _tag: "Send" } : due)),
  }
})

vi.mock("../../src/domain/order-list-pair.ts", async (original) => {
  const real = await original<typeof import("../../src/domain/order-list-pair.ts")>()
  return {
    ...real,
    pairingOf: (list: OrderList, terms: ListTerms): Pairing | null =>
      sabotage.keeps ? null : real.pairingOf(list, terms),
  }
})

const SEEDS = 60

/** The first violation of the first seed that has one. */
const found = (options: SimulateOptions = {}, from = 1): string => {
  for (let seed = from; seed < from + SEEDS; seed++) {
    const [violation] = simulate(seed, options).violations
    if (violation !== undefined) return violation
  }
  return "nothing"
}

afterEach(() => {
  Object.assign(sabotage, INTACT)
  vi.restoreAllMocks()
})

describe("the simulation notices a gateway that", () => {
  it("acknowledges before the commit", () => {
    const violation = found({
      storeOf: (store, { time, database }) => {
        let sequence: number | null = null
        return {
          ...store,
          commit: (unit) => {
            sequence ??= database.events.get(unit.accountId)?.length ?? 0
            const firstSequence = sequence + 1
            sequence += unit.events.length
            time.schedule(() => unit.settled({ _tag: "Committed", firstSequence }), 0)
            store.commit({ ...unit, settled: () => undefined })
          },
        }
      },
    })
    expect(violation).toMatch(/not stored|acknowledged order lost/)
  })

  it("skips the look-up of the idempotency key", () => {
    vi.spyOn(AccountOrders.prototype, "idOfKey").mockReturnValue(undefined)
    const violation = found({
      storeOf: (store) => ({
        ...store,
        commit: (unit) =>
          store.commit({
            ...unit,
            rows: unit.rows.map((row) =>
              row._tag === "Order" ? { ...row, order: { ...row.order, idempotencyKey: null } } : row,
            ),
          }),
      }),
    })
    expect(violation).toMatch(/two orders of one key/)
  })

  it("sends an order in doubt again", () => {
    sabotage.resends = true
    expect(found()).toMatch(/sent \d times/)
  })

  it("posts a fill twice", () => {
    sabotage.doubles = true
    expect(found()).toMatch(/executed/)
  })

  it("lets both legs of a pair go", () => {
    sabotage.frees = true
    expect(found()).toMatch(/two legs of a list at the venue/)
  })

  it("keeps the exits of an entry that is over although the venue would", () => {
    sabotage.keeps = true
    // Exits that outlive their world are rare.
    expect(found({}, 70)).toMatch(/the gateway keeps its exits/)
  })
})
