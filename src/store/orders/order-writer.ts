/**
 * Group commit of units: first in, first out, one batch in flight on a connection of its own (order-path 1). The one thing to know: a batch is
 * frozen when it is sent, and the same bytes are resent until the database answers; keys and versions make that harmless.
 */
import { performance } from "node:perf_hooks"
import { setImmediate as nextTurn } from "node:timers/promises"
import type pg from "pg"
import type { TradingAccountId } from "../../domain/ids.ts"
import { LeanMap } from "../../foundation/lean.ts"
import { TurnShare } from "../../foundation/turn-share.ts"
import type { CommitOutcome, Unit } from "../../ports/account-store.ts"
import type { HistogramSeries } from "../../ports/meters.ts"
import { openWriterSession, writerLife } from "../postgres/writer-session.ts"
import { makeLoopTime } from "./loop-time.ts"
import { type FrozenBatch, freeze, type Numbering } from "./order-batch.ts"
import { isQuoteUsed, isWritten, LEARN_ACCOUNTS, olderOrder, suspectOf, wordsOf } from "./order-refusal.ts"

// Delivers outcomes to their owners, in order. An owner that hears one dispatches, answers and publishes: hundreds at once would keep
// the event loop from all other work, and most of all from requests that could be refused at once. So they are told for a share of each turn.

interface Outcomes<Entry, Outcome> {
  /** To be told in a later turn of the loop. */
  readonly add: (entry: Entry, outcome: Outcome) => void
  /** Tells some now: at least one, and as many as there is time for. */
  readonly tell: () => void
  /** The next to be told. */
  readonly first: () => Entry | undefined
}

/** `told` never throws. */
const makeOutcomes = <Entry, Outcome>(told: (entry: Entry, outcome: Outcome) => void): Outcomes<Entry, Outcome> => {
  let due: Array<readonly [Entry, Outcome]> = []
  let isTurnDue = false
  const share = new TurnShare(() => performance.now())

  const tell = (): void => {
    due = share.some(due, ([entry, outcome]) => told(entry, outcome))
  }

  const turn = (): void => {
    tell()
    isTurnDue = due.length > 0
    if (isTurnDue) setImmediate(turn)
  }

  return {
    add: (entry, outcome) => {
      due.push([entry, outcome])
      if (isTurnDue) return
      isTurnDue = true
      share.leave()
      setImmediate(turn)
    },
    tell,
    first: () => due[0]?.[0],
  }
}

const BATCH_UNITS_MAX = 512
const BATCH_BYTES_MAX = 1024 * 1024
const PRESSURE_UNITS = 4_096
const PRESSURE_AGE_MILLIS = 1_000
/** More than a batch waits, and the oldest for so long: not a pause of the database's, but more than it can take. */
const QUEUE_AGE_MILLIS = 500
const TIMEOUT_MILLIS = 5_000
/** What a row adds to a batch beside event payloads, about. */
const ROW_BYTES = 600

export interface OrderWriterOptions {
  /** A connection for the writer alone; called again after each loss. */
  readonly connect: () => Promise<pg.Client>
  readonly nodeId: string
  /** Of this process, as `node.ts` got it. */
  readonly epoch: number
  /** The fence is gone, or the writer itself has a defect. Nothing settles any more; the process must end. */
  readonly lost: (reason: string) => void
  /** A `settled` or `after` callback threw: a defect of its owner, the writer goes on. */
  readonly defect: (error: unknown) => void
  readonly warn: (message: string) => void
  readonly timeoutMillis?: number
  /** Batches of few rows are written as those of many are. For tests: each way must do what the other does. */
  readonly arraysOnly?: boolean | undefined
  /** For failpoints: these units have left for the database, whose answer is open. */
  readonly sent?: ((units: ReadonlyArray<Unit>) => void) | undefined
  /** Ms, by which it is judged whether the database is late; the loop's own. For tests. */
  readonly lived?: () => number
  /** Seconds: of a unit until it is settled, and of a batch until it is answered. */
  readonly batched?: ((units: number, millis: number) => void) | undefined
  readonly meters?: { readonly unit: HistogramSeries; readonly batch: HistogramSeries } | undefined
}

export interface OrderWriterStats {
  readonly batches: number
  readonly units: number
  readonly keyUsed: number
  readonly refused: number
  /** Statements sent once more: lost connections, timeouts, passing errors. */
  readonly retries: number
  /** Sum over batches, ms from sending to the answer; divide by `batches`. */
  readonly commitMillis: number
  readonly waiting: number
  /** How long the oldest of them has been waiting, in ms. */
  readonly oldestMillis: number
}

