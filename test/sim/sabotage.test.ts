/** A check that cannot fail proves nothing: each of these breaks the gateway in one place, and the simulation must see it within a few seeds. */
import { afterEach, describe, it, vi } from "vitest"
import type { AccountCore } from "../../src/actors/account/core.ts"
import { AccountOrders } from "../../src/actors/account/order-memory.ts"
import { dispatch } from "../../src/actors/account/orders/dispatch.ts"
import type { WorkingOrder } from "../../src/actors/account/working-order.ts"
import type { Sent } from "../../src/domain/order/evidence/law.ts"
import type { Due, ListTerms, OrderList } from "../../src/domain/order/list.ts"
import type { Pairing } from "../../src/domain/order/list-pair.ts"
import type { TradeOrder } from "../../src/domain/order/trade-order.ts"
import type { VenueFill } from "../../src/ports/venue-session.ts"
import { expectSeen } from "./sabotage-kit.ts"

const INTACT = { resends: false, doubles: false, frees: false, keeps: false }
const sabotage = { ...INTACT }

vi.mock("../../src/actors/account/venue/question.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/account/venue/question.ts")>()
  return {
    ...real,
    inquire: (core: AccountCore, working: WorkingOrder, why: string) => {
      if (sabotage.resends && working.order.orderStatus === "UNKNOWN" && core.connection.session !== null)
        dispatch(core, working)
      real.inquire(core, working, why)
    },
  }
})

vi.mock("../../src/domain/order/evidence/law.ts", async (original) => {
  const real = await original<typeof import("../../src/domain/order/evidence/law.ts")>()
  return {
    ...real,
    maySend: (order: TradeOrder, what: Sent) => (sabotage.resends && what === "SUBMIT") || real.maySend(order, what),
  }
})

vi.mock("../../src/actors/account/venue/evidence.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/account/venue/evidence.ts")>()
  return {
    ...real,
    applyFill: (core: AccountCore, working: WorkingOrder, fill: VenueFill, isListed?: boolean) => {
      const isNew = real.applyFill(core, working, fill, isListed)
      if (sabotage.doubles && isNew)
        real.applyFill(core, working, { ...fill, externalTradeId: `${fill.externalTradeId} again` })
      return isNew
    },
  }
})

vi.mock("../../src/domain/order/list.ts", async (original) => {
  const real = await original<typeof import("../../src/domain/order/list.ts")>()
  return {
    ...real,
    isHeldBackBy: (list: OrderList, order: OrderList["entries"][number]) =>
      !sabotage.frees && real.isHeldBackBy(list, order),
    duesIn: (list: OrderList, terms: ListTerms): ReadonlyArray<Due> =>
      real.duesIn(list, terms).map((due) => (sabotage.frees && due._tag === "Arm" ? { ...due, _tag: "Send" } : due)),
  }
})

vi.mock("../../src/domain/order/list-pair.ts", async (original) => {
  const real = await original<typeof import("../../src/domain/order/list-pair.ts")>()
  return {
    ...real,
    pairingOf: (list: OrderList, terms: ListTerms): Pairing | null =>
      sabotage.keeps ? null : real.pairingOf(list, terms),
  }
})

afterEach(() => {
  Object.assign(sabotage, INTACT)
  vi.restoreAllMocks()
})

describe("the simulation notices a gateway that", { timeout: 900_000 }, () => {
  it("acknowledges before the commit", () => {
    expectSeen("acknowledges before the commit", /not stored|acknowledged order lost/, 1, {
      storeOf: (store, { time, database }) => {
        const sequences = new Map<string, number>()
        return {
          ...store,
          commit: (unit) => {
            const sequence = sequences.get(unit.accountId) ?? database.events.get(unit.accountId)?.length ?? 0
            const firstSequence = sequence + 1
            sequences.set(unit.accountId, sequence + unit.events.length)
            time.schedule(() => unit.settled({ _tag: "Committed", firstSequence }), 0)
            store.commit({ ...unit, settled: () => undefined })
          },
        }
      },
    })
  })

  it("skips the look-up of the idempotency key", () => {
    vi.spyOn(AccountOrders.prototype, "idOfKey").mockReturnValue(undefined)
    expectSeen("skips the look-up of the idempotency key", /two orders of one key/, 2, {
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
  })

  it("sends an order in doubt again", () => {
    sabotage.resends = true
    expectSeen("sends an order in doubt again", /sent \d times/, 1)
  })

  it("posts a fill twice", () => {
    sabotage.doubles = true
    expectSeen("posts a fill twice", /executed/, 1)
  })

  it("lets both legs of a pair go", () => {
    sabotage.frees = true
    expectSeen("lets both legs of a pair go", /two legs of a list at the venue/, 1)
  })

  it("keeps the exits of an entry that is over although the venue would", () => {
    sabotage.keeps = true
    expectSeen("keeps the exits of an entry that is over", /the gateway keeps its exits/, 77)
  })
})
