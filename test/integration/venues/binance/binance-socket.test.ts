/** Orders over Binance's own socket, which its private stream has open (SOCKET_ORDERS). */
import { randomBytes } from "node:crypto"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { BinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { LoopbackSession, openedSession } from "../loopback-session.ts"
import { describeOrderSocket } from "../order-socket-scenarios.ts"
import { describeAhead, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { restingOrder, startVenue, until } from "../venue-kit.ts"

const OVER_SOCKET = { socketOrders: ["BINANCE"] }
const PLACE = "WS order.place"

class SocketSession extends LoopbackSession<BinanceExchange, VenueSecrets> {
  timesPlaced(order: VenueOrder): number {
    const id = venueClientId(order.tradeOrderId)
    return this.at.exchange.orders(this.secrets.apiKey).filter(({ clientOrderId }) => clientOrderId === id).length
  }
}

const ANY: SessionAt<BinanceExchange> = {
  venue: "BINANCE over its socket",
  start: (exchangeOptions, options) =>
    startVenue({ market: "still", ...exchangeOptions }, { ...OVER_SOCKET, ...options }),
  enter: async (at) => {
    const [apiKey, apiSecret] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")]
    const secrets = { apiKey, apiSecret, apiPassphrase: null }
    at.exchange.addUser({ ...secrets, balances: { USDT: "100000", BTC: "5" } })
    return new SocketSession(at, secrets, await openedSession(at, secrets))
  },
  order: restingOrder,
  place: PLACE,
}

describeOrderSocket({
  ...ANY,
  venue: "BINANCE",
  doors: [
    { place: "POST /api/v3/order", cancel: "DELETE /api/v3/order" },
    { place: PLACE, cancel: "WS order.cancel" },
  ],
  away: (at, isAway) => {
    at.exchange.fault({ fault: "refuseWebSockets", on: isAway })
    if (isAway) at.exchange.fault({ fault: "closeSockets", kind: "user" })
  },
  known: ({ open }, isAway) => until(() => open.last(isAway ? "StreamDown" : "StreamUp") !== undefined, "the stream"),
  cut: (at) => at.exchange.fault({ fault: "closeSockets", kind: "user" }),
  foreign: {
    id: "another's",
    status: 200,
    result: { symbol: "BTCUSDT", orderId: 1, clientOrderId: "x", status: "NEW" },
  },
  idOf: ({ at, secrets }, order) => {
    const id = venueClientId(order.tradeOrderId)
    const row = at.exchange.orders(secrets.apiKey).find(({ clientOrderId }) => clientOrderId === id)
    return row && String(row.orderId)
  },
})
describeDeath(ANY)
describeAhead(ANY)
