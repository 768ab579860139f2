/** Users of two processes on one database: what one stores the other hears of, and neither takes it from the other. */
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeAudit, type Origin } from "../../../src/auth/audit-log.ts"
import { type Keys, loadKeys } from "../../../src/auth/keys/keys.ts"
import { Sessions } from "../../../src/auth/session/sessions.ts"
import { UserActs, userActsLayer } from "../../../src/auth/user/user-acts.ts"
import { readSettings } from "../../../src/config.ts"
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
      return "_tag" in found ? found._tag : found
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
