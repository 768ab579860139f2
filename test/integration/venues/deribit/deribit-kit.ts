/** The Deribit connector in a real worker against its loopback exchange, and one account's session there. */
import { randomBytes } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import {
  type DeribitExchange,
  type DeribitOptions,
  type DeribitUser,
  startDeribitExchange,
} from "../../../exchanges/deribit/exchange.ts"
import { answering, LoopbackSession, openedSession } from "../loopback-session.ts"
import { type ConnectorOptions, connectVenue, profileOf, restingOrder, type VenueUnderTest } from "../venue-kit.ts"

/** As the venue names it, and as the gateway does. */
export const BTC = "BTC_USDC-PERPETUAL"
export const DERIBIT_BTC = "DERIBIT:BTC/USDC" as InstrumentId
export const DERIBIT_ETH = "DERIBIT:ETH/USDC" as InstrumentId
export const INVERSE_BTC = "DERIBIT:BTC/USD" as InstrumentId

const PRIVATE = "GET /api/v2/private"
export const BUY = `${PRIVATE}/buy`
export const SELL = `${PRIVATE}/sell`
export const CANCEL = `${PRIVATE}/cancel`
export const EDIT = `${PRIVATE}/edit`
export const STATE = `${PRIVATE}/get_order_state`
export const BY_LABEL = `${PRIVATE}/get_order_state_by_label`
export const HISTORY = `${PRIVATE}/get_order_history_by_instrument`
export const TRADES = `${PRIVATE}/get_user_trades_by_instrument_and_time`
export const SUMMARIES = `${PRIVATE}/get_account_summaries`
export const POSITIONS = `${PRIVATE}/get_positions`
export const TIME = "GET /api/v2/public/get_time"

export const CHANNELS = ["user.orders", "user.portfolio", "user.trades"] as const
export const ORDERS_CHANNEL = "user.orders.any.any.raw"

/** Above every bid of the still market, below every ask. */
export const BEST_BID = "60000.1"

const BALANCES = { USDC: "100000", BTC: "1" }

const deribitKey = (): VenueSecrets => ({
  apiKey: randomBytes(6).toString("base64url"),
  apiSecret: randomBytes(32).toString("base64url"),
  apiPassphrase: null,
})

export const DERIBIT_SECRETS = deribitKey()

export type DeribitUnderTest = VenueUnderTest<DeribitExchange>

/** Each test has a session of its own: more in a minute than one address may connect. */
const CONNECTS = { most: 1000, withinMillis: 60_000 }

export const startDeribit = async (
  exchangeOptions: DeribitOptions = {},
  { change, ...options }: ConnectorOptions = {},
): Promise<DeribitUnderTest> => {
  const users = [{ ...DERIBIT_SECRETS, balances: BALANCES }]
  const exchange = await startDeribitExchange({ users, market: "still", ...exchangeOptions })
  const profile = { ...profileOf("DERIBIT"), connects: CONNECTS, ...change }
  return connectVenue(exchange, profile, DERIBIT_SECRETS, options)
}

export const deribitOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: DERIBIT_BTC, ...change })

/** Our id of it, as it stands at the venue. */
export const labelOf = ({ tradeOrderId }: Pick<VenueOrder, "tradeOrderId">): string => venueClientId(tradeOrderId)

/** A request that is refused, by a venue whose clock is ours. */
export const saying = (code: number, message: string, status = 400): AnswerFault =>
  answering(status, JSON.stringify({ jsonrpc: "2.0", error: { code, message }, usIn: Date.now() * 1000 }))

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class DeribitSession extends LoopbackSession<DeribitExchange, VenueSecrets> {
  /** Resolves when its stream is up. */
  static async start(at: DeribitUnderTest, user: Partial<DeribitUser> = {}): Promise<DeribitSession> {
    const secrets = deribitKey()
    at.exchange.addUser({ ...secrets, balances: BALANCES, ...user })
    return new DeribitSession(at, secrets, await openedSession(at, secrets))
  }

  /** Orders that were taken. */
  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  get tradeIds() {
    return this.at.exchange.fills(this.secrets.apiKey).map(({ trade_id }) => trade_id)
  }

  timesPlaced(order: VenueOrder): number {
    return this.judged(order)?.created ?? 0
  }
}
