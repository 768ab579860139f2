/** The OKX connector in a real worker against the loopback OKX, and one account's session there with what its tests ask for. */
import { randomBytes, randomUUID } from "node:crypto"
import type { VenueSecrets } from "../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../src/domain/ids.ts"
import type { OrderLookup, SessionReport, VenueOrder, VenueOrderRef } from "../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../exchanges/binance/faults.ts"
import { type OkxExchange, type OkxExchangeOptions, startOkxExchange } from "../../exchanges/okx/exchange.ts"
import {
  type ConnectorOptions,
  connectVenue,
  type OpenSession,
  profileOf,
  restingOrder,
  until,
  type VenueUnderTest,
} from "./venue-kit.ts"

/** As the venue names it, and as the gateway does. */
export const BTC = "BTC-USDT"
export const OKX_BTC = "OKX:BTC/USDT" as InstrumentId

export const PLACE = "POST /api/v5/trade/order"
export const CANCEL = "POST /api/v5/trade/cancel-order"
export const SHOW = "GET /api/v5/trade/order"
export const TIME = "GET /api/v5/public/time"

export const OKX_SECRETS = {
  apiKey: "37c541a1-1111-2222-3333-10fe7a038418",
  apiSecret: "22582BD0CFF14C41EDBF1AB98506286D",
  apiPassphrase: "pass phrase!",
} satisfies VenueSecrets

export type OkxUnderTest = VenueUnderTest<OkxExchange>

/** One user, whose key belongs to demo trading where the venue is OKX_UAT. */
export const startOkx = async (
  exchangeOptions: OkxExchangeOptions = {},
  { venue = "OKX", change, ...options }: ConnectorOptions = {},
): Promise<OkxUnderTest> => {
  const users = [{ ...OKX_SECRETS, balances: { USDT: "100000", BTC: "5" }, isSimulated: venue === "OKX_UAT" }]
  const exchange = await startOkxExchange({ users, market: "still", ...exchangeOptions })
  return connectVenue(exchange, { ...profileOf(venue), ...change }, OKX_SECRETS, options)
}

export const okxOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: OKX_BTC, ...change })

export const refOf = (order: VenueOrder, externalOrderId: string | null = null): VenueOrderRef => ({
  tradeOrderId: order.tradeOrderId,
  externalOrderId,
  instrumentId: order.instrumentId,
})

export const answering = (status: number, body: string): AnswerFault => ({ kind: "status", status, body })

/** One operation's own code, as OKX says it under HTTP 200. */
export const operation = (sCode: string, sMsg: string): AnswerFault =>
  answering(
    200,
    JSON.stringify({ code: "1", data: [{ clOrdId: "", ordId: "", sCode, sMsg }], msg: "All operations failed" }),
  )

const OUTCOMES: ReadonlyArray<SessionReport["_tag"]> = ["Accepted", "Refused", "NotSent", "InDoubt"]

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class OkxSession {
  private constructor(
    readonly at: OkxUnderTest,
    readonly secrets: typeof OKX_SECRETS,
    readonly open: OpenSession,
  ) {}

  /** Resolves when its stream is up. */
  static async start(at: OkxUnderTest): Promise<OkxSession> {
    const [apiKey, apiSecret] = [randomUUID(), randomBytes(16).toString("hex").toUpperCase()]
    const secrets = { apiKey, apiSecret, apiPassphrase: randomBytes(9).toString("base64") }
    at.exchange.addUser({ ...secrets, balances: { USDT: "100000", BTC: "5" } })
    const open = await at.openSession(secrets)
    await until(() => open.last("StreamUp") !== undefined, "the private stream")
    return new OkxSession(at, secrets, open)
  }

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

  lookup(order: VenueOrder): Promise<OrderLookup> {
    return this.at.run(this.open.session.fetchOrder(refOf(order)))
  }

  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  get fillRows() {
    return this.at.exchange.fills(this.secrets.apiKey)
  }

  timesPlaced(order: VenueOrder): number {
    return this.rows.filter((row) => row.clOrdId === venueClientId(order.tradeOrderId)).length
  }

  /** What the venue's door saw of an order. */
  judged(order: VenueOrder) {
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
