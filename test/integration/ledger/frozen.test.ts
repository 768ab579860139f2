/**
 * Who may move money, asked in the transaction that moves it: frozen wallets, rights that are taken away, scopes. The one thing to know:
 * a gate is a lock that the test holds, so that the other side comes exactly between a look and a move.
 */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { WalletId } from "../../../src/domain/wallet/wallet.ts"
import { connectDedicated } from "../../../src/store/postgres/sql.ts"
import { authorityRow } from "../../../src/store/users/authority.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { CLEARING, type LedgerRig, openLedgerRig, pending, single, WORLD } from "../../kit/worlds/ledger-rig.ts"

const database = withTestDatabase()
let rig: LedgerRig

beforeAll(async () => {
  rig = await openLedgerRig(database().url)
})
afterAll(() => rig.close())

const pair = async (): Promise<readonly [from: WalletId, to: WalletId]> => {
  const wallets = [await rig.wallet(), await rig.wallet()] as const
  await rig.fund(wallets[0], "100")
  return wallets
}

/** As `LedgerRig.untilBlocked`, of any session that is not the rig's own. */
const untilWaiting = async (sessions: number): Promise<void> => {
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
  for (;;) {
    await rig.client.query("SELECT pg_stat_clear_snapshot()")
    if ((await rig.client.query(waiting)).rows.length >= sessions) return
  }
}

/** Runs `work` on a session of its own. */
const elsewhere = async (
  text: string,
  values: ReadonlyArray<unknown>,
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = await connectDedicated(database().url)
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}

describe("a wallet that is closed while it is frozen", () => {
  it("pays nothing to a transfer that waits behind the close, 20 of 20", async () => {
    const words: Array<string> = []
    for (let round = 0; round < 20; round++) {
      const [from, to] = await pair()
      await rig.setStatus(from, "FROZEN")
      await rig.client.query("BEGIN")
      await rig.client.query("SELECT 1 FROM wallet_balance WHERE wallet_id = $1 FOR UPDATE", [from])
      const closed = elsewhere("SELECT wallet_set_status($1, 'CLOSED', 1, $2) AS word", [
        from,
        JSON.stringify(authorityRow(rig.by("OWNER"))),
      ])
      await untilWaiting(1)
      const moved = rig.word({ transfers: [single(from, to, "100")], authority: rig.by("OWNER") })
      await untilWaiting(2)
      await rig.client.query("COMMIT")
      expect(await closed).toEqual([{ word: null }])
      words.push(await moved)
      expect(await rig.balance(from)).toEqual({ balance: "100", held: "0" })
    }
    expect(words).toEqual(Array.from({ length: 20 }, () => "WalletFrozen"))
    expect(await rig.violations()).toEqual([])
  })

  it("pays what is left to an admin's word alone, whole, of each asset", async () => {
    const [from, to] = await pair()
    await rig.fund(from, "3", "BTC")
    await rig.setStatus(from, "FROZEN")
    await rig.setStatus(from, "CLOSED")
    const out = (amount: string, asset = "USDT") => [single(from, to, amount, { asset })]
    expect(await rig.word({ transfers: out("100"), authority: rig.by("OWNER") })).toBe("WalletFrozen")
    // The gateway itself moves no money of a wallet that an admin has frozen.
    expect(await rig.word({ transfers: out("100") })).toBe("WalletFrozen")
    expect(await rig.word({ transfers: out("99"), authority: rig.by("ADMIN") })).toBe("OnlyFullWithdrawal")
    expect(await rig.word({ transfers: out("100"), authority: rig.by("ADMIN") })).toBe("applied")
    expect(await rig.word({ transfers: out("3", "BTC"), authority: rig.by("ADMIN") })).toBe("applied")
    expect(await rig.violations()).toEqual([])
  })

  it("is frozen in every balance, and the audit sees a copy that differs", async () => {
    const [from] = await pair()
    await rig.setStatus(from, "FROZEN")
    await rig.setStatus(from, "CLOSED")
    const { rows } = await rig.client.query("SELECT status, frozen FROM wallet_balance WHERE wallet_id = $1", [from])
    expect(rows).toEqual([{ status: "CLOSED", frozen: true }])
    await rig.client.query("BEGIN")
    await rig.client.query("ALTER TABLE wallet_balance DISABLE TRIGGER USER")
    await rig.client.query(
      "ALTER TABLE wallet_balance DROP CONSTRAINT wallet_balance_wallet_id_allow_negative_status_frozen_fkey",
    )
    await rig.client.query("UPDATE wallet_balance SET frozen = false WHERE wallet_id = $1", [from])
    const found = await rig.violations()
    await rig.client.query("ROLLBACK")
    expect(found).toEqual([`copies in the balance of USDT differ from wallet ${from}`])
  })
})

