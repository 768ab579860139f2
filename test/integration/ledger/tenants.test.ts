/** Money of one tenant and wallets of another: the store refuses what would move between them, whoever asks and for whatever it is. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TenantId } from "../../../src/domain/ids.ts"
import { accountingWallet, type WalletId } from "../../../src/domain/wallet/wallet.ts"
import { type TestDatabase, testDatabase } from "../../kit/servers/database.ts"
import { fact, type LedgerRig, openLedgerRig, pending, single } from "../../kit/worlds/ledger-rig.ts"

const ACME = "acme" as TenantId
const CLEARING = accountingWallet(ACME, "CLEARING", 0).walletId

let database: TestDatabase
let rig: LedgerRig
/** Of the rig's tenant, two of them, and of the other. */
let ours: WalletId
let mate: WalletId
let theirs: WalletId

beforeAll(async () => {
  database = await testDatabase()
  rig = await openLedgerRig(database.url)
  const { client } = rig
  await client.query("INSERT INTO tenant VALUES ($1, 0)", [ACME])
  ;[ours, mate, theirs] = [await rig.wallet(), await rig.wallet(), await rig.wallet()]
  await client.query("UPDATE wallet SET tenant_id = $1 WHERE wallet_id = $2", [ACME, theirs])
  await client.query(
    "INSERT INTO wallet VALUES ($1, $2, 'ACCOUNTING', 'ACTIVE', false, true, NULL, NULL, '{}', 0, 0)",
    [CLEARING, ACME],
  )
  for (const [asset, wallet] of [
    ["USDT", ours],
    ["BTC", mate],
  ] as const)
    await rig.fund(wallet, "100", asset)
})
afterAll(async () => {
  expect(await rig.violations()).toEqual([])
  await rig.close()
  await database.drop()
})

const balances = async () => [
  await rig.balance(ours),
  await rig.balance(mate, "BTC"),
  await rig.balance(theirs),
  await rig.balance(theirs, "BTC"),
]

describe("between wallets of two tenants the store", () => {
  it("moves nothing for an owner or an admin", async () => {
    for (const right of ["OWNER", "ADMIN"] as const) {
      const asked = { transfers: [single(ours, theirs, "1")], authority: rig.by(right) }
      expect([right, await rig.word(asked)]).toEqual([right, "WalletNotFound"])
    }
  })

  it("settles no trade, holds nothing in the other's favour, and stores nothing of the request", async () => {
    const before = await balances()
    const said = rig.defects.length
    const [row, other] = [fact("unseen"), fact("seen")]
    const trade = [
      single(ours, theirs, "10", { code: "TRADE" }),
      single(mate, ours, "1", { code: "TRADE", asset: "BTC" }),
    ]
    // One batch: what is asked for beside it is done.
    const [settled, held, beside] = await Promise.all([
      rig.word({ transfers: trade, facts: [row] }),
      rig.word({ transfers: [pending(ours, CLEARING, "10")] }),
      rig.word({ transfers: [single(mate, ours, "1", { asset: "BTC" })], facts: [other] }),
    ])
    expect([settled, held, beside]).toEqual(["InternalDefect", "InternalDefect", "applied"])
    expect(rig.defects.slice(said).map(String)).toEqual([
      expect.stringContaining("between wallets of two tenants"),
      expect.stringContaining("between wallets of two tenants"),
    ])
    const { rows } = await rig.client.query("SELECT word FROM probe")
    expect(rows).toEqual([{ word: "seen" }])
    expect(await balances()).toEqual([before[0], { balance: "99", held: "0" }, before[2], before[3]])
  })
})
