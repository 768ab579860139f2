/**
 * Who is asking: API key, HMAC-SHA512 over path, nonce and body, and a nonce above the last one of that key.
 * Source: docs.kraken.com, "Spot REST authentication".
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { KrakenAccount } from "../model.ts"
import { invalidKey, invalidNonce, invalidSignature } from "./refusal.ts"

export type Parameters = Readonly<Record<string, string>>

export interface Signed {
  readonly account: KrakenAccount
  readonly parameters: Parameters
}

/** A body is a form, or JSON where lists are sent. */
export const readParameters = (body: string): Parameters => {
  if (!body.startsWith("{")) return Object.fromEntries(new URLSearchParams(body))
  const fields: Readonly<Record<string, unknown>> = JSON.parse(body)
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  )
}

export const verify = (
  accounts: ReadonlyMap<string, KrakenAccount>,
  path: string,
  apiKey: string | undefined,
  signature: string | undefined,
  body: string,
): Signed => {
  const account = apiKey === undefined ? undefined : accounts.get(apiKey)
  if (account === undefined) throw invalidKey()
  const parameters = readParameters(body)
  const nonce = parameters["nonce"] ?? ""
  const digest = createHash("sha256")
    .update(nonce + body)
    .digest()
  const expected = createHmac("sha512", Buffer.from(account.apiSecret, "base64")).update(path).update(digest).digest()
  const given = Buffer.from(signature ?? "", "base64")
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalidSignature()
  if (!/^\d{1,20}$/.test(nonce) || BigInt(nonce) <= account.lastNonce) throw invalidNonce()
  account.lastNonce = BigInt(nonce)
  return { account, parameters }
}
