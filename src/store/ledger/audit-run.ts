/**
 * One run of the ledger's audit: from the checkpoint to what is committed by now, then the checks of the current state; and a step of the pass
 * over the whole journal, whose end is the next checkpoint. Each has a time limit, however long the journal is. On a connection of its own: no
 * statement of a client waits for it.
 */

import { Data } from "effect"
import type pg from "pg"
import { connectDedicated, endWithClient } from "../postgres/sql.ts"
import { SLICE_CHECKS } from "./audit-checks.ts"
import {
  adoptWhole,
  beginPass,
  DISAGREEMENTS,
  disagreements,
  endPass,
  type Finding,
  inTransaction,
  lookAgain,
  type Mark,
  type Pass,
  type Rewritten,
  readPass,
  rowsLeft,
  settledMark,
  walk,
} from "./audit-pass.ts"
import { inSlices, movedBy, readStanding } from "./audit-standing.ts"

// A checkpoint for a journal that was never gone through: what the balances come to at a mark. Looks go on from it at once, so that what
// is new is audited from the first look on; whether the journal up to the mark comes to these balances is for the pass over all of it.

/** Each statement sees another instant, and takes off what that has beyond the mark: all come to the same. */
const SUMS = `
  INSERT INTO ledger_audit_sum (generation, wallet_id, asset, debits_posted, credits_posted, debits_pending, credits_pending)
  SELECT $4::bigint, wallet_id, asset, b.debits_posted - coalesce(s.dp, 0), b.credits_posted - coalesce(s.cp, 0),
         b.debits_pending - coalesce(s.dq, 0), b.credits_pending - coalesce(s.cq, 0)
    FROM wallet_balance b LEFT JOIN (${movedBy("t.number > $3")}) s USING (wallet_id, asset)
   WHERE b.wallet_id > $1 AND b.wallet_id <= $2`

/** Executed quotes of the last minutes before it are checked as well: they have no numbers, and the next look goes back so far. */
const PLACE = `
  INSERT INTO ledger_audit_pass (pass, transfers, trades, intents, quotes_at)
  VALUES ('CHECKED', $1, $2, $3, coalesce((SELECT max(updated_at) FROM quote WHERE status = 'EXECUTED'), 0)) RETURNING *`

/** Whole, or not at all. */
export const beginFromBalances = (client: pg.Client, mark: Mark): Promise<Pass> =>
  inTransaction(client, async () => {
    const begun = (await client.query<Pass>(PLACE, [mark.transfers, mark.trades, mark.intents])).rows[0]!
    await inSlices(client, "wallet_balance", async (after, upTo) => {
      await client.query(SUMS, [after, upTo, mark.transfers, begun.generation])
    })
    return begun
  })

/** Where the sums it began with are not those of the journal, and the balance is: where that is not either, each look says so. */
const MEANWHILE = `
  SELECT wallet_id || ' ' || asset AS place,
         'balances or the journal were changed while it was audited for the first time: sums of ' || asset || ' in ' || wallet_id AS what
    FROM (${DISAGREEMENTS}) d LEFT JOIN wallet_balance b USING (wallet_id, asset)
    LEFT JOIN (SELECT * FROM ledger_audit_sum WHERE generation = $2) j USING (wallet_id, asset)
    LEFT JOIN (${movedBy("t.number > $3")}) s USING (wallet_id, asset)
   WHERE coalesce(b.debits_posted, 0) = coalesce(j.debits_posted, 0) + coalesce(s.dp, 0)
     AND coalesce(b.credits_posted, 0) = coalesce(j.credits_posted, 0) + coalesce(s.cp, 0)
     AND coalesce(b.debits_pending, 0) = coalesce(j.debits_pending, 0) + coalesce(s.dq, 0)
     AND coalesce(b.credits_pending, 0) = coalesce(j.credits_pending, 0) + coalesce(s.cq, 0)
   LIMIT 100`

/** What was changed behind its back while the first pass over the journal was under way, so that nothing of the present shows it. */
const changedMeanwhile = async (client: pg.Client, begun: Pass, whole: Pass): Promise<ReadonlyArray<Rewritten>> =>
  (await client.query<Rewritten>(MEANWHILE, [begun.generation, whole.generation, whole.transfers])).rows

/** Far beyond what a slice takes: ends what a defect of a plan would make endless. */
const STATEMENT_TIMEOUT_MILLIS = 120_000
/** Default time limit of a run, for new entries: far more than what arrives between two runs. */
const NEW_MILLIS = 60_000
/** Default time limit of a run, for the pass over the whole journal. */
const STEP_MILLIS = 5_000
const DAY_MILLIS = 86_400_000
/** Findings that are kept. What is beyond them is found by the next pass over the whole journal. */
const KEPT_MAX = 1_000
/** Session locks: one look at a time in a database, and beside it one verification. */
const LOOK_LOCK = 0x6c656401
const VERIFY_LOCK = 0x6c656402
/** The name under which it is kept that a pass over the whole journal did not find what was there before. */
const REWRITTEN = "journal"

