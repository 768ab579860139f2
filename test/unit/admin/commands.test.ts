/** The words of the operators' command line. */
import { describe, expect, it } from "vitest"
import { apiKeyCommandOf, parseCommand } from "../../../src/admin/words.ts"

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
    expect(parse(`second-factor ${email} reset`)).toEqual({ _tag: "ResetSecondFactor", email })
    expect(parse(`user move ${email} harbour`)).toEqual({ _tag: "Move", email, tenantId: "harbour" })
    expect(parse(`environments ${email} uat,PROD`)).toEqual({
      _tag: "Environments",
      email,
      environments: ["PROD", "UAT"],
    })
    expect(parse(`environments ${email} none`)).toEqual({ _tag: "Environments", email, environments: [] })
  })

  it("names tenants, users of one or all, and networks of either", () => {
    expect(parse("tenant list")).toEqual({ _tag: "Tenants" })
    expect(parse("tenant create harbour")).toEqual({ _tag: "CreateTenant", tenantId: "harbour" })
    expect(parse("user list")).toEqual({ _tag: "Users", tenantId: null })
    expect(parse("user list harbour")).toEqual({ _tag: "Users", tenantId: "harbour" })
    const owner = { email: "ada@example.com" }
    expect(parse("ip-allow ada@example.com list")).toEqual({ _tag: "Networks", owner })
    for (const network of ["203.0.113.7", "203.0.113.7/24", "0.0.0.0/0", "2001:db8::/32", "::1"])
      expect(parse(`ip-allow ada@example.com add ${network}`)).toEqual({ _tag: "AllowNetwork", owner, network })
    expect(parse("ip-allow harbour remove 10.0.0.0/8")).toEqual({
      _tag: "ForgetNetwork",
      owner: { tenantId: "harbour" },
      network: "10.0.0.0/8",
    })
  })

  it("names a user's API keys: a list, one to create with its limits, one or all to end", () => {
    const email = "ada@example.com"
    expect(parse(`api-key ${email} list`)).toEqual({ _tag: "ApiKeys", email })
    const made = { _tag: "CreateApiKey", email, name: "bot", scope: "trade" }
    expect(parse(`api-key ${email} create bot trade`)).toEqual({ ...made, ipAllow: null, days: null })
    expect(parse(`api-key ${email} create bot trade days=90 from=203.0.113.7,2001:db8::/32`)).toEqual({
      ...made,
      ipAllow: ["203.0.113.7", "2001:db8::/32"],
      days: 90,
    })
    const keyId = "0197f3a0-0000-7000-8000-000000000001"
    expect(parse(`api-key ${email} revoke ${keyId}`)).toEqual({ _tag: "RevokeApiKey", email, keyId })
    expect(parse(`api-key ${email} revoke all`)).toEqual({ _tag: "RevokeApiKey", email, keyId: null })
  })

  it.each([
    "api-key",
    "api-key ada@example.com",
    "api-key ada list",
    "api-key ada@example.com list all",
    "api-key ada@example.com create",
    "api-key ada@example.com create bot",
    "api-key ada@example.com create bot write",
    "api-key ada@example.com create bot read days=0",
    "api-key ada@example.com create bot read days=1 days=2",
    "api-key ada@example.com create bot read from=example.com",
    "api-key ada@example.com create bot read until=never",
    "api-key ada@example.com revoke",
    "api-key ada@example.com revoke bot",
    "api-key ada@example.com revoke all now",
    "",
    "user",
    "user ada",
    "user ada@example.com more",
    "grant ada@example.com",
    "grant ada@example.com root",
    "grant ada@example.com admin now",
    "remove ada@example.com",
    "unban ada@example.com now",
    "second-factor ada@example.com",
    "second-factor ada@example.com remove",
    "user move ada@example.com",
    "user move harbour ada@example.com",
    "environments ada@example.com",
    "environments ada@example.com PROD,TEST",
    "tenant",
    "tenant create",
    "tenant create a/b",
    "tenant create ada@example.com",
    "tenant list all",
    "ip-allow ada@example.com",
    "ip-allow ada@example.com add",
    "ip-allow ada@example.com add example.com",
    "ip-allow ada@example.com add 10.0.0.0/33",
    "ip-allow ada@example.com add 10.0.0/8",
    "ip-allow ada@example.com add 2001:db8::/129",
    "ip-allow ada@example.com add ::ffff:10.0.0.1",
    "ip-allow ada@example.com add fe80::1%eth0",
    "ip-allow ada@example.com drop 10.0.0.0/8",
    "ip-allow ada@example.com add 10.0.0.0/8 10.1.0.0/16",
  ])("is refused as %j", (words) => {
    expect(parse(words)).toBeUndefined()
  })
})

describe("what is wrong about an API key's words is told, with the word and what would be right", () => {
  it.each([
    ["ada list", '"ada": the user\'s e-mail address'],
    ["ada@example.com make bot", '"make": must be list, create or revoke'],
    ["ada@example.com create", "create: the key needs a NAME, then a scope"],
    ["ada@example.com create bot", "the scope is missing: one of read, trade, admin"],
    ["ada@example.com create bot write", 'the scope "write": one of read, trade, admin'],
    ["ada@example.com create bot read days=0", "days=0: a whole number from 1 to 9999"],
    ["ada@example.com create bot read days=1 days=2", "days=2: days= is given twice"],
    [
      "ada@example.com create bot read from=::1,example.com",
      'from=::1,example.com: "example.com" is not an IP address or a CIDR such as 203.0.113.0/24 or 2001:db8::/32',
    ],
    [
      "ada@example.com create bot read until=never",
      '"until=never": only from=ADDRESS,… and days=N may follow the scope',
    ],
    ["ada@example.com revoke bot", 'revoke "bot": the key\'s id, as `list` tells it, or all'],
    [`ada@example.com create ${"n".repeat(65)} read`, `the name "${"n".repeat(65)}" has 65 characters: at most 64`],
  ])("%s", (words, fault) => expect(apiKeyCommandOf(words.split(" "))).toBe(fault))
})
