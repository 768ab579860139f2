/** Users of two processes on one database: what one stores the other hears of, and neither takes it from the other. */
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Layer, ManagedRuntime, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeAudit, type Origin } from "../../../src/auth/audit-log.ts"
import { type Keys, loadKeys } from "../../../src/auth/keys/keys.ts"
import { Sessions } from "../../../src/auth/session/sessions.ts"
import { makeLearn, Unseen } from "../../../src/auth/session/unseen.ts"
import { UserActs, userActsLayer } from "../../../src/auth/user/user-acts.ts"
import { readSettings } from "../../../src/config.ts"
import type { SessionId } from "../../../src/domain/ids.ts"
import type { SessionPrincipal, SessionRecord } from "../../../src/domain/user/user.ts"
import { clockLive, idsLive } from "../../../src/live.ts"
import { actsLayer } from "../../../src/store/audit/acts.ts"
import { NewsBell } from "../../../src/store/postgres/news-bell.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { SessionRows } from "../../../src/store/users/sessions.ts"
import { UserNews } from "../../../src/store/users/user-changes.ts"
import { Users } from "../../../src/store/users/users.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { until } from "../../kit/servers/gateway.ts"
import { OPERATOR } from "../../kit/servers/operator.ts"
import { query } from "../store/account-store-rig.ts"

const database = withTestDatabase()
const dataDir = mkdtempSync(join(tmpdir(), "two-processes-"))
const PASSWORD = "correct-horse-battery"
const origin: Origin = { ip: "127.0.0.1", userAgent: null, requestId: "r" }
let keys: Keys

/** A process with a memory of its own; both have the installation's keys. */
const processOf = async () => {
  const settings = readSettings({ DATA_DIR: dataDir })
  const audit = makeAudit({ line: null, secret: () => keys.addresses[0], now: Date.now })
  const listeners: Array<() => void> = []
  const bell = Layer.succeed(NewsBell, { onRing: (listener) => void listeners.push(listener) })
  const stores = Layer.mergeAll(
    Users.Default,
    SessionRows.Default,
    actsLayer({ told: () => undefined, now: Date.now, uuid: randomUUID }),
  )
  const runtime = ManagedRuntime.make(
    userActsLayer({ settings, keys, audit }).pipe(
      Layer.provide(stores),
      Layer.provide(Layer.mergeAll(bell, clockLive, idsLive, sqlLayer(database().url))),
    ),
  )
  const sessions = await runtime.runPromise(Sessions)
  return {
    sessions,
    acts: await runtime.runPromise(UserActs),
    ring: () => {
      for (const listener of listeners) listener()
    },
    /** The caller, or why there is none. */
    callerOf: (accessToken: string): SessionPrincipal | string => {
      const found = sessions.authenticate(`Bearer ${accessToken}`, origin)
      return found instanceof Unseen ? "unseen" : "_tag" in found ? found._tag : found
    },
    /** As the edges do it: read, where it must be, and asked again. */
    learnt: async (accessToken: string): Promise<SessionPrincipal | string> => {
      const found = sessions.authenticate(`Bearer ${accessToken}`, origin)
      if (found instanceof Unseen) {
        const failure = await new Promise<{ readonly _tag: string } | undefined>((done) => found.learn(done))
        if (failure !== undefined) return failure._tag
      }
      const again = sessions.authenticate(`Bearer ${accessToken}`, origin)
      return again instanceof Unseen ? again.failure._tag : "_tag" in again ? again._tag : again
    },
    dispose: () => runtime.dispose(),
  }
}
type Process = Awaited<ReturnType<typeof processOf>>

let first: Process
const others: Array<Process> = []
beforeAll(async () => {
  keys = loadKeys(readSettings({ DATA_DIR: dataDir }))
  await query(database().url, "INSERT INTO encryption_key VALUES ($1, 0)", [keys.encryption.activeKid])
  first = await processOf()
})
afterAll(async () => {
  for (const { dispose } of [first, ...others]) await dispose()
  rmSync(dataDir, { recursive: true })
})
const another = async (): Promise<Process> => {
  const started = await processOf()
  others.push(started)
  return started
}

const signUp = async (): Promise<SessionRecord> =>
  (await Effect.runPromise(
    first.acts.signIn.signup(
      { email: `user-${randomUUID()}@example.com`, password: PASSWORD, metadata: {}, setupToken: null },
      origin,
      OPERATOR,
    ),
  )) as SessionRecord
const principalOf = (it: Process, { accessToken }: SessionRecord): SessionPrincipal => {
  const caller = it.callerOf(accessToken)
  if (typeof caller === "string") throw new Error(caller)
  return caller
}