export interface AuditLook {
  readonly violations: ReadonlyArray<string>
  /** Transfers that came since the look before, and were checked in this one. */
  readonly transfers: number
  /** When the whole journal was last gone through; null: never. */
  readonly wholeAt: number | null
  /** Since when this database can be audited: a first pass is waited for since then. */
  readonly since: number
  /** Of a pass over the whole journal that is under way after this look; null: there is none. */
  readonly whole: WholeStep | null
}

interface WholeStep {
  /** Rows that it still has to go through, of all that there are. */
  readonly left: number
  readonly of: number
  /** Rows of this look's step, and how long they took. */
  readonly rows: number
  readonly millis: number
}

/** It did not come to its end, and why. */
export class AuditUnfinished extends Data.TaggedError("AuditUnfinished")<{ readonly message: string }> {}

interface LookOptions {
  readonly url: string
  /** Before its session is used: of the owner of the database, so that it ends with the ownership. Absent: of no owner, as on the command line. */
  readonly enter?: ((client: pg.Client) => Promise<void>) | undefined
  /** The gateway's clock. */
  readonly now: () => number
  /** Places of a pass that takes more than a slice. */
  readonly progress?: ((place: Pass, mark: Mark) => void) | undefined
  readonly patienceMillis?: number | undefined
  /** Time of this look for what is new. */
  readonly newMillis?: number | undefined
  /** From the end of one pass over the whole journal to the beginning of the next. Default: a day. */
  readonly wholeEveryMillis?: number | undefined
  /** Time of this look's step of such a pass, with so many rows left, and the end of the last pass. */
  readonly stepMillis?: ((left: number, wholeAt: number | null) => number) | undefined
  /** Numbers of a step's first slice. */
  readonly slice?: number | undefined
}

const withClient = async <A>(
  { url, enter }: LookOptions,
  lock: number,
  run: (client: pg.Client) => Promise<A>,
): Promise<A> => {
  const client = await connectDedicated(url, {
    applicationName: "venue-gateway audit",
    statementTimeoutMillis: STATEMENT_TIMEOUT_MILLIS,
  })
  try {
    await enter?.(client)
    await endWithClient(client)
    // One core at most, and no seconds for plans of statements that take tenths of one.
    await client.query("SET max_parallel_workers_per_gather = 0; SET jit = off")
    const { rows } = await client.query<{ mine: boolean }>("SELECT pg_try_advisory_lock($1) AS mine", [lock])
    if (rows[0]?.mine !== true) throw new AuditUnfinished({ message: "another audit is running on this database" })
    return await run(client)
  } finally {
    await client.end()
  }
}

const marked = async (client: pg.Client, { patienceMillis }: LookOptions): Promise<Mark> => {
  const mark = await settledMark(client, patienceMillis)
  if (mark === null) throw new AuditUnfinished({ message: "a ledger transaction is taking too long" })
  return mark
}

const keeping =
  (client: pg.Client, at: number) =>
  async (found: ReadonlyArray<Finding>): Promise<void> => {
    if (found.length === 0) return
    await client.query(
      `INSERT INTO ledger_audit_finding (check_name, place, what, found_at)
     SELECT DISTINCT ON (1, 2) f.*, $4::bigint FROM unnest($1::text[], $2::text[], $3::text[]) AS f (check_name, place, what)
      WHERE (SELECT count(*) FROM ledger_audit_finding) < ${KEPT_MAX} ON CONFLICT DO NOTHING`,
      [found.map(({ check }) => check.name), found.map(({ place }) => place), found.map(({ what }) => what), at],
    )
  }

/** What was found before and still is. */
const stillFound = async (client: pg.Client): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query<{ check_name: string; place: string; what: string }>(
    "SELECT check_name, place, what FROM ledger_audit_finding ORDER BY found_at, check_name, place",
  )
  const found: Array<string> = []
  for (const { check_name, place, what } of rows) {
    const check = SLICE_CHECKS.find(({ name }) => name === check_name)
    const said = check_name === REWRITTEN ? what : check && (await lookAgain(client, check, place))
    if (said !== undefined) found.push(said)
    else
      await client.query("DELETE FROM ledger_audit_finding WHERE check_name = $1 AND place = $2", [check_name, place])
  }
  return found
}

/**
 * It has come as far as the checked pass. Where both have read the same journal it is the checkpoint from now on; where not, that is a
 * finding until the next pass ends. Where the other one began from balances, the journal is the checkpoint in any case: what balances
 * differ from it by now is seen by each look.
 */
