/**
 * Several subscriptions in one request, for venues that count requests (OKX: 480 an hour per connection, subscribe and unsubscribe together).
 * ccxt sends one per stream and spaces them; here they are sent together, at most three requests a second, those of one stream in order.
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
  #waiting: ReadonlyArray<Request> = []
  #timer: NodeJS.Timeout | undefined
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(send: Send, failed: (error: Error) => void) {
    this.#send = send
    this.#failed = failed
  }

  add(request: Request): void {
    this.#waiting = [...this.#waiting, request]
    this.#schedule()
  }

  #schedule(): void {
    if (this.#waiting.length === 0 || this.#timer !== undefined) return
    const pause = Math.max(this.#sentAt + SPACING_MILLIS - performance.now(), 0)
    this.#timer = setTimeout(() => this.#flush(), pause)
  }

  /** All of one kind that may leave before those of the other kind: none of a stream that one of these is about. */
  #flush(): void {
    this.#timer = undefined
    const [first] = this.#waiting
    if (first === undefined) return
    const args: Array<unknown> = []
    const passed = new Set<string>()
    const left: Array<Request> = []
    for (const request of this.#waiting) {
      const streams = request.args.map((arg) => JSON.stringify(arg))
      const isFull = args.length > 0 && args.length + request.args.length > ARGS_MAX
      if (request.op === first.op && !isFull && !streams.some((it) => passed.has(it))) args.push(...request.args)
      else {
        left.push(request)
        for (const it of streams) passed.add(it)
      }
    }
    this.#sentAt = performance.now()
    this.#waiting = left
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
