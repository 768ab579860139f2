/** Settings of the process as its operator runs it: when the disk counts as full, and how it ends. */
import { type Environment, flag, integer } from "./environment.ts"

export interface OperationSettings {
  /** Free space of the data directory below which the service calls itself degraded, in MB. */
  readonly diskFreeMinMegabytes: number
  /** After SIGTERM: not ready, and otherwise as before, for so long, in ms, until load balancers have seen it. */
  readonly shutdownNoticeMillis: number
  /** An empty database is taken although the keys in the data directory belong to another one. */
  readonly newDatabase: boolean
}

export const operation = (env: Environment, production: boolean): OperationSettings => ({
  diskFreeMinMegabytes: integer(env, "DISK_FREE_MIN_MB", 512, 0, 1_048_576),
  shutdownNoticeMillis: integer(env, "SHUTDOWN_NOTICE_MS", production ? 2000 : 0, 0, 3000),
  newDatabase: flag(env, "NEW_DATABASE", false),
})
