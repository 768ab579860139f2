/**
 * The clock of a venue that has no question for it: each answer has a date, in whole seconds, and what is streamed of an account has finer instants. Of both it
 * is known that the venue's clock stood there or later, so the newest of them is the best.
 */
import type { CcxtExchange } from "../worker/exchange/ccxt.ts"
import { venueNow } from "../worker/exchange/venue-clock.ts"

interface ClockedExchange extends CcxtExchange {
  milliseconds(): number
}

/** A host's clock that was set is believed after so many. */
const SAMPLES = 24

/** By how much ours was ahead at most, of a connector's public instance. */
const heardBy = new WeakMap<CcxtExchange, Array<number>>()

/** The venue named this instant of its own, ms. */
const heard = (exchange: CcxtExchange, at: number): void => {
  if (!Number.isFinite(at)) return
  const known = heardBy.get(exchange) ?? []
  heardBy.set(exchange, known)
  known.push(Math.ceil(Date.now() - at))
  if (known.length > SAMPLES) known.shift()
  exchange.options["timeDifference"] = Math.min(...known)
}

const dateOf = (headers: unknown): number => {
  const found = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "date")
  return found === undefined ? Number.NaN : Date.parse(String(found[1]))
}

const hearAnswers = (exchange: CcxtExchange, at: () => CcxtExchange): void => {
  const handle = exchange.onRestResponse.bind(exchange)
  exchange.onRestResponse = (status, statusText, url, method, headers, ...rest) => {
    heard(at(), dateOf(headers))
    return handle(status, statusText, url, method, headers, ...rest)
  }
}

/** Of a public instance, which is what a connector reads the clock from. `ask`: any short question. */
export const tellsTime = (exchange: CcxtExchange, ask: () => Promise<unknown>): void => {
  exchange.has["fetchTime"] = true
  hearAnswers(exchange, () => exchange)
  exchange.loadTimeDifference = async () => {
    heardBy.delete(exchange)
    // The smallest of its answers.
    await ask()
    return exchange.options["timeDifference"]
  }
}

/** An account's instance has the clock of the connector's public one, whose markets it has. `hear` takes an instant of the venue. */
export const sharesTime = (
  exchange: CcxtExchange,
): { readonly now: () => number; readonly hear: (at: number) => void } => {
  let source: CcxtExchange = exchange
  const setMarkets = exchange.setMarketsFromExchange.bind(exchange)
  exchange.setMarketsFromExchange = (from) => {
    source = from
    return setMarkets(from)
  }
  hearAnswers(exchange, () => source)
  return { now: () => venueNow(source), hear: (at) => heard(source, at) }
}

/** The same, and what ccxt signs by it. */
export const signsInTime = (instance: CcxtExchange): ((at: number) => void) => {
  const { now, hear } = sharesTime(instance)
  const exchange = instance as ClockedExchange
  exchange.milliseconds = now
  return hear
}
