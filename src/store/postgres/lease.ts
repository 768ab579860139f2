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

/**
 * Of several processes on one database: a thread renews it (keeper-thread.ts), so a loop that stands still for 2 s changes nothing here either,
 * and the next process has the database 1.8 s after the last word of the one before. A machine may withhold 1.6 s from the thread and the server: the lease
 * less what lies between two renewals.
 */
export const CLUSTER_LEASE: LeaseTerms = { millis: 1_800, marginMillis: 200 }

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
const OTHERS = `UPDATE gateway_node SET epoch = nextval('gateway_epoch'), until = '-infinity', owns = false WHERE node_id <> $1 AND owns`
const GRANT = `WITH others AS (${OTHERS})
  INSERT INTO gateway_node AS n (node_id, epoch, started_at, until, owns)
  VALUES ($1, nextval('gateway_epoch'), $2, clock_timestamp() + $3 * interval '1 millisecond', true)
  ON CONFLICT (node_id) DO UPDATE
    SET epoch = excluded.epoch, started_at = excluded.started_at, until = excluded.until, owns = true
  RETURNING epoch`

/** First key of the shared advisory locks that an owner's sessions hold, its epoch being the second ("fenc" in ASCII). */
export const SESSION_LOCK = 0x66656e63

/**
 * The same for a node of a cluster, $1, whose row has the epoch $2 still; no row: another process has its name. $3 the lease in ms. The session is
 * marked with the new epoch before the row is seen to have it, so at no moment it has the marks of epochs that are gone alone (TAKE).
 */
const GRANT_NODE = `WITH others AS (${OTHERS}),
  granted AS (
    UPDATE gateway_node SET epoch = nextval('gateway_epoch'), until = clock_timestamp() + $3 * interval '1 millisecond', owns = true
    WHERE node_id = $1 AND epoch = $2 RETURNING epoch)
  SELECT epoch, pg_advisory_lock_shared(${SESSION_LOCK}, epoch::int) FROM granted`

/**
 * The row of a node that owns nothing yet: $1 node, $2 wall ms, $3 the lease in ms. No row: a process of that name renews its own. What an earlier
 * life of the node says is of another epoch, and its batch in flight is waited for.
 */
const JOIN = `INSERT INTO gateway_node AS n (node_id, epoch, started_at, until, owns)
  VALUES ($1, nextval('gateway_epoch'), $2, clock_timestamp() + $3 * interval '1 millisecond', false)
  ON CONFLICT (node_id) DO UPDATE
    SET epoch = excluded.epoch, started_at = excluded.started_at, until = excluded.until, owns = false, keys = NULL
    WHERE n.until IS NULL OR n.until < clock_timestamp()
  RETURNING epoch`

/** $1 node, $2 epoch: it is gone, and its name is free. */
export const LEAVE = `UPDATE gateway_node SET until = '-infinity', owns = false, keys = NULL WHERE node_id = $1 AND epoch = $2`

/** Who owns the database, if anyone does: its node, and its epoch. */
export const OWNER =
  "SELECT node_id, epoch FROM gateway_node WHERE owns AND until > clock_timestamp() ORDER BY epoch DESC LIMIT 1"

/** $1 node, $2 epoch, $3 the lease in ms. No row: it is another's. */
export const RENEW = `UPDATE gateway_node SET until = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE node_id = $1 AND epoch = $2 RETURNING epoch`

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
    WHERE until < clock_timestamp() AND epoch IN (SELECT epoch FROM holder) RETURNING epoch)
  SELECT epoch FROM ended
  UNION ALL
  SELECT max(epoch) FROM gateway_node
  HAVING EXISTS (SELECT FROM holder) AND NOT bool_or(epoch IN (SELECT epoch FROM holder))`

/** Marks the session as one of the owner's, and says whether it still is the owner. Two statements: the second sees what the lock waited for. */
export const enterSession = (nodeId: string, epoch: number): string =>
  `SELECT pg_advisory_lock_shared(${SESSION_LOCK}, ${epoch});
   SELECT EXISTS (SELECT FROM gateway_node WHERE node_id = '${nodeId.replaceAll("'", "''")}' AND epoch = ${epoch}) AS is_owner`

const SESSIONS_BEFORE = `SELECT DISTINCT pid FROM pg_locks WHERE ${IS_SESSION_LOCK} AND objid::bigint < $1 AND pid <> pg_backend_pid()`

/** Tells all sessions of owners before epoch $1 to end. One that begins later finds that its epoch is gone. */
const TELL_SESSIONS = `SELECT pg_terminate_backend(pid) FROM (${SESSIONS_BEFORE}) AS s`

/** Of those that are still there, whether each is over within $2 ms. The server looks every 100 ms, so they are told first, all at once. */
const END_SESSIONS = `SELECT pid, pg_terminate_backend(pid, $2) AS is_over FROM (${SESSIONS_BEFORE}) AS s`

/**
 * Ends what else bears the mark of $1, the epoch of a node that waits: sessions of its own whose way is gone, which the server may take for alive.
 * One that was given the lock as its answer was lost would keep it from everyone for as long as the node renews that epoch.
 */
export const END_OWN = `SELECT pg_terminate_backend(pid) FROM (
    SELECT DISTINCT pid FROM pg_locks WHERE ${IS_SESSION_LOCK} AND objid::bigint = $1 AND pid <> pg_backend_pid()) AS s`

/** A question to the server, and its rows. */
export interface Ask {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  /** Its answer may take so long: it waits for what others do. */
  readonly millis?: number
  /** Its answer on a schema that has no leases yet, which refuses it. */
  readonly without?: Rows
}
export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** The sessions of an owner before this one are over, or the start fails. */
const END_MILLIS = 5_000
/** A batch in flight, or several sessions that end one after the other. */
const OTHERS_MILLIS = 12_000

function* endingSessions(epoch: number): Generator<Ask, void, Rows> {
  const leftOf = (rows: Rows) => rows.flatMap(({ pid, is_over }) => (is_over === true ? [] : [pid]))
  yield { text: TELL_SESSIONS, values: [epoch] }
  const end = { text: END_SESSIONS, values: [epoch, END_MILLIS], millis: OTHERS_MILLIS }
  // One that was over before it was told once more is no answer either.
  const left = leftOf(yield end).length === 0 ? [] : leftOf(yield end)
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

/** A node's first question. No row: a process of its name renews its own. */
export const joining = (nodeId: string, wallMillis: number, { millis }: LeaseTerms): Ask => ({
  text: JOIN,
  values: [nodeId, wallMillis, millis],
})

/** Of a joined node's session that holds the owner's lock and the mark of `joined` (enterSession). No row: its name is another process's. */
export const grantingNode = (nodeId: string, joined: number, { millis }: LeaseTerms): Ask => ({
  text: GRANT_NODE,
  values: [nodeId, joined, millis],
  millis: OTHERS_MILLIS,
})

/** What follows on the same session. The epoch; when it is returned, no session of an older one can write any more. */
export function* beginning(joined: number, epoch: number): Generator<Ask, number, Rows> {
  yield { text: `SELECT pg_advisory_unlock_shared(${SESSION_LOCK}, ${joined})`, values: [] }
  yield* endingSessions(epoch)
  return epoch
}
