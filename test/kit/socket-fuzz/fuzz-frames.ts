/** Messages for the server: lists of commands, and what becomes of them when bytes change on the way. */
import { readFileSync } from "node:fs"
import protobuf from "protobufjs"
import { sentJson, sentProtobuf } from "../readers/client-codecs.ts"
import { type CommandSource, type FuzzCommand, fuzzCommand, METHODS, pick, type Random } from "./fuzz-commands.ts"
import { type Fields, isFields } from "./fuzz-fields.ts"
import { isTyped } from "./fuzz-types.ts"

export interface FuzzFrame {
  readonly bytes: Buffer
  readonly isBinary: boolean
}

const MESSAGE_BYTES_MAX = 65_536

const encoded = (format: CommandSource["format"], commands: ReadonlyArray<FuzzCommand>): Buffer =>
  Buffer.from(
    (format === "json" ? sentJson : sentProtobuf)(
      commands.map(({ id, method, request }) => ({ ...(id === 0 ? undefined : { id }), [method]: request })),
    ),
  )

/** One or more bytes changed, cut off, doubled or put in. */
const mutated = (random: Random, bytes: Buffer): Buffer => {
  const at = Math.floor(random() * bytes.length)
  switch (Math.floor(random() * 6)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + Math.floor(random() * 4))])
    case 2: {
      const copy = Buffer.from(bytes)
      for (let n = 0; n <= random() * 3; n++) copy[Math.floor(random() * copy.length)] = Math.floor(random() * 256)
      return copy
    }
    case 3:
      return Buffer.concat([bytes, bytes.subarray(at)])
    case 4:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(pick(random, ["{", "}", '"', "\n", ",", "null", "[", "\\"])),
        bytes.subarray(at),
      ])
    default:
      return Buffer.concat([bytes.subarray(at), bytes.subarray(0, at)])
  }
}

const JUNK: ReadonlyArray<string> = [
  "",
  "\n",
  "\n\n",
  " ",
  "null",
  "[]",
  "{}",
  "5",
  '"x"',
  "true",
  "{",
  "[[[[[[",
  '{"id":1}',
  '{"id":0,"ping":{}}',
  '{"id":-1,"ping":{}}',
  '{"id":1.5,"ping":{}}',
  '{"id":4294967296,"ping":{}}',
  '{"id":1e400,"ping":{}}',
  '{"id":"1","ping":{}}',
  '{"id":[],"ping":{}}',
  '{"id":1,"dance":{}}',
  '{"id":1,"ping":[]}',
  '{"id":1,"ping":"x"}',
  '{"id":1,"__proto__":{"ping":{}}}',
  '{"id":1,"ping":{}}\n\n{"id":2,"ping":{}}',
  '\ufeff{"id":1,"ping":{}}',
  '{"id":1,"ping":{},}',
  '{"id":1,"rpc":{"data":"\\ud800"}}\u0000',
  "[".repeat(60_000),
  `{"id":1,"rpc":{"data":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`,
  `{"id":1,"subscribe":{"channel":"market:trade:MOCK:BTC/USDT","tf":${'{"op":"not","nodes":['.repeat(2500)}${"]}".repeat(2500)}}}`,
  `{"id":1,"rpc":{"data":${"9".repeat(60_000)}}}`,
  '{"id":1,"ping":{}}'.padEnd(MESSAGE_BYTES_MAX, " "),
  '{"id":1,"ping":{}}'.padEnd(MESSAGE_BYTES_MAX + 1, " "),
  " ".repeat(200_000),
]

const many = (source: CommandSource, count: number): ReadonlyArray<FuzzCommand> =>
  Array.from({ length: count }, () => ({ id: source.nextId(), method: "ping" as const, request: {} }))

export const fuzzFrame = (source: CommandSource): FuzzFrame => {
  const { random, format } = source
  const isBinary = format === "protobuf"
  const kind = random()
  if (kind < 0.02) {
    const text = pick(random, JUNK)
    return { bytes: Buffer.from(text), isBinary: random() < 0.1 ? !isBinary : isBinary }
  }
  if (kind < 0.025) {
    const bytes = Buffer.from(Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * 256)))
    return { bytes, isBinary }
  }
  // As many as a message holds: ten thousand of Protobuf's.
  if (kind < 0.0255) return { bytes: encoded(format, many(source, isBinary ? 10_000 : 3200)), isBinary }
  const count = random() < 0.7 ? 1 : 1 + Math.floor(random() * 12)
  const commands: Array<FuzzCommand> = []
  for (let n = 0; n < count; n++) {
    const isConnected = source.isConnected || commands.some(({ method }) => method === "connect")
    commands.push(fuzzCommand({ ...source, isConnected }))
  }
  const bytes = encoded(format, commands)
  return { bytes: kind < 0.06 ? mutated(random, bytes) : bytes, isBinary }
}

