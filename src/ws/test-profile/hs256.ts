/** JSON Web Tokens signed with HS256, which the test profile accepts. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { JsonSource, jsonIn } from "../protocol/json-source.ts"

export type Claims = Readonly<Record<string, unknown>>

export interface Signed {
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
