/** Which passwords are refused, and why. */
import { describe, expect, it } from "vitest"
import { loadCommonPasswords, weaknesses, wordsOf } from "../../../src/auth/proof/passwords.ts"

const common = await loadCommonPasswords()
const words = wordsOf("ada.lovelace@analytical.example.com")
const reason = (password: string) => weaknesses(password, common, words)[0]?.split(":")[0]

describe("a password", () => {
  it.each([
    ["seven characters", "a1b2c3d", "length"],
    ["eight bytes that are two characters", "😀😀", "length"],
    ["129 characters", "ab".repeat(65).slice(1), "length"],
    ["513 bytes", `${"😀".repeat(128)}a`, "length"],
    ["the first of all lists", "password", "common"],
    ["its capitals", "PaSsWoRd", "common"],
    ["a keyboard's row", "qwertyuiop", "common"],
    ["one character", "ssssssssssss", "common"],
    ["the alphabet", "efghijklmnop", "common"],
    ["the alphabet backwards", "87654321", "common"],
    ["the address", "ada.lovelace@analytical.example.com", "context"],
    ["a name from it and a year", "Lovelace1815", "context"],
    ["the domain", "analytical!", "context"],
    ["our own name", "venue-gateway1", "context"],
  ])("is refused for %s", (_what, password, why) => {
    expect(reason(password)).toBe(why)
  })

  it.each([
    ["eight characters that mean nothing", "v7#kQz!m"],
    ["words", "correct horse battery staple"],
    ["letters of any script", "пароль никому не скажу"],
    ["128 characters", "ab1".repeat(43).slice(0, 128)],
    ["a name among other words", "my cat lovelace sleeps"],
  ])("is taken for %s", (_what, password) => {
    expect(reason(password)).toBeUndefined()
  })
})
