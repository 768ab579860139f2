/**
 * The audit beside a ledger that works: numbers are drawn before their commit, so a look that passed the newest one it sees would never
 * see a smaller one that is committed after it. And whatever a look meets in a storm of transfers, it is no violation.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import type { WalletId } from "../../../src/domain/wallet/wallet.ts"
import { makeLedgerAudit } from "../../../src/ledger/ledger-audit.ts"
import { batchText } from "../../../src/ledger/ledger-writer.ts"
import type { Transfer } from "../../../src/ports/ledger-port.ts"
import { beginFromBalances, lookAtLedger } from "../../../src/store/ledger/audit-run.ts"
import { readStanding } from "../../../src/store/ledger/audit-standing.ts"
import { connectDedicated } from "../../../src/store/postgres/sql.ts"
import { type TestDatabase, testDatabase } from "../../kit/servers/database.ts"
import { type LedgerRig, openLedgerRig, pending, post, single, voided } from "../../kit/worlds/ledger-rig.ts"

let database: TestDatabase
let rig: LedgerRig
const now = Date.now

beforeEach(async () => {
  database = await testDatabase()
  rig = await openLedgerRig(database.url)
  return async () => {
    await rig.close()
    await database.drop()
  }
})

const look = async (patienceMillis?: number) =>
  (await lookAtLedger({ url: database.url, now, patienceMillis })).violations

/** As the writer applies it, on a connection of its own. */
const batch = (transfers: ReadonlyArray<Transfer>): string => {
  const request = { requestId: randomUUID(), transfers, facts: [], settled: () => undefined }
  return batchText(randomUUID(), { nodeId: "gateway", epoch: 1 }, [{ request, at: 1 }])
}

describe("a look beside a commit that comes late", () => {
  it("waits for it, and passes no number of it", async () => {
    const [a, b, c, d] = [await rig.wallet(), await rig.wallet(), await rig.wallet(), await rig.wallet()]
    for (const wallet of [a, c]) await rig.fund(wallet, "10")
    const late = await connectDedicated(database.url)
    await late.query("BEGIN")
    // A payment for a trade that nobody made: a violation as soon as it is seen.
    await late.query("SELECT ledger_apply($1::jsonb)", [batch([single(a, b, "1", { code: "TRADE" })])])
    expect(await rig.word({ transfers: [single(c, d, "1")] })).toBe("applied")
    const seen = await rig.client.query("SELECT array_agg(number ORDER BY number) AS numbers FROM ledger_transfer")
    expect(seen.rows[0].numbers).toEqual(["1", "2", "4"])
    await expect(look(50)).rejects.toThrow("a ledger transaction is taking too long")
    const waiting = look()
    await late.query("COMMIT")
    expect(await waiting).toEqual([expect.stringMatching(/^transfer \S+ \(TRADE, 1 USDT\) is no leg of trade null$/)])
    await late.end()
  })

  it("is not held up by a number that was given back, nor by what others write", async () => {
    const [a, b] = [await rig.wallet(), await rig.wallet()]
    await rig.fund(a, "10")
    const other = await connectDedicated(database.url)
    await other.query("BEGIN")
    await other.query("SELECT ledger_apply($1::jsonb)", [batch([single(a, b, "1")])])
    await other.query("ROLLBACK")
    await other.query("BEGIN")
    await other.query("INSERT INTO tenant VALUES ('slow', 0)")
    expect(await rig.word({ transfers: [single(a, b, "1")] })).toBe("applied")
    expect(await look(50)).toEqual([])
    const { rows } = await rig.client.query("SELECT transfers FROM ledger_audit_pass WHERE pass = 'CHECKED'")
    expect(rows).toEqual([{ transfers: "3" }])
    await other.query("ROLLBACK")
    await other.end()
  })
})

