/** Settings of several gateways on one database. Without NODE_ID there are none. */
import { type Environment, InvalidSetting, list, text } from "./environment.ts"

export interface ClusterSettings {
  /** Unlike those of all other processes on the database. */
  readonly nodeId: string
  /** The broker that carries what nodes say to each other; null: a node waits, and serves nothing until it owns the database. */
  readonly brokerUrl: string | null
  /** Whether it waits to own the database. */
  readonly mayOwn: boolean
}

const NODE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** What every node must be given alike: a file of its own would make each a stranger to the others. */
const SHARED = ["DATABASE_URL", "SIGNING_KEY", "ENCRYPTION_KEYS", "CURSOR_KEY"] as const

/** What is neither the name of a node nor what its nodes share. */
const OWN = ["NATS_URL", "ROLES"] as const

/** `nats://user:password@host:4222` or `tls://…`; several of one cluster with commas. The value is in no message: it has the password. */
const broker = (env: Environment): string | null => {
  const urls = text(env, "NATS_URL")
  for (const url of urls?.split(",") ?? [])
    if (!/^(nats|tls):\/\/[^/]/.test(url.trim()) || !URL.canParse(url.trim()))
      throw new InvalidSetting(
        "NATS_URL must be nats://user:password@host:4222 or tls://…, several of one cluster separated by commas",
      )
  return urls
}

const mayOwn = (env: Environment): boolean => {
  const roles = list(env, "ROLES")
  const names = roles.length === 0 ? ["edge", "core"] : [...roles].sort().reverse()
  if (names.join() === "edge") return false
  if (names.join() === "edge,core") return true
  throw new InvalidSetting(`ROLES must be "edge,core" or "edge", not "${roles.join(",")}"`)
}

/** Null: this process is alone on its database. */
export const cluster = (env: Environment): ClusterSettings | null => {
  const nodeId = text(env, "NODE_ID")
  if (nodeId === null) {
    const idle = OWN.find((name) => text(env, name) !== null)
    if (idle !== undefined)
      throw new InvalidSetting(`${idle} requires NODE_ID: the name of this process in its cluster`)
    return null
  }
  if (!NODE_ID.test(nodeId))
    throw new InvalidSetting(
      `NODE_ID must be 1 to 64 letters, digits, "_" or "-", a letter or digit first, not "${nodeId}"`,
    )
  const missing = SHARED.filter((name) => text(env, name) === null)
  if (missing.length > 0)
    throw new InvalidSetting(`NODE_ID requires ${missing.join(", ")}: the nodes of a cluster share them`)
  const brokerUrl = broker(env)
  if (!mayOwn(env) && brokerUrl === null)
    throw new InvalidSetting(
      "ROLES=edge requires NATS_URL: without it there is no way to the node that owns the database",
    )
  return { nodeId, brokerUrl, mayOwn: mayOwn(env) }
}
