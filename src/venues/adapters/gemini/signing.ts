/**
 * How requests are signed with a key of Gemini, which is of one of two kinds and does not say which: its nonces increase, or are seconds of the venue's clock. And
 * what a key may want beside: one that "requires heartbeat" loses its orders when nothing was asked with it for 30 seconds.
 */

import { Newest } from "../../../foundation/newest.ts"
import type { CcxtExchange, Raw } from "../../worker/exchange/ccxt.ts"
import { classify } from "../../worker/exchange/errors.ts"
import { doingFor } from "../../worker/work.ts"
import { type NonceSigned, Nonces, signByNonces } from "../nonces.ts"
import { INVALID_NONCE } from "./codes.ts"

/** In microseconds: above the milliseconds that ccxt and others use a key with. */
const NONCES = new Nonces(1n)

const REMEMBERED = 10_000
/** Keys whose nonces are seconds of the venue's clock. */
const TIMED = new Newest(REMEMBERED)

/** "Nonce '1669661118488' is not within 30 seconds of server time '1669661120'": what a key of the other kind is told. */
const OUT_OF_TIME = /within \d+ seconds/i

/** An order may not be taken twice, and nothing is known to keep its id unique. */
const isOnce = (path: string): boolean => path === "v1/order/new"

/** One was used that is not below: by a call that overtook this one, by another program, or by this call itself, of which something on the way made a copy. */
export const isNonceUsed = (error: unknown): boolean => {
  const { code, text } = classify(error)
  return code === INVALID_NONCE && !OUT_OF_TIME.test(text)
}

/** Changes the instance in place, before its first call. `now`: the venue's clock, ms. Answers when the key was last used, as `performance.now()`. */
export const signByKind = (exchange: NonceSigned, now: () => number): (() => number) => {
  let usedAt = performance.now()
  const isRefusal = (error: unknown): boolean => {
    if (isNonceUsed(error)) return !TIMED.has(exchange.apiKey ?? "")
    // Of a key that is known to go by time it is our clock that is wrong.
    return classify(error).code === INVALID_NONCE && TIMED.add(exchange.apiKey ?? "")
  }
  signByNonces(exchange, NONCES, isRefusal, isOnce)
  const increasing = exchange.nonce.bind(exchange)
  exchange.nonce = () => {
    usedAt = performance.now()
    return TIMED.has(exchange.apiKey ?? "") ? String(Math.floor(now() / 1000)) : increasing()
  }
  return () => usedAt
}

interface BeatingExchange extends CcxtExchange {
  readonly privatePostV1Heartbeat: (params: Raw) => Promise<unknown>
}

/** A third of what the venue waits for. */
const BEAT_MILLIS = 10_000

/** Answers what begins the heartbeats; they end with the instance. */
export const keepAlive = (instance: CcxtExchange, usedAt: () => number): (() => void) => {
  const exchange = instance as BeatingExchange
  const given = Number(exchange.options["heartbeatMillis"])
  const millis = given > 0 ? given : BEAT_MILLIS
  let timer: NodeJS.Timeout | null = null
  let isClosed = false
  const beat = (): void => {
    if (performance.now() - usedAt() < millis) return
    // Whatever it is answered, the key was used; that it may not be says the next question of the session.
    doingFor("doubt", Date.now() + millis, () => exchange.privatePostV1Heartbeat({})).catch(() => undefined)
  }
  const close = exchange.close.bind(exchange)
  exchange.close = () => {
    isClosed = true
    if (timer !== null) clearInterval(timer)
    return close()
  }
  return () => {
    if (!isClosed) timer ??= setInterval(beat, millis).unref()
  }
}
