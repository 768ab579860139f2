/** proto/client.proto against the code that the official client was built with: every message, every field, every number. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import protobuf from "protobufjs"
import { describe, expect, it } from "vitest"

const source = readFileSync(new URL("../../../proto/client.proto", import.meta.url), "utf8")
const { root } = protobuf.parse(source, { keepCase: true })
const client = readFileSync(createRequire(import.meta.url).resolve("centrifuge/build/protobuf"), "utf8")

type Fields = Readonly<Record<string, number>>

/** Field → number << 3 | wire type, as the client's encoder of each message writes it. */
const clientMessages = (): Readonly<Record<string, Fields>> => {
  const encoders = client.matchAll(/(\w+)\.encode = function encode\(message, writer\) \{([\s\S]*?)return writer;/g)
  return Object.fromEntries(
    [...encoders].map(([, name, body]) => {
      const fields = (body ?? "").matchAll(
        /if \(message\.(\w+) != null[\s\S]*?writer\.uint32\(\/\* id \d+, wireType \d =\*\/ (\d+)\)/g,
      )
      return [name, Object.fromEntries([...fields].map(([, field, tag]) => [field, Number(tag)]))]
    }),
  )
}

const tagOf = (field: protobuf.Field): number => {
  const wireType = field.map ? 2 : (protobuf.types.basic[field.type as "bool"] ?? 2)
  return (field.id << 3) | wireType
}

const ourMessages = (): Readonly<Record<string, Fields>> => {
  const namespace = root.lookup("centrifugal.centrifuge.protocol")
  if (!(namespace instanceof protobuf.Namespace)) throw new Error("the package has another name")
  return Object.fromEntries(
    namespace.nestedArray.flatMap((message) =>
      message instanceof protobuf.Type
        ? [[message.name, Object.fromEntries(message.fieldsArray.map((field) => [field.name, tagOf(field)]))]]
        : [],
    ),
  )
}

describe("the protocol", () => {
  it("is the official client's", () => {
    const ours = ourMessages()
    expect(Object.keys(ours).length).toBeGreaterThan(40)
    expect(ours).toEqual(clientMessages())
  })

  it("has 64-bit integers of the client's kinds, which the wire does not tell apart", () => {
    const kinds = [...client.matchAll(/\.(s?int64|uint64)\(message\.(\w+)\)/g)].map(
      ([, kind, field]) => `${kind} ${field}`,
    )
    const ours = [...source.matchAll(/^ {2}(s?int64|uint64) (\w+) = /gm)].map(([, kind, field]) => `${kind} ${field}`)
    expect(new Set(ours)).toEqual(new Set(kinds))
  })
})
