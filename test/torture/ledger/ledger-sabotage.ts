/**
 * The sabotage list of security B.3 on the ledger: each entry breaks one thing, and the check that watches over it must turn red; on the
 * ledger as it is the same check is green. A checker that cannot fail is a defect.
 */
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import fc from "fast-check"
import pg from "pg"
import type { WalletId } from "../../../src/domain/wallet/wallet.ts"
import { batchText, type LedgerWriterOptions } from "../../../src/ledger/ledger-writer.ts"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { checkDurability, connectDedicated, migrate } from "../../../src/store/postgres/sql.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { type LedgerRig, openLedgerRig, single } from "../../kit/worlds/ledger-rig.ts"
import { commands, play } from "../../kit/worlds/ledger-runs.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

/** A server of its own, which a check may kill. */
interface Stage {
  readonly server: EmbeddedPostgres
  readonly restart: () => Promise<void>
  readonly rig: LedgerRig
}

/** Null: green. Otherwise what it found. */
type Check = (stage: Stage) => Promise<string | null>

interface Sabotage {
  readonly name: string
  /** In the text of ledger_apply, each once or more. */
  readonly replaced?: ReadonlyArray<readonly [string, string]>
  /** Of the writer. */
  readonly connect?: (url: string) => LedgerWriterOptions["connect"]
  readonly check: Check
}

const withinModel: Check = async ({ rig }) => {
  const result = await fc.check(
    fc.asyncProperty(commands(50), (all) => play(rig, all)),
    { numRuns: 30, seed: 1, endOnFailure: true },
  )
  return result.failed ? String(result.errorInstance).split("\n")[0]! : null
}

const funded = async (rig: LedgerRig, n: number): Promise<ReadonlyArray<WalletId>> => {
  const wallets: Array<WalletId> = []
  while (wallets.length < n) wallets.push(await rig.wallet())
  for (const wallet of wallets) await rig.fund(wallet, "1000000")
  return wallets
}

/** Transfers while the server is killed; what was acknowledged must be in the journal. */
const nothingLost: Check = async (stage) => {
  const { rig } = stage
  const [a, b] = await funded(rig, 2)
  const acknowledged: Array<string> = []
  let isOpen = true
  const callers = Array.from({ length: 16 }, async () => {
    while (isOpen) {
      const transfer = single(a!, b!, "1")
      const outcome = await Promise.race([rig.ask({ transfers: [transfer] }), sleep(3_000, undefined)])
      if (outcome?._tag === "Applied" && isOpen) acknowledged.push(transfer.transferId)
    }
  })
  await sleep(1_000)
  process.kill(stage.server.pid, "SIGKILL")
  isOpen = false
  await stage.server.exited
  rig.writer.close()
  await Promise.all(callers)
  await stage.restart()
  const client = await connectDedicated(stage.server.url())
  const { rows } = await client.query("SELECT transfer_id FROM ledger_transfer WHERE transfer_id = ANY ($1)", [
    acknowledged,
  ])
  await client.end()
  return rows.length === acknowledged.length
    ? null
    : `${acknowledged.length - rows.length} of ${acknowledged.length} acknowledged lost`
}

/** Whoever hears that it is done finds it done. */
const doneWhenSaid: Check = async ({ rig }) => {
  const [a, b] = await funded(rig, 2)
  for (let i = 0; i < 20; i++) {
    const transfer = single(a!, b!, "1")
    await rig.ask({ transfers: [transfer] })
    const { rowCount } = await rig.client.query("SELECT 1 FROM ledger_transfer WHERE transfer_id = $1", [
      transfer.transferId,
    ])
    if (rowCount === 0) return "an outcome was told before its commit"
  }
  return null
}

/** Two more writers on the same wallets, each batch in another order: the second wall is the order of locks. */
const noDeadlock: Check = async ({ server, rig }) => {
  const wallets = await funded(rig, 12)
  const fence = { nodeId: "gateway", epoch: 1 }
  let deadlocks = 0
  const writers = Array.from({ length: 4 }, async () => {
    const client = new pg.Client({ connectionString: server.url() })
    await client.connect()
    for (let i = 0; i < 60; i++) {
      const transfers = Array.from({ length: 12 }, (_, n) => {
        const from = Math.floor(Math.random() * wallets.length)
        return single(wallets[from]!, wallets[(from + 1 + (n % (wallets.length - 1))) % wallets.length]!, "1")
      })
      const batch = [{ request: { requestId: randomUUID(), transfers, facts: [], settled: () => {} }, at: 1 }]
      await client.query("SELECT ledger_apply($1::jsonb)", [batchText(randomUUID(), fence, batch)]).catch((error) => {
        if (error.code === "40P01") deadlocks++
        else throw error
      })
    }
    await client.end()
  })
  await Promise.all(writers)
  return deadlocks === 0 ? null : `${deadlocks} deadlocks`
}

/** What it finds in a database with asynchronous commits. */
const startRefused: Check = async ({ server }) => {
  try {
    await checkDurability(server.url())
    return null
  } catch (error) {
    return String(error).split("\n")[0]!
  }
}

