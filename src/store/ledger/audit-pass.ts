/**
 * Passes of the audit over the ledger's append-only tables, slice by slice: each slice is checked, added to the sums of its pass, and completed
 * in one transaction, so that a pass continues where it was interrupted. The one thing to know: a pass never goes beyond a number whose
 * transaction is still in flight (`settledMark`).
 */
import { setTimeout as sleep } from "node:timers/promises"
import type pg from "pg"
import { BEFORE_ALL_IDS } from "../orders/rows.ts"
import { type Axis, SLICE_CHECKS, type SliceCheck } from "./audit-checks.ts"
import { movedBy } from "./audit-standing.ts"

/** Numbers of a slice. The next one has as many as the last did in so long: a pass can end its step that soon. */
const SLICE = { first: 20_000, least: 5_000, most: 100_000, millis: 1_000 }
/** Of the same time, by what they cost. */
const QUOTES_OF_SLICE = 1 / 10
/** Quotes are ordered by the gateway's clock, and a settlement is stored a moment after it was dated: so far back they are read again. */
const QUOTES_AGAIN_MILLIS = 600_000
/** For transactions that were on their way when the mark was taken; a batch of the ledger takes milliseconds. */
const PATIENCE_MILLIS = 5_000

export type PassName = "CHECKED" | "WHOLE" | "VERIFY"

export interface Pass {
  readonly pass: PassName
  readonly generation: string
  readonly transfers: string
  readonly trades: string
  readonly intents: string
  readonly quotes_at: string
  readonly quotes_id: string
}

/** Numbers up to which everything is decided: committed and seen, or never to be. */
export type Mark = Pick<Pass, "transfers" | "trades" | "intents">

export interface Finding {
  readonly check: SliceCheck
  readonly place: string
  readonly what: string
}

const MARK = `SELECT coalesce((SELECT max(number) FROM ledger_transfer), 0)::text AS transfers,
  coalesce((SELECT max(ordinal) FROM internal_trade), 0)::text AS trades, coalesce((SELECT max(number) FROM hedge_intent), 0)::text AS intents`

/** Who writes to these tables holds this lock from before the number is drawn until after the commit is seen by all. */
const WRITERS = `SELECT l.virtualtransaction AS writer FROM pg_locks l JOIN pg_database d ON d.oid = l.database
  WHERE d.datname = current_database() AND l.locktype = 'relation' AND l.mode = 'RowExclusiveLock'
    AND l.relation IN ('ledger_transfer'::regclass, 'internal_trade'::regclass, 'hedge_intent'::regclass)`

/**
 * Numbers are drawn before their commit: beside a number that is seen there may be smaller ones that are not yet. A transaction that draws one
 * holds the lock of a writer until its end, so it is enough to outwait those who hold it now. Null: one of them takes too long.
 */
export const settledMark = async (client: pg.Client, patienceMillis = PATIENCE_MILLIS): Promise<Mark | null> => {
  const mark = (await client.query<Mark>(MARK)).rows[0]!
  const writers = async () => (await client.query<{ writer: string }>(WRITERS)).rows.map(({ writer }) => writer)
  let left = await writers()
  for (const end = performance.now() + patienceMillis; left.length > 0; ) {
    if (performance.now() >= end) return null
    await sleep(10)
    const still = new Set(await writers())
    left = left.filter((writer) => still.has(writer))
  }
  return mark
}

export const readPass = async (client: pg.Client, pass: PassName): Promise<Pass | undefined> =>
  (await client.query<Pass>("SELECT * FROM ledger_audit_pass WHERE pass = $1", [pass])).rows[0]

/** At the beginning of everything; what there was of its name is gone. */
export const beginPass = async (client: pg.Client, pass: PassName): Promise<Pass> => {
  await endPass(client, pass)
  return (await client.query<Pass>("INSERT INTO ledger_audit_pass (pass) VALUES ($1) RETURNING *", [pass])).rows[0]!
}

export const endPass = async (client: pg.Client, pass: PassName): Promise<void> => {
  await client.query("DELETE FROM ledger_audit_pass WHERE pass = $1", [pass])
  await forgetSums(client)
}

