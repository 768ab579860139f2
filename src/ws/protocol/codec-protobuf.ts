/**
 * The Protobuf encoding of the protocol (proto/client.proto): one message is commands or replies, each with its length before it. Bytes
 * are JSON text, unless a publication says otherwise.
 */
import { isUtf8 } from "node:buffer"
import protobuf from "protobufjs/minimal.js"
import { centrifugal } from "../generated/client.js"
import {
  type ClientInfo,
  type Codec,
  type Command,
  type Frame,
  type JsonText,
  type Method,
  type PublicationBody,
  type Push,
  REQUESTS,
  type Results,
  type SubscribeResult,
} from "./protocol.ts"
import { atMostSafe } from "./requests.ts"

const wire = centrifugal.centrifuge.protocol

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")

const parsed = (bytes: Uint8Array): unknown => {
  if (!isUtf8(bytes)) return undefined
  try {
    return JSON.parse(textOf(bytes))
  } catch {
    return undefined
  }
}

/** 64-bit integers are Longs where that package is installed, as it is with ccxt. */
const isLong = (value: object): value is { readonly toNumber: () => number } =>
  "toNumber" in value && typeof value.toNumber === "function"

const isMap = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype

/** A decoded value as JSON would have given it; undefined for what JSON leaves out. Zero scalars are left out by the decoder. */
const plain = (value: unknown): unknown => {
  if (typeof value === "number") return atMostSafe(value)
  if (typeof value !== "object" || value === null) return value
  if (value instanceof Uint8Array) return parsed(value)
  if (isLong(value)) return atMostSafe(value.toNumber())
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(plain)
  const fields = plainFields(value)
  return isMap(value) && Object.keys(fields).length === 0 ? undefined : fields
}

/** Of a message or a map. `fromEntries` makes a property of its own even of a key like `__proto__`. */
const plainFields = (value: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const converted = plain(field)
      return converted === undefined ? [] : [[name, converted] as const]
    }),
  )

/** What of `data` is kept as it came; no bytes are none. The message's own are gone after the call. */
const contentOf = (method: string, data: unknown, json: unknown): JsonText | Uint8Array | undefined => {
  if (!(data instanceof Uint8Array) || data.length === 0) return undefined
  if (json === undefined) return Uint8Array.from(data)
  return method === "publish" ? textOf(data) : undefined
}

const readCommand = (message: InstanceType<typeof wire.Command>): Command | undefined => {
  const { id } = message
  for (const method of REQUESTS) {
    const request = message[method]
    if (request === undefined || request === null) continue
    if (id === 0 && method !== "send") return undefined
    const parameters = plainFields(request)
    const command = { id, method, key: method, parameters } as Command
    const content = "data" in request ? contentOf(method, request.data, parameters["data"]) : undefined
    return content === undefined ? command : { ...command, content }
  }
  return id === 0 ? { id, method: "pong", key: "", parameters: {} } : undefined
}

const decode = (message: ArrayBuffer): ReadonlyArray<Command> | undefined => {
  const reader = protobuf.Reader.create(Buffer.from(message))
  if (reader.len === 0) return undefined
  const commands: Array<Command> = []
  while (reader.pos < reader.len) {
    let command: Command | undefined
    try {
      command = readCommand(wire.Command.decode(reader, reader.uint32()))
    } catch {
      return undefined
    }
    if (command === undefined) return undefined
    commands.push(command)
  }
  return commands
}

type Properties = typeof wire.Reply extends { encode: (message: infer P, ...rest: never) => unknown } ? P : never

const frame = (reply: Properties): Uint8Array =>
  wire.Reply.encode(reply, protobuf.Writer.create().fork()).ldelim().finish()

const bytes = (json: JsonText | Uint8Array | undefined): Uint8Array | null =>
  typeof json === "string" ? Buffer.from(json, "utf8") : (json ?? null)

const clientInfo = (info: ClientInfo) => ({
  ...info,
  conn_info: bytes(info.conn_info),
  chan_info: bytes(info.chan_info),
})

const publication = (body: PublicationBody) => ({
  ...body,
  data: bytes(body.data),
  info: body.info === undefined ? null : clientInfo(body.info),
})

const subscribeResult = (result: SubscribeResult) => ({
  ...result,
  publications: result.publications?.map(publication) ?? null,
  state: result.state?.map(publication) ?? null,
  data: bytes(result.data),
})

const mapped = <A, B>(values: Readonly<Record<string, A>>, convert: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, convert(value)]))

const same = <A>(result: A): A => result

