/**
 * An order that was given up must not work: once the stream has shown it its cancel is sent, and in a bounded time it works no more.
 */
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import { NEVER_PLACED, type TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { Unit } from "../../../src/ports/account-store.ts"
import type { VenueOrderState } from "../../../src/ports/venue-session.ts"
import type { VenueCall } from "../accounts.ts"
import type { Readiness } from "../readiness.ts"
import type { AccountView } from "./view.ts"

const NEVER: ReadonlySet<string> = new Set(Object.values(NEVER_PLACED))
/** From its appearance to its cancel: it may have to be read from the store, and what is stored of it comes first. */
const CANCEL_MILLIS = 3_000
/** The first cancel of an order has so long to be answered, and each one after it twice as long. */
const SILENCE_MILLIS = 10_000
/** Audits show what was given up and works; its cancel is sent again when it has no effect. */
const GIVEN_UP_MILLIS = 90_000

export class GivenUpChecks {
  /** Since when the account is ACTIVE and its store prompt. */
  private steadySince = Number.NEGATIVE_INFINITY
  /** When the stream of this session showed it. */
  private readonly shownAt = new Map<TradeOrderId, number>()
  /** How many cancels of each were sent, and the newest of them. */
  private readonly cancels = new Map<TradeOrderId, { readonly at: number; readonly sent: number }>()
  /** In the gateway's memory; what is durable may lag. */
  private readonly givenUp = new Set<TradeOrderId>()

  constructor(
    private readonly view: AccountView,
    private readonly readiness: Readiness,
  ) {}

  processStarted(): void {
    this.shownAt.clear()
    this.cancels.clear()
    this.givenUp.clear()
    for (const row of this.view.rows()) this.note(row)
  }

  private note({ tradeOrderId: id, orderStatus, rejectReason }: TradeOrder): void {
    if (orderStatus === "REJECTED" && NEVER.has(rejectReason ?? "")) this.givenUp.add(id)
    else this.givenUp.delete(id)
  }

  call(call: VenueCall): void {
    switch (call._tag) {
      case "Opened":
      case "Closed":
        this.shownAt.clear()
        return
      case "Cancel": {
        const { sent } = this.cancels.get(call.tradeOrderId) ?? { sent: 0 }
        this.cancels.set(call.tradeOrderId, { at: this.view.world.time.now, sent: sent + 1 })
        return
      }
      case "Heard":
        if (call.report._tag === "OrderSeen") this.shown(call.report.state)
    }
  }

  /** A unit on its way to the store: what it says is so in the gateway's memory from this moment on. */
  handedOver({ rows }: Unit): void {
    for (const row of rows) if (row._tag === "Order") this.note(row.order)
  }

  /** Of one that was executed too the trades come first. */
  private shown({ tradeOrderId: id, status, executedQuantity }: VenueOrderState): void {
    if (id === null || status !== "OPEN" || executedQuantity !== "0" || this.shownAt.has(id)) return
    if (this.givenUp.has(id)) this.shownAt.set(id, this.view.world.time.now)
  }

  safety(): void {
    const { view } = this
    const { world } = view
    const { now } = world.time
    if (world.status(view.id) !== "ACTIVE" || world.units.of(view.id) > 0) this.steadySince = now
    const since = Math.max(this.steadySince, world.troubledAt)
    for (const sim of world.venue.openOrders(view.exchange)) {
      const { tradeOrderId: id, createdAt } = sim
      if (id === null || view.row(id)?.orderStatus !== "REJECTED") continue
      if (this.isLeft(id) || now - Math.max(since, createdAt) >= GIVEN_UP_MILLIS)
        view.say(`${id} was given up, and works at the venue since ${new Date(createdAt).toISOString()}`)
    }
  }

  /** The stream has shown it, and no cancel was sent. */
  private isLeft(id: TradeOrderId): boolean {
    const shownAt = this.shownAt.get(id)
    const { since } = this.readiness
    if (shownAt === undefined || since === null) return false
    const cancel = this.cancels.get(id)
    if (cancel !== undefined && cancel.at + SILENCE_MILLIS * 2 ** (cancel.sent - 1) > shownAt) return false
    const { time, units } = this.view.world
    return time.now - Math.max(since, units.promptSince, shownAt) >= CANCEL_MILLIS
  }
}
