/**
 * Sessions on a real database and a clock that tests turn: refresh tokens that come again (scoreboard S4), the ends of a session, hashes
 * that grow stronger, users who never proved their address.
 */

import { randomBytes, randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hash } from "@node-rs/argon2"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeAudit, type Origin } from "../../../src/auth/audit-log.ts"
import { type Keys, loadKeys } from "../../../src/auth/keys/keys.ts"
import { type Envelope, open, placeIn } from "../../../src/auth/keys/secrets.ts"
import { makePasswords } from "../../../src/auth/proof/passwords.ts"
import { readRefreshToken, Sessions, writeRefreshToken } from "../../../src/auth/session/sessions.ts"
import { UserActs, userActsLayer } from "../../../src/auth/user/user-acts.ts"
import { readSettings } from "../../../src/config.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type { SessionId } from "../../../src/domain/ids.ts"
import type { SessionRecord } from "../../../src/domain/user/user.ts"
import { idsLive } from "../../../src/live.ts"
import { Clock } from "../../../src/ports/clock.ts"
import { actsLayer } from "../../../src/store/audit/acts.ts"
import { NewsBell } from "../../../src/store/postgres/news-bell.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { SessionRows } from "../../../src/store/users/sessions.ts"
import { Users } from "../../../src/store/users/users.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { OPERATOR } from "../../kit/servers/operator.ts"
import { query } from "../store/account-store-rig.ts"

const database = withTestDatabase()
const dataDir = mkdtempSync(join(tmpdir(), "sessions-"))
const HOUR = 3_600_000
const DAY = 24 * HOUR
const PASSWORD = "correct-horse-battery"
const origin: Origin = { ip: "127.0.0.1", userAgent: null, requestId: "r" }

let now = Date.parse("2026-03-01T00:00:00Z")
let keys: Keys

const layerOf = (env: Readonly<Record<string, string>>) => {
  const settings = readSettings({ DATA_DIR: dataDir, ...env })
  const audit = makeAudit({ line: null, secret: () => keys.addresses[0], now: () => now })
  const bell = Layer.succeed(NewsBell, { onRing: () => undefined })
  const clock = Layer.succeed(Clock, { now: () => now, monotonic: () => performance.now() })
  return userActsLayer({ settings, keys, audit }).pipe(
    Layer.provide(
      Layer.mergeAll(
        Users.Default,
        SessionRows.Default,
        actsLayer({ told: () => undefined, now: () => now, uuid: randomUUID }),
      ),
    ),
    Layer.provide(Layer.mergeAll(bell, clock, idsLive, sqlLayer(database().url))),
  )
}
const start = (env: Readonly<Record<string, string>> = {}) => ManagedRuntime.make(layerOf(env))

let gateway: ReturnType<typeof start>
let sessions: Sessions["Type"]
let signIn: UserActs["Type"]["signIn"]
beforeAll(async () => {
  keys = loadKeys(readSettings({ DATA_DIR: dataDir }))
  await query(database().url, "INSERT INTO encryption_key VALUES ($1, 0)", [keys.encryption.activeKid])
  gateway = start()
  sessions = await gateway.runPromise(Sessions)
  signIn = (await gateway.runPromise(UserActs)).signIn
})
afterAll(async () => {
  await gateway.dispose()
  rmSync(dataDir, { recursive: true })
})

/** What became of it: a record, or the failure's tag. */
const outcome = async <A>(work: Effect.Effect<A, DomainError>): Promise<A | DomainError["_tag"]> => {
  const result = await Effect.runPromise(Effect.either(work))
  return Either.isRight(result) ? result.right : result.left._tag
}
const signUp = async (email = `user-${randomUUID()}@example.com`): Promise<SessionRecord> =>
  (await Effect.runPromise(
    signIn.signup({ email, password: PASSWORD, metadata: {}, setupToken: null }, origin, OPERATOR),
  )) as SessionRecord
const refresh = (token: string) => outcome(sessions.refresh(token, origin))
const refreshed = async (token: string): Promise<SessionRecord> => {
  const record = await refresh(token)
  if (typeof record === "string") throw new Error(record)
  return record
}
const login = (email: string, password = PASSWORD) => outcome(signIn.login({ email, password, totpCode: null }, origin))
/** Undefined: the access token is good. */
const refusalOf = (accessToken: string): string | undefined => {
  const verified = sessions.verify(accessToken, origin)
  return "_tag" in verified ? verified._tag : undefined
}

