/** Every cell of the law of orders against the actor: what a cell does not allow is refused or thrown, and nothing leaves. */
import { describe, expect, it, vi } from "vitest"
import { watchExpiry } from "../../../../src/actors/account/contingent/expiry.ts"
import type { AccountCore } from "../../../../src/actors/account/core.ts"
import { cancelAtVenue, requestCancel, sendCancel } from "../../../../src/actors/account/orders/cancel.ts"
import { dispatch } from "../../../../src/actors/account/orders/dispatch.ts"
import { changeOrder } from "../../../../src/actors/account/orders/replace.ts"
import { answered } from "../../../../src/actors/account/venue/doubt.ts"
import { inquire } from "../../../../src/actors/account/venue/question.ts"
import type { WorkingOrder } from "../../../../src/actors/account/working-order.ts"
import { Decimal } from "../../../../src/domain/decimal.ts"
import { isOnItsWay, lawOf, ORDER_LAW, replaceWayOf } from "../../../../src/domain/order/evidence/law.ts"
import { changeableError } from "../../../../src/domain/order/rules/change.ts"
import { isTerminal, OrderStatus } from "../../../../src/domain/order/status.ts"
import { NO_TERMS, type Trigger } from "../../../../src/domain/order/terms.ts"
import { type Place, placeOf, type TradeOrder } from "../../../../src/domain/order/trade-order.ts"
import { newestCore } from "../../../kit/worlds/newest-core.ts"
import { placed, readyWorld } from "../../../kit/worlds/ready-world.ts"
import type { World } from "../../../sim/world.ts"

vi.mock("../../../../src/actors/account/venue/session.ts", async (original) =>
  (await import("../../../kit/worlds/newest-core.ts")).keepingCore(original),
)

const PLACES: ReadonlyArray<Place> = ["WAITING", "ARMED", "VENUE", "DEALER", "OVER"]
const AT_WORK = OrderStatus.literals.filter((status) => !isTerminal(status))
const OVER = OrderStatus.literals.filter(isTerminal)
const CELLS = PLACES.flatMap((place) =>
  (place === "OVER" ? OVER : AT_WORK).map((orderStatus) => [place, orderStatus] as const),
)

const armed: Trigger = {
  kind: "STOP",
  execution: "EMULATED",
  source: "LAST_TRADE",
  on: "FALL",
  stopPrice: Decimal.of("50"),
  trailing: null,
  armedAt: 1,
  triggeredAt: null,
  triggeredBy: null,
  triggerPrice: null,
  health: "LIVE",
}

/** Past which no venue is waited for that ends orders itself. */
const LONG_AGO_MILLIS = 60_000

/** Cells in which an order is only because its cancel was asked for. */
const isCancelled = (orderStatus: OrderStatus): boolean => orderStatus === "PENDING_CANCEL"

const amendOf = (order: TradeOrder): TradeOrder["terms"] => ({
  ...NO_TERMS,
  change: {
    how: "AMEND",
    baseQuantity: Decimal.of("2"),
    limitPrice: null,
    stopPrice: null,
    askedAt: order.createdAt,
    executedBefore: Decimal.ZERO,
    heldBefore: order.held,
    held: order.held,
  },
})

interface Rig {
  readonly world: World
  readonly core: AccountCore
  readonly live: WorkingOrder
  /** What left for the venue. */
  readonly sent: Array<string>
}