/** Answers as soon as the statement has run, and commits a moment later. */
const committingLate =
  (url: string): LedgerWriterOptions["connect"] =>
  async () => {
    const client = await connectDedicated(url)
    const query = client.query.bind(client) as (asked: unknown) => Promise<unknown>
    let committed: Promise<unknown> = Promise.resolve()
    client.query = (async (asked: unknown) => {
      if (typeof asked === "string") return query(asked)
      await committed
      await query("BEGIN")
      const answer = await query(asked)
      committed = sleep(50).then(() => query("COMMIT"))
      committed.catch(() => undefined)
      return answer
    }) as typeof client.query
    return client
  }

const asynchronous =
  (url: string): LedgerWriterOptions["connect"] =>
  async () => {
    const client = await connectDedicated(url)
    await client.query("SET synchronous_commit = off")
    return client
  }

const LIST: ReadonlyArray<Sabotage> = [
  { name: "synchronous_commit off", connect: asynchronous, check: nothingLost },
  { name: "acknowledged before the commit", connect: committingLate, check: nothingLost },
  { name: "published before the commit", connect: committingLate, check: doneWhenSaid },
  {
    name: "no order in the locks",
    replaced: [["ORDER BY b.wallet_id, b.asset FOR NO KEY UPDATE", "ORDER BY random() FOR NO KEY UPDATE"]],
    check: noDeadlock,
  },
  {
    name: "requests are not looked up",
    replaced: [["WHERE q.request_id = ANY (r_id)", "WHERE false"]],
    check: withinModel,
  },
  {
    name: "transfers are not looked up",
    replaced: [
      [
        "known_transfers FROM ledger_transfer j WHERE j.transfer_id = ANY (t_id)",
        "known_transfers FROM ledger_transfer j WHERE false",
      ],
    ],
    check: withinModel,
  },
  {
    name: "refused ids are forgotten",
    replaced: [["ledger_rejected j WHERE j.transfer_id = ANY (t_id)", "ledger_rejected j WHERE false"]],
    check: withinModel,
  },
  { name: "a hold is posted twice", replaced: [["NOT h_open[h] THEN", "false THEN"]], check: withinModel },
  {
    name: "amounts are floats",
    replaced: [["amount := t_amount[i];", "amount := t_amount[i]::float8::numeric;"]],
    check: withinModel,
  },
  {
    name: "funds are not looked at",
    replaced: [["+ amount > b_cp[d] THEN", "+ amount > b_cp[d] + 5e18 THEN"]],
    check: withinModel,
  },
  {
    name: "what is refused is not taken back",
    replaced: [["IN REVERSE u_count .. 1", "IN REVERSE 0 .. 1"]],
    check: withinModel,
  },
  { name: "a frozen wallet pays", replaced: [["OR b_status[d] = 'FROZEN'", ""]], check: withinModel },
  {
    name: "a wallet that was frozen when it was closed pays",
    replaced: [["b_frozen[d] AND (NOT acting OR a_admin[r] IS NOT TRUE)", "false"]],
    check: withinModel,
  },
  {
    name: "a hold is over one moment late",
    replaced: [["h_expires[h] <= r_at[r]", "h_expires[h] < r_at[r]"]],
    check: withinModel,
  },
]

const withStage = async <A>(sabotage: Sabotage | null, check: (stage: Stage) => Promise<A>): Promise<A> => {
  const directory = scratchDirectory("sabotage")
  // Asynchronous commits stay unwritten for so long, in milliseconds.
  const options = { dataDir: directory, settings: { wal_writer_delay: "10000" } }
  let server = await startEmbeddedPostgres(options)
  const url = server.url()
  await migrate(url)
  const client = await connectDedicated(url)
  for (const [from, to] of sabotage?.replaced ?? []) {
    const { rows } = await client.query("SELECT pg_get_functiondef('ledger_apply'::regproc) AS it")
    if (!rows[0].it.includes(from)) throw new Error(`${sabotage?.name}: ledger_apply has no "${from}" any more`)
    await client.query(rows[0].it.replaceAll(from, to))
  }
  await client.end()
  const rig = await openLedgerRig(url, sabotage?.connect === undefined ? {} : { connect: sabotage.connect(url) })
  const stage: Stage = {
    rig,
    get server() {
      return server
    },
    restart: async () => {
      server = await startEmbeddedPostgres(options)
    },
  }
  try {
    return await check(stage)
  } finally {
    await rig.close().catch(() => undefined)
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

export const ledgerSabotage = async (
  progress: (line: string) => void,
  only?: string | undefined,
): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  const judge = (name: string, passed: boolean, says: string): void => {
    progress(`ledger-sabotage: ${name}: ${says}`)
    verdicts.push({ name, passed, says })
  }
  const chosen = LIST.filter(({ name }) => only === undefined || name.includes(only))
  for (const check of new Set(chosen.map((it) => it.check))) {
    const found = await withStage(null, check)
    judge(`the ledger as it is, ${check.name}`, found === null, found ?? "green")
  }
  for (const sabotage of chosen) {
    const found = await withStage(sabotage, sabotage.check)
    judge(sabotage.name, found !== null, found === null ? "still green" : `red: ${found}`)
  }
  if (only === undefined) {
    const found = await withStage(null, async (stage) => {
      const client = await connectDedicated(stage.server.adminUrl())
      await client.query("ALTER ROLE gateway SET synchronous_commit = off")
      await client.end()
      return startRefused(stage)
    })
    judge("synchronous_commit off, at the start", found !== null, found === null ? "it starts" : `refused: ${found}`)
  }
  return verdicts
}