describe("a right", () => {
  const revoke = (userId: string) =>
    rig.client.query("UPDATE app_user SET permissions = '{read,write}' WHERE user_id = $1", [userId])

  it("that is taken away while the request waits moves nothing", async () => {
    const [from] = await pair()
    const admin = rig.by("ADMIN")
    const { userId } = admin.actor
    await rig.client.query("BEGIN")
    await revoke(userId!)
    const moved = rig.word({ transfers: [single(WORLD, from, "5")], authority: admin })
    await rig.untilBlocked()
    await rig.client.query("COMMIT")
    expect(await moved).toBe("AdminRequired")
    expect(await rig.setStatus(from, "FROZEN", admin)).toBe("AdminRequired")
    expect(await rig.balance(from)).toEqual({ balance: "100", held: "0" })
    await rig.client.query("UPDATE app_user SET permissions = '{read,write,admin}' WHERE user_id = $1", [userId])
    expect(await rig.word({ transfers: [single(WORLD, from, "5")], authority: admin })).toBe("applied")
  })

  it("whose user is being changed for longer than a second is Busy, and holds up nobody else", async () => {
    const [from, to] = await pair()
    const [mine, ours] = [rig.by("OWNER"), rig.by("ADMIN")]
    await rig.client.query("BEGIN")
    await rig.client.query("SELECT 1 FROM app_user WHERE user_id = $1 FOR UPDATE", [mine.actor.userId])
    const words = await Promise.all([
      rig.word({ transfers: [single(from, to, "1")], authority: mine }),
      rig.word({ transfers: [single(from, to, "2")], authority: ours }),
      rig.word({ transfers: [single(from, to, "4")] }),
    ])
    await rig.client.query("COMMIT")
    expect(words).toEqual(["Busy", "applied", "applied"])
    expect(await rig.balance(to)).toEqual({ balance: "6", held: "0" })
    expect(rig.defects).toEqual([])
  })

  it("ends with the session, with a ban, and with the permission to write", async () => {
    const [from, to] = await pair()
    const owner = rig.by("OWNER")
    const word = () => rig.word({ transfers: [single(from, to, "1")], authority: owner })
    const during = async (taken: string, given: string): Promise<string> => {
      await rig.client.query(taken)
      const said = await word()
      await rig.client.query(given)
      return said
    }
    const session = `UPDATE session SET revoked_at = %s WHERE session_id = '${owner.actor.sessionId}'`
    const user = `UPDATE app_user SET %s WHERE user_id = '${owner.actor.userId}'`
    expect(await during(session.replace("%s", "1"), session.replace("%s", "NULL"))).toBe("SessionRevoked")
    expect(await during(user.replace("%s", "banned_at = 1"), user.replace("%s", "banned_at = NULL"))).toBe(
      "SessionRevoked",
    )
    const write = (it: string) => user.replace("%s", `permissions = '${it}'`)
    expect(await during(write("{read}"), write("{read,write}"))).toBe("InsufficientPermissions")
    const other = { ...owner, actor: { ...owner.actor, sessionId: rig.by("ADMIN").actor.sessionId } }
    expect(await rig.word({ transfers: [single(from, to, "1")], authority: other })).toBe("SessionRevoked")
    expect(await word()).toBe("applied")
  })

  it("reaches the owner's wallets alone, and what was done is answered as it ended, whoever asks again", async () => {
    const [from, to] = await pair()
    const owner = rig.by("OWNER")
    const [hold, gone] = [pending(from, CLEARING, "1"), single(from, randomUUID() as WalletId, "1")]
    expect(await rig.word({ transfers: [hold], authority: owner })).toBe("applied")
    expect(await rig.word({ transfers: [gone], authority: owner })).toBe("WalletNotFound")
    expect(await rig.word({ transfers: [single(WORLD, from, "1")], authority: owner })).toBe("WalletNotFound")
    const outwards = await rig.ask({ transfers: [single(from, to, "1"), single(from, WORLD, "1")], authority: owner })
    expect(outwards).toMatchObject({ _tag: "Refused", at: 1, failure: { _tag: "WalletsUnrelated" } })
    const asked = { requestId: randomUUID(), transfers: [single(from, to, "1")], authority: owner }
    expect(await rig.word(asked)).toBe("applied")
    await rig.client.query("UPDATE app_user SET banned_at = 1 WHERE user_id = $1", [owner.actor.userId])
    expect(await rig.word(asked)).toBe("replayed")
    await rig.client.query("UPDATE app_user SET banned_at = NULL WHERE user_id = $1", [owner.actor.userId])
  })

  it("to one's own money of a dealer keeps it with that dealer; money of none may go to any", async () => {
    const [free, scoped] = await pair()
    const other = await rig.wallet()
    const same = await rig.wallet()
    const dealer = randomUUID()
    for (const wallet of [scoped, same])
      await rig.client.query("UPDATE wallet SET dealer_account_id = $2 WHERE wallet_id = $1", [wallet, dealer])
    await rig.client.query("UPDATE wallet SET dealer_account_id = gen_random_uuid() WHERE wallet_id = $1", [other])
    const word = (from: WalletId, to: WalletId) =>
      rig.word({ transfers: [single(from, to, "10")], authority: rig.by("OWNER") })
    expect(await word(free, scoped)).toBe("applied")
    expect(await word(scoped, same)).toBe("applied")
    expect(await word(same, free)).toBe("WalletsUnrelated")
    expect(await word(same, other)).toBe("WalletsUnrelated")
    expect(await rig.balance(same)).toEqual({ balance: "10", held: "0" })
  })

  it("of an owner closes a wallet, and neither freezes nor unfreezes it", async () => {
    const [from, to] = await pair()
    expect(await rig.setStatus(from, "FROZEN", rig.by("OWNER"))).toBe("WalletNotFound")
    expect(await rig.setStatus(from, "FROZEN", rig.by("ADMIN"))).toBeNull()
    expect(await rig.setStatus(from, "ACTIVE", rig.by("OWNER"))).toBe("WalletNotFound")
    expect(await rig.setStatus(from, "CLOSED", rig.by("OWNER"))).toBeNull()
    const foreign = { ...rig.by("ADMIN"), right: "OWNER" as const }
    expect(await rig.setStatus(to, "CLOSED", foreign)).toBe("WalletNotFound")
  })
})
