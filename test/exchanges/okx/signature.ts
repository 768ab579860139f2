/**
 * Who is asking: key, passphrase, timestamp and the base64 HMAC-SHA256 of `timestamp + method + path + body`, in OKX's order; the
 * login of a WebSocket signs a fixed path with a timestamp in seconds. Demo keys work in the demo environment only.
 */
import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { OkxAccount } from "./model.ts"
import {
  missingHeader,
  timestampExpired,
  unknownKey,
  wrongEnvironment,
  wrongPassphrase,
  wrongSignature,
  wrongTimestamp,
} from "./refusal.ts"

/** A request is refused when its timestamp is further than this from the venue's clock. */
const WINDOW_MILLIS = 30_000

const signed = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("base64")

const required = (headers: IncomingHttpHeaders, name: string, code: string): string => {
  const value = headers[name.toLowerCase()]
  if (typeof value !== "string" || value === "") throw missingHeader(code, name)
  return value
}

/** `path` with its query. Throws a `RequestRefusal`. */
export const verifyRest = (
  accounts: ReadonlyMap<string, OkxAccount>,
  headers: IncomingHttpHeaders,
  method: string,
  path: string,
  body: string,
  now: number,
): OkxAccount => {
  const apiKey = required(headers, "OK-ACCESS-KEY", "50103")
  const passphrase = required(headers, "OK-ACCESS-PASSPHRASE", "50104")
  const signature = required(headers, "OK-ACCESS-SIGN", "50106")
  const timestamp = required(headers, "OK-ACCESS-TIMESTAMP", "50107")
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(timestamp) ? Date.parse(timestamp) : Number.NaN
  if (Number.isNaN(at)) throw wrongTimestamp()
  if (Math.abs(now - at) > WINDOW_MILLIS) throw timestampExpired()
  const account = accounts.get(apiKey)
  if (account === undefined) throw unknownKey()
  if (account.isSimulated !== (headers["x-simulated-trading"] === "1")) throw wrongEnvironment()
  if (account.passphrase !== passphrase) throw wrongPassphrase()
  if (signed(account.apiSecret, timestamp + method + path + body) !== signature) throw wrongSignature()
  return account
}

export interface Login {
  readonly apiKey: string
  readonly passphrase: string
  readonly timestamp: string
  readonly sign: string
}

/** The account, or the error event of a login. */
export const verifyLogin = (
  accounts: ReadonlyMap<string, OkxAccount>,
  { apiKey, passphrase, timestamp, sign }: Login,
  isSimulated: boolean,
  now: number,
): OkxAccount | { readonly code: string; readonly msg: string } => {
  if (!/^\d{10}$/.test(timestamp)) return { code: "60004", msg: "Invalid timestamp" }
  if (Math.abs(now - Number(timestamp) * 1000) > WINDOW_MILLIS)
    return { code: "60006", msg: "Timestamp request expired" }
  const account = accounts.get(apiKey)
  if (account === undefined) return { code: "60005", msg: "Invalid apiKey" }
  if (account.isSimulated !== isSimulated) return { code: "50101", msg: "APIKey does not match current environment." }
  if (account.passphrase !== passphrase) return { code: "60024", msg: "Wrong passphrase" }
  if (signed(account.apiSecret, `${timestamp}GET/users/self/verify`) !== sign)
    return { code: "60007", msg: "Invalid sign" }
  return account
}