describe("a journal that was never gone through", () => {
  /** A long pass: looks whose step ends with its first slice. */
  const briefly = async (of: Partial<Parameters<typeof lookAtLedger>[0]> = {}) =>
    lookAtLedger({ url: database.url, now, slice: 10, stepMillis: () => 0, ...of })
  const lived = async (transfers: number) => {
    const [a, b] = [await rig.wallet(), await rig.wallet()]
    await rig.fund(a, "1000")
    for (let n = 1; n < transfers; n++) await rig.ask({ transfers: [single(a, b, "1")] })
    return { a, b }
  }
  /** As the owner of the server can: no trigger looks on. */
  const planted = async (sql: string): Promise<void> => {
    const owner = await connectDedicated(database.adminUrl)
    await owner.query(`SET session_replication_role = replica; ${sql}`)
    await owner.end()
  }

  it("is audited from the first look on in what is new and what is true now, and slice by slice in what was before", async () => {
    const { a, b } = await lived(35)
    await planted("UPDATE ledger_transfer SET code = 'TRADE' WHERE number = 31")
    const first = await briefly()
    expect(first).toMatchObject({ violations: [], wholeAt: null, whole: { left: 25, of: 35, rows: 10 } })
    // A first pass is waited for since the database can be audited.
    const { rows } = await rig.client.query("SELECT applied_at FROM schema_migration WHERE id = 32")
    expect(first.since).toBe(rows[0].applied_at.getTime())
    await rig.ask({ transfers: [single(a, b, "1", { code: "TRADE" })] })
    const second = await briefly()
    expect(second).toMatchObject({ transfers: 1, wholeAt: null, whole: { left: 16, of: 36 } })
    expect(second.violations).toEqual([
      expect.stringMatching(/^transfer \S+ \(TRADE, 1 USDT\) is no leg of trade null$/),
    ])
    await planted(
      "UPDATE wallet_balance SET credits_posted = credits_posted + 1 WHERE NOT allow_negative AND debits_posted = 0",
    )
    const third = await briefly()
    expect(third.whole).toMatchObject({ left: 6 })
    expect(third.violations).toHaveLength(3)
    expect(third.violations).toContainEqual(expect.stringMatching(/^balance of USDT in \S+ differs from the journal: /))
    // What was wrong in the journal before is found when the pass is there.
    const fourth = await briefly()
    expect(fourth.violations).toHaveLength(4)
    const ended = await briefly()
    expect(ended.wholeAt).not.toBe(null)
    expect(ended).toMatchObject({ whole: null, violations: expect.arrayContaining([...fourth.violations]) })
  })

  it("that does not come to its balances is found so at the end of the pass, and by each look from then on", async () => {
    await lived(5)
    await planted("UPDATE ledger_transfer SET amount = amount + 1 WHERE number = 2")
    expect((await briefly({ slice: 3 })).violations).toEqual([])
    const differs = [
      expect.stringMatching(/^balance of USDT in \S+ differs from the journal: /),
      expect.stringMatching(/^balance of USDT in \S+ differs from the journal: /),
    ]
    expect(await briefly({ slice: 9, stepMillis: () => 10_000 })).toMatchObject({ whole: null, violations: differs })
    expect((await briefly()).violations).toEqual(differs)
  })

  it("that was changed with its balances during that pass is found so at its end, until the next pass finds it as it was", async () => {
    await lived(25)
    expect(await briefly()).toMatchObject({ violations: [], whole: { left: 15 } })
    const number = 20
    const changed = (table: string, to: string, where: string): string => `UPDATE ${table} SET ${to} WHERE ${where}`
    const { rows } = await rig.client.query(
      "SELECT debit_wallet_id AS debit, credit_wallet_id AS credit FROM ledger_transfer WHERE number = $1",
      [number],
    )
    const { debit, credit } = rows[0] as { readonly debit: string; readonly credit: string }
    await planted(
      [
        changed("ledger_transfer", "amount = amount + 1", `number = ${number}`),
        changed("wallet_balance", "debits_posted = debits_posted + 1", `wallet_id = '${debit}'`),
        changed("wallet_balance", "credits_posted = credits_posted + 1", `wallet_id = '${credit}'`),
      ].join(";"),
    )
    const ends = { stepMillis: () => 10_000 }
    // Balances are those of the journal by now, and neither is what it was when it was audited first.
    const found = (await briefly(ends)).violations
    expect(found).toHaveLength(2)
    for (const wallet of [debit, credit])
      expect(found).toContainEqual(
        `balances or the journal were changed while it was audited for the first time: sums of USDT in ${wallet}`,
      )
    expect((await briefly()).violations).toEqual(found)
    const dayLater = Date.now() + 86_400_001
    expect(await briefly({ ...ends, now: () => dayLater })).toMatchObject({ violations: [], wholeAt: dayLater })
  })

  it("is begun from balances at one mark, beside a ledger that works", async () => {
    const { a, b } = await lived(20)
    const [mark] = (await rig.client.query("SELECT max(number)::text AS transfers FROM ledger_transfer")).rows
    // Between the mark and the sums.
    for (let n = 0; n < 7; n++) await rig.ask({ transfers: [single(a, b, "1")] })
    const client = await connectDedicated(database.url)
    const pass = await beginFromBalances(client, { ...mark, trades: "0", intents: "0" })
    expect(await readStanding(client, pass, now())).toEqual([])
    const { rows } = await client.query(
      "SELECT trim_scale(credits_posted)::text AS it FROM ledger_audit_sum WHERE wallet_id = $1",
      [b],
    )
    expect(rows).toEqual([{ it: "19" }])
    await client.end()
  })
})

