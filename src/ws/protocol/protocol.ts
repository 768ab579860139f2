/**
 * Commands, results and pushes of the Centrifuge client protocol v2 (realtime A.2) as the code behind the codecs sees them: the same for
 * JSON and Protobuf. Field names are the protocol's own. A zero value (false, 0, "", empty) is left out on the wire unless noted.
 */
import type { ProtocolError } from "./error-codes.ts"
import type { ParametersOf } from "./requests.ts"

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

/** The fields of a command in the protocol's order: the first one that is present counts. */
export const REQUESTS: ReadonlyArray<Method | "send"> = [
  "connect",
  "subscribe",
  "unsubscribe",
  "publish",
  "presence",
  "presence_stats",
  "history",
  "ping",
  "send",
  "rpc",
  "refresh",
  "sub_refresh",
]

export interface CommandOf<M extends Method | "send" | "pong"> {
  /** 0 only for `send` and pongs. */
  readonly id: number
  readonly method: M
  /** The key the command used (JSON accepts two camelCase spellings): the reply uses it too. */
  readonly key: string
  /** By protocol name, of the protocol's types. A `data` of Protobuf bytes is parsed as JSON; when it is none it is absent here. */
  readonly parameters: ParametersOf<M>
  /**
   * The `data` of a publish as the client wrote it, byte for byte: JSON text, or bytes when it is none, which only Protobuf can say. Of
   * other requests it is set only when it is no JSON.
   */
  readonly content?: JsonText | Uint8Array
}
export type Command = { readonly [M in Method | "send" | "pong"]: CommandOf<M> }[Method | "send" | "pong"]

/** As it was written. A raw newline in it, which would end the message in JSON, is left out there by the codec and kept in Protobuf. */
export type JsonText = string

export interface ClientInfo {
  /** Always on the wire. */
  readonly user: string
  /** Always on the wire. */
  readonly client: string
  readonly conn_info?: JsonText
  readonly chan_info?: JsonText
}

export interface PublicationBody {
  /** Bytes only for Protobuf: a compact payload or a delta. Empty: left out, as of a removed entry. */
  readonly data: JsonText | Uint8Array
  readonly offset?: number
  readonly info?: ClientInfo
  readonly tags?: Readonly<Record<string, string>>
  readonly delta?: boolean
  /** Milliseconds since the Unix epoch. */
  readonly time?: number
  readonly key?: string
  readonly removed?: boolean
  /** On the publication with offset 1. */
  readonly epoch?: string
}

export interface SubscribeResult {
  readonly expires?: boolean
  /** Seconds. */
  readonly ttl?: number
  readonly recoverable?: boolean
  readonly epoch?: string
  readonly publications?: ReadonlyArray<PublicationBody>
  readonly recovered?: boolean
  readonly offset?: number
  readonly positioned?: boolean
  readonly data?: JsonText
  readonly was_recovering?: boolean
  readonly delta?: boolean
  /** 0 stream, 1 map. */
  readonly type?: number
  /** Of a map: 0 live, 1 stream, 2 state. */
  readonly phase?: number
  readonly cursor?: string
  readonly state?: ReadonlyArray<PublicationBody>
  /** Milliseconds between two publications of this client to one entry. */
  readonly publish_debounce?: number
}

export interface ConnectResult {
  readonly client: string
  readonly version: string
  readonly expires?: boolean
  readonly ttl?: number
  readonly data?: JsonText
  readonly subs?: Readonly<Record<string, SubscribeResult>>
  readonly ping?: number
  readonly pong?: boolean
  readonly time?: number
}

export interface HistoryResult {
  /** Always on the wire, as are epoch and offset. */
  readonly publications: ReadonlyArray<PublicationBody>
  readonly epoch: string
  readonly offset: number
}

export interface Results {
  readonly connect: ConnectResult
  readonly subscribe: SubscribeResult
  readonly unsubscribe: Empty
  readonly publish: Empty
  /** Always on the wire, even when empty. */
  readonly presence: { readonly presence: Readonly<Record<string, ClientInfo>> }
  /** Both numbers always on the wire. */
  readonly presence_stats: { readonly num_clients: number; readonly num_users: number }
  readonly history: HistoryResult
  readonly ping: Empty
  readonly rpc: { readonly data: JsonText }
  readonly refresh: { readonly expires?: boolean; readonly ttl?: number }
  readonly sub_refresh: { readonly expires?: boolean; readonly ttl?: number }
}
export type Empty = Readonly<Record<never, never>>

export type Push =
  | { readonly kind: "pub"; readonly body: PublicationBody }
  | { readonly kind: "join" | "leave"; readonly body: { readonly info: ClientInfo } }
  | { readonly kind: "unsubscribe"; readonly body: { readonly code: number; readonly reason: string } }
  | { readonly kind: "subscribe"; readonly body: SubscribeResult }
  | { readonly kind: "message"; readonly body: { readonly data: JsonText } }
  | { readonly kind: "refresh"; readonly body: { readonly expires?: boolean; readonly ttl?: number } }

/** Bytes that are no JSON are to be said in JSON. */
export class NoJson extends Error {
  override readonly name = "NoJson"
}

/** A whole WebSocket message, or part of one that `join` puts together: text for JSON, bytes for Protobuf. */
export type Frame = string | Uint8Array

/** One encoding of the protocol. Stateless; two exist in the process. */
export interface Codec {
  readonly format: "json" | "protobuf"
  /** The commands of one message; undefined when any part of it is malformed (close 3501). */
  readonly decode: (message: ArrayBuffer) => ReadonlyArray<Command> | undefined
  /** Throws NoJson. */
  readonly reply: <M extends Method>(command: CommandOf<M>, result: Results[M]) => Frame
  /** `data` rides beside the error in the result of an `rpc`. */
  readonly refusal: (command: Command, error: ProtocolError, data?: JsonText) => Frame
  readonly push: (channel: string, push: Push) => Frame
  /**
   * What is constant of a channel's publications is built once; the function is the hot path of the fan-out, and looks for no newlines: in
   * JSON the data has none.
   */
  readonly publications: (channel: string) => (body: PublicationBody) => Frame
  /** Several frames as one message. */
  readonly join: (frames: ReadonlyArray<Frame>) => Frame
  /** An empty reply. */
  readonly ping: Frame
}
