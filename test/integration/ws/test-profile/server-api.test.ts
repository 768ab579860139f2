/** The server API of the test profile over HTTP: keys, forms, limits, and each method's answer. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { API_KEY, jwt, startTestProfile, type TestProfileServer } from "../../../kit/servers/test-profile.ts"

let running: TestProfileServer
beforeEach(async () => {
  running = await startTestProfile()
})
afterEach(() => running.stop())

const key = { "X-API-Key": API_KEY }
const api = (method: string, parameters: unknown) => running.api(method, parameters)
const unknownChannel = { error: { code: 102, message: "unknown channel" } }
const badRequest = { error: { code: 107, message: "bad request" } }
const notAvailable = { error: { code: 108, message: "not available" } }

describe("the server API's door", () => {
  const info = async (headers: Readonly<Record<string, string>>, path = "/info", body = "{}") =>
    (await running.post(path, headers, body)).status

  it("opens to the key in either header, and to nothing else", async () => {
    expect(await info(key)).toBe(200)
    expect(await info({ Authorization: `apikey ${API_KEY}` })).toBe(200)
    expect(await info({})).toBe(401)
    expect(await info({ "X-API-Key": "" })).toBe(401)
    expect(await info({ "X-API-Key": "other" })).toBe(401)
    expect(await info({ Authorization: `Bearer ${API_KEY}` })).toBe(401)
    expect(await info({}, "", '{"method":"info"}')).toBe(401)
  })

  it("takes several keys, or none when told so", async () => {
    await running.stop()
    running = await startTestProfile({ apiKeys: ["a", "b"] })
    expect(await info({ "X-API-Key": "b" })).toBe(200)
    expect(await info(key)).toBe(401)
    await running.stop()
    running = await startTestProfile({ apiKeys: ["*"] })
    expect(await info({})).toBe(200)
  })

  it("answers the form with a method in the body, errors with 200, and what is no method with 404", async () => {
    const call = (body: string) => running.post("", key, body)
    expect(await call('{"method":"presence_stats","params":{"channel":"a"}}')).toEqual({
      status: 200,
      body: '{"result":{"num_clients":0,"num_users":0}}',
    })
    expect(JSON.parse((await call('{"method":"nonsense"}')).body)).toEqual({
      error: { code: 104, message: "method not found" },
    })
    for (const body of ["", "{", "[]", "null", "7", '{"method":7}', "\xff"])
      expect([body, JSON.parse((await call(body)).body)]).toEqual([body, badRequest])
    expect((await running.post("/nonsense", key, "{}")).status).toBe(404)
    expect((await running.post("/toString", key, "{}")).status).toBe(404)
    expect(await running.post("/publish", key, "{")).toEqual({ status: 200, body: JSON.stringify(badRequest) })
  })

  it("takes bodies of up to 1 MiB", async () => {
    const body = (bytes: number) => JSON.stringify({ channel: "a", data: "x".repeat(bytes) })
    expect((await running.post("/publish", key, body(1_000_000))).status).toBe(200)
    // The answer may be lost with the connection while the client still writes.
    const refused = await running.post("/publish", key, body(3_000_000)).then(
      ({ status }) => status,
      () => 413,
    )
    expect(refused).toBe(413)
    expect(await api("history", { channel: "a" })).toMatchObject({ result: { offset: 1 } })
  })
})

describe("the server API", () => {
  it("publishes, and answers the place", async () => {
    const first = await api("publish", { channel: "a", data: { x: 1 } })
    expect(first).toEqual({ result: { offset: 1, epoch: expect.stringMatching(/^[a-zA-Z]{8}$/) } })
    expect(await api("publish", { channel: "a", data: null })).toEqual({ result: { ...first.result, offset: 2 } })
    expect(await api("publish", { channel: "a", b64data: Buffer.from("[1]").toString("base64") })).toMatchObject({
      result: { offset: 3 },
    })
    expect(await api("publish", { channel: "live:a", data: 1 })).toEqual({ result: {} })
    expect(await api("publish", { channel: "nobody:knows", data: 1 })).toEqual(unknownChannel)
    for (const wrong of [
      { channel: "a" },
      { data: 1 },
      { channel: "", data: 1 },
      { channel: "a", data: 1, tags: 7 },
      7,
    ])
      expect([wrong, await api("publish", wrong)]).toEqual([wrong, badRequest])
    expect(await api("publish", { channel: "a", b64data: "!" })).toEqual(badRequest)
    const b64data = Buffer.from("no json").toString("base64")
    expect(await api("publish", { channel: "a", b64data })).toMatchObject({ result: { offset: 4 } })
    expect((await api("history", { channel: "a", limit: 1, reverse: true })).result).toMatchObject({
      publications: [{ b64data, offset: 4 }],
    })
  })

  it("publishes once for each idempotency key and channel", async () => {
    const once = { channel: "a", data: 1, idempotency_key: "k" }
    expect(await api("publish", once)).toEqual(await api("publish", once))
    expect(await api("publish", { ...once, channel: "b" })).toMatchObject({ result: { offset: 1 } })
    expect(await api("publish", { ...once, idempotency_key: "l" })).toMatchObject({ result: { offset: 2 } })
  })

  it("broadcasts, with an answer for each channel", async () => {
    expect(await api("broadcast", { channels: ["personal:1", "nobody:knows", "", "live:x"], data: {} })).toEqual({
      result: {
        responses: [{ result: { offset: 1, epoch: expect.any(String) } }, unknownChannel, badRequest, { result: {} }],
      },
    })
    expect(await api("broadcast", { channels: [], data: {} })).toEqual(badRequest)
  })

  it("reads history and removes it", async () => {
    expect(await api("history", { channel: "a" })).toEqual({
      result: { publications: [], offset: 0, epoch: expect.any(String) },
    })
    for (const n of [1, 2, 3]) await api("publish", { channel: "a", data: { n }, tags: { n: `${n}` } })
    const { result } = await api("history", { channel: "a", limit: 2, reverse: true })
    expect(result).toMatchObject({
      offset: 3,
      publications: [
        { data: { n: 3 }, offset: 3, tags: { n: "3" } },
        { data: { n: 2 }, offset: 2, tags: { n: "2" } },
      ],
    })
    const epoch = result?.["epoch"]
    expect((await api("history", { channel: "a", limit: -1, since: { offset: 2, epoch } })).result).toMatchObject({
      publications: [{ offset: 3 }],
    })
    expect(await api("history", { channel: "a", since: { offset: 2, epoch: "other" } })).toEqual({
      error: { code: 112, message: "unrecoverable position" },
    })
    expect(await api("history_remove", { channel: "a" })).toEqual({ result: {} })
    expect(await api("history", { channel: "a", limit: -1 })).toEqual({
      result: { publications: [], offset: 3, epoch },
    })
    for (const method of ["history", "history_remove"]) {
      expect(await api(method, { channel: "live:a" })).toEqual(notAvailable)
      expect(await api(method, { channel: "nobody:knows" })).toEqual(unknownChannel)
    }
  })

  it("knows who is on a channel, which channels there are, and how many all are", async () => {
    const client = running.client("json", { token: jwt({ sub: "42", info: { name: "Alice" } }) })
    client.connect()
    const subscription = client.newSubscription("room", { token: jwt({ sub: "42", channel: "room", info: 7 }) })
    subscription.subscribe()
    await subscription.ready(45_000)
    const id = [...running.server.connections][0]?.client ?? ""
    const who = { user: "42", client: id, conn_info: { name: "Alice" }, chan_info: 7 }
    expect(await api("presence", { channel: "room" })).toEqual({ result: { presence: { [id]: who } } })
    expect(await api("presence_stats", { channel: "room" })).toEqual({ result: { num_clients: 1, num_users: 1 } })
    expect(await api("presence", { channel: "recovery:x" })).toEqual(notAvailable)
    await api("publish", { channel: "nobody is here", data: 1 })
    const channels = { "#42": { num_clients: 1 }, room: { num_clients: 1 } }
    expect(await api("channels", {})).toEqual({ result: { channels } })
    expect(await api("channels", { pattern: "ro?m*" })).toEqual({ result: { channels: { room: { num_clients: 1 } } } })
    expect(await api("channels", { pattern: "r.*" })).toEqual({ result: { channels: {} } })
    expect(await api("info", {})).toMatchObject({
      result: { nodes: [{ num_clients: 1, num_users: 1, num_subs: 2, uid: "test", version: "3.0.1" }] },
    })
    await subscription.publish({ x: 1 })
    expect((await api("history", { channel: "room", limit: 1 })).result).toMatchObject({
      publications: [{ data: { x: 1 }, info: who }],
    })
  })

  it("acts on nobody without a word", async () => {
    for (const method of ["subscribe", "unsubscribe", "disconnect", "refresh"])
      expect(await api(method, { user: "nobody", channel: "personal:1" })).toEqual({ result: {} })
    for (const method of ["subscribe", "unsubscribe"])
      expect(await api(method, { user: "nobody", channel: "nobody:knows" })).toEqual(unknownChannel)
    for (const disconnect of [{ code: 1000, reason: "no" }, { code: 3001, reason: "x".repeat(124) }, { reason: "no" }])
      expect([disconnect, await api("disconnect", { user: "nobody", disconnect })]).toEqual([disconnect, badRequest])
    expect(await api("disconnect", { user: "nobody", disconnect: { code: 3001 } })).toEqual({ result: {} })
  })

  it("takes a batch, in order", async () => {
    const commands = [
      { publish: { channel: "a", data: 1 } },
      { presence_stats: { channel: "a" } },
      { publish: { channel: "nobody:knows", data: 1 } },
      { nonsense: {} },
    ]
    expect(await api("batch", { commands })).toEqual({
      replies: [
        { publish: { offset: 1, epoch: expect.any(String) } },
        { presence_stats: { num_clients: 0, num_users: 0 } },
        unknownChannel,
        { error: { code: 104, message: "method not found" } },
      ],
    })
  })

  it("changes and adds namespaces as CHANNELS says", async () => {
    await running.stop()
    running = await startTestProfile({ changes: { "": { presence: false }, mine: { historySize: 1 } } })
    expect(await api("presence", { channel: "a" })).toEqual(notAvailable)
    for (const data of [1, 2]) await api("publish", { channel: "mine:a", data })
    expect((await api("history", { channel: "mine:a", limit: -1 })).result).toMatchObject({
      publications: [{ data: 2 }],
    })
  })
})
