/** The KuCoin connector in a real worker against the loopback KuCoin, and one account's session there. */
import { randomBytes } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import {
  type KucoinExchange,
  type KucoinExchangeOptions,
  startKucoinExchange,
} from "../../../exchanges/kucoin/exchange.ts"
import type { KucoinUser } from "../../../exchanges/kucoin/model.ts"
import { answering, LoopbackSession, openedSession } from "../loopback-session.ts"
import { type ConnectorOptions, connectVenue, profileOf, restingOrder, type VenueUnderTest } from "../venue-kit.ts"

/** As the venue names them, and as the gateway does. */
export const BTC = "BTC-USDT"
export const KUCOIN_BTC = "KUCOIN:BTC/USDT" as InstrumentId
export const KUCOIN_ETH = "KUCOIN:ETH/USDT" as InstrumentId

const ORDERS = "/api/v1/hf/orders"
export const PLACE = `POST ${ORDERS}`
/** By the venue's id and by ours. */
export const CANCEL = `DELETE ${ORDERS}/`
export const CANCEL_OURS = `DELETE ${ORDERS}/client-order/`
export const SHOW = `GET ${ORDERS}/`
/** Of faults: whatever is asked of an order by our id. */
export const BY_OUR_ID = "/hf/orders/client-order/"
export const FILLS = "GET /api/v1/hf/fills"
export const ACCOUNTS = "GET /api/v1/accounts"
export const TOKEN = "POST /api/v1/bullet-private"
export const TIME = "GET /api/v1/timestamp"

export const ORDER_TOPIC = "/spotMarket/tradeOrdersV2"
export const BALANCE_TOPIC = "/account/balance"

/** Above every bid of the still market, below every ask. */
export const BEST_BID = "60000.1"
export const FUNDS = { USDT: "100000", BTC: "5", ETH: "50" }

type KucoinSecrets = VenueSecrets & { readonly apiPassphrase: string }

const kucoinKey = (): KucoinSecrets => ({
  apiKey: randomBytes(12).toString("hex"),
  apiSecret: `${randomBytes(4).toString("hex")}-${randomBytes(14).toString("hex")}`,
  apiPassphrase: randomBytes(6).toString("hex"),
})

export const KUCOIN_SECRETS = kucoinKey()

export type KucoinUnderTest = VenueUnderTest<KucoinExchange>

/** Each test has a session of its own: more in a minute than one address may connect. */
const CONNECTS = { most: 1000, withinMillis: 60_000 }

export const startKucoin = async (
  exchangeOptions: KucoinExchangeOptions = {},
  { change, ...options }: ConnectorOptions = {},
): Promise<KucoinUnderTest> => {
  const users = [{ ...KUCOIN_SECRETS, balances: FUNDS }]
  const exchange = await startKucoinExchange({ users, market: "still", ...exchangeOptions })
  return connectVenue(exchange, { ...profileOf("KUCOIN"), connects: CONNECTS, ...change }, KUCOIN_SECRETS, options)
}

export const kucoinOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: KUCOIN_BTC, ...change })

/** The venue refuses, or fails. */
export const saying = (code: string, msg: string, status = 200): AnswerFault =>
  answering(status, JSON.stringify({ code, msg }))

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class KucoinSession extends LoopbackSession<KucoinExchange, VenueSecrets> {
  /** Resolves when its stream is up. */
  static async start(at: KucoinUnderTest, change: Partial<KucoinUser> = {}): Promise<KucoinSession> {
    const secrets = kucoinKey()
    at.exchange.addUser({ ...secrets, balances: FUNDS, ...change })
    return new KucoinSession(at, secrets, await openedSession(at, secrets))
  }

  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  /** Ids of trades as the venue writes them. */
  get tradeIds() {
    return this.at.exchange.fills(this.secrets.apiKey).map(({ tradeId }) => tradeId.slice(1))
  }

  timesPlaced(order: VenueOrder): number {
    return this.rows.filter((row) => row.clientOid === venueClientId(order.tradeOrderId)).length
  }
}
