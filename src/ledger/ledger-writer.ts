/**
 * The ledger's one writer: group commit of requests, first in, first out, one batch in flight on a connection of its own; the batch as
 * ledger_apply reads it, and its answer as outcomes and failures. The one thing to know: a batch is frozen when it is sent, and the same text is
 * resent until the database answers; ids make that harmless.
 */

import { createHash, randomUUID } from "node:crypto"
import { performance } from "node:perf_hooks"
import type pg from "pg"
import type { DomainError } from "../domain/errors/domain-error.ts"
import { InvalidParameter } from "../domain/errors/request.ts"
import { InsufficientBalance } from "../domain/errors/risk.ts"
import { InternalDefect } from "../domain/errors/service.ts"
import {
  AssetScaleExceeded,
  LedgerConflict,
  OnlyFullWithdrawal,
  SameWallet,
  WalletClosed,
  WalletFailed,
  WalletFrozen,
  WalletNotFound,
  WalletsUnrelated,
} from "../domain/errors/wallet.ts"
import {
  AMOUNT_DIGITS_MAX,
  AMOUNT_MAX,
  digitsOf,
  isAsset,
  isWritableAmount,
  type WalletBalance,
} from "../domain/wallet/wallet.ts"
import {
  LEDGER_TRANSFERS_MAX,
  type LedgerOutcome,
  type LedgerRequest,
  type LedgerStats,
  type Transfer,
} from "../ports/ledger-port.ts"
import type { HistogramSeries } from "../ports/meters.ts"
import { actRow } from "../store/audit/acts.ts"
import { balanceOf } from "../store/ledger/wallets.ts"
import { constraintOf } from "../store/postgres/storage-failure.ts"
import { openWriterSession, writerLife } from "../store/postgres/writer-session.ts"
import { authorityFailure, authorityRow } from "../store/users/authority.ts"

// What ledger_apply answers, as failures: its words are the tags of errors, or reasons of a conflict. The one thing to know: no failure
// names a wallet, since the one that refused may be the other party's.

const textOf = (detail: unknown, field: string): string => {
  const value = typeof detail === "object" && detail !== null ? (detail as Record<string, unknown>)[field] : undefined
  return typeof value === "string" ? value : ""
}

const providedIn = (detail: unknown): ReadonlyArray<string> => {
  const provided =
    typeof detail === "object" && detail !== null ? (detail as Record<string, unknown>)["provided"] : undefined
  return Array.isArray(provided) ? provided.map(String) : []
}

/** `at`: as LedgerOutcome has it. */
const failureOf = (request: LedgerRequest, word: string, detail: unknown, at: number): DomainError => {
  switch (word) {
    case "InsufficientBalance":
      return new InsufficientBalance({
        asset: textOf(detail, "asset"),
        required: textOf(detail, "required"),
        available: textOf(detail, "available"),
      })
    case "WalletNotFound":
      return new WalletNotFound()
    case "WalletFrozen":
      return new WalletFrozen()
    case "WalletClosed":
      return new WalletClosed()
    case "WalletsUnrelated":
      return new WalletsUnrelated()
    case "OnlyFullWithdrawal":
      return new OnlyFullWithdrawal({ asset: textOf(detail, "asset") })
    case "out of range":
      return new WalletFailed({ reason: "the wallet has moved all that it can of this asset" })
    case "id used otherwise":
    case "no such hold":
    case "hold resolved":
    case "hold expired":
    case "more than is held":
      return new LedgerConflict({ reason: word })
    case "guard":
      return request.facts[at - request.transfers.length]?.refusal?.(textOf(detail, "word")) ?? new InternalDefect()
    default:
      return authorityFailure(word, providedIn(detail)) ?? new InternalDefect()
  }
}

const faultOf = (transfer: Transfer): DomainError | undefined => {
  const { amount } = transfer
  const asset = "asset" in transfer ? transfer.asset : ""
  if (amount !== null && !amount.isPositive())
    return new InvalidParameter({ parameter: "amount", reason: "must be positive" })
  if (amount !== null && digitsOf(amount) > AMOUNT_DIGITS_MAX)
    return new AssetScaleExceeded({ asset, digits: AMOUNT_DIGITS_MAX })
  if (amount !== null && !isWritableAmount(amount))
    return new WalletFailed({ reason: `a transfer moves at most ${AMOUNT_MAX}` })
  if (!("asset" in transfer)) return undefined
  if (transfer.debitWalletId === transfer.creditWalletId) return new SameWallet()
  if (!isAsset(asset)) return new InvalidParameter({ parameter: "asset", reason: "is no asset" })
  return undefined
}

