/** Each of these breaks the gateway at one of its edges, and the simulation must see it. */
import { afterEach, describe, it, vi } from "vitest"
import { AccountCore } from "../../src/actors/account/core.ts"
import type { CancelOrder, ReadOrder, SubmitOrder } from "../../src/actors/account/messages.ts"
import { AccountOrders } from "../../src/actors/account/order-memory.ts"
import { dispatch } from "../../src/actors/account/orders/dispatch.ts"
import type { Proof } from "../../src/actors/account/venue/proof.ts"
import type { WorkingOrder } from "../../src/actors/account/working-order.ts"
import { TriggerBoard } from "../../src/actors/market/triggers/board.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import { Portfolio } from "../../src/domain/order/portfolio.ts"
import { isTerminal, type OrderStatus } from "../../src/domain/order/status.ts"
import { placeOf, type TradeOrder } from "../../src/domain/order/trade-order.ts"
import type { VenueSession } from "../../src/ports/venue-session.ts"
import { expectSeen } from "./sabotage-kit.ts"

const INTACT = {
  releases: false,
  skips: false,
  forgetsCancels: false,
  readsAhead: false,
  replays: false,
  cancelsAhead: false,
  ignoresLate: false,
  ignoresTrades: false,
  sendsCancelled: false,
}
const sabotage = { ...INTACT }

vi.mock("../../src/domain/order/evidence/progress.ts", async (original) => {
  const real = await original<typeof import("../../src/domain/order/evidence/progress.ts")>()
  return {
    ...real,
    moved: (order: TradeOrder, to: OrderStatus, patch?: Partial<TradeOrder>): TradeOrder => {
      const next = real.moved(order, to, patch)
      return sabotage.releases && to === "PENDING_CANCEL" ? { ...next, held: Decimal.ZERO } : next
    },
  }
})

/** The same, with something else in one of its places. */
const instead = <A extends object, Name extends keyof A>(whole: A, place: Name, other: (real: A[Name]) => A[Name]): A =>
  new Proxy(whole, {
    get: (target, name) => (name === place ? other(target[place]) : Reflect.get(target, name, target)),
    set: (target, name, value) => Reflect.set(target, name, value, target),
  })

/** The same, but for the open orders that it is asked for. */
const withOpenLives = (
  core: AccountCore,
  of: (lives: ReadonlyArray<WorkingOrder>) => ReadonlyArray<WorkingOrder>,
): AccountCore => instead(core, "orders", (orders) => instead(orders, "openLives", () => () => of(orders.openLives())))

vi.mock("../../src/actors/account/venue/reconcile.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/account/venue/reconcile.ts")>()
  return {
    ...real,
    fetchView: (core: AccountCore, session: VenueSession) =>
      real.fetchView(sabotage.skips ? withOpenLives(core, (lives) => lives.slice(1)) : core, session),
  }
})

vi.mock("../../src/actors/account/venue/session.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/account/venue/session.ts")>()
  return {
    ...real,
    keepSession: (core: AccountCore, post: Parameters<typeof real.keepSession>[1]) => {
      const isSentLater = ({ order, cancels }: WorkingOrder): boolean =>
        order.cancelRequested && cancels._tag === "UNSENT"
      const kept = (lives: ReadonlyArray<WorkingOrder>) =>
        sabotage.forgetsCancels ? lives.filter((it) => !isSentLater(it)) : lives
      return real.keepSession(withOpenLives(core, kept), post)
    },
  }
})

vi.mock("../../src/actors/account/orders/cancel.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/account/orders/cancel.ts")>()
  return {
    ...real,
    readOrder: (core: AccountCore, message: ReadOrder) => {
      if (!sabotage.readsAhead) return real.readOrder(core, message)
      return real.withOrder(core, message.by, message.reply, ({ order }) => message.reply.ok(order))
    },
    cancelOrder: (core: AccountCore, message: CancelOrder) => {
      const working = core.orders.find(message.by)
      const isAtVenue = working?.stored === true && placeOf(working.order) === "VENUE" && !working.order.cancelRequested
      if (sabotage.cancelsAhead && isAtVenue) real.cancelAtVenue(core, working, core.refOf(working.order))
      return real.cancelOrder(core, message)
    },
    cancelAtVenue: (...args: Parameters<typeof real.cancelAtVenue>) => {
      if (!sabotage.ignoresLate) real.cancelAtVenue(...args)
    },
  }
})

