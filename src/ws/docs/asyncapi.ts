/**
 * The AsyncAPI 3.0 document of the real-time endpoint, made of what the endpoint itself runs by: the namespace table, the code tables,
 * the protocol's types and the records' own schemas.
 */
import type { ChannelKind } from "../../domain/channel.ts"
import { RATE_LIMITS } from "../../domain/user/rate-limits.ts"
import {
  CHANNEL_CATALOG,
  type ChannelEntry,
  type ChannelMessage,
  PARAMETERS,
  parametersOf,
} from "../channels/catalog.ts"
import type { ChannelKindSettings, ChannelKinds } from "../channels/kinds.ts"
import { EXPIRY_GRACE_SECONDS, PING_SECONDS, PONG_SECONDS, STALE_SECONDS } from "../connection/heartbeat.ts"
import { CHANNELS_MAX, MESSAGE_BYTES_MAX } from "../connection/limits.ts"
import { CLOSES, ERRORS, UNSUBSCRIBES } from "../protocol/error-codes.ts"
import { Components } from "../protocol/json-schema.ts"
import { PROTOCOL_COMPONENTS } from "../protocol/protocol-schemas.ts"
import { PROTOCOL_CHANNELS, PROTOCOL_MESSAGES, PROTOCOL_OPERATIONS, ref, servers } from "./asyncapi-protocol.ts"
import { deliveryWords, mapDelivery, streamDelivery } from "./delivery-words.ts"

export interface RealtimeFacts {
  /** Of the gateway. */
  readonly version: string
  /** The table that the gateway runs by. */
  readonly kinds: ChannelKinds
  /** Names of `rpc` methods. */
  readonly rpcMethods: ReadonlyArray<string>
}

const INTRODUCTION = `
Live updates over one WebSocket at \`/connection/websocket\`, in the Centrifuge client protocol v2: the official \`centrifuge\` clients work
as they are. The messages of the channels below are the \`data\` of publications; \`commands\` and \`replies\` are the protocol around them,
in JSON frames (one or more objects, separated by newlines) or, with the subprotocol \`centrifuge-protobuf\`, in Protobuf frames.

The page at [/docs/realtime](/docs/realtime) has complete programs. The HTTP API is described at [/docs](/docs).
`.trim()

const addressParameters = (address: string) =>
  Object.fromEntries(parametersOf(address).map((name) => [name, PARAMETERS[name]]))

interface DescribedChannel {
  readonly name: string
  readonly summary: string
  readonly messages: ReadonlyArray<ChannelMessage>
  readonly document: object
}

/** A kind's channel as a stream and as a map, as far as it is either. */
const channelsOf = (
  kind: ChannelKind,
  entry: ChannelEntry,
  row: ChannelKindSettings,
): ReadonlyArray<DescribedChannel> => {
  const { address, title, summary, description, access, tags, messages, map } = entry
  const described = (
    name: string,
    what: Pick<DescribedChannel, "messages"> & { readonly title: string; readonly words: ReadonlyArray<string> },
    more: object,
  ): DescribedChannel => ({
    name,
    summary,
    messages: what.messages,
    document: {
      address,
      title: what.title,
      summary,
      description: what.words.join("\n\n"),
      servers,
      parameters: addressParameters(address),
      messages: Object.fromEntries(what.messages.map(({ name }) => [name, ref(`components/messages/${name}`)])),
      "x-kind": kind,
      "x-settings": row,
      ...more,
    },
  })
  const isStream = messages.length > 0
  const stream = described(
    kind,
    { title, messages, words: [description, access, ...deliveryWords(streamDelivery(row))] },
    { "x-type": "stream", ...(tags === undefined ? {} : { "x-tags": tags }) },
  )
  if (map === undefined) return [stream]
  const asMap = described(
    isStream ? `${kind}Map` : kind,
    {
      title: isStream ? `${title} as a map` : title,
      messages: map.messages,
      words: [map.description, access, ...deliveryWords(mapDelivery(row, isStream ? null : row.recoveryMax))],
    },
    { "x-type": "map", "x-key": map.key, ...(map.tags === undefined ? {} : { "x-tags": map.tags }) },
  )
  return isStream ? [stream, asMap] : [asMap]
}

