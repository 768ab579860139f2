/** The operations of the API by name, for callers on a socket instead of an HTTP request. */
import type { Principal } from "../domain/user/user.ts"

export interface RpcRequest {
  /** `market.orderbook.get`: the operation's path below `/api/v3`, with dots. */
  readonly method: string
  /** JSON: a read's query fields or a change's body; undefined when the caller gave none. */
  readonly data: unknown
  /** The caller gave something that is no JSON. */
  readonly isMalformed: boolean
  /** Who the socket speaks for now. */
  readonly principal: Principal
  /** The client's address. */
  readonly ip: string
  /** By this process's monotonic clock, in ms: until then another node waits for the answer. Absent: the operation's own. */
  readonly deadline?: number
  /** Whether the client's socket is closed: a call that has not begun by then is let go of, for its client could not be answered. Absent: it cannot be known. */
  readonly isOver?: () => boolean
}

export interface RpcAnswer {
  /** The envelope that the HTTP operation answers, as JSON text without a raw newline. */
  readonly envelope: string
  /** Null for a success. */
  readonly failure: { readonly code: number; readonly message: string } | null
}

/** Never throws. Calls `done` once, in the same turn or later, whether or not the socket is still there; not for a call that was let go of with its socket. */
export type Rpc = (request: RpcRequest, done: (answer: RpcAnswer | "unknown method") => void) => void
