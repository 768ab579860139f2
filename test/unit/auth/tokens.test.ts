/** Access and refresh tokens: what is proven, and every forgery refused. */
import { createPublicKey, generateKeyPairSync, type JsonWebKey, sign, verify } from "node:crypto"
import { describe, expect, it } from "vitest"
import { readRefreshToken, writeRefreshToken } from "../../../src/auth/session/sessions.ts"
import { makeTokens } from "../../../src/auth/session/tokens.ts"
import { AccessTokenExpired, InvalidAccessToken } from "../../../src/domain/errors/authentication.ts"
import type { SessionId } from "../../../src/domain/ids.ts"
import { someUser as user } from "../../kit/records/some-user.ts"

const key = (kid: string) => ({ kid, ...generateKeyPairSync("ed25519") })
const session = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff" as SessionId
const NOW = 1_790_000_000_000
const begun = { sessionId: session, method: "password", generation: 3, secondFactor: false, provenAt: NOW } as const
const HOUR = 3_600_000
/** The session's own end, far away. */
const NEVER = NOW + 1000 * HOUR
const alone = (active: ReturnType<typeof key>) => ({ signing: { active, previous: [] } })

describe("an access token", () => {
  const own = key("k1")
  const tokens = makeTokens(alone(own), "issuer/PROD")
  const issued = tokens.issue(user, begun, NOW, NEVER)

  it("says that the console holds it where it does", () => {
    const held = tokens.issue(user, { ...begun, isOfConsole: true }, NOW, NEVER)
    expect(tokens.verify(held.token, NOW)).toMatchObject({ sessionId: session, isOfConsole: true })
  })

  it("names its session for an hour and then is expired", () => {
    expect(tokens.verify(issued.token, NOW)).toEqual({
      sessionId: session,
      generation: 3,
      expiresAt: NOW / 1000 + 3600,
      isOfConsole: false,
    })
    expect(tokens.verify(issued.token, NOW + 3_604_000)).toMatchObject({ sessionId: session })
    expect(tokens.verify(issued.token, NOW + 3_606_000)).toBeInstanceOf(AccessTokenExpired)
    expect(tokens.verify(issued.token, NOW - 60_000)).toBeInstanceOf(InvalidAccessToken)
  })

  const [head, body, signature] = issued.token.split(".") as [string, string, string]
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const signed = (header: unknown, claims: unknown) => {
    const text = `${encode(header)}.${encode(claims)}`
    return `${text}.${sign(null, Buffer.from(text), own.privateKey).toString("base64url")}`
  }
  const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>
  const header = JSON.parse(Buffer.from(head, "base64url").toString()) as Record<string, unknown>

  it.each<[string, string]>([
    ["no token at all", ""],
    ["two parts", `${head}.${body}`],
    ["another signature", `${head}.${body}.${"A".repeat(86)}`],
    ["changed claims", `${head}.${encode({ ...claims, sub: "x" })}.${signature}`],
    ["algorithm none", `${encode({ ...header, alg: "none" })}.${body}.${signature}`],
    ["another algorithm, signed", signed({ ...header, alg: "HS256" }, claims)],
    ["another key id, signed", signed({ ...header, kid: "k2" }, claims)],
    ["a key of its own (jwk), signed", signed({ ...header, jwk: own.publicKey.export({ format: "jwk" }) }, claims)],
    ["a key elsewhere (jku), signed", signed({ ...header, jku: "https://example.com/keys" }, claims)],
    ["a certificate elsewhere (x5u), signed", signed({ ...header, x5u: "https://example.com/cert" }, claims)],
    ["another type, signed", signed({ ...header, typ: "JWT" }, claims)],
    ["another audience, signed", signed(header, { ...claims, aud: "other" })],
    ["no expiry, signed", signed(header, { ...claims, exp: undefined })],
    ["no session, signed", signed(header, { ...claims, session_id: undefined })],
    ["an overlong body", signed(header, { ...claims, filler: "x".repeat(3000) })],
  ])("is invalid with %s", (_what, token) => {
    expect(tokens.verify(token, NOW)).toBeInstanceOf(InvalidAccessToken)
  })

  it("does not cross from one environment or key to another", () => {
    expect(makeTokens(alone(own), "issuer/UAT").verify(issued.token, NOW)).toBeInstanceOf(InvalidAccessToken)
    expect(makeTokens(alone(key("k1")), "issuer/PROD").verify(issued.token, NOW)).toBeInstanceOf(InvalidAccessToken)
  })
})

