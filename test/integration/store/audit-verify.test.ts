/** Who has the database changes the audit behind the gateway's back: each row taken out, changed or put in is found, at its place. */
import { createHash, randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, ManagedRuntime } from "effect"
import type pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SYSTEM } from "../../../src/domain/user/act.ts"
import { actRow, auditWrite } from "../../../src/store/audit/acts.ts"
import { AuditChain, type Lane } from "../../../src/store/audit/chain.ts"
import { connectDedicated, sqlLayer } from "../../../src/store/postgres/sql.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { runAdmin } from "../../kit/servers/admin-program.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"

const database = withTestDatabase()
let client: pg.Client
let runtime: ManagedRuntime.ManagedRuntime<AuditChain | SqlClient.SqlClient, unknown>

beforeAll(async () => {
  client = await connectDedicated(database().url)
  runtime = ManagedRuntime.make(Layer.provideMerge(AuditChain.Default, sqlLayer(database().url)))
})
afterAll(async () => {
  await runtime.dispose()
  await client.end()
})

const written = (lane: string, count: number): Promise<number> =>
  runtime.runPromise(
    Effect.gen(function* () {
      const rows = Array.from({ length: count }, (_, i) => {
        const object = { type: "USER", id: randomUUID(), tenantId: null } as const
        const act = { actId: randomUUID(), action: "user.ban", actor: SYSTEM, object, amount: `${i}.50` } as const
        return actRow(act, 1_000 + i, "ok")
      })
      return yield* auditWrite(yield* SqlClient.SqlClient, lane, rows)
    }),
  )

const verified = async (lane: string): Promise<Lane | undefined> => {
  const chain = await runtime.runPromise(AuditChain)
  return (await runtime.runPromise(chain.verify)).find((it) => it.lane === lane)
}

/** As the owner of the tables can. */
const tamper = async (statement: string, values: ReadonlyArray<unknown> = []): Promise<void> => {
  await client.query(
    "ALTER TABLE audit_row DISABLE TRIGGER only_grows; ALTER TABLE audit_head DISABLE TRIGGER only_grows",
  )
  expect((await client.query(statement, [...values])).rowCount).toBe(1)
  await client.query(
    "ALTER TABLE audit_row ENABLE TRIGGER only_grows; ALTER TABLE audit_head ENABLE TRIGGER only_grows",
  )
}

const admin = async () => {
  const DATA_DIR = scratchDirectory("verify")
  const ended = await runAdmin({ DATA_DIR, DATABASE_URL: database().url }, ["audit", "verify"])
  rmSync(DATA_DIR, { recursive: true, force: true })
  return {
    ...ended,
    lanes: ended.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Lane),
  }
}

const reasonOf = async (lane: string) => (await verified(lane))?.broken

describe("the chain of the audit", () => {
  it("is whole as it was written, over more rows than one read takes, and the command line says so", async () => {
    await written("whole", 2_300)
    await written("short", 2)
    const { rows } = await client.query<{ hash: Buffer }>("SELECT hash FROM audit_head WHERE lane = 'whole'")
    const whole = { lane: "whole", rows: 2_300, hash: rows[0]!.hash.toString("hex"), broken: null }
    const { code, lanes } = await admin()
    expect(lanes).toEqual([expect.objectContaining({ lane: "short", rows: 2, broken: null }), whole])
    expect(code).toBe(0)
  })

  it("shows a row that was taken out, in the middle and at the end", async () => {
    for (const lane of ["middle", "end"]) await written(lane, 5)
    await tamper("DELETE FROM audit_row WHERE lane = 'middle' AND number = 3")
    await tamper("DELETE FROM audit_row WHERE lane = 'end' AND number = 5")
    expect(await verified("middle")).toMatchObject({
      rows: 2,
      broken: { number: 3, reason: "the row is missing: the next is 4" },
    })
    expect(await verified("end")).toMatchObject({
      rows: 4,
      broken: { number: 5, reason: "the row is missing: there were 5" },
    })
  })

  it.each([
    ["a column", "amount = 999", "amount was changed"],
    ["the object", `object_id = '${randomUUID()}'`, "object_id was changed"],
    ["when it was", "at = 1", "at was changed"],
    ["the content", "content = replace(content, 'user.ban', 'user.grant')", "the content was changed"],
    ["the hash", "hash = sha256('x')", "the content was changed"],
    ["what it follows", "previous = sha256('x')", "does not chain to the preceding row"],
  ])("shows a row of which %s was changed", async (what, set, reason) => {
    await written(what, 5)
    await tamper(`UPDATE audit_row SET ${set} WHERE lane = $1 AND number = 2`, [what])
    expect(await reasonOf(what)).toEqual({ number: 2, reason })
  })

  it("shows a row that was changed with its hash by the row behind it", async () => {
    await written("forged", 3)
    const { rows } = await client.query<{ previous: Buffer; content: string }>(
      "SELECT previous, content FROM audit_row WHERE lane = 'forged' AND number = 2",
    )
    const content = rows[0]!.content.replace('"1.5"', '"999"')
    const hash = createHash("sha256").update(rows[0]!.previous).update(content).digest()
    const set = "amount = 999, content = $1, hash = $2"
    await tamper(`UPDATE audit_row SET ${set} WHERE lane = 'forged' AND number = 2`, [content, hash])
    expect(await reasonOf("forged")).toEqual({ number: 3, reason: "does not chain to the preceding row" })
  })

  it("shows a row that was put in, whatever number it was given", async () => {
    const COPY = (
      lane: string,
      number: number,
    ) => `INSERT INTO audit_row (lane, number, act_id, at, action, result, actor_kind, content, previous, hash)
      SELECT lane, ${number}, gen_random_uuid(), at, action, result, actor_kind, content, hash, sha256(hash || convert_to(content, 'UTF8'))
      FROM audit_row WHERE lane = '${lane}' AND number = 3`
    for (const lane of ["behind", "far", "nowhere"]) await written(lane, 3)
    await tamper(COPY("behind", 4))
    await tamper(COPY("far", 9))
    await tamper("DELETE FROM audit_head WHERE lane = 'nowhere'")
    expect(await reasonOf("behind")).toMatchObject({ number: 4, reason: "number was changed" })
    expect(await reasonOf("far")).toEqual({ number: 4, reason: "the row is missing: the next is 9" })
    expect(await reasonOf("nowhere")).toEqual({ number: 4, reason: "the lane has no head" })
  })

  it("ends the command line with 1, and it says where the first broken place of each lane is", async () => {
    const { code, lanes } = await admin()
    expect(code).toBe(1)
    expect(lanes.find(({ lane }) => lane === "middle")?.broken?.number).toBe(3)
    expect(lanes.find(({ lane }) => lane === "whole")?.broken).toBeNull()
  })
})