export interface OrderWriter {
  readonly commit: (unit: Unit) => void
  readonly after: (account: TradingAccountId, run: () => void) => void
  readonly pressure: () => "calm" | "full"
  /** How long the oldest of what was handed over has waited to be told what became of it, in ms: so long, about, will what comes now. */
  readonly behindMillis: () => number
  /** Whatever its age, nothing more is to be handed over. */
  readonly isFull: () => boolean
  readonly stats: () => OrderWriterStats
  /** Resolves when nothing waits and nothing is in flight; rejects when the writer was lost or closed before. */
  readonly drain: () => Promise<void>
  /** Ends the connection; whatever waits is never settled. */
  readonly close: () => void
}

interface Entry {
  readonly unit: Unit
  readonly bytes: number
  /** Monotonic ms. */
  readonly at: number
  /** The same by the loop's own time; and when the database had answered. */
  readonly livedAt: number
  answeredAt: number
  /** Run once this unit is settled. */
  readonly followers: Array<() => void>
  /** An earlier unit of the account was refused: this one was made on top of it and is never written. */
  isGroundless: boolean
}

const bytesOf = (unit: Unit): number => {
  let bytes = ROW_BYTES * unit.rows.length
  for (const event of unit.events) bytes += (event.kept ?? event.payload).length + 100
  for (const row of unit.rows) if (row._tag === "Quarantined") bytes += row.report.length
  return bytes
}

