/**
 * What attackers do, or what looks like it, in a stream of its own. The one thing to know: `tell` is for refusals that anybody can
 * cause, so that alike ones of one address are counted together after the first twenty of ten seconds; nobody can drown the others.
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

/** Without one nobody listens. */
export class SecurityLog extends Context.Reference<SecurityLog>()("ports/SecurityLog", {
  defaultValue: (): SecurityLogService => ({ tell: () => undefined }),
}) {}
