/** Two processes that run on one database with keys of their own: who is refused, and until when. */
import { randomBytes, randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { loadKeys } from "../../../src/auth/keys/keys.ts"
import { newSigningKey } from "../../../src/auth/keys/signing-keys.ts"
import { registerKeys } from "../../../src/composition/keys.ts"
import { readSettings } from "../../../src/config.ts"
import { clockLive, idsLive } from "../../../src/live.ts"
import { actsLayer } from "../../../src/store/audit/acts.ts"
import { NodeKeys } from "../../../src/store/postgres/node-keys.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { SealedRows } from "../../../src/store/users/sealed-rows.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { query } from "../store/account-store-rig.ts"

const database = withTestDatabase()
const folders: Array<string> = []
const stores = Layer.mergeAll(
  SealedRows.Default,
  NodeKeys.Default,
  actsLayer({ told: () => undefined, now: Date.now, uuid: randomUUID }),
)
const runtimeOf = () =>
  ManagedRuntime.make(
    Layer.mergeAll(clockLive, idsLive, stores).pipe(Layer.provide(Layer.merge(clockLive, sqlLayer(database().url)))),
  )
let runtime: ReturnType<typeof runtimeOf>
beforeAll(() => {
  runtime = runtimeOf()
})
beforeEach(async () => {
  await query(
    database().url,
    `DELETE FROM gateway_node;
     INSERT INTO gateway_node (node_id, epoch, started_at, until) VALUES
       ('a', 1, 0, clock_timestamp() + interval '1 hour'), ('b', 2, 0, clock_timestamp() + interval '1 hour')`,
  )
})
afterAll(async () => {
  await runtime.dispose()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const key = (kid: string): string => `${kid}:${randomBytes(32).toString("base64url")}`
const SHARED = { SIGNING_KEY: newSigningKey(), ENCRYPTION_KEYS: key("k1"), CURSOR_KEY: key("c1") }

/** A start of the node, in a folder of its own. Answers why it is refused, or "runs". */
const start = async (nodeId: "a" | "b", env: Partial<typeof SHARED>): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "node-keys-"))
  folders.push(folder)
  const settings = readSettings({ DATA_DIR: folder, ...env })
  const started = await runtime.runPromise(
    Effect.either(registerKeys(loadKeys(settings), settings, { nodeId, epoch: nodeId === "a" ? 1 : 2 })),
  )
  return Either.isRight(started) ? "runs" : started.left.message
}
const refusalOf = (setting: string, kind: string): string =>
  `${setting}: node a, which runs on this database, has another ${kind} key: all nodes need the same (see docs/operations/keys.md)`

it("refuses a start whose keys the process beside it does not know, each kind by its setting", async () => {
  expect(await start("a", SHARED)).toBe("runs")
  expect(await start("b", SHARED)).toBe("runs")
  const { CURSOR_KEY: _file, ...others } = SHARED
  expect(await start("b", others)).toBe(refusalOf("CURSOR_KEY", "cursor"))
  expect(await start("b", { ...SHARED, SIGNING_KEY: newSigningKey() })).toBe(refusalOf("SIGNING_KEY", "signing"))
  // The same name, another key.
  expect(await start("b", { ...SHARED, ENCRYPTION_KEYS: key("k1") })).toBe(refusalOf("ENCRYPTION_KEYS", "encryption"))
  // What was refused is no hindrance to the next.
  expect(await start("a", SHARED)).toBe("runs")
})

it("lets a new key come to one process after the other: first behind the old one, then before it, then alone", async () => {
  const [old, fresh] = [SHARED.CURSOR_KEY, key("c2")]
  const starts = (nodeId: "a" | "b", CURSOR_KEY: string) => start(nodeId, { ...SHARED, CURSOR_KEY })
  for (const nodeId of ["a", "b"] as const) expect(await starts(nodeId, old)).toBe("runs")
  expect(await starts("b", `${fresh},${old}`)).toContain("node a")
  for (const ring of [`${old},${fresh}`, `${fresh},${old}`, fresh])
    for (const nodeId of ["a", "b"] as const) expect([ring, await starts(nodeId, ring)]).toEqual([ring, "runs"])
})

it("lets any key take the place of another where no process runs beside it", async () => {
  expect(await start("a", SHARED)).toBe("runs")
  expect(await start("a", { ...SHARED, CURSOR_KEY: key("c2") })).toBe("runs")
  await query(database().url, "UPDATE gateway_node SET until = clock_timestamp() WHERE node_id = 'a'")
  expect(await start("b", { ...SHARED, CURSOR_KEY: key("c3") })).toBe("runs")
})
