/**
 * Attacks, and what looks like one, in a stream of its own. The one thing to know: `tell` is for refusals that any client can cause, so that
 * identical ones from one address are counted together after the first twenty in ten seconds; no client can drown out the others.
 */
import { Context } from "effect"
import type { LogLevel } from "../foundation/log-line.ts"

export interface SecurityFacts {
  readonly requestId?: string | undefined
  readonly traceId?: string | undefined
  readonly method?: string | undefined
  readonly route?: string | undefined
  readonly errno?: number | undefined
  /** `details.code` of the answer. */
  readonly code?: string | undefined
  readonly userId?: string | null | undefined
  readonly sessionId?: string | null | undefined
  /** Of the API key. */
  readonly keyId?: string | undefined
  readonly tradingAccountId?: string | null | undefined
  readonly targetUserId?: string | null | undefined
  readonly subject?: string | null | undefined
  readonly ip: string
  readonly ua?: string | null | undefined
  readonly what?: string | null | undefined
}

export interface SecurityLogService {
  /** `event`: words of ours, like login_failed. */
  readonly tell: (event: string, level: LogLevel, facts: SecurityFacts) => void
}

/** Without one events are dropped. */
export class SecurityLog extends Context.Reference<SecurityLog>()("ports/SecurityLog", {
  defaultValue: (): SecurityLogService => ({ tell: () => undefined }),
}) {}
