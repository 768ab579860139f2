/**
 * Orders, cancels and changes over a socket of the venue instead of a request each, where the installation asks for it (SOCKET_ORDERS) and the
 * socket is open and logged in. The one thing to know: nothing above changes. What is sent is the request that ccxt has signed, at the place where
 * its bytes would leave, so that budgets, deadlines, gates and evidence are those of REST; and what is answered is read as a REST answer. What has
 * been sent and is not answered may have been done: it is never sent again over REST.
 */
import { randomBytes } from "node:crypto"
import { type OrderSocket, record } from "../../adapters/adapter.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import { waitsOf } from "../waits.ts"
import type { CcxtExchange, CcxtSocket, Raw } from "./ccxt.ts"
import { KeptSocket } from "./kept-socket.ts"
import { endSocket, isOpen } from "./sockets.ts"

/** A socket that was silent for longer answers no ping: it may be dead, and an order would be in doubt on it. ccxt pings every 10 s. */
const SILENT_MILLIS = 12_000

/** As ccxt's classes are read by name: an order that was sent and not answered is in doubt. */
class RequestTimeout extends Error {
  override readonly name = "RequestTimeout"
}

interface Waiting {
  readonly socket: CcxtSocket
  readonly answered: (message: Raw) => void
  readonly lost: (why: Error) => void
}

/** What ccxt reads of an answer to fetch. */
const responseOf = ({ status, headers, body }: ReturnType<OrderSocket["answerOf"]>) => ({
  status,
  statusText: "",
  headers,
  text: () => Promise.resolve(body),
})

/** Changes the instance in place, before anything else wraps its `fetch`. */
export const ordersOverSocket = (exchange: CcxtExchange, venue: OrderSocket, profile: VenueProfile): void => {
  const { requestMillis, acknowledgedMillis } = waitsOf(profile)
  const { open, acknowledgesLogin } = venue
  const fetch = exchange.fetch.bind(exchange)
  const waiting = new Map<string, Waiting>()
  const loggedIn = new WeakSet<CcxtSocket>()
  /** They take no more orders, and end with the last answer. */
  const over = new WeakSet<CcxtSocket>()
  // Letters and digits, at most 32 (OKX), and no other's nor an earlier one's (BYBIT): an instance is made anew after a restart.
  const own = `o${randomBytes(8).toString("hex")}`
  let asked = 0

  const isStreamUp = (): boolean =>
    Object.values(exchange.clients).some((it) => it.url !== venue.urlOf(exchange) && loggedIn.has(it) && isOpen(it))
  const kept =
    open === undefined
      ? null
      : new KeptSocket({
          open: () => open(exchange),
          socket: () => exchange.clients[venue.urlOf(exchange) ?? ""],
          isWanted: isStreamUp,
          acknowledgedMillis,
        })

  const handleMessage = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => {
    const said = record(message)
    const id = venue.idOf(said)
    if (typeof id === "string" && id.startsWith(own)) {
      // No request waits any more for one that comes too late: the order is in doubt, and its own events say what became of it.
      const one = waiting.get(id)
      if (one?.socket === socket) one.answered(said)
      return undefined
    }
    const result = handleMessage(socket, message)
    if (acknowledgesLogin?.(said) === true) {
      loggedIn.add(socket)
      if (socket.url !== venue.urlOf(exchange)) kept?.begin()
    }
    return result
  }

  const ended = (socket: CcxtSocket, why: Error): void => {
    for (const one of waiting.values()) if (one.socket === socket) one.lost(why)
    kept?.ended(socket)
  }
  const { onError, onClose } = exchange
  exchange.onError = (socket, error) => {
    ended(socket, error)
    return onError.call(exchange, socket, error)
  }
  exchange.onClose = (socket, event) => {
    ended(socket, new RequestTimeout("the venue's socket was closed before the answer"))
    return onClose.call(exchange, socket, event)
  }
  const endOnceAnswered = (socket: CcxtSocket): void => {
    if (!over.has(socket) || [...waiting.values()].some((one) => one.socket === socket)) return
    endSocket(socket, "the venue's socket takes no more orders")
  }

  /** Undefined: none that an order may be sent over. */
  const socketNow = (): CcxtSocket | undefined => {
    const socket = exchange.clients[venue.urlOf(exchange) ?? ""]
    if (socket === undefined || !isOpen(socket) || over.has(socket)) return undefined
    if (acknowledgesLogin !== undefined && !loggedIn.has(socket)) return undefined
    return Date.now() - (socket.lastPong ?? Date.now()) < SILENT_MILLIS ? socket : undefined
  }

  const answerTo = (socket: CcxtSocket, id: string, message: Raw): Promise<Raw> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => lost(new RequestTimeout("the venue's socket did not answer")), requestMillis)
      timer.unref()
      const settle = (): void => {
        clearTimeout(timer)
        waiting.delete(id)
      }
      const answered = (said: Raw): void => {
        settle()
        if (venue.isOver?.(said) === true) over.add(socket)
        resolve(said)
        endOnceAnswered(socket)
      }
      const lost = (why: Error): void => {
        settle()
        reject(why)
        endOnceAnswered(socket)
      }
      waiting.set(id, { socket, answered, lost })
      socket.send(message).catch((error: Error) => waiting.get(id)?.lost(error))
    })

  exchange.fetch = async (url, method = "GET", headers, body) => {
    const request = { url, method, headers, body }
    const operation = venue.operationOf(request)
    const socket = operation === undefined ? undefined : socketNow()
    if (operation === undefined || socket === undefined) return fetch(url, method, headers, body)
    const id = `${own}${++asked}`
    const message = venue.messageOf(exchange, request, operation, id)
    if (message === undefined) return fetch(url, method, headers, body)
    const response = responseOf(venue.answerOf(await answerTo(socket, id, message)))
    return exchange.handleRestResponse(response, url, method, headers, body)
  }
}
