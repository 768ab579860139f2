/**
 * What passes through keeps its bytes: published by a client or over the server API, in either encoding, to readers of either encoding,
 * live and from history. In JSON alone raw newlines are left out, since they end a message there.
 */
import fc from "fast-check"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { bareProtobuf, rawProtobuf } from "../../kit/readers/client-codecs.ts"
import { type Format, type RawSocket, rawSocket } from "../../kit/readers/raw-socket.ts"
import { API_KEY, jwt, nextWith, startTestProfile, type TestProfileServer } from "../../kit/servers/test-profile.ts"
import { jsonTexts } from "../../property/ws/json-texts.ts"

const FORMATS: ReadonlyArray<Format> = ["json", "protobuf"]
const HEADERS = { "X-API-Key": API_KEY }
const AWKWARD = '{"n":12345678901234567890,"f":1.10,"2":0,"1":0,"1":-0,"a":"\\u0041\\/"}'
const onOneLine = (text: string): string => text.replaceAll("\n", "")

let running: TestProfileServer
const open: Array<RawSocket> = []
beforeAll(async () => {
  running = await startTestProfile()
})
afterEach(() => {
  for (const { socket } of open.splice(0)) socket.terminate()
})
afterAll(() => running.stop())

let ids = 10
let channels = 0
/** Where nobody is told who comes and goes: what a reader gets is what is published. */
const newChannel = (namespace = "recovery:"): string => `${namespace}bytes${channels++}`

const connected = async (format: Format, token = ""): Promise<RawSocket> => {
  const socket = await rawSocket(running.url, { format })
  open.push(socket)
  socket.send({ id: 1, connect: token === "" ? {} : { token } })
  await socket.next()
  return socket
}

/** Publishes the text itself and waits for the answer. */
const publish = async (socket: RawSocket, channel: string, text: string | Uint8Array): Promise<unknown> => {
  const id = ids++
  const { length } = socket.messages
  if (socket.format === "protobuf")
    socket.sendBytes(bareProtobuf([{ id, publish: { channel, data: Buffer.from(text) } }]))
  else socket.sendText(`{"publish":{"channel":${JSON.stringify(channel)} , "data" :${String(text)} },"id":${id}}`)
  const answer = await socket.next()
  expect(socket.messages.length).toBeGreaterThan(length)
  return answer
}

/** The bytes of the payload in a message of one publication. */
const payloadIn = (socket: RawSocket, message: Buffer): string => {
  if (socket.format === "json")
    return /^\{"push":\{"channel":"[^"]*","pub":\{"data":(.*?),"offset":\d+/s.exec(String(message))?.[1] ?? ""
  const [reply = {}] = rawProtobuf(message)
  const { pub } = reply["push"] as { readonly pub: { readonly data: Uint8Array } }
  return Buffer.from(pub.data).toString("utf8")
}

const subscribed = async (socket: RawSocket, channel: string, more: object = {}): Promise<void> => {
  socket.send({ id: ids++, subscribe: { channel, ...more } })
  await socket.next()
}

/** The payloads of a channel's history as they stand in the reply. */
const historyOf = async (socket: RawSocket, channel: string): Promise<ReadonlyArray<string>> => {
  socket.send({ id: ids++, history: { channel, limit: -1 } })
  await socket.next()
  const message = socket.messages.at(-1) ?? Buffer.alloc(0)
  if (socket.format === "json")
    return [...String(message).matchAll(/\{"data":(.*?),"offset":\d+(?:,"info":\{[^}]*\})?\}/gs)].map(
      ([, data]) => data ?? "",
    )
  const [reply = {}] = rawProtobuf(message)
  const { publications } = reply["history"] as { readonly publications: ReadonlyArray<{ readonly data: Uint8Array }> }
  return publications.map(({ data }) => Buffer.from(data).toString("utf8"))
}

