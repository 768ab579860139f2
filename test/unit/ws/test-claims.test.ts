/** Tokens of the test profile: what signs them, when they hold, and what they say. */
import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import { claimsOf, connectionClaims, subscriptionClaims } from "../../../src/ws/test-profile/claims.ts"

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")
const signed = (header: unknown, claims: unknown, secret = "secret", hash = "sha256"): string => {
  const text = `${part(header)}.${part(claims)}`
  return `${text}.${createHmac(hash, secret).update(text).digest("base64url")}`
}
const token = (claims: unknown): string => signed({ alg: "HS256" }, claims)
const rules = { secret: "secret", now: 1000 }

describe("a token's signature", () => {
  it("is HS256 with our secret", () => {
    expect(claimsOf(token({ sub: "42" }), "secret")?.claims).toEqual({ sub: "42" })
  })

  it("of somebody else: a token from RFC 7515, appendix A.1", () => {
    const key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
    const example =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    expect(claimsOf(example, Buffer.from(key, "base64url"))?.claims).toMatchObject({ iss: "joe" })
  })

  const good = token({ sub: "42" })
  it.each([
    ["nothing", ""],
    ["no token", "invalid_token"],
    ["two parts", good.split(".").slice(0, 2).join(".")],
    ["four parts", `${good}.x`],
    ["no signature", `${good.split(".").slice(0, 2).join(".")}.`],
    ["another secret", signed({ alg: "HS256" }, { sub: "42" }, "other")],
    ["no algorithm", `${part({ alg: "none" })}.${part({ sub: "42" })}.`],
    ["another algorithm", signed({ alg: "HS512" }, { sub: "42" }, "secret", "sha512")],
    ["another algorithm by name only", signed({ alg: "RS256" }, { sub: "42" })],
    ["a header that is no object", signed([], { sub: "42" })],
    ["claims that are no object", signed({ alg: "HS256" }, [1])],
    ["other claims", [good.split(".")[0], part({ sub: "43" }), good.split(".")[2]].join(".")],
  ])("is not: %s", (_what, wrong) => {
    expect(claimsOf(wrong, "secret")).toBeUndefined()
    expect(connectionClaims(wrong, rules)).toBe("invalid")
  })
})

describe("a token's time", () => {
  it.each([
    [{}, null],
    [{ exp: 1001 }, 1001],
    [{ exp: 1000 }, "expired"],
    [{ nbf: 1000 }, null],
    [{ nbf: 1001 }, "expired"],
    [{ exp: 1001, expire_at: 0 }, null],
    [{ exp: 1001, expire_at: 5000 }, 5000],
    [{ exp: "1001" }, "invalid"],
    [{ iat: "now" }, "invalid"],
  ])("%j", (claims, expected) => {
    const found = connectionClaims(token(claims), rules)
    expect(typeof found === "string" ? found : found.expiresAt).toBe(expected)
  })
})

describe("what a token says", () => {
  it("of a connection", () => {
    const claims = {
      sub: "42",
      info: { a: 1 },
      channels: ["a", "b"],
      subs: { b: { info: 7 }, c: { b64data: Buffer.from("[ 1 ]").toString("base64") } },
      meta: { any: 1 },
    }
    const none = { info: null, data: null, expiresAt: null }
    expect(connectionClaims(token(claims), rules)).toEqual({
      user: "42",
      expiresAt: null,
      info: '{"a":1}',
      channels: [
        { ...none, channel: "a" },
        { ...none, channel: "b", info: "7" },
        // As it was signed, spaces and all.
        { ...none, channel: "c", data: "[ 1 ]" },
      ],
    })
    expect(connectionClaims(token({}), rules)).toEqual({ user: "", expiresAt: null, info: null, channels: [] })
  })

  it("of a subscription", () => {
    const claims = { sub: "42", channel: "a", client: "c", info: null, data: "x" }
    expect(subscriptionClaims(token(claims), rules)).toEqual({
      user: "42",
      channel: "a",
      client: "c",
      expiresAt: null,
      info: null,
      data: '"x"',
    })
  })

  it.each([
    { sub: 42 },
    { channels: "a" },
    { channels: [1] },
    { subs: ["a"] },
    { subs: { a: 7 } },
    { meta: "x" },
    { b64info: Buffer.from("no json").toString("base64") },
  ])("nothing, when a claim has a type of its own: %j", (claims) => {
    expect(connectionClaims(token(claims), rules)).toBe("invalid")
  })
})
