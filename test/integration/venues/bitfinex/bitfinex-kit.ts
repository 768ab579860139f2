/** The Bitfinex connector in a real worker against the loopback Bitfinex, and one account's session there. */
import { randomBytes } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { type InstrumentId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { spelled } from "../../../../src/venues/worker/session/client-ids.ts"
import type { AnswerFault } from "../../../exchanges/binance/faults.ts"
import {
  type BitfinexExchange,
  type BitfinexExchangeOptions,
  startBitfinexExchange,
} from "../../../exchanges/bitfinex/exchange.ts"
import type { BitfinexUser } from "../../../exchanges/bitfinex/model.ts"
import { answering, LoopbackSession, openedSession } from "../loopback-session.ts"
import { type ConnectorOptions, connectVenue, profileOf, restingOrder, type VenueUnderTest } from "../venue-kit.ts"

/** As the venue names them, and as the gateway does. */
export const BTC = "tBTCUST"
export const BITFINEX_BTC = "BITFINEX:BTC/USDT" as InstrumentId
/** Under a name with a colon. */
export const BITFINEX_DOGE = "BITFINEX:DOGE/USDT" as InstrumentId

const ASKED = "POST /v2/auth/w/order"
export const PLACE = `${ASKED}/submit`
export const CANCEL = `${ASKED}/cancel`
export const AMEND = `${ASKED}/update`
const READ = "POST /v2/auth/r"
/** What works of a pair, and what is over; as the exchange counts them, and as a fault matches them. */
export const WORKING = `${READ}/orders/:symbol`
export const ENDED = `${READ}/orders/:symbol/hist`
export const WORKING_BTC = `${READ}/orders/${BTC}`
export const ENDED_BTC = `${READ}/orders/${BTC}/hist`
export const HISTORY = `${READ}/orders/hist`
export const FILLS = `${READ}/trades/hist`
export const WALLETS = `${READ}/wallets`
export const USER = `${READ}/info/user`

/** Above every bid of the still market, below every ask. */
export const BEST_BID = "60001"
export const FUNDS = { USDT: "100000", BTC: "5", DOGE: "50000" }

const bitfinexKey = (): VenueSecrets => ({
  apiKey: randomBytes(22).toString("hex"),
  apiSecret: randomBytes(22).toString("hex"),
  apiPassphrase: null,
})

export const BITFINEX_SECRETS = bitfinexKey()

export type BitfinexUnderTest = VenueUnderTest<BitfinexExchange>

/** Each test has a session of its own: more in a minute than one address may connect, and ask. */
const UNCOUNTED = {
  connects: { most: 1000, withinMillis: 60_000 },
  privatePace: { burst: 10_000, perSecond: 10_000 },
}

/** Neither counts requests, unless a test says otherwise. */
export const startBitfinex = async (
  exchangeOptions: BitfinexExchangeOptions = {},
  { change, ...options }: ConnectorOptions = {},
): Promise<BitfinexUnderTest> => {
  const users = [{ ...BITFINEX_SECRETS, balances: FUNDS }]
  const exchange = await startBitfinexExchange({ users, market: "still", quota: null, ...exchangeOptions })
  return connectVenue(exchange, { ...profileOf("BITFINEX"), ...UNCOUNTED, ...change }, BITFINEX_SECRETS, options)
}

export const bitfinexOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: BITFINEX_BTC, ...change })

/** Our id of it, as it stands at the venue. */
export const cidOf = ({ tradeOrderId }: Pick<VenueOrder, "tradeOrderId">): string =>
  spelled(venueClientId(tradeOrderId), "number")

/** The venue refuses, or fails. */
export const saying = (code: number, message: string, status = 500): AnswerFault =>
  answering(status, JSON.stringify(["error", code, message]))

/** A session of a user of its own: what one test leaves behind is not the next one's. */
export class BitfinexSession extends LoopbackSession<BitfinexExchange, VenueSecrets> {
  /** Resolves when its stream is up. */
  static async start(at: BitfinexUnderTest, change: Partial<BitfinexUser> = {}): Promise<BitfinexSession> {
    const secrets = bitfinexKey()
    at.exchange.addUser({ ...secrets, balances: FUNDS, ...change })
    return new BitfinexSession(at, secrets, await openedSession(at, secrets))
  }

  get rows() {
    return this.at.exchange.orders(this.secrets.apiKey)
  }

  /** Ids of trades as the venue writes them. */
  get tradeIds() {
    return this.at.exchange.fills(this.secrets.apiKey).map(({ id }) => id)
  }

  override judged(order: VenueOrder) {
    return this.at.exchange.placements().find(({ clientOrderId }) => clientOrderId === cidOf(order))
  }

  timesPlaced(order: VenueOrder): number {
    return this.rows.filter(({ cid }) => cid === cidOf(order)).length
  }

  /** Of an order, as lists and the stream write it, with cells that a test wants. */
  cells(order: VenueOrder, cells: Readonly<Record<number, unknown>> = {}): ReadonlyArray<unknown> {
    const found = this.rows.find(({ cid }) => cid === cidOf(order))
    if (found === undefined) throw new Error("the venue has no such order")
    const row = [...this.at.exchange.row(this.secrets.apiKey, found.id)]
    for (const [place, cell] of Object.entries(cells)) row[Number(place)] = cell
    return row
  }

  /** On the channel of the account. */
  tell(type: string, data: unknown): void {
    this.push({ frame: [0, type, data] })
  }
}
