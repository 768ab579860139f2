/**
 * The listen key of an account: the name of its private stream, valid for an hour from its last renewal. ccxt's own login begins a further timer with
 * each new socket, ends the stream with the first renewal that fails, takes "no such listen key" for a wrong API key, and renews a key once more
 * when the account is gone.
 */
import type { CcxtExchange, Raw } from "../../worker/exchange/ccxt.ts"
import { classify } from "../../worker/exchange/errors.ts"
import { endAll } from "../../worker/exchange/sockets.ts"
import { record, word } from "../adapter.ts"

/** What ccxt's Binance has beside every exchange's. */
interface ListeningExchange extends CcxtExchange {
  /** POST and PUT /fapi/v1/listenKey. */
  fapiPrivatePostListenKey(params: Raw): Promise<Raw>
  fapiPrivatePutListenKey(params: Raw): Promise<Raw>
}

/** By this name it is classified, like ccxt's own. */
class BadResponse extends Error {
  override readonly name = "BadResponse"
}

/** A third of its life: two renewals in a row may fail. */
const RENEW_MILLIS = 20 * 60_000

/** Where ccxt's watches read the key of a perpetual's stream. */
const BUCKET = "future"

const setKey = (exchange: CcxtExchange, listenKey: string | undefined): void => {
  exchange.options[BUCKET] = { ...record(exchange.options[BUCKET]), listenKey }
}

const timers = new WeakMap<CcxtExchange, NodeJS.Timeout>()

/** The key of a stream that has ended is asked for again: POST answers with the one that there is, or a new one. */
export const forgetListenKey = (exchange: CcxtExchange): void => {
  clearInterval(timers.get(exchange))
  timers.delete(exchange)
  setKey(exchange, undefined)
}

/** Whether the venue says that it has no such key. */
const isGone = (error: unknown): boolean => classify(error).code === "-1125"

/** Changes a private instance in place, before its first call. `renewMillis`: between two renewals. */
export const keepListenKey = (instance: CcxtExchange): void => {
  const exchange = instance as ListeningExchange
  const given = Number(exchange.options["listenKeyRefreshRate"])
  const renewMillis = given > 0 ? given : RENEW_MILLIS
  let isClosed = false
  let begun: Promise<void> | null = null
  const renew = async (): Promise<void> => {
    try {
      await exchange.fapiPrivatePutListenKey({})
    } catch (error) {
      // Of any other failure the key lives on, and the next renewal comes in time.
      if (isGone(error)) endAll(exchange, "the venue has forgotten the key of the private stream")
    }
  }
  const begin = async (): Promise<void> => {
    const listenKey = word(await exchange.fapiPrivatePostListenKey({}), "listenKey")
    if (listenKey === null) throw new BadResponse("the venue answered without a listen key")
    if (isClosed) return
    setKey(exchange, listenKey)
    clearInterval(timers.get(exchange))
    timers.set(exchange, setInterval(renew, renewMillis).unref())
  }
  // Asked for by the stream, and by each of ccxt's watches.
  exchange.authenticate = () => {
    if (record(exchange.options[BUCKET])["listenKey"] !== undefined) return Promise.resolve(undefined)
    begun ??= begin().finally(() => {
      begun = null
    })
    return begun
  }
  const close = exchange.close.bind(exchange)
  exchange.close = () => {
    isClosed = true
    forgetListenKey(exchange)
    return close()
  }
}
