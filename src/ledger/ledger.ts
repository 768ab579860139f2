/**
 * The ledger as a layer: LedgerPort over its writer and its reads, the expiry of holds, and the audit. Own the database first
 * (store/postgres/node.ts); drain before the layer is released, or what waits is lost with the process.
 */
import { Context, Effect, Layer } from "effect"
import type pg from "pg"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import { nameUuid } from "../domain/ids.ts"
import type { WalletId } from "../domain/wallet/wallet.ts"
import type { Notice } from "../foundation/log-line.ts"
import { keepLoop } from "../kernel/loop.ts"
import { Clock } from "../ports/clock.ts"
import { LedgerPort, type LedgerRequest, LedgerWatch, type OpenHold } from "../ports/ledger-port.ts"
import { Meters } from "../ports/meters.ts"
import { sampledWork, Telemetry } from "../ports/telemetry.ts"
import { LedgerJournal } from "../store/ledger/journal.ts"
import { Wallets } from "../store/ledger/wallets.ts"
import { connectDedicated } from "../store/postgres/sql.ts"
import { makeLedgerAudit } from "./ledger-audit.ts"
import { type LedgerWriterOptions, startLedgerWriter } from "./ledger-writer.ts"

// The end of holds by the server's clock: what is due is voided by requests like any other, whose ids are made of the hold's, so that a
// void that was cut off by a crash is done once. The one thing to know: the store decides what is due; memory knows only when the next may be,
// so that a ledger that holds nothing with an end is asked nothing.

/** Of the voids' names; never to be changed. */
const NAMESPACE = Buffer.from("0d3f6a1b52c94f7d8e10b7c6a5948372", "hex")
const HOLDS_AT_ONCE = 200

const voiding = (hold: OpenHold, settled: LedgerRequest["settled"]): LedgerRequest => {
  const id = nameUuid(hold.transferId, NAMESPACE)
  return {
    requestId: id,
    transfers: [
      {
        kind: "void",
        transferId: id,
        pendingId: hold.transferId,
        amount: null,
        code: "EXPIRY",
        reference: hold.reference,
      },
    ],
    facts: [],
    settled,
  }
}

interface HoldExpiry {
  /** Voids everything that is due, of one wallet or of all; done when it is committed. */
  readonly run: (walletId?: WalletId) => Effect.Effect<void, StorageUnavailable>
  /** Of all, when the next may be due. */
  readonly look: Effect.Effect<void, StorageUnavailable>
  /** While there is a hold that ends. */
  readonly awaitHeld: Effect.Effect<void>
  /** It is committed. */
  readonly held: (request: LedgerRequest) => void
  readonly expired: () => number
}

const makeHoldExpiry = (
  post: (request: LedgerRequest) => void,
  journal: Pick<LedgerJournal, "dueHolds" | "nextDue">,
  now: () => number,
): HoldExpiry => {
  let expired = 0

  const voidAll = (holds: ReadonlyArray<OpenHold>): Effect.Effect<void> =>
    Effect.async((resume) => {
      let left = holds.length
      for (const hold of holds)
        post(
          voiding(hold, (outcome) => {
            // Refused: it has been resolved meanwhile.
            if (outcome._tag === "Applied" && !outcome.replayed) expired++
            if (--left === 0) resume(Effect.void)
          }),
        )
    })

  const run = (walletId?: WalletId): Effect.Effect<void, StorageUnavailable> =>
    Effect.gen(function* () {
      while (true) {
        const due = yield* journal.dueHolds(now(), HOLDS_AT_ONCE, walletId ?? null)
        if (due.length > 0) yield* voidAll(due)
        if (due.length < HOLDS_AT_ONCE) return
      }
    })

  /** Wall ms, or before. The first look finds what the process before has left. */
  let next = 0
  const isHeld = Effect.unsafeMakeLatch(true)
  const heldUntil = (at: number): void => {
    next = Math.min(next, at)
    isHeld.unsafeOpen()
  }
  const look = Effect.suspend(() => {
    if (now() < next) return Effect.void
    const before = next
    // What is held meanwhile counts, whether the store tells of it or not.
    next = Number.POSITIVE_INFINITY
    isHeld.unsafeClose()
    return Effect.zipRight(run(), journal.nextDue).pipe(
      Effect.map((at) => at !== null && heldUntil(at)),
      Effect.tapErrorCause(() => Effect.sync(() => heldUntil(before))),
    )
  })

  return {
    run,
    look,
    awaitHeld: isHeld.await,
    held: ({ transfers }) => {
      for (const transfer of transfers)
        if ("expiresAt" in transfer && transfer.expiresAt !== null) heldUntil(transfer.expiresAt)
    },
    expired: () => expired,
  }
}