describe("a new installation", () => {
  it("has no account that was there from the beginning", async () => {
    expect(await query(database().url, "SELECT email FROM app_user")).toEqual([])
    for (const name of ["admin", "root", "test", "postgres", "gateway", "admin@example.com", "admin@localhost"])
      for (const password of ["admin", "password", ""])
        expect([name, await login(name, password)]).toEqual([name, "InvalidLoginCredentials"])
  })
})

describe("a refresh token that comes again", () => {
  it("within 10 s is a lost answer: the same next token, and the session goes on", async () => {
    const first = await signUp()
    const second = await refreshed(first.refreshToken)
    now += 10_000
    const again = await refreshed(first.refreshToken)
    expect(again.refreshToken).toBe(second.refreshToken)
    expect(refusalOf(again.accessToken)).toBeUndefined()
    expect(typeof (await refresh(second.refreshToken))).toBe("object")
  })

  it("after 10 s is a theft: the session is over, with its access tokens and whoever listens for its sockets", async () => {
    const first = await signUp()
    const second = await refreshed(first.refreshToken)
    const ended: Array<SessionId> = []
    sessions.onEnded((sessionId) => ended.push(sessionId))
    now += 10_001
    expect(await refresh(first.refreshToken)).toBe("RefreshTokenReused")
    for (const { accessToken } of [first, second]) expect(refusalOf(accessToken)).toBe("SessionRevoked")
    expect(ended).toEqual([readRefreshToken(first.refreshToken)?.sessionId])
    expect(await refresh(second.refreshToken)).toBe("InvalidRefreshToken")
  })

  it("from before the last one is a theft at once", async () => {
    const first = await signUp()
    const second = await refreshed(first.refreshToken)
    const third = await refreshed(second.refreshToken)
    expect(await refresh(first.refreshToken)).toBe("RefreshTokenReused")
    expect(refusalOf(third.accessToken)).toBe("SessionRevoked")
    expect(await refresh(third.refreshToken)).toBe("InvalidRefreshToken")
  })

  it("with a counter that nobody gave it proves nothing and harms nobody", async () => {
    const { accessToken, refreshToken } = await signUp()
    const claim = readRefreshToken(refreshToken)
    if (claim === undefined) throw new Error("not a refresh token")
    for (const counter of [0, 1, 2, 9, 2 ** 47])
      expect(await refresh(writeRefreshToken(claim.sessionId, counter, randomBytes(32)))).toBe("InvalidRefreshToken")
    // Even with the session's own key, as our own mistake would make it: one ahead of its time is nobody's.
    const [row] = await query(database().url, "SELECT user_id, refresh_key FROM session WHERE session_id = $1", [
      claim.sessionId,
    ])
    const envelope = JSON.parse(String(row?.["refresh_key"])) as Envelope
    const key = open(keys.encryption, placeIn("session", claim.sessionId, String(row?.["user_id"])), envelope)
    expect(await refresh(writeRefreshToken(claim.sessionId, 2, key))).toBe("InvalidRefreshToken")
    expect(refusalOf(accessToken)).toBeUndefined()
    expect(typeof (await refresh(refreshToken))).toBe("object")
  })

  it("fifty times at once makes one chain: one next token for all of them", async () => {
    const { refreshToken } = await signUp()
    const answers = await Promise.all(Array.from({ length: 50 }, () => refreshed(refreshToken)))
    expect(new Set(answers.map((answer) => answer.refreshToken)).size).toBe(1)
    for (const { accessToken } of answers) expect(refusalOf(accessToken)).toBeUndefined()
    const next = await refreshed(answers[0]?.refreshToken ?? "")
    now += 11_000
    expect(await refresh(answers[49]?.refreshToken ?? "")).toBe("RefreshTokenReused")
    expect(refusalOf(next.accessToken)).toBe("SessionRevoked")
  })
})