const results: { readonly [M in Method]: (result: Results[M]) => Properties[M] } = {
  connect: (result) => ({
    ...result,
    data: bytes(result.data),
    subs: result.subs === undefined ? null : mapped(result.subs, subscribeResult),
  }),
  subscribe: subscribeResult,
  unsubscribe: same,
  publish: same,
  presence: ({ presence }) => ({ presence: mapped(presence, clientInfo) }),
  presence_stats: same,
  history: ({ publications, epoch, offset }) => ({ publications: publications.map(publication), epoch, offset }),
  ping: same,
  rpc: ({ data }) => ({ data: bytes(data) }),
  refresh: same,
  sub_refresh: same,
}

const pushBody = (push: Push): Properties["push"] => {
  switch (push.kind) {
    case "pub":
      return { pub: publication(push.body) }
    case "join":
      return { join: { info: clientInfo(push.body.info) } }
    case "leave":
      return { leave: { info: clientInfo(push.body.info) } }
    case "unsubscribe":
      return { unsubscribe: push.body }
    case "subscribe":
      return { subscribe: { ...push.body, data: bytes(push.body.data) } }
    case "message":
      return { message: { data: bytes(push.body.data) } }
    case "refresh":
      return { refresh: push.body }
  }
}

/** Field number << 3 | wire type, as it stands before a field. */
const TAG = { replyPush: 0x22, pushChannel: 0x12, pushPub: 0x22, data: 0x22, offset: 0x30 } as const

const varintBytes = (value: number): number => {
  let count = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) count += 1
  return count
}

/** Answers the position after it. Division and not shifts: an offset may pass 2^32. */
const writeVarint = (target: Uint8Array, at: number, value: number): number => {
  let rest = value
  let position = at
  for (; rest >= 128; rest = Math.floor(rest / 128)) target[position++] = (rest % 128) | 128
  target[position++] = rest
  return position
}

const NOTHING = new Uint8Array(0)

/** All but data and offset, which most publications have alone. */
const furtherFields = ({ info, tags, delta, time, key, removed, epoch }: PublicationBody): Uint8Array =>
  info === undefined && tags === undefined && !delta && !time && !key && !removed && !epoch
    ? NOTHING
    : wire.Publication.encode({
        info: info === undefined ? null : clientInfo(info),
        tags: tags ?? null,
        delta: delta ?? null,
        time: time ?? null,
        key: key ?? null,
        removed: removed ?? null,
        epoch: epoch ?? null,
      }).finish()

/** Written by hand into one buffer of the right size: `Reply.encode` would build three objects and copy the data twice. */
const publications = (channel: string): ((body: PublicationBody) => Uint8Array) => {
  const name = Buffer.from(channel, "utf8")
  const head = Buffer.alloc(1 + varintBytes(name.length) + name.length)
  head[0] = TAG.pushChannel
  head.set(name, writeVarint(head, 1, name.length))
  return (body) => {
    const { data } = body
    const offset = body.offset ?? 0
    const further = furtherFields(body)
    const dataBytes = typeof data === "string" ? Buffer.byteLength(data, "utf8") : data.byteLength
    const pubBytes =
      (dataBytes > 0 ? 1 + varintBytes(dataBytes) + dataBytes : 0) +
      (offset > 0 ? 1 + varintBytes(offset) : 0) +
      further.length
    const pushBytes = head.length + 1 + varintBytes(pubBytes) + pubBytes
    const replyBytes = 1 + varintBytes(pushBytes) + pushBytes
    const target = Buffer.allocUnsafe(varintBytes(replyBytes) + replyBytes)
    let at = writeVarint(target, 0, replyBytes)
    target[at++] = TAG.replyPush
    at = writeVarint(target, at, pushBytes)
    target.set(head, at)
    at += head.length
    target[at++] = TAG.pushPub
    at = writeVarint(target, at, pubBytes)
    if (dataBytes > 0) {
      target[at++] = TAG.data
      at = writeVarint(target, at, dataBytes)
      if (typeof data === "string") target.write(data, at, "utf8")
      else target.set(data, at)
      at += dataBytes
    }
    if (offset > 0) {
      target[at++] = TAG.offset
      at = writeVarint(target, at, offset)
    }
    target.set(further, at)
    return target
  }
}

const joined = (frames: ReadonlyArray<Frame>): Uint8Array => Buffer.concat(frames as ReadonlyArray<Uint8Array>)

export const protobufCodec: Codec = {
  format: "protobuf",
  decode,
  reply: (command, result) => frame({ id: command.id, [command.method]: results[command.method](result) }),
  refusal: (command, error, data) =>
    frame({ id: command.id, error, rpc: data === undefined ? null : { data: bytes(data) } }),
  push: (channel, push) => frame({ push: { channel, ...pushBody(push) } }),
  publications,
  join: joined,
  ping: Uint8Array.of(0),
}
