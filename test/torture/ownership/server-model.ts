/**
 * The server's side of the lease, as the server itself works it out: every statement of the protocol runs on a real PostgreSQL, over tables that
 * hold a state of the exploration and stand in for its clock, its locks and its sessions. The one thing to know: an answer depends on the state
 * and the statement alone, so each pair is asked once.
 */
import pg from "pg"
import type { Ask, Rows } from "../../../src/store/postgres/lease.ts"

/** What the server knows: rows of owners, locks of sessions, its clock in s, and the newest epoch that was handed out. */
export interface ServerState {
  readonly now: number
  /** Node, epoch, until in s, whether it owns; null: renewed by none. */
  readonly rows: ReadonlyArray<readonly [string, number, number | null, boolean]>
  /** Session, and the owner's lock (0) or the epoch whose sessions it belongs to. */
  readonly locks: ReadonlyArray<readonly [number, number]>
  readonly epoch: number
  /** Of several processes, what each has: shard, node or null, its epoch, the number of the grant and of what asked for it. Absent: one process has all. */
  readonly shards?: ReadonlyArray<readonly [number, string | null, number, number, number]>
}

export interface Answered {
  readonly state: ServerState
  readonly rows: Rows
  /** Sessions that the statement ended. */
  readonly ended: ReadonlyArray<number>
}

/** Of a row whose epoch was taken. */
const ENDED = -1_000_000

const STAND_INS = `
  CREATE SCHEMA model;
  CREATE TABLE model.clock (now int NOT NULL);
  CREATE TABLE model.pg_locks (locktype text, database oid, classid oid, objid oid, objsubid smallint, pid int, granted boolean);
  CREATE TABLE model.ended (pid int);
  CREATE TABLE model.gateway_shard (shard int PRIMARY KEY, owner text, epoch bigint NOT NULL, term bigint NOT NULL, asked int NOT NULL);
  CREATE FUNCTION model.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
    $$ SELECT to_timestamp(0) + now * interval '1 second' FROM model.clock $$;
  CREATE FUNCTION model.lock(class bigint, object bigint, sub int) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO model.pg_locks SELECT 'advisory', oid, class::oid, object::oid, sub, current_setting('model.pid')::int, true
       FROM pg_database WHERE datname = current_database() $$;
  CREATE FUNCTION model.pg_try_advisory_lock(key bigint) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM model.pg_locks WHERE objsubid = 1) THEN RETURN false; END IF;
      PERFORM model.lock(0, key, 1);
      RETURN true;
    END $$;
  CREATE FUNCTION model.pg_advisory_lock_shared(class int, object int) RETURNS void LANGUAGE sql AS
    $$ SELECT model.lock(class, object, 2) $$;
  CREATE FUNCTION model.pg_advisory_unlock_shared(class int, object int) RETURNS void LANGUAGE sql AS
    $$ DELETE FROM model.pg_locks WHERE pid = current_setting('model.pid')::int AND objsubid = 2 AND objid::bigint = object $$;
  CREATE FUNCTION model.pg_backend_pid() RETURNS int LANGUAGE sql AS $$ SELECT current_setting('model.pid')::int $$;
  CREATE FUNCTION model.pg_terminate_backend(gone int) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO model.ended VALUES (gone);
      DELETE FROM model.pg_locks WHERE pid = gone;
      RETURN true;
    END $$;
  CREATE FUNCTION model.pg_terminate_backend(gone int, patience bigint) RETURNS boolean LANGUAGE sql AS
    $$ SELECT model.pg_terminate_backend(gone) $$`

const literal = (value: unknown): string =>
  typeof value === "number" ? String(value) : pg.escapeLiteral(String(value))

export class ServerModel {
  readonly #client: pg.Client
  readonly #known = new Map<string, Answered>()
  readonly #change: (text: string) => string
  readonly #locks: { readonly owner: number; readonly sessions: number }

  private constructor(client: pg.Client, locks: ServerModel["locks"], change: (text: string) => string) {
    this.#client = client
    this.#locks = locks
    this.#change = change
  }

  get locks(): { readonly owner: number; readonly sessions: number } {
    return this.#locks
  }

  /** Statements that were really asked. */
  get asked(): number {
    return this.#known.size
  }

