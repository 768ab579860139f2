/**
 * Who calls: an API key, or a user's session that renews itself. The one thing to know: a renewal is made once for all who wait, since each
 * login counts towards the gateway's limits and a refresh token works once.
 */
import { GatewayError } from "./errors.ts"
import type { Session } from "./types.ts"

export interface ApiKey {
  /** `vgk_…`, as it was shown once. */
  readonly apiKey: string
}

export interface Password {
  readonly email: string
  readonly password: string
}

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken?: string
}

/** Null: calls that need no user. */
export type Who = ApiKey | Password | Tokens | null

type Post = (name: "auth/login" | "auth/token/refresh", body: object) => Promise<Session>

export class Identity {
  readonly #who: Who
  readonly #post: Post
  #tokens: Tokens | null
  #renewing: Promise<string> | null = null

  constructor(who: Who, post: Post) {
    this.#who = who
    this.#post = post
    this.#tokens = who !== null && "accessToken" in who ? who : null
  }

  get isAnonymous(): boolean {
    return this.#who === null
  }

  /** A session can be had anew where there is a password or a refresh token; a key cannot. */
  get isRenewable(): boolean {
    return (this.#who !== null && "password" in this.#who) || this.#tokens?.refreshToken !== undefined
  }

  /** The token for a call; logs in the first time. Null: none. */
  token(): Promise<string | null> {
    if (this.#who === null) return Promise.resolve(null)
    if ("apiKey" in this.#who) return Promise.resolve(this.#who.apiKey)
    return this.#tokens === null ? this.renew() : Promise.resolve(this.#tokens.accessToken)
  }

  /** A token in the place of `refused`; the one that a renewal has brought meanwhile, if there is one. */
  renew(refused?: string | null): Promise<string> {
    const now = this.#tokens?.accessToken
    if (refused !== undefined && now !== undefined && now !== refused) return Promise.resolve(now)
    this.#renewing ??= this.#renewed()
      .then((session) => {
        this.#tokens = session
        return session.accessToken
      })
      .finally(() => {
        this.#renewing = null
      })
    return this.#renewing
  }

  async #renewed(): Promise<Session> {
    const refreshToken = this.#tokens?.refreshToken
    const person = this.#who !== null && "password" in this.#who ? this.#who : null
    if (refreshToken !== undefined) {
      try {
        return await this.#post("auth/token/refresh", { refreshToken })
      } catch (error) {
        // Only a 401 ends the session; without an answer the same token is good once more.
        if (person === null || !(error instanceof GatewayError && error.status === 401)) throw error
      }
    }
    if (person === null) throw new Error("there is neither a password nor a refresh token to sign in with")
    this.#tokens = null
    const { email, password } = person
    return this.#post("auth/login", { email, password })
  }
}
