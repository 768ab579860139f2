/** Requests of WebSocket v2 and their answers: `{"method", "result" or "error", "success", "req_id", "time_in", "time_out"}`. */

import type { Core } from "../core.ts"
import { rfc3339 } from "../numbers.ts"
import { type Connection, send } from "./connections.ts"

export type Fields = Readonly<Record<string, unknown>>

export interface SocketRequest {
  readonly method: string
  readonly params: Fields
  readonly reqId: number | undefined
  /** By the venue's clock, ms. */
  readonly arrivedAt: number
}

const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

/** Undefined for what is no request. */
export const readRequest = (text: string, arrivedAt: number): SocketRequest | undefined => {
  try {
    const { method, params, req_id: reqId } = fields(JSON.parse(text))
    if (typeof method !== "string") return undefined
    return { method, params: fields(params), reqId: typeof reqId === "number" ? reqId : undefined, arrivedAt }
  } catch {
    return undefined
  }
}

const times = (core: Core, { arrivedAt, reqId }: SocketRequest): Fields => ({
  time_in: rfc3339(arrivedAt),
  time_out: rfc3339(core.now()),
  ...(reqId === undefined ? {} : { req_id: reqId }),
})

export const pong = (core: Core, connection: Connection, request: SocketRequest): void =>
  send(connection, JSON.stringify({ method: "pong", ...times(core, request) }))

export const acknowledge = (core: Core, connection: Connection, request: SocketRequest, result: Fields): void =>
  send(connection, JSON.stringify({ method: request.method, result, success: true, ...times(core, request) }))

export const refuse = (
  core: Core,
  connection: Connection,
  request: SocketRequest,
  error: string,
  symbol?: string,
): void => {
  const about = symbol === undefined ? {} : { symbol }
  send(connection, JSON.stringify({ error, method: request.method, success: false, ...about, ...times(core, request) }))
}
