/** The codes of the Centrifuge client protocol (realtime A.8): errors are replies, closes end the connection, unsubscribes are pushes. */

export interface ProtocolError {
  readonly code: number
  readonly message: string
  readonly temporary?: true
}

export const ERRORS = {
  unknownChannel: { code: 102, message: "unknown channel" },
  permissionDenied: { code: 103, message: "permission denied" },
  methodNotFound: { code: 104, message: "method not found" },
  alreadySubscribed: { code: 105, message: "already subscribed" },
  limitExceeded: { code: 106, message: "limit exceeded" },
  badRequest: { code: 107, message: "bad request" },
  notAvailable: { code: 108, message: "not available" },
  tokenExpired: { code: 109, message: "token expired" },
  tooManyRequests: { code: 111, message: "too many requests", temporary: true },
  unrecoverablePosition: { code: 112, message: "unrecoverable position" },
  concurrentPagination: { code: 113, message: "concurrent pagination", temporary: true },
  /** Of ours: the gateway knows the instrument, and its venue lists it no more. */
  delisted: { code: 410, message: "instrument delisted" },
  internal: { code: 100, message: "internal server error", temporary: true },
} as const satisfies Record<string, ProtocolError>

/** Close codes: 3000 to 3499 reconnect, 3500 to 3999 do not. Reasons are plain text, never valid JSON: the client would parse them. */
export const CLOSES = {
  shutdown: [3001, "shutdown"],
  internal: [3004, "internal server error"],
  expired: [3005, "connection expired"],
  subscriptionExpired: [3006, "subscription expired"],
  slow: [3008, "slow"],
  insufficientState: [3010, "insufficient state"],
  noPong: [3012, "no pong"],
  tooManyRequests: [3013, "too many requests"],
  invalidToken: [3500, "invalid token"],
  badRequest: [3501, "bad request"],
  stale: [3502, "stale"],
  forced: [3503, "force disconnect"],
  connectionLimit: [3504, "connection limit"],
  inappropriateProtocol: [3506, "inappropriate protocol"],
  forbiddenAddress: [3507, "ip address not allowed"],
  messageTooLarge: [1009, "message size limit exceeded"],
} as const satisfies Record<string, Close>
export type Close = readonly [code: number, reason: string]

/** Below 2500 the subscription ends for good; from 2500 the client subscribes again. */
export const UNSUBSCRIBES = {
  server: { code: 2000, reason: "server unsubscribe" },
  /** A right that it needed is gone; as error 103 says it to a subscribe. */
  permissionLost: { code: 2103, reason: "permission denied" },
  /** The venue lists the instrument no more; as error 410 says it to a subscribe. */
  delisted: { code: 2410, reason: "instrument delisted" },
  insufficientState: { code: 2500, reason: "insufficient state" },
  expired: { code: 2501, reason: "subscription expired" },
  invalidated: { code: 2502, reason: "state invalidated" },
} as const
export type Unsubscribe = (typeof UNSUBSCRIBES)[keyof typeof UNSUBSCRIBES]
