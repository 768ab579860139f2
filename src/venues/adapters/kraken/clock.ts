/**
 * The venue's clock to the millisecond. Kraken's REST returns whole seconds: times read from it would be up to a second older than the fills they
 * are compared with. Its sockets stamp every pong in microseconds; keep-alives are pongs, and one more is requested when the clock is read.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type KrakenExchange, PUBLIC_URL } from "./exchange.ts"

/** The clock of REST has to do where no socket answers by then. */
const PONG_WITHIN_MILLIS = 3000
/** Of about two minutes: a host's clock that was set is believed after that. */
const SAMPLES = 12
const PONG = "pong"

/** Answers what takes a sample: by how much ours was ahead when an answer arrived, the way of the answer included. */
export const hearClock = (exchange: KrakenExchange): ((most: number) => void) => {
  const samples: Array<number> = []
  const heard = (most: number): void => {
    samples.push(most)
    if (samples.length > SAMPLES) samples.shift()
    exchange.options["timeDifference"] = Math.min(...samples)
  }
  const handlePong = exchange.handlePong.bind(exchange)
  exchange.handlePong = (socket, message) => {
    const at = Date.parse(String(message["time_out"]))
    if (!Number.isNaN(at)) heard(Date.now() - at)
    socket.resolve(message, PONG)
    return handlePong(socket, message)
  }
  return heard
}

export const watchClock = (exchange: KrakenExchange): void => {
  const heard = hearClock(exchange)

  const askPong = async (): Promise<void> => {
    // Sent once per subscription, as ccxt counts them.
    delete exchange.clients[PUBLIC_URL]?.subscriptions[PONG]
    await exchange.watch(PUBLIC_URL, PONG, { method: "ping", req_id: exchange.requestId() }, PONG)
  }

  const loadTimeDifference = exchange.loadTimeDifference.bind(exchange)
  exchange.loadTimeDifference = async () => {
    const difference = Number(await loadTimeDifference())
    heard(difference)
    await Promise.race([askPong().catch(() => undefined), sleep(PONG_WITHIN_MILLIS, undefined, { ref: false })])
    return difference
  }
}
