/** What the test profile reads in the tokens of connections and of subscriptions: Centrifugo's claims (realtime A.13). */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { ServerSubscription } from "../channels/authority.ts"
import { JsonSource, jsonIn } from "../protocol/json-source.ts"
import type { JsonText } from "../protocol/protocol.ts"

// JSON Web Tokens signed with HS256, which the test profile accepts.

type Claims = Readonly<Record<string, unknown>>

interface Signed {
  readonly claims: Claims
  /** The claims as they were signed. */
  readonly source: JsonSource
}

const objectIn = (part: string): Signed | undefined => {
  const text = jsonIn(Buffer.from(part, "base64url"))
  if (text === undefined) return undefined
  const value: unknown = JSON.parse(text)
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value)
  return isObject ? { claims: value as Claims, source: new JsonSource(text) } : undefined
}

/** The claims of a token that this secret signed; undefined for anything else. Says nothing about time. */
export const claimsOf = (token: string, secret: string | Uint8Array): Signed | undefined => {
  const [header, payload, signature, ...rest] = token.split(".")
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) return undefined
  // The algorithm is ours to choose: a header that names another one, "none" above all, is refused.
  if (objectIn(header)?.claims["alg"] !== "HS256") return undefined
  const expected = createHmac("sha256", secret).update(`${header}.${payload}`).digest()
  const given = Buffer.from(signature, "base64url")
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  return objectIn(payload)
}

interface ConnectionClaims {
  /** Empty: anonymous. */
  readonly user: string
  /** Seconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null
  readonly info: JsonText | null
  /** Of `channels` and `subs`. */
  readonly channels: ReadonlyArray<ServerSubscription>
}

export interface SubscriptionClaims {
  readonly user: string
  readonly channel: string
  /** Empty: for any connection of the user. */
  readonly client: string
  /** Seconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null
  readonly info: JsonText | null
  readonly data: JsonText | null
}

interface TokenRules {
  readonly secret: string
  /** Seconds since the Unix epoch. */
  readonly now: number
}

/** A claim of another type than it must have makes the whole token invalid. */
export class WrongClaim extends Error {
  override readonly name = "WrongClaim"
}

const text = (claims: Claims, name: string): string => {
  const value = claims[name] ?? ""
  if (typeof value !== "string") throw new WrongClaim(name)
  return value
}

const seconds = (claims: Claims, name: string): number | null => {
  const value = claims[name] ?? null
  if (value === null) return null
  if (typeof value !== "number" || !Number.isFinite(value)) throw new WrongClaim(name)
  return value
}

const isObject = (value: unknown): value is Claims =>
  value !== null && typeof value === "object" && !Array.isArray(value)

/** `name` as it is written in `source`, or the JSON text that `b64<name>` encodes. */
export const jsonOf = ({ claims, source }: Signed, name: string): JsonText | null => {
  const encoded = text(claims, `b64${name}`)
  if (encoded === "") return (claims[name] ?? null) === null ? null : (source.member(name)?.text ?? null)
  const json = jsonIn(Buffer.from(encoded, "base64"))
  if (json === undefined) throw new WrongClaim(`b64${name}`)
  return json
}

/** `exp` ends the token; the connection or subscription ends with it unless `expire_at` says otherwise, 0 for never. */
const endOf = (claims: Claims): number | null => {
  const own = seconds(claims, "expire_at")
  if (own === null) return seconds(claims, "exp")
  return own > 0 ? own : null
}

const subscriptionsOf = ({ claims, source }: Signed): ReadonlyArray<ServerSubscription> => {
  const { channels = [], subs = {} } = claims
  if (!Array.isArray(channels) || !channels.every((each) => typeof each === "string")) throw new WrongClaim("channels")
  if (!isObject(subs)) throw new WrongClaim("subs")
  const named = new Map<string, ServerSubscription>()
  for (const channel of channels) named.set(channel, { channel, info: null, data: null, expiresAt: null })
  for (const [channel, options] of Object.entries(subs)) {
    const written = source.member("subs")?.member(channel)
    if (!isObject(options) || written === undefined) throw new WrongClaim("subs")
    const given: Signed = { claims: options, source: written }
    named.set(channel, { channel, info: jsonOf(given, "info"), data: jsonOf(given, "data"), expiresAt: null })
  }
  return [...named.values()]
}

const verified = <A>(token: string, { secret, now }: TokenRules, read: (signed: Signed) => A) => {
  const signed = claimsOf(token, secret)
  if (signed === undefined) return "invalid"
  const { claims } = signed
  try {
    const exp = seconds(claims, "exp")
    const nbf = seconds(claims, "nbf")
    seconds(claims, "iat")
    // A token of the future counts as expired, as at the reference: the client asks for another one.
    if ((exp !== null && exp <= now) || (nbf !== null && nbf > now)) return "expired"
    return read(signed)
  } catch (error) {
    if (error instanceof WrongClaim) return "invalid"
    throw error
  }
}

export const connectionClaims = (token: string, rules: TokenRules): ConnectionClaims | "expired" | "invalid" =>
  verified(token, rules, (signed) => {
    const { claims } = signed
    if (claims["meta"] !== undefined && claims["meta"] !== null && !isObject(claims["meta"]))
      throw new WrongClaim("meta")
    return {
      user: text(claims, "sub"),
      expiresAt: endOf(claims),
      info: jsonOf(signed, "info"),
      channels: subscriptionsOf(signed),
    }
  })

export const subscriptionClaims = (token: string, rules: TokenRules): SubscriptionClaims | "expired" | "invalid" =>
  verified(token, rules, (signed) => ({
    user: text(signed.claims, "sub"),
    channel: text(signed.claims, "channel"),
    client: text(signed.claims, "client"),
    expiresAt: endOf(signed.claims),
    info: jsonOf(signed, "info"),
    data: jsonOf(signed, "data"),
  }))
