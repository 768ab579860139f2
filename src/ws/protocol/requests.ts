/**
 * The fields of every request with their types: the table by which the JSON codec refuses wrong types, as Protobuf does natively, and from which
 * the types of parameters follow. Null is absent, and unknown fields are dropped.
 */

/** json: any value, null too. A list or a map has one type for all that is in it. */
type FieldType = "text" | "flag" | "int32" | "int64" | "uint64" | "json" | ListOf | MapOf | Fields
interface ListOf {
  readonly list: FieldType
}
interface MapOf {
  readonly map: FieldType
}
interface Fields {
  readonly fields: Readonly<Record<string, FieldType>>
}

type ValueOf<F> = F extends "text"
  ? string
  : F extends "flag"
    ? boolean
    : F extends "int32" | "int64" | "uint64"
      ? number
      : F extends { readonly list: infer Item }
        ? ReadonlyArray<ValueOf<Item>>
        : F extends { readonly map: infer Item }
          ? Readonly<Record<string, ValueOf<Item>>>
          : F extends { readonly fields: infer Named }
            ? { readonly [K in keyof Named]?: ValueOf<Named[K]> | undefined }
            : unknown

const SUBSCRIBE = {
  channel: "text",
  token: "text",
  recover: "flag",
  epoch: "text",
  offset: "uint64",
  data: "json",
  positioned: "flag",
  recoverable: "flag",
  join_leave: "flag",
  delta: "text",
  // Its content is an application's own words: a fault in them is refused with 107 and costs the subscription alone (decision 73).
  tf: "json",
  flag: "int64",
  type: "int32",
  phase: "int32",
  cursor: "text",
  limit: "int32",
  asc: "flag",
} as const

const OF_CHANNEL = { channel: "text" } as const

const TABLE = {
  connect: {
    token: "text",
    data: "json",
    subs: { map: { fields: SUBSCRIBE } },
    name: "text",
    version: "text",
    headers: { map: "text" },
    flag: "int64",
    dict: "text",
    profile: "text",
  },
  subscribe: SUBSCRIBE,
  unsubscribe: OF_CHANNEL,
  publish: { channel: "text", data: "json", type: "int32", key: "text", removed: "flag" },
  presence: OF_CHANNEL,
  presence_stats: OF_CHANNEL,
  history: {
    channel: "text",
    limit: "int32",
    since: { fields: { offset: "uint64", epoch: "text" } },
    reverse: "flag",
  },
  ping: {},
  send: { data: "json" },
  rpc: { data: "json", method: "text" },
  refresh: { token: "text" },
  sub_refresh: {
    channel: "text",
    token: "text",
    type: "int32",
    track: {
      list: { fields: { signature: "text", items: { list: { fields: { key: "text", version: "uint64" } } } } },
    },
    untrack: { list: "text" },
  },
} as const satisfies Readonly<Record<string, Fields["fields"]>>

/** By method, `send` among them. Of a pong: none. */
export type ParametersOf<M extends string> = M extends keyof typeof TABLE
  ? ValueOf<{ readonly fields: (typeof TABLE)[M] }>
  : Readonly<Record<never, never>>

const RANGES = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
  uint64: [0, 2 ** 64],
} as const

/** A place in a stream that no number of ours can name lies ahead of all there are. */
export const atMostSafe = (value: number): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value)

/** A value that is of another type. */
const WRONG = Symbol("wrong")

type Reader = (value: unknown) => unknown

const whole =
  ([min, max]: readonly [number, number]): Reader =>
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max ? atMostSafe(value) : WRONG

const ofType =
  (name: "string" | "boolean"): Reader =>
  (value) =>
    typeof value === name ? value : WRONG

const readerOf = (type: FieldType): Reader => {
  if (type === "json") return (value) => value
  if (type === "text") return ofType("string")
  if (type === "flag") return ofType("boolean")
  if (typeof type === "string") return whole(RANGES[type])
  if ("fields" in type) return fieldsReader(type.fields)
  return "list" in type ? listReader(readerOf(type.list)) : mapReader(readerOf(type.map))
}

const fieldsReader = (fields: Fields["fields"]): Reader => {
  const readers = new Map(
    Object.entries(fields).map(([name, type]) => [name, { takesNull: type === "json", reads: readerOf(type) }]),
  )
  return (value) => {
    if (!isRecord(value)) return WRONG
    const read: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      const field = value[name]
      const reader = readers.get(name)
      if (reader === undefined || (field === null && !reader.takesNull)) continue
      const found = reader.reads(field)
      if (found === WRONG) return WRONG
      read[name] = found
    }
    return read
  }
}

const listReader =
  (reader: Reader): Reader =>
  (value) => {
    if (!Array.isArray(value)) return WRONG
    const items = value.filter((item) => item !== null).map(reader)
    return items.includes(WRONG) ? WRONG : items
  }

const mapReader =
  (reader: Reader): Reader =>
  (value) => {
    if (!isRecord(value)) return WRONG
    const entries = Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, reader(item)] as const)
    // `fromEntries` makes a property of its own even of a key like `__proto__`.
    return entries.some(([, item]) => item === WRONG) ? WRONG : Object.fromEntries(entries)
  }

const READERS = new Map<string, Reader>(Object.entries(TABLE).map(([method, fields]) => [method, fieldsReader(fields)]))

/** The parameters in what JSON.parse made of a request; undefined when a field is of another type than the protocol's. */
export const readParameters = <M extends keyof typeof TABLE>(
  method: M,
  request: unknown,
): ParametersOf<M> | undefined => {
  const read = READERS.get(method)?.(request)
  return read === WRONG ? undefined : (read as ParametersOf<M>)
}
