/**
 * The venue's clock. It has no question of its own: each answer has a date, in whole seconds, and what is streamed of an account has microseconds. Of both it
 * is known that the venue's clock stood there or later, so the newest of them is the best.
 */
import type { CcxtExchange, Raw } from "../../worker/exchange/ccxt.ts"
import { venueNow } from "../../worker/exchange/venue-clock.ts"

interface ClockedExchange extends CcxtExchange {
  milliseconds(): number
  readonly publicGetEurUsd: (params: Raw) => Promise<unknown>
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

/** Of a public instance, which is what a connector reads the clock from. */
export const tellsTime = (instance: CcxtExchange): void => {
  const exchange = instance as ClockedExchange
  exchange.has["fetchTime"] = true
  hearAnswers(exchange, () => exchange)
  exchange.loadTimeDifference = async () => {
    heardBy.delete(exchange)
    // The smallest of its answers.
    await exchange.publicGetEurUsd({})
    return exchange.options["timeDifference"]
  }
}

/** An account's instance signs by the clock of the connector's public one, whose markets it has. Answers what takes an instant of the venue. */
export const signsInTime = (instance: CcxtExchange): ((at: number) => void) => {
  const exchange = instance as ClockedExchange
  let source: CcxtExchange = exchange
  const setMarkets = exchange.setMarketsFromExchange.bind(exchange)
  exchange.setMarketsFromExchange = (from) => {
    source = from
    return setMarkets(from)
  }
  exchange.milliseconds = () => venueNow(source)
  hearAnswers(exchange, () => source)
  return (at) => heard(source, at)
}
