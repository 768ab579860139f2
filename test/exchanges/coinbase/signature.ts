/**
 * Who is asking. A key of today signs a token per request: ES256 with an EC key in PEM, or EdDSA with 64 bytes in base64; the token names the
 * request, and lives two minutes by the venue's clock. An old key signs instant, method, path and body with a shared secret, good for 30 s. The
 * private channel takes the same, of no request. Source: docs.cdp.coinbase.com, api-key-authentication, and coinbase-app, legacy keys.
 */
import { createHmac, createPublicKey, type KeyObject, verify } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { CoinbaseAccount } from "./model.ts"
import { unauthorized } from "./refusal.ts"

const HOST = "api.coinbase.com"
/** Clocks of hosts are a little apart. */
const LEEWAY_SECONDS = 5
const TOKEN_SECONDS_MAX = 120
const LEGACY_SECONDS = 30

type Accounts = ReadonlyMap<string, CoinbaseAccount>
type Fields = Readonly<Record<string, unknown>>

const keys = new WeakMap<CoinbaseAccount, KeyObject | null>()

const PEM = /^-----BEGIN/

/** The public half; null: an old key. */
const publicKeyOf = (account: CoinbaseAccount): KeyObject | null => {
  const known = keys.get(account)
  if (known !== undefined) return known
  const { apiSecret } = account
  const bytes = Buffer.from(apiSecret, "base64")
  const key = PEM.test(apiSecret)
    ? createPublicKey(apiSecret)
    : bytes.length === 64 && apiSecret.endsWith("=")
      ? createPublicKey({
          key: { kty: "OKP", crv: "Ed25519", x: bytes.subarray(32).toString("base64url") },
          format: "jwk",
        })
      : null
  keys.set(account, key)
  return key
}

const partOf = (text: string | undefined): Fields => {
  try {
    return JSON.parse(Buffer.from(text ?? "", "base64url").toString()) as Fields
  } catch {
    return {}
  }
}

/** Undefined: the token is not good. `uri`: `METHOD host/path`; null of a channel. */
const accountOfToken = (
  accounts: Accounts,
  token: string,
  uri: string | null,
  now: number,
): CoinbaseAccount | undefined => {
  const [head, body, signature] = token.split(".")
  const { alg, kid, nonce } = partOf(head)
  const { sub, iss, nbf, exp, uri: one, uris } = partOf(body)
  const account = accounts.get(String(sub))
  const key = account === undefined ? null : publicKeyOf(account)
  if (account === undefined || key === null || kid !== sub || nonce === undefined) return undefined
  const isEdwards = key.asymmetricKeyType === "ed25519"
  if (alg !== (isEdwards ? "EdDSA" : "ES256") || iss !== (isEdwards ? "cdp" : "coinbase-cloud")) return undefined
  const seconds = now / 1000
  const [from, to] = [Number(nbf), Number(exp)]
  if (!(from <= seconds + LEEWAY_SECONDS && to > seconds - LEEWAY_SECONDS && to - from <= TOKEN_SECONDS_MAX))
    return undefined
  const named = Array.isArray(uris) ? uris[0] : one
  if (uri !== null && named !== uri) return undefined
  const isSigned = verify(
    isEdwards ? null : "sha256",
    Buffer.from(`${head}.${body}`),
    isEdwards ? key : { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature ?? "", "base64url"),
  )
  return isSigned ? account : undefined
}

const header = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name]
  return typeof value === "string" ? value : ""
}

const isLegacy = (
  account: CoinbaseAccount,
  { timestamp, text, signature }: { readonly timestamp: string; readonly text: string; readonly signature: string },
  now: number,
): boolean =>
  publicKeyOf(account) === null &&
  Math.abs(Number(timestamp) - now / 1000) <= LEGACY_SECONDS &&
  createHmac("sha256", account.apiSecret)
    .update(timestamp + text)
    .digest("hex") === signature

/** Throws an `HttpRefusal`. */
export const verifyRest = (
  accounts: Accounts,
  {
    headers,
    method,
    path,
    body,
  }: {
    readonly headers: IncomingHttpHeaders
    readonly method: string
    readonly path: string
    readonly body: string
  },
  now: number,
): CoinbaseAccount => {
  const token = /^Bearer (.+)$/.exec(header(headers, "authorization"))?.[1]
  if (token !== undefined) {
    const account = accountOfToken(accounts, token, `${method} ${HOST}${path}`, now)
    if (account === undefined) throw unauthorized()
    return account
  }
  const account = accounts.get(header(headers, "cb-access-key"))
  const timestamp = header(headers, "cb-access-timestamp")
  const signature = header(headers, "cb-access-sign")
  if (account === undefined || !isLegacy(account, { timestamp, text: method + path + body, signature }, now))
    throw unauthorized()
  return account
}

/** Undefined: the venue does not know who asks. */
export const verifyChannel = (accounts: Accounts, frame: Fields, now: number): CoinbaseAccount | undefined => {
  const { jwt, api_key, timestamp, signature, channel, product_ids } = frame
  if (typeof jwt === "string") return accountOfToken(accounts, jwt, null, now)
  const account = accounts.get(String(api_key))
  const products = Array.isArray(product_ids) ? product_ids.join(",") : ""
  const signed = { timestamp: String(timestamp), text: `${channel}${products}`, signature: String(signature) }
  return account !== undefined && isLegacy(account, signed, now) ? account : undefined
}
