/**
 * The real store in a thread of its own: the simulation's thread asks and stands still until the database has answered, so that its
 * virtual clock knows nothing of real time.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { type Effect, ManagedRuntime } from "effect"
import pg from "pg"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { AccountStore, type CommitOutcome, type Unit } from "../../../src/ports/account-store.ts"
import { storeLayer } from "../../integration/store/account-store-rig.ts"
import { credentialId, userId } from "../accounts.ts"
import { type Call, revived } from "./postgres-calls.ts"
import { answerThread } from "./thread-ask.ts"

const { port, flag, url, adminUrl } = workerData as {
  readonly port: MessagePort
  readonly flag: Int32Array
  readonly url: string
  readonly adminUrl: string
}

const CREDENTIALS = 60
/** What a migrated database begins with, the node's own row, and users, whom no world has: the worlds of one server share these. */
const KEPT = "'schema_migration', 'tenant', 'gateway_node', 'encryption_key', 'trading_mode', 'app_user'"
/** Every other table, also one of a migration to come: what a world had left would be read by the next one. */
const OF_A_WORLD = `SELECT string_agg(quote_ident(relname), ', ') AS names FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT IN (${KEPT})`

const open = async () => {
  const runtime = ManagedRuntime.make(storeLayer(url))
  return { runtime, store: await runtime.runPromise(AccountStore) }
}

let running: Awaited<ReturnType<typeof open>> | undefined
const admin = new pg.Client({ connectionString: adminUrl })
await admin.connect()
// Rows are written as connect would write them, without the users and envelopes behind them.
await admin.query("SET session_replication_role = replica")
const { rows: tables } = await admin.query<{ names: string }>(OF_A_WORLD)
const EMPTIED = tables[0]!.names

const end = async (): Promise<void> => {
  await running?.runtime.dispose()
  running = undefined
}

const reset = async (): Promise<void> => {
  await end()
  await admin.query(`TRUNCATE ${EMPTIED}`)
  for (let number = 1; number <= CREDENTIALS; number++)
    await admin.query(
      `INSERT INTO credential (credential_id, tenant_id, user_id, venue, name, type, masked_api_key, api_key_hash, status, created_at, updated_at)
       VALUES ($1, 'default', $2, 'SIM', $3, 'API_KEY', '****0000', $3, 'ACTIVE', 0, 0)`,
      [credentialId(number), userId(1), `credential ${number}`],
    )
  running = await open()
}

const insert = async (account: TradingAccount): Promise<void> => {
  await admin.query(
    `INSERT INTO trading_account (trading_account_id, tenant_id, user_id, version, venue, external_trading_account_id, nickname, status,
       initial_balances, channel_epoch, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '[]', $9, $10, $11)`,
    [
      account.tradingAccountId,
      account.tenantId,
      account.userId,
      account.version,
      account.venue,
      account.externalTradingAccountId,
      account.nickname,
      account.status,
      account.channelEpoch,
      account.createdAt,
      account.updatedAt,
    ],
  )
  for (const [position, it] of account.credentials.entries())
    await admin.query(
      "INSERT INTO trading_account_credential (trading_account_id, credential_id, position) VALUES ($1, $2, $3)",
      [account.tradingAccountId, it.credentialId, position],
    )
}

const commit = (units: ReadonlyArray<Omit<Unit, "settled">>): Promise<ReadonlyArray<CommitOutcome>> =>
  Promise.all(
    units.map(
      (unit) =>
        new Promise<CommitOutcome>((resolve) => {
          running!.store.commit({ ...unit, settled: resolve })
        }),
    ),
  )

/** What of each order tells that it is the same, how many executions and events there are, and what venues call the orders. */
const state = async () => {
  const orders = await admin.query(
    `SELECT trade_order_id, trading_account_id, version, order_status, executed_quantity, held FROM trade_order`,
  )
  const executions = await admin.query(
    "SELECT trade_order_id, count(*) AS count FROM execution GROUP BY trade_order_id",
  )
  const events = await admin.query(
    "SELECT trading_account_id, count(*) AS count, max(sequence) AS last FROM account_event GROUP BY trading_account_id",
  )
  const names = await admin.query(
    "SELECT trading_account_id, instrument_id, external_order_id, trade_order_id FROM order_at_venue",
  )
  return { orders: orders.rows, executions: executions.rows, events: events.rows, names: names.rows }
}

const answer = async (call: Call): Promise<unknown> => {
  switch (call._tag) {
    case "Reset":
      return reset()
    case "Begin":
      await end()
      running = await open()
      return
    case "Insert":
      return insert(call.account)
    case "Revoke":
      await admin.query(
        "UPDATE credential SET status = 'REVOKED', revoked_at = $2, updated_at = $2 WHERE credential_id = $1 AND status <> 'REVOKED'",
        [call.id, call.at],
      )
      return
    case "Commit":
      return commit(revived(call.units))
    case "State":
      return state()
    case "Read": {
      const read = running!.store[call.method] as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
      return running!.runtime.runPromise(read(...call.args))
    }
    case "End":
      await end()
      await admin.end()
  }
}

answerThread<Call>(port, flag, answer)

parentPort?.postMessage("ready")
