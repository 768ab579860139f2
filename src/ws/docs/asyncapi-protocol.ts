/** The protocol's part of the AsyncAPI document: what a client says, what it hears, and which answers which. */
import { component, type JsonSchema, text } from "../protocol/json-schema.ts"
import type { Method } from "../protocol/protocol.ts"
import { PARAMETERS, PUSHES, RESULTS } from "../protocol/protocol-schemas.ts"

export const ref = (path: string) => ({ $ref: `#/${path}` })
export const servers = [ref("servers/gateway")]

const COMMAND_WORDS: { readonly [M in Method | "send"]: string } = {
  connect: "The first command of a connection: who I am",
  subscribe: "Begin a channel",
  unsubscribe: "End a channel; always succeeds",
  publish: "Publish to a channel, where its settings allow that",
  presence: "Who is on a channel, where its settings allow that",
  presence_stats: "How many are on a channel, where its settings allow that",
  history: "What a channel remembers, and its position",
  ping: "Is somebody there",
  rpc: "An operation of the HTTP API; a failure is error 1000 + (HTTP status - 400), with the envelope beside it",
  refresh: "A new token for the connection",
  sub_refresh: "A new token for a subscription that expires",
  send: "Taken and never answered",
}

const METHODS = Object.keys(RESULTS) as ReadonlyArray<Method>
const COMMANDS = Object.keys(PARAMETERS) as ReadonlyArray<Method | "send">

const id: JsonSchema = { type: "integer", minimum: 1, maximum: 4_294_967_295 }

const commandSchema = (command: Method | "send"): JsonSchema =>
  command === "send"
    ? { type: "object", required: ["send"], properties: { send: PARAMETERS.send } }
    : { type: "object", required: ["id", command], properties: { id, [command]: PARAMETERS[command] } }

const replySchema = (method: Method): JsonSchema => ({
  type: "object",
  required: ["id", method],
  properties: { id, [method]: RESULTS[method] },
  not: { required: ["error"] },
})

export const PROTOCOL_MESSAGES: Readonly<Record<string, object>> = {
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
    summary: "Sent without being asked: a publication, or what became of a subscription",
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

export const PROTOCOL_CHANNELS = {
  commands: protocolChannel(
    "From the client",
    Object.keys(PROTOCOL_MESSAGES).filter((name) => !isServersOwn(name)),
  ),
  replies: protocolChannel("From the gateway", Object.keys(PROTOCOL_MESSAGES).filter(isServersOwn)),
}

export const PROTOCOL_OPERATIONS = {
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
    summary: "Sent without being asked",
    channel: ref("channels/replies"),
    messages: [ref("channels/replies/messages/push"), ref("channels/replies/messages/ping")],
  },
}
