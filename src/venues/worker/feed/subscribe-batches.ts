/**
 * Several subscriptions in one request, for venues that count requests (OKX: 480 an hour of a connection, subscribe and unsubscribe
 * together). ccxt sends one for each stream and spaces them; here they leave together, at most three requests a second, in order.
 */
import type { CcxtExchange, CcxtSocket } from "../exchange/ccxt.ts"

const SPACING_MILLIS = 350
const ARGS_MAX = 200

interface Request {
  readonly op: string
  readonly args: ReadonlyArray<unknown>
}

const requestOf = (message: unknown): Request | undefined => {
  if (typeof message !== "object" || message === null) return undefined
  const { op, args } = message as { readonly op?: unknown; readonly args?: unknown }
  return (op === "subscribe" || op === "unsubscribe") && Array.isArray(args) ? { op, args } : undefined
}

type Send = (message: unknown) => Promise<unknown>

/** The requests of one socket that have not left yet. */
class Batches {
  readonly #send: Send
  readonly #failed: (error: Error) => void
  readonly #waiting: Array<Request> = []
  #timer: NodeJS.Timeout | undefined
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(send: Send, failed: (error: Error) => void) {
    this.#send = send
    this.#failed = failed
  }

  add(request: Request): void {
    this.#waiting.push(request)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#waiting.length === 0 || this.#timer !== undefined) return
    const pause = Math.max(this.#sentAt + SPACING_MILLIS - performance.now(), 0)
    this.#timer = setTimeout(() => this.#flush(), pause)
  }

  /** The longest row of requests of one kind. */
  #flush(): void {
    this.#timer = undefined
    const [first] = this.#waiting
    if (first === undefined) return
    const args: Array<unknown> = []
    let taken = 0
    for (const request of this.#waiting) {
      if (request.op !== first.op || (taken > 0 && args.length + request.args.length > ARGS_MAX)) break
      args.push(...request.args)
      taken += 1
    }
    this.#sentAt = performance.now()
    this.#waiting.splice(0, taken)
    this.#send({ op: first.op, args }).catch(this.#failed)
    this.#schedule()
  }
}

/** Changes the instance in place, before its first socket. */
export const batchSubscriptions = (exchange: CcxtExchange): void => {
  const batched = new WeakSet<CcxtSocket>()
  const client = exchange.client.bind(exchange)
  exchange.client = (url) => {
    const socket = client(url)
    if (batched.has(socket)) return socket
    batched.add(socket)
    const send: Send = socket.send.bind(socket)
    const batches = new Batches(send, (error) => socket.onError(error))
    socket.send = async (message) => {
      const request = requestOf(message)
      if (request === undefined) await send(message)
      else batches.add(request)
    }
    return socket
  }
}
