/**
 * The text of an API key: `vgk_`, 43 letters and digits of 256 random bits, and six of their CRC-32. The one thing to know: a scanner for leaked
 * secrets finds it by one pattern and verifies it by the checksum, and an invalid text costs no look-up of stored keys.
 */
import { createHash, randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"

export const MARK = "vgk_"
const RANDOM_BYTES = 32
/** Letters of 256 bits, and of 32. */
const BODY = 43
const CHECK = 6
const LENGTH = MARK.length + BODY + CHECK
/** Of the body, six: 220 of its bits stay unknown. */
const SHOWN = MARK.length + 6

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const FORM = /^[0-9A-Za-z]+$/

const bodyOf = (bytes: Buffer): string => {
  let text = ""
  for (let rest = BigInt(`0x${bytes.toString("hex")}`); rest > 0n; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text
  return text.padStart(BODY, "0")
}

const checkOf = (body: string): string => {
  let text = ""
  for (let rest = crc32(body); text.length < CHECK; rest = Math.floor(rest / 62)) text = DIGITS[rest % 62] + text
  return text
}

/** From these bytes; random by default. */
export const newSecret = (bytes: Buffer = randomBytes(RANDOM_BYTES)): string => {
  const body = bodyOf(bytes)
  return `${MARK}${body}${checkOf(body)}`
}

export const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest()

/** By which people know it again. */
export const prefixOf = (secret: string): string => secret.slice(0, SHOWN)

/** Whether the check fits: false of a misspelt one, too. */
export const isWellFormed = (text: string): boolean => {
  if (text.length !== LENGTH || !text.startsWith(MARK)) return false
  const body = text.slice(MARK.length, MARK.length + BODY)
  return FORM.test(body) && checkOf(body) === text.slice(MARK.length + BODY)
}
