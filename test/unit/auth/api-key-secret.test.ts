/** The text of an API key, as scanners for leaked secrets see it. */
import { crc32 } from "node:zlib"
import { describe, expect, it } from "vitest"
import { hashOf, isWellFormed, newSecret, prefixOf } from "../../../src/auth/api-key/secret.ts"

const FORM = /^vgk_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/

describe("an API key", () => {
  it("is found by one pattern, and proved by the check at its end", () => {
    for (let i = 0; i < 200; i++) {
      const secret = newSecret()
      expect(secret).toMatch(FORM)
      expect(isWellFormed(secret)).toBe(true)
    }
    // Numbers that begin with zeros have their letters all the same.
    for (const bytes of [Buffer.alloc(32), Buffer.alloc(32, 255), Buffer.concat([Buffer.alloc(31), Buffer.of(7)])]) {
      expect(newSecret(bytes)).toMatch(FORM)
      expect(isWellFormed(newSecret(bytes))).toBe(true)
    }
    // By hand: CRC-32 of the 43 letters, in base 62.
    const zeros = newSecret(Buffer.alloc(32))
    expect(zeros.slice(4, 47)).toBe("0".repeat(43))
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    const value = [...zeros.slice(47)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
    expect(value).toBe(crc32("0".repeat(43)))
  })

  it("with one letter changed, left out or added is none", () => {
    const secret = newSecret()
    for (let at = 0; at < secret.length; at++) {
      const other = secret[at] === "a" ? "b" : "a"
      expect([at, isWellFormed(secret.slice(0, at) + other + secret.slice(at + 1))]).toEqual([at, false])
      expect([at, isWellFormed(secret.slice(0, at) + secret.slice(at + 1))]).toEqual([at, false])
      expect([at, isWellFormed(`${secret.slice(0, at)}a${secret.slice(at)}`)]).toEqual([at, false])
    }
    for (const text of ["", "vgk_", "vgk_é", `vgk_${"€".repeat(49)}`, secret.toUpperCase(), ` ${secret}`])
      expect(isWellFormed(text)).toBe(false)
  })

  it("shows ten letters, which are of no use, and is stored as a hash", () => {
    const secret = newSecret()
    expect(prefixOf(secret)).toBe(secret.slice(0, 10))
    expect(hashOf(secret).length).toBe(32)
    expect(newSecret()).not.toBe(secret)
  })
})