describe("looks in a storm", () => {
  it("find nothing, and go through all of it", async () => {
    const wallets: Array<WalletId> = []
    while (wallets.length < 12) wallets.push(await rig.wallet())
    for (const wallet of wallets) await rig.fund(wallet, "1000000")
    const of = (n: number): WalletId => wallets[n % wallets.length]!
    let isOpen = true
    let asked = 0
    const storm = Array.from({ length: 24 }, async (_, lane) => {
      for (let n = lane; isOpen; n++) {
        const hold = pending(of(n), of(n + 1), "3")
        const ends =
          n % 3 === 0 ? voided(hold.transferId) : post(hold.transferId, n % 3 === 1 ? null : "1", { code: "TRANSFER" })
        await rig.ask({ transfers: [hold, single(of(n + 2), of(n + 5), "0.5")] })
        await rig.ask({ transfers: [ends] })
        asked += 2
      }
    })
    const seen: Array<string> = []
    let between = 0
    for (let looks = 0; looks < 12; looks++) {
      const before = asked
      seen.push(...(await look()))
      if (asked > before) between++
    }
    isOpen = false
    await Promise.all(storm)
    expect(seen).toEqual([])
    // They were in the middle of it.
    expect(between).toBeGreaterThan(6)
    expect(await look()).toEqual([])
    const { rows } = await rig.client.query(
      `SELECT transfers = (SELECT max(number) FROM ledger_transfer) AS all,
              (SELECT sum(debits_posted) FROM ledger_audit_sum) = (SELECT sum(debits_posted) FROM wallet_balance) AS same
         FROM ledger_audit_pass`,
    )
    expect(rows).toEqual([{ all: true, same: true }])
  })
})

describe("the audit", () => {
  it("is not healthy before its first look, when one fails, and when the last is old; a failure is told", async () => {
    const told: Array<readonly [string, unknown]> = []
    const clock = { now: Date.now() }
    let url = database.url
    const audit = makeLedgerAudit({
      get url() {
        return url
      },
      now: () => clock.now,
      notice: (what, _fields, level) => told.push([what, level]),
      pauseMillis: 100,
      maxAgeMillis: 1000,
      wholeMaxAgeMillis: 90_000_000,
    })
    const state = () => {
      const { auditedAt, isFailing, isOld, isWholeOld, failures } = audit.health()
      return [auditedAt !== null, isFailing, isOld, isWholeOld, failures]
    }
    expect(state()).toEqual([false, false, false, true, 0])
    url = database.url.replace(/\/[^/]+$/, "/nowhere")
    // The loop that keeps it counts the failure as well.
    await expect(Effect.runPromise(audit.look)).rejects.toThrow("nowhere")
    expect(state()).toEqual([false, true, false, true, 1])
    expect(told).toEqual([["the ledger could not be audited", "error"]])
    url = database.url
    await Effect.runPromise(audit.look)
    expect(state()).toEqual([true, false, false, false, 1])
    expect(audit.health()).toMatchObject({ wholeAgeMillis: 0, unauditedMillis: 0 })
    clock.now += 1001
    expect(state()).toEqual([true, false, true, false, 1])
    clock.now += 90_000_000
    expect(state()).toEqual([true, false, true, true, 1])
    await Effect.runPromise(audit.look)
    expect(state()).toEqual([true, false, false, false, 1])
  })
})