/** Those of no pass, in pieces. */
const forgetSums = async (client: pg.Client): Promise<void> => {
  for (;;) {
    const { rowCount } = await client.query(
      `DELETE FROM ledger_audit_sum WHERE ctid = ANY (ARRAY(SELECT s.ctid FROM ledger_audit_sum s
         WHERE s.generation NOT IN (SELECT generation FROM ledger_audit_pass) LIMIT 50000))`,
    )
    if (rowCount === 0) return
  }
}

/** The whole pass has come as far as the checked one, and takes its place. */
export const adoptWhole = async (client: pg.Client): Promise<void> => {
  await client.query("DELETE FROM ledger_audit_pass WHERE pass = 'CHECKED'")
  await client.query("UPDATE ledger_audit_pass SET pass = 'CHECKED' WHERE pass = 'WHOLE'")
}

/** Sums of generation $1 that are not those of generation $2. */
export const DISAGREEMENTS = `
  SELECT wallet_id, asset
    FROM (SELECT * FROM ledger_audit_sum WHERE generation = $1) a FULL JOIN (SELECT * FROM ledger_audit_sum WHERE generation = $2) b
      USING (wallet_id, asset)
   WHERE (coalesce(a.debits_posted, 0), coalesce(a.credits_posted, 0), coalesce(a.debits_pending, 0), coalesce(a.credits_pending, 0))
     IS DISTINCT FROM (coalesce(b.debits_posted, 0), coalesce(b.credits_posted, 0), coalesce(b.debits_pending, 0), coalesce(b.credits_pending, 0))`

/** Where two passes that have come equally far disagree: what one of them has read was changed since. */
export const disagreements = async (client: pg.Client, before: Pass, now: Pass): Promise<ReadonlyArray<Rewritten>> =>
  (
    await client.query<Rewritten>(
      `SELECT wallet_id || ' ' || asset AS place, 'the journal was changed after it was audited: sums of ' || asset || ' in ' || wallet_id AS what
         FROM (${DISAGREEMENTS}) d LIMIT 100`,
      [before.generation, now.generation],
    )
  ).rows

export interface Rewritten {
  readonly place: string
  readonly what: string
}

export const inTransaction = async <A>(client: pg.Client, run: () => Promise<A>): Promise<A> => {
  await client.query("BEGIN")
  try {
    const done = await run()
    await client.query("COMMIT")
    return done
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined)
    throw error
  }
}

const PASSED = {
  transfers: "UPDATE ledger_audit_pass SET transfers = $1 WHERE generation = $2",
  trades: "UPDATE ledger_audit_pass SET trades = $1 WHERE generation = $2",
  intents: "UPDATE ledger_audit_pass SET intents = $1 WHERE generation = $2",
} as const
const NUMBERED: ReadonlyArray<Exclude<Axis, "quotes">> = ["transfers", "trades", "intents"]

const checksOf = (axis: Axis): ReadonlyArray<SliceCheck> => SLICE_CHECKS.filter((it) => it.axis === axis)

const FOLD = `
  INSERT INTO ledger_audit_sum AS s (generation, wallet_id, asset, debits_posted, credits_posted, debits_pending, credits_pending)
  SELECT $3::bigint, m.* FROM (${movedBy("t.number > $1 AND t.number <= $2")}) m
  ON CONFLICT (generation, wallet_id, asset) DO UPDATE SET debits_posted = s.debits_posted + excluded.debits_posted,
    credits_posted = s.credits_posted + excluded.credits_posted, debits_pending = s.debits_pending + excluded.debits_pending,
    credits_pending = s.credits_pending + excluded.credits_pending`

const nextSlice = (rows: number, millis: number): number =>
  Math.round(Math.min(SLICE.most, Math.max(SLICE.least, (rows * SLICE.millis) / Math.max(1, millis))))

export interface Walk {
  readonly mark: Mark
  /** Numbers of its first slice. */
  readonly slice?: number | undefined
  /** In the transaction that passes what they were found in. */
  readonly keep: (found: ReadonlyArray<Finding>) => Promise<void>
  /** After each slice; false: enough for now. */
  readonly goOn: (place: Pass) => boolean
}

const findings = async (
  client: pg.Client,
  axis: Axis,
  values: ReadonlyArray<unknown>,
): Promise<ReadonlyArray<Finding>> => {
  const found: Array<Finding> = []
  for (const check of checksOf(axis)) {
    const { rows } = await client.query<{ place: string; what: string }>(check.sql, [...values])
    for (const { place, what } of rows) found.push({ check, place, what })
  }
  return found
}

