/**
 * Who is asking: `X-BAPI-SIGN` is the hex HMAC-SHA256 of timestamp, key, window and what is sent (the query as it stands in the URL, or the
 * body). The private stream signs a fixed word with the instant until which its login is good. Source: docs/v5/guide and docs/v5/ws/connect.
 */
import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { BybitAccount } from "./model.ts"
import { expired, invalidKey, parameterError, wrongSignature } from "./refusal.ts"

/** A request from the future is refused, too. */
const AHEAD_MILLIS = 1000
const RECV_WINDOW = "5000"

const signed = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("hex")

const header = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name]
  return typeof value === "string" ? value : ""
}

/** Throws a `BybitRefusal` where a request is too old, or from the future. */
export const checkTime = (timestamp: unknown, recvWindow: unknown, now: number): void => {
  if (typeof timestamp !== "string" || !/^\d{13}$/.test(timestamp)) throw parameterError("timestamp")
  const [at, window] = [Number(timestamp), Number(recvWindow ?? RECV_WINDOW)]
  if (at >= now + AHEAD_MILLIS || at < now - window) throw expired(window, at, now)
}

/** Throws a `BybitRefusal`. `sent` is the raw query, or the body. */
export const verifyRest = (
  accounts: ReadonlyMap<string, BybitAccount>,
  headers: IncomingHttpHeaders,
  sent: string,
  now: number,
): BybitAccount => {
  const apiKey = header(headers, "x-bapi-api-key")
  const timestamp = header(headers, "x-bapi-timestamp")
  const recvWindow = header(headers, "x-bapi-recv-window") || RECV_WINDOW
  checkTime(timestamp, recvWindow, now)
  const account = accounts.get(apiKey)
  if (account === undefined) throw invalidKey()
  if (signed(account.apiSecret, timestamp + apiKey + recvWindow + sent) !== header(headers, "x-bapi-sign"))
    throw wrongSignature()
  return account
}

/** The account, or why the login is refused. */
export const verifyLogin = (
  accounts: ReadonlyMap<string, BybitAccount>,
  [apiKey, expires, signature]: ReadonlyArray<unknown>,
  now: number,
): BybitAccount | string => {
  if (!/^\d{13}$/.test(String(expires))) return "Params Error"
  if (Number(expires) <= now) return "error:expires is earlier than the current time"
  const account = accounts.get(String(apiKey))
  if (account === undefined) return "error:API key is invalid."
  return signed(account.apiSecret, `GET/realtime${expires}`) === signature ? account : "error:USVC1111"
}
