/** Orders in numbers: what became durable of them, how long their venues took, and where an account and its venue did not agree. */
import type { EventDraft } from "../../domain/account/event.ts"
import type { TradeOrder } from "../../domain/order/trade-order.ts"
import type { Counter, HistogramSeries, MeterBoard } from "../../ports/meters.ts"
import type { TelemetryService } from "../../ports/telemetry.ts"

export class OrderMeters {
  private readonly orders: Counter<"orders_total">
  private readonly discrepancies: Counter<"reconcile_discrepancies_total">
  private readonly venueStage: HistogramSeries

  constructor(
    board: MeterBoard,
    private readonly telemetry: TelemetryService,
  ) {
    this.orders = board.counter("orders_total")
    this.discrepancies = board.counter("reconcile_discrepancies_total")
    this.venueStage = board.histogram("order_stage_duration_seconds").of("venue")
  }

  /** An event of the account that is durable. */
  told(venue: string, { kind, order, payload, at }: EventDraft & { readonly order: TradeOrder | null }): void {
    if (order !== null && kind === `TRADE_ORDER.${order.orderStatus}`) {
      this.orders.add(venue, order.orderStatus)
      if (order.orderStatus === "UNKNOWN" && this.telemetry.isTracing) this.doubted(venue, order, at)
    }
    if (kind === "TRADE_ORDER.LATE_FILL") this.discrepancies.add("LATE_FILL")
    else if (kind === "TRADING_ACCOUNT.ALERT") this.discrepancies.add((JSON.parse(payload) as { code: string }).code)
  }

  /** Whether it was sampled or not: one that nobody knows the outcome of is looked into. */
  private doubted(venue: string, { tradeOrderId, tradingAccountId, createdAt }: TradeOrder, at: number): void {
    this.telemetry.ended(null, {
      name: "TradeOrder.UNKNOWN",
      kind: "internal",
      millis: at - createdAt,
      attributes: {
        venue,
        "venue_gateway.trade_order_id": tradeOrderId,
        "venue_gateway.trading_account_id": tradingAccountId,
      },
      error: "the outcome is unknown",
    })
  }

  /** The first word of a venue about an order that left; both monotonic ms. */
  answered(before: TradeOrder, order: TradeOrder, sentAt: number, now: () => number): void {
    if (before.orderStatus !== "SUBMITTED" || order.orderStatus === "SUBMITTED") return
    this.venueStage.observe((now() - sentAt) / 1000)
  }
}
