/**
 * Who is asking: the HMAC-SHA384 in hex of the payload, which is a header in base64 and has the path of the request and a nonce. Nonces of a key increase, or are
 * within 30 seconds of the venue's clock. Source: developer.gemini.com, "Private API invocation".
 */
import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { GeminiAccount } from "./model.ts"
import {
  lowNonce,
  malformedJson,
  missingHeader,
  missingNonce,
  nonceOutOfTime,
  unknownKey,
  wrongEndpoint,
  wrongSignature,
} from "./refusal.ts"

export type Payload = Readonly<Record<string, unknown>>

const AWAY_SECONDS = 30

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const readPayload = (text: string): Payload => {
  const value = parsed(Buffer.from(text, "base64").toString())
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformedJson()
  return value as Payload
}

export class Signatures {
  /** The newest of each key. */
  readonly #nonces = new Map<string, bigint>()

  /** Throws a `GeminiRefusal`. `path` without its query; `allow` is asked before the nonce is used. */
  verify(
    accounts: ReadonlyMap<string, GeminiAccount>,
    { headers, path }: { readonly headers: IncomingHttpHeaders; readonly path: string },
    now: number,
    allow: (account: GeminiAccount) => void,
  ): { readonly account: GeminiAccount; readonly payload: Payload } {
    const of = (name: string, reason: string): string => {
      const value = headers[name.toLowerCase()]
      if (typeof value !== "string" || value === "") throw missingHeader(reason, name)
      return value
    }
    const apiKey = of("X-GEMINI-APIKEY", "MissingApikeyHeader")
    const text = of("X-GEMINI-PAYLOAD", "MissingPayloadHeader")
    const signature = of("X-GEMINI-SIGNATURE", "MissingSignatureHeader")
    const account = accounts.get(apiKey)
    if (account === undefined) throw unknownKey()
    const own = createHmac("sha384", account.apiSecret).update(text).digest("hex")
    if (own !== signature.toLowerCase()) throw wrongSignature()
    const payload = readPayload(text)
    if (payload["request"] !== path) throw wrongEndpoint()
    allow(account)
    this.#use(account, String(payload["nonce"] ?? ""), now)
    account.heardAt = performance.now()
    return { account, payload }
  }

  #use({ apiKey, isTimed }: GeminiAccount, nonce: string, now: number): void {
    if (!/^\d{1,18}$/.test(nonce)) throw missingNonce()
    const seconds = Math.floor(now / 1000)
    if (isTimed) {
      if (Math.abs(Number(nonce) - seconds) > AWAY_SECONDS) throw nonceOutOfTime(nonce, seconds)
      return
    }
    const previous = this.#nonces.get(apiKey) ?? 0n
    if (BigInt(nonce) <= previous) throw lowNonce(nonce, previous)
    this.#nonces.set(apiKey, BigInt(nonce))
  }
}
