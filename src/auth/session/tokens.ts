/**
 * Access tokens: JWTs signed with EdDSA through node:crypto, synchronously (order-path 5). A token only names a session; the session's rights are
 * read from memory each time. Earlier signing keys verify until their last token has expired.
 */
import { type KeyObject, randomUUID, sign, verify } from "node:crypto"
import { AccessTokenExpired, InvalidAccessToken } from "../../domain/errors/authentication.ts"
import type { SessionId } from "../../domain/ids.ts"
import type { SessionMethod, User } from "../../domain/user/user.ts"
import { jwkOf, type SigningJwk, type SigningKeys } from "../keys/signing-keys.ts"

export const ACCESS_TOKEN_SECONDS = 3600
const AUDIENCE = "authenticated"
const LEEWAY_SECONDS = 5
/** A previous key is believed so much longer than a token lives: the running gateway learns of a new key a moment later. */
const HANDOVER_MILLIS = 60_000
const SHAPE = /^[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{20,2000}\.[A-Za-z0-9_-]{86}$/

export interface VerifiedToken {
  readonly sessionId: SessionId
  /** Of the session, when the token was issued. */
  readonly generation: number
  /** Seconds since the Unix epoch. */
  readonly expiresAt: number
  /** The console holds it. */
  readonly isOfConsole: boolean
}

/** What a token says of its session. */
export interface SessionClaims {
  readonly sessionId: SessionId
  readonly method: SessionMethod
  readonly generation: number
  /** Whether the second factor was proven in it. */
  readonly secondFactor: boolean
  /** When its user last proved who that is, in wall ms. */
  readonly provenAt: number
  /** Absent: of a caller of the API. */
  readonly isOfConsole?: boolean
}

export interface Tokens {
  /** `notAfterMillis`: when the session is over whatever happens, and the token with it. */
  readonly issue: (
    user: User,
    session: SessionClaims,
    nowMillis: number,
    notAfterMillis: number,
  ) => { readonly token: string; readonly expiresAt: number }
  readonly verify: (token: string, nowMillis: number) => VerifiedToken | InvalidAccessToken | AccessTokenExpired
  /** The public keys that verify what is good now (RFC 7517). */
  readonly jwks: (nowMillis: number) => ReadonlyArray<SigningJwk>
}

interface Verifier {
  readonly kid: string
  readonly publicKey: KeyObject
  readonly untilMillis: number
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

const headerOf = (kid: string) => encode({ alg: "EdDSA", typ: "at+jwt", kid })

/** By the whole text of a token's header: no other algorithm, type or key, and no key of the token's own, is ever looked at. */
const verifiersOf = ({ active, previous }: SigningKeys): ReadonlyMap<string, Verifier> =>
  new Map(
    [{ ...active, retiredAt: null }, ...previous].map(({ kid, publicKey, retiredAt }) => [
      headerOf(kid),
      {
        kid,
        publicKey,
        untilMillis:
          retiredAt === null ? Number.POSITIVE_INFINITY : retiredAt + ACCESS_TOKEN_SECONDS * 1000 + HANDOVER_MILLIS,
      },
    ]),
  )

/**
 * `keys.signing` is read for every token. `issuer` differs between the production and the test environment, so tokens do not cross
 * (contract C14a).
 */
export const makeTokens = (keys: { readonly signing: SigningKeys }, issuer: string): Tokens => {
  let known: SigningKeys | undefined
  let header = ""
  let verifiers: ReadonlyMap<string, Verifier> = new Map()
  const follow = (): SigningKeys => {
    const { signing } = keys
    if (signing !== known) {
      known = signing
      header = headerOf(signing.active.kid)
      verifiers = verifiersOf(signing)
    }
    return signing
  }
  return {
    issue: (
      user,
      { sessionId, method, generation, secondFactor, provenAt, isOfConsole },
      nowMillis,
      notAfterMillis,
    ) => {
      const { active } = follow()
      const iat = Math.floor(nowMillis / 1000)
      const expiresAt = Math.min(iat + ACCESS_TOKEN_SECONDS, Math.floor(notAfterMillis / 1000))
      const claims = encode({
        iss: issuer,
        sub: user.userId,
        aud: AUDIENCE,
        iat,
        exp: expiresAt,
        jti: randomUUID(), // tidy: a token id is not an id of the domain
        session_id: sessionId,
        gen: generation,
        email: user.email,
        role: "authenticated",
        aal: secondFactor ? "aal2" : "aal1",
        amr: [
          { method: method === "password" ? "password" : "otp", timestamp: Math.floor(provenAt / 1000) },
          ...(secondFactor ? [{ method: "totp", timestamp: Math.floor(provenAt / 1000) }] : []),
        ],
        app_metadata: { tenantId: user.tenantId, environments: user.environments },
        permissions: user.permissions,
        ...(isOfConsole === true ? { console: true } : undefined),
      })
      const signature = sign(null, Buffer.from(`${header}.${claims}`), active.privateKey).toString("base64url")
      return { token: `${header}.${claims}.${signature}`, expiresAt }
    },
    verify: (token, nowMillis) => {
      if (!SHAPE.test(token)) return new InvalidAccessToken()
      const [head, body, signature] = token.split(".") as [string, string, string]
      follow()
      const verifier = verifiers.get(head)
      if (verifier === undefined || verifier.untilMillis < nowMillis) return new InvalidAccessToken()
      if (!verify(null, Buffer.from(`${head}.${body}`), verifier.publicKey, Buffer.from(signature, "base64url")))
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
      // Tokens from before there were generations have none.
      const generation = claims["gen"] ?? 0
      if (typeof generation !== "number") return new InvalidAccessToken()
      const isOfConsole = claims["console"] === true
      return { sessionId: claims["session_id"] as SessionId, generation, expiresAt: claims["exp"], isOfConsole }
    },
    jwks: (nowMillis) => {
      follow()
      return [...verifiers.values()].filter(({ untilMillis }) => untilMillis >= nowMillis).map(jwkOf)
    },
  }
}
