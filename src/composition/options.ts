/** What every part of the composition root is given by the process. */
import type { Settings } from "../config.ts"
import type { Notice } from "../foundation/log-line.ts"
import type { ProcessLog } from "./process-log.ts"

export interface GatewayOptions {
  readonly settings: Settings
  readonly log: ProcessLog
  /** A word for the operator, on stderr. */
  readonly notice: Notice
  /** The process owns nothing any more, or lost its database for good: it must end at once. */
  readonly fatal: (reason: string) => void
}

/** A defect in words for `notice`, its stack where it has one. */
export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
