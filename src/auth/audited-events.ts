/** Audited operations that also matter for detecting attacks: each is reported to the security log as it is audited. */
import type { LogLevel } from "../foundation/log-line.ts"
import type { SecurityLogService } from "../ports/security-log.ts"
import type { AuditRow } from "./audit-log.ts"

/** By action: the event when it was done, and when it was refused; null: nothing for this stream. */
const EVENTS: Readonly<Record<string, readonly [done: string | null, refused: string | null]>> = {
  signup: [null, "signup_refused"],
  login: ["login_succeeded", "login_failed"],
  "token.refresh": [null, "refresh_refused"],
  logout: [null, null],
  reauthenticate: ["reauthenticated", "reauthentication_refused"],
  "session.revoke": ["session_revoked", "session_revoke_refused"],
  verify: [null, "proof_refused"],
  resend: [null, null],
  recover: ["recovery_asked", null],
  "user.update": ["user_updated", "user_update_refused"],
  "user.ban": ["user_banned", "user_ban_refused"],
  "user.unban": ["user_unbanned", "user_unban_refused"],
  "user.grant": ["permissions_changed", "permissions_change_refused"],
  "user.revoke": ["permissions_changed", "permissions_change_refused"],
  "apiKey.create": ["api_key_created", "api_key_create_refused"],
  "apiKey.revoke": ["api_key_revoked", "api_key_revoke_refused"],
  "user.signout": ["session_revoked", "session_revoke_refused"],
}

/** An action that nobody listed is told by its own name: `key.rotate` is key_rotate. */
const eventOf = (action: string, isDone: boolean): string | null => {
  const listed = EVENTS[action]
  if (listed !== undefined) return listed[isDone ? 0 : 1]
  const name = action.toLowerCase().replace(/[^a-z]+/g, "_")
  return isDone ? name : `${name}_refused`
}

export const tellAudited =
  (security: SecurityLogService): ((row: AuditRow & { readonly subject: string | null }) => void) =>
  (row) => {
    const isDone = row.outcome === "ok"
    // Somebody has a copy of a refresh token: what matters most of all.
    const isReuse = row.outcome === "RefreshTokenReused"
    const event = isReuse ? "refresh_reused" : eventOf(row.action, isDone)
    if (event === null) return
    const level: LogLevel = isReuse ? "error" : isDone ? "info" : "warn"
    security.tell(event, level, {
      requestId: row.origin.requestId,
      userId: row.userId,
      sessionId: row.sessionId,
      keyId: row.keyId,
      targetUserId: row.targetUserId,
      subject: row.subject,
      ip: row.origin.ip,
      ua: row.origin.userAgent,
      what: isDone ? row.what : row.outcome,
    })
  }
