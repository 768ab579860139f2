/** What crosses the socket, as JSON Schema: the parameters of every command, the result of every reply, and the pushes. */
import { JSONSchema, type Schema } from "effect"
import type {
  ClientInfo,
  ConnectResult,
  Empty,
  Method,
  PublicationBody,
  Push,
  Results,
  SubscribeResult,
} from "./protocol.ts"

// JSON Schema (draft 7) for the AsyncAPI document: the code's own Effect schemas, and the protocol's objects field by field.

export type JsonSchema = Readonly<Record<string, unknown>>

const COMPONENTS = "#/components/schemas/"

export const component = (name: string): JsonSchema => ({ $ref: `${COMPONENTS}${name}` })

/** Without what only repeats a default, and without the names that filters give themselves (`int`). */
const cleaned = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(cleaned)
  if (node === null || typeof node !== "object") return node
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) {
    if (key === "additionalProperties" && value === true) continue
    if (key === "title" && typeof value === "string" && /^[a-z]\w*(\(.*\))?$/.test(value)) continue
    copy[key] = cleaned(value)
  }
  return copy
}

/** Turns Effect schemas into JSON Schema; those with an identifier become components, which it collects. */
export class Components {
  readonly #definitions: Record<string, JSONSchema.JsonSchema7> = {}

  of(schema: Schema.Schema.AnyNoContext): JsonSchema {
    const made = JSONSchema.fromAST(schema.ast, {
      definitions: this.#definitions,
      definitionPath: COMPONENTS,
      additionalPropertiesStrategy: "allow",
    })
    return cleaned(made) as JsonSchema
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return cleaned(this.#definitions) as Readonly<Record<string, JsonSchema>>
  }
}

export const text: JsonSchema = { type: "string" }
const flag: JsonSchema = { type: "boolean" }
/** Anything that JSON can say. */
const json: JsonSchema = {}
const natural: JsonSchema = { type: "integer", minimum: 0 }
const described = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description })
const oneOf = (...values: ReadonlyArray<string | number>): JsonSchema => ({ enum: values })
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items })
const byName = (values: JsonSchema): JsonSchema => ({ type: "object", additionalProperties: values })

/** Every field of `T`: one that the type gains is missed here by the compiler. */
const object = <T>(
  fields: { readonly [K in keyof Required<T>]: JsonSchema },
  required: ReadonlyArray<keyof T & string>,
): JsonSchema => ({ type: "object", ...(required.length === 0 ? {} : { required }), properties: fields })

const seconds = (what: string): JsonSchema => described(natural, `Seconds ${what}`)
const offset = described(natural, "Position in the channel's stream: the first publication of an epoch has offset 1")
const epoch = described(
  text,
  "Identity of the channel's stream; a different one means that older positions are invalid",
)
const channel = described(text, "Channel name")
const empty = object<Empty>({}, [])

interface FilterNode {
  readonly op?: string
  readonly nodes?: ReadonlyArray<FilterNode>
  readonly key?: string
  readonly cmp?: string
  readonly val?: string
  readonly vals?: ReadonlyArray<string>
}

/** Named parts, which the other schemas refer to. */
export const PROTOCOL_COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  ClientInfo: object<ClientInfo>({ user: text, client: text, conn_info: json, chan_info: json }, ["user", "client"]),
  Publication: object<PublicationBody>(
    {
      data: described(
        json,
        "The record; with a negotiated delta a string: the record's JSON text, or a delta to the previous one",
      ),
      offset,
      info: component("ClientInfo"),
      tags: byName(text),
      delta: described(flag, "`data` is a Fossil delta to the previous publication"),
      time: natural,
      key: described(text, "On a map channel: the entry"),
      removed: described(flag, "On a map channel: the entry was removed"),
      epoch,
    },
    [],
  ),
  TagsFilter: object<FilterNode>(
    {
      op: oneOf("and", "or", "not"),
      nodes: list(component("TagsFilter")),
      key: text,
      cmp: oneOf("eq", "neq", "in", "nin", "ex", "nex", "sw", "ew", "ct", "lt", "lte", "gt", "gte"),
      val: text,
      vals: list(text),
    },
    [],
  ),
  StreamPosition: object<{ readonly offset: number; readonly epoch: string }>({ offset, epoch }, []),
  SubscribeResult: object<SubscribeResult>(
    {
      expires: flag,
      ttl: seconds("until the subscription must be refreshed"),
      recoverable: described(flag, "A later subscribe may recover from its position"),
      epoch,
      publications: described(
        list(component("Publication")),
        "Missed publications; or initially the current state: a book's SNAPSHOT, the latest ticker",
      ),
      recovered: described(flag, "`publications` has everything that was missed"),
      offset,
      positioned: flag,
      data: json,
      was_recovering: flag,
      delta: described(flag, "Deltas were negotiated"),
      type: described(oneOf(0, 1), "0 stream, 1 map"),
      phase: described(oneOf(0, 1, 2), "For a map: 2 state, 1 stream, 0 live"),
      cursor: described(text, "For a map: cursor of the next page of its state"),
      state: described(list(component("Publication")), "For a map: its entries"),
      publish_debounce: described(natural, "For a map: ms between two publications to one entry; test profile only"),
    },
    [],
  ),
  Error: object<{ readonly code: number; readonly message: string; readonly temporary?: boolean }>(
    { code: natural, message: text, temporary: described(flag, "A retry may succeed") },
    ["code", "message"],
  ),
}