/** Between the server's end of a statement and ours: whichever notices first, the same batch is sent again. */
const STATEMENT_TIMEOUT_MILLIS = 4_500

/** Of a look that does not end: far beyond its longest step. */
const AUDIT_LATE_MILLIS = 300_000

interface LedgerOptions extends Omit<LedgerWriterOptions, "connect" | "now"> {
  readonly url: string
  /** Of each session of the audit: see `OwnedNode`. What the writer stores has the epoch in it. Absent: there is no other process. */
  readonly enter?: ((client: pg.ClientBase) => Promise<void>) | undefined
  readonly notice: Notice
  readonly expiryMillis: number
  readonly auditMillis: number
  /** From which age on the last look, and the last pass over the whole journal, are too old. */
  readonly auditMaxAgeMillis: number
  readonly auditWholeMaxAgeMillis: number
}

export const ledgerLayer = (
  options: LedgerOptions,
): Layer.Layer<LedgerPort | LedgerWatch, never, Clock | LedgerJournal | Wallets> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const clock = yield* Clock
      const journal = yield* LedgerJournal
      const wallets = yield* Wallets
      const board = yield* Meters
      const batched = sampledWork(yield* Telemetry, "LedgerWriter.batch", "requests")
      const meters = {
        size: board.histogram("ledger_batch_size").of(),
        seconds: board.histogram("ledger_commit_duration_seconds").of(),
      }
      const connect = () =>
        connectDedicated(options.url, {
          applicationName: "venue-gateway ledger",
          statementTimeoutMillis: STATEMENT_TIMEOUT_MILLIS,
        })
      const writer = yield* Effect.acquireRelease(
        Effect.sync(() => startLedgerWriter({ ...options, connect, now: clock.now, meters, batched })),
        (open) => Effect.sync(open.close),
      )
      const watchers: Array<(wallets: ReadonlySet<WalletId>, requestId: string) => void> = []
      const post = (request: LedgerRequest): void =>
        writer.post({
          ...request,
          settled: (outcome) => {
            request.settled(outcome)
            if (outcome._tag === "Refused") return
            expiry.held(request)
            if (outcome.replayed) return
            const wallets = new Set(outcome.balances.map(({ walletId }) => walletId))
            for (const moved of watchers) moved(wallets, request.requestId)
          },
        })
      const expiry = makeHoldExpiry(post, journal, clock.now)
      const audit = makeLedgerAudit({
        url: options.url,
        enter: options.enter,
        now: clock.now,
        notice: options.notice,
        pauseMillis: options.auditMillis,
        maxAgeMillis: options.auditMaxAgeMillis,
        wholeMaxAgeMillis: options.auditWholeMaxAgeMillis,
      })
      const { expiryMillis, auditMillis } = options
      const awaits = Effect.zipRight(expiry.awaitHeld, Effect.sleep(expiryMillis))
      yield* keepLoop({ name: "due holds", awaits, round: expiry.look })
      yield* keepLoop({
        name: "ledger audit",
        awaits: Effect.suspend(() => Effect.sleep(audit.pauseMillis())),
        round: audit.look,
        lateAfter: Math.max(AUDIT_LATE_MILLIS, 3 * auditMillis),
      })
      return Context.empty().pipe(
        Context.add(LedgerPort, {
          post,
          watch: (moved) => void watchers.push(moved),
          balances: wallets.balances,
          wallet: wallets.find,
          openHolds: journal.openHolds,
          expireHolds: expiry.run,
          after: writer.after,
          pressure: writer.pressure,
        }),
        Context.add(LedgerWatch, {
          stats: () => ({ ...writer.stats(), holdsExpired: expiry.expired() }),
          health: () => ({ ...audit.health(), pressure: writer.pressure() }),
          drain: writer.drain,
        }),
      )
    }),
  )