/** A message as the protocol reads it: its commands, or why there are none. */
export type Reading =
  | { readonly is: "commands"; readonly commands: ReadonlyArray<ReadCommand> }
  | { readonly is: "closed"; readonly codes: ReadonlyArray<number> }

export interface ReadCommand {
  readonly id: number
  /** "pong": no request and no id. "bad": nothing that may be sent. */
  readonly method: string
  /** The key that the answer has. */
  readonly key: string
  readonly request: Fields
}

const BAD: ReadCommand = { id: 0, method: "bad", key: "", request: {} }
const ALIASES: Readonly<Record<string, string>> = { presence_stats: "presenceStats", sub_refresh: "subRefresh" }

/** Of one command that is parsed. */
const readCommand = (value: unknown, hasAliases: boolean): ReadCommand => {
  if (!isFields(value)) return BAD
  const own = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)
  const id = own("id") ?? 0
  if (typeof id !== "number" || !Number.isInteger(id) || id < 0 || id > 4_294_967_295) return BAD
  let first: ReadCommand | undefined
  for (const method of METHODS)
    for (const key of [method, ...(hasAliases ? [ALIASES[method] ?? method] : [])]) {
      const request = own(key)
      if (request === undefined || request === null) continue
      if (!isFields(request) || !isTyped(method, request)) return BAD
      first ??= { id, method, key, request }
    }
  if (first !== undefined) return id === 0 && first.method !== "send" ? BAD : first
  return id === 0 ? { ...BAD, method: "pong" } : BAD
}

const readJson = (bytes: Buffer): ReadonlyArray<ReadCommand> => {
  const lines = bytes.toString("utf8").split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  return lines.map((line) => {
    try {
      return readCommand(JSON.parse(line), true)
    } catch (error) {
      if (error instanceof SyntaxError) return BAD
      throw error
    }
  })
}

// Read at run time from the definition itself: the server uses code that was made of it.
const definition = readFileSync(new URL("../../../proto/client.proto", import.meta.url), "utf8")
const Command = protobuf
  .parse(definition, { keepCase: true })
  .root.lookupType("centrifugal.centrifuge.protocol.Command")
const BYTES = ["data"]

const parsedBytes = (value: unknown): unknown => {
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      if (!(field instanceof Uint8Array)) return [[name, field]]
      if (!BYTES.includes(name) || field.length === 0) return []
      const text = Buffer.from(field).toString("utf8")
      try {
        return [[name, JSON.parse(text)]]
      } catch (error) {
        // Bytes that are no JSON are something that was said.
        if (error instanceof SyntaxError) return [[name, text]]
        throw error
      }
    }),
  )
}

const readProtobuf = (bytes: Buffer): ReadonlyArray<ReadCommand> => {
  const reader = protobuf.Reader.create(bytes)
  const commands: Array<ReadCommand> = []
  if (bytes.length === 0) return [BAD]
  while (reader.pos < reader.len) {
    try {
      const plain = Command.toObject(Command.decodeDelimited(reader), { longs: Number })
      const entries = Object.entries(plain).map(([name, field]) => [name, parsedBytes(field)])
      commands.push(readCommand(Object.fromEntries(entries), false))
    } catch {
      commands.push(BAD)
      break
    }
  }
  return commands
}

export const readFrame = ({ bytes, isBinary }: FuzzFrame, format: CommandSource["format"]): Reading => {
  if (bytes.length > MESSAGE_BYTES_MAX) return { is: "closed", codes: [1009] }
  if (isBinary !== (format === "protobuf")) return { is: "closed", codes: [3506, 1007, 1006] }
  // RFC 6455: text that is no UTF-8 fails the connection, with or without a close frame.
  if (!isBinary && !isUtf8(bytes)) return { is: "closed", codes: [1007, 1006, 3501] }
  return { is: "commands", commands: format === "json" ? readJson(bytes) : readProtobuf(bytes) }
}

const isUtf8 = (bytes: Buffer): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
