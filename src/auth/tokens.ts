/**
 * Access tokens: JWTs signed with EdDSA through node:crypto, synchronously (order-path 5). A token only names a session; what the
 * session may do is read from memory each time.
 */
import { randomUUID, sign, verify } from "node:crypto"
import { AccessTokenExpired, InvalidAccessToken } from "../domain/errors.ts"
import type { SessionId } from "../domain/ids.ts"
import type { SessionMethod, User } from "../domain/user.ts"
import type { SigningKey } from "./keys.ts"

export const ACCESS_TOKEN_SECONDS = 3600
const AUDIENCE = "authenticated"
const LEEWAY_SECONDS = 5
const SHAPE = /^[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{20,2000}\.[A-Za-z0-9_-]{86}$/

export interface VerifiedToken {
  readonly sessionId: SessionId
  /** Seconds since the Unix epoch. */
  readonly expiresAt: number
}

export interface Tokens {
  readonly issue: (
    user: User,
    sessionId: SessionId,
    nowMillis: number,
    method: SessionMethod,
  ) => { readonly token: string; readonly expiresAt: number }
  readonly verify: (token: string, nowMillis: number) => VerifiedToken | InvalidAccessToken | AccessTokenExpired
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

const decode = (part: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"))
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** `issuer` differs between the production and the test environment, so tokens do not cross (contract C14a). */
export const makeTokens = (key: SigningKey, issuer: string): Tokens => {
  const header = encode({ alg: "EdDSA", typ: "at+jwt", kid: key.kid })
  return {
    issue: (user, sessionId, nowMillis, method) => {
      const iat = Math.floor(nowMillis / 1000)
      const expiresAt = iat + ACCESS_TOKEN_SECONDS
      const claims = encode({
        iss: issuer,
        sub: user.userId,
        aud: AUDIENCE,
        iat,
        exp: expiresAt,
        jti: randomUUID(), // tidy: a token id is not an id of the domain
        session_id: sessionId,
        email: user.email,
        role: "authenticated",
        aal: "aal1",
        amr: [{ method: method === "password" ? "password" : "otp", timestamp: iat }],
        app_metadata: { tenantId: user.tenantId, environments: user.environments },
        permissions: user.permissions,
      })
      const signature = sign(null, Buffer.from(`${header}.${claims}`), key.privateKey).toString("base64url")
      return { token: `${header}.${claims}.${signature}`, expiresAt }
    },
    verify: (token, nowMillis) => {
      if (!SHAPE.test(token)) return new InvalidAccessToken()
      const [head, body, signature] = token.split(".") as [string, string, string]
      // Our own header byte for byte: no other algorithm, type or key is ever looked at.
      if (head !== header) return new InvalidAccessToken()
      if (!verify(null, Buffer.from(`${head}.${body}`), key.publicKey, Buffer.from(signature, "base64url")))
        return new InvalidAccessToken()
      const claims = decode(body)
      if (
        claims === undefined ||
        claims["iss"] !== issuer ||
        claims["aud"] !== AUDIENCE ||
        typeof claims["exp"] !== "number" ||
        typeof claims["iat"] !== "number" ||
        typeof claims["session_id"] !== "string"
      )
        return new InvalidAccessToken()
      const now = nowMillis / 1000
      if (claims["iat"] > now + LEEWAY_SECONDS) return new InvalidAccessToken()
      if (claims["exp"] + LEEWAY_SECONDS <= now) return new AccessTokenExpired()
      return { sessionId: claims["session_id"] as SessionId, expiresAt: claims["exp"] }
    },
  }
}