/** Parameters by command. A client leaves out what is false, 0, "" or empty. */
export const PARAMETERS: { readonly [M in Method | "send"]: JsonSchema } = {
  connect: {
    type: "object",
    required: ["token"],
    properties: {
      token: described(text, "The accessToken of a session"),
      name: described(text, "The client's own name"),
      version: described(text, "The client's own version"),
      data: json,
      headers: byName(text),
      subs: byName(component("StreamPosition")),
    },
  },
  subscribe: {
    type: "object",
    required: ["channel"],
    properties: {
      channel,
      recover: described(flag, "Recover publications after `offset` of `epoch`"),
      offset,
      epoch,
      delta: described(oneOf("fossil"), "Send deltas instead of whole records, where the channel allows it"),
      tf: described(component("TagsFilter"), "Only publications whose tags match; not together with `delta`"),
      data: described(
        { type: "object", properties: { encoding: oneOf("protobuf") } },
        "On Protobuf connections: publications as records of market.proto instead of JSON text",
      ),
      token: text,
      positioned: flag,
      recoverable: flag,
      join_leave: flag,
      flag: natural,
      type: described(oneOf(0, 1), "0 stream, 1 map"),
      phase: oneOf(0, 1, 2),
      cursor: text,
      limit: described(natural, "For a map: entries per page"),
      asc: flag,
    },
  },
  unsubscribe: { type: "object", required: ["channel"], properties: { channel } },
  publish: { type: "object", required: ["channel"], properties: { channel, data: json } },
  presence: { type: "object", required: ["channel"], properties: { channel } },
  presence_stats: { type: "object", required: ["channel"], properties: { channel } },
  history: {
    type: "object",
    required: ["channel"],
    properties: {
      channel,
      limit: described({ type: "integer" }, "0: only the position"),
      since: described(component("StreamPosition"), "Publications after this position; in reverse, before it"),
      reverse: described(flag, "Newest first"),
    },
  },
  ping: empty,
  send: { type: "object", properties: { data: json } },
  rpc: {
    type: "object",
    required: ["method"],
    properties: {
      method: described(text, "The path of an HTTP operation below /api/v3, with dots"),
      data: described(json, "Its query or body"),
    },
  },
  refresh: { type: "object", required: ["token"], properties: { token: described(text, "A new accessToken") } },
  sub_refresh: { type: "object", required: ["channel"], properties: { channel, token: text } },
}

const ttl = {
  expires: flag,
  ttl: seconds("until the token expires"),
}

/** Results by command. */
export const RESULTS: { readonly [M in Method]: JsonSchema } = {
  connect: object<ConnectResult>(
    {
      client: described(text, "Identity of the connection"),
      version: described(text, "The gateway's version"),
      ...ttl,
      data: json,
      subs: byName(component("SubscribeResult")),
      ping: seconds("between two pings of the server"),
      pong: described(flag, "Every ping must be answered"),
      time: described(natural, "The gateway's clock, ms since the Unix epoch"),
    },
    ["client", "version"],
  ),
  subscribe: component("SubscribeResult"),
  unsubscribe: empty,
  publish: empty,
  presence: object<Results["presence"]>({ presence: byName(component("ClientInfo")) }, ["presence"]),
  presence_stats: object<Results["presence_stats"]>({ num_clients: natural, num_users: natural }, [
    "num_clients",
    "num_users",
  ]),
  history: object<Results["history"]>({ publications: list(component("Publication")), epoch, offset }, [
    "publications",
    "epoch",
    "offset",
  ]),
  ping: empty,
  rpc: object<Results["rpc"]>({ data: described(json, "The HTTP operation's envelope") }, ["data"]),
  refresh: object<Results["refresh"]>(ttl, []),
  sub_refresh: object<Results["sub_refresh"]>(ttl, []),
}

const ended = object<{ readonly code: number; readonly reason: string }>({ code: natural, reason: text }, [
  "code",
  "reason",
])
const who = object<{ readonly info: ClientInfo }>({ info: component("ClientInfo") }, ["info"])

/** What the server sends without being asked, by kind. */
export const PUSHES: { readonly [K in Push["kind"]]: JsonSchema } = {
  pub: component("Publication"),
  join: who,
  leave: who,
  unsubscribe: ended,
  subscribe: component("SubscribeResult"),
  message: { type: "object", properties: { data: json } },
  refresh: object<Results["refresh"]>(ttl, []),
}