vi.mock("../../src/actors/account/orders/answer.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/account/orders/answer.ts")>()
  return {
    ...real,
    replay: (
      core: AccountCore,
      message: SubmitOrder,
      working: WorkingOrder,
      by: "idempotencyKey" | "clientOrderId",
      print: string,
    ) => real.replay(core, message, working, by, sabotage.replays ? (working.order.fingerprint ?? print) : print),
  }
})

vi.mock("../../src/actors/account/venue/proof.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/account/venue/proof.ts")>()
  return {
    ...real,
    prove: (core: AccountCore, working: WorkingOrder, judge: (proof: Proof | null) => void) =>
      real.prove(core, working, (proof) =>
        judge(proof !== null && sabotage.ignoresTrades ? { ...proof, fills: [], unowned: [] } : proof),
      ),
  }
})

vi.mock("../../src/actors/account/orders/dispatch.ts", async (original) => {
  const real = await original<typeof import("../../src/actors/account/orders/dispatch.ts")>()
  return {
    ...real,
    dispatchLater: (core: AccountCore, working: WorkingOrder): boolean => {
      if (!sabotage.sendsCancelled) return real.dispatchLater(core, working)
      core.self.later(100, () => {
        if (core.connection.session !== null && !isTerminal(working.order.orderStatus)) dispatch(core, working)
      })
      return true
    },
  }
})

afterEach(() => {
  Object.assign(sabotage, INTACT)
  vi.restoreAllMocks()
})

describe("the simulation notices a gateway that", { timeout: 900_000 }, () => {
  it("gives the funds back when a cancel is asked for", () => {
    sabotage.releases = true
    expectSeen("releases funds when a cancel is asked for", /is due|due is|is locked/, 2)
  })

  it("leaves an open order out of each reconciliation", () => {
    sabotage.skips = true
    expectSeen("skips one open order in each reconciliation", /agreed before it was asked for/, 25)
  })

  it("does not send the cancels that were asked for while it was away", () => {
    sabotage.forgetsCancels = true
    expectSeen("cancels asked for while away are not sent", /asked for while away/, 34)
  })

  it("asks for no fresh balances after a fill that the known ones may contain", () => {
    const { executed } = Portfolio.prototype
    vi.spyOn(Portfolio.prototype, "executed").mockImplementation(function (this: Portfolio, ...args) {
      executed.apply(this, args)
      return true
    })
    expectSeen("no fresh balances after a contained fill", /no fresh ones were asked for/, 1)
  })

  it("answers reads with what is not durable", () => {
    sabotage.readsAhead = true
    expectSeen("reads answer what is not durable", /named (as|and)/, 6)
  })

  it("takes another body under a key for a repeat", () => {
    sabotage.replays = true
    expectSeen("replays with another body", /another request under its key/, 1)
  })

  it("sends a cancel before it is stored", () => {
    sabotage.cancelsAhead = true
    expectSeen("cancel sent before it is stored", /cancel of .* sent before it is stored/, 1)
  })

  it("lets an order work that appears after it was given up", () => {
    sabotage.ignoresLate = true
    expectSeen("late appearance ignored", /was given up, and works/, 12)
  })

  it("keeps the hold of an order that was undone", () => {
    vi.spyOn(AccountCore.prototype, "undo").mockImplementation(function (this: AccountCore, { order }: WorkingOrder) {
      this.orders.forget(order.tradeOrderId)
    })
    expectSeen("undone order keeps its hold", /the venue says/, 1)
  })

  it("gives an order up although its trades are there", () => {
    sabotage.ignoresTrades = true
    expectSeen("proof ignores trades", /had been filled for a while/, 6)
  })

  it("sends a cancelled order again", () => {
    sabotage.sendsCancelled = true
    expectSeen("cancelled order sent again", /sent although it is|began anew/, 89)
  })

  it("counts a trade for two orders", () => {
    vi.spyOn(AccountOrders.prototype, "ownerOf").mockReturnValue(undefined)
    expectSeen("trade counted for two orders", /began anew|executed/, 1)
  })

  it("does not store how far a trailing stop came", () => {
    const { watch } = TriggerBoard.prototype
    vi.spyOn(TriggerBoard.prototype, "watch").mockImplementation(function (this: TriggerBoard, what, told) {
      return watch.call(this, what, { ...told, moved: () => undefined })
    })
    expectSeen("trailing best price not stored", /by what is stored/, 62)
  })
})
