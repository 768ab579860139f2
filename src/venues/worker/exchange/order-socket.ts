/**
 * Orders, cancels and changes over a socket of the venue instead of a request each, where the installation asks for it (SOCKET_ORDERS) and the
 * socket is open and logged in. The one thing to know: nothing above changes. What is sent is the request that ccxt has signed, at the place where
 * its bytes would leave, so that budgets, deadlines, gates and evidence are those of REST; and what is answered is read as a REST answer. What has
 * been sent and is not answered may have been done: it is never sent again over REST.
 */
import { randomBytes } from "node:crypto"
import { type OrderSocket, record, type SignedRequest } from "../../adapters/adapter.ts"
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

/**
 * An order that will go over the socket needs no signature of its request, which costs more than all else of its making: it is signed only where the
 * socket has gone before its bytes leave, or has no words for it. Answers what to send as a request.
 */
const signedWhenNeeded = (
  exchange: CcxtExchange,
  isOrder: (request: SignedRequest) => boolean,
  socketNow: () => unknown,
): ((request: SignedRequest) => SignedRequest) => {
  const sign = exchange.sign.bind(exchange)
  /** By the headers that ccxt hands on as they are. */
  const unsigned = new WeakMap<object, () => SignedRequest>()
  let signs = true
  const { hmac } = exchange
  exchange.hmac = (...given) => (signs ? hmac.apply(exchange, [...given]) : "")
  exchange.sign = (...given) => {
    const [, , method] = given
    if (method === "GET" || socketNow() === undefined) return sign(...given)
    signs = false
    try {
      const request = sign(...given) as SignedRequest
      const { headers } = request
      if (typeof headers === "object" && headers !== null && isOrder(request)) {
        unsigned.set(headers, () => sign(...given) as SignedRequest)
        return request
      }
    } finally {
      signs = true
    }
    return sign(...given)
  }
  return (request) => {
    const later = unsigned.get(record(request.headers))
    return later === undefined ? request : later()
  }
}

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

  const signed = signedWhenNeeded(exchange, (request) => venue.operationOf(request) !== undefined, socketNow)
  const byRequest = (request: SignedRequest): Promise<unknown> => {
    const { url, method, headers, body } = signed(request)
    return fetch(url, method, headers, body)
  }

  exchange.fetch = async (url, method = "GET", headers, body) => {
    const request = { url, method, headers, body }
    const operation = venue.operationOf(request)
    const socket = operation === undefined ? undefined : socketNow()
    if (operation === undefined || socket === undefined) return byRequest(request)
    const id = `${own}${++asked}`
    const message = venue.messageOf(exchange, request, operation, id)
    if (message === undefined) return byRequest(request)
    const response = responseOf(venue.answerOf(await answerTo(socket, id, message)))
    return exchange.handleRestResponse(response, url, method, headers, body)
  }
}
