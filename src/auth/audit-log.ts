/**
 * The audit trail as a log: one line for each authentication and each act that has its row in the database, performed or refused, with the user,
 * the address and the request; which of them are signs of an attack, and their counts. The one thing to know: it never contains secrets, and for
 * an unknown user only a keyed hash, since people type passwords into the wrong field.
 */
import { createHmac } from "node:crypto"
import { Cause, Effect, Exit, Option } from "effect"
import type { DomainError } from "../domain/errors/domain-error.ts"
import type { ApiKeyId, SessionId, UserId } from "../domain/ids.ts"
import type { Act, Action } from "../domain/user/act.ts"
import { type LogLevel, logText } from "../foundation/log-line.ts"
import { dateTime } from "../foundation/time.ts"
import type { MeterBoard } from "../ports/meters.ts"
import type { SecurityLogService } from "../ports/security-log.ts"

/** Where a call came from. */
export interface Origin {
  readonly ip: string
  readonly userAgent: string | null
  /** Equal to X-Request-ID. */
  readonly requestId: string
}

/** What has a line alone; acts with a row of their own besides are in domain/user/act.ts. */
type AuthAction =
  | "signup"
  | "login"
  | "rate.limited"
  | "token.refresh"
  | "keys.reseal"
  | "certificate.taken"
  | "logout"
  | "reauthenticate"
  | "session.revoke"
  | "verify"
  | "resend"
  | "recover"
  | "user.update"

export interface AuditFacts {
  readonly userId?: UserId | undefined
  readonly sessionId?: SessionId | undefined
  readonly keyId?: ApiKeyId | undefined
  /** Whom the act is about, where that is not the user itself. */
  readonly targetUserId?: UserId | undefined
  /** An address that may not belong to a user. */
  readonly email?: string | undefined
  /** Further words of the act itself: a type, a scope, names of changed fields. */
  readonly what?: string | undefined
}

export interface AuditRow extends AuditFacts {
  readonly action: AuthAction | Action
  /** Of an act that has its row in the database. */
  readonly act?: Act
  /** `ok`, or the failure's tag. */
  readonly outcome: string
  readonly origin: Origin
}

export interface Audit {
  readonly write: (row: AuditRow) => void
  /** Writes the line of an act whose row is stored. */
  readonly told: (act: Act, outcome: string) => void
  /** Writes the row of an act when it ends; `known` is told what was learnt on the way. */
  readonly act: <A, E extends DomainError, R>(
    action: AuthAction,
    origin: Origin,
    facts: AuditFacts,
    work: (learn: (facts: AuditFacts) => void) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R>
}

const auditLine = (fields: Readonly<Record<string, string | null>>): string =>
  `{${Object.entries(fields)
    .map(([name, value]) => `"${name}":${value === null ? "null" : logText(value)}`)
    .join(",")}}`

/** No user's act: any client can invent such tokens at the rate that the edge allows, and would fill the trail. */
const isUnproven = ({ action, userId, outcome }: AuditRow): boolean =>
  action === "token.refresh" && userId === undefined && outcome === "InvalidRefreshToken"

const rowOf = (act: Act, outcome: string): AuditRow => {
  const { actor, object } = act
  return {
    action: act.action,
    outcome,
    act,
    origin: {
      ip: actor.ip ?? "local",
      userAgent: actor.userAgent,
      requestId: actor.clientRequestId ?? actor.requestId ?? "",
    },
    userId: actor.userId ?? undefined,
    sessionId: actor.sessionId ?? undefined,
    keyId: actor.keyId ?? undefined,
    targetUserId: object?.type === "USER" ? (object.id as UserId) : undefined,
    what: act.what,
  }
}

const fieldsOf = ({ actId, object, otherId, asset, amount }: Act): Readonly<Record<string, string | null>> => ({
  actId,
  objectType: object?.type ?? null,
  objectId: object?.id ?? null,
  otherId: otherId ?? null,
  asset: asset ?? null,
  amount: amount ?? null,
})

/** `line` takes one JSON text and never throws; null: nothing is kept. `secret` keys the hashes of addresses. */
export const makeAudit = (options: {
  readonly line: ((text: string) => void) | null
  readonly secret: () => Uint8Array
  readonly now: () => number
  /** Told of each row: for counting, and for the security stream. */
  readonly observe?: (row: AuditRow & { readonly subject: string | null }) => void
}): Audit => {
  const subject = (email: string): string =>
    createHmac("sha256", options.secret()).update("audit:").update(email).digest("hex").slice(0, 16)

  const write = (row: AuditRow): void => {
    const hashed = row.email === undefined ? null : subject(row.email)
    options.observe?.({ ...row, subject: hashed })
    if (isUnproven(row)) return
    options.line?.(
      auditLine({
        ts: dateTime(options.now()),
        level: "info",
        msg: "audit",
        action: row.action,
        outcome: row.outcome,
        requestId: row.origin.requestId,
        userId: row.userId ?? null,
        sessionId: row.sessionId ?? null,
        ...(row.keyId === undefined ? {} : { keyId: row.keyId }),
        targetUserId: row.targetUserId ?? null,
        subject: hashed,
        what: row.what ?? null,
        ip: row.origin.ip,
        ua: row.origin.userAgent === null ? null : row.origin.userAgent.slice(0, 200),
        ...(row.act === undefined ? {} : fieldsOf(row.act)),
      }),
    )
  }

  return {
    write,
    told: (act, outcome) => write(rowOf(act, outcome)),
    act: (action, origin, facts, work) =>
      Effect.suspend(() => {
        let known = facts
        return Effect.onExit(
          work((learnt) => {
            known = { ...known, ...learnt }
          }),
          (exit) =>
            Effect.sync(() => {
              const failure = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : Option.none()
              const outcome = Exit.isSuccess(exit) ? "ok" : Option.isSome(failure) ? failure.value._tag : "Defect"
              write({ action, outcome, origin, ...known })
            }),
        )
      }),
  }
}

// Audited operations that also matter for detecting attacks: each is reported to the security log as it is audited.

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

/** An unlisted action is reported under its own name: `key.rotate` is key_rotate. */
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
    // A refresh token has been copied: the most important event.
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

// Counts logins and reused refresh tokens from the audit trail: what is audited is what is counted.

/** `InvalidLoginCredentials` is "invalid_login_credentials". */
const wordOf = (tag: string): string => tag.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()

export const countAudited = (board: MeterBoard): ((row: AuditRow) => void) => {
  const logins = board.counter("auth_logins_total")
  // There before the first success: a comparison with what is not there is never true, and failures in the first hour would raise no alert.
  logins.of("ok")
  const reuse = board.counter("auth_refresh_reuse_total").of()
  return ({ action, outcome }) => {
    if (action === "login") logins.add(wordOf(outcome))
    else if (action === "token.refresh" && outcome === "RefreshTokenReused") reuse.value++
  }
}
