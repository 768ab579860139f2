/** Acts of admins that meet each other, on a real database: what one of them has changed, the next one finds, and so does memory. */
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { makeAudit, type Origin } from "../../../src/auth/audit-log.ts"
import { loadKeys } from "../../../src/auth/keys/keys.ts"
import { Sessions } from "../../../src/auth/session/sessions.ts"
import { UserActs, userActsLayer } from "../../../src/auth/user/user-acts.ts"
import { readSettings } from "../../../src/config.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type { TenantId } from "../../../src/domain/ids.ts"
import type { Actor } from "../../../src/domain/user/act.ts"
import type { SessionPrincipal, SessionRecord } from "../../../src/domain/user/user.ts"
import { idsLive } from "../../../src/live.ts"
import { Clock } from "../../../src/ports/clock.ts"
import { actsLayer } from "../../../src/store/audit/acts.ts"
import { NewsBell } from "../../../src/store/postgres/news-bell.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { SessionRows } from "../../../src/store/users/sessions.ts"
import { Users } from "../../../src/store/users/users.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { until } from "../../kit/servers/gateway.ts"
import { OPERATOR } from "../../kit/servers/operator.ts"
import { query } from "../store/account-store-rig.ts"

const database = withTestDatabase()
const dataDir = mkdtempSync(join(tmpdir(), "admin-acts-"))
const PASSWORD = "correct-horse-battery"

let ring: () => void = () => undefined
/** The next act is stored, and its caller never hears of it. */
let isAnswerLost = false

const start = () => {
  const settings = readSettings({ DATA_DIR: dataDir })
  const keys = loadKeys(settings)
  const audit = makeAudit({ line: null, secret: () => keys.addresses[0], now: Date.now })
  const told = (): void => {
    if (!isAnswerLost) return
    isAnswerLost = false
    throw new Error("the answer was lost")
  }
  const layer = userActsLayer({ settings, keys, audit }).pipe(
    Layer.provide(
      Layer.mergeAll(Users.Default, SessionRows.Default, actsLayer({ told, now: Date.now, uuid: randomUUID })),
    ),
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(NewsBell, {
          onRing: (listener) => {
            ring = listener
          },
        }),
        Layer.succeed(Clock, { now: Date.now, monotonic: () => performance.now() }),
        idsLive,
        sqlLayer(database().url),
      ),
    ),
  )
  return { keys, runtime: ManagedRuntime.make(layer) }
}

let runtime: ReturnType<typeof start>["runtime"]
let sessions: Sessions["Type"]
let acts: UserActs["Type"]
beforeAll(async () => {
  const started = start()
  await query(database().url, "INSERT INTO encryption_key VALUES ($1, 0)", [started.keys.encryption.activeKid])
  runtime = started.runtime
  sessions = await runtime.runPromise(Sessions)
  acts = await runtime.runPromise(UserActs)
})
afterAll(async () => {
  await runtime.dispose()
  rmSync(dataDir, { recursive: true })
})

interface Caller {
  readonly email: string
  readonly accessToken: string
  /** As a request has it that is on its way. */
  readonly principal: SessionPrincipal
  readonly actor: Actor
}

const signedUp = async (permissions: ReadonlyArray<string>, ip = "127.0.0.1"): Promise<Caller> => {
  const email = `user-${randomUUID()}@example.com`
  const origin: Origin = { ip, userAgent: null, requestId: "r" }
  const sign = acts.signIn.signup({ email, password: PASSWORD, metadata: {}, setupToken: null }, origin, OPERATOR)
  const { user } = (await Effect.runPromise(sign)) as SessionRecord
  await query(database().url, "UPDATE app_user SET permissions = $2 WHERE user_id = $1", [user.id, permissions])
  const record = await Effect.runPromise(acts.signIn.login({ email, password: PASSWORD, totpCode: null }, origin))
  const principal = sessions.authenticate(`Bearer ${record.accessToken}`, { ip })
  if (!("userId" in principal)) throw new Error(`no caller: ${JSON.stringify(principal)}`)
  const { userId, sessionId, tenantId } = principal
  const actor: Actor = {
    kind: "USER",
    userId,
    sessionId,
    keyId: null,
    tenantId,
    ip,
    userAgent: null,
    requestId: randomUUID(),
    clientRequestId: null,
  }
  return { email, accessToken: record.accessToken, principal, actor }
}
const ADMIN = ["read", "write", "admin"]

