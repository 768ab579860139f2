/** The Bybit connector in a real worker against the loopback Bybit, and one account's session there. */
import { randomBytes } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { type BybitExchange, type BybitExchangeOptions, startBybitExchange } from "../../../exchanges/bybit/exchange.ts"
import { answering, LoopbackSession, openedSession, refOf } from "../loopback-session.ts"
import {
  type ConnectorOptions,
  connectVenue,
  profileOf,
  restingOrder,
  until,
  type VenueUnderTest,
} from "../venue-kit.ts"

/** As the venue names it, and as the gateway does. */
export const BTC = "BTCUSDT"
export const BYBIT_BTC = "BYBIT:BTC/USDT" as InstrumentId

export const PLACE = "POST /v5/order/create"
export const CANCEL = "POST /v5/order/cancel"
export const SHOW = "GET /v5/order/realtime"
export const TIME = "GET /v5/market/time"

/** How orders leave, what that takes of the connector, and how the exchange counts them. */
export const WAYS = [
  ["a request each", {}, { place: PLACE, cancel: CANCEL, amend: "POST /v5/order/amend" }],
  [
    "the trade socket",
    { socketOrders: ["BYBIT"] },
    { place: "WS order.create", cancel: "WS order.cancel", amend: "WS order.amend" },
  ],
] as const

/** Above every bid of the still market, below every ask. */
export const BEST_BID = "60000.1"

export const BYBIT_SECRETS = {
  apiKey: "bybitKeyOfATest001",
  apiSecret: "secret-of-the-loopback-bybit-0123456",
  apiPassphrase: null,
} satisfies VenueSecrets

export type BybitUnderTest = VenueUnderTest<BybitExchange>

export const startBybit = async (
  exchangeOptions: BybitExchangeOptions = {},
  { venue = "BYBIT", change, ...options }: ConnectorOptions = {},
): Promise<BybitUnderTest> => {
  const users = [{ ...BYBIT_SECRETS, balances: { USDT: "100000", BTC: "5" } }]
  const exchange = await startBybitExchange({ users, market: "still", ...exchangeOptions })
  return connectVenue(exchange, { ...profileOf(venue), ...change }, BYBIT_SECRETS, options)
}

export const bybitOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: BYBIT_BTC, ...change })

/** The venue refuses, or fails, under HTTP 200. */
export const saying = (retCode: number, retMsg: string): AnswerFault =>
  answering(200, JSON.stringify({ retCode, retMsg, result: {}, retExtInfo: {}, time: Date.now() }))

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class BybitSession extends LoopbackSession<BybitExchange, VenueSecrets> {
  /** Resolves when its stream is up. */
  static async start(at: BybitUnderTest): Promise<BybitSession> {
    const secrets = {
      apiKey: randomBytes(9).toString("hex"),
      apiSecret: randomBytes(18).toString("hex"),
      apiPassphrase: null,
    }
    at.exchange.addUser({ ...secrets, balances: { USDT: "100000", BTC: "5" } })
    return new BybitSession(at, secrets, await openedSession(at, secrets))
  }

  /** Resolves when its orders go that way: the trade socket comes up later than the stream. What it asks leaves nothing behind. */
  static async startBy(at: BybitUnderTest, { cancel }: { readonly cancel: string }): Promise<BybitSession> {
    const my = await BybitSession.start(at)
    for (let before = my.count(cancel); my.count(cancel) === before; ) await my.asksInVain()
    return my
  }

  /** For the cancel of an order that the venue does not know. */
  async asksInVain(): Promise<void> {
    const { open } = this
    const { tradeOrderId, ...order } = bybitOrder()
    open.session.cancel(refOf({ ...order, tradeOrderId }))
    await until(() => open.about(tradeOrderId).length > 0, "the outcome")
    const others = open.reports.filter((it) => !("tradeOrderId" in it) || it.tradeOrderId !== tradeOrderId)
    open.reports.splice(0, open.reports.length, ...others)
  }

  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  get fillRows() {
    return this.at.exchange.fills(this.secrets.apiKey)
  }

  timesPlaced(order: VenueOrder): number {
    return this.rows.filter((row) => row.orderLinkId === venueClientId(order.tradeOrderId)).length
  }
}
