/**
 * The official client's own encoders and decoders, JSON and Protobuf, with Protobuf messages brought into the shape that JSON has: the
 * judge of ours. The one thing to know: zero values are left out, as on the wire, on both sides.
 */
import { Centrifuge } from "centrifuge"
import { Centrifuge as CentrifugeProtobuf } from "centrifuge/build/protobuf"
import type { Frame } from "../../../src/ws/protocol/protocol.ts"

type Json = Readonly<Record<string, unknown>>

interface ClientCodec<Wire> {
  readonly encodeCommands: (commands: ReadonlyArray<Json>) => Wire
  readonly decodeReplies: (wire: Wire) => ReadonlyArray<Json>
}

// The package does not export its codecs: a client that never connects has them.
const json: ClientCodec<string> = Reflect.get(new Centrifuge("ws://127.0.0.1:1"), "_codec")
const protobuf: ClientCodec<Uint8Array> = Reflect.get(new CentrifugeProtobuf("ws://127.0.0.1:1"), "_codec")

/** Fields that are `bytes` in Protobuf and embedded JSON in JSON. */
const BYTES: ReadonlySet<string> = new Set(["data", "conn_info", "chan_info"])
/** Fields whose keys are not the protocol's. */
const MAPS: ReadonlySet<string> = new Set(["subs", "headers", "tags", "presence"])

/** As uWebSockets hands it over: a buffer of its own. */
export const received = (wire: string | Uint8Array): ArrayBuffer => {
  const bytes = Buffer.from(wire as string)
  const copy = new ArrayBuffer(bytes.length)
  new Uint8Array(copy).set(bytes)
  return copy
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

const mapValues = (value: Json, convert: (field: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(value).map(([name, field]) => [name, convert(field, name)]))

/** `data` as the bytes that the client's application would give. */
const withBytes = (value: unknown, name = ""): unknown => {
  if (BYTES.has(name)) return Buffer.from(JSON.stringify(value), "utf8")
  if (Array.isArray(value)) return value.map((each) => withBytes(each))
  if (!isObject(value)) return value
  return mapValues(value, (field, key) => withBytes(field, MAPS.has(name) ? "" : key))
}

/** Commands as each client sends them. */
export const sentJson = (commands: ReadonlyArray<Json>): ArrayBuffer => received(json.encodeCommands(commands))
export const sentProtobuf = (commands: ReadonlyArray<Json>): ArrayBuffer =>
  received(protobuf.encodeCommands(commands.map((command) => withBytes(command) as Json)))

/** Commands whose bytes are handed over as bytes, as an application of the Protobuf client does. */
export const bareProtobuf = (commands: ReadonlyArray<Json>): Uint8Array => protobuf.encodeCommands(commands)

const isZero = (value: unknown): boolean =>
  value === 0 || value === false || value === "" || (Array.isArray(value) && value.length === 0)

/** Without the zero values of messages; maps and payloads are left whole. */
const withoutZeros = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutZeros)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]): ReadonlyArray<readonly [string, unknown]> => {
      if (BYTES.has(name)) return [[name, field]]
      if (isZero(field)) return []
      if (!MAPS.has(name) || !isObject(field)) return [[name, withoutZeros(field)]]
      return Object.keys(field).length === 0 ? [] : [[name, mapValues(field, withoutZeros)]]
    }),
  )
}

/** Bytes that are no JSON, as those of a delta, stay bytes. */
const jsonOr = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"))
  } catch (error) {
    if (error instanceof SyntaxError) return bytes
    throw error
  }
}

const parsedBytes = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return value.length === 0 ? undefined : jsonOr(value)
  if (Array.isArray(value)) return value.map(parsedBytes)
  if (!isObject(value)) return value
  if ("toNumber" in value && typeof value.toNumber === "function") return value.toNumber()
  return mapValues(value, parsedBytes)
}

/** Replies as each client reads them. */
export const readJson = (frame: Frame): ReadonlyArray<unknown> =>
  json.decodeReplies(String(frame)).map((reply) => withoutZeros(reply))
export const readProtobuf = (frame: Frame): ReadonlyArray<unknown> =>
  protobuf.decodeReplies(frame as Uint8Array).map((reply) => withoutZeros(parsedBytes(reply)))

/** The messages themselves, with bytes as bytes. */
export const rawProtobuf = (frame: Frame): ReadonlyArray<Json> => protobuf.decodeReplies(frame as Uint8Array)
