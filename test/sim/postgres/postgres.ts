/** A world's store on real PostgreSQL: every batch goes to both, both must do the same with it, and what is read is the database's. */
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { MessageChannel, Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { TradingAccountId } from "../../../src/domain/ids.ts"
import type { StoredEvent } from "../../../src/ports/account-store.ts"
import { bundleProgram } from "../../kit/bundled-program.ts"
import type { MemoryDatabase } from "../../kit/worlds/memory-account-store.ts"
import type { Backing } from "../world.ts"
import { type Call, READS, revived } from "./postgres-calls.ts"
import { askingThread } from "./thread-ask.ts"

const ANSWER_MILLIS = 120_000
/** Events that one question asks for: at most 1,000, and 4 MiB of them. */
const EVENTS_PAGE = 500

interface State {
  readonly orders: ReadonlyArray<Record<string, string>>
  readonly executions: ReadonlyArray<Record<string, string>>
  readonly events: ReadonlyArray<Record<string, string>>
  readonly names: ReadonlyArray<Record<string, string>>
}

export interface SqlWorlds {
  /** An empty database. */
  readonly reset: () => void
  readonly backing: Backing
  readonly close: () => void
}

export const openSqlWorlds = async (url: string, adminUrl: string): Promise<SqlWorlds> => {
  const { port1, port2 } = new MessageChannel()
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const program = await bundleProgram(fileURLToPath(new URL("postgres-worker.ts", import.meta.url)))
  const worker = new Worker(program, {
    workerData: { port: port2, flag, url, adminUrl },
    transferList: [port2],
    execArgv: [],
  })
  worker.unref()
  // Until it runs, this thread may not stand still.
  await once(worker, "message")

  const answerOf = askingThread<Call>(port1, flag, ANSWER_MILLIS)
  const ask = (call: Call): unknown => revived(answerOf(call))

  /** Whoever returns hears of PostgreSQL what was published. */
  const toldOtherwise = (account: TradingAccountId, published: ReadonlyArray<StoredEvent>): ReadonlyArray<string> => {
    const found: Array<string> = []
    for (let after = 0; after < published.length; after += EVENTS_PAGE) {
      const page = published.slice(after, after + EVENTS_PAGE)
      const args = [account, after, after + page.length]
      const told = ask({ _tag: "Read", method: "events", args }) as ReadonlyArray<StoredEvent> | null
      for (const [index, { sequence, payload }] of page.entries())
        if (told?.[index]?.payload !== payload)
          found.push(`event ${sequence} of ${account} was ${payload}, and PostgreSQL says ${told?.[index]?.payload}`)
    }
    return found
  }
  const differences: Array<string> = []
  const backing: Backing = {
    begin: () => void ask({ _tag: "Begin" }),
    insert: (account) => void ask({ _tag: "Insert", account }),
    revoke: (id, at) => void ask({ _tag: "Revoke", id, at }),
    commit: (applied) => {
      // What an event says may be written when it is asked for: nothing of it would come over.
      const units = applied.map(({ unit: { accountId, rows, events } }) => ({
        accountId,
        rows,
        events: events.map(({ eventId, kind, at, payload, kept }) => ({
          eventId,
          kind,
          at,
          payload,
          kept: kept ?? null,
        })),
      }))
      const outcomes = ask({ _tag: "Commit", units }) as ReadonlyArray<{ readonly _tag: string }>
      for (const [i, { unit, outcome }] of applied.entries())
        if (outcomes[i]?._tag !== outcome._tag)
          differences.push(
            `a unit of ${unit.accountId} is ${outcome._tag} in memory and ${JSON.stringify(outcomes[i])} in PostgreSQL`,
          )
    },
    reads: Object.fromEntries(
      READS.map((method) => [
        method,
        (...args: ReadonlyArray<unknown>) => Effect.sync(() => ask({ _tag: "Read", method, args })),
      ]),
    ),
    differences: (database) => [...differences.splice(0), ...compared(database, ask({ _tag: "State" }) as State)],
    toldOtherwise: ({ events }) => [...events].flatMap(([account, published]) => toldOtherwise(account, published)),
  }
  const close = (): void => {
    ask({ _tag: "End" })
    port1.close()
  }
  return { reset: () => void ask({ _tag: "Reset" }), backing, close }
}

const compared = (database: MemoryDatabase, { orders, executions, events, names }: State): ReadonlyArray<string> => {
  const found: Array<string> = []
  const inMemory = new Map(
    [...database.orders.values()].map(({ order }) => [
      `${order.tradeOrderId}`,
      [order.tradingAccountId, order.version, order.orderStatus, `${order.executedQuantity}`, `${order.held}`],
    ]),
  )
  for (const row of orders) {
    const id = `${row["trade_order_id"]}`
    const said = [
      row["trading_account_id"],
      Number(row["version"]),
      row["order_status"],
      plain(row["executed_quantity"]),
      plain(row["held"]),
    ]
    const known = inMemory.get(id)
    inMemory.delete(id)
    if (!isDeepStrictEqual(known, said)) found.push(`${id} is ${known} in memory and ${said} in PostgreSQL`)
  }
  for (const [id, known] of inMemory) found.push(`${id} is ${known} in memory and not in PostgreSQL`)
  const counts = new Map<string, number>()
  for (const { tradeOrderId } of database.executions.values())
    counts.set(tradeOrderId, (counts.get(tradeOrderId) ?? 0) + 1)
  for (const row of executions) {
    const id = `${row["trade_order_id"]}`
    if (counts.get(id) !== Number(row["count"]))
      found.push(`${id} has ${counts.get(id)} executions in memory and ${row["count"]} in PostgreSQL`)
  }
  for (const row of events) {
    const id = row["trading_account_id"]
    const known = [...database.events].find(([account]) => account === id)?.[1].length ?? 0
    if (known !== Number(row["count"]) || known !== Number(row["last"]))
      found.push(`${id} has ${known} events in memory, and ${row["count"]} up to ${row["last"]} in PostgreSQL`)
  }
  if (names.length !== database.atVenue.size)
    found.push(`venues have ${database.atVenue.size} names for orders in memory and ${names.length} in PostgreSQL`)
  for (const row of names) {
    const name = `${row["trading_account_id"]}|${row["instrument_id"]}|${row["external_order_id"]}`
    const known = database.atVenue.get(name)
    if (known !== row["trade_order_id"])
      found.push(`${name} is ${known} in memory and ${row["trade_order_id"]} in PostgreSQL`)
  }
  return found
}

/** As a decimal writes itself. */
const plain = (numeric: string | undefined): string => {
  const text = numeric ?? ""
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text
}
