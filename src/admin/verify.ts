/**
 * `ledger verify` and `audit verify`, with or without a running gateway: the first checks the whole journal of the ledger and what is derived
 * from it, the second recomputes the hash chain of the audit's rows.
 */
import { Effect } from "effect"
import { StorageUnavailable } from "../domain/errors/service.ts"
import { AuditChain, type Lane } from "../store/audit/chain.ts"
import { AuditUnfinished, verifyLedger } from "../store/ledger/audit-run.ts"

interface AuditCommand {
  readonly _tag: "VerifyAudit"
}

export const AUDIT_USAGE = `  audit verify                     recompute the hash chain of the audit log, one line per lane; exits 1 if any is broken
`

/** Undefined: the words are another command, or none. */
export const parseAudit = ([name, verb, ...more]: ReadonlyArray<string>): AuditCommand | undefined =>
  name === "audit" && verb === "verify" && more.length === 0 ? { _tag: "VerifyAudit" } : undefined

export const verifyAudit: Effect.Effect<ReadonlyArray<Lane>, unknown, AuditChain> = Effect.flatMap(
  AuditChain,
  ({ verify }) => verify,
)

interface LedgerCommand {
  readonly _tag: "VerifyLedger"
}

export const LEDGER_USAGE = `  ledger verify                    audit the whole ledger, one line per violation, then the number of transfers; exits 1 if there are violations
`

/** Undefined: the words are another command, or none. */
export const parseLedger = ([name, verb, ...more]: ReadonlyArray<string>): LedgerCommand | undefined =>
  name === "ledger" && verb === "verify" && more.length === 0 ? { _tag: "VerifyLedger" } : undefined

const PROGRESS_MILLIS = 5_000

export const runVerifyLedger = (url: string, now: () => number) => {
  let toldAt = now()
  return Effect.tryPromise({
    try: () =>
      verifyLedger({
        url,
        now,
        progress: ({ transfers }, mark) => {
          if (now() - toldAt < PROGRESS_MILLIS) return
          toldAt = now()
          process.stderr.write(`transfer ${transfers} of ${mark.transfers}\n`)
        },
      }),
    catch: (error) => (error instanceof AuditUnfinished ? error : new StorageUnavailable()),
  })
}
