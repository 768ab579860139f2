/** One account's session at a loopback exchange, with what tests of its orders ask for. */

import { expect } from "vitest"
import type { VenueSecrets } from "../../../src/domain/account/credential.ts"
import { venueClientId } from "../../../src/domain/ids.ts"
import type {
  EndedOrdersPage,
  EndedSince,
  OrderLookup,
  SessionReport,
  VenueOrder,
  VenueOrderRef,
  VenueOrderState,
} from "../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../exchanges/binance/faults.ts"
import type { Placement } from "../../exchanges/binance/placements.ts"
import { type Loopback, type OpenSession, until, type VenueUnderTest } from "./venue-kit.ts"

export const refOf = (order: VenueOrder, externalOrderId: string | null = null): VenueOrderRef => ({
  tradeOrderId: order.tradeOrderId,
  externalOrderId,
  instrumentId: order.instrumentId,
})

export const answering = (status: number, body: string): AnswerFault => ({ kind: "status", status, body })

const OUTCOMES: ReadonlyArray<SessionReport["_tag"]> = ["Accepted", "Refused", "NotSent", "InDoubt"]

/** What every loopback exchange tells of itself. */
export interface Judging extends Loopback {
  readonly placements: () => ReadonlyArray<Placement<number, string | number>>
  readonly counts: () => Readonly<Record<string, number>>
  readonly fault: (fault: {
    readonly fault: "pushUserEvent"
    readonly apiKey: string
    readonly event: Readonly<Record<string, unknown>>
  }) => void
}

/** Resolves when its stream is up. */
export const openedSession = async (
  at: Pick<VenueUnderTest<Loopback>, "openSession">,
  secrets: VenueSecrets,
): Promise<OpenSession> => {
  const open = await at.openSession(secrets)
  await until(() => open.last("StreamUp") !== undefined, "the private stream")
  return open
}

/** All pages of what ended in a market; where the venue has one list, of the account. */
export const endedSince = async (
  at: Pick<VenueUnderTest<Loopback>, "run">,
  { session: { fetchEnded } }: OpenSession,
  since: EndedSince,
): Promise<ReadonlyArray<VenueOrderState>> => {
  if (fetchEnded === undefined) throw new Error("the venue has no list of orders that ended")
  const orders: Array<VenueOrderState> = []
  let cursor: string | null = null
  do {
    const page: EndedOrdersPage = await at.run(fetchEnded([since], cursor))
    orders.push(...page.orders)
    cursor = page.next
  } while (cursor !== null)
  return orders
}

export class LoopbackSession<E extends Judging, S extends VenueSecrets> {
  constructor(
    readonly at: VenueUnderTest<E>,
    readonly secrets: S,
    readonly open: OpenSession,
  ) {}

  async outcomeOf(order: VenueOrder): Promise<SessionReport> {
    const find = () =>
      this.open.reports.find(
        (report) =>
          OUTCOMES.includes(report._tag) && "tradeOrderId" in report && report.tradeOrderId === order.tradeOrderId,
      )
    this.open.session.submit(order)
    await until(() => find() !== undefined, "an outcome of the submit")
    return find() as SessionReport
  }

  async accepted(order: VenueOrder): Promise<VenueOrder> {
    expect((await this.outcomeOf(order))._tag).toBe("Accepted")
    return order
  }

  /** How it was told to be over. */
  async ended(order: VenueOrder) {
    const end = () => this.states.find((it) => it.tradeOrderId === order.tradeOrderId && it.status !== "OPEN")
    await until(() => end() !== undefined, "the end of the order")
    return end()
  }

  lookup(order: VenueOrder): Promise<OrderLookup> {
    return this.at.run(this.open.session.fetchOrder(refOf(order)))
  }

  endedSince(since: EndedSince): Promise<ReadonlyArray<VenueOrderState>> {
    return endedSince(this.at, this.open, since)
  }

  /** What the venue's door saw of an order. */
  judged(order: VenueOrder): Placement<number, string | number> | undefined {
    const id = venueClientId(order.tradeOrderId)
    return this.at.exchange.placements().find(({ clientOrderId }) => clientOrderId === id)
  }

  get states() {
    return this.open.reports.flatMap((report) => (report._tag === "OrderSeen" ? [report.state] : []))
  }

  get fills() {
    return this.open.reports.flatMap((report) => (report._tag === "Filled" ? [report.fill] : []))
  }

  get balances() {
    return this.open.reports.flatMap((report) => (report._tag === "BalancesSeen" ? [report.balances] : []))
  }

  count(what: string): number {
    return this.at.exchange.counts()[what] ?? 0
  }

  /** Anything that the venue might push to this account. */
  push(event: Readonly<Record<string, unknown>>): void {
    this.at.exchange.fault({ fault: "pushUserEvent", apiKey: this.secrets.apiKey, event })
  }
}