/** From where the pass is to the mark. True: it is there. */
export const walk = async (
  client: pg.Client,
  begun: Pass,
  { mark, keep, goOn, slice = SLICE.first }: Walk,
): Promise<Pass & { readonly isThere: boolean }> => {
  let at = begun
  let size = slice
  for (const axis of NUMBERED) {
    const end = BigInt(mark[axis])
    for (let from = BigInt(at[axis]); from < end; ) {
      const to = from + BigInt(size) < end ? from + BigInt(size) : end
      const numbers = [from.toString(), to.toString()]
      const startedAt = performance.now()
      await inTransaction(client, async () => {
        await keep(await findings(client, axis, numbers))
        if (axis === "transfers") await client.query(FOLD, [...numbers, at.generation])
        await client.query(PASSED[axis], [numbers[1], at.generation])
      })
      size = nextSlice(Number(to - from), performance.now() - startedAt)
      from = to
      at = { ...at, [axis]: numbers[1] }
      if (!goOn(at)) return { ...at, isThere: false }
    }
  }
  // What is read again is no progress, and stopping in it would be a step back.
  const reachedAt = at.pass === "CHECKED" ? Number(at.quotes_at) : Number.NEGATIVE_INFINITY
  let [seenAt, seenId] =
    at.pass === "CHECKED"
      ? [String(Number(at.quotes_at) - QUOTES_AGAIN_MILLIS), BEFORE_ALL_IDS]
      : [at.quotes_at, at.quotes_id]
  for (;;) {
    const count = Math.max(1, Math.round(size * QUOTES_OF_SLICE))
    const startedAt = performance.now()
    const { rows } = await client.query<{ quote_id: string; updated_at: string }>(
      `SELECT quote_id, updated_at FROM quote WHERE status = 'EXECUTED' AND (updated_at, quote_id) > ($1, $2)
       ORDER BY updated_at, quote_id LIMIT $3`,
      [seenAt, seenId, count],
    )
    const last = rows.at(-1)
    if (last === undefined) return { ...at, isThere: true }
    seenAt = last.updated_at
    seenId = last.quote_id
    const isBeyond = Number(seenAt) > reachedAt
    await inTransaction(client, async () => {
      await keep(await findings(client, "quotes", [rows.map(({ quote_id }) => quote_id)]))
      if (!isBeyond) return
      await client.query("UPDATE ledger_audit_pass SET quotes_at = $1, quotes_id = $2 WHERE generation = $3", [
        seenAt,
        seenId,
        at.generation,
      ])
    })
    if (isBeyond) at = { ...at, quotes_at: seenAt, quotes_id: seenId }
    size = nextSlice(rows.length / QUOTES_OF_SLICE, performance.now() - startedAt)
    if (rows.length < count) return { ...at, isThere: true }
    if (isBeyond && !goOn(at)) return { ...at, isThere: false }
  }
}

/** Of each executed quote there is one intent: quotes have no numbers, so what is left of them is told by how far the pass is in their time. */
const QUOTES_LEFT = `
  SELECT CASE WHEN last > first THEN least(1, greatest(0, (last - $1::bigint)::float8 / (last - first))) WHEN $1::bigint < last THEN 1 ELSE 0 END AS share
    FROM (SELECT min(updated_at) AS first, max(updated_at) AS last FROM quote WHERE status = 'EXECUTED') q`

/** How many rows a pass still has to go through, of all that there are. */
export const rowsLeft = async (
  client: pg.Client,
  at: Pass,
  mark: Mark,
): Promise<{ readonly left: number; readonly of: number }> => {
  const { rows } = await client.query<{ share: number }>(QUOTES_LEFT, [at.quotes_at])
  const quotes = Number(mark.intents)
  let left = Math.round(quotes * (rows[0]?.share ?? 0))
  let of = quotes
  for (const axis of NUMBERED) {
    left += Math.max(0, Number(mark[axis]) - Number(at[axis]))
    of += Number(mark[axis])
  }
  return { left, of }
}

/** What a check says of a place by now; undefined: nothing. */
export const lookAgain = async (client: pg.Client, check: SliceCheck, place: string): Promise<string | undefined> => {
  const values = check.axis === "quotes" ? [[place]] : [(BigInt(place) - 1n).toString(), place]
  const { rows } = await client.query<{ place: string; what: string }>(check.sql, values)
  return rows.find((row) => row.place === place)?.what
}