/** What the ledger would not even write down; nothing of it is stored. */
const faultOfRequest = (request: LedgerRequest): { readonly failure: DomainError; readonly at: number } | undefined => {
  const { transfers } = request
  if (transfers.length > LEDGER_TRANSFERS_MAX)
    return { failure: new WalletFailed({ reason: "too many transfers at once" }), at: LEDGER_TRANSFERS_MAX }
  const ids = new Set<string>()
  for (const [at, transfer] of transfers.entries()) {
    const failure = ids.has(transfer.transferId)
      ? new LedgerConflict({ reason: "id used otherwise" })
      : faultOf(transfer)
    if (failure !== undefined) return { failure, at }
    ids.add(transfer.transferId)
  }
  return undefined
}

/** A request and the server's clock when it was handed over: what decides whether a hold is over. */
interface Accepted {
  readonly request: LedgerRequest
  readonly at: number
}

interface Fence {
  readonly nodeId: string
  readonly epoch: number
}

/** Without instants: a repeat may have been made later. */
const contentOf = (t: Transfer): ReadonlyArray<string | null> => [
  t.kind,
  t.transferId,
  t.pendingId,
  "asset" in t ? t.debitWalletId : null,
  "asset" in t ? t.creditWalletId : null,
  "asset" in t ? t.asset : null,
  t.amount === null ? null : t.amount.toString(),
  t.code,
  t.reference,
]

/** 128 bits of SHA-256, as a uuid is written. */
const fingerprintOf = (contents: ReadonlyArray<ReadonlyArray<string | null>>): string =>
  createHash("sha256").update(JSON.stringify(contents)).digest("hex").slice(0, 32)

/** The argument of ledger_apply, in JSON. */
export const batchText = (batchId: string, fence: Fence, batch: ReadonlyArray<Accepted>): string => {
  const requests: Array<ReadonlyArray<unknown>> = []
  const transfers: Array<ReadonlyArray<unknown>> = []
  const guards: Array<ReadonlyArray<unknown>> = []
  const actors: Array<ReadonlyArray<unknown>> = []
  const acts: Array<ReadonlyArray<unknown>> = []
  const facts: Record<string, Array<ReadonlyArray<unknown>>> = {}
  for (const [index, { request, at }] of batch.entries()) {
    const number = index + 1
    const contents = request.transfers.map(contentOf)
    requests.push([request.requestId, fingerprintOf(contents), at])
    if (request.authority !== undefined) actors.push([number, ...authorityRow(request.authority)])
    if (request.act !== undefined) acts.push([number, actRow(request.act, at)])
    for (const [i, content] of contents.entries()) {
      const transfer = request.transfers[i]!
      transfers.push([number, ...content, "asset" in transfer ? transfer.expiresAt : null])
    }
    for (const [i, fact] of request.facts.entries()) {
      if (fact.refusal !== undefined) guards.push([number, i, fact.tag, fact.row])
      else if (facts[fact.tag] === undefined) facts[fact.tag] = [[number, fact.row]]
      else facts[fact.tag]!.push([number, fact.row])
    }
  }
  const { nodeId: node, epoch } = fence
  return JSON.stringify({ id: batchId, node, epoch, requests, transfers, guards, facts, actors, acts })
}

interface BatchAnswer {
  /** Failure, detail, refusedAt, replayed. */
  readonly results: ReadonlyArray<readonly [string | null, unknown, number | null, boolean]>
  /** Request, wallet, asset, balance, held. */
  readonly balances: ReadonlyArray<readonly [number, string, string, string, string]>
}

