/**
 * Orders and cancels over the venue's own socket instead of a request each, where the installation asks for it (SOCKET_ORDERS) and the venue's
 * socket is open. The one thing to know: nothing above changes. What is sent is the request that ccxt has signed, at the place where its bytes would
 * leave, so that budgets, deadlines, gates and evidence are those of REST; and what is answered is read as a REST answer. What has been
 * sent and is not answered may have been done: it is never sent again over REST.
 */

import type { OrderSocket } from "../../adapters/adapter.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import { waitsOf } from "../waits.ts"
import type { CcxtExchange, CcxtSocket } from "./ccxt.ts"

const OPEN = 1
/** A socket that was silent for longer answers no ping: it may be dead, and an order would be in doubt on it. ccxt pings every 10 s. */
const SILENT_MILLIS = 12_000

/** As ccxt's classes are read by name: an order that was sent and not answered is in doubt. */
class RequestTimeout extends Error {
  override readonly name = "RequestTimeout"
}

type Answered = (message: Readonly<Record<string, unknown>>) => void

/** What ccxt reads of an answer to fetch. */
const responseOf = ({ status, headers, body }: ReturnType<OrderSocket["answerOf"]>) => ({
  status,
  statusText: "",
  headers,
  text: () => Promise.resolve(body),
})

/** Changes the instance in place, before anything else wraps its `fetch`. */
export const ordersOverSocket = (exchange: CcxtExchange, venue: OrderSocket, profile: VenueProfile): void => {
  const { requestMillis } = waitsOf(profile)
  const fetch = exchange.fetch.bind(exchange)
  const waiting = new Map<
    string,
    { readonly socket: CcxtSocket; readonly answered: Answered; readonly lost: (why: Error) => void }
  >()
  let asked = 0

  const handleMessage = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => {
    const { id } = message as { readonly id?: unknown }
    const one = typeof id === "string" ? waiting.get(id) : undefined
    if (one === undefined) return handleMessage(socket, message)
    one.answered(message as Readonly<Record<string, unknown>>)
    return undefined
  }
  const endOf = (socket: CcxtSocket, why: Error): void => {
    for (const one of waiting.values()) if (one.socket === socket) one.lost(why)
  }
  const { onError, onClose } = exchange
  exchange.onError = (socket, error) => {
    endOf(socket, error)
    return onError.call(exchange, socket, error)
  }
  exchange.onClose = (socket, event) => {
    endOf(socket, new RequestTimeout("the venue's socket was closed before the answer"))
    return onClose.call(exchange, socket, event)
  }

  const isAlive = (socket: CcxtSocket | undefined): socket is CcxtSocket =>
    socket?.connection?.readyState === OPEN && Date.now() - (socket.lastPong ?? Date.now()) < SILENT_MILLIS

  exchange.fetch = async (url, method, headers, body) => {
    const words = venue.messageOf(exchange, { url, method: method ?? "GET", body })
    const socket = words === undefined ? undefined : exchange.clients[words.url]
    if (words === undefined || !isAlive(socket)) return fetch(url, method, headers, body)
    const id = `order ${++asked}`
    const answer = new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
      const timer = setTimeout(() => reject(new RequestTimeout("the venue's socket did not answer")), requestMillis)
      const over = (): void => {
        clearTimeout(timer)
        waiting.delete(id)
      }
      waiting.set(id, {
        socket,
        answered: (message) => {
          over()
          resolve(message)
        },
        lost: (why) => {
          over()
          reject(why)
        },
      })
      timer.unref()
    })
    answer.catch(() => waiting.delete(id))
    socket
      .send({ id, method: words.method, params: words.params })
      .catch((error: Error) => waiting.get(id)?.lost(error))
    const response = responseOf(venue.answerOf(await answer))
    return exchange.handleRestResponse(response, url, method, headers, body)
  }
}
