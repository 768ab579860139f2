/** `audit verify`: computes the chain of the audit's rows again, whether a gateway runs or not. */
import { Effect } from "effect"
import { AuditChain, type Lane } from "../store/audit/chain.ts"

export interface AuditCommand {
  readonly _tag: "VerifyAudit"
}

export const AUDIT_USAGE = `  audit verify                     recompute the hash chain of the audit log, one line per lane; exits 1 if one is broken
`

/** Undefined: the words are another command, or none. */
export const parseAudit = ([name, verb, ...more]: ReadonlyArray<string>): AuditCommand | undefined =>
  name === "audit" && verb === "verify" && more.length === 0 ? { _tag: "VerifyAudit" } : undefined

export const verifyAudit: Effect.Effect<ReadonlyArray<Lane>, unknown, AuditChain> = Effect.flatMap(
  AuditChain,
  ({ verify }) => verify,
)
