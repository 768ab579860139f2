/** What tests of orders with terms ask of a session: its outcomes, and what it said of one order. */
import { randomBytes } from "node:crypto"
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import type {
  OrderLookup,
  SessionReport,
  VenueAmend,
  VenueFill,
  VenueOrder,
  VenueOrderRef,
  VenueOrderState,
  VenueTrigger,
} from "../../../src/ports/venue-session.ts"
import type { BinanceExchange } from "../../exchanges/binance/exchange.ts"
import { type Loopback, type OpenSession, until, type VenueUnderTest } from "./venue-kit.ts"

type Report<T extends SessionReport["_tag"]> = Extract<SessionReport, { readonly _tag: T }>

export const stopAt = (kind: VenueTrigger["kind"], on: VenueTrigger["on"], stopPrice: string): VenueTrigger => ({
  kind,
  on,
  stopPrice,
  source: "LAST_TRADE",
})

export const change = (quantity: string, limitPrice: string | null, stopPrice: string | null = null): VenueAmend => ({
  quantity,
  limitPrice,
  stopPrice,
  askedAt: 1,
  notAfter: Date.now() + 60_000,
})

/** A new user with funds at Binance's still market, and its session. */
export const binanceTerms = async (at: VenueUnderTest<BinanceExchange>, symbol: string) => {
  const secrets = { apiKey: randomBytes(32).toString("hex"), apiSecret: randomBytes(32).toString("hex") }
  at.exchange.addUser({ ...secrets, balances: { USDT: "100000", BTC: "5" } })
  const open = await at.openSession({ ...secrets, apiPassphrase: null })
  await until(() => open.last("StreamUp") !== undefined, "the private stream")
  // Prices of triggers are compared with the last trade: there must be one, in the middle.
  at.exchange.trade(symbol, "SELL", "0.00001")
  return { apiKey: secrets.apiKey, my: new TermsSession(at, open) }
}

export class TermsSession<E extends Loopback> {
  constructor(
    readonly at: VenueUnderTest<E>,
    readonly open: OpenSession,
  ) {}

  refOf({ tradeOrderId, instrumentId }: VenueOrder): VenueOrderRef {
    const accepted = this.said(tradeOrderId, "Accepted")
    return { tradeOrderId, instrumentId, externalOrderId: accepted?.externalOrderId ?? null }
  }

  said<T extends SessionReport["_tag"]>(id: TradeOrderId, ...tags: ReadonlyArray<T>): Report<T> | undefined {
    return this.open.reports.findLast(
      (report): report is Report<T> =>
        (tags as ReadonlyArray<string>).includes(report._tag) && "tradeOrderId" in report && report.tradeOrderId === id,
    )
  }

  async outcomeOf(order: VenueOrder): Promise<SessionReport> {
    const find = () => this.said(order.tradeOrderId, "Accepted", "Refused", "NotSent", "InDoubt")
    this.open.session.submit(order)
    await until(() => find() !== undefined, "an outcome of the submit")
    return find() as SessionReport
  }

  async amend(order: VenueOrder, to: VenueAmend, ref: VenueOrderRef = this.refOf(order)): Promise<SessionReport> {
    const { amend } = this.open.session
    if (amend === undefined) throw new Error("the session cannot amend")
    const find = () => this.said(order.tradeOrderId, "AmendAccepted", "AmendRefused", "AmendInDoubt")
    const before = find()
    amend(ref, to)
    await until(() => find() !== before, "an outcome of the amend")
    return find() as SessionReport
  }

  async cancel(order: VenueOrder): Promise<SessionReport> {
    const find = () => this.said(order.tradeOrderId, "CancelAccepted", "CancelRefused", "CancelInDoubt")
    this.open.session.cancel(this.refOf(order))
    await until(() => find() !== undefined, "an outcome of the cancel")
    return find() as SessionReport
  }

  lookup({ tradeOrderId, instrumentId }: VenueOrder): Promise<OrderLookup> {
    return this.at.run(this.open.session.fetchOrder({ tradeOrderId, instrumentId, externalOrderId: null }))
  }

  openOrders(): Promise<ReadonlyArray<VenueOrderState>> {
    return this.at.run(this.open.session.fetchOpenOrders)
  }

  states({ tradeOrderId }: VenueOrder): ReadonlyArray<VenueOrderState> {
    return this.open.reports.flatMap((report) =>
      report._tag === "OrderSeen" && report.state.tradeOrderId === tradeOrderId ? [report.state] : [],
    )
  }

  /** Each once: the answer to a submit may name those that the stream names, too. */
  fills({ tradeOrderId }: VenueOrder): ReadonlyArray<VenueFill> {
    const found = this.open.reports.flatMap((report) =>
      report._tag === "Filled" && report.fill.tradeOrderId === tradeOrderId ? [report.fill] : [],
    )
    return [...new Map(found.map((fill) => [fill.externalTradeId, fill])).values()]
  }

  async seen(order: VenueOrder, wanted: (state: VenueOrderState) => boolean, what: string): Promise<VenueOrderState> {
    await until(() => this.states(order).some(wanted), what)
    return this.states(order).find(wanted) as VenueOrderState
  }
}
