/** A client's identity and rights: checked at connect and at every subscribe. */
import type { Principal } from "../../domain/user/user.ts"
import type { Served } from "../fanout/stream.ts"
import type { Close, ProtocolError } from "../protocol/error-codes.ts"
import type { ClientInfo, JsonText } from "../protocol/protocol.ts"

/** A subscription that the server makes without the client's asking. */
export interface ServerSubscription {
  readonly channel: string
  /** `chan_info` of presence; null: as `access` says. */
  readonly info: JsonText | null
  /** Handed to the client with the subscription. */
  readonly data: JsonText | null
  /** Seconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null
}

export interface Credentials {
  /** Empty: anonymous. */
  readonly user: string
  /** Of the live session or API key behind the connection, as it is now; null under the test profile. */
  readonly principal: Principal | null
  /** Seconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null
  /** Whether its credential has already expired without a notice yet: an API key just after its expiry. Absent: it never expires. */
  readonly isOver?: () => boolean
  /** `conn_info` of presence. */
  readonly info: JsonText | null
  /** What the server subscribes the client to. */
  readonly channels: ReadonlyArray<ServerSubscription>
}

/** closed: no credentials at all. forbidden: good ones, from an address that they must not come from. */
export type Identification = Credentials | "expired" | "invalid" | "closed" | "forbidden"

/** It cannot be said yet: `learn`, then ask again; a second time it is `unseen`. False: it could not be learnt, for now. */
export interface Unidentified {
  readonly unseen: "expired" | "invalid"
  readonly learn: (done: (isLearnt: boolean) => void) => void
}

export interface Granted {
  readonly _tag: "Granted"
  readonly served: Served
  /** Seconds since the Unix epoch at which the subscription must be refreshed; null: never. */
  readonly expiresAt: number | null
  /** `chan_info` of presence. */
  readonly info: JsonText | null
  /** Handed to the client with the subscription. */
  readonly data?: JsonText | null
}

export type Access =
  | Granted
  | { readonly _tag: "Denied"; readonly error: ProtocolError }
  /** The client lied: the connection ends. */
  | { readonly _tag: "Closed"; readonly close: Close }
  /** It cannot be said yet: `learn`, then ask again in the same turn; a second "later" is an unknown channel. */
  | {
      readonly _tag: "Later"
      readonly learn: (done: (known: boolean) => void) => void
      /** It is judged by another process: each time anew, and a second "later" is another try. */
      readonly isElsewhere?: true
    }

export interface SubscriptionRequest {
  readonly channel: string
  /** 0 stream, 1 map. */
  readonly type: number
  readonly token: string
  readonly client: string
  /** query: history, presence or publish, without subscribing. server: the server subscribes the client. Absent: the client itself. */
  readonly purpose?: "query" | "server"
}

/** What a client says into a channel; on a map it is about one of the entries. */
export interface Said {
  /** As it was written, bytes when it is no JSON. Null: the entry is to be removed. */
  readonly content: JsonText | Uint8Array | null
  /** Of a map: the entry. */
  readonly key: string
  readonly info: ClientInfo
}

export interface Authority {
  readonly identify: (token: string, from: { readonly ip: string }) => Identification | Unidentified
  /** Whether they may still come from there. Absent: they always may. */
  readonly isWelcome?: (credentials: Credentials, from: { readonly ip: string }) => boolean
  readonly access: (credentials: Credentials, request: SubscriptionRequest) => Access
  /** The new end of a subscription in seconds, null for never; an error or a close when the token is not good for it. */
  readonly refreshSubscription: (
    credentials: Credentials,
    request: SubscriptionRequest,
  ) => { readonly expiresAt: number | null } | Extract<Access, { readonly _tag: "Denied" | "Closed" }>
  /** Publishes what a client sent, or answers why not; the channel's settings allow it. Absent: no client may publish anywhere. */
  readonly publish?: (served: Served, said: Said) => ProtocolError | undefined
}

export const denied = (error: ProtocolError): Extract<Access, { readonly _tag: "Denied" }> => ({
  _tag: "Denied",
  error,
})
