/** The venue's clock: REST does not tell it, and a socket does, to the millisecond, in the answer to a ping. */
import { setTimeout as sleep } from "node:timers/promises"
import type { CcxtExchange } from "../../worker/exchange/ccxt.ts"
import { record } from "../adapter.ts"

const PUBLIC_URL = "wss://api-pub.bitfinex.com/ws/2"
const PONG = "pong"
/** Our own clock has to do where no socket answers by then. */
const PONG_WITHIN_MILLIS = 3000

/** Changes a public instance in place: ccxt knows of no time there. */
export const watchClock = (exchange: CcxtExchange): void => {
  const handle = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => {
    const { event, ts } = record(message)
    if (event !== PONG) return handle(socket, message)
    const at = Number(ts)
    // By how much ours was ahead when the answer arrived, the way of the answer included.
    if (Number.isFinite(at)) exchange.options["timeDifference"] = Date.now() - at
    return socket.resolve(message, PONG)
  }
  const askPong = async (): Promise<void> => {
    // Sent once per subscription, as ccxt counts them.
    delete exchange.clients[PUBLIC_URL]?.subscriptions[PONG]
    await exchange.watch(PUBLIC_URL, PONG, { event: "ping", cid: 1 }, PONG)
  }
  exchange.has["fetchTime"] = true
  exchange.loadTimeDifference = async () => {
    await Promise.race([askPong().catch(() => undefined), sleep(PONG_WITHIN_MILLIS, undefined, { ref: false })])
    return exchange.options["timeDifference"]
  }
}
