/**
 * The ledger's writer over a real database, with wallets of one user, a clock that stands still, and a fact and a guard of the tests'
 * own. The one thing to know: `ask` is one request and its outcome; several of them without awaiting are one batch.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type pg from "pg"
import { Decimal } from "../../../src/domain/decimal.ts"
import { LedgerConflict } from "../../../src/domain/errors/wallet.ts"
import type { SessionId, TenantId, UserId } from "../../../src/domain/ids.ts"
import type { Actor, Authority } from "../../../src/domain/user/act.ts"
import { accountingWallet, type WalletId, type WalletType } from "../../../src/domain/wallet/wallet.ts"
import { type LedgerWriter, type LedgerWriterOptions, startLedgerWriter } from "../../../src/ledger/ledger-writer.ts"
import type { LedgerFact, LedgerOutcome, LedgerRequest, Movement, Resolution } from "../../../src/ports/ledger-port.ts"
import { connectDedicated } from "../../../src/store/postgres/sql.ts"
import { authorityRow } from "../../../src/store/users/authority.ts"

export const TENANT = "default" as TenantId
export const WORLD = accountingWallet(TENANT, "WORLD", 0).walletId
export const CLEARING = accountingWallet(TENANT, "CLEARING", 0).walletId

export interface Balance {
  readonly balance: string
  readonly held: string
}

const PROBE = `
  CREATE TABLE probe (id uuid PRIMARY KEY, word text NOT NULL CHECK (word <> 'bad'));
  CREATE FUNCTION ledger_facts_probe(rows jsonb) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO probe SELECT * FROM jsonb_to_recordset(rows) AS r (id uuid, word text) $$;
  CREATE FUNCTION ledger_guard_probe(fact jsonb, at bigint) RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    IF fact ->> 'word' = 'no' THEN RETURN 'not today'; END IF;
    INSERT INTO probe VALUES ((fact ->> 'id')::uuid, fact ->> 'word');
    RETURN NULL;
  END $$;`

export const single = (
  from: WalletId,
  to: WalletId,
  amount: string,
  more: Partial<Movement> & { readonly asset?: string } = {},
): Movement => ({
  kind: "single",
  transferId: randomUUID(),
  pendingId: null,
  debitWalletId: from,
  creditWalletId: to,
  asset: "USDT",
  amount: Decimal.of(amount),
  code: "TRANSFER",
  reference: null,
  expiresAt: null,
  ...more,
})

export const pending = (from: WalletId, to: WalletId, amount: string, more: Partial<Movement> = {}): Movement =>
  single(from, to, amount, { kind: "pending", code: "HOLD", ...more })

export const post = (pendingId: string, amount: string | null, more: Partial<Resolution> = {}): Resolution => ({
  kind: "post",
  transferId: randomUUID(),
  pendingId,
  amount: amount === null ? null : Decimal.of(amount),
  code: "TRADE",
  reference: null,
  ...more,
})

export const voided = (pendingId: string, more: Partial<Resolution> = {}): Resolution =>
  post(pendingId, null, { kind: "void", code: "RELEASE", ...more })

export const fact = (word: string, id: string = randomUUID()): LedgerFact => ({ tag: "probe", row: { id, word } })
export const guard = (word: string, id: string = randomUUID()): LedgerFact => ({
  ...fact(word, id),
  refusal: () => new LedgerConflict({ reason: "hold expired" }),
})

export type Asked = Pick<LedgerRequest, "transfers"> &
  Partial<Pick<LedgerRequest, "requestId" | "facts" | "authority" | "act">>

export interface LedgerRig {
  readonly client: pg.Client
  readonly writer: LedgerWriter
  readonly clock: { now: number }
  readonly defects: Array<unknown>
  readonly lost: Array<string>
  /** Of `owner`, or of the user whom `by` calls OWNER. */
  readonly wallet: (type?: WalletType, owner?: UserId | null) => Promise<WalletId>
  /** A new user of the tenant, signed in. `permissions` as PostgreSQL writes an array. */
  readonly person: (permissions: string) => Promise<Actor>
  /** Of the user whose wallets these are; ADMIN by one who is no owner of any. */
  readonly by: (right: Authority["right"]) => Authority
  readonly ask: (asked: Asked) => Promise<LedgerOutcome>
  /** "applied", "replayed", or the failure's tag and reason. */
  readonly word: (asked: Asked) => Promise<string>
  /** From outside, so that there is something to move. */
  readonly fund: (wallet: WalletId, amount: string, asset?: string) => Promise<void>
  readonly balance: (wallet: WalletId, asset?: string) => Promise<Balance>
  /** Without `authority` as the gateway itself. */
  readonly setStatus: (wallet: WalletId, status: string, authority?: Authority) => Promise<string | null>
  readonly violations: () => Promise<ReadonlyArray<string>>
  /** Until the writer's statement waits for what `client` has locked in its transaction. */
  readonly untilBlocked: () => Promise<void>
  readonly close: () => Promise<void>
}

