/** Types of the requests' fields, from the protocol's definition: in JSON a field of another type makes the command malformed, null is absent. */
import { type Fields, isAbsent, isFields } from "./fuzz-fields.ts"

type Is = (value: unknown) => boolean

const text: Is = (value) => typeof value === "string"
const flag: Is = (value) => typeof value === "boolean"
const whole =
  (min: number, max: number): Is =>
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
const int32 = whole(-(2 ** 31), 2 ** 31 - 1)
const int64 = whole(-(2 ** 63), 2 ** 63)
const uint64 = whole(0, 2 ** 64)
const list =
  (item: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every((each) => isAbsent(each) || item(each))
const map =
  (item: Is): Is =>
  (value) =>
    isFields(value) && Object.values(value).every((each) => isAbsent(each) || item(each))
const message =
  (types: Readonly<Record<string, Is>>): Is =>
  (value) =>
    isFields(value) &&
    Object.keys(types).every((name) => {
      const field = Object.hasOwn(value, name) ? value[name] : undefined
      return isAbsent(field) || types[name]?.(field) === true
    })

const SUBSCRIBE = {
  channel: text,
  token: text,
  recover: flag,
  epoch: text,
  offset: uint64,
  positioned: flag,
  recoverable: flag,
  join_leave: flag,
  delta: text,
  flag: int64,
  type: int32,
  phase: int32,
  cursor: text,
  limit: int32,
  asc: flag,
}
const OF_CHANNEL = { channel: text }

const REQUESTS: Readonly<Record<string, Is>> = {
  connect: message({
    token: text,
    subs: map(message(SUBSCRIBE)),
    name: text,
    version: text,
    headers: map(text),
    flag: int64,
    dict: text,
    profile: text,
  }),
  subscribe: message(SUBSCRIBE),
  unsubscribe: message(OF_CHANNEL),
  publish: message({ ...OF_CHANNEL, type: int32, key: text, removed: flag }),
  presence: message(OF_CHANNEL),
  presence_stats: message(OF_CHANNEL),
  history: message({ ...OF_CHANNEL, limit: int32, since: message({ offset: uint64, epoch: text }), reverse: flag }),
  rpc: message({ method: text }),
  refresh: message({ token: text }),
  sub_refresh: message({
    ...OF_CHANNEL,
    token: text,
    type: int32,
    track: list(message({ signature: text, items: list(message({ key: text, version: uint64 })) })),
    untrack: list(text),
  }),
}

/** Whether all fields of a request are of the types that they have. */
export const isTyped = (method: string, request: Fields): boolean => REQUESTS[method]?.(request) ?? true