/** One outcome per request, in order. */
const outcomesOf = (batch: ReadonlyArray<Accepted>, answer: unknown): ReadonlyArray<LedgerOutcome> => {
  const { results, balances } = answer as BatchAnswer
  const touched = batch.map((): Array<WalletBalance> => [])
  for (const [number, wallet, asset, balance, held] of balances)
    touched[number - 1]!.push(balanceOf(wallet, asset, balance, held))
  return batch.map(({ request }, index) => {
    const [word, detail, refusedAt, replayed] = results[index]!
    if (word === null) return { _tag: "Applied", replayed, balances: touched[index]! }
    const at = refusedAt ?? 0
    return { _tag: "Refused", failure: failureOf(request, word, detail, at), at }
  })
}

const BATCH_REQUESTS_MAX = 100
const BATCH_TRANSFERS_MAX = 600
const PRESSURE_REQUESTS = 2_000
const PRESSURE_AGE_MILLIS = 1_000
const TIMEOUT_MILLIS = 5_000
/** Another session wrote the same rows a moment ago: what was refused then is found, or is well, when it is sent again. */
const PASSING: ReadonlySet<string> = new Set([
  "ledger_request_pkey",
  "ledger_transfer_pkey",
  "wallet_balance_pkey",
  "wallet_balance_wallet_id_allow_negative_status_frozen_fkey",
])
const PASSING_ATTEMPTS = 3

export interface LedgerWriterOptions extends Fence {
  /** A connection for the writer alone; called again after each loss. */
  readonly connect: () => Promise<pg.Client>
  /** The fence is gone, or the writer itself has a defect. Nothing settles any more; the process must end. */
  readonly lost: (reason: string) => void
  /** A callback threw, or a request was refused by the database itself: a defect of its owner, the writer goes on. */
  readonly defect: (error: unknown) => void
  readonly warn: (message: string) => void
  /** Wall time, ms. */
  readonly now: () => number
  /** For failpoints: a request is only in memory; a batch is sent and its answer pending; it is committed and not yet reported. */
  readonly handed?: (() => void) | undefined
  readonly sent?: ((requests: ReadonlyArray<LedgerRequest>) => void) | undefined
  readonly committed?: ((requests: ReadonlyArray<LedgerRequest>) => void) | undefined
  readonly batched?: ((requests: number, millis: number) => void) | undefined
  readonly meters?: { readonly size: HistogramSeries; readonly seconds: HistogramSeries } | undefined
}

export interface LedgerWriter {
  readonly post: (request: LedgerRequest) => void
  readonly after: (run: () => void) => void
  readonly pressure: () => "calm" | "full"
  readonly stats: () => Omit<LedgerStats, "holdsExpired">
  /** Resolves when nothing waits and nothing is in flight; rejects when the writer was lost or closed before. */
  readonly drain: () => Promise<void>
  /** Ends the connection; whatever waits is never settled. */
  readonly close: () => void
}

interface Entry extends Accepted {
  /** Monotonic ms. */
  readonly since: number
  /** Why the ledger would not write it down; it is answered in its turn. */
  readonly fault: ReturnType<typeof faultOfRequest>
  /** Run once this request is settled. */
  readonly followers: Array<() => void>
}

