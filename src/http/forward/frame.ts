/**
 * A request as one node passes it to another, and the answer that comes back: the heads of an ask and its answer, whose payloads are the body and the envelope as
 * they are. The one thing to know: headers go as they came, so that what is read of them is read by one node alone.
 */
import { FAILURE_STATUSES, type FailureStatus } from "../edge/errno.ts"

export interface PassedRequest {
  readonly method: string
  /** The template of its route. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** The client's address. */
  readonly ip: string
  readonly isSecure: boolean
  readonly requestId: string
  /** The client has named the request itself. */
  readonly isNamed: boolean
  /** Of the span at the node that passes it; empty: there is none. */
  readonly traceparent: string
  /** Name and value by turns, names in lower case. */
  readonly headers: ReadonlyArray<string>
}

export interface PassedAnswer {
  readonly status: FailureStatus | 200
  /** 0: a success. */
  readonly errno: number
  /** Header lines, each begun by CR LF and clean. */
  readonly lines: string
}

const isText = (value: unknown): value is string => typeof value === "string"

export const requestText = (it: PassedRequest): string =>
  JSON.stringify([
    it.method,
    it.path,
    it.query,
    it.ip,
    it.isSecure,
    it.requestId,
    it.isNamed,
    it.traceparent,
    it.headers,
  ])

/** Undefined where it is no JSON. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const listOf = (text: string): ReadonlyArray<unknown> => {
  const value = jsonOf(text)
  return Array.isArray(value) ? value : []
}

/** Undefined: it is of another version. */
export const readRequest = (text: string): PassedRequest | undefined => {
  const [method, path, query, ip, isSecure, requestId, isNamed, traceparent, headers] = listOf(text)
  const isRead =
    [method, path, query, ip, requestId, traceparent].every(isText) &&
    typeof isSecure === "boolean" &&
    typeof isNamed === "boolean" &&
    Array.isArray(headers) &&
    headers.length % 2 === 0 &&
    headers.every(isText)
  if (!isRead) return undefined
  return { method, path, query, ip, isSecure, requestId, isNamed, traceparent, headers } as PassedRequest
}

export const answerText = ({ status, errno, lines }: PassedAnswer): string => JSON.stringify([status, errno, lines])

/** Undefined: it is of another version. */
export const readAnswer = (text: string): PassedAnswer | undefined => {
  const [status, errno, lines] = listOf(text)
  const isRead = (status === 200 || FAILURE_STATUSES.has(status as FailureStatus)) && Number.isInteger(errno)
  return isRead && isText(lines) ? ({ status, errno, lines } as PassedAnswer) : undefined
}
