/** Settings of several gateways on one database. None of them is read for anything where NATS_URL is not set. */
import { type Environment, InvalidSetting, list, text } from "./environment.ts"

export interface ClusterSettings {
  /** Servers of one broker, `nats://…` or `tls://…`; any of them will do. */
  readonly natsUrls: ReadonlyArray<string>
  /** Unlike those of all other processes on the database. */
  readonly nodeId: string
  /** Whether this process waits for the ownership of the database, beside serving clients. */
  readonly mayOwn: boolean
}

/** It stands in subjects of the broker, where a dot separates. */
const NODE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

const ROLES: ReadonlyMap<string, boolean> = new Map([
  ["edge,core", true],
  ["core,edge", true],
  ["edge", false],
])

/** What every node must be given alike: a file of its own would make each a stranger to the others. */
const SHARED = ["DATABASE_URL", "SIGNING_KEY", "ENCRYPTION_KEYS", "CURSOR_KEY"] as const

/** Null: this process is alone on its database. */
export const cluster = (env: Environment): ClusterSettings | null => {
  const natsUrls = list(env, "NATS_URL")
  if (natsUrls.length === 0) return null
  for (const url of natsUrls)
    if (!/^(nats|tls):\/\/[^/?#\s]+$/.test(url) || !URL.canParse(url))
      throw new InvalidSetting("NATS_URL must be nats://host:port or tls://host:port, comma separated")
  const nodeId = text(env, "NODE_ID")
  if (nodeId === null)
    throw new InvalidSetting("NATS_URL requires NODE_ID: a name that no other process on the database has")
  if (!NODE_ID.test(nodeId))
    throw new InvalidSetting(
      `NODE_ID must be 1 to 64 letters, digits, "_" or "-", a letter or digit first, not "${nodeId}"`,
    )
  const missing = SHARED.filter((name) => text(env, name) === null)
  if (missing.length > 0)
    throw new InvalidSetting(`NATS_URL requires ${missing.join(", ")}: the nodes of a cluster share them`)
  const roles = list(env, "ROLES").join(",") || "edge,core"
  const mayOwn = ROLES.get(roles)
  if (mayOwn === undefined) throw new InvalidSetting(`ROLES must be edge,core or edge, not "${roles}"`)
  return { natsUrls, nodeId, mayOwn }
}
