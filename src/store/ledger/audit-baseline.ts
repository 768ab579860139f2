/**
 * A checkpoint for a journal that was never gone through: what the balances come to at a mark. Looks go on from it at once, so that what
 * is new is audited from the first look on; whether the journal up to the mark comes to these balances is for the pass over all of it.
 */
import type pg from "pg"
import { DISAGREEMENTS, inTransaction, type Mark, type Pass, type Rewritten } from "./audit-pass.ts"
import { inSlices, movedBy } from "./audit-standing.ts"

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
export const changedMeanwhile = async (
  client: pg.Client,
  begun: Pass,
  whole: Pass,
): Promise<ReadonlyArray<Rewritten>> =>
  (await client.query<Rewritten>(MEANWHILE, [begun.generation, whole.generation, whole.transfers])).rows
