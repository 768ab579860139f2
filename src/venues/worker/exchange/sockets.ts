/**
 * A venue's sockets: whether the peer responds, and closing those that carry a market. A socket is pinged as ccxt's keep-alive does, and whatever
 * arrives next counts as a response, because frames arrive in order: a socket without a responding peer may otherwise look open for half a
 * minute.
 */
import type { CcxtExchange, CcxtSocket } from "./ccxt.ts"

/** An answer that takes longer says too little of now. */
const ANSWER_MILLIS = 1_000
/** So long an answer is as good as a new one: it is of every book on the socket, and venues count what they are sent (Binance: 5 a second). */
const GOOD_MILLIS = 500
const OPEN = 1

export const isOpen = ({ connection }: CcxtSocket): boolean => connection?.readyState === OPEN

export class SocketLife {
  /** Who waits for a word of the socket, and the question that is on its way. */
  readonly #asked = new WeakMap<CcxtSocket, { readonly answer: Promise<boolean>; readonly heard: () => void }>()
  /** `performance.now()` of the newest answer to a question. */
  readonly #answeredAt = new WeakMap<CcxtSocket, number>()

  /** A frame came. */
  heard(socket: CcxtSocket): void {
    this.#asked.get(socket)?.heard()
  }

  answers(socket: CcxtSocket): Promise<boolean> {
    const asked = this.#asked.get(socket)
    if (asked !== undefined) return asked.answer
    const { connection } = socket
    if (connection === undefined || !isOpen(socket)) return Promise.resolve(false)
    if (performance.now() - (this.#answeredAt.get(socket) ?? Number.NEGATIVE_INFINITY) < GOOD_MILLIS)
      return Promise.resolve(true)
    let heard = (): void => undefined
    const answer = new Promise<boolean>((resolve) => {
      const ended = (isAnswered: boolean): void => {
        clearTimeout(timer)
        connection.off("pong", heard)
        this.#asked.delete(socket)
        if (isAnswered) this.#answeredAt.set(socket, performance.now())
        resolve(isAnswered)
      }
      const timer = setTimeout(() => ended(false), ANSWER_MILLIS)
      timer.unref()
      // A pong overtakes frames that came before it and are not handled yet.
      heard = () => void setImmediate(() => ended(true))
    })
    this.#asked.set(socket, { answer, heard })
    const message = socket.ping?.(socket)
    if (message === undefined || message === null) {
      connection.once("pong", heard)
      connection.ping()
    } else socket.send(message).catch(() => undefined)
    return answer
  }
}

// Closing sockets, all of them or those that carry a market: whatever waits on them is rejected, and resumes on new ones.

export const endSocket = (socket: CcxtSocket, reason: string): void => {
  socket.onError(new Error(reason))
  socket.close()
}

/** All of them, of an instance that has one for everything; `isKept`: others live by themselves. */
export const endAll = (
  exchange: CcxtExchange,
  reason: string,
  isKept: (socket: CcxtSocket) => boolean = () => false,
): void => {
  for (const socket of Object.values(exchange.clients)) {
    if (!isKept(socket)) endSocket(socket, reason)
  }
}

/** As a whole word: the pair `BTC/USDT` is in `WBTC/USDT`, too. */
const names = (key: string, name: string): boolean => {
  for (let at = key.indexOf(name); at >= 0; at = key.indexOf(name, at + 1))
    if (!/[a-z0-9]/.test(key[at - 1] ?? "") && !/[a-z0-9_/-]/.test(key[at + name.length] ?? "")) return true
  return false
}

/** Subscriptions are kept under ccxt's symbol or the venue's own id, in upper or lower case. */
export const socketsOf = (exchange: CcxtExchange, symbol: string): ReadonlyArray<CcxtSocket> => {
  const wanted = [symbol, exchange.markets?.[symbol]?.id ?? symbol].map((name) => name.toLowerCase())
  return Object.values(exchange.clients).filter(({ subscriptions }) =>
    Object.keys(subscriptions).some((key) => wanted.some((name) => names(key.toLowerCase(), name))),
  )
}

export const endSockets = (exchange: CcxtExchange, symbol: string, reason: string): void => {
  for (const socket of socketsOf(exchange, symbol)) endSocket(socket, reason)
}
