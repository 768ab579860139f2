/** Codes of authenticators against the vectors of RFC 6238, and recovery codes. */
import { assert, describe, expect, it } from "vitest"
import {
  enrolmentOf,
  newRecoveryCodes,
  newSecret,
  recoveryHash,
  stepOf,
} from "../../../src/auth/proof/second-factor.ts"

/** RFC 6238, appendix B, SHA-1; six digits are the last six of its eight. */
const SECRET = Buffer.from("12345678901234567890")
const VECTORS: ReadonlyArray<readonly [seconds: number, code: string]> = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
]

describe("a code of an authenticator", () => {
  it.each(VECTORS)("at %i s is %s", (seconds, code) => {
    expect(stepOf(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
  })

  it("is good in its step and the one after it, and in no other", () => {
    const [seconds, code] = VECTORS[1]!
    const step = Math.floor(seconds / 30)
    const begin = step * 30_000
    expect(
      [begin - 1, begin, begin + 30_000, begin + 59_999, begin + 60_000].map((at) => stepOf(SECRET, code, at)),
    ).toEqual([null, step, step, step, null])
  })

  it.each(["", "28708", "2870820", "28708a", "２８７０８２", " 287082"])("is not %j", (code) => {
    expect(stepOf(SECRET, code, 59_000)).toBeNull()
  })

  it("is made of a secret of 160 bits, which an app is told by a URI", () => {
    const secret = newSecret()
    expect(secret).toHaveLength(20)
    expect(newSecret()).not.toEqual(secret)
    const { secret: typed, uri } = enrolmentOf(secret, "ada@example.com")
    expect(typed).toMatch(/^[A-Z2-7]{32}$/)
    const url = new URL(uri)
    expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual([
      "otpauth:",
      "totp",
      "/Venue Gateway:ada@example.com",
    ])
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ secret: typed, digits: "6", period: "30" })
  })
})

describe("recovery codes", () => {
  it("are ten different ones, known again however they are typed", () => {
    const codes = newRecoveryCodes()
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) {
      assert.match(code, /^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/)
      expect(recoveryHash(` ${code.toLowerCase().replaceAll("-", " ")} `)).toEqual(recoveryHash(code))
    }
  })

  it.each(["", "123456", "ABCD-EFGH", "A".repeat(25), "1".repeat(24)])("%j is none", (text) => {
    expect(recoveryHash(text)).toBeNull()
  })
})
