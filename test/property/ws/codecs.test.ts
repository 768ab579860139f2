/** Both encodings against each other and against the official client: what crosses in one crosses in the other, and nothing throws. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jsonCodec } from "../../../src/ws/protocol/codec-json.ts"
import { protobufCodec } from "../../../src/ws/protocol/codec-protobuf.ts"
import type { Codec, CommandOf, Frame, Method, Push } from "../../../src/ws/protocol/protocol.ts"
import { readJson, readProtobuf, received, sentJson, sentProtobuf } from "../../kit/readers/client-codecs.ts"
import * as arbitrary from "./arbitrary-protocol.ts"

const codecs: ReadonlyArray<Codec> = [jsonCodec, protobufCodec]

describe("commands", () => {
  it("mean the same in both encodings, as the client writes them", () => {
    void fc.assert(
      fc.property(fc.array(arbitrary.command, { minLength: 1, maxLength: 4 }), (commands) => {
        const fromJson = jsonCodec.decode(sentJson(commands))
        const fromProtobuf = protobufCodec.decode(sentProtobuf(commands))
        expect(fromJson).toEqual(
          commands.map((command) => {
            const [method, parameters] = Object.entries(command).find(([key]) => key !== "id") ?? ["pong", {}]
            const key = method === "pong" ? "" : method
            const { data } = parameters as { readonly data?: unknown }
            const content = method === "publish" && data !== undefined ? { content: JSON.stringify(data) } : {}
            return { id: command["id"] ?? 0, method, key, parameters, ...content }
          }),
        )
        expect(fromProtobuf).toEqual(fromJson)
      }),
      { numRuns: 500 },
    )
  })

  it("that are cut anywhere are malformed, or whole where a command ends", () => {
    const ids = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 3 })
    void fc.assert(
      fc.property(ids, fc.double({ min: 0, max: 1, noNaN: true }), (all, where) => {
        const commands = all.map((id) => ({ id, history: { channel: "market:trade:A:B/C", limit: id } }))
        const ends = commands.map((_, index) => sentProtobuf(commands.slice(0, index + 1)).byteLength)
        const whole = sentProtobuf(commands)
        const cut = Math.floor(where * whole.byteLength)
        const complete = ends.indexOf(cut)
        expect(protobufCodec.decode(whole.slice(0, cut))?.length).toBe(complete < 0 ? undefined : complete + 1)
      }),
      { numRuns: 500 },
    )
  })

  it("never throw, whatever the bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      // A length that is right, so that what follows is looked at.
      fc.uint8Array({ maxLength: 100 }).map((content) => Uint8Array.of(content.length, ...content)),
    )
    let read = 0
    void fc.assert(
      fc.property(bytes, (message) => {
        for (const codec of codecs) if (codec.decode(received(message)) !== undefined) read += 1
      }),
      { numRuns: 3000 },
    )
    // Some happened to mean something: an empty message with its length at the least.
    expect(read).toBeGreaterThan(0)
  })

  it("never throw when a real message is damaged", () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 })
    void fc.assert(
      fc.property(arbitrary.command, damage, (command, changes) => {
        for (const [codec, message] of [
          [jsonCodec, sentJson([command])],
          [protobufCodec, sentProtobuf([command])],
        ] as const) {
          const bytes = new Uint8Array(message)
          for (const [at, value] of changes) bytes[at % bytes.length] = value
          const decoded = codec.decode(message)
          expect(decoded === undefined || Array.isArray(decoded)).toBe(true)
        }
      }),
      { numRuns: 2000 },
    )
  })
})

/** Both read back; `wanted` in JSON's shape. */
const agrees = (json: Frame, protobuf: Frame): void => {
  expect(String(json)).not.toContain("\n")
  expect(readProtobuf(protobuf)).toEqual(readJson(json))
}

describe("replies", () => {
  const methods = Object.keys(arbitrary.results) as ReadonlyArray<Method>
  it.each(methods)("to %s say the same in both encodings, as the client reads them", <M extends Method>(method: M) => {
    void fc.assert(
      fc.property(arbitrary.uint32, arbitrary.results[method], (id, result) => {
        const command = { id, method, key: method, parameters: {} } as CommandOf<M>
        const json = jsonCodec.reply(command, result)
        expect(JSON.parse(String(json))).toHaveProperty(method)
        agrees(json, protobufCodec.reply(command, result))
      }),
      { numRuns: 200 },
    )
  })

  it("say in JSON exactly what they were given", () => {
    void fc.assert(
      fc.property(arbitrary.subscribeResult, (result) => {
        const command = { id: 1, method: "subscribe", key: "subscribe", parameters: {} } as const
        const embedded = JSON.stringify(result, (name, value) =>
          name === "data" || name === "conn_info" || name === "chan_info" ? JSON.parse(value) : value,
        )
        expect(JSON.parse(String(jsonCodec.reply(command, result)))).toEqual({
          id: 1,
          subscribe: JSON.parse(embedded),
        })
      }),
      { numRuns: 200 },
    )
  })
})

describe("pushes", () => {
  const push: fc.Arbitrary<Push> = fc.oneof(
    arbitrary.publication.map((body): Push => ({ kind: "pub", body })),
    fc
      .tuple(fc.constantFrom<"join" | "leave">("join", "leave"), arbitrary.clientInfo)
      .map(([kind, info]): Push => ({ kind, body: { info } })),
    fc.record({ code: arbitrary.uint32, reason: arbitrary.text }).map((body): Push => ({ kind: "unsubscribe", body })),
    arbitrary.results.rpc.map((body): Push => ({ kind: "message", body })),
    arbitrary.results.refresh.map((body): Push => ({ kind: "refresh", body })),
  )

  it("say the same in both encodings", () => {
    void fc.assert(
      fc.property(fc.oneof(arbitrary.text, fc.constant("")), push, (channel, each) =>
        agrees(jsonCodec.push(channel, each), protobufCodec.push(channel, each)),
      ),
      { numRuns: 500 },
    )
  })

  it("of publications are the same from the fast path, also joined", () => {
    void fc.assert(
      fc.property(
        arbitrary.text,
        fc.array(arbitrary.publication, { minLength: 1, maxLength: 4 }),
        (channel, bodies) => {
          for (const codec of codecs) {
            const publish = codec.publications(channel)
            const read = codec === jsonCodec ? readJson : readProtobuf
            const fast = read(codec.join(bodies.map(publish)))
            expect(fast).toEqual(bodies.flatMap((body) => read(codec.push(channel, { kind: "pub", body }))))
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})
