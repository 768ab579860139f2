/** The OKX connector in a real worker against the loopback OKX, and one account's session there with what its tests ask for. */
import { randomBytes, randomUUID } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { type OkxExchange, type OkxExchangeOptions, startOkxExchange } from "../../../exchanges/okx/exchange.ts"
import { answering, LoopbackSession, openedSession } from "../loopback-session.ts"
import { type ConnectorOptions, connectVenue, profileOf, restingOrder, type VenueUnderTest } from "../venue-kit.ts"

export { answering, refOf } from "../loopback-session.ts"

/** As the venue names it, and as the gateway does. */
export const BTC = "BTC-USDT"
export const OKX_BTC = "OKX:BTC/USDT" as InstrumentId

export const PLACE = "POST /api/v5/trade/order"
export const CANCEL = "POST /api/v5/trade/cancel-order"
export const SHOW = "GET /api/v5/trade/order"
export const TIME = "GET /api/v5/public/time"

/** How orders leave, what that takes of the connector, and how the exchange counts them. */
export const WAYS = [
  ["a request each", {}, { place: PLACE, cancel: CANCEL, amend: "POST /api/v5/trade/amend-order" }],
  [
    "the private socket",
    { socketOrders: ["OKX"] },
    { place: "WS order", cancel: "WS cancel-order", amend: "WS amend-order" },
  ],
] as const

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

/** One operation's own code, as OKX says it under HTTP 200. */
export const operation = (sCode: string, sMsg: string): AnswerFault =>
  answering(
    200,
    JSON.stringify({ code: "1", data: [{ clOrdId: "", ordId: "", sCode, sMsg }], msg: "All operations failed" }),
  )

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class OkxSession extends LoopbackSession<OkxExchange, typeof OKX_SECRETS> {
  /** Resolves when its stream is up. */
  static async start(at: OkxUnderTest): Promise<OkxSession> {
    const [apiKey, apiSecret] = [randomUUID(), randomBytes(16).toString("hex").toUpperCase()]
    const secrets = { apiKey, apiSecret, apiPassphrase: randomBytes(9).toString("base64") }
    at.exchange.addUser({ ...secrets, balances: { USDT: "100000", BTC: "5" } })
    return new OkxSession(at, secrets, await openedSession(at, secrets))
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
}
