/** JSON Web Tokens signed with HS256, which the test profile accepts. */
import { createHmac, timingSafeEqual } from "node:crypto"

export type Claims = Readonly<Record<string, unknown>>

const objectIn = (part: string): Claims | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"))
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}

/** The claims of a token that this secret signed; undefined for anything else. Says nothing about time. */
export const claimsOf = (token: string, secret: string | Uint8Array): Claims | undefined => {
  const [header, payload, signature, ...rest] = token.split(".")
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) return undefined
  // The algorithm is ours to choose: a header that names another one, "none" above all, is refused.
  if (objectIn(header)?.["alg"] !== "HS256") return undefined
  const expected = createHmac("sha256", secret).update(`${header}.${payload}`).digest()
  const given = Buffer.from(signature, "base64url")
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  return objectIn(payload)
}
