/** The words of the operators' command line. */
import { describe, expect, it } from "vitest"
import { parseCommand } from "../../../src/admin/commands.ts"

const parse = (words: string) => parseCommand(words.split(" ").filter((word) => word !== ""))

describe("a command line", () => {
  it("names a command, a user and what the command needs", () => {
    const email = "ada@example.com"
    expect(parse(`user ${email}`)).toEqual({ _tag: "Show", email })
    expect(parse(`grant ${email} admin`)).toEqual({ _tag: "Grant", email, permission: "admin" })
    expect(parse(`revoke ${email} write`)).toEqual({ _tag: "Revoke", email, permission: "write" })
    expect(parse(`ban ${email}`)).toEqual({ _tag: "Ban", email, reason: null })
    expect(parse(`ban ${email} stolen account`)).toEqual({ _tag: "Ban", email, reason: "stolen account" })
    expect(parse(`unban ${email}`)).toEqual({ _tag: "Unban", email })
    expect(parse(`sign-out ${email}`)).toEqual({ _tag: "SignOut", email })
  })

  it.each([
    "",
    "user",
    "user ada",
    "user ada@example.com more",
    "grant ada@example.com",
    "grant ada@example.com root",
    "grant ada@example.com admin now",
    "remove ada@example.com",
    "unban ada@example.com now",
  ])("is refused as %j", (words) => {
    expect(parse(words)).toBeUndefined()
  })
})
