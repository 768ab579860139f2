/**
 * The JSON encoding of the protocol: one message is commands or replies joined by newlines, and bytes are embedded JSON. Names are the
 * protocol's own (snake_case); commands may use the two camelCase names of the specification, and the reply then does too.
 */
import { isUtf8 } from "node:buffer"
import type { ProtocolError } from "./error-codes.ts"
import { JsonSource } from "./json-source.ts"
import {
  type ClientInfo,
  type Codec,
  type Command,
  type ConnectResult,
  type JsonText,
  type Method,
  NoJson,
  type PublicationBody,
  type Push,
  REQUESTS,
  type Results,
  type SubscribeResult,
} from "./protocol.ts"
import { readParameters } from "./requests.ts"

const CAMEL_CASE: Readonly<Record<string, string>> = { presence_stats: "presenceStats", sub_refresh: "subRefresh" }

interface Asked {
  readonly method: Method | "send"
  /** Its place in the protocol's order. */
  readonly rank: number
}

/** By the key in a command. */
const KEYS = new Map<string, Asked>(
  REQUESTS.flatMap((method, rank) =>
    [method, CAMEL_CASE[method] ?? method].map((key) => [key, { method, rank }] as const),
  ),
)

const ID_MAX = 4_294_967_295

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value)

/** What is published is cut out of the line as it is written there. */
const withContent = (command: Command, line: string): Command => {
  if (command.method !== "publish" || command.parameters.data === undefined) return command
  const content = new JsonSource(line).member(command.key)?.member("data")?.text
  return content === undefined ? command : { ...command, content }
}

const parseCommand = (line: string): Command | undefined => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const id = value["id"] ?? 0
  if (typeof id !== "number" || !Number.isInteger(id) || id < 0 || id > ID_MAX) return undefined
  let command: Command | undefined
  let first: number = REQUESTS.length
  for (const key of Object.keys(value)) {
    const asked = KEYS.get(key)
    const request = value[key]
    if (asked === undefined || request === null) continue
    const parameters = readParameters(asked.method, request)
    if (parameters === undefined) return undefined
    // Of several requests the protocol's first counts; the others are wrong where they are wrong.
    if (asked.rank < first) command = { id, method: asked.method, key, parameters } as Command
    first = Math.min(first, asked.rank)
  }
  if (command === undefined) return id === 0 ? { id, method: "pong", key: "", parameters: {} } : undefined
  return id === 0 && command.method !== "send" ? undefined : withContent(command, line)
}

