/**
 * The connection for channels: the official Centrifuge client, opened when the first channel is asked for, with this client's session. It
 * reconnects, resubscribes and recovers by itself.
 */
import { Centrifuge, type Options, type Subscription } from "centrifuge"
import type { Identity } from "./session.ts"

export interface StreamOptions {
  /** `Centrifuge` of `centrifuge/build/protobuf` for frames in Protobuf: smaller, and the payloads are JSON all the same. */
  readonly client?: typeof Centrifuge
  /** Node 20 has none: `import { WebSocket } from "ws"`. Elsewhere the one that is there. */
  readonly webSocket?: unknown
  /** Of the Centrifuge client, for those who need more. */
  readonly centrifuge?: Partial<Options>
}

export class Stream {
  readonly #base: string
  readonly #identity: Identity
  readonly #options: StreamOptions
  #client: Centrifuge | null = null

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
    const renewed = async (): Promise<string> => (await this.#identity.token()) ?? ""
    const client = new Client(`${this.#base.replace(/^http/, "ws")}/connection/websocket`, {
      websocket: webSocket,
      ...(this.#identity.isAnonymous ? {} : { getToken: this.#first(renewed) }),
      ...this.#options.centrifuge,
    })
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

  close(): void {
    this.#client?.disconnect()
    this.#client = null
  }

  /** The client asks before it connects, and again when the token that it had is about to expire or was refused. */
  #first(token: () => Promise<string>): () => Promise<string> {
    let had: string | null = null
    return async () => {
      const now = had === null || !this.#identity.isRenewable ? await token() : await this.#identity.renew(had)
      had = now
      return now
    }
  }
}

const utf8 = new TextDecoder()

/** A publication's record, whatever the frames are. */
// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire; callers say what it is.
export const recordOf = <A = any>(data: unknown): A =>
  data instanceof Uint8Array ? (JSON.parse(utf8.decode(data)) as A) : (data as A)