/** An order in that cell, in the memory of a ready account; `isHeard`: the venue has acknowledged it. */
const rigOf = (place: Place, orderStatus: OrderStatus, isHeard: boolean): Rig => {
  const world = readyWorld()
  const like = placed(world)
  const core = newestCore()
  if (core.connection.session === null) throw new Error("no session is open")
  const sent: Array<string> = []
  core.connection.session = {
    ...core.connection.session,
    submit: () => void sent.push("SUBMIT"),
    cancel: () => void sent.push("CANCEL"),
    amend: () => void sent.push("AMEND"),
  }
  const order: TradeOrder = {
    ...like,
    tradeOrderId: world.uuid() as TradeOrder["tradeOrderId"],
    orderType: place === "DEALER" ? "QUOTED" : like.orderType,
    orderStatus,
    held: place === "OVER" ? Decimal.ZERO : like.held,
    cancelRequested: isCancelled(orderStatus),
    statusBeforeCancel: isCancelled(orderStatus) || orderStatus === "PENDING_REPLACE" ? "ACCEPTED" : null,
    externalOrderId: isHeard ? "X99" : null,
    notAfter: place === "VENUE" ? world.wall() + 1_000 : null,
    submitDeadline: null,
    terms: place === "ARMED" ? { ...NO_TERMS, trigger: armed } : null,
    doubt: null,
  }
  const whole = orderStatus === "PENDING_REPLACE" && place === "VENUE" ? { ...order, terms: amendOf(order) } : order
  const working = core.adopt(whole)
  expect(placeOf(working.order)).toBe(place)
  return { world, core, live: working, sent }
}

/** What it does to the order, or that it threw. */
const tried = (run: () => void): "done" | "thrown" => {
  try {
    run()
    return "done"
  } catch {
    return "thrown"
  }
}

const each = (what: string, run: (place: Place, orderStatus: OrderStatus) => void): void => {
  for (const [place, orderStatus] of CELLS) it(`${what}: ${place} ${orderStatus}`, () => run(place, orderStatus))
}

/** Acknowledged wherever an order of that place can be. */
const isHeardAt = (place: Place, orderStatus: OrderStatus): boolean =>
  place === "VENUE" && !["CREATED", "SUBMITTED", "UNKNOWN"].includes(orderStatus)

