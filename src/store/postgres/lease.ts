/**
 * The lease on a database, without a connection: what is asked of the server, and what a process concludes from its answers. The one thing to
 * know: the server's clock decides when another may take it, and a process counts from when it asked, so it always believes less than is true.
 */

export interface LeaseTerms {
  /** From a grant or renewal, by the server's clock. */
  readonly millis: number
  /** So much before its end a process no longer relies on it: its clock may run slower than the server's. */
  readonly marginMillis: number
}

/** Of one process on one database: a server or a loop that stands still for 9 s changes nothing. */
export const LEASE: LeaseTerms = { millis: 15_000, marginMillis: 500 }

/** What a process knows of its own. */
export type Lease =
  | {
      readonly _tag: "Held"
      readonly epoch: number
      /** This process's monotonic ms: relied upon before, and not any more without a renewal. */
      readonly until: number
    }
  /** Another has it now: for this process there is no way back. */
  | { readonly _tag: "Lost"; readonly epoch: number }

/** `askedAt`: monotonic ms at which the statement was handed over, however late its answer came. */
export const granted = (epoch: number, askedAt: number, { millis, marginMillis }: LeaseTerms): Lease => ({
  _tag: "Held",
  epoch,
  until: askedAt + millis - marginMillis,
})

/** A renewal was answered. `isOurs`: a row with this epoch was there. Answers may come in any order. */
export const renewed = (lease: Lease, askedAt: number, isOurs: boolean, terms: LeaseTerms): Lease => {
  if (lease._tag === "Lost") return lease
  if (!isOurs) return { _tag: "Lost", epoch: lease.epoch }
  const next = granted(lease.epoch, askedAt, terms)
  return next._tag === "Held" && next.until > lease.until ? next : lease
}

/** Whether what only the owner may do may be done at that monotonic ms. */
export const mayAct = (lease: Lease, at: number): boolean => lease._tag === "Held" && at < lease.until

/** What a batch of a writer must find: $1 node, $2 epoch. Held until it is committed, so that no grant comes in between. */
export const FENCE = "SELECT node_id FROM gateway_node WHERE node_id = $1 AND epoch = $2 FOR KEY SHARE"

/**
 * Takes the database for a process that holds the owner's lock: $1 node, $2 wall ms, $3 the lease in ms. Every other epoch ends with it,
 * whatever their nodes are called; their rows stay. Waits for batches in flight under those epochs.
 */
const GRANT = `WITH others AS (
    UPDATE gateway_node SET epoch = nextval('gateway_epoch'), until = '-infinity' WHERE node_id <> $1)
  INSERT INTO gateway_node AS n (node_id, epoch, started_at, until)
  VALUES ($1, nextval('gateway_epoch'), $2, clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (node_id) DO UPDATE SET epoch = excluded.epoch, started_at = excluded.started_at, until = excluded.until
  RETURNING epoch`

/** $1 node, $2 epoch, $3 the lease in ms. No row: it is another's. */
export const RENEW = `UPDATE gateway_node SET until = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE node_id = $1 AND epoch = $2 RETURNING epoch`

/** First key of the shared advisory locks that an owner's sessions hold, its epoch being the second ("fenc" in ASCII). */
export const SESSION_LOCK = 0x66656e63

const IS_SESSION_LOCK = `locktype = 'advisory' AND objsubid = 2 AND classid = ${SESSION_LOCK} AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/**
 * Ends the epoch of an owner that holds the owner's lock, $1, and has let its lease run out: a process that was stopped, or that the server
 * cannot reach. One that holds the lock after its epoch has ended is as good: who ended it was ended itself before it ended the sessions. Answers
 * an epoch that all sessions of that owner are before. No row: it renews, or it is nothing that has a lease.
 */
const TAKE = `WITH holder AS (
    SELECT objid::bigint AS epoch FROM pg_locks
    WHERE ${IS_SESSION_LOCK} AND pid IN (
      SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND classid = 0 AND objid = $1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))),
  ended AS (
    UPDATE gateway_node SET epoch = nextval('gateway_epoch')
    WHERE until < clock_timestamp() AND epoch = (SELECT epoch FROM holder) RETURNING epoch)
  SELECT epoch FROM ended
  UNION ALL
  SELECT max(epoch) FROM gateway_node HAVING NOT bool_or(epoch = (SELECT epoch FROM holder))`

/** Marks the session as one of the owner's, and says whether it still is the owner. Two statements: the second sees what the lock waited for. */
export const enterSession = (nodeId: string, epoch: number): string =>
  `SELECT pg_advisory_lock_shared(${SESSION_LOCK}, ${epoch});
   SELECT EXISTS (SELECT FROM gateway_node WHERE node_id = '${nodeId.replaceAll("'", "''")}' AND epoch = ${epoch}) AS is_owner`

/**
 * Ends all sessions of owners before epoch $1 and answers, of each, whether it is over within $2 ms. One that begins later finds that its
 * epoch is gone.
 */
const END_SESSIONS = `SELECT pid, pg_terminate_backend(pid, $2) AS is_over
  FROM (SELECT DISTINCT pid FROM pg_locks WHERE ${IS_SESSION_LOCK} AND objid::bigint < $1) AS s`

/** A question to the server, and its rows. */
export interface Ask {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  /** Its answer on a schema that has no leases yet, which refuses it. */
  readonly without?: Rows
}
export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** The sessions of an owner before this one are over, or the start fails. */
const END_MILLIS = 5_000

function* endingSessions(epoch: number): Generator<Ask, void, Rows> {
  const rows = yield { text: END_SESSIONS, values: [epoch, END_MILLIS] }
  const left = rows.flatMap(({ pid, is_over }) => (is_over === true ? [] : [pid]))
  if (left.length > 0)
    throw new Error(`sessions of the process that owned it before do not end: ${left.join(", ")} in pg_stat_activity`)
}

const tryLock = (lock: number): Ask => ({ text: "SELECT pg_try_advisory_lock($1) AS taken", values: [lock] })
const isTaken = ([row]: Rows): boolean => row?.["taken"] === true

/** Takes the owner's lock for this session, in so many attempts, and from an owner whose lease has run out. Yields null to wait before the next. */
export function* holding(lock: number, attempts: number): Generator<Ask | null, "free" | "taken over" | "owned", Rows> {
  for (let attempt = 1; ; attempt++) {
    if (isTaken(yield tryLock(lock))) return "free"
    if (attempt >= attempts) break
    yield null
  }
  const [ended] = yield { text: TAKE, values: [lock], without: [] }
  if (ended === undefined) return "owned"
  yield* endingSessions(Number(ended["epoch"]))
  return isTaken(yield tryLock(lock)) ? "taken over" : "owned"
}

/** Of a session that holds the owner's lock. The new epoch; when it is returned, no session of an older one can write any more. */
export function* granting(nodeId: string, wallMillis: number, { millis }: LeaseTerms): Generator<Ask, number, Rows> {
  const [row] = yield { text: GRANT, values: [nodeId, wallMillis, millis] }
  const epoch = Number(row?.["epoch"])
  yield { text: enterSession(nodeId, epoch), values: [] }
  yield* endingSessions(epoch)
  return epoch
}
