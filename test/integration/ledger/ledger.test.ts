import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { WalletId } from "../../../src/domain/wallet.ts"
import { withTestDatabase } from "../../kit/database.ts"
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
} from "../../kit/ledger-rig.ts"

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
    await new Promise((resolve) => setTimeout(resolve, 50))
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

  it("of a repeat is not stored again", async () => {
    await twoWallets()
    const asked = { requestId: randomUUID(), transfers: [single(a, b, "1")], facts: [fact("once"), guard("yes")] }
    expect(await rig.word(asked)).toBe("applied")
    expect(await rig.word(asked)).toBe("replayed")
  })
})

describe("the writer", () => {
  it("sends a batch again whose connection was lost, and it is done once", async () => {
    await twoWallets()
    await rig.client.query("BEGIN")
    await rig.client.query("SELECT 1 FROM wallet_balance WHERE wallet_id = $1 FOR UPDATE", [a])
    const words = Array.from({ length: 10 }, () => rig.word({ transfers: [single(a, b, "1")] }))
    await new Promise((resolve) => setTimeout(resolve, 50))
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
