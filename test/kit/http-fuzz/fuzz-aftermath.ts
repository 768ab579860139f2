/** The checks after a fuzz: an exact ledger, orders at rest, executions that add up, and not one defect in the log. */
import pg from "pg"
import { executionsAddUp, ordersOf, unsettled } from "../../torture/kill/kill-judge.ts"
import { none, short, type Verdict } from "../../torture/kill/kill-verdict.ts"
import { type Gateway, until } from "../servers/gateway.ts"
import type { HttpFuzzFacts } from "./http-fuzz.ts"

const SETTLE_MILLIS = 60_000

const accountsOf = async (database: pg.Client): Promise<ReadonlySet<string>> => {
  const { rows } = await database.query<{ readonly id: string }>(
    "SELECT DISTINCT trading_account_id::text AS id FROM trade_order",
  )
  return new Set(rows.map(({ id }) => id))
}

/** `databaseUrl` while the gateway still runs; it is stopped here. */
export const judgeAftermath = async (
  gateway: Gateway,
  facts: HttpFuzzFacts,
  databaseUrl: string,
): Promise<ReadonlyArray<Verdict>> => {
  const { admin } = facts.world
  const database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  try {
    const accounts = [...(await accountsOf(database))].map((tradingAccountId) => ({
      calls: admin.calls,
      tradingAccountId,
    }))
    const deadlineAt = Date.now() + SETTLE_MILLIS
    const orders = await until(
      "orders to be at rest",
      async () => {
        const all = (await Promise.all(accounts.map(ordersOf))).flat()
        return (unsettled(all).length === 0 || Date.now() > deadlineAt) && all
      },
      2 * SETTLE_MILLIS,
    )
    const violations = await database.query<{ readonly what: string }>("SELECT what FROM ledger_violation")
    const health = await until(
      "a look at health",
      async () => {
        const answer = await admin.calls.get<{ readonly status: string }>("/health")
        return (answer.status === 200 || Date.now() > deadlineAt) && answer
      },
      2 * SETTLE_MILLIS,
    )
    const journal = await database.query<{ readonly count: string }>("SELECT count(*) FROM ledger_transfer")
    const { code, signal } = await gateway.stop()
    // Each is one line of JSON with these words, whoever met it.
    const defects = gateway.stderr().match(/^.*(defect|"level":"error"|uncaught|unhandled).*$/gim) ?? []
    return [
      none("orders stuck", unsettled(orders).map(short), `${orders.length} orders`),
      executionsAddUp(orders),
      none(
        "ledger violations",
        violations.rows.map(({ what }) => what),
        `${journal.rows[0]?.count} transfers`,
      ),
      { name: "health", passed: health.status === 200, says: `${health.status} ${health.envelope.data?.status}` },
      none("defects in the log", [...defects], "the whole log"),
      { name: "exit", passed: code === 0, says: `${signal ?? code}` },
    ]
  } finally {
    await database.end()
  }
}
