/**
 * WebSocket tokens: good for 15 minutes to begin a private subscription with, for as long as they like once it has begun. A token of
 * a key that is gone is none any more.
 */
import { randomBytes } from "node:crypto"
import type { KrakenAccount } from "../model.ts"
import { invalidSession } from "./refusal.ts"

const LIFE_MILLIS = 900_000

export class Tokens {
  readonly #tokens = new Map<string, { readonly account: KrakenAccount; readonly madeAt: number }>()

  constructor(
    readonly accounts: ReadonlyMap<string, KrakenAccount>,
    readonly now: () => number,
  ) {}

  make(account: KrakenAccount): { readonly token: string; readonly expires: number } {
    const token = randomBytes(32).toString("base64")
    this.#tokens.set(token, { account, madeAt: this.now() })
    return { token, expires: LIFE_MILLIS / 1000 }
  }

  accountOf(token: unknown): KrakenAccount {
    const known = typeof token === "string" ? this.#tokens.get(token) : undefined
    if (known === undefined || this.now() - known.madeAt > LIFE_MILLIS) throw invalidSession()
    if (this.accounts.get(known.account.apiKey) !== known.account) throw invalidSession()
    return known.account
  }

  /** Every token there is becomes worthless, as after a restart of the venue. */
  forget(): void {
    this.#tokens.clear()
  }
}