describe("the law", () => {
  it("names no state at a place where an order of that state cannot be", () => {
    for (const place of PLACES)
      for (const status of Object.keys(ORDER_LAW[place]))
        expect([place, status, isTerminal(status as OrderStatus)]).toEqual([place, status, place === "OVER"])
  })

  each("a request to cancel", (place, orderStatus) => {
    const { world, core, live: working, sent } = rigOf(place, orderStatus, isHeardAt(place, orderStatus))
    const before = working.order
    const { cancel } = lawOf(before)
    requestCancel(core, working, "USER_REQUEST")
    world.advance(20)
    switch (cancel) {
      case "WITHDRAW":
        expect([working.order.orderStatus, sent]).toEqual(["CANCELLED", []])
        return
      case "SEND":
        expect([working.order.orderStatus, working.order.cancelRequested, sent]).toEqual([
          "PENDING_CANCEL",
          true,
          ["CANCEL"],
        ])
        return
      case "JOIN":
        expect([working.order.orderStatus, sent]).toEqual([orderStatus, ["CANCEL"]])
        return
      default:
        expect([working.order, sent]).toEqual([before, []])
    }
  })

  each("an expiry", (place, orderStatus) => {
    const { world, core, live: working, sent } = rigOf(place, orderStatus, isHeardAt(place, orderStatus))
    working.order = { ...working.order, expireAt: world.wall() - LONG_AGO_MILLIS }
    const before = working.order
    watchExpiry(core, working)
    world.advance(20)
    switch (lawOf(before).cancel) {
      case "WITHDRAW":
        expect([working.order.orderStatus, sent]).toEqual(["EXPIRED", []])
        return
      case "SEND":
      case "JOIN":
        expect([working.order.orderStatus, sent]).toEqual(["PENDING_CANCEL", ["CANCEL"]])
        return
      default:
        expect([working.order, sent]).toEqual([before, []])
    }
  })

  each("whether it is on its way", (place, orderStatus) => {
    const { live: working } = rigOf(place, orderStatus, isHeardAt(place, orderStatus))
    const isLeft = place === "VENUE" && (orderStatus === "CREATED" || orderStatus === "SUBMITTED")
    expect(isOnItsWay(working.order)).toBe(isLeft)
  })

  each("a cancel that is sent", (place, orderStatus) => {
    const { core, live: working, sent } = rigOf(place, orderStatus, isHeardAt(place, orderStatus))
    sendCancel(core, working)
    const isAllowed =
      lawOf(working.order).sends.includes("CANCEL") && (working.order.cancelRequested || place === "OVER")
    expect(sent).toEqual(isAllowed ? ["CANCEL"] : [])
  })

  each("a submit", (place, orderStatus) => {
    const { core, live: working, sent } = rigOf(place, orderStatus, false)
    const isAllowed = lawOf(working.order).sends.includes("SUBMIT")
    expect([tried(() => dispatch(core, working)), sent]).toEqual(isAllowed ? ["done", ["SUBMIT"]] : ["thrown", []])
  })

  it("never submits what the venue has, or may have", () => {
    for (const orderStatus of AT_WORK) {
      const heard = rigOf("VENUE", orderStatus, true)
      expect([orderStatus, tried(() => dispatch(heard.core, heard.live)), heard.sent]).toEqual([
        orderStatus,
        "thrown",
        [],
      ])
      const doubted = rigOf("VENUE", orderStatus, false)
      doubted.live.order = { ...doubted.live.order, doubt: { kind: "SUBMIT", notFounds: 0, knownMillis: 0 } }
      expect([tried(() => dispatch(doubted.core, doubted.live)), doubted.sent]).toEqual(["thrown", []])
    }
  })

  each("a change", (place, orderStatus) => {
    const { world, core, live: working, sent } = rigOf(place, orderStatus, isHeardAt(place, orderStatus))
    const way = replaceWayOf(working.order)
    expect(way).toBe(lawOf(working.order).replace)
    expect(changeableError(working.order) === null).toBe(way !== "NONE")
    const before = working.order
    const outcome = tried(() => changeOrder(core, working, { baseQuantity: Decimal.of("2") }))
    world.advance(20)
    if (way === "NONE") expect([outcome, working.order, sent]).toEqual(["thrown", before, []])
    else if (way === "HERE") {
      // What is armed is watched, and told so.
      const status = place === "ARMED" ? "ACCEPTED" : orderStatus
      expect([working.order.orderStatus, working.order.baseQuantity.toString(), sent]).toEqual([status, "2", []])
    } else expect([working.order.orderStatus, sent]).toEqual(["PENDING_REPLACE", ["CANCEL"]])
  })

  each("a question", (place, orderStatus) => {
    const { world, core, live: working } = rigOf(place, orderStatus, isHeardAt(place, orderStatus))
    const before = world.venue.questions
    inquire(core, working, "a test asks")
    const isAllowed = lawOf(working.order).sends.includes("QUESTION")
    expect(working.question !== null).toBe(isAllowed)
    world.advance(400)
    expect(world.venue.questions > before).toBe(isAllowed)
  })

  for (const isHeard of [false, true])
    each(`"not found", ${isHeard ? "heard of" : "unheard of"}`, (place, orderStatus) => {
      if (isHeard && (place === "WAITING" || place === "ARMED" || place === "DEALER")) return
      const { core, live: working, sent } = rigOf(place, orderStatus, isHeard)
      const before = working.order
      const conclusion = isHeard ? "GONE" : "NOT_PLACED"
      const outcome = tried(() => answered(core, working, { _tag: "NotFound", definite: true }))
      expect(sent).toEqual([])
      if (!lawOf(before).concludes.includes(conclusion)) {
        expect(working.order.orderStatus).toBe(orderStatus)
        return
      }
      expect(outcome).toBe("done")
      expect([working.order.orderStatus, working.order.rejectReason !== null]).toEqual(
        isHeard ? ["CANCELLED", false] : ["REJECTED", true],
      )
    })

  it("leaves an order that a dealer settles alone, however long that takes", () => {
    const { world, live: working, sent } = rigOf("DEALER", "SUBMITTED", false)
    const before = working.order
    world.advance(60_000)
    expect([working.order, working.question, sent]).toEqual([before, null, []])
  })

  it("lets a cancel of what appeared after its rejection through", () => {
    const { core, live: working, sent } = rigOf("OVER", "REJECTED", true)
    cancelAtVenue(core, working, core.refOf(working.order))
    expect(sent).toEqual(["CANCEL"])
  })
})
