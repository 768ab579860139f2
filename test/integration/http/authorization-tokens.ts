/** Tokens that must open nothing, each wrong in one way, and what the gateway says to it. */
import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto"
import { newSecret } from "../../../src/auth/api-key/secret.ts"
import type { People } from "./authorization-people.ts"

export interface BadToken {
  readonly name: string
  /** Of the Authorization header; the empty string: none is sent. */
  readonly header: string
  readonly status: 401 | 403
  readonly errno: number
}

const MISSING = -100_002
const INVALID = -100_003
const EXPIRED = -100_004
const REVOKED = -100_005
const ELSEWHERE = -102_006
const KEY_REVOKED = -100_017
const KEY_EXPIRED = -100_018

type Part = Readonly<Record<string, unknown>>

const encode = (part: Part | string): string =>
  Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url")
const decode = (part: string): Part => JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as Part

export const badTokens = (people: People): ReadonlyArray<BadToken> => {
  const { accessToken, refreshToken } = people.ada.session
  const [head = "", body = "", signature = ""] = accessToken.split(".")
  const [header, claims] = [decode(head), decode(body)]
  const now = Math.floor(Date.now() / 1000)
  const signed = (header: Part, claims: Part, key = people.privateKey): string => {
    const text = `${encode(header)}.${encode(claims)}`
    return `${text}.${sign(null, Buffer.from(text), key).toString("base64url")}`
  }
  const hmac = (header: Part): string => {
    const text = `${encode(header)}.${body}`
    return `${text}.${createHmac("sha256", people.publicKeyPem).update(text).digest("base64url")}`
  }
  const other = generateKeyPairSync("ed25519").privateKey
  const tokens: ReadonlyArray<readonly [name: string, token: string, errno?: number]> = [
    ["no token at all", "nonsense"],
    ["three dots", "..."],
    ["with a byte more", `${accessToken}A`],
    ["of 3000 bytes", `${head}.${"A".repeat(3000)}.${signature}`],
    ["expired", signed(header, { ...claims, iat: now - 7200, exp: now - 3600 }), EXPIRED],
    ["of tomorrow", signed(header, { ...claims, iat: now + 86_400, exp: now + 90_000 })],
    ["without an end", signed(header, { ...claims, exp: undefined })],
    ["alg none, unsigned", `${encode({ ...header, alg: "none" })}.${body}.`],
    ["alg none, its old signature", `${encode({ ...header, alg: "none" })}.${body}.${signature}`],
    ["alg HS256, keyed with the public key", hmac({ ...header, alg: "HS256" })],
    ["alg EdDSA, keyed with the public key", hmac(header)],
    ["another type", signed({ ...header, typ: "JWT" }, claims)],
    ["an unknown kid", signed({ ...header, kid: "other" }, claims)],
    ["a key of its own in the header", signed({ ...header, jwk: { kty: "OKP", crv: "Ed25519" } }, claims)],
    ["of another key", signed(header, claims, other)],
    ["another audience", signed(header, { ...claims, aud: "others" })],
    ["of the test environment", signed(header, { ...claims, iss: "venue-gateway/UAT" })],
    ["claims more than was signed", `${head}.${encode({ ...claims, permissions: ["admin"] })}.${signature}`],
    ["of no session", signed(header, { ...claims, session_id: randomUUID() }), REVOKED],
    ["a refresh token", refreshToken],
    ["logged out", people.loggedOut, REVOKED],
    ["banned", people.banned, REVOKED],
    ["an API key of nobody", newSecret()],
    ["an API key, misspelt", `${people.keys.reading.slice(0, -1)}${people.keys.reading.endsWith("a") ? "b" : "a"}`],
    ["an API key, in capitals", people.keys.reading.toUpperCase()],
    ["an API key, revoked", people.keys.revoked, KEY_REVOKED],
    ["an API key, expired", people.keys.expired, KEY_EXPIRED],
  ]
  return [
    { name: "none", header: "", status: 401, errno: MISSING },
    { name: "another scheme", header: `Basic ${encode("ada:secret")}`, status: 401, errno: INVALID },
    { name: "an empty bearer", header: "Bearer ", status: 401, errno: INVALID },
    ...tokens.map(([name, token, errno = INVALID]) => ({
      name,
      header: `Bearer ${token}`,
      status: 401 as const,
      errno,
    })),
    { name: "an API key by another scheme", header: `Basic  ${people.keys.reading}`, status: 401, errno: INVALID },
    { name: "a good API key, from elsewhere", header: `Bearer ${people.keys.away}`, status: 403, errno: ELSEWHERE },
    { name: "good, from elsewhere", header: `Bearer ${people.away}`, status: 403, errno: ELSEWHERE },
  ]
}
