/**
 * Whether an answer may be one: the envelope and the headers of every answer, a status that belongs to its errno, a failure that the
 * endpoint declares, a success of the declared shape. It does not judge what was done, only what is always true.
 */
import { ERRNO, type FailureRow, type Tag } from "../../../src/http/edge/errno.ts"
import type { DeclaredRoute } from "./declared-routes.ts"
import type { FuzzRequest } from "./fuzz-requests.ts"
import type { LineAnswer, LineEnd } from "./http-line.ts"

const byErrno = new Map<number, readonly [Tag, FailureRow]>(
  Object.entries(ERRNO).map(([tag, row]) => [row.errno, [tag as Tag, row]]),
)

/** Answered by the adapter before a handler has the call, on any route. */
const isOfTheEdge = ({ status, errno }: FailureRow): boolean =>
  status === 401 ||
  status === 403 ||
  status === 405 ||
  status === 413 ||
  status === 415 ||
  status === 429 ||
  isForm(errno)

/** Contract C12: domain 04, the form of the request. */
const isForm = (errno: number): boolean => errno <= -104_000 && errno > -105_000

/** Told by every route that takes a key. */
const SERVICE: ReadonlySet<string> = new Set(["IdempotentOutcomeUnknown", "IdempotencyKeyReused"])

/** Told by every route when nothing is stored in time: by the machine's fault, if it is rare. How often is for whoever reads the facts. */
export const STARVED: ReadonlySet<string> = new Set(["Busy", "StorageUnavailable"])

export interface Judgement {
  readonly fault: string | undefined
  readonly tag: Tag | undefined
  /** Of a success. */
  readonly envelope: unknown
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Public keys: their readers may keep them for a while. */
const CACHED: ReadonlySet<string> = new Set(["auth.jwks"])

const faultOfHeaders = ({ headers, status }: LineAnswer, { requestId, route }: FuzzRequest): string | undefined => {
  const told = headers.get("x-request-id")
  if (told === undefined) return "no X-Request-ID"
  if (requestId !== undefined && told !== requestId) return `X-Request-ID ${told} for ${requestId}`
  if (requestId === undefined && !UUID.test(told)) return `X-Request-ID ${told} of nobody`
  if (headers.get("cache-control") !== "no-store" && !CACHED.has(route.name)) return "it may be cached"
  if (headers.get("x-content-type-options") !== "nosniff") return "its type may be guessed"
  if (status !== 204 && headers.get("content-type") !== "application/json; charset=utf-8")
    return `Content-Type ${headers.get("content-type")}`
  return undefined
}

const faultOfFailure = (
  { status, headers }: LineAnswer,
  envelope: Readonly<Record<string, unknown>>,
  { route, isRouted }: FuzzRequest,
): readonly [fault: string | undefined, tag: Tag | undefined] => {
  const { errno, error, data, details } = envelope
  const row = byErrno.get(Number(errno))
  if (row === undefined) return [`errno ${String(errno)} is in no table`, undefined]
  const [tag, { status: wanted, code }] = row
  const told = details as { readonly code?: unknown; readonly request_id?: unknown } | undefined
  if (status !== wanted) return [`${tag} with HTTP ${status}`, tag]
  if (typeof error !== "string" || error === "" || data !== null) return [`${tag} without its words`, tag]
  if (told?.code !== code || told.request_id !== headers.get("x-request-id")) return [`${tag} without details`, tag]
  return [faultOfTag(tag, row[1], route, isRouted), tag]
}

const faultOfTag = (tag: Tag, row: FailureRow, route: DeclaredRoute, isRouted: boolean): string | undefined => {
  const isDeclared = isRouted && route.failures.has(tag)
  if (row.status >= 500) return isDeclared || STARVED.has(tag) ? undefined : `HTTP ${row.status} ${tag}`
  return isDeclared || isOfTheEdge(row) || SERVICE.has(tag) ? undefined : `${tag}, which it does not declare`
}

/** Of an answer without a body. */
const faultOfStatus = (status: number, { route, isRouted }: FuzzRequest): string | undefined => {
  const isDeclared = isRouted && [...route.failures].some((tag) => ERRNO[tag].status === status)
  return status < 500 || isDeclared ? undefined : `HTTP ${status}`
}

export const judge = (request: FuzzRequest, answer: LineAnswer | LineEnd): Judgement => {
  const nothing = { tag: undefined, envelope: undefined }
  if ("ended" in answer) return { fault: `no answer: ${answer.ended} ${answer.received.slice(0, 200)}`, ...nothing }
  const { status, body } = answer
  const fault = faultOfHeaders(answer, request)
  if (fault !== undefined) return { fault: `${fault}: HTTP ${status} ${body.slice(0, 300)}`, ...nothing }
  if (status === 204 || request.isHead) return { fault: faultOfStatus(status, request), ...nothing }
  let envelope: Readonly<Record<string, unknown>>
  try {
    envelope = JSON.parse(body)
  } catch {
    return { fault: `HTTP ${status} without the envelope: ${body.slice(0, 300)}`, ...nothing }
  }
  if (envelope["success"] !== true) {
    const [reason, tag] = faultOfFailure(answer, envelope, request)
    return { fault: reason === undefined ? undefined : `${reason}: ${body.slice(0, 300)}`, tag, envelope: undefined }
  }
  // Pages beside the API answer as they are; a route answers in its own shape.
  const shape = !request.isRouted ? undefined : request.route.faultOfSuccess(envelope)
  const wrong = status !== 200 ? `success with HTTP ${status}` : shape
  return { fault: wrong === undefined ? undefined : `${wrong}: ${body.slice(0, 300)}`, tag: undefined, envelope }
}
