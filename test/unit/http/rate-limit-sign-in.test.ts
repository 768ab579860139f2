/** Attempts that are refused cost their owner nothing, and what is not proven is nobody's. The clock stands still. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { writeRefreshToken } from "../../../src/auth/session/sessions.ts"
import { InvalidLoginCredentials, InvalidRefreshToken } from "../../../src/domain/errors/authentication.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type { SessionId } from "../../../src/domain/ids.ts"
import { RATE_LIMITS } from "../../../src/domain/user/rate-limits.ts"
import type { Route } from "../../../src/http/docs/reflect.ts"
import { limitSignIn } from "../../../src/http/limits/rate-limit-sign-in.ts"

type Body = Readonly<Record<string, unknown>>
type Outcome = Promise<string>

/** The buckets of one gateway. */
const bucketsOf = (told: Array<string>) =>
  limitSignIn({
    limits: RATE_LIMITS,
    monotonic: () => 1_000,
    addressesOf: () => Effect.succeed([]),
    onLimited: ({ bucket }) => void told.push(bucket),
    syncFault: () => undefined,
    charge: () => undefined,
    isLocal: ({ ip }) => ip === "127.0.0.1",
  })

/** Calls one operation: `answer` is null for a success. The outcome is `ok`, or the failure's bucket, or its tag. */
const limited = (operation: string, told: Array<string> = [], refine = bucketsOf(told)) => {
  const [resource, action] = operation.split(".")
  let answer: DomainError | null = null
  const handler = (_input: unknown, reply: { readonly ok: (answer: unknown) => void }) =>
    Effect.suspend(() => (answer === null ? Effect.sync(() => reply.ok("ok")) : Effect.fail(answer)))
  const route = refine({ operation: { resource, action }, handler } as unknown as Route)
  const handle = route.handler as unknown as (input: unknown, reply: unknown) => unknown
  const nameOf = (error: DomainError): string => {
    const { bucket } = error as { readonly bucket?: string }
    return bucket ?? error._tag
  }
  return (ip: string, body: Body, given: DomainError | null): Outcome =>
    new Promise((resolve) => {
      answer = given
      const fail = (error: DomainError): void => resolve(nameOf(error))
      const reply = { ok: () => resolve("ok"), fail, relay: fail, onDeadline: () => undefined }
      const running = handle({ body, request: { ip, principal: { userId: "owner" } } }, reply)
      if (Effect.isEffect(running))
        void Effect.runPromise(Effect.either(running as Effect.Effect<void, DomainError>)).then((done) => {
          if (done._tag === "Left") fail(done.left)
        })
    })
}

describe("a login that is refused", () => {
  const WRONG = new InvalidLoginCredentials()

  it("takes from no bucket: whoever goes on trying one account can still log in to another", async () => {
    const login = limited("auth.login")
    const outcomes: Array<string> = []
    for (let n = 0; n < 100; n++) outcomes.push(await login("203.0.113.1", { email: "one@example.com" }, WRONG))
    expect(outcomes.filter((outcome) => outcome === "InvalidLoginCredentials")).toHaveLength(5)
    expect(new Set(outcomes.slice(5))).toEqual(new Set(["login"]))
    expect(await login("203.0.113.1", { email: "two@example.com" }, null)).toBe("ok")
  })

  it("by what strangers did from the address is not known to who has logged in there", async () => {
    const login = limited("auth.login")
    expect(await login("203.0.113.1", { email: "owner@example.com" }, null)).toBe("ok")
    const sprayed: Array<string> = []
    for (let n = 0; n < 60; n++) sprayed.push(await login("203.0.113.1", { email: `user-${n}@example.com` }, WRONG))
    expect(sprayed.at(-1)).toBe("loginAddress")
    expect(await login("203.0.113.1", { email: "owner@example.com" }, null)).toBe("ok")
    // Its own bucket holds all the same.
    for (let n = 0; n < 3; n++) await login("203.0.113.1", { email: "owner@example.com" }, WRONG)
    expect(await login("203.0.113.1", { email: "owner@example.com" }, WRONG)).toBe("login")
  })
})

describe("a change of the user", () => {
  it("tries as many current passwords as logins from anywhere may, and changes without one are not counted", async () => {
    const update = limited("auth.update")
    const outcomes: Array<string> = []
    for (let n = 0; n < 60; n++)
      outcomes.push(await update(`203.0.113.${n}`, { currentPassword: `guess ${n}` }, new InvalidLoginCredentials()))
    expect(outcomes.filter((outcome) => outcome === "InvalidLoginCredentials")).toHaveLength(50)
    expect(outcomes.at(-1)).toBe("loginAccount")
    expect(await update("203.0.113.1", { metadata: {} }, null)).toBe("ok")
  })
})

describe("a refresh", () => {
  const token = (counter: number) =>
    writeRefreshToken("0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f" as SessionId, counter, Buffer.alloc(32))

  it("that nobody proved keeps the session's owner from nothing, and those of the owner are counted", async () => {
    const refresh = limited("auth.refresh")
    for (let n = 0; n < 100; n++)
      expect(await refresh("203.0.113.1", { refreshToken: token(n) }, new InvalidRefreshToken())).toBe(
        "InvalidRefreshToken",
      )
    const outcomes: Array<string> = []
    for (let n = 0; n < 31; n++) outcomes.push(await refresh("198.51.100.1", { refreshToken: token(n) }, null))
    expect(outcomes).toEqual([...Array.from({ length: 30 }, () => "ok"), "refresh"])
  })
})

describe("a sign-up", () => {
  it("is counted by its address", async () => {
    const signup = limited("auth.signup")
    for (let n = 0; n < 5; n++) expect(await signup("203.0.113.1", {}, null)).toBe("ok")
    expect(await signup("203.0.113.1", {}, null)).toBe("signup")
    expect(await signup("203.0.113.2", {}, null)).toBe("ok")
  })

  it("by the console's door is counted in the same bucket, and so are mailed tokens and guesses of a password", async () => {
    const refine = bucketsOf([])
    const guess = { currentPassword: "a guess" }
    for (const act of ["signup", "verify", "reauthenticate"]) {
      const [api, console] = [limited(`auth.${act}`, [], refine), limited(`console.${act}`, [], refine)]
      let last = "ok"
      for (let n = 0; n < 400 && last === "ok"; n++) last = await api("203.0.113.9", guess, null)
      expect(last).not.toBe("ok")
      expect(await console("203.0.113.9", guess, null)).toBe(last)
    }
  })

  // A proxy on the machine that adds no header makes all the world local.
  it("from the machine of the gateway has a bucket of its own: enough for a script, not for a crowd", async () => {
    const told: Array<string> = []
    const signup = limited("auth.signup", told)
    for (let n = 0; n < 60; n++) expect(await signup("127.0.0.1", {}, null)).toBe("ok")
    expect(told).toEqual([])
    expect(await signup("127.0.0.1", {}, null)).toBe("signupLocal")
    expect(told).toEqual(["signupLocal"])
    expect(await signup("203.0.113.1", {}, null)).toBe("ok")
  })
})
