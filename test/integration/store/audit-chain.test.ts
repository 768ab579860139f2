/** The audit's rows in the database: with their acts or not at all, numbered without a gap, chained, and only ever more of them. */
import { createHash, randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, ManagedRuntime } from "effect"
import type pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { UserNotFound } from "../../../src/domain/errors/user.ts"
import type { UserId } from "../../../src/domain/ids.ts"
import type { Act } from "../../../src/domain/user/act.ts"
import { Acts, actRow, actsLayer, auditWrite, laneOf } from "../../../src/store/audit/acts.ts"
import { connectDedicated, sqlLayer } from "../../../src/store/postgres/sql.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"

const database = withTestDatabase()

interface StoredRow {
  readonly lane: string
  readonly number: string
  readonly act_id: string
  readonly result: string
  readonly content: string
  readonly previous: Buffer
  readonly hash: Buffer
}

const heard: Array<readonly [string, string]> = []
let client: pg.Client
let runtime: ManagedRuntime.ManagedRuntime<Acts | SqlClient.SqlClient, unknown>

beforeAll(async () => {
  client = await connectDedicated(database().url)
  await client.query("CREATE TABLE effect (act_id uuid PRIMARY KEY)")
  const acts = actsLayer({ told: (act, result) => heard.push([act.actId, result]), now: Date.now, uuid: randomUUID })
  runtime = ManagedRuntime.make(Layer.provideMerge(acts, sqlLayer(database().url)))
})
afterAll(async () => {
  await runtime.dispose()
  await client.end()
})

const someAct = (more: Partial<Act> = {}, userId: string = randomUUID()): Act => ({
  actId: randomUUID(),
  action: "user.ban",
  actor: {
    kind: "USER",
    userId: userId as UserId,
    sessionId: null,
    keyId: null,
    tenantId: null,
    ip: "192.0.2.7",
    userAgent: "test",
    requestId: "r-1",
    clientRequestId: null,
  },
  object: { type: "USER", id: randomUUID(), tenantId: null },
  ...more,
})

/** An act whose effect is a row of its own. */
const done = (act: Act, then: Effect.Effect<void, UserNotFound> = Effect.void) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* (yield* Acts).commit(act, () =>
      Effect.zipRight(Effect.orDie(sql`INSERT INTO effect VALUES (${act.actId}) ON CONFLICT DO NOTHING`), then),
    )
  })

const rowsOf = async (where: string): Promise<ReadonlyArray<StoredRow>> =>
  (await client.query<StoredRow>(`SELECT * FROM audit_row WHERE ${where} ORDER BY lane, number`)).rows

const isThere = async (act: Act): Promise<boolean> =>
  (await client.query("SELECT FROM effect WHERE act_id = $1", [act.actId])).rows.length === 1

const refusedWith = async (statement: string): Promise<string> => {
  const error = await client.query(statement).catch((failure: unknown) => failure)
  return String((error as { readonly code?: string }).code)
}

