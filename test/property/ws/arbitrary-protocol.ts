/** Arbitrary commands, results and publications of the protocol, without the zero values that the wire leaves out. */
import fc from "fast-check"
import type {
  ClientInfo,
  ConnectResult,
  HistoryResult,
  JsonText,
  PublicationBody,
  Results,
  SubscribeResult,
} from "../../../src/ws/protocol/protocol.ts"

type Json = Readonly<Record<string, unknown>>

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 12 })
const anyText = fc.string({ unit: "binary", maxLength: 12 })
const yes = fc.constant(true)
const int32 = fc.oneof(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.integer({ min: -(2 ** 31), max: -1 }))
const uint32 = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 2 ** 32 - 1 }))
const uint64 = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))
const int64 = fc.oneof(uint64, fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: -1 }))
/** Any JSON value as it reads after one crossing: a -0 is 0. */
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)))
export const jsonText: fc.Arbitrary<JsonText> = json.map((value) => JSON.stringify(value))

const keys = fc.oneof(
  { weight: 4, arbitrary: anyText },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "hasOwnProperty") },
)
/** The client's decoder loses this one. */
const readableKeys = keys.filter((key) => key !== "__proto__")
const mapOf = <A>(names: fc.Arbitrary<string>, values: fc.Arbitrary<A>): fc.Arbitrary<Record<string, A>> =>
  fc.array(fc.tuple(names, values), { minLength: 1, maxLength: 3 }).map((pairs) => Object.fromEntries(pairs))
const some = <A>(values: fc.Arbitrary<A>): fc.Arbitrary<Array<A>> => fc.array(values, { minLength: 1, maxLength: 3 })
const sentMap = <A>(values: fc.Arbitrary<A>) => mapOf(keys, values)
const readMap = <A>(values: fc.Arbitrary<A>) => mapOf(readableKeys, values)
/** With any of the fields absent. */
const partial = <A extends object>(fields: { [K in keyof A]: fc.Arbitrary<A[K]> }): fc.Arbitrary<Partial<A>> =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<A>>

const filter = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    partial({ key: text, cmp: fc.constantFrom("eq", "in", "gte"), val: text, vals: some(anyText) }),
    partial({ op: fc.constantFrom("and", "or", "not"), nodes: some(tie("node")) }),
  ),
})).node

const subscribeRequest = partial({
  channel: text,
  token: text,
  recover: yes,
  epoch: text,
  offset: uint64,
  data: json,
  positioned: yes,
  recoverable: yes,
  join_leave: yes,
  delta: text,
  tf: filter,
  flag: int64,
  type: int32,
  phase: int32,
  cursor: text,
  limit: int32,
  asc: yes,
})
const ofChannel = partial({ channel: text })

const requests: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  connect: partial({
    token: text,
    data: json,
    subs: sentMap(subscribeRequest),
    name: text,
    version: text,
    headers: sentMap(anyText),
    flag: int64,
  }),
  subscribe: subscribeRequest,
  unsubscribe: ofChannel,
  publish: partial({ channel: text, data: json, type: int32, key: text, removed: yes }),
  presence: ofChannel,
  presence_stats: ofChannel,
  history: partial({ channel: text, limit: int32, since: partial({ offset: uint64, epoch: text }), reverse: yes }),
  ping: fc.constant({}),
  send: partial({ data: json }),
  rpc: partial({ data: json, method: text }),
  refresh: partial({ token: text }),
  sub_refresh: partial({
    channel: text,
    token: text,
    type: int32,
    track: some(partial({ signature: text, items: some(partial({ key: text, version: uint64 })) })),
    untrack: some(anyText),
  }),
}

/** Commands as an application hands them to its client: one request each, and now and then a pong. */
export const command: fc.Arbitrary<Json> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  ...Object.entries(requests).map(([method, request]) => ({
    weight: 3,
    arbitrary: fc
      .tuple(uint32, request)
      .map(([id, parameters]): Json => (method === "send" ? { send: parameters } : { id, [method]: parameters })),
  })),
)

const clientInfo: fc.Arbitrary<ClientInfo> = fc.record(
  { user: anyText, client: anyText, conn_info: jsonText, chan_info: jsonText },
  { requiredKeys: ["user", "client"] },
)

export const publication: fc.Arbitrary<PublicationBody> = fc.record(
  {
    data: jsonText,
    offset: uint64,
    info: clientInfo,
    tags: readMap(anyText),
    delta: yes,
    time: int64,
    key: text,
    removed: yes,
    epoch: text,
  },
  { requiredKeys: ["data"] },
)

const expiry = partial({ expires: yes, ttl: uint32 })

export const subscribeResult: fc.Arbitrary<SubscribeResult> = partial<{
  -readonly [K in keyof SubscribeResult]-?: SubscribeResult[K]
}>({
  expires: yes,
  ttl: uint32,
  recoverable: yes,
  epoch: text,
  publications: some(publication),
  recovered: yes,
  offset: uint64,
  positioned: yes,
  data: jsonText,
  was_recovering: yes,
  delta: yes,
  type: int32,
  phase: int32,
  cursor: text,
  state: some(publication),
  publish_debounce: uint32,
})

const connectResult: fc.Arbitrary<ConnectResult> = fc.record(
  {
    client: text,
    version: text,
    expires: yes,
    ttl: uint32,
    data: jsonText,
    subs: readMap(subscribeResult),
    ping: uint32,
    pong: yes,
    time: int64,
  },
  { requiredKeys: ["client", "version"] },
)

const historyResult: fc.Arbitrary<HistoryResult> = fc.record({
  publications: fc.array(publication, { maxLength: 3 }),
  epoch: anyText,
  offset: fc.oneof(fc.constant(0), uint64),
})

export const results: { readonly [M in keyof Results]: fc.Arbitrary<Results[M]> } = {
  connect: connectResult,
  subscribe: subscribeResult,
  unsubscribe: fc.constant({}),
  publish: fc.constant({}),
  presence: fc.record({ presence: fc.oneof(fc.constant({}), readMap(clientInfo)) }),
  presence_stats: fc.record({ num_clients: fc.nat(), num_users: fc.nat() }),
  history: historyResult,
  ping: fc.constant({}),
  rpc: fc.record({ data: jsonText }),
  refresh: expiry,
  sub_refresh: expiry,
}

export { clientInfo, text, uint32 }