/** What became of it: an answer, or the failure's tag. */
const outcome = async <A>(work: Effect.Effect<A, DomainError>): Promise<A | DomainError["_tag"]> => {
  const result = await Effect.runPromise(Effect.either(work))
  return Either.isRight(result) ? result.right : result.left._tag
}
const refusalOf = ({ accessToken, actor }: Caller): string | undefined => {
  const verified = sessions.verify(accessToken, { ip: actor.ip ?? "" })
  return "_tag" in verified ? verified._tag : undefined
}

it("an admin who is moved to another tenant does nothing in the one before any more, not by a request that was on its way either", async () => {
  const [mover, moved, other] = [await signedUp(ADMIN), await signedUp(ADMIN), await signedUp(["read"])]
  const tenantId = `t-${randomUUID()}` as TenantId
  await Effect.runPromise(acts.tenancy.create(mover.principal, tenantId, mover.actor))
  const whose = (caller: Caller) => ({ userId: caller.principal.userId, email: null })
  await Effect.runPromise(acts.tenancy.move(mover.principal, whose(moved), tenantId, mover.actor))
  const { principal, actor } = moved
  expect([
    await outcome(acts.administration.ban(principal, whose(other), null, actor)),
    await outcome(acts.tenancy.move(principal, whose(mover), tenantId, actor)),
    await outcome(acts.tenancy.create(principal, `t-${randomUUID()}` as TenantId, actor)),
    await outcome(acts.networks.allow(principal, null, "127.0.0.0/8", actor)),
  ]).toEqual(["AdminRequired", "AdminRequired", "AdminRequired", "AdminRequired"])
  expect([refusalOf(mover), refusalOf(other)]).toEqual([undefined, undefined])
})

it("a move to the tenant that the user is of ends nothing", async () => {
  const [admin, user] = [await signedUp(ADMIN), await signedUp(["read"])]
  const { userId, tenantId } = user.principal
  const moved = await Effect.runPromise(
    acts.tenancy.move(admin.principal, { userId, email: null }, tenantId, admin.actor),
  )
  expect([moved.appMetadata.tenantId, refusalOf(user)]).toEqual([tenantId, undefined])
})

it("a list whose change was stored without an answer to it is in force all the same", async () => {
  const [admin, user] = [await signedUp(ADMIN), await signedUp(["read"])]
  const { principal, actor } = admin
  isAnswerLost = true
  const { userId } = user.principal
  const asked = Effect.runPromiseExit(acts.networks.allow(principal, userId, "203.0.113.0/24", actor))
  expect((await asked)._tag).toBe("Failure")
  expect(await Effect.runPromise(acts.networks.list(principal, userId))).toEqual(["203.0.113.0/24"])
  ring()
  await until("the list to be in force", async () => refusalOf(user) === "IpForbidden")
})

it("two admins who shorten the list of their tenant at once take turns: none of them shuts itself out, and memory knows what is stored", async () => {
  const [one, two] = [await signedUp(ADMIN, "203.0.113.1"), await signedUp(ADMIN, "203.0.113.2")]
  const { allow, forget } = acts.networks
  const lists = [
    [one, "203.0.113.1"],
    [one, "203.0.113.2"],
    [one, "198.51.100.0/24"],
  ] as const
  for (const [{ principal, actor }, network] of lists) await Effect.runPromise(allow(principal, null, network, actor))
  // The row of an act is its last statement: both have looked at the list before either is committed.
  const holder = new pg.Client({ connectionString: database().url })
  await holder.connect()
  try {
    await holder.query("BEGIN")
    await holder.query("LOCK TABLE audit_head IN EXCLUSIVE MODE")
    const both = [
      outcome(forget(one.principal, null, "203.0.113.2", one.actor)),
      outcome(forget(two.principal, null, "203.0.113.1", two.actor)),
    ]
    await until("both to wait", async () => {
      const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
      return (await query(database().adminUrl, waiting)).length === 2
    })
    await holder.query("ROLLBACK")
    const ended = await Promise.all(both)
    expect(ended.filter((it) => it === "InvalidParameter")).toHaveLength(1)
    expect([one, two].map(refusalOf).filter((it) => it === undefined)).toHaveLength(1)
  } finally {
    await holder.end()
  }
})
