/**
 * One request and its answer: a single latch that every way to answer goes through. After an abort the response must never be
 * touched again (it throws), and an answer is always written inside `cork`.
 */
import { Cause } from "effect"
import { DeadlineExceeded, type DomainError, InternalDefect } from "../domain/errors.ts"
import type { Principal } from "../domain/user.ts"
import { type Deadlines, Waiting } from "./deadlines.ts"
import { successText } from "./envelope.ts"
import { ERRNO, type FailureStatus } from "./errno.ts"
import { failureText, type Operation, retryAfterSeconds } from "./failures.ts"
import { requestIdOf } from "./request-id.ts"
import { accessLine } from "./request-log.ts"
import type { AnswerOptions, DeadlineTerms, FailureOptions, HttpReply, RequestFacts } from "./route.ts"
import { isLoopback, plainAddress, type TransportPolicy } from "./transport.ts"

/** What is used of a uWebSockets response. */
export interface Wire {
  cork(write: () => void): unknown
  writeStatus(status: string): unknown
  writeHeader(name: string, value: string): unknown
  end(body: string | Uint8Array, closeConnection?: boolean): unknown
  endWithoutBody(reportedContentLength?: number, closeConnection?: boolean): unknown
  close(): unknown
  getRemoteAddress(): ArrayBuffer
  getRemoteAddressAsText(): ArrayBuffer
}

/** What is used of a uWebSockets request: gone when the route's function returns. */
export interface WireRequest {
  forEach(each: (name: string, value: string) => void): void
}

/** A defect of ours, for the log: the client only gets the request id. */
export interface Defect {
  readonly requestId: string
  readonly route: string
  readonly error: unknown
}

/** What all requests share. */
export interface Surroundings {
  readonly transport: TransportPolicy
  readonly deadlines: Deadlines
  readonly requestId: () => string
  readonly now: () => number
  readonly monotonic: () => number
  readonly log: ((line: string) => void) | null
  readonly onDefect: (defect: Defect) => void
}

export interface RouteFacts {
  /** GET, POST …: as the log and OpenAPI write it. */
  readonly method: string
  readonly template: string
  readonly operation: Operation
  readonly deadline: DeadlineTerms
  /** A HEAD request: the headers of the GET, no body. */
  readonly isHead: boolean
}

