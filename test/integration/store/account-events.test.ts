/** Reading events back from a database that lost some, that answers slowly or not at all, and while the order writer is at work. */
import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import type { TradingAccountId } from "../../../src/domain/ids.ts"
import { maintainPartitions } from "../../../src/store/orders/partitions.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { commit, event, query, withStore } from "./account-store-rig.ts"

const DAY = 86_400_000
const NOW = Date.UTC(2026, 0, 10, 12)
const rig = withStore()

const upkeep = (now: number) =>
  Effect.runPromise(maintainPartitions(now).pipe(Effect.provide(sqlLayer(rig.database.url))))
const read = (id: TradingAccountId, after: number, upTo: number) => Effect.runPromise(rig.store.events(id, after, upTo))
const sequences = async (id: TradingAccountId, after: number, upTo: number) =>
  (await read(id, after, upTo))?.map(({ sequence }) => sequence) ?? null
const put = (id: TradingAccountId, ...ats: ReadonlyArray<number>) =>
  commit(rig.store, { accountId: id, rows: [], events: ats.map((at) => ({ ...event(), at })) })

describe("account events that are read back", () => {
  it("are all there or not at all once days were dropped, wherever the hole is", async () => {
    const { tradingAccountId: id } = await rig.account()
    // A clock that was set back: the third event is older than the second.
    await put(id, NOW, NOW + DAY, NOW - DAY, NOW + DAY, NOW + DAY)
    await upkeep(NOW)
    expect(await sequences(id, 0, 5)).toEqual([1, 2, 3, 4, 5])
    await upkeep(NOW + 2 * DAY)
    expect([await sequences(id, 0, 5), await sequences(id, 2, 4), await sequences(id, 1, 3)]).toEqual([
      null,
      null,
      null,
    ])
    expect([await sequences(id, 0, 2), await sequences(id, 3, 5)]).toEqual([
      [1, 2],
      [4, 5],
    ])
    await upkeep(NOW + 30 * DAY)
    expect([await sequences(id, 3, 5), await sequences(id, 5, 5)]).toEqual([null, []])
    expect(await Effect.runPromise(rig.store.lastSequence(id))).toBe(5)
  })

  it("are of one account, whatever the others have", async () => {
    const accounts = [await rig.account(), await rig.account()]
    for (let i = 0; i < 3; i++) for (const { tradingAccountId } of accounts) await put(tradingAccountId, NOW)
    for (const { tradingAccountId } of accounts) expect(await sequences(tradingAccountId, 0, 3)).toEqual([1, 2, 3])
  })

  it("cannot be had while the database does not answer, which delays no order", async () => {
    const { tradingAccountId: id } = await rig.account()
    await upkeep(Date.now())
    // Of a day that has no partition.
    const old = Date.now() - 30 * DAY
    await put(id, old, old)
    const blocker = new pg.Client({ connectionString: rig.database.adminUrl })
    await blocker.connect()
    try {
      // Readers wait for one partition; the writer's events go to another.
      await blocker.query("BEGIN")
      await blocker.query("LOCK TABLE account_event_default IN ACCESS EXCLUSIVE MODE")
      // More readers than the store lets read at once: each has its own deadline.
      const reads = Promise.all(Array.from({ length: 12 }, () => read(id, 0, 2)))
      expect(await put(id, Date.now())).toEqual({ _tag: "Committed", firstSequence: 3 })
      expect(await reads).toEqual(Array.from({ length: 12 }, () => null))
      await blocker.query("ROLLBACK")
    } finally {
      await blocker.end()
    }
    expect(await sequences(id, 0, 3)).toEqual([1, 2, 3])
  })

  it("cannot be had while the database is away, and can again when it is back", async () => {
    const { tradingAccountId: id } = await rig.account()
    await put(id, NOW, NOW)
    const [{ name }] = (await query(rig.database.url, "SELECT current_database() AS name")) as [{ name: string }]
    const server = new URL(rig.database.adminUrl)
    server.pathname = "/postgres"
    const allow = (allowed: boolean) => query(server.toString(), `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allowed}`)
    await allow(false)
    try {
      const ended = () =>
        query(
          server.toString(),
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = $1 AND application_name = 'venue-gateway'`,
          [name],
        )
      // A session that was just beginning is not listed yet, and answers once more.
      await expect.poll(async () => (await ended()) && (await read(id, 0, 2)), { timeout: 45_000 }).toBe(null)
    } finally {
      await allow(true)
    }
    await expect.poll(() => sequences(id, 0, 2), { timeout: 45_000 }).toEqual([1, 2])
  })
})
