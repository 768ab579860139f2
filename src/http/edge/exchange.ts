/**
 * A call over HTTP: one request and its response. After an abort the response must never be touched again (it throws), and an answer is
 * always written inside `cork`, or in the turn of its own request, which is corked.
 */

import type { DomainError } from "../../domain/errors/domain-error.ts"
import { DeadlineExceeded } from "../../domain/errors/service.ts"
import { traceparentOf } from "../../foundation/trace-context.ts"
import type { PassedAnswer, PassedRequest } from "../forward/frame.ts"
import { Call, type Headers, type Surroundings } from "./call.ts"
import type { FailureStatus } from "./errno.ts"
import { type HeaderLines, hasTwoLengths, headerLines, linesNamed, misspeltKey, secondLine } from "./header-lines.ts"
import type { RouteFacts } from "./route.ts"
import { plainAddress } from "./transport.ts"

// Whose request id counts: the client's when it is clean, else a fresh one (contract C16). Nothing else of it may reach a header or a log.

const CLEAN = /^[A-Za-z0-9._-]{1,64}$/

export const requestIdOf = (given: string, fresh: () => string): string =>
  given !== "" && CLEAN.test(given) ? given : fresh()

// Writes a long response as fast as the client reads it, within a time limit. `end` would copy all that does not fit into the kernel's
// buffer into the socket's own, for as long as the reader likes: 500 readers of a page who take a byte a second would hold all its
// copies.

interface Pourable {
  tryEnd(body: Uint8Array, totalBytes: number, closeConnection?: boolean): [boolean, boolean]
  onWritable(more: (offset: number) => boolean): unknown
  close(): unknown
}

/** Below this an answer fits into the kernel's buffer. */
const POUR_BYTES_MIN = 65_536
/** Time a client has to read a long answer, in ms. A page read in that time is 150 kB a second. */
const POUR_MILLIS = 12_000

/** Begins inside `cork`, after the headers. `isGone`: the wire must not be touched any more. */
export const pour = (wire: Pourable, body: Uint8Array, closeConnection: boolean, isGone: () => boolean): void => {
  const [, isDone] = wire.tryEnd(body, body.length, closeConnection)
  if (isDone) return
  const late = setTimeout(() => {
    if (!isGone()) wire.close()
  }, POUR_MILLIS)
  late.unref()
  wire.onWritable((offset) => {
    const [taken, isOver] = wire.tryEnd(body.subarray(offset), body.length, closeConnection)
    if (isOver) clearTimeout(late)
    return taken
  })
}

/** What is used of a uWebSockets response. */
export interface Wire {
  cork(write: () => void): unknown
  writeStatus(status: string): unknown
  writeHeader(name: string, value: string): unknown
  end(body: string | Uint8Array, closeConnection?: boolean): unknown
  /** It takes a length and whether to close, too: see below why neither is given. */
  endWithoutBody(): unknown
  tryEnd(body: string | Uint8Array, totalBytes: number, closeConnection?: boolean): [boolean, boolean]
  onWritable(more: (offset: number) => boolean): unknown
  close(): unknown
  getRemoteAddress(): ArrayBuffer
  getRemoteAddressAsText(): ArrayBuffer
}

/** What is used of a uWebSockets request: gone when the route's function returns. */
export interface WireRequest {
  forEach(each: (name: string, value: string) => void): void
}

type AnsweredStatus = FailureStatus | 200 | 204 | 302 | 304

const REASONS: Readonly<Record<AnsweredStatus, string>> = {
  200: "200 OK",
  204: "204 No Content",
  302: "302 Found",
  304: "304 Not Modified",
  400: "400 Bad Request",
  401: "401 Unauthorized",
  403: "403 Forbidden",
  404: "404 Not Found",
  405: "405 Method Not Allowed",
  409: "409 Conflict",
  413: "413 Payload Too Large",
  415: "415 Unsupported Media Type",
  426: "426 Upgrade Required",
  429: "429 Too Many Requests",
  500: "500 Internal Server Error",
  502: "502 Bad Gateway",
  503: "503 Service Unavailable",
  504: "504 Gateway Timeout",
}

