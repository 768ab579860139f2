/**
 * Who is asking: the HMAC-SHA256 in hex of the headers, the method, the host, the path and query, the type and the bytes of the body. A nonce is good once.
 * Source: www.bitstamp.net/api, "Authentication".
 */
import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { BitstampAccount } from "./model.ts"
import {
  invalidNonce,
  missingHeader,
  timeMalformed,
  timeOutOfBounds,
  unknownKey,
  wrongContentType,
  wrongSignature,
  wrongVersion,
} from "./refusal.ts"

/** "Check that timestamp is within 150 second timeframe." */
const AWAY_MILLIS = 150_000
const HOST = "www.bitstamp.net"
const FORM = "application/x-www-form-urlencoded"

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body: string
}

export class Signatures {
  /** Instants of the venue at which a key's nonces were used. */
  readonly #nonces = new Map<string, Map<string, number>>()

  /** Throws a `BitstampRefusal`. */
  verify(
    accounts: ReadonlyMap<string, BitstampAccount>,
    { headers, method, path, body }: SignedRequest,
    now: number,
  ): BitstampAccount {
    const of = (name: string, code: string): string => {
      const value = headers[name.toLowerCase()]
      if (typeof value !== "string" || value === "") throw missingHeader(code, name)
      return value
    }
    const auth = of("X-Auth", "API0012")
    const signature = of("X-Auth-Signature", "API0013")
    const nonce = of("X-Auth-Nonce", "API0014")
    const timestamp = of("X-Auth-Timestamp", "API0015")
    if (of("X-Auth-Version", "API0016") !== "v2") throw wrongVersion()
    if (!/^\d{13}$/.test(timestamp)) throw timeMalformed()
    if (Math.abs(Number(timestamp) - now) > AWAY_MILLIS) throw timeOutOfBounds()
    const type = headers["content-type"] ?? ""
    if (type !== (body === "" ? "" : FORM)) throw wrongContentType()
    const account = accounts.get(/^BITSTAMP (.+)$/.exec(auth)?.[1] ?? "")
    if (account === undefined) throw unknownKey()
    const said = `${auth}${method}${HOST}${path}${type}${nonce}${timestamp}v2${body}`
    const own = createHmac("sha256", account.apiSecret).update(said).digest("hex")
    if (own !== signature.toLowerCase()) throw wrongSignature()
    this.#use(account.apiKey, nonce, now)
    return account
  }

  #use(apiKey: string, nonce: string, now: number): void {
    const used = this.#nonces.get(apiKey) ?? new Map<string, number>()
    this.#nonces.set(apiKey, used)
    const before = used.get(nonce)
    if (!/^[0-9a-f-]{36}$/.test(nonce) || (before !== undefined && now - before <= AWAY_MILLIS)) throw invalidNonce()
    used.set(nonce, now)
    for (const [old, at] of used) {
      if (now - at <= AWAY_MILLIS) break
      used.delete(old)
    }
  }
}
