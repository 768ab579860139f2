/**
 * Re-encrypts, with the active key, every stored secret that an older key encrypted. The one thing to know: it may stop at any moment and start
 * again: a row is encrypted with the old key or the new one, both can decrypt, and nothing is done twice.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { Notice } from "../../foundation/log-line.ts"
import { Transactions } from "../../store/postgres/transactions.ts"
import { SEALED_TABLES, SealedRows, type SealedTable } from "../../store/users/sealed-rows.ts"
import type { Audit } from "../audit-log.ts"
import type { Keys } from "./keys.ts"
import { type Envelope, open, placeIn, seal } from "./secrets.ts"

export interface ResealStats {
  /** Since the process began. */
  readonly resealed: Readonly<Record<SealedTable, number>>
  /** Rows that no key opens, at the last look: they stay as they are, under the key that they name. */
  readonly unreadable: number
  /** Whether rows of an older key are being sealed anew. */
  readonly working: boolean
}

export interface Reseal {
  /** Ends when no readable row of an older key is left. */
  readonly run: Effect.Effect<void, StorageUnavailable>
  readonly stats: () => ResealStats
}

export interface ResealOptions {
  readonly keys: Keys
  readonly audit: Audit
  readonly notice: Notice
  /** Rows of one transaction. 32 take about 3 ms of the loop. */
  readonly batch?: number
  /** Pause between two transactions, so that other work does not wait for this. */
  readonly pauseMillis?: number
}

/** For rows that were locked by another transaction. */
const AGAIN_MILLIS = 250

export const makeReseal = ({ keys, audit, notice, batch = 32, pauseMillis = 20 }: ResealOptions) =>
  Effect.gen(function* () {
    const rows = yield* SealedRows
    const { all } = yield* Transactions
    const resealed: Record<SealedTable, number> = { credential: 0, session: 0, mail_outbox: 0, second_factor: 0 }
    /** Rows that were told of: they are looked at again and again, and told once. */
    const told = new Set<string>()
    let unreadable = 0
    let working = false

    /** The next rows of a key, in one transaction; null when there are none. */
    const step = (table: SealedTable, kid: string, after: string | null) =>
      all(
        Effect.gen(function* () {
          const locked = yield* rows.lock(table, kid, after, batch)
          const last = locked.at(-1)
          if (last === undefined) return null
          // One key for all of them, whatever comes into force meanwhile.
          const inForce = keys.encryption
          const fresh: Array<{ readonly id: string; readonly envelope: string }> = []
          let isNews = false
          for (const { id, ownerId, envelope } of locked) {
            const place = placeIn(table, id, ownerId)
            try {
              const secret = open(inForce, place, JSON.parse(envelope) as Envelope)
              fresh.push({ id, envelope: JSON.stringify(seal(inForce, place, secret)) })
            } catch (error) {
              if (told.has(id)) continue
              told.add(id)
              isNews = true
              notice("a stored secret cannot be decrypted", { table, id, kid, error: String(error) }, "error")
            }
          }
          if (fresh.length > 0) yield* rows.replace(table, inForce.activeKid, fresh)
          return { last: last.id, done: fresh.length, failed: locked.length - fresh.length, isNews }
        }),
      )

    const through = (table: SealedTable, kid: string) =>
      Effect.gen(function* () {
        let done = 0
        let isNews = false
        for (;;) {
          let after: string | null = null
          let failed = 0
          for (;;) {
            const page: Effect.Effect.Success<ReturnType<typeof step>> = yield* step(table, kid, after)
            if (page === null) break
            after = page.last
            done += page.done
            failed += page.failed
            isNews ||= page.isNews
            resealed[table] += page.done
            yield* Effect.sleep(pauseMillis)
          }
          if ((yield* rows.left(table, kid)) <= failed) return { done, failed, isNews }
          yield* Effect.sleep(AGAIN_MILLIS)
        }
      })

    const run = Effect.gen(function* () {
      const { activeKid } = keys.encryption
      const older = (yield* rows.kidsInUse).filter((kid) => kid !== activeKid)
      working = older.length > 0
      let failedInAll = 0
      for (const kid of older)
        for (const table of SEALED_TABLES) {
          const { done, failed, isNews } = yield* through(table, kid)
          failedInAll += failed
          if (done === 0 && !isNews) continue
          audit.write({
            action: "keys.reseal",
            outcome: failed === 0 ? "ok" : "SecretUnreadable",
            what: `${table}: ${done} rows from ${kid} to ${activeKid}, ${failed} unreadable`,
            origin: { ip: "local", userAgent: null, requestId: "" },
          })
        }
      unreadable = failedInAll
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          working = false
        }),
      ),
    )

    const reseal: Reseal = { run, stats: () => ({ resealed: { ...resealed }, unreadable, working }) }
    return reseal
  })