describe("the signing keys", () => {
  const old = key("k1")
  const next = key("k2")
  const lost = key("k3")
  const ring = alone(old)
  const tokens = makeTokens(ring, "issuer/PROD")

  it("change under live tokens: what the previous one signed is good for as long as it lives, and nobody's longer", () => {
    const before = tokens.issue(user, begun, NOW, NEVER)
    const retired = { kid: old.kid, publicKey: old.publicKey, retiredAt: NOW }
    ring.signing = { active: next, previous: [retired] } as never
    const after = tokens.issue(user, begun, NOW, NEVER)
    for (const { token } of [before, after]) expect(tokens.verify(token, NOW)).toMatchObject({ sessionId: session })
    expect(tokens.jwks(NOW).map(({ kid }) => kid)).toEqual(["k2", "k1"])
    expect(tokens.verify(before.token, NOW + HOUR - 1)).toMatchObject({ sessionId: session })
    // Whoever stole the old private key signs in vain once all true tokens of it are over.
    const late = makeTokens(alone(old), "issuer/PROD").issue(user, begun, NOW + 2 * HOUR, NEVER)
    expect(tokens.verify(late.token, NOW + 2 * HOUR)).toBeInstanceOf(InvalidAccessToken)
    expect(tokens.jwks(NOW + 2 * HOUR).map(({ kid }) => kid)).toEqual(["k2"])
    const unknown = makeTokens(alone(lost), "issuer/PROD").issue(user, begun, NOW, NEVER)
    expect(tokens.verify(unknown.token, NOW)).toBeInstanceOf(InvalidAccessToken)
  })

  it("are published as a JWK set that verifies with nothing else", () => {
    const { token } = tokens.issue(user, begun, NOW, NEVER)
    const [head, body, signature] = token.split(".") as [string, string, string]
    const { kid } = JSON.parse(Buffer.from(head, "base64url").toString()) as { readonly kid: string }
    const jwk = tokens.jwks(NOW).find((one) => one.kid === kid)
    expect(jwk).toEqual({ kty: "OKP", crv: "Ed25519", x: expect.any(String), kid, use: "sig", alg: "EdDSA" })
    const publicKey = createPublicKey({ key: { ...jwk } as JsonWebKey, format: "jwk" })
    expect(verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, "base64url"))).toBe(true)
  })

  it("sign nothing that outlives its session", () => {
    const { token, expiresAt } = tokens.issue(user, begun, NOW, NOW + 60_000)
    expect(expiresAt).toBe(NOW / 1000 + 60)
    expect(tokens.verify(token, NOW + 66_000)).toBeInstanceOf(AccessTokenExpired)
  })
})

describe("a refresh token", () => {
  const secret = Buffer.alloc(32, 7)

  it("carries session and counter, proven by the session's key only", () => {
    for (const counter of [1, 2, 255, 256, 70_000, 2 ** 40]) {
      const claim = readRefreshToken(writeRefreshToken(session, counter, secret))
      expect(claim).toMatchObject({ sessionId: session, counter })
      expect(claim?.provenBy(secret)).toBe(true)
      expect(claim?.provenBy(Buffer.alloc(32, 8))).toBe(false)
    }
  })

  it("is rejected before any look-up when a single character differs", () => {
    const token = writeRefreshToken(session, 5, secret)
    for (let i = 0; i < token.length; i++) {
      const changed = token.slice(0, i) + (token[i] === "A" ? "B" : "A") + token.slice(i + 1)
      const claim = readRefreshToken(changed)
      // The last character may differ in bits that base64 does not carry.
      if (claim !== undefined) expect(changed.slice(0, -1)).toBe(token.slice(0, -1))
    }
    expect(readRefreshToken("")).toBeUndefined()
    expect(readRefreshToken("x".repeat(58))).toBeUndefined()
  })
})