const decode = (message: ArrayBuffer): ReadonlyArray<Command> | undefined => {
  const bytes = Buffer.from(message)
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString("utf8")
  const commands: Array<Command> = []
  for (const line of (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")) {
    const command = parseCommand(line)
    if (command === undefined) return undefined
    commands.push(command)
  }
  return commands
}

/** JSON has raw newlines only between its parts, where they say nothing. */
export const onOneLine = (json: JsonText): JsonText => (json.indexOf("\n") < 0 ? json : json.replaceAll("\n", ""))

// A field is the text `,"name":value`, or nothing where the value is zero; an object drops the first comma.
const object = (fields: string): string => `{${fields.slice(1)}}`
const raw = (name: string, json: JsonText | undefined): string => (json ? `,"${name}":${onOneLine(json)}` : "")
const text = (name: string, value: string | undefined): string => (value ? `,"${name}":${JSON.stringify(value)}` : "")
const number = (name: string, value: number | undefined): string => (value ? `,"${name}":${value}` : "")
const flag = (name: string, value: boolean | undefined): string => (value ? `,"${name}":true` : "")
const list = <A>(name: string, values: ReadonlyArray<A> | undefined, write: (value: A) => string): string =>
  values === undefined || values.length === 0 ? "" : `,"${name}":[${values.map(write).join(",")}]`
const entries = <A>(values: Readonly<Record<string, A>>, write: (value: A) => string): string =>
  object(
    Object.entries(values)
      .map(([key, value]) => `,${JSON.stringify(key)}:${write(value)}`)
      .join(""),
  )

const clientInfo = ({ user, client, conn_info, chan_info }: ClientInfo): string =>
  `{"user":${JSON.stringify(user)},"client":${JSON.stringify(client)}${raw("conn_info", conn_info)}${raw("chan_info", chan_info)}}`

const dataText = (data: PublicationBody["data"]): JsonText => {
  if (typeof data === "string") return data
  throw new NoJson("binary data cannot be published in JSON")
}

/** All but `data`, which comes first. */
const afterData = (body: PublicationBody): string =>
  number("offset", body.offset) +
  (body.info === undefined ? "" : `,"info":${clientInfo(body.info)}`) +
  (body.tags === undefined || Object.keys(body.tags).length === 0
    ? ""
    : `,"tags":${entries(body.tags, JSON.stringify)}`) +
  flag("delta", body.delta) +
  number("time", body.time) +
  text("key", body.key) +
  flag("removed", body.removed) +
  text("epoch", body.epoch)

const publication = (body: PublicationBody): string => object(raw("data", dataText(body.data)) + afterData(body))

const expiry = (result: { readonly expires?: boolean; readonly ttl?: number }): string =>
  object(flag("expires", result.expires) + number("ttl", result.ttl))

const subscribeResult = (result: SubscribeResult): string =>
  object(
    flag("expires", result.expires) +
      number("ttl", result.ttl) +
      flag("recoverable", result.recoverable) +
      text("epoch", result.epoch) +
      list("publications", result.publications, publication) +
      flag("recovered", result.recovered) +
      number("offset", result.offset) +
      flag("positioned", result.positioned) +
      raw("data", result.data) +
      flag("was_recovering", result.was_recovering) +
      flag("delta", result.delta) +
      number("type", result.type) +
      number("phase", result.phase) +
      text("cursor", result.cursor) +
      list("state", result.state, publication) +
      number("publish_debounce", result.publish_debounce),
  )

const connectResult = (result: ConnectResult): string =>
  object(
    text("client", result.client) +
      text("version", result.version) +
      flag("expires", result.expires) +
      number("ttl", result.ttl) +
      raw("data", result.data) +
      (result.subs === undefined || Object.keys(result.subs).length === 0
        ? ""
        : `,"subs":${entries(result.subs, subscribeResult)}`) +
      number("ping", result.ping) +
      flag("pong", result.pong) +
      number("time", result.time),
  )

const empty = (): string => "{}"

const results: { readonly [M in Method]: (result: Results[M]) => string } = {
  connect: connectResult,
  subscribe: subscribeResult,
  unsubscribe: empty,
  publish: empty,
  presence: ({ presence }) => `{"presence":${entries(presence, clientInfo)}}`,
  presence_stats: ({ num_clients, num_users }) => `{"num_clients":${num_clients},"num_users":${num_users}}`,
  history: ({ publications, epoch, offset }) =>
    `{"publications":[${publications.map(publication).join(",")}],"epoch":${JSON.stringify(epoch)},"offset":${offset}}`,
  ping: empty,
  rpc: ({ data }) => object(raw("data", data)),
  refresh: expiry,
  sub_refresh: expiry,
}

const pushBody = (push: Push): string => {
  switch (push.kind) {
    case "pub":
      return publication(push.body)
    case "join":
    case "leave":
      return `{"info":${clientInfo(push.body.info)}}`
    case "unsubscribe":
      return object(number("code", push.body.code) + text("reason", push.body.reason))
    case "subscribe":
      return subscribeResult(push.body)
    case "message":
      return object(raw("data", push.body.data))
    case "refresh":
      return expiry(push.body)
  }
}

const protocolError = ({ code, message, temporary }: ProtocolError): string =>
  object(number("code", code) + text("message", message) + flag("temporary", temporary))

export const jsonCodec: Codec = {
  format: "json",
  decode,
  reply: (command, result) => `{"id":${command.id},"${command.key}":${results[command.method](result)}}`,
  refusal: (command, error, data) =>
    `{"id":${command.id},"error":${protocolError(error)}${data === undefined ? "" : `,"rpc":{"data":${data}}`}}`,
  push: (channel, push) => `{"push":${object(`${text("channel", channel)},"${push.kind}":${pushBody(push)}`)}}`,
  publications: (channel) => {
    const opening = `{"push":${object(`${text("channel", channel)},"pub":{`).slice(0, -1)}`
    const prefix = `${opening}"data":`
    return (body) => {
      const data = dataText(body.data)
      return data === "" ? `${opening}${afterData(body).slice(1)}}}}` : `${prefix}${data}${afterData(body)}}}}`
    }
  },
  join: (frames) => frames.join("\n"),
  ping: "{}",
}
