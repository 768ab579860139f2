/**
 * The audit trail as a log: one line for each act of authentication and each act that has its row in the database, done or refused, with
 * who, from where and for which request. The one thing to know: nothing that opens anything is ever in it, and of an unknown user only a
 * keyed hash, since people type passwords into the wrong field.
 */
import { createHmac } from "node:crypto"
import { Cause, Effect, Exit, Option } from "effect"
import type { DomainError } from "../domain/errors/domain-error.ts"
import type { ApiKeyId, SessionId, UserId } from "../domain/ids.ts"
import type { Act, Action } from "../domain/user/act.ts"
import { logText } from "../foundation/log-line.ts"
import { dateTime } from "../foundation/time.ts"

/** Where a call came from. */
export interface Origin {
  readonly ip: string
  readonly userAgent: string | null
  /** Equal to X-Request-ID. */
  readonly requestId: string
}

/** What has a line alone; acts with a row of their own besides are in domain/user/act.ts. */
export type AuthAction =
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
  /** An address that may be nobody's. */
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

/** Nobody's act: anybody can make up such a token as often as the edge lets him, and would fill the trail. */
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
