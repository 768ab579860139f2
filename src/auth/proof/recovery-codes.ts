/** Recovery codes for a lost authenticator: ten of 120 random bits, each single-use. */
import { createHash, randomBytes } from "node:crypto"

const COUNT = 10
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
const LENGTH = 24
const SHAPE = /^[A-Z2-7]{24}$/

const hashOf = (code: string): Buffer => createHash("sha256").update(`recovery:${code}`).digest()

/** As they are written down, in groups of four. */
export const newRecoveryCodes = (): ReadonlyArray<string> =>
  Array.from({ length: COUNT }, () =>
    // 256 is a multiple of 32: each letter is as likely as the others.
    [...randomBytes(LENGTH)]
      .map((byte) => LETTERS[byte % LETTERS.length])
      .join("")
      .replace(/(.{4})(?=.)/g, "$1-"),
  )

/** However it is typed; null: it has not the form of one. */
export const recoveryHash = (typed: string): Buffer | null => {
  const code = typed.replace(/[\s-]/g, "").toUpperCase()
  return SHAPE.test(code) ? hashOf(code) : null
}
