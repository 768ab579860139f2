/** Settings of several gateways on one database. None of them is read for anything where NODE_ID is not set. */
import { type Environment, InvalidSetting, text } from "./environment.ts"

export interface ClusterSettings {
  /** Unlike those of all other processes on the database. */
  readonly nodeId: string
}

const NODE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** What every node must be given alike: a file of its own would make each a stranger to the others. */
const SHARED = ["DATABASE_URL", "SIGNING_KEY", "ENCRYPTION_KEYS", "CURSOR_KEY"] as const

/** Null: this process is alone on its database. */
export const cluster = (env: Environment): ClusterSettings | null => {
  const nodeId = text(env, "NODE_ID")
  if (nodeId === null) return null
  if (!NODE_ID.test(nodeId))
    throw new InvalidSetting(
      `NODE_ID must be 1 to 64 letters, digits, "_" or "-", a letter or digit first, not "${nodeId}"`,
    )
  const missing = SHARED.filter((name) => text(env, name) === null)
  if (missing.length > 0)
    throw new InvalidSetting(`NODE_ID requires ${missing.join(", ")}: the nodes of a cluster share them`)
  return { nodeId }
}