export const wordOf = (outcome: LedgerOutcome): string => {
  if (outcome._tag === "Applied") return outcome.replayed ? "replayed" : "applied"
  const { failure } = outcome
  return failure._tag === "LedgerConflict" ? failure.reason : failure._tag
}

/** Exactly as long as it must be. */
const plain = (text: string): string => Decimal.fromVenue(text)?.toString() ?? text

export const openLedgerRig = async (url: string, options: Partial<LedgerWriterOptions> = {}): Promise<LedgerRig> => {
  const client = await connectDedicated(url)
  const clock = { now: 1_000_000 }
  const defects: Array<unknown> = []
  const lost: Array<string> = []
  await client.query("INSERT INTO tenant VALUES ($1, 0) ON CONFLICT DO NOTHING", [TENANT])
  await client.query("INSERT INTO encryption_key VALUES ('rig', 0) ON CONFLICT DO NOTHING")
  const person = async (permissions: string): Promise<Actor> => {
    const [userId, sessionId] = [randomUUID() as UserId, randomUUID() as SessionId]
    await client.query(
      `INSERT INTO app_user (user_id, email, password_hash, tenant_id, permissions, environments, user_metadata, created_at, updated_at)
       VALUES ($1, $2, '', $3, $4, '{}', '{}', 0, 0)`,
      [userId, `${userId}@example.com`, TENANT, permissions],
    )
    await client.query(
      `INSERT INTO session (session_id, user_id, tenant_id, created_at, refreshed_at, not_after, refresh_counter, refresh_key, refresh_kid,
         proven_at)
       VALUES ($1, $2, $3, 0, 0, 0, 0, '', 'rig', 0)`,
      [sessionId, userId, TENANT],
    )
    const nowhere = { ip: null, userAgent: null, requestId: null, clientRequestId: null }
    return { kind: "USER", userId, sessionId, keyId: null, tenantId: TENANT, ...nowhere }
  }
  const owner = await person("{read,write}")
  const admin = await person("{read,write,admin}")
  await client.query("INSERT INTO gateway_node VALUES ('gateway', 1, 0) ON CONFLICT DO NOTHING")
  if ((await client.query("SELECT to_regclass('probe') AS it")).rows[0].it === null) await client.query(PROBE)
  const insert = async (walletId: string, type: WalletType, of = owner.userId): Promise<void> => {
    await client.query(
      `INSERT INTO wallet VALUES ($1, $2, $3, 'ACTIVE', false, $4, $5, NULL, '{}', 0, 0) ON CONFLICT DO NOTHING`,
      [walletId, TENANT, type, type === "ACCOUNTING", type === "ACCOUNTING" ? null : of],
    )
  }
  await insert(WORLD, "ACCOUNTING")
  await insert(CLEARING, "ACCOUNTING")
  const writer = startLedgerWriter({
    connect: () => connectDedicated(url, { applicationName: "ledger test writer" }),
    nodeId: "gateway",
    epoch: 1,
    lost: (reason) => lost.push(reason),
    defect: (error) => defects.push(error),
    warn: () => {},
    now: () => clock.now,
    ...options,
  })
  const ask = (asked: Asked): Promise<LedgerOutcome> =>
    new Promise((settled) => writer.post({ requestId: randomUUID(), facts: [], ...asked, settled }))
  return {
    client,
    writer,
    clock,
    defects,
    lost,
    ask,
    wallet: async (type = "CLIENT", of = owner.userId) => {
      const walletId = randomUUID() as WalletId
      await insert(walletId, type, of)
      return walletId
    },
    person,
    by: (right) => ({ right, actor: right === "ADMIN" ? admin : owner }),
    word: async (asked) => wordOf(await ask(asked)),
    fund: async (wallet, amount, asset = "USDT") => {
      const said = wordOf(await ask({ transfers: [single(WORLD, wallet, amount, { asset, code: "DEPOSIT" })] }))
      if (said !== "applied") throw new Error(`not funded: ${said}`)
    },
    balance: async (wallet, asset = "USDT") => {
      const { rows } = await client.query(
        "SELECT credits_posted - debits_posted AS balance, debits_pending AS held FROM wallet_balance WHERE wallet_id = $1 AND asset = $2",
        [wallet, asset],
      )
      return { balance: plain(rows[0]?.balance ?? "0"), held: plain(rows[0]?.held ?? "0") }
    },
    setStatus: async (wallet, status, authority) => {
      const asked = authority === undefined ? null : JSON.stringify(authorityRow(authority))
      const said = await client.query("SELECT wallet_set_status($1, $2, 1, $3) AS word", [wallet, status, asked])
      return said.rows[0].word
    },
    untilBlocked: async () => {
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'ledger test writer' AND wait_event_type = 'Lock'
        AND datname = current_database()`
      for (;;) {
        // Within a transaction it is shown as it was at the first look.
        await client.query("SELECT pg_stat_clear_snapshot()")
        if ((await client.query(waiting)).rows.length > 0) return
        await sleep(10)
      }
    },
    violations: async () => (await client.query("SELECT what FROM ledger_violation")).rows.map(({ what }) => what),
    close: async () => {
      writer.close()
      await client.end()
    },
  }
}