export const startOrderWriter = (options: OrderWriterOptions): OrderWriter => {
  const session = openWriterSession({
    name: "order writer",
    connect: options.connect,
    timeoutMillis: options.timeoutMillis ?? TIMEOUT_MILLIS,
    warn: options.warn,
  })
  /** What is known of each account that wrote since the start; never forgotten, nobody else numbers its events. */
  const numbering = new Map<TradingAccountId, Numbering>()
  /** The newest unsettled entry of each account. */
  const newest = new LeanMap<TradingAccountId, Entry>()
  /** A refused entry of the account whose owner has not been told yet: it goes on as if it were stored. */
  const untold = new LeanMap<TradingAccountId, Entry>()
  let waiting: Array<Entry> = []
  /** The batch on its way, and how many of its units are settled: they are settled in order. */
  let inFlight: ReadonlyArray<Entry> = []
  let settledInFlight = 0
  /** Of them, in the same order: what became of them is known, and is being told. */
  let answeredInFlight = 0
  let unsettled = 0
  let running = false
  const life = writerLife({ ...options, name: "the order writer", close: session.close })
  const { guarded } = life
  const lived = options.lived ?? makeLoopTime(() => unsettled > 0)
  const counts = { batches: 0, units: 0, keyUsed: 0, refused: 0, commitMillis: 0 }

  const settleNow = (entry: Entry, outcome: CommitOutcome): void => {
    unsettled--
    options.meters?.unit.observe((performance.now() - entry.at) / 1000)
    if (inFlight[settledInFlight] === entry) settledInFlight++
    counts.units++
    if (outcome._tag === "KeyUsed") counts.keyUsed++
    else if (outcome._tag === "Refused") counts.refused++
    const { accountId } = entry.unit
    if (newest.get(accountId) === entry) newest.delete(accountId)
    if (untold.get(accountId) === entry) untold.delete(accountId)
    guarded(() => entry.unit.settled(outcome))
    for (const run of entry.followers) guarded(run)
  }

  /** While more waits, the next batch leaves first: the database works on it while the owners hear of this one. */
  const outcomes = makeOutcomes(settleNow)
  const settle = (entry: Entry, outcome: CommitOutcome): void => {
    entry.answeredAt = lived()
    answeredInFlight++
    outcomes.add(entry, outcome)
  }

  /** False: closed meanwhile. A question that the server refuses is asked in halves: one name that it does not take is no other's fault. */
  const learnAccounts = async (accounts: ReadonlyArray<TradingAccountId>): Promise<boolean> => {
    const answer = await session.ask({ ...LEARN_ACCOUNTS, values: [accounts] })
    if (answer._tag === "Closed") return false
    if (answer._tag === "Rows")
      for (const row of answer.rows)
        numbering.set(row["trading_account_id"] as TradingAccountId, {
          tenantId: row["tenant_id"] as string,
          lastSequence: Number(row["last_sequence"]),
        })
    else if (accounts.length > 1) {
      const half = accounts.length >> 1
      return (await learnAccounts(accounts.slice(0, half))) && learnAccounts(accounts.slice(half))
    }
    return true
  }

  /** Owner and newest number of the accounts that the writer meets for the first time. False: closed meanwhile. */
  const learn = async (entries: ReadonlyArray<Entry>): Promise<boolean> => {
    const unknown = new Set<TradingAccountId>()
    for (const { unit } of entries) if (!numbering.has(unit.accountId)) unknown.add(unit.accountId)
    if (!(await learnAccounts([...unknown]))) return false
    for (const { unit } of entries)
      for (const row of unit.rows)
        if (row._tag === "Account" && !numbering.has(row.account.tradingAccountId))
          numbering.set(row.account.tradingAccountId, { tenantId: row.account.tenantId, lastSequence: 0 })
    return true
  }

  const numberOf = (account: TradingAccountId): Numbering => {
    const known = numbering.get(account)
    if (known === undefined) throw new Error(`no numbering for ${account}`)
    return known
  }

  /** Writes the entries and settles each, in order. False: closed or lost, the rest stays unsettled. */
  const write = async (entries: ReadonlyArray<Entry>): Promise<boolean> => {
    let from = 0
    for (let i = 0; i <= entries.length; i++) {
      const entry = entries[i]
      if (entry !== undefined && !entry.isGroundless) continue
      if (i > from && !(await send(from === 0 && i === entries.length ? entries : entries.slice(from, i)))) return false
      if (entry !== undefined) settle(entry, { _tag: "Refused", reason: "based on a refused unit" })
      from = i + 1
    }
    return true
  }

  /** One statement; a unit that it refuses is cut out. */
  const send = async (entries: ReadonlyArray<Entry>): Promise<boolean> => {
    const units = entries.map((entry) => entry.unit)
    let batch: FrozenBatch
    try {
      batch = freeze(units, options, numberOf)
    } catch (error) {
      // A record that cannot even be written down is its unit's fault, like a value that the server refuses.
      return entries.length === 1 ? refuse(entries[0]!, error) : inParts(entries, [entries.length >> 1])
    }
    const sentAt = performance.now()
    const { sent } = options
    const answer = await session.ask(batch, sent && (() => sent(units)))
    counts.batches++
    const millis = performance.now() - sentAt
    counts.commitMillis += millis
    options.meters?.batch.observe(millis / 1000)
    options.batched?.(entries.length, millis)
    if (answer._tag === "Closed") return false
    if (answer._tag === "Rows") {
      if (answer.rows.length === 0) {
        life.fenced()
        return false
      }
      return committed(entries, batch)
    }
    const isThere = await isWritten(session, batch.events, answer.error)
    if (isThere === "closed") return false
    if (isThere) return committed(entries, batch)
    if (entries.length === 1) return refuse(entries[0]!, answer.error)
    // The server often names the key it refused; else halves find the unit. What is sent again is numbered again: no gap.
    const suspect = suspectOf(units, answer.error)
    return inParts(entries, suspect === undefined ? [entries.length >> 1] : [suspect, suspect + 1])
  }

  const committed = (entries: ReadonlyArray<Entry>, batch: FrozenBatch): true => {
    for (const [account, lastSequence] of batch.lastSequences)
      numbering.set(account, { ...numberOf(account), lastSequence })
    for (const [i, entry] of entries.entries())
      settle(entry, { _tag: "Committed", firstSequence: batch.firstSequences[i]! })
    return true
  }

  const inParts = async (entries: ReadonlyArray<Entry>, cuts: ReadonlyArray<number>): Promise<boolean> => {
    let from = 0
    for (const to of [...cuts, entries.length]) {
      if (to > from && !(await write(entries.slice(from, to)))) return false
      from = to
    }
    return true
  }

  const refuse = async (entry: Entry, error: unknown): Promise<boolean> => {
    const older = await olderOrder(session, entry.unit)
    if (older === "closed") return false
    const quoteUsed = older === undefined && (await isQuoteUsed(session, entry.unit, error))
    if (quoteUsed === "closed") return false
    if (older === undefined && !quoteUsed) {
      leaveGroundless(entry)
      // What a refused unit said of a new account was not stored: whose it is, is learned again.
      numbering.delete(entry.unit.accountId)
    }
    settle(entry, older ?? (quoteUsed ? { _tag: "QuoteUsed" } : { _tag: "Refused", reason: wordsOf(error) }))
    return true
  }

  /**
   * Whatever the account has handed over since was made by an actor that believed in the refused unit: row images that count its
   * fills, for example. None of it is written. A used key, or quote, is different: its actor undoes that one unit and stays.
   */
  const leaveGroundless = (refused: Entry): void => {
    const { accountId } = refused.unit
    untold.set(accountId, refused)
    for (const entry of [...inFlight.slice(inFlight.indexOf(refused) + 1), ...waiting])
      if (entry.unit.accountId === accountId) entry.isGroundless = true
  }

  const writeKnown = async (entries: ReadonlyArray<Entry>): Promise<boolean> => {
    if (entries.some((entry) => !numbering.has(entry.unit.accountId)) && !(await learn(entries))) return false
    let from = 0
    for (let i = 0; i <= entries.length; i++) {
      const entry = entries[i]
      if (entry !== undefined && numbering.has(entry.unit.accountId)) continue
      if (i > from && !(await write(from === 0 && i === entries.length ? entries : entries.slice(from, i))))
        return false
      if (entry !== undefined) settle(entry, { _tag: "Refused", reason: "no such trading account" })
      from = i + 1
    }
    return true
  }

  const nextBatch = (): ReadonlyArray<Entry> => {
    let count = 0
    let bytes = 0
    while (count < waiting.length && count < BATCH_UNITS_MAX) {
      bytes += waiting[count]!.bytes
      if (count > 0 && bytes > BATCH_BYTES_MAX) break
      count++
    }
    const batch = waiting.slice(0, count)
    waiting = count === waiting.length ? [] : waiting.slice(count)
    return batch
  }

  const run = async (): Promise<void> => {
    while (waiting.length > 0 || outcomes.first() !== undefined) {
      if (waiting.length === 0) {
        await nextTurn()
        continue
      }
      inFlight = nextBatch()
      settledInFlight = 0
      answeredInFlight = 0
      if (!(await writeKnown(inFlight))) return
      // Nobody waits for the database: nobody has to wait for another turn of the loop either.
      if (waiting.length === 0) outcomes.tell()
    }
    running = false
    inFlight = []
    life.idle()
  }

  const ageOf = (entry: Entry | undefined): number => (entry === undefined ? 0 : performance.now() - entry.at)
  const oldestMillis = (): number => ageOf(inFlight[settledInFlight] ?? waiting[0])
  /** Until it is told as well. */
  const behindMillis = (): number => Math.max(oldestMillis(), ageOf(outcomes.first()))
  const isLong = (since: number | undefined): boolean => since !== undefined && lived() - since > PRESSURE_AGE_MILLIS
  /**
   * What stands still here is no sign of the database's: its answer is there, and was not read yet. Nor is what it has answered, however long that took: it is told, and what comes now
   * waits for no more than that.
   */
  const isSlow = (): boolean =>
    isLong((inFlight[answeredInFlight] ?? waiting[0])?.livedAt) || isLong(outcomes.first()?.answeredAt)

  const isFull = (): boolean => life.isOver() || unsettled >= PRESSURE_UNITS

  return {
    commit: (unit) => {
      const isGroundless = untold.has(unit.accountId)
      const [at, livedAt] = [performance.now(), lived()]
      const entry: Entry = { unit, bytes: bytesOf(unit), at, livedAt, answeredAt: livedAt, followers: [], isGroundless }
      unsettled++
      waiting.push(entry)
      newest.set(unit.accountId, entry)
      if (running || life.isOver()) return
      // Everything that this turn of the loop still hands over joins the batch; with one caller that costs microseconds.
      running = true
      setImmediate(() => void run().catch(life.broken))
    },
    after: (account, follow) => {
      const entry = newest.get(account)
      if (entry === undefined) queueMicrotask(() => guarded(follow))
      else entry.followers.push(follow)
    },
    pressure: () => {
      if (isFull()) return "full"
      const isQueue = unsettled > BATCH_UNITS_MAX
      const isLate = isQueue && behindMillis() > QUEUE_AGE_MILLIS
      return isLate || isSlow() ? "full" : "calm"
    },
    isFull,
    behindMillis,
    stats: () => ({ ...counts, retries: session.retries(), waiting: unsettled, oldestMillis: oldestMillis() }),
    drain: () => life.drain(!running),
    close: () => life.close(),
  }
}
