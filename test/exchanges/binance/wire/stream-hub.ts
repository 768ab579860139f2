/**
 * Market streams over WebSocket: who listens to which stream name, and in which wrapping.
 * `/stream` wraps frames as `{"stream","data"}`, `/ws` sends them bare; both take SUBSCRIBE and UNSUBSCRIBE at any time.
 */
import type { WebSocket } from "ws"

interface Listener {
  readonly socket: WebSocket
  readonly isCombined: boolean
  readonly streams: Set<string>
}

export interface StreamHubOptions {
  /** Binance disconnects a client that sends more than 5 messages a second. */
  readonly inboundMessagesPerSecond: number
  readonly onSubscribe: (stream: string) => void
  readonly count: (what: string) => void
}

export class StreamHub {
  readonly #byStream = new Map<string, Set<Listener>>()

  constructor(readonly options: StreamHubOptions) {}

  /** Streams somebody listens to now. */
  get streams(): ReadonlyArray<string> {
    return [...this.#byStream.keys()]
  }

  has(stream: string): boolean {
    return this.#byStream.has(stream)
  }

  /** `text` is sent as it is: nothing is parsed or formatted again. */
  publish(stream: string, text: string): void {
    const listeners = this.#byStream.get(stream)
    if (listeners === undefined) return
    const combined = `{"stream":"${stream}","data":${text}}`
    for (const { socket, isCombined } of listeners) {
      if (socket.readyState === socket.OPEN) socket.send(isCombined ? combined : text)
    }
  }

  attach(socket: WebSocket, url: URL): void {
    const isCombined = url.pathname === "/stream" || url.pathname.startsWith("/stream/")
    const listener: Listener = { socket, isCombined, streams: new Set() }
    const named = isCombined ? (url.searchParams.get("streams") ?? "") : url.pathname.replace(/^\/ws\/?/, "")
    for (const stream of named.split("/")) if (stream.includes("@")) this.#subscribe(listener, stream)
    socket.on("close", () => {
      for (const stream of listener.streams) this.#unsubscribe(listener, stream)
    })
    let arrivals: Array<number> = []
    socket.on("message", (bytes) => {
      const now = Date.now()
      arrivals = [...arrivals.filter((at) => at > now - 1000), now]
      if (arrivals.length > this.options.inboundMessagesPerSecond) socket.close(1008, "Too many requests")
      else this.#receive(listener, String(bytes))
    })
  }

  #receive(listener: Listener, text: string): void {
    const answer = (reply: unknown) => listener.socket.send(JSON.stringify(reply))
    const message = readMessage(text)
    if (message === undefined) {
      answer({ error: { code: 3, msg: "Invalid JSON: expected value at line 1 column 1" } })
      return
    }
    const { method, id } = message
    this.options.count(`WS ${method}`)
    const streams = message.params.filter((name) => typeof name === "string")
    if (method === "SUBSCRIBE") {
      // The acknowledgement comes first, as at the venue: no frame overtakes it.
      answer({ result: null, id })
      for (const stream of streams) this.#subscribe(listener, stream)
    } else if (method === "UNSUBSCRIBE") {
      for (const stream of streams) this.#unsubscribe(listener, stream)
      answer({ result: null, id })
    } else if (method === "LIST_SUBSCRIPTIONS") {
      answer({ result: [...listener.streams], id })
    } else {
      answer({ error: { code: 2, msg: `Invalid request: unknown variant \`${method}\`` }, id })
    }
  }

  #subscribe(listener: Listener, stream: string): void {
    listener.streams.add(stream)
    const listeners = this.#byStream.get(stream)
    if (listeners === undefined) this.#byStream.set(stream, new Set([listener]))
    else listeners.add(listener)
    this.options.onSubscribe(stream)
  }

  #unsubscribe(listener: Listener, stream: string): void {
    listener.streams.delete(stream)
    const listeners = this.#byStream.get(stream)
    listeners?.delete(listener)
    if (listeners?.size === 0) this.#byStream.delete(stream)
  }
}

const readMessage = (text: string) => {
  try {
    const { method, params, id } = JSON.parse(text)
    return { method: String(method), params: Array.isArray(params) ? (params as ReadonlyArray<unknown>) : [], id }
  } catch {
    return undefined
  }
}