const publicationsOf = ({ name, summary, messages }: DescribedChannel): object => ({
  action: "send",
  summary,
  channel: ref(`channels/${name}`),
  messages: messages.map((message) => ref(`channels/${name}/messages/${message.name}`)),
})

const byCode = <A extends { readonly code: number }>(codes: ReadonlyArray<A>): ReadonlyArray<A> =>
  [...codes].sort((a, b) => a.code - b.code)

/** Codes below 3500 and from 4000 to 4499 let the client come back by itself. */
export const reconnects = (code: number): boolean => (code >= 3000 && code < 3500) || (code >= 4000 && code < 4500)

export const ERROR_CODES = byCode(Object.values(ERRORS))
export const CLOSE_CODES = byCode(
  Object.values(CLOSES).map(([code, reason]) => ({ code, reason, reconnects: reconnects(code) })),
)
export const UNSUBSCRIBE_CODES = byCode(
  Object.values(UNSUBSCRIBES).map(({ code, reason }) => ({ code, reason, resubscribes: code >= 2500 })),
)

const entries = Object.entries(CHANNEL_CATALOG) as ReadonlyArray<[ChannelKind, ChannelEntry]>

/** Plain JSON; a new object each time. */
export const asyncApiDocument = ({ version, kinds, rpcMethods }: RealtimeFacts): object => {
  const components = new Components()
  const channels = entries.flatMap(([kind, entry]) => channelsOf(kind, entry, kinds[kind]))
  const messages = Object.fromEntries(
    channels.flatMap(({ messages }) =>
      messages.map(({ name, summary, record, example }) => [
        name,
        { name, title: name, summary, payload: components.of(record), examples: [{ name, payload: example }] },
      ]),
    ),
  )
  return {
    asyncapi: "3.0.0",
    info: { title: "Trading Platform real-time API v3", version, description: INTRODUCTION },
    defaultContentType: "application/json",
    servers: {
      gateway: {
        host: "127.0.0.1:8080",
        pathname: "/connection/websocket",
        protocol: "ws",
        description: "Where `npm start` listens; `wss` where TLS is configured, or in front of the gateway",
        security: [ref("components/securitySchemes/accessToken")],
      },
    },
    channels: {
      ...Object.fromEntries(channels.map(({ name, document }) => [name, document])),
      ...PROTOCOL_CHANNELS,
    },
    operations: {
      ...Object.fromEntries(channels.map((channel) => [channel.name, publicationsOf(channel)])),
      ...PROTOCOL_OPERATIONS,
    },
    components: {
      schemas: { ...PROTOCOL_COMPONENTS, ...components.all() },
      messages: { ...messages, ...PROTOCOL_MESSAGES },
      securitySchemes: {
        accessToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The accessToken of a session, as `token` of the command connect",
        },
      },
    },
    "x-protocol": {
      pingSeconds: PING_SECONDS,
      pongSeconds: PONG_SECONDS,
      connectSeconds: STALE_SECONDS,
      expiryGraceSeconds: EXPIRY_GRACE_SECONDS,
      messageBytesMax: MESSAGE_BYTES_MAX,
      channelsMax: CHANNELS_MAX,
      commandRate: RATE_LIMITS.socketCommands,
      connectionsPerUserMax: RATE_LIMITS.socketsPerUser,
      connectionsPerAddressMax: RATE_LIMITS.socketsPerAddress,
      errors: ERROR_CODES,
      closes: CLOSE_CODES,
      unsubscribes: UNSUBSCRIBE_CODES,
      rpcMethods,
    },
  }
}
