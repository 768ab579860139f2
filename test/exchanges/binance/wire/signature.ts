/**
 * Who is asking: API key, HMAC-SHA256 signature, timestamp and receive window, checked in Binance's order.
 * REST signs query string and body exactly as sent; the WebSocket API signs its parameters sorted by name.
 */
import { createHmac } from "node:crypto"
import type { Account } from "../model.ts"
import {
  badKeyFormat,
  futureTimestamp,
  invalidSignature,
  missingParameter,
  recvWindowTooLarge,
  staleTimestamp,
  unknownKey,
} from "./refusal.ts"

export type Parameters = Readonly<Record<string, string>>

export interface Signed {
  readonly account: Account
  readonly parameters: Parameters
}

const DEFAULT_RECEIVE_WINDOW_MILLIS = 5000

const accountOf = (accounts: ReadonlyMap<string, Account>, apiKey: string | undefined): Account => {
  if (apiKey === undefined || !/^[\w-]{1,128}$/.test(apiKey)) throw badKeyFormat()
  const account = accounts.get(apiKey)
  if (account === undefined) throw unknownKey()
  return account
}

const checkTime = (parameters: Parameters, now: number): void => {
  if (!/^\d+$/.test(parameters["timestamp"] ?? "")) throw missingParameter("timestamp")
  const receiveWindowMillis = Number(parameters["recvWindow"] ?? DEFAULT_RECEIVE_WINDOW_MILLIS)
  if (!(receiveWindowMillis <= 60_000)) throw recvWindowTooLarge()
  const timestamp = Number(parameters["timestamp"])
  if (timestamp >= now + 1000) throw futureTimestamp()
  if (now - timestamp > receiveWindowMillis) throw staleTimestamp()
}

const isSignedBy = (account: Account, payload: string, signature: string): boolean =>
  createHmac("sha256", account.apiSecret).update(payload).digest("hex") === signature.toLowerCase()

/** `query` without its question mark; the signature is the last parameter of query + body. */
export const verifyRest = (
  accounts: ReadonlyMap<string, Account>,
  apiKey: string | undefined,
  query: string,
  body: string,
  now: number,
): Signed => {
  const account = accountOf(accounts, apiKey)
  const total = query + body
  const signature = /(?:^|&)signature=([0-9a-fA-F]+)$/.exec(total)
  if (signature === null) throw missingParameter("signature")
  const payload = total.slice(0, signature.index)
  const parameters = Object.fromEntries(new URLSearchParams(payload))
  checkTime(parameters, now)
  if (!isSignedBy(account, payload, signature[1] ?? "")) throw invalidSignature()
  return { account, parameters }
}

export const verifyWebSocket = (
  accounts: ReadonlyMap<string, Account>,
  parameters: Parameters,
  now: number,
): Signed => {
  const account = accountOf(accounts, parameters["apiKey"])
  const { signature, ...signed } = parameters
  if (signature === undefined) throw missingParameter("signature")
  checkTime(parameters, now)
  const payload = Object.keys(signed)
    .sort()
    .map((name) => `${name}=${signed[name]}`)
    .join("&")
  if (!isSignedBy(account, payload, signature)) throw invalidSignature()
  return { account, parameters }
}