/** uWebSockets writes CR and LF in header values verbatim: one value could become two headers (security, finding 2). */
const UNCLEAN = /[^\t\x20-\x7e]/
const UNCLEAN_ALL = /[^\t\x20-\x7e]/g
const cleanHeader = (value: string): string => (UNCLEAN.test(value) ? value.replace(UNCLEAN_ALL, "") : value)

/** Each begun by CR LF. */
export const linesOf = (headers: Headers | undefined): string => {
  let lines = ""
  if (headers !== undefined) for (const name in headers) lines += `\r\n${name}: ${cleanHeader(headers[name] ?? "")}`
  return lines
}

/**
 * The status line and all headers are written by one call: each call into uWebSockets costs as much as the header itself, and it writes CR LF as it
 * stands. Constants and the checked request id only; everything else goes through `cleanHeader`.
 */
const JSON_TYPE = "application/json; charset=utf-8"
const CACHE_CONTROL = "\r\nCache-Control: "
const PLAIN_PAGE = "X-Content-Type-Options: nosniff"
const PLAIN = `Cache-Control: no-store\r\n${PLAIN_PAGE}`
const HSTS = "\r\nStrict-Transport-Security: max-age=31536000"
const SECURE = PLAIN + HSTS
const SECURE_PAGE = PLAIN_PAGE + HSTS

/** Peers by the bytes of their address, IPv4 as a number: their text costs a microsecond, and few of them send most requests. */
const peers = new Map<number | string, string>()
const PEERS_MAX = 10_000
const peerOf = (wire: Wire): string => {
  const address = wire.getRemoteAddress()
  const key = address.byteLength === 4 ? new Uint32Array(address)[0]! : Buffer.from(address).toString("latin1")
  const known = peers.get(key)
  if (known !== undefined) return known
  const text = plainAddress(Buffer.from(wire.getRemoteAddressAsText()).toString("latin1"))
  if (peers.size >= PEERS_MAX) peers.clear()
  peers.set(key, text)
  return text
}

export class Exchange extends Call {
  readonly requestId: string
  readonly callId: string
  /** The rest of the body is not worth reading. */
  closeConnection = false
  /**
   * uWebSockets has called for this request and has not been returned to: what is written now is corked by itself, and `cork` would only call
   * its function.
   */
  isInTurn = false
  /** The wire must not be touched any more. */
  private gone = false
  private readonly headers: HeaderLines
  private peerAddress: string | undefined = undefined

  constructor(
    private readonly wire: Wire,
    request: WireRequest,
    route: RouteFacts,
    around: Surroundings,
  ) {
    super(route, around)
    this.headers = headerLines(request)
    const given = this.header("x-request-id")
    this.requestId = requestIdOf(given, around.requestId)
    this.callId = this.requestId === given ? around.requestId() : this.requestId
    // Not readable any more when the answer is logged.
    if (around.log !== null || around.watch !== undefined) this.peer()
    if (around.watch?.isTracing === true) this.trace = around.watch.begin(this.header("traceparent"))
  }

  header(name: string): string {
    return linesNamed(this.headers, name)
  }

  misspeltKey(): string | undefined {
    return misspeltKey(this.headers)
  }

  secondLine(): DomainError | undefined {
    return secondLine(this.headers)
  }

  hasTwoLengths(): boolean {
    return hasTwoLengths(this.headers)
  }

  /** The socket's other end; empty if it was closed before this was read. */
  private peer(): string {
    if (this.peerAddress === undefined) this.peerAddress = this.done ? "" : peerOf(this.wire)
    return this.peerAddress
  }

  get ip(): string {
    const { transport } = this.around
    const peer = this.peer()
    return transport.trusts(peer) ? transport.clientIp(peer, linesNamed(this.headers, "x-forwarded-for")) : peer
  }

