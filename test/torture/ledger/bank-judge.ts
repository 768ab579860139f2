/** What the bank's books must say: snapshots while money moves, and at the end the journal against what the tellers were told. */
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { Decimal } from "../../../src/domain/decimal.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"
import type { Move, Tellers } from "./bank-tellers.ts"

const SNAPSHOT_PAUSE_MILLIS = 50
const REPEATED_MAX = 100

const sum = (texts: ReadonlyArray<string>): string =>
  texts.reduce((all, text) => all.add(Decimal.fromVenue(text) ?? Decimal.ZERO), Decimal.ZERO).toString()

/** Reads wallet by wallet, a statement each: only one snapshot makes their sum mean something. */
const readTotals = async (client: pg.Client, wallets: ReadonlyArray<string>): Promise<readonly [string, string]> => {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  const mine: Array<string> = []
  for (const wallet of wallets) {
    const { rows } = await client.query(
      "SELECT credits_posted - debits_posted AS it FROM wallet_balance WHERE wallet_id = $1",
      [wallet],
    )
    mine.push(rows[0].it)
  }
  const { rows } = await client.query("SELECT sum(credits_posted - debits_posted) AS it FROM wallet_balance")
  await client.query("COMMIT")
  return [sum(mine), sum([rows[0].it])]
}

export class Auditor {
  readonly wrong: Array<string> = []
  snapshots = 0
  #isOpen = true
  #reading: Promise<void>

  /** `url`: of a server that may be away for a while. */
  constructor(url: string, wallets: ReadonlyArray<string>, total: number) {
    this.#reading = this.#read(url, wallets, String(total))
  }

  async end(): Promise<void> {
    this.#isOpen = false
    await this.#reading
  }

  async #read(url: string, wallets: ReadonlyArray<string>, total: string): Promise<void> {
    while (this.#isOpen) {
      const client = new pg.Client({ connectionString: url })
      client.on("error", () => {})
      try {
        await client.connect()
        while (this.#isOpen) {
          const [mine, all] = await readTotals(client, wallets)
          this.snapshots += 1
          if (mine !== total || all !== "0") this.wrong.push(`wallets ${mine} of ${total}, all together ${all}`)
          await sleep(SNAPSHOT_PAUSE_MILLIS)
        }
      } catch {
        await sleep(100) // the server is away
      }
      await client.end().catch(() => undefined)
    }
  }
}

const nameOf = (from: string, to: string, amount: string): string => `${from} ${to} ${Decimal.fromVenue(amount)}`

export const judgeBank = async (tellers: Tellers, auditor: Auditor, url: string): Promise<ReadonlyArray<Verdict>> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const journal = async (): Promise<ReadonlyArray<string>> =>
    (
      await client.query(
        "SELECT debit_wallet_id AS f, credit_wallet_id AS t, amount AS a FROM ledger_transfer WHERE code = 'TRANSFER'",
      )
    ).rows.map(({ f, t, a }) => nameOf(f, t, a))
  const balances = async (): Promise<string> =>
    JSON.stringify((await client.query("SELECT * FROM wallet_balance ORDER BY wallet_id, asset")).rows)
  try {
    const { moves } = tellers
    const told = (word: Move["told"]): ReadonlyArray<Move> => moves.filter((it) => it.told === word)
    const names = (of: ReadonlyArray<Move>): ReadonlyArray<string> => of.map((it) => nameOf(it.from, it.to, it.amount))
    const rows = new Map<string, number>()
    for (const row of await journal()) rows.set(row, (rows.get(row) ?? 0) + 1)
    const done = new Set(names(told("done")))
    const before = await balances()
    const repeated: Array<string> = []
    // Of what was refused nothing is kept: asked again it would be judged by what is there now.
    for (const move of told("done").slice(-REPEATED_MAX)) {
      const again = await tellers.again(move)
      if (again.told !== "done" || !again.isReplay) repeated.push(`${move.amount}: ${move.told}, then ${again.told}`)
    }
    const violations = (await client.query("SELECT what FROM ledger_violation")).rows.map(({ what }) => String(what))
    const doubtful = moves.filter((it) => it.asked > 1)
    return [
      none(
        "acknowledged and lost",
        [...done].filter((it) => !rows.has(it)),
        `${done.size} acknowledged`,
      ),
      none(
        "done twice",
        [...rows].filter(([, times]) => times > 1).map(([name]) => name),
        `${rows.size} in the journal`,
      ),
      none(
        "ghosts",
        [...rows.keys()].filter((it) => !done.has(it)),
        `${rows.size} in the journal`,
      ),
      none(
        "refused and done",
        names(told("refused")).filter((it) => rows.has(it)),
        `${told("refused").length} refused`,
      ),
      none(
        "never answered definitely",
        told("nothing").map((it) => it.doubt),
        `${doubtful.length} that had to be asked again`,
      ),
      none("snapshots with another total", auditor.wrong, `${auditor.snapshots} snapshots`),
      none("repeats answered otherwise", repeated, `${Math.min(REPEATED_MAX, done.size)} done`),
      {
        name: "repeats that moved something",
        passed: before === (await balances()),
        says: before === (await balances()) ? "balances as before" : "balances changed",
      },
      none("violations", violations, "the whole journal"),
      {
        name: "it was put to the test",
        passed: done.size > 100 && doubtful.length > 0 && told("refused").length > 0 && auditor.snapshots > 10,
        says: `${done.size} done, ${told("refused").length} refused, ${doubtful.length} asked again, ${auditor.snapshots} snapshots`,
      },
    ]
  } finally {
    await client.end()
  }
}
