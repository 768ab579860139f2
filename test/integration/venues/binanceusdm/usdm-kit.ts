/** The Binance USDⓈ-M connector in a real worker against its loopback exchange, and one account's session there. */
import { randomBytes } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import {
  startUsdmExchange,
  type UsdmExchange,
  type UsdmExchangeOptions,
} from "../../../exchanges/binance-usdm/exchange.ts"
import { answering, LoopbackSession, openedSession } from "../loopback-session.ts"
import { type ConnectorOptions, connectVenue, profileOf, restingOrder, type VenueUnderTest } from "../venue-kit.ts"

/** As the venue names it, and as the gateway does. */
export const BTC = "BTCUSDT"
export const USDM_BTC = "BINANCEUSDM:BTC/USDT" as InstrumentId

export const PLACE = "POST /fapi/v1/order"
export const CANCEL = "DELETE /fapi/v1/order"
export const SHOW = "GET /fapi/v1/order"
export const TRADES = "GET /fapi/v1/userTrades"
export const ACCOUNT = "GET /fapi/v3/account"
export const TIME = "GET /fapi/v1/time"
export const NEW_KEY = "POST /fapi/v1/listenKey"
export const KEEP_KEY = "PUT /fapi/v1/listenKey"

/** Above every bid of the still market, below every ask. */
export const BEST_BID = "60000.1"

export const USDM_SECRETS = {
  apiKey: "usdmKeyOfATest".padEnd(64, "k"),
  apiSecret: "secretOfTheLoopbackFutures".padEnd(64, "s"),
  apiPassphrase: null,
} satisfies VenueSecrets

const BALANCES = { USDT: "100000" }

export type UsdmUnderTest = VenueUnderTest<UsdmExchange>

export const startUsdm = async (
  exchangeOptions: UsdmExchangeOptions = {},
  { venue = "BINANCEUSDM", change, ...options }: ConnectorOptions = {},
): Promise<UsdmUnderTest> => {
  const users = [{ ...USDM_SECRETS, balances: BALANCES }]
  const exchange = await startUsdmExchange({ users, market: "still", ...exchangeOptions })
  return connectVenue(exchange, { ...profileOf(venue), ...change }, USDM_SECRETS, options)
}

export const usdmOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: USDM_BTC, ...change })

export const saying = (status: number, code: number, msg: string): AnswerFault =>
  answering(status, JSON.stringify({ code, msg }))

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class UsdmSession extends LoopbackSession<UsdmExchange, VenueSecrets> {
  /** Resolves when its stream is up. */
  static async start(at: UsdmUnderTest): Promise<UsdmSession> {
    const secrets = {
      apiKey: randomBytes(32).toString("hex"),
      apiSecret: randomBytes(32).toString("hex"),
      apiPassphrase: null,
    }
    at.exchange.addUser({ ...secrets, balances: BALANCES })
    return new UsdmSession(at, secrets, await openedSession(at, secrets))
  }

  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  get fillRows() {
    return this.at.exchange.fills(this.secrets.apiKey)
  }

  timesPlaced(order: VenueOrder): number {
    return this.rows.filter((row) => row.clientOrderId === venueClientId(order.tradeOrderId)).length
  }
}
