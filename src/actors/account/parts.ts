/** What an account's actor works with: the ports, the few calls that reach beyond the account, and orders in numbers. */

import { Context } from "effect"
import type { EventDraft } from "../../domain/account/event.ts"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import type { TradingModeInForce } from "../../domain/account/trading-mode.ts"
import type { OrderRates } from "../../domain/order/rates.ts"
import type { TradeOrder } from "../../domain/order/trade-order.ts"
import type { AccountStore } from "../../ports/account-store.ts"
import type { ChannelPort } from "../../ports/channel-port.ts"
import type { Clock } from "../../ports/clock.ts"
import type { CredentialVault } from "../../ports/credential-vault.ts"
import type { Failpoint } from "../../ports/failpoint.ts"
import type { Ids } from "../../ports/ids.ts"
import type { Counter, HistogramSeries, MeterBoard } from "../../ports/meters.ts"
import type { TelemetryService } from "../../ports/telemetry.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { HedgeDesk } from "../dealer/hedging/courier.ts"
import type { QuoteDesk } from "../dealer/messages.ts"
import type { InstrumentDirectory } from "../market/instrument-directory.ts"
import type { KnownPrices, LastPrices } from "../market/last-prices.ts"
import type { Markets } from "../market/messages.ts"
import type { TriggerBoard } from "../market/triggers/board.ts"
import type { AccountDirectory } from "./directory.ts"
import type { AuditKind } from "./messages.ts"
import type { UserShares } from "./orders/waiting-submits.ts"
import type { RestingAccounts } from "./resting-accounts.ts"
import type { NamePlaces } from "./used-names.ts"
import type { SessionOpenings } from "./venue/session-openings.ts"

/** Orders in numbers: what became durable of them, how long their venues took, and where an account and its venue did not agree. */
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

  /** A durable event of the account. Its text is built only for an alert, because nothing else reads it. */
  told(venue: string, event: EventDraft & { readonly order: TradeOrder | null }): void {
    const { kind, order, at } = event
    if (order !== null && kind === `TRADE_ORDER.${order.orderStatus}`) {
      this.orders.add(venue, order.orderStatus)
      if (order.orderStatus === "UNKNOWN" && this.telemetry.isTracing) this.doubted(venue, order, at)
    }
    if (kind === "TRADE_ORDER.LATE_FILL") this.discrepancies.add("LATE_FILL")
    else if (kind === "TRADING_ACCOUNT.ALERT")
      this.discrepancies.add((JSON.parse(event.payload) as { code: string }).code)
  }

  /** Whether it was sampled or not: a submit whose outcome is unknown is looked into. */
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

/** So many ended orders, and a tenth more, an account has in memory at most, but for those still at work; after a while of rest it has none. */
const WHOLE_ORDERS = 100

export class WholeOrders extends Context.Reference<WholeOrders>()("actors/WholeOrders", {
  defaultValue: (): number => WHOLE_ORDERS,
}) {}

export interface AccountParts {
  readonly store: Context.Tag.Service<typeof AccountStore>
  readonly venues: Context.Tag.Service<typeof VenuePort>
  readonly channels: Context.Tag.Service<typeof ChannelPort>
  readonly clock: Context.Tag.Service<typeof Clock>
  readonly ids: Context.Tag.Service<typeof Ids>
  readonly failpoint: Context.Tag.Service<typeof Failpoint>
  readonly vault: Context.Tag.Service<typeof CredentialVault>
  readonly markets: Context.Tag.Service<typeof Markets>
  readonly accounts: AccountDirectory
  readonly instruments: InstrumentDirectory
  /** Of the whole process. */
  readonly triggers: TriggerBoard
  readonly hedges: HedgeDesk
  readonly quotes: QuoteDesk
  /** Of the whole process. */
  readonly prices: KnownPrices
  /** Of the whole process. */
  readonly lastPrices: LastPrices
  /** Null: none. */
  readonly rates: OrderRates | null
  /** Of the whole process; null: no limits. */
  readonly shares: UserShares | null
  /** Of the whole process. */
  readonly namePlaces: NamePlaces
  readonly wholeOrders: number
  readonly mode: TradingModeInForce["Type"]
  /** Of the whole process. */
  readonly meters: OrderMeters
  /** Of the whole process. */
  readonly resting: RestingAccounts
  /** Of the whole process. */
  readonly openings: SessionOpenings
  /** The account's state is in memory; its channel stands at this sequence, and what it tells of positions began at the other one. */
  readonly loaded: (account: TradingAccount, sequence: number, awakeSince: number) => void
  /** The event of this number is published, or would be if there were subscribers. */
  readonly published: (account: TradingAccount, sequence: number) => void
  /** How many of the account's orders are in doubt; told every few seconds. */
  readonly doubts: (account: TradingAccount, count: number) => void
  /** An audit of the account began, so long after the one before it. */
  readonly audited: (account: TradingAccount, kind: AuditKind, periodMillis: number) => void
  /** After the commit of a new image of the account; before it, too, where it is UNAVAILABLE. */
  readonly accountChanged: (account: TradingAccount) => void
}