export const startLedgerWriter = (options: LedgerWriterOptions): LedgerWriter => {
  const session = openWriterSession({
    name: "ledger writer",
    connect: options.connect,
    timeoutMillis: TIMEOUT_MILLIS,
    warn: options.warn,
  })
  let waiting: Array<Entry> = []
  let head = 0
  let inFlight: ReadonlyArray<Entry> = []
  let newest: Entry | undefined
  let unsettled = 0
  let running = false
  const life = writerLife({ ...options, name: "the ledger writer", close: session.close })
  const { guarded } = life
  const counts = { batches: 0, requests: 0, transfers: 0, replayed: 0, commitMillis: 0 }
  const refused = new Map<string, number>()

  const settle = (entry: Entry, outcome: LedgerOutcome): void => {
    unsettled--
    counts.requests++
    if (outcome._tag === "Refused") refused.set(outcome.failure._tag, (refused.get(outcome.failure._tag) ?? 0) + 1)
    else if (outcome.replayed) counts.replayed++
    else counts.transfers += entry.request.transfers.length
    if (newest === entry) newest = undefined
    guarded(() => entry.request.settled(outcome))
    for (const follow of entry.followers) guarded(follow)
  }

  /** Whatever is repeated within a batch waits for the next: it meets what the first has written. */
  const nextBatch = (): ReadonlyArray<Entry> => {
    const batch: Array<Entry> = []
    const ids = new Set<string>()
    let transfers = 0
    for (; head < waiting.length && batch.length < BATCH_REQUESTS_MAX; head++) {
      const entry = waiting[head]!
      const { requestId, transfers: mine } = entry.request
      if (batch.length > 0 && transfers + mine.length > BATCH_TRANSFERS_MAX) break
      if (ids.has(requestId) || mine.some(({ transferId }) => ids.has(transferId))) break
      transfers += mine.length
      ids.add(requestId)
      for (const { transferId } of mine) ids.add(transferId)
      batch.push(entry)
    }
    if (head === waiting.length) {
      waiting = []
      head = 0
    } else if (head > PRESSURE_REQUESTS) {
      waiting = waiting.slice(head)
      head = 0
    }
    return batch
  }

  /** Writes these and settles each, in order. False: closed or lost, the rest stays unsettled. */
  const write = async (batch: ReadonlyArray<Entry>): Promise<boolean> => {
    const requests = batch.map((entry) => entry.request)
    const query = {
      name: "ledger_apply",
      text: "SELECT ledger_apply($1::jsonb) AS answer",
      values: [batchText(randomUUID(), options, batch)],
    }
    const sentAt = performance.now()
    const { sent } = options
    for (let attempt = 1; ; attempt++) {
      const answer = await session.ask(query, sent && (() => sent(requests)))
      if (answer._tag === "Closed") return false
      if (answer._tag === "Rows") {
        const said = answer.rows[0]?.["answer"]
        if (said === null || said === undefined) {
          life.fenced()
          return false
        }
        counts.batches++
        const millis = performance.now() - sentAt
        counts.commitMillis += millis
        options.meters?.size.observe(batch.length)
        options.meters?.seconds.observe(millis / 1000)
        options.batched?.(batch.length, millis)
        options.committed?.(requests)
        for (const [index, outcome] of outcomesOf(batch, said).entries()) settle(batch[index]!, outcome)
        return true
      }
      if (attempt < PASSING_ATTEMPTS && PASSING.has(constraintOf(answer.error) ?? "")) continue
      if (batch.length === 1) {
        options.defect(answer.error)
        settle(batch[0]!, { _tag: "Refused", failure: new InternalDefect(), at: 0 })
        return true
      }
      // Which of them the database refuses is found by halves; the others are not held up by it.
      const middle = batch.length >> 1
      return (await write(batch.slice(0, middle))) && (await write(batch.slice(middle)))
    }
  }

  const run = async (): Promise<void> => {
    while (head < waiting.length) {
      inFlight = nextBatch()
      const sound = inFlight.filter((entry) => entry.fault === undefined)
      for (const entry of inFlight) if (entry.fault !== undefined) settle(entry, { _tag: "Refused", ...entry.fault })
      if (sound.length > 0 && !(await write(sound))) return
      inFlight = []
    }
    running = false
    life.idle()
  }

  return {
    post: (request) => {
      const entry: Entry = {
        request,
        at: options.now(),
        since: performance.now(),
        fault: faultOfRequest(request),
        followers: [],
      }
      unsettled++
      waiting.push(entry)
      newest = entry
      options.handed?.()
      if (running || life.isOver()) return
      // Everything that this turn of the loop still hands over joins the batch; while one is in flight the next one gathers.
      running = true
      setImmediate(() => void run().catch(life.broken))
    },
    after: (follow) => {
      if (newest === undefined) queueMicrotask(() => guarded(follow))
      else newest.followers.push(follow)
    },
    pressure: () => {
      if (life.isOver() || unsettled >= PRESSURE_REQUESTS) return "full"
      const oldest = inFlight[0] ?? waiting[head]
      return oldest !== undefined && performance.now() - oldest.since > PRESSURE_AGE_MILLIS ? "full" : "calm"
    },
    stats: () => ({ ...counts, refused, retries: session.retries(), waiting: unsettled }),
    drain: () => life.drain(!running),
    close: () => life.close(),
  }
}
