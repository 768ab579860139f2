/** The Gemini connector in a real worker against the loopback Gemini, and one account's session there. */
import { randomBytes } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import {
  type GeminiExchange,
  type GeminiExchangeOptions,
  type GeminiUser,
  startGeminiExchange,
} from "../../../exchanges/gemini/exchange.ts"
import { answering, LoopbackSession, openedSession } from "../loopback-session.ts"
import { type ConnectorOptions, connectVenue, profileOf, restingOrder, type VenueUnderTest } from "../venue-kit.ts"

/** As the exchange names it, and as the gateway does. */
export const BTC = "BTC-USD"
export const GEMINI_BTC = "GEMINI:BTC/USD" as InstrumentId
export const GEMINI_ETH = "GEMINI:ETH/USD" as InstrumentId

const API = "POST /v1"
export const PLACE = `${API}/order/new`
export const CANCEL = `${API}/order/cancel`
export const SHOW = `${API}/order/status`
export const LIST = `${API}/orders`
export const FILLS = `${API}/mytrades`
export const BALANCES = `${API}/balances`
export const HEARTBEAT = `${API}/heartbeat`
export const DIAL = "WS /v1/order/events"
/** What the clock is read from. */
export const TIME = "GET /v1/symbols"

/** Above every bid of the still market, below every ask. */
export const BEST_BID = "60000.01"
export const FUNDS = { USD: "100000", BTC: "5", ETH: "50" }

const geminiKey = (): VenueSecrets => ({
  apiKey: `account-${randomBytes(10).toString("hex")}`,
  apiSecret: randomBytes(14).toString("hex"),
  apiPassphrase: null,
})

export const GEMINI_SECRETS = geminiKey()

export type GeminiUnderTest = VenueUnderTest<GeminiExchange>

/** Each test has a session of its own: more in a minute than one address may connect. */
const CONNECTS = { most: 1000, withinMillis: 60_000 }

/** As the venue has it, a key is paced; here tests would only wait for it. */
const PACE = { burst: 1000, perSecond: 1000 }

export const startGemini = async (
  exchangeOptions: GeminiExchangeOptions = {},
  { change, ...options }: ConnectorOptions = {},
): Promise<GeminiUnderTest> => {
  const users = [{ ...GEMINI_SECRETS, balances: FUNDS }]
  const exchange = await startGeminiExchange({ users, market: "still", quotas: [], ...exchangeOptions })
  const profile = { ...profileOf("GEMINI"), connects: CONNECTS, privatePace: PACE, ...change }
  return connectVenue(exchange, profile, GEMINI_SECRETS, options)
}

export const geminiOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: GEMINI_BTC, ...change })

/** The venue refuses, or fails, with a reason. */
export const saying = (reason: string, status = 400, message = reason): AnswerFault =>
  answering(status, JSON.stringify({ result: "error", reason, message }))

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class GeminiSession extends LoopbackSession<GeminiExchange, VenueSecrets> {
  /** Resolves when its stream is up. */
  static async start(at: GeminiUnderTest, user: Partial<GeminiUser> = {}): Promise<GeminiSession> {
    const secrets = geminiKey()
    at.exchange.addUser({ ...secrets, balances: FUNDS, ...user })
    return new GeminiSession(at, secrets, await openedSession(at, secrets))
  }

  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  /** Ids of trades as the venue writes them. */
  get tradeIds() {
    return this.at.exchange.fills(this.secrets.apiKey).map(({ tid }) => String(tid))
  }

  idOf(order: VenueOrder): string {
    const id = venueClientId(order.tradeOrderId)
    return String(this.rows.find(({ client_order_id }) => client_order_id === id)?.order_id)
  }

  timesPlaced(order: VenueOrder): number {
    const id = venueClientId(order.tradeOrderId)
    return this.rows.filter(({ client_order_id }) => client_order_id === id).length
  }
}