  get isSecure(): boolean {
    const { transport } = this.around
    return transport.mode !== "proxy" || transport.isSecure(this.peer(), linesNamed(this.headers, "x-forwarded-proto"))
  }

  override abort(): void {
    this.gone = true
    super.abort()
  }

  /** Ends the connection without an answer. */
  drop(): void {
    if (this.done) return
    this.end()
    this.around.watch?.contradicted(this)
    this.record(0, 0, 0, true)
    this.wire.close()
  }

  override expire(): void {
    if (this.handedOver) return super.expire()
    // The body never came to its end: nothing was done, whatever the route says of its own delays.
    this.closeConnection = true
    this.fail(new DeadlineExceeded())
  }

  /** What another node needs of it, beside its body. */
  passed(query: string): PassedRequest {
    const { route, ip, isSecure, requestId, headers } = this
    return {
      method: route.isHead ? "GET" : route.method,
      path: route.template,
      query,
      ip,
      isSecure,
      requestId,
      isNamed: this.callId !== requestId,
      traceparent: this.trace === null ? "" : traceparentOf(this.trace),
      headers,
    }
  }

  /** What another node has answered. */
  relay({ status, errno, lines }: PassedAnswer, envelope: Uint8Array): void {
    this.write(status, errno, envelope, lines, JSON_TYPE)
  }

  /** Not JSON: pages, or an answer without a body. */
  sendPage(status: 200 | 204 | 302 | 304, contentType: string, body: Uint8Array | string, headers: Headers): void {
    this.write(status, 0, body, linesOf(headers), contentType)
  }

  protected send(status: FailureStatus | 200, errno: number, envelope: string, headers: Headers | undefined): void {
    this.write(status, errno, envelope, linesOf(headers), JSON_TYPE)
  }

  /**
   * `bytes`: of the body which does not follow; null: there is none to speak of (204). Both headers are ours: told of a length, uWebSockets
   * believes that the bytes are still to come, and ends the connection without an answer at the next request; told to close, it writes a
   * length of 0. So it is the client that closes, and where it does not, the time for idle connections.
   */
  private endWithoutBody(bytes: number | null): void {
    const { wire, closeConnection } = this
    if (bytes !== null) wire.writeHeader("Content-Length", `${bytes}`)
    if (closeConnection) wire.writeHeader("Connection", "close")
    wire.endWithoutBody()
  }

  private write(
    status: AnsweredStatus,
    errno: number,
    body: string | Uint8Array,
    own: string,
    contentType: string,
  ): void {
    if (this.done) return
    this.end()
    const isSecure = this.around.transport.mode !== "plain"
    let head = `${REASONS[status]}\r\nX-Request-ID: ${this.requestId}\r\n`
    if (own.includes(CACHE_CONTROL)) head += isSecure ? SECURE_PAGE : PLAIN_PAGE
    else head += isSecure ? SECURE : PLAIN
    const { limiter } = this.around
    if (limiter !== null) head += limiter.lines(this, status === 200)
    head += own
    if (this.trace !== null) head += `\r\ntraceparent: ${traceparentOf(this.trace)}`
    if (status !== 204) head += `\r\nContent-Type: ${contentType}`
    if (this.isInTurn) this.put(status, head, body)
    else this.wire.cork(() => this.put(status, head, body))
    this.record(status, errno, status === 304 ? 0 : body.length, false)
  }

  private put(status: AnsweredStatus, head: string, body: string | Uint8Array): void {
    const { wire, closeConnection } = this
    wire.writeStatus(head)
    if (status === 204) this.endWithoutBody(null)
    else if (this.route.isHead || status === 304) this.endWithoutBody(Buffer.byteLength(body))
    else if (body.length < POUR_BYTES_MIN) wire.end(body, closeConnection)
    else pour(wire, typeof body === "string" ? Buffer.from(body) : body, closeConnection, () => this.gone)
  }
}
