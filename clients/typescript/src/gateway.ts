/**
 * Calls of the gateway's HTTP API, typed by its own declaration. The one thing to know: a `get` is repeated by itself while it gets no
 * definite answer; a `post` goes out once, because only its caller knows what a repeat means (`submit` does, for orders).
 */
import { type FailureEnvelope, GatewayError, NoAnswer } from "./errors.ts"
import { ERRNO } from "./generated/errno.ts"
import { patiently, pause } from "./retry.ts"
import { Identity, type Who } from "./session.ts"
import { Stream, type StreamOptions } from "./stream.ts"
import type { Body, Data, Item, ListName, Name, Pagination, Query } from "./types.ts"

export interface GatewayOptions extends StreamOptions {
  /** `http://127.0.0.1:8080`; a path in front of /api/v3 is kept. */
  readonly url: string
  readonly as?: Who
  /** For one answer, ms; 15,000 unless told. */
  readonly timeoutMs?: number
  /** So long a `get` is repeated, ms; 30,000 unless told. */
  readonly patienceMs?: number
  readonly fetch?: typeof globalThis.fetch
}

export interface Answer<A> {
  readonly data: A
  readonly pagination: Pagination | null
  readonly headers: Headers
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** What the gateway's clock shows beyond ours, ms, and by how much that may be wrong. */
export interface ClockSkew {
  readonly skewMs: number
  readonly errorMs: number
}

const PAGE = 100
const SAMPLE_PAUSE_MS = 250
/** A health record is answered to all who ask within so long after it was made. */
const HEALTH_KEPT_MS = 1_000
const RENEWED: ReadonlySet<number> = new Set([ERRNO.TOKEN_EXPIRED, ERRNO.SESSION_REVOKED, ERRNO.INVALID_TOKEN])

export class Gateway {
  readonly #options: GatewayOptions
  readonly #base: string
  readonly #identity: Identity
  /** The connection for channels; it opens with the first of them. */
  readonly stream: Stream

  constructor(options: GatewayOptions) {
    this.#options = options
    this.#base = options.url.replace(/\/+$/, "")
    this.#identity = new Identity(
      options.as ?? null,
      async (name, body) => (await this.#once("POST", name, { body })).data,
    )
    this.stream = new Stream(this.#base, this.#identity, options)
  }

  /** A read, repeated while there is no definite answer. */
  async get<N extends Name<"get">>(name: N, query?: Query<N>, options: CallOptions = {}): Promise<Data<"get", N>> {
    return (await this.#read<Data<"get", N>>(name, query ?? {}, options)).data
  }

  /** A write, sent once. Throws GatewayError where it was refused, NoAnswer where nobody can say. */
  async post<N extends Name<"post">>(name: N, body: Body<N>, options: CallOptions = {}): Promise<Data<"post", N>> {
    return (await this.send(name, body, options)).data
  }

  /** The same with the answer's headers. */
  send<N extends Name<"post">>(name: N, body: Body<N>, options: CallOptions = {}): Promise<Answer<Data<"post", N>>> {
    return this.#call("POST", name, { ...options, body: body as object })
  }

  /** Every item of a list, page after page. */
  async *pages<N extends ListName>(name: N, query?: Query<N>, options: CallOptions = {}): AsyncGenerator<Item<N>> {
    const limit = (query as { limit?: number } | undefined)?.limit ?? PAGE
    let more: Record<string, unknown> = {}
    for (let offset = 0; ; ) {
      const { data, pagination } = await this.#read<ReadonlyArray<Item<N>>>(name, { ...query, limit, ...more }, options)
      yield* data
      offset += data.length
      if (pagination === null || !pagination.hasNext || data.length === 0) return
      more = pagination.cursor === null ? { offset } : { cursor: pagination.cursor }
    }
  }

  /** Compares the clocks by a few reads of the health record, a quarter of a second apart: each narrows what is possible. */
  async measureClock(samples = 5): Promise<ClockSkew> {
    if (!(samples >= 1)) throw new RangeError(`samples must be 1 or more, not ${samples}`)
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let nth = 0; nth < samples; nth++) {
      if (nth > 0) await pause(SAMPLE_PAUSE_MS)
      const sentAt = Date.now()
      const { timestamp } = await this.get("health")
      low = Math.max(low, timestamp - Date.now())
      high = Math.min(high, timestamp + HEALTH_KEPT_MS - sentAt)
    }
    return { skewMs: (low + high) / 2, errorMs: Math.max(0, high - low) / 2 }
  }

  /** Ends the stream. Calls go on working. */
  close(): void {
    this.stream.close()
  }

  #read<A>(name: string, query: object, options: CallOptions): Promise<Answer<A>> {
    return patiently(() => this.#call<A>("GET", name, { ...options, query }), {
      patienceMs: this.#options.patienceMs ?? 30_000,
      signal: options.signal,
    })
  }

  async #call<A>(method: string, name: string, request: Request): Promise<Answer<A>> {
    const token = await this.#identity.token()
    try {
      return await this.#once<A>(method, name, request, token)
    } catch (error) {
      // The token was refused before anything was done: the same call goes out again with a new one.
      const isRefused = error instanceof GatewayError && RENEWED.has(error.errno)
      if (!isRefused || !this.#identity.isRenewable) throw error
      return this.#once<A>(method, name, request, await this.#identity.renew(token))
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: what comes over the wire; callers say what it is.
  async #once<A = any>(
    method: string,
    name: string,
    request: Request,
    token: string | null = null,
  ): Promise<Answer<A>> {
    const { query, body, headers, signal } = request
    const call = `${method} ${name}`
    const timeout = AbortSignal.timeout(this.#options.timeoutMs ?? 15_000)
    const url = `${this.#base}/api/v3/${name}${queryText(query)}`
    let response: Response
    let text: string
    try {
      response = await (this.#options.fetch ?? fetch)(url, {
        method,
        headers: {
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
      text = await response.text()
    } catch (cause) {
      signal?.throwIfAborted()
      throw new NoAnswer(call, cause instanceof Error ? cause.message : String(cause), { cause })
    }
    const retryAfterMs = retryAfterOf(response.headers)
    const envelope = envelopeOf<A>(text)
    if (envelope === null)
      throw new NoAnswer(call, `HTTP ${response.status}, not the gateway's`, { status: response.status, retryAfterMs })
    if (!envelope.success) throw new GatewayError(call, response.status, envelope, retryAfterMs)
    return { data: envelope.data, pagination: envelope.pagination ?? null, headers: response.headers }
  }
}

interface Request extends CallOptions {
  readonly query?: object
  readonly body?: object
}

interface Success<A> {
  readonly success: true
  readonly data: A
  readonly pagination?: Pagination
}

const envelopeOf = <A>(text: string): Success<A> | FailureEnvelope | null => {
  try {
    const envelope = JSON.parse(text) as Success<A> | FailureEnvelope
    return typeof envelope?.success === "boolean" ? envelope : null
  } catch {
    return null
  }
}

const queryText = (query: object = {}): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && item !== null) params.append(name, String(item))
  const text = params.toString()
  return text === "" ? "" : `?${text}`
}

/** Seconds, or a date. */
const retryAfterOf = (headers: Headers): number | null => {
  const text = headers.get("Retry-After")
  if (text === null) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}
