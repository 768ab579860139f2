/**
 * Commands in, replies out, in the JSON encoding of protocol v2: one frame carries commands joined by newlines; zero values are
 * omitted from replies; names are the protocol's own (snake_case), plus the two camelCase names that the specification shows.
 */
import type { ProtocolError } from "./error-codes.ts"

export type Method =
  | "connect"
  | "subscribe"
  | "unsubscribe"
  | "publish"
  | "presence"
  | "presence_stats"
  | "history"
  | "ping"
  | "rpc"
  | "refresh"
  | "sub_refresh"

export interface Command {
  /** 0 only for `send` and pongs. */
  readonly id: number
  readonly method: Method | "send" | "pong"
  /** The key the command used: the reply uses it too. */
  readonly key: string
  readonly parameters: Readonly<Record<string, unknown>>
}

const METHODS: ReadonlyMap<string, Method | "send"> = new Map([
  ["connect", "connect"],
  ["subscribe", "subscribe"],
  ["unsubscribe", "unsubscribe"],
  ["publish", "publish"],
  ["presence", "presence"],
  ["presence_stats", "presence_stats"],
  ["presenceStats", "presence_stats"],
  ["history", "history"],
  ["ping", "ping"],
  ["send", "send"],
  ["rpc", "rpc"],
  ["refresh", "refresh"],
  ["sub_refresh", "sub_refresh"],
  ["subRefresh", "sub_refresh"],
])

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value)

const parseCommand = (line: string): Command | undefined => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const id = value["id"] ?? 0
  if (typeof id !== "number" || !Number.isInteger(id) || id < 0 || id > 4_294_967_295) return undefined
  for (const [key, method] of METHODS) {
    const parameters = value[key]
    if (parameters === undefined || parameters === null) continue
    if (!isRecord(parameters)) return undefined
    if (method === "send") return { id, method, key, parameters }
    return id === 0 ? undefined : { id, method, key, parameters }
  }
  return id === 0 ? { id, method: "pong", key: "", parameters: {} } : undefined
}

/** The commands of one text frame; undefined when any line is malformed (close 3501). A trailing newline is tolerated. */
export const parseFrame = (text: string): ReadonlyArray<Command> | undefined => {
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")
  const commands: Array<Command> = []
  for (const line of lines) {
    const command = parseCommand(line)
    if (command === undefined) return undefined
    commands.push(command)
  }
  return commands
}

/** `result` is the JSON text of the result object. */
export const replyText = (command: Command, result: string): string =>
  `{"id":${command.id},${JSON.stringify(command.key)}:${result}}`

export const errorText = (command: Command, error: ProtocolError): string =>
  `{"id":${command.id},"error":${JSON.stringify(error)}}`

export const PING = "{}"
