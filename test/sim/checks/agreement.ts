/**
 * An account agrees with its venue only after it has asked for each order that the venue's list of open orders did not show, where they are
 * few: what ended in its absence would go on working here. It is judged in the moment in which it says so, before a later audit asks.
 */
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import { isAsked } from "../../../src/domain/order/evidence/law.ts"
import type { Unit } from "../../../src/ports/account-store.ts"
import type { VenueOrderState } from "../../../src/ports/venue-session.ts"
import type { VenueCall } from "../accounts.ts"
import { orderKey, shownKey } from "../venue/exchange.ts"
import type { AccountView } from "./view.ts"

/** So few are asked for one at a time before the account opens. */
const FEW = 10

export class AgreementChecks {
  /** Not on any list since the stream was opened last, and not asked for since the first of these; null: there was none. */
  private hidden: Set<TradeOrderId> | null = null
  /** When an order of these was over by another word. */
  private readonly overAt = new Map<TradeOrderId, number>()
  /** More were missing than are asked for at once, or memory was ahead of what is durable. */
  private isUnsure = false

  constructor(private readonly view: AccountView) {}

  processStarted(): void {
    this.beginAgain()
  }

  private beginAgain(): void {
    this.hidden = null
    this.overAt.clear()
    this.isUnsure = false
  }

  call(call: VenueCall): void {
    switch (call._tag) {
      case "Opened":
      case "Closed":
        return this.beginAgain()
      case "Heard":
        if (call.report._tag === "StreamUp") this.beginAgain()
        return
      case "AskedOrder":
        this.hidden?.delete(call.tradeOrderId)
        return
      case "ToldOpen":
        return this.listed(call.open)
    }
  }

  private listed(open: ReadonlyArray<VenueOrderState>): void {
    const { view } = this
    const shown = new Set(open.map(shownKey))
    const ours = new Set(open.map((it) => it.tradeOrderId))
    const { clientIds } = view.world.venue.traits
    const isNamed = clientIds === "EVERYWHERE" || clientIds === "ORDERS"
    const unseen = view
      .rows()
      .filter(
        (it) =>
          isAsked(it) && !ours.has(it.tradeOrderId) && !shown.has(orderKey(it.instrumentId, it.externalOrderId ?? "")),
      )
    // Without a name of the venue's the gateway may know it by now, where no view says ours.
    const missing = unseen.filter((it) => isNamed || it.externalOrderId !== null)
    this.isUnsure ||= unseen.length > FEW || view.world.units.of(view.id) > 0
    const { hidden } = this
    this.hidden = new Set(missing.map((it) => it.tradeOrderId).filter((id) => hidden?.has(id) !== false))
  }

  /** A unit on its way to the store: what it says is so in the gateway's memory from this moment on. */
  handedOver({ rows, events }: Unit): void {
    const { view, hidden } = this
    if (hidden === null) return
    const { now } = view.world.time
    for (const row of rows) if (row._tag === "Order" && !isAsked(row.order)) this.note(row.order.tradeOrderId, now)
    if (!events.some((it) => it.kind === "TRADING_ACCOUNT.RECONCILED")) return
    if (!this.isUnsure)
      // What ends in the same moment ends by the answers that the account agrees by.
      for (const id of hidden)
        if ((this.overAt.get(id) ?? now) === now)
          view.say(`${id} was not among the venue's open orders, and the account agreed before it was asked for`)
    this.beginAgain()
  }

  private note(id: TradeOrderId, now: number): void {
    if (!this.overAt.has(id)) this.overAt.set(id, now)
  }
}