describe("a session", () => {
  it("is over when it was not refreshed for a week", async () => {
    const first = await signUp()
    now += 7 * DAY
    const second = await refreshed(first.refreshToken)
    now += 7 * DAY + 1
    expect(await refresh(second.refreshToken)).toBe("RefreshTokenExpired")
  })

  it("is over a month after its login however often it was refreshed, and its last access token with it", async () => {
    const beganAt = now
    let session = await signUp()
    while (now < beganAt + 29 * DAY) {
      now += DAY
      session = await refreshed(session.refreshToken)
    }
    now = beganAt + 30 * DAY - 60_000
    session = await refreshed(session.refreshToken)
    expect([session.expiresIn, session.expiresAt]).toEqual([60, Math.floor((beganAt + 30 * DAY) / 1000)])
    now += 70_000
    expect(await refresh(session.refreshToken)).toBe("RefreshTokenExpired")
    expect(refusalOf(session.accessToken)).toBe("AccessTokenExpired")
  })

  it("goes by shorter terms as soon as there are any", async () => {
    const [one, two] = [await signUp(), await signUp()]
    now += 3 * HOUR
    for (const [env, { refreshToken }] of [
      [{ SESSION_MAX_HOURS: "2" }, one],
      [{ SESSION_IDLE_HOURS: "2" }, two],
    ] as const) {
      const strict = start(env)
      const work = Effect.flatMap(Sessions, (it) => Effect.flip(it.refresh(refreshToken, origin)))
      expect((await strict.runPromise(work))._tag).toBe("RefreshTokenExpired")
      await strict.dispose()
    }
    expect(typeof (await refresh(one.refreshToken))).toBe("object")
  })
})

describe("a login", () => {
  const hashOf = async (email: string) =>
    String(
      (await query(database().url, "SELECT password_hash FROM app_user WHERE email = $1", [email]))[0]?.[
        "password_hash"
      ],
    )

  it("hashes anew what was hashed with less work, without ending a session, even when two come at once", async () => {
    const { user, refreshToken } = await signUp()
    const weak = await hash(PASSWORD, { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    await query(database().url, "UPDATE app_user SET password_hash = $1 WHERE email = $2", [weak, user.email])
    expect(await login(user.email, "not the password")).toBe("InvalidLoginCredentials")
    expect(await hashOf(user.email), "only whoever knows it").toBe(weak)
    const answers = await Promise.all(Array.from({ length: 6 }, () => login(user.email)))
    expect(answers.filter((answer) => typeof answer === "string")).toEqual([])
    const strong = await hashOf(user.email)
    expect(strong).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(typeof (await login(user.email))).toBe("object")
    expect(await hashOf(user.email), "once").toBe(strong)
    expect(typeof (await refresh(refreshToken))).toBe("object")
  })

  it("is put off when too many hash at once, and none of those that wait is lost", async () => {
    const passwords = await Effect.runPromise(makePasswords)
    const all = await Promise.all(
      Array.from({ length: 100 }, () => Effect.runPromise(Effect.either(passwords.verify(PASSWORD, null)))),
    )
    const refused = all.filter(Either.isLeft)
    expect(refused.length).toBe(36)
    for (const { left } of refused) expect(left).toMatchObject({ _tag: "RateLimited", retryAfterSeconds: 1 })
    expect(passwords.waiting()).toBe(0)
  })
})

describe("a user who never proved the address", () => {
  it("is removed in time, and comes back as somebody new to whom nothing is told", async () => {
    const confirming = start({ SIGNUP: "confirm" })
    const acts = await confirming.runPromise(UserActs)
    const signup = (email: string) =>
      Effect.runPromise(
        acts.signIn.signup({ email, password: PASSWORD, metadata: {}, setupToken: null }, origin, OPERATOR),
      )
    const [left, banned, proven] = ["left", "banned", "proven"].map((word) => `${word}-${randomUUID()}@example.com`)
    const shape = (user: unknown) => Object.keys(user as object).sort()
    const before = await signup(left ?? "")
    await signup(banned ?? "")
    await query(database().url, "UPDATE app_user SET banned_at = 1 WHERE email = $1", [banned])
    await signUp(proven)
    await confirming.dispose()
    const emails = async () =>
      (await query(database().url, "SELECT email FROM app_user ORDER BY email")).map(({ email }) => String(email))
    now += 7 * DAY - 1
    const early = start({ SIGNUP: "confirm" })
    await early.runPromise(UserActs)
    await early.dispose()
    expect(await emails()).toContain(left)

    now += 2
    const kept = start({ SIGNUP: "confirm", UNCONFIRMED_DAYS: "0" })
    await kept.runPromise(UserActs)
    await kept.dispose()
    expect(await emails()).toContain(left)

    const late = start({ SIGNUP: "confirm" })
    const later = await late.runPromise(UserActs)
    await expect.poll(emails).not.toContain(left)
    expect(await emails()).toEqual(expect.arrayContaining([banned, proven]))
    const again = await Effect.runPromise(
      later.signIn.signup({ email: left ?? "", password: PASSWORD, metadata: {}, setupToken: null }, origin, OPERATOR),
    )
    expect(shape(again)).toEqual(shape(before))
    await late.dispose()
  })
})
