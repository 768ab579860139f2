/**
 * The connection for channels: the official Centrifuge client, opened when the first channel is asked for, with this client's session. It
 * reconnects, resubscribes and recovers by itself. The one thing to know: where the gateway does not want it back (a key that was revoked, a
 * ban: close codes from 3500 on; a token that is over, with nothing to have another by), every subscription is told "unsubscribed", and
 * `endOf` says why; the official client alone would leave them "subscribing" for ever. What is subscribed after that opens a new connection.
 */
import { Centrifuge, type Options, type Subscription } from "centrifuge"
import { GatewayError, isPassing } from "./errors.ts"
import type { Identity } from "./session.ts"

export interface StreamOptions {
  /** `Centrifuge` of `centrifuge/build/protobuf` for frames in Protobuf: smaller, and the payloads are JSON all the same. */
  readonly client?: typeof Centrifuge
  /** Node 20 has none: `import { WebSocket } from "ws"`. Elsewhere the one that is there. */
  readonly webSocket?: unknown
  /** Of the Centrifuge client, for those who need more. */
  readonly centrifuge?: Partial<Options>
}

/** How a channel, or the connection, came to its end. */
export interface Ended {
  /** Of the gateway or, below 100, of this client. */
  readonly code: number
  readonly reason: string
}

/** Of the sign-in; the Centrifuge client's own number for it. */
const REFUSED = 1
/** The gateway's answer to a connect. */
const TOKEN_EXPIRED = 109

export class Stream {
  readonly #base: string
  readonly #identity: Identity
  readonly #options: StreamOptions
  #client: Centrifuge | null = null
  /** Of subscriptions whose connection has ended for good. */
  readonly #ends = new WeakMap<Subscription, Ended>()

  constructor(base: string, identity: Identity, options: StreamOptions) {
    this.#base = base
    this.#identity = identity
    this.#options = options
  }

  /** The official client itself, connecting or connected. */
  get client(): Centrifuge {
    if (this.#client !== null) return this.#client
    const webSocket = this.#options.webSocket ?? (globalThis as { WebSocket?: unknown }).WebSocket
    if (webSocket === undefined)
      throw new Error(
        'there is no WebSocket here: give one, new Gateway({ …, webSocket: (await import("ws")).WebSocket })',
      )
    const Client = this.#options.client ?? Centrifuge
    let refusal: Ended | null = null
    // A sign-in that the gateway refuses is the end; without an answer the Centrifuge client tries again.
    const refused = (error: unknown): unknown => {
      if (isPassing(error) || !(error instanceof GatewayError)) return error
      refusal = { code: REFUSED, reason: error.message }
      return new Client.UnauthorizedError(error.message)
    }
    // By the gateway's word: that a token is asked for again does not say it, since timers reach 24 days, and keys live longer.
    let isOver = false
    const tokens = this.#tokens(refused)
    const getToken = async (): Promise<string> => {
      if (!isOver || this.#identity.isRenewable) return tokens()
      refusal = { code: TOKEN_EXPIRED, reason: "the token is over" }
      throw new Client.UnauthorizedError(refusal.reason)
    }
    const client = new Client(`${this.#base.replace(/^http/, "ws")}/connection/websocket`, {
      websocket: webSocket,
      ...(this.#identity.isAnonymous ? {} : { getToken }),
      ...this.#options.centrifuge,
    })
    client.on("error", ({ type, error }) => {
      if (type === "connect" && error.code === TOKEN_EXPIRED) isOver = true
    })
    client.on("disconnected", ({ code, reason }) => this.#end(client, refusal ?? { code, reason }))
    client.connect()
    this.#client = client
    return client
  }

  /** A channel of its own; the caller ends it with `leave`. */
  subscribe(channel: string): Subscription {
    return this.client.newSubscription(channel)
  }

  leave(subscription: Subscription): void {
    subscription.unsubscribe()
    this.#client?.removeSubscription(subscription)
  }

  /** Why it was told "unsubscribed", where that was the end of the connection; null: the event says it. */
  endOf(subscription: Subscription): Ended | null {
    return this.#ends.get(subscription) ?? null
  }

  close(): void {
    const client = this.#client
    if (client === null) return
    this.#end(client, { code: 0, reason: "closed by this program" })
    client.disconnect()
  }

  #end(client: Centrifuge, ended: Ended): void {
    if (this.#client !== client) return
    this.#client = null
    for (const subscription of Object.values(client.subscriptions())) {
      this.#ends.set(subscription, ended)
      client.removeSubscription(subscription)
    }
  }

  /** The client asks before it connects, and again when the token that it had is about to expire or was refused. */
  #tokens(refused: (error: unknown) => unknown): () => Promise<string> {
    let had: string | null = null
    return async () => {
      try {
        const isFirst = had === null || !this.#identity.isRenewable
        const now = isFirst ? ((await this.#identity.token()) ?? "") : await this.#identity.renew(had)
        had = now
        return now
      } catch (error) {
        throw refused(error)
      }
    }
  }
}

const utf8 = new TextDecoder()

/** A publication's record, whatever the frames are. */
// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire; callers say what it is.
export const recordOf = <A = any>(data: unknown): A =>
  data instanceof Uint8Array ? (JSON.parse(utf8.decode(data)) as A) : (data as A)
