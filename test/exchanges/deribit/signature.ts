/**
 * Who is asking. Over HTTP a header: `deri-hmac-sha256 id=…,ts=…,sig=…,nonce=…` of the time, the nonce, the method, the path with its query and the body.
 * Over a socket public/auth, by a signature, by the secret, or by what renews a token. Source: docs.deribit.com, "Authentication".
 */
import { createHmac, randomUUID } from "node:crypto"
import { type Params, textOf } from "./core.ts"
import type { DeribitAccount } from "./model.ts"
import { invalidParams, unauthorized, wrongCredentials } from "./refusal.ts"

/** "It's valid for 60 seconds since generation, after that time any request with an old timestamp will be rejected." */
const VALID_MILLIS = 60_000

const signed = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("hex")

const HEADER = /^deri-hmac-sha256 id=([^,]*),ts=(\d+),sig=([0-9a-f]+),nonce=(.+)$/

export const keyOf = (header: string | undefined): string => HEADER.exec(header ?? "")?.[1] ?? ""

interface Session {
  readonly account: DeribitAccount
  readonly refreshToken: string
}

export class Signatures {
  readonly #used = new Set<string>()
  readonly #refreshing = new Map<string, DeribitAccount>()

  constructor(
    readonly accounts: ReadonlyMap<string, DeribitAccount>,
    readonly now: () => number,
  ) {}

  /** Throws an `RpcRefusal`. */
  verifyRest(header: string | undefined, method: string, target: string, body: string): DeribitAccount {
    const [, id = "", at = "", sig = "", nonce = ""] = HEADER.exec(header ?? "") ?? []
    return this.#verify({ id, at, nonce, sig, data: `${method}\n${target}\n${body}\n` })
  }

  /** public/auth. Throws an `RpcRefusal`. */
  login(params: Params): Session {
    switch (params["grant_type"]) {
      case "client_signature": {
        const [id = "", at = "", sig = ""] = ["client_id", "timestamp", "signature"].map((name) => textOf(params, name))
        const [nonce, data] = [textOf(params, "nonce") ?? "", textOf(params, "data") ?? ""]
        return this.#session(this.#verify({ id, at, nonce, sig, data }))
      }
      case "client_credentials": {
        const account = this.accounts.get(String(params["client_id"]))
        if (account === undefined || account.apiSecret !== params["client_secret"]) throw wrongCredentials()
        return this.#session(account)
      }
      case "refresh_token": {
        const account = this.#refreshing.get(String(params["refresh_token"]))
        if (account === undefined || !this.accounts.has(account.apiKey)) throw unauthorized()
        return this.#session(account)
      }
      default:
        throw invalidParams("grant_type", "value required")
    }
  }

  #session(account: DeribitAccount): Session {
    const refreshToken = randomUUID()
    this.#refreshing.set(refreshToken, account)
    return { account, refreshToken }
  }

  #verify(of: Readonly<Record<"id" | "at" | "nonce" | "sig" | "data", string>>): DeribitAccount {
    const account = this.accounts.get(of.id)
    if (account === undefined) throw wrongCredentials()
    if (signed(account.apiSecret, `${of.at}\n${of.nonce}\n${of.data}`) !== of.sig) throw unauthorized()
    if (Math.abs(this.now() - Number(of.at)) > VALID_MILLIS) throw unauthorized()
    const name = `${of.id} ${of.at} ${of.nonce}`
    if (this.#used.has(name)) throw unauthorized()
    this.#used.add(name)
    return account
  }
}
