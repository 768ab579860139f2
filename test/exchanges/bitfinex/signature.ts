/**
 * Who is asking. REST: `bfx-signature` is the HMAC-SHA384 in hex of "/api/", path, nonce and body; a socket signs "AUTH" and its nonce. The nonces of a key grow,
 * whatever asks. Source: docs.bitfinex.com, "Authenticated endpoints" and "Authenticated Channels".
 */
import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { BitfinexAccount } from "./model.ts"
import { smallNonce, unknownKey, wrongSignature } from "./refusal.ts"

const signed = (secret: string, text: string): string => createHmac("sha384", secret).update(text).digest("hex")

/** Throws a `BitfinexRefusal`. */
const verify = (
  accounts: ReadonlyMap<string, BitfinexAccount>,
  key: string,
  { nonce, text, signature }: { readonly nonce: string; readonly text: string; readonly signature: unknown },
): BitfinexAccount => {
  const account = accounts.get(key)
  if (account === undefined) throw unknownKey()
  if (signed(account.apiSecret, text) !== signature) throw wrongSignature()
  const value = Number(nonce)
  if (!/^\d+$/.test(nonce) || !Number.isSafeInteger(value) || value <= account.lastNonce) throw smallNonce()
  account.lastNonce = value
  return account
}

export const verifyRest = (
  accounts: ReadonlyMap<string, BitfinexAccount>,
  headers: IncomingHttpHeaders,
  { path, body }: { readonly path: string; readonly body: string },
): BitfinexAccount => {
  const nonce = String(headers["bfx-nonce"] ?? "")
  const text = `/api${path}${nonce}${body}`
  return verify(accounts, String(headers["bfx-apikey"] ?? ""), { nonce, text, signature: headers["bfx-signature"] })
}

export const verifyLogin = (
  accounts: ReadonlyMap<string, BitfinexAccount>,
  { apiKey, authSig, authNonce, authPayload }: Readonly<Record<string, unknown>>,
): BitfinexAccount => {
  const nonce = String(authNonce ?? "")
  if (authPayload !== `AUTH${nonce}`) throw wrongSignature()
  return verify(accounts, String(apiKey ?? ""), { nonce, text: `AUTH${nonce}`, signature: authSig })
}
