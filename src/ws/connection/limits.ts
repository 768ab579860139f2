/** What one client may have and send. Every one of them stands in asyncapi.json and on /docs/realtime. */
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { RATE_LIMITS } from "../../domain/user/rate-limits.ts"
import type { Rate } from "../../foundation/token-bucket.ts"

/** Of one WebSocket message from a client; a longer one ends the connection with 1009. */
export const MESSAGE_BYTES_MAX = 65_536

/** Channels of one connection, where the operator set no other number; one more is error 106. */
export const CHANNELS_MAX = RATE_LIMITS.socketChannels

/** Of a channel's name; a longer one is error 107. */
export const CHANNEL_BYTES_MAX = 255

/** Numbers that an operator may change (RATE_LIMITS). */
export interface SocketLimits {
  /** Of one connection. */
  readonly commands: Rate
  /** Connections of one user; one more is closed with 3504. */
  readonly perUser: number
  /** Connections of one address; one more is answered 429. */
  readonly perAddress: number
  /** Whether this address may ask now for one more. */
  readonly takeAddress: (ip: string) => DomainError | undefined
}
