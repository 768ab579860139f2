/** Rules A.2 of the protocol: fields have the types of its definition. In JSON what has another ends the connection, as it does in Protobuf. */
import { describe, expect, it } from "vitest"
import type { RpcRequest } from "../../../../src/ports/rpc.ts"
import { bareProtobuf } from "../../../kit/readers/client-codecs.ts"
import { refusal, TRADES, useRoom } from "../../../kit/servers/conformance.ts"

const asked: Array<Pick<RpcRequest, "data" | "isMalformed">> = []
const room = useRoom({
  rpc: ({ data, isMalformed }, done) => {
    asked.push({ data, isMalformed })
    done({ envelope: "{}", failure: null })
  },
})

const BAD_REQUEST = { code: 3501, reason: "bad request" }

describe("A.2 a field of another type", () => {
  it("in connect ends the connection: a token that is a number is no token that is missing", async () => {
    for (const connect of ['{"token":7}', '{"token":"alice","subs":[]}', '{"token":"alice","flag":"1"}']) {
      const socket = await room.raw()
      socket.sendText(`{"id":1,"connect":${connect}}`)
      expect([connect, await socket.closed]).toEqual([connect, BAD_REQUEST])
    }
  })

  it.each([
    `"subscribe":{"channel":"${TRADES}","recover":1}`,
    `"subscribe":{"channel":"${TRADES}","recover":true,"offset":"1"}`,
    `"subscribe":{"channel":"${TRADES}","recover":true,"offset":-1}`,
    `"subscribe":{"channel":"${TRADES}","recover":true,"offset":1.5}`,
    `"subscribe":{"channel":"${TRADES}","recover":true,"offset":1e308}`,
    `"subscribe":{"channel":"${TRADES}","recover":true,"epoch":7}`,
    `"subscribe":{"channel":"${TRADES}","type":"0"}`,
    `"subscribe":{"channel":["${TRADES}"]}`,
    `"history":{"channel":"${TRADES}","limit":"all"}`,
    `"history":{"channel":"${TRADES}","since":{"offset":1.5}}`,
    `"history":{"channel":"${TRADES}","reverse":"false"}`,
    '"rpc":{"method":["x"]}',
    '"refresh":{"token":{}}',
    '"ping":{},"refresh":{"token":{}}',
  ])("ends the connection: %s", async (request) => {
    const socket = await room.connected()
    socket.sendText(`{"id":2,${request}}`)
    expect(await socket.closed).toEqual(BAD_REQUEST)
  })

  it("is not null, which is absent", async () => {
    const socket = await room.connected()
    const nulls =
      '"token":null,"recover":null,"epoch":null,"offset":null,"delta":null,"tf":null,"type":null,"data":null'
    socket.sendText(`{"id":2,"subscribe":{"channel":"${TRADES}",${nulls}}}`)
    expect(await socket.next()).toHaveProperty("subscribe")
  })

  it("is no offset above 2^53, which lies ahead of every stream", async () => {
    const { epoch } = room.sockets.stream(TRADES).position
    for (const offset of ["9007199254740993", "18446744073709551615"]) {
      const socket = await room.connected()
      socket.sendText(
        `{"id":2,"subscribe":{"channel":"${TRADES}","recover":true,"epoch":"${epoch}","offset":${offset}}}`,
      )
      const { subscribe } = (await socket.next()) as { readonly subscribe: object }
      expect(subscribe).toMatchObject({ was_recovering: true })
      expect(subscribe).not.toHaveProperty("recovered")
      socket.sendText(`{"id":3,"history":{"channel":"${TRADES}","limit":-1,"since":{"offset":${offset}}}}`)
      expect(await socket.next()).toMatchObject({ history: { publications: [] } })
    }
  })

  it("within a filter costs the subscription alone", async () => {
    const socket = await room.connected()
    for (const tf of ["5", '"x"', "[]", '{"key":"side","cmp":"in","vals":[1]}', '{"op":7}']) {
      socket.sendText(`{"id":2,"subscribe":{"channel":"${TRADES}","tf":${tf}}}`)
      expect([tf, await socket.next()]).toMatchObject([tf, refusal(2, 107)])
    }
  })
})

describe("A.2 data that is no JSON, which only Protobuf can say", () => {
  const broken = Buffer.from('{"encoding":"protobuf"')

  it("is told to who answers a call, apart from no data", async () => {
    const socket = await room.connected("protobuf")
    for (const data of [broken, Buffer.from([0x22, 0xff, 0x22]), Buffer.alloc(0), Buffer.from("null")])
      socket.sendBytes(bareProtobuf([{ id: 2, rpc: { method: "x", data } }]))
    await socket.rest()
    expect(asked.splice(0)).toEqual([
      { data: undefined, isMalformed: true },
      { data: undefined, isMalformed: true },
      { data: undefined, isMalformed: false },
      { data: null, isMalformed: false },
    ])
  })

  it("is no way to subscribe: it may have asked for other records than those of JSON", async () => {
    const socket = await room.connected("protobuf")
    socket.sendBytes(bareProtobuf([{ id: 2, subscribe: { channel: TRADES, data: broken } }]))
    expect(await socket.next()).toMatchObject(refusal(2, 107))
    socket.sendBytes(bareProtobuf([{ id: 3, subscribe: { channel: TRADES, data: Buffer.alloc(0) } }]))
    expect(await socket.next()).toHaveProperty("subscribe")
  })
})
