/** The Coinbase connector in a real worker against the loopback Coinbase, and one account's session there. */
import { generateKeyPairSync, randomUUID } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import {
  type CoinbaseExchange,
  type CoinbaseExchangeOptions,
  startCoinbaseExchange,
} from "../../../exchanges/coinbase/exchange.ts"
import { answering, LoopbackSession, openedSession } from "../loopback-session.ts"
import { type ConnectorOptions, connectVenue, profileOf, restingOrder, type VenueUnderTest } from "../venue-kit.ts"

/** As the venue names it, and as the gateway does. */
export const BTC = "BTC-USD"
export const COINBASE_BTC = "COINBASE:BTC/USD" as InstrumentId

const BROKERAGE = "/api/v3/brokerage"
export const PLACE = `POST ${BROKERAGE}/orders`
export const CANCEL = `POST ${BROKERAGE}/orders/batch_cancel`
export const EDIT = `POST ${BROKERAGE}/orders/edit`
/** One by its id. */
export const SHOW = `GET ${BROKERAGE}/orders/historical/`
export const WALLETS = `GET ${BROKERAGE}/accounts`
export const TIME = `GET ${BROKERAGE}/time`

/** Above every bid of the still market, below every ask. */
export const BEST_BID = "60000.01"

/** A key as the venue gives it out: ES256, in PEM. */
export const coinbaseKey = (): VenueSecrets => ({
  apiKey: `organizations/${randomUUID()}/apiKeys/${randomUUID()}`,
  apiSecret: generateKeyPairSync("ec", { namedCurve: "prime256v1" })
    .privateKey.export({ type: "sec1", format: "pem" })
    .toString(),
  apiPassphrase: null,
})

export const COINBASE_SECRETS = coinbaseKey()
export const FUNDS = { USD: "100000", BTC: "5" }

export type CoinbaseUnderTest = VenueUnderTest<CoinbaseExchange>

export const startCoinbase = async (
  exchangeOptions: CoinbaseExchangeOptions = {},
  { change, ...options }: ConnectorOptions = {},
): Promise<CoinbaseUnderTest> => {
  const users = [{ ...COINBASE_SECRETS, balances: FUNDS }]
  const exchange = await startCoinbaseExchange({ users, market: "still", ...exchangeOptions })
  return connectVenue(exchange, { ...profileOf("COINBASE"), ...change }, COINBASE_SECRETS, options)
}

export const coinbaseOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: COINBASE_BTC, ...change })

/** The venue does not take an order. */
export const refusing = (error: string, preview_failure_reason = "UNKNOWN_PREVIEW_FAILURE_REASON"): AnswerFault => {
  const error_response = { error, message: `the words of ${error}`, error_details: "", preview_failure_reason }
  return answering(200, JSON.stringify({ success: false, error_response, order_configuration: null }))
}

/** A request is wrong as a whole. */
export const failing = (status: number, error: string, message = `the words of ${error}`): AnswerFault =>
  answering(status, JSON.stringify({ error, error_details: message, message }))

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class CoinbaseSession extends LoopbackSession<CoinbaseExchange, VenueSecrets> {
  /** Resolves when its stream is up. */
  static async start(at: CoinbaseUnderTest, secrets: VenueSecrets = coinbaseKey()): Promise<CoinbaseSession> {
    at.exchange.addUser({ ...secrets, balances: FUNDS })
    return new CoinbaseSession(at, secrets, await openedSession(at, secrets))
  }

  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  get fillRows() {
    return this.at.exchange.fills(this.secrets.apiKey)
  }

  timesPlaced({ tradeOrderId }: VenueOrder): number {
    return this.rows.filter((row) => row.client_order_id === tradeOrderId).length
  }

  /** Its client order ids are written as the uuids that they are. */
  override judged({ tradeOrderId }: VenueOrder) {
    return this.at.exchange.placements().find(({ clientOrderId }) => clientOrderId === tradeOrderId)
  }
}
