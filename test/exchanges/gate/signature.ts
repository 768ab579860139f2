/**
 * Who is asking. REST: `SIGN` is the HMAC-SHA512 in hex of method, path, query, the SHA-512 of the body, and the time, each on a line; a socket signs
 * each subscription. Source: www.gate.com/docs/developers/apiv4, "Authentication", and its page on spot WebSockets.
 */
import { createHash, createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { GateAccount } from "./model.ts"
import { missingHeader, requestExpired, unknownKey, wrongSignature } from "./refusal.ts"

/** "The gap between its value and current time cannot exceed 60 seconds." */
const AWAY_MILLIS = 60_000

const signed = (secret: string, text: string): string => createHmac("sha512", secret).update(text).digest("hex")

const isAway = (seconds: unknown, now: number): boolean =>
  !/^\d{10}$/.test(String(seconds)) || Math.abs(Number(seconds) * 1000 - now) > AWAY_MILLIS

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders
  readonly method: string
  readonly path: string
  /** As it stands behind the path, without its question mark. */
  readonly query: string
  readonly body: string
}

/** Throws a `GateRefusal`. */
export const verifyRest = (
  accounts: ReadonlyMap<string, GateAccount>,
  { headers, method, path, query, body }: SignedRequest,
  now: number,
): GateAccount => {
  const of = (name: string): string => {
    const value = headers[name]
    if (typeof value !== "string" || value === "") throw missingHeader()
    return value
  }
  const [key, sign, timestamp] = [of("key"), of("sign"), of("timestamp")]
  if (isAway(timestamp, now)) throw requestExpired()
  // "If the GATE receives the request time greater than the expiration time, the request will be rejected."
  const until = headers["x-gate-exptime"]
  if (until !== undefined && now > Number(until)) throw requestExpired()
  const account = accounts.get(key)
  if (account === undefined) throw unknownKey()
  const hash = createHash("sha512").update(body).digest("hex")
  const text = [method, path, decodeURIComponent(query), hash, timestamp].join("\n")
  if (signed(account.apiSecret, text) !== sign) throw wrongSignature()
  return account
}

/** Of one subscription. Throws a `GateRefusal`. */
export const verifySubscription = (
  accounts: ReadonlyMap<string, GateAccount>,
  { channel, event, time, auth }: Readonly<Record<string, unknown>>,
  now: number,
): GateAccount => {
  const { method, KEY, SIGN } = (auth ?? {}) as Readonly<Record<string, unknown>>
  if (method !== "api_key") throw missingHeader()
  if (isAway(time, now)) throw requestExpired()
  const account = accounts.get(String(KEY))
  if (account === undefined) throw unknownKey()
  if (signed(account.apiSecret, `channel=${channel}&event=${event}&time=${time}`) !== SIGN) throw wrongSignature()
  return account
}
