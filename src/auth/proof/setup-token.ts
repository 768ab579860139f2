/**
 * Makes the first user of an installation its admin: a secret generated at start and shown only to the operator. Neither the origin of a request
 * nor the e-mail address in it makes an admin. It becomes invalid with the process, with its first use, and as soon as there is an admin.
 */
import { timingSafeEqual } from "node:crypto"
import { hashOf, newOneTimeToken } from "./one-time.ts"

export class SetupToken {
  #hash: Buffer | null = null
  #shown: string | null = null

  /** `isNeeded`: the installation has no admin. */
  constructor(isNeeded: boolean) {
    if (!isNeeded) return
    const { token, tokenHash } = newOneTimeToken()
    this.#hash = tokenHash
    this.#shown = token
  }

  /** For the operator, once; null: there is none. From then on only its hash is in memory. */
  show(): string | null {
    const token = this.#shown
    this.#shown = null
    return token
  }

  matches(token: string): boolean {
    return this.#hash !== null && timingSafeEqual(this.#hash, hashOf(token))
  }

  /** There is an admin: also when that one is demoted later, this token opens nothing. */
  forget(): void {
    this.#hash = null
    this.#shown = null
  }
}