  /** Over a migrated database of its own. `change`: for sabotage, of each statement. */
  static async over(
    url: string,
    locks: { readonly owner: number; readonly sessions: number },
    change: (text: string) => string = (text) => text,
  ): Promise<ServerModel> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(
      `DROP SCHEMA IF EXISTS model CASCADE; ${STAND_INS}; SET search_path = model, public, pg_catalog; SET synchronous_commit = off`,
    )
    return new ServerModel(client, locks, change)
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  /** Of session `pid`. */
  async ask(state: ServerState, pid: number, { text, values }: Ask): Promise<Answered> {
    const changed = this.#change(text).replace(/\$(\d)/g, (_all, digit: string) => literal(values[Number(digit) - 1]))
    const key = `${JSON.stringify(state)} ${pid} ${changed}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const answered = await this.#run(state, pid, changed)
    this.#known.set(key, answered)
    return answered
  }

  async #run({ now, rows, locks, epoch, shards }: ServerState, pid: number, text: string): Promise<Answered> {
    const { owner, sessions } = this.#locks
    const until = (it: number | null): string =>
      it === null ? "NULL" : it === ENDED ? "'-infinity'" : `to_timestamp(0) + ${it} * interval '1 second'`
    const nodes = rows.map(([node, of, ends, owns]) => `('${node}', ${of}, 0, ${until(ends)}, ${owns})`)
    const held = locks.map(([of, what]) =>
      what === 0 ? `('advisory', 0, ${owner}, 1, ${of})` : `('advisory', ${sessions}, ${what}, 2, ${of})`,
    )
    const filled = [
      `INSERT INTO model.clock VALUES (${now})`,
      `SELECT set_config('model.pid', '${pid}', true), setval('gateway_epoch', ${Math.max(epoch, 1)}, ${epoch > 0})`,
      ...(nodes.length > 0
        ? [`INSERT INTO gateway_node (node_id, epoch, started_at, until, owns) VALUES ${nodes.join(", ")}`]
        : []),
      ...(shards === undefined || shards.length === 0
        ? []
        : [
            `INSERT INTO model.gateway_shard VALUES ${shards
              .map(
                ([shard, node, of, term, asked]) =>
                  `(${shard}, ${node === null ? "NULL" : `'${node}'`}, ${of}, ${term}, ${asked})`,
              )
              .join(", ")}`,
          ]),
      ...(held.length > 0
        ? [
            `INSERT INTO model.pg_locks SELECT l.type, d.oid, l.class::oid, l.object::oid, l.sub, l.pid, true
             FROM (VALUES ${held.join(", ")}) AS l (type, class, object, sub, pid), pg_database d WHERE d.datname = current_database()`,
          ]
        : []),
    ]
    const left = `SELECT
      (SELECT coalesce(json_agg(json_build_array(node_id, epoch, CASE WHEN until = '-infinity' THEN ${ENDED} ELSE extract(epoch FROM until) END, owns)
        ORDER BY node_id), '[]') FROM gateway_node) AS rows,
      (SELECT coalesce(json_agg(json_build_array(pid, CASE objsubid WHEN 1 THEN 0 ELSE objid::bigint END) ORDER BY pid, objid), '[]') FROM model.pg_locks) AS locks,
      (SELECT coalesce(json_agg(DISTINCT pid), '[]') FROM model.ended) AS ended,
      (SELECT coalesce(json_agg(json_build_array(shard, owner, epoch, term, asked) ORDER BY shard), '[]') FROM model.gateway_shard) AS shards,
      (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM gateway_epoch) AS epoch`
    const statements = ["BEGIN", ...filled, text, left, "ROLLBACK"].join(";\n")
    const results = (await this.#client.query(statements)) as unknown as ReadonlyArray<pg.QueryResult>
    const read = results.at(-2)?.rows[0] as {
      readonly rows: ServerState["rows"]
      readonly locks: ServerState["locks"]
      readonly ended: ReadonlyArray<number>
      readonly shards: NonNullable<ServerState["shards"]>
      readonly epoch: string
    }
    const whole = { now, rows: read.rows, locks: read.locks, epoch: Number(read.epoch) }
    const state = shards === undefined ? whole : { ...whole, shards: read.shards }
    return { state, rows: results.at(-3)?.rows ?? [], ended: read.ended }
  }
}
