/**
 * The account events as the database keeps them, held against what clients heard and what the orders became: numbered from 1 without a
 * gap, nothing published that is not stored, every execution told once, the last event of an order its state.
 */
import pg from "pg"
import { keptEventOf } from "../../../src/domain/account/event-kept.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import type { Load } from "./kill-load.ts"
import { none, short, type Verdict } from "./kill-verdict.ts"

export interface StoredEvent {
  readonly trading_account_id: string
  readonly sequence: string
  readonly at: string
  readonly event_id: string
  readonly kind: string
  readonly payload: string
}

export const readEvents = async (databaseUrl: string): Promise<ReadonlyArray<StoredEvent>> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const columns = "trading_account_id, sequence, at, event_id, kind, payload"
  const query = `SELECT ${columns} FROM account_event ORDER BY trading_account_id, sequence`
  return (await client.query<StoredEvent>(query).finally(() => client.end())).rows
}

/** What is looked at of an event, whether the journal keeps its text or less. */
const recordOf = (payload: string): Partial<TradeOrderRecord> & { readonly executionId?: string } => {
  const kept = keptEventOf(payload)
  if (kept === null) return JSON.parse(payload)
  if (kept._tag === "Execution") return { executionId: kept.executionId }
  if (kept._tag === "Positions") return {}
  const { id, s, exec = "0", ext = null } = kept.kept
  return { tradeOrderId: id, orderStatus: s, executedQuantity: exec, externalOrderId: ext }
}

/** For whoever looks for the reason: the stored life of every order that a verdict names. */
export const historyOf = ({ says }: Verdict, stored: ReadonlyArray<StoredEvent>): string => {
  const named = new Set(says.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))
  const lives = [...named].map((tradeOrderId) => {
    const life = stored.flatMap(({ kind, at, payload }) => {
      const record = recordOf(payload)
      if (record.tradeOrderId !== tradeOrderId) return []
      const seen = `${record.origin ?? ""} ${record.orderType ?? ""} ${record.externalOrderId ?? ""} ${record.executedQuantity ?? ""}`
      return [`${new Date(Number(at)).toISOString().slice(11)} ${kind} ${seen}`]
    })
    return life.length === 0 ? "" : `\n  ${tradeOrderId}\n    ${life.join("\n    ")}`
  })
  return lives.join("")
}

export const judgeEvents = (
  load: Load,
  known: ReadonlyMap<string, TradeOrderRecord>,
  rows: ReadonlyArray<StoredEvent>,
): ReadonlyArray<Verdict> => {
  const gaps: Array<string> = []
  const stored = new Map<string, string>()
  const last = new Map<string, string>()
  const next = new Map<string, number>()
  const executions = new Map<string, number>()
  for (const { trading_account_id: account, sequence, event_id, kind, payload } of rows) {
    const wanted = next.get(account) ?? 1
    if (Number(sequence) !== wanted) gaps.push(`${account}: ${sequence} where ${wanted} should be`)
    next.set(account, Number(sequence) + 1)
    stored.set(`${account} ${sequence}`, event_id)
    if (kind === "EXECUTION.CREATED") {
      const { executionId = "" } = recordOf(payload)
      executions.set(executionId, (executions.get(executionId) ?? 0) + 1)
    } else if (kind.startsWith("TRADE_ORDER.")) {
      const { tradeOrderId = "", orderStatus = "" } = recordOf(payload)
      last.set(tradeOrderId, orderStatus)
    }
  }
  const silent = [...known.values()].flatMap((order) => {
    const told = last.get(order.tradeOrderId)
    const faults = told === order.orderStatus ? [] : [`${short(order)}: the last event says ${told ?? "nothing"}`]
    for (const { executionId } of order.executions)
      if (executions.get(executionId) !== 1)
        faults.push(`execution ${executionId}: ${executions.get(executionId)} events`)
    return faults
  })
  let heard = 0
  const misheard = load.heard.flatMap(({ account, events: list }) =>
    list.flatMap(({ sequence, eventId }, index) => {
      heard += 1
      const before = list[index - 1]?.sequence
      const faults = before === undefined || sequence === before + 1 ? [] : [`${before} then ${sequence}`]
      const kept = stored.get(`${account.tradingAccountId} ${sequence}`)
      return kept === eventId ? faults : [...faults, `event ${sequence} was published, stored is ${kept ?? "nothing"}`]
    }),
  )
  return [
    none("gaps in the stored events", gaps, `${rows.length} events of ${next.size} accounts`),
    none(
      "published, but not so stored, or with a gap",
      misheard,
      `${heard} events on ${load.heard.length} connections`,
    ),
    none("orders whose events do not tell their state", silent, `${known.size} orders`),
  ]
}
