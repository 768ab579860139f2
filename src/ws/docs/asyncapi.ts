/**
 * The AsyncAPI 3.0 document of the real-time endpoint, generated from what the endpoint itself uses: the namespace table, the code tables, the
 * protocol's types and the records' own schemas.
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
import { CHANNELS_MAX, MESSAGE_BYTES_MAX } from "../connection/client.ts"
import { EXPIRY_GRACE_SECONDS, PING_SECONDS, PONG_SECONDS, STALE_SECONDS } from "../connection/heartbeat.ts"
import { CLOSES, ERRORS, UNSUBSCRIBES } from "../protocol/error-codes.ts"
import type { Method } from "../protocol/protocol.ts"
import {
  Components,
  component,
  type JsonSchema,
  PARAMETERS as OF_COMMANDS,
  PROTOCOL_COMPONENTS,
  PUSHES,
  RESULTS,
  text,
} from "../protocol/protocol-schemas.ts"
import { deliveryWords, mapDelivery, streamDelivery } from "./delivery-words.ts"

// The protocol's part of the AsyncAPI document: what a client says, what it hears, and which answers which.

const ref = (path: string) => ({ $ref: `#/${path}` })
const servers = [ref("servers/gateway")]

const COMMAND_WORDS: { readonly [M in Method | "send"]: string } = {
  connect: "The first command of a connection: authentication",
  subscribe: "Subscribe to a channel",
  unsubscribe: "Unsubscribe from a channel; always succeeds",
  publish: "Publish to a channel, where its settings allow that",
  presence: "Clients on a channel, where its settings allow that",
  presence_stats: "Number of clients on a channel, where its settings allow that",
  history: "A channel's history and its position",
  ping: "Check that the connection works",
  rpc: "An operation of the HTTP API; a failure is error 1000 + (HTTP status - 400), with the envelope beside it",
  refresh: "A new token for the connection",
  sub_refresh: "A new token for a subscription that expires",
  send: "Accepted, no reply",
}

const METHODS = Object.keys(RESULTS) as ReadonlyArray<Method>
const COMMANDS = Object.keys(OF_COMMANDS) as ReadonlyArray<Method | "send">

const id: JsonSchema = { type: "integer", minimum: 1, maximum: 4_294_967_295 }

const commandSchema = (command: Method | "send"): JsonSchema =>
  command === "send"
    ? { type: "object", required: ["send"], properties: { send: OF_COMMANDS.send } }
    : { type: "object", required: ["id", command], properties: { id, [command]: OF_COMMANDS[command] } }

const replySchema = (method: Method): JsonSchema => ({
  type: "object",
  required: ["id", method],
  properties: { id, [method]: RESULTS[method] },
  not: { required: ["error"] },
})

const PROTOCOL_MESSAGES: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    COMMANDS.map((command) => [
      `command.${command}`,
      { name: command, title: `Command ${command}`, summary: COMMAND_WORDS[command], payload: commandSchema(command) },
    ]),
  ),
  pong: { name: "pong", title: "Pong", summary: "The answer to a ping: an empty object", payload: { const: {} } },
  ...Object.fromEntries(
    METHODS.map((method) => [
      `reply.${method}`,
      { name: method, title: `Reply to ${method}`, payload: replySchema(method) },
    ]),
  ),
  "reply.error": {
    name: "error",
    title: "Refusal of a command",
    payload: { type: "object", required: ["id", "error"], properties: { id, error: component("Error") } },
  },
  push: {
    name: "push",
    title: "Push",
    summary: "Sent without a request: a publication, or a change of a subscription",
    payload: {
      type: "object",
      required: ["push"],
      properties: {
        push: {
          type: "object",
          properties: { channel: text, ...PUSHES },
          oneOf: Object.keys(PUSHES).map((kind) => ({ required: [kind] })),
        },
      },
    },
  },
  ping: { name: "ping", title: "Ping", summary: "An empty object, to be answered with a pong", payload: { const: {} } },
}

const isServersOwn = (name: string): boolean => name === "push" || name === "ping" || name.startsWith("reply.")

const protocolChannel = (title: string, names: ReadonlyArray<string>): object => ({
  address: null,
  title,
  servers,
  messages: Object.fromEntries(names.map((name) => [name, ref(`components/messages/${name}`)])),
})

const PROTOCOL_CHANNELS = {
  commands: protocolChannel(
    "From the client",
    Object.keys(PROTOCOL_MESSAGES).filter((name) => !isServersOwn(name)),
  ),
  replies: protocolChannel("From the gateway", Object.keys(PROTOCOL_MESSAGES).filter(isServersOwn)),
}

const PROTOCOL_OPERATIONS = {
  ...Object.fromEntries(
    COMMANDS.map((command) => [
      command,
      {
        action: "receive",
        summary: COMMAND_WORDS[command],
        channel: ref("channels/commands"),
        messages: [ref(`channels/commands/messages/command.${command}`)],
        ...(command === "send"
          ? {}
          : {
              reply: {
                channel: ref("channels/replies"),
                messages: [
                  ref(`channels/replies/messages/reply.${command}`),
                  ref("channels/replies/messages/reply.error"),
                ],
              },
            }),
      },
    ]),
  ),
  pong: {
    action: "receive",
    summary: "The answer to a ping",
    channel: ref("channels/commands"),
    messages: [ref("channels/commands/messages/pong")],
  },
  push: {
    action: "send",
    summary: "Sent without a request",
    channel: ref("channels/replies"),
    messages: [ref("channels/replies/messages/push"), ref("channels/replies/messages/ping")],
  },
}

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
unchanged. The messages of the channels below are the \`data\` of publications; \`commands\` and \`replies\` are the protocol around them,
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
const reconnects = (code: number): boolean => (code >= 3000 && code < 3500) || (code >= 4000 && code < 4500)

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
        description: "Where `npm start` listens; `wss` if TLS is configured in the gateway or a proxy",
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
