/**
 * Who is asking. REST: `Authent` is the HMAC-SHA512, under the secret out of its base64, of the SHA-256 of what is sent, the nonce and the path without
 * `/derivatives`; a nonce is optional. A socket: the same of the SHA-256 of a challenge. Source: docs.kraken.com, "Futures REST", "Challenge".
 */
import { createHash, createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { FuturesAccount } from "./model.ts"
import { nonceBelowThreshold, nonceDuplicate, wrongHistoryKey, wrongKey } from "./refusal.ts"

const signed = (secret: string, text: string): string =>
  createHmac("sha512", Buffer.from(secret, "base64"))
    .update(createHash("sha256").update(text).digest())
    .digest("base64")

/** Nonces of requests that overtake each other may be so far apart. */
const NONCES_APART = 10_000

export class Nonces {
  readonly #used = new Map<string, Set<number>>()

  take(apiKey: string, nonce: number): void {
    const used = this.#used.get(apiKey) ?? new Set()
    this.#used.set(apiKey, used)
    if (used.has(nonce)) throw nonceDuplicate()
    if (nonce < Math.max(0, ...used) - NONCES_APART) throw nonceBelowThreshold()
    used.add(nonce)
  }
}

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders
  readonly path: string
  /** As it stands behind the path, without its question mark, and the body. */
  readonly data: string
}

/** Throws a `RequestRefusal`. */
export const verifyRest = (
  accounts: ReadonlyMap<string, FuturesAccount>,
  nonces: Nonces,
  { headers, path, data }: SignedRequest,
): FuturesAccount => {
  const wrong = path.startsWith("/derivatives") ? wrongKey : wrongHistoryKey
  const nonce = typeof headers["nonce"] === "string" ? headers["nonce"] : ""
  const account = accounts.get(String(headers["apikey"] ?? ""))
  if (account === undefined) throw wrong()
  const text = `${data}${nonce}${path.replace(/^\/derivatives/, "")}`
  if (signed(account.apiSecret, text) !== headers["authent"]) throw wrong()
  if (nonce !== "") nonces.take(account.apiKey, Number(nonce))
  return account
}

/** Undefined: it is not. */
export const verifyChallenge = (
  accounts: ReadonlyMap<string, FuturesAccount>,
  challenge: string | undefined,
  { api_key, original_challenge, signed_challenge }: Readonly<Record<string, unknown>>,
): FuturesAccount | undefined => {
  const account = accounts.get(String(api_key))
  if (account === undefined || challenge === undefined || original_challenge !== challenge) return undefined
  return signed(account.apiSecret, challenge) === signed_challenge ? account : undefined
}