describe("a payload", () => {
  it.each(FORMATS)("keeps its bytes to readers of both encodings when a client of %s publishes it", async (format) => {
    const channel = newChannel()
    const [publisher, json, protobuf] = [await connected(format), await connected("json"), await connected("protobuf")]
    for (const reader of [json, protobuf]) await subscribed(reader, channel)
    await fc.assert(
      fc.asyncProperty(jsonTexts, async (any) => {
        const text = format === "json" ? onOneLine(any) : any
        await publish(publisher, channel, text)
        for (const reader of [json, protobuf]) {
          await reader.next()
          const wanted = reader.format === "json" ? onOneLine(text) : text
          expect(payloadIn(reader, reader.messages.at(-1) ?? Buffer.alloc(0))).toBe(wanted)
        }
      }),
      { numRuns: 150 },
    )
  })

  it.each(FORMATS)("keeps its bytes in the history that a client of %s reads", async (format) => {
    const channel = newChannel()
    const [publisher, reader] = [await connected("protobuf"), await connected(format)]
    const texts = [AWKWARD, ' {\n "a" : 1.10 ,\n"a":1e400}\n', "[1.0,\n-0]", '"\\ud800"', "null", "7"]
    for (const text of texts) await publish(publisher, channel, text)
    expect(await historyOf(reader, channel)).toEqual(format === "json" ? texts.map(onOneLine) : texts)
  })

  it("keeps its bytes when it comes over the server API, in every form of a call, and in its answers", async () => {
    const channel = newChannel()
    const reader = await connected("protobuf")
    await subscribed(reader, channel)
    const pretty = '{\n  "n" : 12345678901234567890,\n  "n":1.10 }'
    const name = JSON.stringify(channel)
    const b64data = Buffer.from(pretty).toString("base64")
    const bodies: ReadonlyArray<readonly [path: string, body: string]> = [
      ["/publish", `{"channel":${name},"data":${pretty}}`],
      ["/publish", `{"data":0,"channel":${name},"\\u0064ata":${pretty}}`],
      ["/publish", `{"channel":${name},"b64data":"${b64data}"}`],
      ["/broadcast", `{"channels":[${name}],"data": ${pretty} }`],
      ["", `{"method":"publish","params":{"channel":${name},"data":${pretty}}}`],
      ["/batch", `{"commands":[{"info":{}},{"publish":{"data":${pretty},"channel":${name}}}]}`],
    ]
    for (const [path, body] of bodies) {
      expect((await running.post(path, HEADERS, body)).body).not.toContain("error")
      await reader.next()
      expect(payloadIn(reader, reader.messages.at(-1) ?? Buffer.alloc(0))).toBe(pretty)
    }
    const { body } = await running.post("/history", HEADERS, `{"channel":${name},"limit":1}`)
    expect(body).toContain(`{"publications":[{"data":${pretty},"offset":1}]`)
  })

  it("keeps its bytes in a token: who is there, and what comes with a subscription", async () => {
    const channel = newChannel("")
    const info = ' {"n" : 12345678901234567890,\n"f":1.10}'
    const b64info = Buffer.from(info).toString("base64")
    const claims = `{"sub":"42","info":${info},"subs":{"${channel}":{"data":${info},"b64info":"${b64info}"}}}`
    for (const format of FORMATS) {
      const socket = await rawSocket(running.url, { format })
      open.push(socket)
      socket.send({ id: 1, connect: { token: jwt(claims) } })
      await socket.next()
      const wanted = format === "json" ? onOneLine(info.trim()) : info.trim()
      expect(String(socket.messages[0])).toContain(wanted)
      socket.send({ id: 2, presence: { channel } })
      await nextWith(socket, "presence")
      const text = String(socket.messages.at(-1))
      expect(text.split(wanted).length - 1).toBe(2)
      socket.close()
      await socket.closed
    }
    const { body } = await running.post("/presence", HEADERS, JSON.stringify({ channel }))
    expect(body).toBe('{"result":{"presence":{}}}')
  })

  it.each(FORMATS)("keeps its bytes in deltas to a reader of %s", async (format) => {
    const channel = newChannel("delta:")
    const [publisher, reader] = [await connected("protobuf"), await connected(format)]
    await subscribed(reader, channel, { delta: "fossil" })
    await publish(publisher, channel, AWKWARD)
    const { push } = (await reader.next()) as { readonly push: { readonly pub: { readonly data: unknown } } }
    expect(format === "json" ? push.pub.data : payloadIn(reader, reader.messages.at(-1) ?? Buffer.alloc(0))).toBe(
      AWKWARD,
    )
  })

  it.each(FORMATS)("of %s may be nested 32 levels deep, and is refused with a word beyond", async (format) => {
    const channel = newChannel()
    const publisher = await connected(format)
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    expect(await publish(publisher, channel, nested(32))).toHaveProperty("publish")
    const error = { code: 107, message: "data is nested deeper than 32 levels" }
    expect(await publish(publisher, channel, nested(33))).toMatchObject({ error })
    expect(await publish(publisher, channel, `{"a":${nested(30_000)}}`)).toMatchObject({ error })
    // Within a string nothing is nested.
    expect(await publish(publisher, channel, `"${"[".repeat(99)}\\"{"`)).toHaveProperty("publish")
    const { body } = await running.post("/publish", HEADERS, `{"channel":"${channel}","data":${nested(33)}}`)
    expect(JSON.parse(body)).toEqual({ error })
  })
})
