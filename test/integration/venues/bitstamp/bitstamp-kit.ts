/** The Bitstamp connector in a real worker against the loopback Bitstamp, and one account's session there. */
import { randomBytes } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import {
  type BitstampExchange,
  type BitstampExchangeOptions,
  startBitstampExchange,
} from "../../../exchanges/bitstamp/exchange.ts"
import { answering, LoopbackSession, openedSession } from "../loopback-session.ts"
import { type ConnectorOptions, connectVenue, profileOf, restingOrder, type VenueUnderTest } from "../venue-kit.ts"

/** As the exchange names it, and as the gateway does. */
export const BTC = "BTC-USD"
export const BITSTAMP_BTC = "BITSTAMP:BTC/USD" as InstrumentId
export const BITSTAMP_ETH = "BITSTAMP:ETH/USD" as InstrumentId

const API = "POST /api/v2"
export const PLACE = `${API}/buy/btcusd/`
export const CANCEL = `${API}/cancel_order/`
export const SHOW = `${API}/order_status/`
export const LIST = `${API}/open_orders/all/`
export const FILLS = `${API}/user_transactions/btcusd/`
export const BALANCES = `${API}/account_balances/`
export const TOKEN = `${API}/websockets_token/`
/** What the clock is read from. */
export const TIME = "GET /api/v2/eur_usd/"

/** Above every bid of the still market, below every ask. */
export const BEST_BID = "60001"
export const FUNDS = { USD: "100000", BTC: "5", ETH: "50" }

const bitstampKey = (): VenueSecrets => ({
  apiKey: randomBytes(16).toString("hex"),
  apiSecret: randomBytes(16).toString("hex"),
  apiPassphrase: null,
})

export const BITSTAMP_SECRETS = bitstampKey()

export type BitstampUnderTest = VenueUnderTest<BitstampExchange>

/** Each test has a session of its own: more in a minute than one address may connect. */
const CONNECTS = { most: 1000, withinMillis: 60_000 }

/** Lists of open orders are fresh, unless a test wants them as the venue has them. */
export const startBitstamp = async (
  exchangeOptions: BitstampExchangeOptions = {},
  { change, ...options }: ConnectorOptions = {},
): Promise<BitstampUnderTest> => {
  const users = [{ ...BITSTAMP_SECRETS, balances: FUNDS }]
  const exchange = await startBitstampExchange({ users, market: "still", cachedMillis: 0, ...exchangeOptions })
  return connectVenue(exchange, { ...profileOf("BITSTAMP"), connects: CONNECTS, ...change }, BITSTAMP_SECRETS, options)
}

export const bitstampOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: BITSTAMP_BTC, ...change })

/** The venue refuses, or fails, with a number and a text. */
export const saying = (code: string, reason: unknown, status = 400): AnswerFault =>
  answering(
    status,
    JSON.stringify({ status: "error", reason, ...(code.startsWith("API") ? { code } : { response_code: code }) }),
  )

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class BitstampSession extends LoopbackSession<BitstampExchange, VenueSecrets> {
  /** Resolves when its stream is up. */
  static async start(
    at: BitstampUnderTest,
    balances: Readonly<Record<string, string>> = FUNDS,
  ): Promise<BitstampSession> {
    const secrets = bitstampKey()
    at.exchange.addUser({ ...secrets, balances })
    return new BitstampSession(at, secrets, await openedSession(at, secrets))
  }

  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  /** Ids of trades as the venue writes them. */
  get tradeIds() {
    return this.at.exchange.fills(this.secrets.apiKey).map(({ id }) => String(id))
  }

  /** The channel of its market's orders, or trades. */
  channel(kind: "orders" | "trades", market = "btcusd"): string {
    const user = Object.keys(this.at.exchange.counts())
      .map((name) => /^WS bts:subscribe private-my_orders_\w+-(\d+)$/.exec(name)?.[1])
      .filter((id) => id !== undefined)
      .at(-1)
    return `private-my_${kind}_${market}-${user}`
  }

  timesPlaced(order: VenueOrder): number {
    const id = venueClientId(order.tradeOrderId)
    return this.rows.filter(({ client_order_id }) => client_order_id === id).length
  }
}
