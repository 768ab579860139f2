/** The Kraken Futures connector in a real worker against its loopback exchange, and one account's session there. */
import { randomBytes } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { spelled } from "../../../../src/venues/worker/session/client-ids.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import {
  type KrakenFuturesExchange,
  type KrakenFuturesOptions,
  startKrakenFuturesExchange,
} from "../../../exchanges/kraken-futures/exchange.ts"
import { answering, LoopbackSession, openedSession } from "../loopback-session.ts"
import { type ConnectorOptions, connectVenue, profileOf, restingOrder, type VenueUnderTest } from "../venue-kit.ts"

/** As the venue names it, and as the gateway does. */
export const BTC = "PF_XBTUSD"
export const FUTURES_BTC = "KRAKENFUTURES:BTC/USD" as InstrumentId
export const FUTURES_ETH = "KRAKENFUTURES:ETH/USD" as InstrumentId

const TRADING = "/derivatives/api/v3"
export const PLACE = `POST ${TRADING}/sendorder`
export const CANCEL = `POST ${TRADING}/cancelorder`
export const AMEND = `POST ${TRADING}/editorder`
export const STATUS = `GET ${TRADING}/orders/status`
export const FILLS = `GET ${TRADING}/fills`
export const ACCOUNTS = `GET ${TRADING}/accounts`
export const POSITIONS = `GET ${TRADING}/openpositions`
export const TIME = `GET ${TRADING}/tickers/PF_XBTUSD`
/** In the version that ccxt asks. */
export const HISTORY = "GET /api/history/v2/orders"
export const EXECUTIONS = "GET /api/history/v2/executions"

export const FEEDS = ["open_orders_verbose", "fills", "balances"] as const
export const ORDERS_FEED = FEEDS[0]

/** Above every bid of the still market, below every ask. */
export const BEST_BID = "60000.1"

const BALANCES = { USD: "100000", BTC: "1" }

const futuresKey = (): VenueSecrets => ({
  apiKey: randomBytes(28).toString("base64"),
  apiSecret: randomBytes(48).toString("base64"),
  apiPassphrase: null,
})

export const FUTURES_SECRETS = futuresKey()

export type FuturesUnderTest = VenueUnderTest<KrakenFuturesExchange>

/** Each test has a session of its own: more in a minute than one address may connect. */
const CONNECTS = { most: 1000, withinMillis: 60_000 }

export const startFutures = async (
  exchangeOptions: KrakenFuturesOptions = {},
  { change, ...options }: ConnectorOptions = {},
): Promise<FuturesUnderTest> => {
  const users = [{ ...FUTURES_SECRETS, balances: BALANCES }]
  const exchange = await startKrakenFuturesExchange({ users, market: "still", ...exchangeOptions })
  const profile = { ...profileOf("KRAKENFUTURES"), connects: CONNECTS, ...change }
  return connectVenue(exchange, profile, FUTURES_SECRETS, options)
}

export const futuresOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: FUTURES_BTC, ...change })

/** Our id of it, as it stands at the venue. */
export const idAt = ({ tradeOrderId }: Pick<VenueOrder, "tradeOrderId">): string =>
  spelled(venueClientId(tradeOrderId), "uuid")

/** A request that is refused. */
export const saying = (error: string, status = 200): AnswerFault =>
  answering(status, JSON.stringify({ result: "error", serverTime: new Date().toISOString(), error }))

/** An order that is refused in an answer which is a success. */
export const sending = (status: string): AnswerFault =>
  answering(200, JSON.stringify({ result: "success", sendStatus: { status, orderEvents: [] } }))

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class FuturesSession extends LoopbackSession<KrakenFuturesExchange, VenueSecrets> {
  /** Resolves when its stream is up. */
  static async start(at: FuturesUnderTest): Promise<FuturesSession> {
    const secrets = futuresKey()
    at.exchange.addUser({ ...secrets, balances: BALANCES })
    return new FuturesSession(at, secrets, await openedSession(at, secrets))
  }

  /** Orders that were taken. */
  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  get fillIds() {
    return this.at.exchange.fills(this.secrets.apiKey).map(({ fill_id }) => fill_id)
  }

  override judged(order: VenueOrder) {
    return this.at.exchange.placements().find(({ clientOrderId }) => clientOrderId === idAt(order))
  }

  timesPlaced(order: VenueOrder): number {
    return this.judged(order)?.created ?? 0
  }
}