const REASONS: Readonly<Record<FailureStatus | 200 | 204, string>> = {
  200: "200 OK",
  204: "204 No Content",
  400: "400 Bad Request",
  401: "401 Unauthorized",
  403: "403 Forbidden",
  404: "404 Not Found",
  405: "405 Method Not Allowed",
  409: "409 Conflict",
  413: "413 Payload Too Large",
  415: "415 Unsupported Media Type",
  429: "429 Too Many Requests",
  500: "500 Internal Server Error",
  502: "502 Bad Gateway",
  503: "503 Service Unavailable",
  504: "504 Gateway Timeout",
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** uWebSockets writes CR and LF in header values verbatim: one value could become two headers (security, finding 2). */
const cleanHeader = (value: string): string => value.replace(/[^\t\x20-\x7e]/g, "")

type Headers = Readonly<Record<string, string>>

/**
 * What every answer carries, written by one call: each call into uWebSockets costs as much as the header itself, and it writes
 * CR LF as it stands. Constants only; everything else goes through `cleanHeader`.
 */
const PLAIN = "no-store\r\nX-Content-Type-Options: nosniff"
const HSTS = "\r\nStrict-Transport-Security: max-age=31536000"
const SECURE = PLAIN + HSTS
const SECURE_PAGE = `nosniff${HSTS}`

/** Peers by the bytes of their address: their text costs a microsecond, and few of them send most requests. */
const peers = new Map<string, string>()
const PEERS_MAX = 10_000
const peerOf = (wire: Wire): string => {
  const bytes = Buffer.from(wire.getRemoteAddress()).toString("latin1")
  const known = peers.get(bytes)
  if (known !== undefined) return known
  const text = plainAddress(Buffer.from(wire.getRemoteAddressAsText()).toString("latin1"))
  if (peers.size >= PEERS_MAX) peers.clear()
  peers.set(bytes, text)
  return text
}

/** A log that throws must neither cost the client its answer nor, from a timer, the process its life. */
const tell = (write: () => void): void => {
  try {
    write()
  } catch (error) {
    console.error("a request could not be logged", error)
  }
}

export class Exchange extends Waiting implements RequestFacts {
  readonly receivedAt: number
  readonly requestId: string
  /** Set by the adapter once the token is known. */
  principal: Principal | undefined = undefined
  tradingAccountId: unknown = undefined
  bytesIn = 0
  /** The rest of the body is not worth reading. */
  closeConnection = false
  /** The handler has the request: from here on it may have been done. */
  handedOver = false
  /** The client is gone, or has its answer: nothing more may be written. */
  done = false
  private deadlineFailure: (() => DomainError) | undefined = undefined
  private readonly headers: Array<string> = []
  private peerAddress: string | undefined = undefined

  constructor(
    private readonly wire: Wire,
    request: WireRequest,
    readonly route: RouteFacts,
    private readonly around: Surroundings,
  ) {
    super()
    this.receivedAt = around.monotonic()
    const { headers } = this
    request.forEach((name, value) => {
      headers.push(name, value)
    })
    this.requestId = requestIdOf(this.header("x-request-id"), around.requestId)
    // Not readable any more when the answer is logged.
    if (around.log !== null) this.peer()
  }

  header(name: string): string {
    const { headers } = this
    for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1]!
    return ""
  }

  /** All lines of a header, as one list: a proxy may append its own line instead of extending the client's. */
  private joined(name: string): string {
    const { headers } = this
    let lines = ""
    for (let i = 0; i < headers.length; i += 2)
      if (headers[i] === name) lines = lines === "" ? headers[i + 1]! : `${lines}, ${headers[i + 1]!}`
    return lines
  }

  /** Whether a header stands twice with different values. */
  contradicts(name: string): boolean {
    const value = this.header(name)
    if (value === "") return false
    const { headers } = this
    for (let i = 0; i < headers.length; i += 2) if (headers[i] === name && headers[i + 1] !== value) return true
    return false
  }

  /** The socket's other end; empty when it is gone before anybody asked. */
  private peer(): string {
    if (this.peerAddress === undefined) this.peerAddress = this.done ? "" : peerOf(this.wire)
    return this.peerAddress
  }

  get ip(): string {
    return this.around.transport.clientIp(this.peer(), this.joined("x-forwarded-for"))
  }

  get loopback(): boolean {
    // A proxy on this machine would make the whole world local, trusted or not.
    const viaProxy = this.header("x-forwarded-for") !== "" || this.header("forwarded") !== ""
    return isLoopback(this.peer()) && !viaProxy && this.around.transport.mode !== "proxy"
  }

  get isSecure(): boolean {
    const { transport } = this.around
    return transport.mode !== "proxy" || transport.isSecure(this.peer(), this.joined("x-forwarded-proto"))
  }

  /** Nobody is there to hear the answer. */
  abort(): void {
    if (this.done) return
    this.done = true
    this.around.deadlines.remove(this)
    this.record(0, 0, 0, true)
  }

  /** Ends the connection without an answer. */
  drop(): void {
    if (this.done) return
    this.done = true
    this.around.deadlines.remove(this)
    this.record(0, 0, 0, true)
    this.wire.close()
  }

  /** The adapter's own clock: uWebSockets turns its timer off once a request is handed over. */
  startClock(): void {
    this.around.deadlines.add(this, this.route.deadline.millis)
  }

  expire(): void {
    if (!this.handedOver) {
      // The body never came to its end: nothing was done, whatever the route says of its own delays.
      this.closeConnection = true
      this.fail(new DeadlineExceeded())
      return
    }
    const failure = this.deadlineFailure ?? this.route.deadline.failure
    this.fail(failure())
  }

  get reply(): HttpReply<unknown, never> {
    return {
      ok: (answer, options) => this.ok(answer, options),
      fail: (error, options) => this.fail(error, options),
      relay: (error) => this.fail(error),
      onDeadline: (failure) => {
        this.deadlineFailure = failure
      },
    }
  }

  ok(answer: unknown, options?: AnswerOptions): void {
    if (this.done) return
    try {
      this.send(200, 0, successText(answer, options?.pagination), options?.headers)
    } catch (error) {
      this.defect(error)
    }
  }

  fail(error: DomainError, options?: FailureOptions & { readonly headers?: Headers }): void {
    if (this.done) return
    const row = ERRNO[error._tag]
    // Something that is no failure of ours reached a typed hole.
    if (row === undefined) {
      this.defect(error)
      return
    }
    const text = failureText(error, this.route.operation, this.requestId, options?.metadata)
    const seconds = retryAfterSeconds(error)
    const headers = seconds === undefined ? options?.headers : { ...options?.headers, "Retry-After": `${seconds}` }
    this.send(row.status, row.errno, text, headers)
  }

  defect(error: unknown): void {
    tell(() =>
      this.around.onDefect({
        requestId: this.requestId,
        route: `${this.route.method} ${this.route.template}`,
        error: Cause.isCause(error) ? Cause.squash(error) : error,
      }),
    )
    this.fail(new InternalDefect())
  }

  /** Not JSON: the reference's pages, or an answer without a body. */
  sendPage(status: 200 | 204, contentType: string, body: Uint8Array | string, headers: Headers): void {
    this.send(status, 0, body, headers, contentType)
  }

  private send(
    status: FailureStatus | 200 | 204,
    errno: number,
    body: string | Uint8Array,
    headers: Headers | undefined,
    contentType = "application/json; charset=utf-8",
  ): void {
    if (this.done) return
    this.done = true
    this.around.deadlines.remove(this)
    const { wire, route, closeConnection } = this
    const isSecure = this.around.transport.mode !== "plain"
    wire.cork(() => {
      if (status !== 200) wire.writeStatus(REASONS[status])
      if (status !== 204) wire.writeHeader("Content-Type", contentType)
      if (headers?.["Cache-Control"] === undefined) wire.writeHeader("Cache-Control", isSecure ? SECURE : PLAIN)
      else wire.writeHeader("X-Content-Type-Options", isSecure ? SECURE_PAGE : "nosniff")
      wire.writeHeader("X-Request-ID", this.requestId)
      if (headers !== undefined)
        for (const name of Object.keys(headers)) wire.writeHeader(name, cleanHeader(headers[name] ?? ""))
      // Without a number uWebSockets announces 2^63 bytes, and clients wait for them.
      if (status === 204) wire.endWithoutBody(0, closeConnection)
      else if (route.isHead) wire.endWithoutBody(Buffer.byteLength(body), closeConnection)
      else wire.end(body, closeConnection)
    })
    this.record(status, errno, body.length, false)
  }

  private record(status: number, errno: number, bytesOut: number, aborted: boolean): void {
    const { log } = this.around
    if (log === null) return
    const { principal, route, tradingAccountId } = this
    tell(() =>
      log(
        accessLine({
          at: this.around.now(),
          requestId: this.requestId,
          method: route.method,
          route: route.template,
          status,
          errno,
          durationMillis: this.around.monotonic() - this.receivedAt,
          bytesIn: this.bytesIn,
          bytesOut,
          userId: principal?.userId ?? null,
          sessionId: principal?.sessionId ?? null,
          tradingAccountId:
            typeof tradingAccountId === "string" && UUID.test(tradingAccountId) ? tradingAccountId : null,
          ip: this.ip,
          userAgent: this.header("user-agent"),
          secure: this.around.transport.mode !== "plain" && this.isSecure,
          aborted,
        }),
      ),
    )
  }
}
