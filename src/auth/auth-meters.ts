/** Counts logins and reused refresh tokens from the audit trail: what is audited is what is counted. */
import type { MeterBoard } from "../ports/meters.ts"
import type { AuditRow } from "./audit-log.ts"

/** `InvalidLoginCredentials` is "invalid_login_credentials". */
const wordOf = (tag: string): string => tag.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()

export const countAudited = (board: MeterBoard): ((row: AuditRow) => void) => {
  const logins = board.counter("auth_logins_total")
  // There before the first success: a comparison with what is not there is never true, and failures of a first hour would wake nobody.
  logins.of("ok")
  const reuse = board.counter("auth_refresh_reuse_total").of()
  return ({ action, outcome }) => {
    if (action === "login") logins.add(wordOf(outcome))
    else if (action === "token.refresh" && outcome === "RefreshTokenReused") reuse.value++
  }
}