describe("news of users", () => {
  it("reach every process: an end of sessions and a list of addresses, by one of them", async () => {
    const [gone, barred, admin] = [await signUp(), await signUp(), await signUp()]
    const [second, third] = [await another(), await another()]
    const isRefused = (accessToken: string) => (it: Process) => typeof it.callerOf(accessToken) === "string"
    expect([second, third].map(isRefused(gone.accessToken))).toEqual([false, false])
    await Effect.runPromise(first.sessions.logout(principalOf(first, gone), "global", origin))
    const { userId } = principalOf(first, barred)
    await query(database().url, "UPDATE app_user SET permissions = '{admin,write,read}' WHERE user_id = $1", [
      principalOf(first, admin).userId,
    ])
    await Effect.runPromise(first.acts.networks.allow(principalOf(first, admin), userId, "10.0.0.0/8", OPERATOR))
    // Whoever reads first leaves it for the others.
    for (const each of [second, third, first]) {
      each.ring()
      await until("news to be heard", async () => [gone, barred].every((it) => isRefused(it.accessToken)(each)))
    }
    expect(third.callerOf(barred.accessToken)).toBe("IpForbidden")
  })

  it("are told once to each reader, those too that were committed after later ones", async () => {
    const store = ManagedRuntime.make(UserNews.Default.pipe(Layer.provide(sqlLayer(database().url))))
    const [slow, quick] = [new pg.Client(database().url), new pg.Client(database().url)]
    try {
      for (const client of [slow, quick]) await client.connect()
      const [early, late, last] = [randomUUID(), randomUUID(), randomUUID()]
      const known = new Set<string>([early, late, last])
      const leave = (client: pg.Client, id: string) => client.query("INSERT INTO user_news (user_id) VALUES ($1)", [id])
      const news = await store.runPromise(UserNews)
      const [one, other] = await store.runPromise(Effect.all([news.follow, news.follow]))
      // Of before it began a reader may hear as well: another transaction of the server may be older still.
      const heard = async (reader = one): Promise<ReadonlyArray<string>> =>
        [...(await store.runPromise(reader.read)).users].filter((id) => known.has(id))
      await slow.query("BEGIN")
      await leave(slow, early)
      await leave(quick, late)
      expect(await heard()).toEqual([late])
      expect(await heard()).toEqual([])
      await slow.query("COMMIT")
      await leave(quick, last)
      expect(new Set(await heard())).toEqual(new Set([early, last]))
      expect(await heard()).toEqual([])
      expect(new Set(await heard(other))).toEqual(new Set([early, late, last]))
      // What is old is forgotten, and nothing else.
      await quick.query("UPDATE user_news SET at = now() - interval '61 minutes' WHERE user_id = $1", [late])
      await store.runPromise(news.forgetOld())
      const left = await quick.query("SELECT user_id FROM user_news WHERE user_id = ANY ($1)", [[early, late, last]])
      expect(left.rows.map((row) => row.user_id)).toEqual([early, last])
    } finally {
      for (const client of [slow, quick]) await client.end()
      await store.dispose()
    }
  })
})

describe("a session", () => {
  it("that another process began is read when it is first asked in, and so is its next proof", async () => {
    const second = await another()
    const [record, others] = [await signUp(), await Promise.all(Array.from({ length: 3 }, signUp))]
    expect(second.callerOf(record.accessToken)).toBe("unseen")
    expect(await second.learnt(record.accessToken)).toMatchObject({ sessionId: principalOf(first, record).sessionId })
    expect(principalOf(second, record).userId).toBe(record.user.id)
    expect(await Promise.all(others.map((it) => second.learnt(it.accessToken)))).toMatchObject(
      others.map(({ user }) => ({ userId: user.id })),
    )
    // Its user proves anew at the first who that is: tokens of before are good no longer, at the second neither.
    const proven = await Effect.runPromise(
      first.acts.reauthentication.reauthenticate(
        principalOf(first, record),
        { currentPassword: PASSWORD, totpCode: null },
        origin,
      ),
    )
    expect(second.callerOf(proven.accessToken)).toBe("unseen")
    expect(await second.learnt(proven.accessToken)).toMatchObject({ userId: record.user.id })
    expect(second.callerOf(record.accessToken)).toBe("AccessTokenExpired")
  })

  it("has the second factor here once it was confirmed in it at another process", async () => {
    const record = await signUp()
    const second = await another()
    expect(principalOf(second, record).secondFactor).toBe("none")
    const { sessionId } = principalOf(first, record)
    await query(
      database().url,
      `UPDATE app_user SET second_factor_at = 1 WHERE user_id = '${record.user.id}';
       UPDATE session SET second_factor = true WHERE session_id = '${sessionId}';
       INSERT INTO user_news (user_id) VALUES ('${record.user.id}')`,
    )
    second.ring()
    await until("the news", () => principalOf(second, record).secondFactor !== "none")
    expect(principalOf(second, record).secondFactor).toBe("proven")
  })

  it("that is over is read once, and one that is made up never", async () => {
    const second = await another()
    const [over, banned] = [await signUp(), await signUp()]
    await Effect.runPromise(first.sessions.logout(principalOf(first, over), "local", origin))
    await query(database().url, "UPDATE app_user SET banned_at = 1 WHERE user_id = $1", [banned.user.id])
    for (const { accessToken } of [over, banned]) {
      expect(second.callerOf(accessToken)).toBe("unseen")
      expect(await second.learnt(accessToken)).toBe("SessionRevoked")
      expect(second.callerOf(accessToken)).toBe("SessionRevoked")
    }
    const [head, claims, mac] = (await signUp()).accessToken.split(".") as [string, string, string]
    expect(second.callerOf([head, claims, [...mac].reverse().join("")].join("."))).toBe("InvalidAccessToken")
  })

  it("is read once for all that ask, and of more than 64 at a time it is said that they are too many", async () => {
    let goOn = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const read: Array<SessionId> = []
    const scope = await Effect.runPromise(Scope.make())
    const learn = await Effect.runPromise(
      makeLearn((sessionId) =>
        Effect.zipRight(
          Effect.sync(() => void read.push(sessionId)),
          Effect.promise(() => gate),
        ),
      ).pipe(Scope.extend(scope)),
    )
    const learnt = (name: number) =>
      new Promise<string>((done) => learn(`${name}` as SessionId, (failure) => done(failure?._tag ?? "read")))
    const asked = [1, 1, ...Array.from({ length: 63 }, (_, index) => index + 2)].map(learnt)
    expect(await learnt(65)).toBe("Busy")
    goOn()
    expect(new Set(await Promise.all(asked))).toEqual(new Set(["read"]))
    expect([read.length, await learnt(65)]).toEqual([64, "read"])
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
})
