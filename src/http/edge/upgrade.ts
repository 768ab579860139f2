/** What a WebSocket upgrade has in common with every request: HTTPS, a request id, an access line, and the envelope when it is refused. */

import { Forbidden, TlsRequired } from "../../domain/errors/authorisation.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { LogLevel } from "../../foundation/log-line.ts"
import { accessLine } from "../watch/request-log.ts"
import type { RequestWatch } from "../watch/request-watch.ts"
import { failureText, retryAfterSeconds } from "./envelope.ts"
import { ERRNO } from "./errno.ts"
import { requestIdOf } from "./exchange.ts"
import { headerLines, linesNamed, secondLine } from "./header-lines.ts"
import { plainAddress, type TransportPolicy } from "./transport.ts"

interface UpgradeSocket {
  getRemoteAddressAsText(): ArrayBuffer
}

interface UpgradeRequest {
  forEach(each: (name: string, value: string) => void): void
}

export interface Screened {
  readonly requestId: string
  /** The client's address: of the socket, or from a trusted proxy. */
  readonly ip: string
  /** The answer's status line and body; null when the socket may open. */
  readonly refusal: {
    readonly status: string
    readonly body: string
    readonly retryAfterSeconds: number | undefined
  } | null
}

const REFUSALS: Readonly<Record<number, string>> = { 400: "400 Bad Request", 429: "429 Too Many Requests" }

/** Whether this address may have one more socket; why not, if so. */
type Admit = (ip: string) => DomainError | undefined

export interface UpgradeOptions {
  readonly route: string
  readonly transport: TransportPolicy
  readonly requestId: () => string
  readonly now: () => number
  /** Null: no access log. */
  readonly log: ((line: string, level: LogLevel) => void) | null
  readonly watch?: RequestWatch | undefined
}

export const makeUpgradeScreen =
  ({ route, transport, requestId: fresh, now, log, watch }: UpgradeOptions) =>
  (
    socket: UpgradeSocket,
    request: UpgradeRequest,
    isOriginAllowed: boolean,
    admit: Admit = () => undefined,
  ): Screened => {
    const headers = headerLines(request)
    const header = (name: string): string => linesNamed(headers, name)
    const requestId = requestIdOf(header("x-request-id"), fresh)
    const peer = plainAddress(Buffer.from(socket.getRemoteAddressAsText()).toString("latin1"))
    const forwarded = linesNamed(headers, "x-forwarded-for")
    const ip = transport.clientIp(peer, forwarded)
    const isSecure = transport.isSecure(peer, linesNamed(headers, "x-forwarded-proto"))
    const failure: DomainError | null = !isSecure
      ? new TlsRequired()
      : isOriginAllowed
        ? (secondLine(headers) ?? admit(ip) ?? null)
        : new Forbidden()
    const { status, errno } = failure === null ? { status: 101, errno: 0 } : ERRNO[failure._tag]
    const body = failure === null ? "" : failureText(failure, { resource: "socket", action: "connect" }, requestId)
    log?.(
      accessLine({
        at: now(),
        requestId,
        method: "GET",
        route,
        status,
        errno,
        durationMillis: 0,
        bytesIn: 0,
        bytesOut: body.length,
        userId: null,
        sessionId: null,
        tradingAccountId: null,
        ip,
        userAgent: header("user-agent"),
        secure: transport.mode !== "plain" && isSecure,
        aborted: false,
      }),
      "info",
    )
    const facts = { route: { method: "GET", template: route }, principal: undefined, handedOver: false, failure }
    watch?.ended({ ...facts, requestId, ip, header }, status, 0, null)
    const refusal =
      failure === null
        ? null
        : {
            status: REFUSALS[status] ?? `${status} Forbidden`,
            body,
            retryAfterSeconds: retryAfterSeconds(failure),
          }
    return { requestId, ip, refusal }
  }
