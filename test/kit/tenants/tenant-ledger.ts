/**
 * The ledger called directly, as the gateway calls it for a member: every right, every kind of transfer and every status, on every wallet and
 * hold of the other tenant. All of it is rolled back.
 */
import { randomUUID } from "node:crypto"
import type pg from "pg"
import type { Furnished } from "./furnish.ts"

export interface LedgerVerdict {
  readonly cell: string
  readonly fault: string | undefined
  readonly heard: unknown
}

const RIGHTS = ["OWNER", "ADMIN", "DEALER"] as const
const STATUSES = ["ACTIVE", "FROZEN", "CLOSED"] as const

/** Where the right itself is not there. */
const REFUSING = { OWNER: "WalletNotFound", ADMIN: "AdminRequired", DEALER: "AccountForbidden" } as const

interface Asked {
  readonly cell: string
  readonly right: string
  readonly who: Furnished
  /** Kind, pending, debit, credit. */
  readonly transfer: readonly [string, string | null, string | null, string | null]
}

const batchOf = async (sql: pg.Client, asked: ReadonlyArray<Asked>): Promise<string> => {
  const { rows } = await sql.query<{ node_id: string; epoch: string }>("SELECT node_id, epoch FROM gateway_node")
  const { node_id: node, epoch } = rows[0]!
  return JSON.stringify({
    id: randomUUID(),
    node,
    epoch: Number(epoch),
    requests: asked.map(() => [randomUUID(), randomUUID(), Date.now()]),
    transfers: asked.map(({ transfer: [kind, pending, debit, credit] }, index) => {
      const isNew = pending === null
      return [
        index + 1,
        kind,
        randomUUID(),
        pending,
        debit,
        credit,
        isNew ? "USDT" : null,
        isNew ? "1" : null,
        "TRANSFER",
        null,
        null,
      ]
    }),
    guards: [],
    facts: {},
    actors: asked.map(({ right, who }, index) => [index + 1, right, who.userId, who.sessionId]),
    acts: [],
  })
}

/** What these members are told about each wallet and hold of the victim's, beside what they are told about those of nobody. */
export const ledgerVerdicts = async (
  sql: pg.Client,
  members: ReadonlyArray<Furnished>,
  victim: string,
): Promise<ReadonlyArray<LedgerVerdict>> => {
  const wallets = await sql.query<{ id: string; what: string }>(
    "SELECT wallet_id AS id, lower(wallet_type || ' ' || status) AS what FROM wallet WHERE tenant_id = $1 ORDER BY 2, 1",
    [victim],
  )
  const holds = await sql.query<{ id: string }>(
    "SELECT transfer_id AS id FROM ledger_hold h JOIN wallet w ON w.wallet_id = h.debit_wallet_id WHERE w.tenant_id = $1",
    [victim],
  )
  const named = [...wallets.rows, { id: randomUUID(), what: "nobody's" }]
  const resolved = [...holds.rows.map(({ id }) => ({ id, what: "hold" })), { id: randomUUID(), what: "nobody's hold" }]
  const asked = members.flatMap((who) =>
    RIGHTS.flatMap((right): ReadonlyArray<Asked> => {
      const own = who.own.internalWallet
      const of = (cell: string) => `${cell} × ${right} ${who.name}`
      return [
        ...named.flatMap(({ id, what }) =>
          ["single", "pending"].flatMap(
            (kind): ReadonlyArray<Asked> => [
              { cell: of(`${kind} out of ${what}`), right, who, transfer: [kind, null, id, own] },
              { cell: of(`${kind} into ${what}`), right, who, transfer: [kind, null, own, id] },
            ],
          ),
        ),
        ...resolved.flatMap(({ id, what }) =>
          ["post", "void"].map(
            (kind): Asked => ({ cell: of(`${kind} of ${what}`), right, who, transfer: [kind, id, null, null] }),
          ),
        ),
      ]
    }),
  )
  await sql.query("BEGIN")
  try {
    const { rows } = await sql.query<{ said: { results: ReadonlyArray<readonly [string | null, unknown]> } }>(
      "SELECT ledger_apply($1::jsonb) AS said",
      [await batchOf(sql, asked)],
    )
    const { results } = rows[0]!.said
    const wordOf = new Map(asked.map(({ cell }, index) => [cell, JSON.stringify(results[index])]))
    const transfers = asked.map(({ cell }, index): LedgerVerdict => {
      const kindly = cell.replace(/(out of|into|of) (?!nobody's)(?:hold|\w+ \w+) ×/, (_all, way: string) =>
        cell.includes("hold") ? `${way} nobody's hold ×` : `${way} nobody's ×`,
      )
      const [word] = results[index]!
      const same = wordOf.get(kindly) === wordOf.get(cell)
      return {
        cell,
        fault: word === null ? "is done" : same ? undefined : `should be as for nobody's: ${wordOf.get(kindly)}`,
        heard: results[index],
      }
    })
    const statuses: Array<LedgerVerdict> = []
    for (const who of members)
      for (const right of RIGHTS)
        for (const status of STATUSES) {
          const said = async (id: string): Promise<string | null> =>
            (
              await sql.query<{ said: string | null }>("SELECT wallet_set_status($1, $2, $3, $4::jsonb) AS said", [
                id,
                status,
                Date.now(),
                JSON.stringify([right, who.userId, who.sessionId]),
              ])
            ).rows[0]!.said
          for (const { id, what } of wallets.rows) {
            const word = await said(id)
            // Asked for where the right was seen before: which word refuses it tells nobody anything.
            const isRight = word === "WalletNotFound" || word === REFUSING[right]
            statuses.push({
              cell: `${status} of ${what} × ${right} ${who.name}`,
              fault: isRight ? undefined : "should not be found",
              heard: word,
            })
          }
        }
    return [...transfers, ...statuses]
  } finally {
    await sql.query("ROLLBACK")
  }
}
