/** The ledger's writer and its function in a real database: what moves, what is refused, and what no crash or attack changes. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { WalletId } from "../../../src/domain/wallet/wallet.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import {
  CLEARING,
  fact,
  guard,
  type LedgerRig,
  openLedgerRig,
  pending,
  post,
  single,
  voided,
  WORLD,
} from "../../kit/worlds/ledger-rig.ts"

const database = withTestDatabase()
let rig: LedgerRig
let a: WalletId
let b: WalletId

beforeAll(async () => {
  rig = await openLedgerRig(database().url)
})
afterAll(() => rig.close())

const twoWallets = async (funds = "100"): Promise<void> => {
  a = await rig.wallet()
  b = await rig.wallet()
  await rig.fund(a, funds)
}

describe("a request", () => {
  it("moves all of its transfers, judged in order, and says what is left", async () => {
    await twoWallets()
    const outcome = await rig.ask({ transfers: [single(a, b, "100"), single(b, a, "0.000000000000000001")] })
    expect(outcome).toMatchObject({ _tag: "Applied", replayed: false })
    const balances = outcome._tag === "Applied" ? outcome.balances : []
    expect(Object.fromEntries(balances.map((it) => [it.walletId, it.balance.toString()]))).toEqual({
      [a]: "0.000000000000000001",
      [b]: "99.999999999999999999",
    })
    expect(await rig.violations()).toEqual([])
  })

  it("moves nothing when its last transfer is refused", async () => {
    await twoWallets()
    const outcome = await rig.ask({ transfers: [single(a, b, "40"), single(a, b, "60.5")], facts: [fact("lost")] })
    expect(outcome).toMatchObject({
      _tag: "Refused",
      at: 1,
      failure: { _tag: "InsufficientBalance", asset: "USDT", required: "60.5", available: "60" },
    })
    expect(await rig.balance(a)).toEqual({ balance: "100", held: "0" })
    expect((await rig.client.query("SELECT 1 FROM probe WHERE word = 'lost'")).rowCount).toBe(0)
  })

  it("is judged by what those before it in its batch have left", async () => {
    await twoWallets()
    const words = await Promise.all(["60", "60", "40"].map((amount) => rig.word({ transfers: [single(a, b, amount)] })))
    expect(words).toEqual(["applied", "InsufficientBalance", "applied"])
    expect(await rig.balance(b)).toEqual({ balance: "100", held: "0" })
  })

  it("is harmless when it is repeated, in its own batch too, and a conflict with another content", async () => {
    await twoWallets()
    const requestId = randomUUID()
    const transfers = [single(a, b, "10")]
    expect(await Promise.all([1, 2, 3].map(() => rig.word({ requestId, transfers })))).toEqual([
      "applied",
      "replayed",
      "replayed",
    ])
    const other = transfers.map((it) => ({ ...it, amount: Decimal.of("11") }))
    expect(await rig.word({ requestId, transfers: other })).toBe("id used otherwise")
    expect(await rig.word({ transfers: other })).toBe("id used otherwise")
    expect(await rig.word({ transfers })).toBe("applied")
    expect(await rig.balance(b)).toEqual({ balance: "10", held: "0" })
  })

  it("stays refused once it was, whatever money has come", async () => {
    await twoWallets("1")
    const requestId = randomUUID()
    const transfers = [single(a, b, "5")]
    expect(await rig.word({ requestId, transfers })).toBe("InsufficientBalance")
    await rig.fund(a, "100")
    const again = await rig.ask({ requestId, transfers })
    expect(again).toMatchObject({ _tag: "Refused", failure: { _tag: "InsufficientBalance", available: "1" } })
    expect(await rig.word({ transfers })).toBe("InsufficientBalance")
    expect(await rig.word({ transfers: [single(a, b, "5")] })).toBe("applied")
  })

  it("is refused by name: unknown wallets, the same wallet, amounts and assets that are none", async () => {
    await twoWallets()
    const ghost = randomUUID() as WalletId
    const words = await Promise.all(
      [
        single(a, ghost, "1"),
        single(ghost, a, "1"),
        single(a, a, "1"),
        single(a, b, "0"),
        single(a, b, "-1"),
        single(a, b, "1", { asset: "no asset" }),
        { ...single(a, b, "1"), amount: Decimal.fromUnits(1n, 19) },
        { ...single(WORLD, b, "1"), amount: Decimal.fromUnits(10n ** 36n, 0) },
        { ...single(WORLD, b, "1"), amount: Decimal.fromUnits(10n ** 36n - 1n, 0) },
      ].map((transfer) => rig.word({ transfers: [transfer] })),
    )
    expect(words).toEqual([
      "WalletNotFound",
      "WalletNotFound",
      "SameWallet",
      "InvalidParameter",
      "InvalidParameter",
      "InvalidParameter",
      "AssetScaleExceeded",
      "WalletFailed",
      // The other side of every deposit before it: together they would not be writable.
      "WalletFailed",
    ])
    expect(rig.defects).toEqual([])
  })

  it("is as long as 300 transfers, not longer", async () => {
    await twoWallets("1000")
    const many = (n: number) => Array.from({ length: n }, () => single(a, b, "1"))
    expect(await rig.word({ transfers: many(301) })).toBe("WalletFailed")
    expect(await rig.word({ transfers: many(300) })).toBe("applied")
    expect(await rig.balance(b)).toEqual({ balance: "300", held: "0" })
  })
})

describe("a hold", () => {
  const HELD = { balance: "100", held: "30" }

  it("binds what it holds, is posted in part, and releases the rest", async () => {
    await twoWallets()
    const hold = pending(a, b, "30")
    expect(await rig.word({ transfers: [hold] })).toBe("applied")
    expect(await rig.balance(a)).toEqual(HELD)
    expect(await rig.word({ transfers: [single(a, b, "70.1")] })).toBe("InsufficientBalance")
    expect(await rig.word({ transfers: [post(hold.transferId, "30.1")] })).toBe("more than is held")
    expect(await rig.word({ transfers: [post(hold.transferId, "10")] })).toBe("applied")
    expect(await rig.balance(a)).toEqual({ balance: "90", held: "0" })
    expect(await rig.balance(b)).toEqual({ balance: "10", held: "0" })
    expect(await rig.word({ transfers: [post(hold.transferId, "1")] })).toBe("hold resolved")
    expect(await rig.word({ transfers: [voided(hold.transferId)] })).toBe("hold resolved")
    expect(await rig.word({ transfers: [voided(randomUUID())] })).toBe("no such hold")
    expect(await rig.violations()).toEqual([])
  })

  it("is made, ended and made anew within one request", async () => {
    await twoWallets()
    const first = pending(a, CLEARING, "100")
    expect(await rig.word({ transfers: [first] })).toBe("applied")
    const rest = pending(a, CLEARING, "75")
    const fill = [voided(first.transferId), single(a, b, "25"), rest, pending(b, CLEARING, "25")]
    expect(await rig.word({ transfers: fill })).toBe("applied")
    expect(await rig.balance(a)).toEqual({ balance: "75", held: "75" })
    const short = pending(a, b, "1")
    expect(await rig.word({ transfers: [voided(rest.transferId), short, post(short.transferId, null)] })).toBe(
      "applied",
    )
    expect(await rig.balance(b)).toEqual({ balance: "26", held: "25" })
    expect(await rig.violations()).toEqual([])
  })

  it("is as before when the request that ended it is refused, for those behind it in the batch", async () => {
    await twoWallets()
    const hold = pending(a, b, "30")
    await rig.word({ transfers: [hold] })
    const words = await Promise.all([
      rig.word({ transfers: [voided(hold.transferId), single(a, b, "101")] }),
      rig.word({ transfers: [post(hold.transferId, null)] }),
      rig.word({ transfers: [post(hold.transferId, null)] }),
    ])
    expect(words).toEqual(["InsufficientBalance", "applied", "hold resolved"])
    expect(await rig.balance(b)).toEqual({ balance: "30", held: "0" })
  })

  it("is posted until the instant it expires, by the server's clock, and voided ever after", async () => {
    await twoWallets()
    const hold = (expiresAt: number) => pending(a, b, "1", { expiresAt })
    const [early, late] = [hold(rig.clock.now + 10), hold(rig.clock.now + 10)]
    await rig.word({ transfers: [early, late] })
    rig.clock.now += 9
    expect(await rig.word({ transfers: [post(early.transferId, null)] })).toBe("applied")
    rig.clock.now += 1
    expect(await rig.word({ transfers: [post(late.transferId, null)] })).toBe("hold expired")
    expect(await rig.word({ transfers: [voided(late.transferId)] })).toBe("applied")
    expect(await rig.balance(a)).toEqual({ balance: "99", held: "0" })
  })
})

describe("a wallet", () => {
  it("that is frozen lets nothing in or out but the release of its holds", async () => {
    await twoWallets()
    const [kept, freed] = [pending(a, b, "10"), pending(a, b, "20")]
    await rig.word({ transfers: [kept, freed] })
    expect(await rig.setStatus(a, "FROZEN")).toBeNull()
    const words = await Promise.all(
      [
        single(a, b, "1"),
        single(b, a, "1"),
        pending(a, b, "1"),
        post(kept.transferId, null),
        voided(freed.transferId),
      ].map((transfer) => rig.word({ transfers: [transfer] })),
    )
    expect(words).toEqual(["WalletFrozen", "WalletFrozen", "WalletFrozen", "WalletFrozen", "applied"])
    expect(await rig.setStatus(a, "ACTIVE")).toBeNull()
    expect(await rig.word({ transfers: [post(kept.transferId, null)] })).toBe("applied")
    expect(await rig.violations()).toEqual([])
  })

  it("that is closed has nothing held, and lets each asset go once, whole", async () => {
    await twoWallets()
    const hold = pending(a, b, "10")
    await rig.word({ transfers: [hold] })
    expect(await rig.setStatus(a, "CLOSED")).toBe("WalletHasHolds")
    // The receiver's side of a hold is a claim on it, too.
    expect(await rig.setStatus(b, "CLOSED")).toBe("WalletHasHolds")
    await rig.word({ transfers: [voided(hold.transferId)] })
    expect(await rig.setStatus(a, "CLOSED")).toBeNull()
    const words = await Promise.all(
      [single(b, a, "1"), pending(a, b, "100"), single(a, b, "99"), single(a, b, "100"), single(a, b, "100")].map(
        (transfer) => rig.word({ transfers: [transfer] }),
      ),
    )
    expect(words).toEqual(["WalletClosed", "WalletClosed", "OnlyFullWithdrawal", "applied", "OnlyFullWithdrawal"])
    expect(await rig.setStatus(a, "ACTIVE")).toBe("WalletClosed")
    expect(await rig.setStatus(a, "CLOSED")).toBeNull()
  })

  it("of the installation's own is never frozen", async () => {
    expect(await rig.setStatus(WORLD, "FROZEN")).toBe("accounting")
  })

  it("that is being frozen elsewhere gets its first balance of an asset with the status that stays", async () => {
    await twoWallets()
    await rig.client.query("BEGIN")
    await rig.client.query("UPDATE wallet SET status = 'FROZEN', frozen = true WHERE wallet_id = $1", [b])
    const words = [rig.word({ transfers: [single(a, b, "1")] }), rig.word({ transfers: [single(a, WORLD, "1")] })]
    await rig.untilBlocked()
    await rig.client.query("COMMIT")
    expect(await Promise.all(words)).toEqual(["WalletFrozen", "applied"])
    expect(rig.defects).toEqual([])
    expect(await rig.violations()).toEqual([])
  })
})

describe("a fact", () => {
  it("is stored with the transfers, and a guard refuses them with what it wrote", async () => {
    await twoWallets()
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()]
    const refused = await rig.ask({
      transfers: [single(a, b, "1")],
      facts: [fact("one", first), guard("yes", second), guard("no", third)],
    })
    expect(refused).toMatchObject({ _tag: "Refused", at: 3, failure: { _tag: "LedgerConflict" } })
    expect(await rig.word({ transfers: [single(a, b, "1")], facts: [fact("one", first), guard("yes", second)] })).toBe(
      "applied",
    )
    const { rows } = await rig.client.query("SELECT id FROM probe WHERE id = ANY ($1) ORDER BY word", [
      [first, second, third],
    ])
    expect(rows.map(({ id }) => id)).toEqual([first, second])
    expect(await rig.balance(b)).toEqual({ balance: "1", held: "0" })
  })

  it("that the database refuses costs its own request alone", async () => {
    await twoWallets()
    const requests = ["good", "bad", "good"].map((word) =>
      rig.word({ transfers: [single(a, b, "1")], facts: [fact(word)] }),
    )
    expect(await Promise.all(requests)).toEqual(["applied", "InternalDefect", "applied"])
    expect(rig.defects.splice(0)).toHaveLength(1)
    expect(await rig.balance(b)).toEqual({ balance: "2", held: "0" })
  })

  it("needs no transfers", async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    expect(
      await Promise.all([
        rig.word({ transfers: [], facts: [fact("alone", first)] }),
        rig.word({ transfers: [], facts: [guard("yes", second)] }),
        rig.word({ transfers: [], facts: [guard("no")] }),
        rig.word({ transfers: [] }),
      ]),
    ).toEqual(["applied", "applied", "hold expired", "applied"])
    const { rowCount } = await rig.client.query("SELECT 1 FROM probe WHERE id = ANY ($1)", [[first, second]])
    expect(rowCount).toBe(2)
  })

  it("of a repeat is not stored again", async () => {
    await twoWallets()
    const asked = { requestId: randomUUID(), transfers: [single(a, b, "1")], facts: [fact("once"), guard("yes")] }
    expect(await rig.word(asked)).toBe("applied")
    expect(await rig.word(asked)).toBe("replayed")
  })
})

describe("the database", () => {
  it("refuses by itself what the writer never asks for", async () => {
    await twoWallets()
    const hold = pending(a, b, "10")
    const resolution = post(hold.transferId, "1")
    await rig.word({ transfers: [hold] })
    await rig.word({ transfers: [resolution] })
    const refused = async (text: string): Promise<string> =>
      rig.client.query(text).then(
        () => "done",
        (error: { code: string; constraint?: string }) => error.constraint ?? error.code,
      )
    expect(await refused("UPDATE ledger_transfer SET amount = 1")).toBe("23001")
    expect(await refused("DELETE FROM ledger_transfer")).toBe("23001")
    expect(await refused("TRUNCATE ledger_transfer")).toBe("23001")
    expect(await refused("DELETE FROM ledger_request")).toBe("23001")
    expect(await refused("DELETE FROM ledger_rejected")).toBe("23001")
    expect(await refused(`UPDATE wallet_balance SET debits_posted = 1000 WHERE wallet_id = '${a}'`)).toBe(
      "no_overdraft",
    )
    expect(await refused(`UPDATE wallet SET allow_negative = true WHERE wallet_id = '${a}'`)).toMatch(/^wallet_check/)
    expect(await refused(`UPDATE wallet SET status = 'CLOSED' WHERE wallet_id = '${WORLD}'`)).toMatch(/^wallet_check/)
    expect(
      await refused(`INSERT INTO ledger_transfer (transfer_id, request_id, kind, pending_id, debit_wallet_id, credit_wallet_id, asset, amount, code, at)
        SELECT gen_random_uuid(), request_id, kind, pending_id, debit_wallet_id, credit_wallet_id, asset, amount, code, at
        FROM ledger_transfer WHERE transfer_id = '${resolution.transferId}'`),
    ).toBe("ledger_transfer_resolves_once")
  })

  it("finds everything that was changed behind the ledger's back", async () => {
    await twoWallets()
    const [hold, done] = [pending(a, b, "10"), single(a, b, "5")]
    await rig.word({ transfers: [hold, done] })
    const found = async (...tampering: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
      await rig.client.query("BEGIN")
      for (const table of ["ledger_transfer", "ledger_request"])
        await rig.client.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`)
      for (const text of tampering) await rig.client.query(text)
      const what = (await rig.violations()).map((it) => it.replace(/[0-9a-f-]{36}/g, "ID"))
      await rig.client.query("ROLLBACK")
      return [...new Set(what)].sort()
    }
    const of = `WHERE transfer_id = '${done.transferId}'`
    expect(await found()).toEqual([])
    expect(
      await found(`UPDATE wallet_balance SET credits_posted = credits_posted + 1 WHERE wallet_id = '${a}'`),
    ).toEqual(["balance of USDT in ID differs from the journal", "debits and credits of USDT differ"])
    expect(await found(`UPDATE ledger_transfer SET amount = 4 ${of}`)).toEqual([
      "balance of USDT in ID differs from the journal",
    ])
    expect(await found(`DELETE FROM ledger_transfer ${of}`)).toEqual(["balance of USDT in ID differs from the journal"])
    expect(await found(`DELETE FROM ledger_hold WHERE transfer_id = '${hold.transferId}'`)).toEqual([
      "holds of USDT differ from the balance of ID",
      "open holds differ from the journal: ID",
    ])
    expect(
      await found(
        `DELETE FROM ledger_request USING ledger_transfer t ${of.replace("transfer_id", "t.transfer_id")} AND ledger_request.request_id = t.request_id`,
      ),
    ).toEqual(["transfer of a request that was not applied: ID"])
    expect(
      await found(
        `INSERT INTO ledger_rejected VALUES ('${done.transferId}', gen_random_uuid(), 'WalletFrozen', NULL, 0)`,
      ),
    ).toEqual(["transfer both done and rejected: ID"])
  })
})

describe("the writer", () => {
  it("sends a batch again whose connection was lost, and it is done once", async () => {
    await twoWallets()
    await rig.client.query("BEGIN")
    await rig.client.query("SELECT 1 FROM wallet_balance WHERE wallet_id = $1 FOR UPDATE", [a])
    const words = Array.from({ length: 10 }, () => rig.word({ transfers: [single(a, b, "1")] }))
    await rig.untilBlocked()
    await rig.client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ledger test writer' AND datname = current_database()",
    )
    await rig.client.query("COMMIT")
    expect(new Set(await Promise.all(words))).toEqual(new Set(["applied"]))
    expect(rig.writer.stats().retries).toBeGreaterThan(0)
    expect(await rig.balance(b)).toEqual({ balance: "10", held: "0" })
    expect(await rig.violations()).toEqual([])
  })

  it("writes nothing once another process owns the database", async () => {
    await twoWallets()
    await rig.client.query("UPDATE gateway_node SET epoch = 2")
    void rig.word({ transfers: [single(a, b, "1")] })
    await expect.poll(() => rig.lost).toHaveLength(1)
    expect(await rig.balance(b)).toEqual({ balance: "0", held: "0" })
    expect(rig.writer.pressure()).toBe("full")
  })
})
