/**
 * What is made while the database is slow, or loses a connection in the middle of it: never 500, never half done. A call is answered as
 * done or as unknown (503); what is stored is at work without a restart, and a repeat with the same key hears the truth.
 */

import { randomUUID } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TradingAccountRecord } from "../../../../src/domain/account/trading-account.ts"
import type { DealerRecord } from "../../../../src/domain/dealer/dealer.ts"
import type { DealerDetail } from "../../../../src/http/dealer/endpoints.ts"
import { signUp } from "../../../kit/desks/quoting.ts"
import { founder } from "../../../kit/servers/founder.ts"
import { type Answer, type Api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { type OwnDatabase, withOwnServer } from "../running/database.ts"

const ownDatabase = withOwnServer()
let database: OwnDatabase
let gateway: Gateway
let admin: Api

beforeAll(async () => {
  database = await ownDatabase()
  gateway = await startGateway({ env: { DATABASE_URL: database.url, INTERNAL_ACCOUNTS_MAX: "100" } })
  admin = await founder(gateway)
})
afterAll(endGateways)

const asSuperuser = async <A>(work: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  return work(client).finally(() => client.end())
}

const create = (name: string, key: string = randomUUID()): Promise<Answer<DealerRecord>> =>
  admin.call("POST", "/dealer/create", { name, baseCurrencies: ["USDT"] }, { "idempotency-key": key })

const connect = (body: Readonly<Record<string, unknown>>, key: string): Promise<Answer<TradingAccountRecord>> =>
  admin.call("POST", "/tradingAccount/connect", body, { "idempotency-key": key })

const statuses = (answers: ReadonlyArray<Answer<unknown>>): ReadonlyArray<number> => [
  ...new Set(answers.map((it) => it.status)),
]

const named = async (name: string): Promise<ReadonlyArray<DealerRecord>> =>
  (await admin.get<ReadonlyArray<DealerRecord>>("/dealer/list", { limit: 1_000 })).record.filter(
    (it) => it.name === name,
  )

/** The dealer answers for itself, and its account trades. */
const isAtWork = async (dealer: DealerRecord): Promise<void> => {
  const { dealerAccountId } = dealer
  expect((await admin.get<DealerDetail>("/dealer/get", { dealerAccountId })).record).toMatchObject({ openQuotes: 0 })
  await until("the dealer's account is active", async () => {
    const [account] = (await admin.accounts({ tradingAccountId: dealer.tradingAccountId! })).record
    return account?.status === "ACTIVE"
  })
}

const sessionsAt = (event: string) =>
  `SELECT pid FROM pg_stat_activity WHERE application_name = 'venue-gateway' AND datname = current_database() AND wait_event = '${event}'`

const untilSomebodyWaitsAt = (client: pg.Client, event: string): Promise<unknown> =>
  until(`a session waits at ${event}`, async () => (await client.query(sessionsAt(event))).rows.length > 0)

describe("a storage that stands still", () => {
  it("makes what was asked for meanwhile whole or not at all, once for each key", async () => {
    const keys = Array.from({ length: 8 }, () => randomUUID())
    const places = keys.map((_key, n) =>
      n % 2 === 0 ? { venue: "INTERNAL" } : { venue: "MOCK", externalTradingAccountId: `a${n}` },
    )
    const ask = () =>
      Promise.all([...keys.map((key) => create("Slow", key)), ...places.map((body, n) => connect(body, keys[n]!))])
    const first = await asSuperuser(async (client) => {
      await client.query("BEGIN")
      await client.query("LOCK TABLE trading_account IN SHARE MODE")
      const answers = await ask()
      await client.query("COMMIT")
      return answers
    })
    expect(statuses(first)).toEqual([503])
    const again = await ask()
    expect(statuses(again)).toEqual([200])
    const dealers = again.slice(0, keys.length) as ReadonlyArray<Answer<DealerRecord>>
    for (const { record } of dealers) await isAtWork(record)
    const counted = await asSuperuser((client) =>
      client.query(`SELECT (SELECT count(*)::int FROM dealer) AS dealers, (SELECT count(*)::int FROM trading_account) AS accounts,
        (SELECT count(*)::int FROM wallet WHERE wallet_type <> 'ACCOUNTING') AS wallets`),
    )
    expect(counted.rows).toEqual([{ dealers: 8, accounts: 16, wallets: 12 }])
    expect((await named("Slow")).length).toBe(8)
    // Repeated once more: what is kept.
    expect((await ask()).map((it) => it.envelope.data)).toEqual(again.map((it) => it.envelope.data))
  })

  /** Every commit of what is stored there waits until `work` opens it. */
  const atLateCommit = <A>(
    table: string,
    events: string,
    work: (client: pg.Client, open: () => Promise<unknown>) => Promise<A>,
  ): Promise<A> =>
    asSuperuser(async (client) => {
      await client.query(`CREATE OR REPLACE FUNCTION wait_at_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        'BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END'`)
      await client.query(`CREATE CONSTRAINT TRIGGER late AFTER ${events} ON ${table} DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait_at_commit()`)
      await client.query("SELECT pg_advisory_lock(42)")
      const done = await work(client, () => client.query("SELECT pg_advisory_unlock(42)"))
      await client.query(`DROP TRIGGER late ON ${table}`)
      return done
    })

  /** The first call, given up while its commit waits, and a repeat that the database makes wait for the first. */
  const lateAndRepeated = <A>(
    table: string,
    call: () => Promise<Answer<A>>,
  ): Promise<readonly [Answer<A>, Answer<A>]> =>
    atLateCommit(table, "INSERT", async (client, open) => {
      const sent = call()
      await untilSomebodyWaitsAt(client, "advisory")
      const first = await sent
      const again = call()
      await untilSomebodyWaitsAt(client, "transactionid")
      await open()
      return [first, await again]
    })

  it("starts a dealer whose commit took longer than anybody waited", async () => {
    const key = randomUUID()
    const [late, repeated] = await lateAndRepeated("dealer", () => create("Late", key))
    expect(late.status).toBe(503)
    // Stored meanwhile by the first: at once, or asked once more.
    expect([200, 503]).toContain(repeated.status)
    const { record } = await until("the repeat is answered", async () => {
      const answer = await create("Late", key)
      return answer.status === 200 && answer
    })
    expect(await named("Late")).toEqual([record])
    await isAtWork(record)
  })

  it.each([{ venue: "INTERNAL" }, { venue: "MOCK", externalTradingAccountId: "late" }])(
    "starts an account at $venue whose commit took longer than anybody waited",
    async (body) => {
      const key = randomUUID()
      const [late, repeated] = await lateAndRepeated("trading_account", () => connect(body, key))
      expect(late.status).toBe(503)
      expect([200, 503]).toContain(repeated.status)
      const { record } = await until("the repeat is answered", async () => {
        const answer = await connect(body, key)
        return answer.status === 200 && answer
      })
      await until("the account is active", async () => {
        const { tradingAccountId } = record
        return (await admin.accounts({ tradingAccountId })).record[0]?.status === "ACTIVE"
      })
    },
  )

  it("lets a key be used whose first call never came further than asking for it", async () => {
    const { dealerAccountId } = (await create("Paused")).record
    const headers = { "idempotency-key": randomUUID() }
    const pause = () => admin.call("POST", "/dealer/pause", { dealerAccountId }, headers)
    await asSuperuser(async (client) => {
      await client.query("BEGIN")
      await client.query("LOCK TABLE idempotent_answer IN SHARE MODE")
      expect((await pause()).status).toBe(503)
      await client.query("COMMIT")
    })
    await until("the repeat is done", async () => (await pause()).status === 200)
  })

  it("ends the sessions of a user whose ban took longer than anybody waited", async () => {
    const user = await signUp(gateway)
    const { id } = (await user.user()).record
    await atLateCommit("session", "UPDATE", async (client, open) => {
      const sent = admin.call("POST", "/admin/user/ban", { userId: id })
      await untilSomebodyWaitsAt(client, "advisory")
      expect((await sent).status).toBe(503)
      await open()
    })
    await until("the session is over", async () => (await user.accounts()).status === 401)
  })
})

describe("a connection that is lost", () => {
  it("before the commit leaves nothing of what was made, and is never a 500", async () => {
    const answers = await asSuperuser(async (client) => {
      await client.query("BEGIN")
      await client.query("LOCK TABLE trading_account IN SHARE MODE")
      const sent = Promise.all(Array.from({ length: 6 }, () => create("Lost")))
      await untilSomebodyWaitsAt(client, "relation")
      await client.query(`SELECT pg_terminate_backend(pid) FROM (${sessionsAt("relation")}) AS waiting`)
      await client.query("COMMIT")
      return sent
    })
    expect(answers.map((it) => it.status)).toContain(503)
    expect(statuses(answers)).not.toContain(500)
    const made = answers.filter((it) => it.status === 200)
    expect((await named("Lost")).length).toBe(made.length)
    const stored = await asSuperuser((client) => client.query("SELECT FROM dealer WHERE name = 'Lost'"))
    expect(stored.rows.length).toBe(made.length)
  })

  it("after the commit leaves a dealer that is found, and answered as made", async () => {
    const { sent } = await asSuperuser(async (client) => {
      // From here on a commit is done, and answered only when a standby that is not there has it.
      await client.query("SET synchronous_commit = local")
      const setStandby = async (name: string): Promise<void> => {
        await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
        await client.query("SELECT pg_reload_conf()")
        await until("the server has read its settings", async () => {
          const { rows } = await client.query("SHOW synchronous_standby_names")
          return rows[0]?.synchronous_standby_names === name
        })
      }
      await setStandby("nobody")
      try {
        const sent = admin.post<DealerRecord>("/dealer/create", { name: "Found", baseCurrencies: ["USDT"] })
        await until("the dealer is committed", async () => {
          const { rows } = await client.query("SELECT FROM dealer WHERE name = 'Found'")
          if (rows.length > 0) return true
          const waiting = `${sessionsAt("SyncRep")} AND query = 'COMMIT'`
          const ended = await client.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS waiting`)
          return ended.rows.length > 0
        })
        return { sent }
      } finally {
        await setStandby("")
      }
    })
    const answer = await sent
    expect(answer.status).toBe(200)
    expect(await named("Found")).toEqual([answer.record])
    await isAtWork(answer.record)
  })

  it("is no defect of ours in the log", () => {
    expect(gateway.stderr()).not.toContain("a request failed")
  })
})
