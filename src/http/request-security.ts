/** Which responses become events of the security log: authorisation failures, and internal errors. */
import type { DomainError } from "../domain/errors/domain-error.ts"
import type { LogLevel } from "../foundation/log-line.ts"
import { ERRNO, type Tag } from "./edge/errno.ts"

/** Logins and refreshes are told by the audit. An expired token is everyday life. */
const EVENTS: Partial<Readonly<Record<Tag, string>>> = {
  InvalidAccessToken: "token_refused",
  SessionRevoked: "token_refused",
  ApiKeyRevoked: "token_refused",
  AccountForbidden: "not_owner",
  WalletsUnrelated: "not_owner",
  TenantForbidden: "tenant_refused",
  TlsRequired: "tls_missing",
  UserDisabled: "user_disabled",
  InternalDefect: "backend_failed",
  StorageUnavailable: "backend_failed",
}
const NOT_TOLD: ReadonlySet<Tag> = new Set(["SignupDisabled"])
/** By `details.code`, for failures that bring a name of their own. */
const BY_CODE: Readonly<Record<string, string>> = { IP_FORBIDDEN: "address_refused" }

export interface SecurityEvent {
  readonly event: string
  readonly level: LogLevel
}

export const securityEventOf = ({ _tag }: DomainError): SecurityEvent | null => {
  const { status, code } = ERRNO[_tag]
  const event = EVENTS[_tag] ?? BY_CODE[code]
  if (event !== undefined) return { event, level: status >= 500 ? "error" : "warn" }
  if (status === 403 && !NOT_TOLD.has(_tag)) return { event: "permission_refused", level: "warn" }
  return status === 429 ? { event: "rate_limited", level: "warn" } : null
}