describe("rows of acts", () => {
  it("are written with their acts, numbered and chained", async () => {
    const userId = randomUUID()
    const acts = [1, 2, 3].map((n) => someAct({ what: `n ${n}`, asset: "USDT", amount: `${n}.50` }, userId))
    for (const act of acts) await runtime.runPromise(done(act))
    const rows = await rowsOf(`user_id = '${userId}'`)
    expect(rows.map((row) => row.act_id)).toEqual(acts.map((act) => act.actId))
    for (const [i, row] of rows.entries()) {
      const content = JSON.parse(row.content)
      expect(content).toMatchObject({ lane: row.lane, number: Number(row.number), result: "ok", amount: `${i + 1}.5` })
      expect(row.hash).toEqual(createHash("sha256").update(row.previous).update(row.content).digest())
      if (i > 0) {
        expect(Number(row.number)).toBe(Number(rows[i - 1]!.number) + 1)
        expect(row.previous).toEqual(rows[i - 1]!.hash)
      }
      expect(await isThere(acts[i]!)).toBe(true)
      expect(heard).toContainEqual([acts[i]!.actId, "ok"])
    }
  })

  it("say what was refused, of which nothing else stays", async () => {
    const act = someAct()
    const failure = await runtime.runPromise(Effect.flip(done(act, Effect.fail(new UserNotFound()))))
    expect(failure._tag).toBe("UserNotFound")
    expect(await isThere(act)).toBe(false)
    const rows = await rowsOf(`user_id = '${act.actor.userId}'`)
    expect(rows.map((row) => row.result)).toEqual(["UserNotFound"])
    // The same act may be tried again, and is done then.
    await runtime.runPromise(done(act))
    expect((await rowsOf(`user_id = '${act.actor.userId}'`)).map((row) => row.result)).toEqual(["UserNotFound", "ok"])
  })

  it("are one for an act that is sent twice, also at once", async () => {
    const act = someAct()
    await Promise.all([1, 2, 3, 4].map(() => runtime.runPromise(done(act))))
    expect(await rowsOf(`act_id = '${act.actId}'`)).toHaveLength(1)
    expect(heard.filter(([id]) => id === act.actId)).toHaveLength(1)
  })

  it("have no gaps after transactions that were taken back, and none out of order, whoever writes at once", async () => {
    const people = Array.from({ length: 6 }, () => randomUUID())
    const acts = people.flatMap((userId) => Array.from({ length: 10 }, () => someAct({}, userId)))
    const fails = (i: number) => (i % 3 === 0 ? Effect.fail(new UserNotFound()) : Effect.void)
    await Promise.all(acts.map((act, i) => runtime.runPromiseExit(done(act, fails(i)))))
    const rows = await rowsOf("true")
    const lanes = new Map<string, StoredRow>()
    for (const row of rows) {
      const before = lanes.get(row.lane)
      expect([row.lane, Number(row.number)]).toEqual([row.lane, Number(before?.number ?? 0) + 1])
      expect(row.previous).toEqual(before?.hash ?? Buffer.alloc(0))
      lanes.set(row.lane, row)
    }
    const { rows: heads } = await client.query("SELECT * FROM audit_head")
    for (const head of heads) expect(head).toMatchObject({ number: lanes.get(head.lane)?.number })
    expect(rows.filter((row) => acts.some((act) => act.actId === row.act_id))).toHaveLength(40)
    expect(new Set(acts.map(laneOf)).size).toBeGreaterThan(1)
  })

  it("keep what no statement may hold: control characters and half characters", async () => {
    const act = someAct({ what: `a\u0000b\ud800c${"x".repeat(600)}` })
    await runtime.runPromise(done(act))
    const [row] = await rowsOf(`act_id = '${act.actId}'`)
    expect(JSON.parse(row!.content).what).toMatch(/^a\ufffdb\ufffdcx+$/)
  })

  it("are several of one statement, with results of their own", async () => {
    const acts = [someAct(), someAct()]
    const write = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = acts.map((act, i) => actRow(act, 5, i === 0 ? "ok" : "WalletFrozen"))
      return [yield* auditWrite(sql, "ledger", rows), yield* auditWrite(sql, "ledger", rows)]
    })
    expect(await runtime.runPromise(write)).toEqual([2, 0])
    expect((await rowsOf("lane = 'ledger'")).map((row) => [row.number, row.result])).toEqual([
      ["1", "ok"],
      ["2", "WalletFrozen"],
    ])
  })

  it("are never changed or taken away", async () => {
    for (const statement of ["UPDATE audit_row SET amount = 1", "DELETE FROM audit_row", "TRUNCATE audit_row"])
      expect([statement, await refusedWith(statement)]).toEqual([statement, "23001"])
    expect(await refusedWith("DELETE FROM audit_head")).toBe("23001")
  })
})
