/** The Gate connector in a real worker against the loopback Gate, and one account's session there. */
import { randomBytes } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { spelled } from "../../../../src/venues/worker/session/client-ids.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import { type GateExchange, type GateExchangeOptions, startGateExchange } from "../../../exchanges/gate/exchange.ts"
import type { GateUser } from "../../../exchanges/gate/model.ts"
import { answering, LoopbackSession, openedSession } from "../loopback-session.ts"
import { type ConnectorOptions, connectVenue, profileOf, restingOrder, type VenueUnderTest } from "../venue-kit.ts"

/** As the venue names them, and as the gateway does. */
export const BTC = "BTC_USDT"
export const GATE_BTC = "GATE:BTC/USDT" as InstrumentId
export const GATE_ETH = "GATE:ETH/USDT" as InstrumentId

const ORDERS = "/api/v4/spot/orders"
export const PLACE = `POST ${ORDERS}`
/** By the venue's id and by ours alike. */
export const CANCEL = `DELETE ${ORDERS}/`
export const AMEND = `PATCH ${ORDERS}/`
export const SHOW = `GET ${ORDERS}/`
export const LIST = `GET ${ORDERS}`
export const FILLS = "GET /api/v4/spot/my_trades"
export const ACCOUNTS = "GET /api/v4/spot/accounts"
export const TIME = "GET /api/v4/spot/time"

export const CHANNELS = ["spot.orders", "spot.usertrades", "spot.balances"] as const

/** Above every bid of the still market, below every ask. */
export const BEST_BID = "60000.1"
export const FUNDS = { USDT: "100000", BTC: "5", ETH: "50" }

const gateKey = (): VenueSecrets => ({
  apiKey: randomBytes(16).toString("hex"),
  apiSecret: randomBytes(32).toString("hex"),
  apiPassphrase: null,
})

export const GATE_SECRETS = gateKey()

export type GateUnderTest = VenueUnderTest<GateExchange>

/** Each test has a session of its own: more in a minute than one address may connect. */
const CONNECTS = { most: 1000, withinMillis: 60_000 }

export const startGate = async (
  exchangeOptions: GateExchangeOptions = {},
  { change, ...options }: ConnectorOptions = {},
): Promise<GateUnderTest> => {
  const users = [{ ...GATE_SECRETS, balances: FUNDS }]
  const exchange = await startGateExchange({ users, market: "still", ...exchangeOptions })
  return connectVenue(exchange, { ...profileOf("GATE"), connects: CONNECTS, ...change }, GATE_SECRETS, options)
}

export const gateOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: GATE_BTC, ...change })

/** Our id of it, as it stands at the venue. */
export const textOf = ({ tradeOrderId }: Pick<VenueOrder, "tradeOrderId">): string =>
  spelled(venueClientId(tradeOrderId), "gate")

/** The venue refuses, or fails. */
export const saying = (label: string, message: string, status = 400): AnswerFault =>
  answering(status, JSON.stringify({ label, message }))

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class GateSession extends LoopbackSession<GateExchange, VenueSecrets> {
  /** Resolves when its stream is up. */
  static async start(at: GateUnderTest, change: Partial<GateUser> = {}): Promise<GateSession> {
    const secrets = gateKey()
    at.exchange.addUser({ ...secrets, balances: FUNDS, ...change })
    return new GateSession(at, secrets, await openedSession(at, secrets))
  }

  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  /** Ids of trades as the venue writes them. */
  get tradeIds() {
    return this.at.exchange.fills(this.secrets.apiKey).map(({ id }) => id)
  }

  override judged(order: VenueOrder) {
    return this.at.exchange.placements().find(({ clientOrderId }) => clientOrderId === textOf(order))
  }

  timesPlaced(order: VenueOrder): number {
    return this.rows.filter(({ text }) => text === textOf(order)).length
  }
}