const conclude = async (client: pg.Client, checked: Pass, whole: Pass, at: number): Promise<void> => {
  const isFirst = (await wholeAtOf(client)) === null
  const changed = await (isFirst ? changedMeanwhile : disagreements)(client, checked, whole)
  await inTransaction(client, async () => {
    await client.query("DELETE FROM ledger_audit_finding WHERE check_name = $1", [REWRITTEN])
    await client.query(
      `INSERT INTO ledger_audit_finding SELECT '${REWRITTEN}', f.*, $3::bigint FROM unnest($1::text[], $2::text[]) AS f`,
      [changed.map(({ place }) => place), changed.map(({ what }) => what), at],
    )
    if (isFirst || changed.length === 0) await adoptWhole(client)
    await client.query("UPDATE ledger_audit SET whole_at = $1", [at])
  })
  await endPass(client, "WHOLE")
}

const wholeAtOf = async (client: pg.Client): Promise<number | null> => {
  const { rows } = await client.query<{ whole_at: string | null }>("SELECT whole_at FROM ledger_audit")
  const at = rows[0]?.whole_at ?? null
  return at === null ? null : Number(at)
}

const sinceOf = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ at: Date }>(
    "SELECT applied_at AS at FROM schema_migration WHERE name = 'ledger_audit'",
  )
  return rows[0]!.at.getTime()
}

/** A step of the pass over the whole journal: it begins a day after the last one has ended. Null: none is under way after it. */
const walkWhole = async (
  client: pg.Client,
  checked: Pass,
  mark: Mark,
  options: LookOptions,
): Promise<WholeStep | null> => {
  const { now, progress, slice, stepMillis, wholeEveryMillis = DAY_MILLIS } = options
  const wholeAt = await wholeAtOf(client)
  let whole = await readPass(client, "WHOLE")
  if (whole === undefined) {
    if (wholeAt !== null && now() - wholeAt < wholeEveryMillis) return null
    whole = await beginPass(client, "WHOLE")
  }
  const before = await rowsLeft(client, whole, mark)
  const startedAt = performance.now()
  const until = startedAt + (stepMillis?.(before.left, wholeAt) ?? STEP_MILLIS)
  const goOn = (place: Pass): boolean => {
    progress?.(place, mark)
    return performance.now() < until
  }
  const there = await walk(client, whole, { mark, keep: keeping(client, now()), goOn, slice })
  const millis = performance.now() - startedAt
  if (there.isThere) {
    await conclude(client, checked, there, now())
    return null
  }
  const { left, of } = await rowsLeft(client, there, mark)
  return { left, of, rows: before.left - left, millis }
}

/** To the mark, or as far as it comes in its time: a slice that is passed is passed, so the next look goes on from there. */
const walkNew = async (client: pg.Client, checked: Pass, mark: Mark, options: LookOptions): Promise<void> => {
  const { now, slice, newMillis = NEW_MILLIS } = options
  const until = performance.now() + newMillis
  const goOn = (): boolean => performance.now() < until
  const { isThere, ...at } = await walk(client, checked, { mark, keep: keeping(client, now()), goOn, slice })
  if (isThere) return
  const { left } = await rowsLeft(client, at, mark)
  throw new AuditUnfinished({ message: `it is ${left} rows behind` })
}

/** Rejects when it could not be done: what was found before is no answer then. */
export const lookAtLedger = (options: LookOptions): Promise<AuditLook> =>
  withClient(options, LOOK_LOCK, async (client) => {
    const { now } = options
    const mark = await marked(client, options)
    const before = (await readPass(client, "CHECKED")) ?? (await beginFromBalances(client, mark))
    await walkNew(client, before, mark, options)
    const whole = await walkWhole(client, before, mark, options)
    const sums = await readPass(client, "CHECKED")
    if (sums === undefined) throw new AuditUnfinished({ message: "there is no checkpoint" })
    const found = await stillFound(client)
    const standing = await readStanding(client, sums, now())
    return {
      violations: [...new Set([...found, ...standing])],
      transfers: Number(mark.transfers) - Number(before.transfers),
      wholeAt: await wholeAtOf(client),
      since: await sinceOf(client),
      whole,
    }
  })

/** Everything from the first transfer on, without a word of what was checked before; leaves nothing behind. */
export const verifyLedger = (options: LookOptions): Promise<Pick<AuditLook, "violations" | "transfers">> =>
  withClient(options, VERIFY_LOCK, async (client) => {
    const mark = await marked(client, options)
    const found: Array<string> = []
    const keep = async (more: ReadonlyArray<Finding>): Promise<void> => void found.push(...more.map(({ what }) => what))
    try {
      const goOn = (place: Pass): boolean => {
        options.progress?.(place, mark)
        return true
      }
      const pass = await walk(client, await beginPass(client, "VERIFY"), { mark, keep, goOn })
      const standing = await readStanding(client, pass, options.now())
      return { violations: [...new Set([...found, ...standing])], transfers: Number(mark.transfers) }
    } finally {
      await endPass(client, "VERIFY")
    }
  })
