/** Several gateways on one database as their operator meets them: who serves, who waits, and how they end. */
import { randomBytes } from "node:crypto"
import { afterAll, beforeEach, expect, it } from "vitest"
import { newSigningKey } from "../../../../src/auth/keys/signing-keys.ts"
import { endGateways, type Launched, launchGateway, until } from "../../../kit/servers/gateway.ts"
import { query } from "../../store/account-store-rig.ts"
import { type OwnDatabase, withDatabaseServer } from "./database.ts"

const key = (kid: string): string => `${kid}:${randomBytes(32).toString("base64url")}`
const KEYS = { SIGNING_KEY: newSigningKey(), ENCRYPTION_KEYS: key("k1"), CURSOR_KEY: key("c1") }

const makeDatabase = withDatabaseServer()
let database: OwnDatabase
beforeEach(async () => {
  database = await makeDatabase()
})
afterAll(() => endGateways())

const launch = (nodeId: string): Launched =>
  launchGateway({ env: { ...KEYS, DATABASE_URL: database.url, NODE_ID: nodeId } })

const isReady = (node: Launched): boolean => node.stdout.some((line) => line.startsWith("ready "))
const rowOf = async (nodeId: string) => {
  const rows = await query(
    database.url,
    `SELECT owns, until > clock_timestamp() AS "isLeased" FROM gateway_node WHERE node_id = '${nodeId}'`,
  )
  return rows[0] as { owns: boolean; isLeased: boolean } | undefined
}
const waiting = (node: Launched, nodeId: string) =>
  until(`${nodeId} to wait`, async () => (await rowOf(nodeId))?.isLeased && !isReady(node))

it("one serves, the other waits, leaves at once when it is told to, and serves when the first has ended", async () => {
  const first = launch("a")
  await first.ready
  const other = launch("b")
  await waiting(other, "b")
  other.kill("SIGTERM")
  expect(await other.exited).toEqual({ code: 0, signal: null })
  expect(await rowOf("b")).toEqual({ owns: false, isLeased: false })
  const again = launch("b")
  await waiting(again, "b")
  first.kill("SIGTERM")
  expect(await first.exited).toEqual({ code: 0, signal: null })
  await again.ready
  expect(await rowOf("b")).toEqual({ owns: true, isLeased: true })
})

it("both begin together on an empty database: one makes it, and the other waits", async () => {
  database = await makeDatabase("empty")
  const nodes = [launch("a"), launch("b")]
  const ended = Promise.race(nodes.map(async (node) => ({ ...(await node.exited), stderr: node.stderr() })))
  const both = until("one to serve, and the other to wait", async () => {
    if (!nodes.some(isReady)) return false
    return (await rowOf("a"))?.isLeased && (await rowOf("b"))?.isLeased
  })
  expect(await Promise.race([both, ended])).toBe(true)
  expect(nodes.filter(isReady)).toHaveLength(1)
})
