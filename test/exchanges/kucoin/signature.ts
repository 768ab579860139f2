/**
 * Who is asking: `KC-API-SIGN` is the HMAC-SHA256 in base64 of timestamp, method, path with its query, and body; the passphrase is signed as well since
 * version 2 of the keys. Source: www.kucoin.com/docs-new/authentication.
 */
import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { KucoinAccount } from "./model.ts"
import { missingHeader, unknownKey, wrongPassphrase, wrongSignature, wrongTimestamp } from "./refusal.ts"

/** "The difference between the timestamp of the request and the time of the server is more than 5 seconds." */
const AWAY_MILLIS = 5000

const signed = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("base64")

/** Throws a `KucoinRefusal`. */
export const verifyRest = (
  accounts: ReadonlyMap<string, KucoinAccount>,
  { headers, method, path, body }: SignedRequest,
  now: number,
): KucoinAccount => {
  const of = (name: string): string => {
    const value = headers[`kc-api-${name}`]
    if (typeof value !== "string" || value === "") throw missingHeader()
    return value
  }
  const [key, sign, timestamp, passphrase] = [of("key"), of("sign"), of("timestamp"), of("passphrase")]
  if (!/^\d{13}$/.test(timestamp) || Math.abs(Number(timestamp) - now) > AWAY_MILLIS) throw wrongTimestamp()
  const account = accounts.get(key)
  if (account === undefined) throw unknownKey()
  const said = of("key-version") === "1" ? account.apiPassphrase : signed(account.apiSecret, account.apiPassphrase)
  if (said !== passphrase) throw wrongPassphrase()
  if (signed(account.apiSecret, timestamp + method + path + body) !== sign) throw wrongSignature()
  return account
}

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body: string
}
