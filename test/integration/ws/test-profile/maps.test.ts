/**
 * Maps under the test profile as the suite of centrifuge-js expects them of its server: the official client in both encodings, and the
 * server API's methods on maps.
 */
import type { MapSubscription, MapUpdateContext, SubscribedContext } from "centrifuge"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { rawSocket } from "../../../kit/readers/raw-socket.ts"
import {
  API_KEY,
  type Format,
  nextWith,
  payload,
  startTestProfile,
  type TestProfileServer,
  value,
} from "../../../kit/servers/test-profile.ts"

const FORMATS: ReadonlyArray<Format> = ["json", "protobuf"]

let running: TestProfileServer
beforeAll(async () => {
  running = await startTestProfile()
})
afterAll(() => running.stop())

let channels = 0
const newChannel = (namespace: string): string => `${namespace}:m${channels++}`
const api = (method: string, parameters: unknown) => running.api(method, parameters)
const set = (channel: string, key: string, data: unknown, tags?: object) =>
  api("map_publish", { channel, key, data, ...(tags === undefined ? {} : { tags }) })

type Options = Parameters<ReturnType<TestProfileServer["client"]>["newMapSubscription"]>[1]

/** A subscription that remembers what it told. */
const read = (format: Format, channel: string, options: Options = {}) => {
  const client = running.client(format)
  client.connect()
  return follow(format, client.newMapSubscription(channel, options), client)
}
const follow = (format: Format, subscription: MapSubscription, client: ReturnType<TestProfileServer["client"]>) => {
  const syncs: Array<ReadonlyMap<string, unknown>> = []
  const updates: Array<MapUpdateContext> = []
  const subscribed: Array<SubscribedContext> = []
  subscription.on("sync", ({ entries }) => {
    syncs.push(new Map(entries.map(({ key, data }) => [key, value(format, data)] as const)))
  })
  subscription.on("update", (update) => void updates.push(update))
  subscription.on("subscribed", (context) => void subscribed.push(context))
  subscription.subscribe()
  return { client, subscription, syncs, updates, subscribed }
}
type Reader = ReturnType<typeof read>
const ready = async (reader: Reader): Promise<Reader> => {
  await reader.subscription.ready(60_000)
  return reader
}
const soon = { timeout: 60_000 }
const keysOf = ({ syncs }: Reader): ReadonlyArray<string> => [...(syncs.at(-1)?.keys() ?? [])].sort()

describe.each(FORMATS)("a map of the test profile in %s", (format) => {
  it("is given whole, then change by change, and forgets nothing while nobody reads it", async () => {
    const channel = newChannel("streamless")
    const empty = await ready(read(format, channel))
    expect(empty.syncs).toEqual([new Map()])
    await set(channel, "a", { v: 1 })
    await set(channel, "b", { v: 2 })
    await api("map_remove", { channel, key: "a" })
    await expect
      .poll(() => empty.updates.map(({ key, removed }) => [key, removed === true]), soon)
      .toEqual([
        ["a", false],
        ["b", false],
        ["a", true],
      ])
    empty.client.disconnect()
    expect((await ready(read(format, channel))).syncs).toEqual([new Map([["b", { v: 2 }]])])
  })

  it("is written by its readers, who are told with the entry", async () => {
    const channel = newChannel("streamless")
    const [one, two] = [await ready(read(format, channel)), await ready(read(format, channel))]
    await one.subscription.publish("k", payload(format, { from: "one" }))
    await two.subscription.remove("k")
    // The same again is a change too: it is said anew.
    await one.subscription.publish("k", payload(format, 1))
    await one.subscription.publish("k", payload(format, 1))
    await expect.poll(() => two.updates.length, soon).toBe(4)
    expect(two.updates.map(({ key, removed, info }) => [key, removed === true, info?.client !== undefined])).toEqual([
      ["k", false, true],
      ["k", true, false],
      ["k", false, true],
      ["k", false, true],
    ])
  })

  it("without positions is read anew by those who come back", async () => {
    const channel = newChannel("streamless")
    await set(channel, "k", 1)
    const reader = await ready(read(format, channel))
    expect(reader.subscribed[0]?.recoverable).toBe(false)
    reader.client.disconnect()
    reader.client.connect()
    await expect.poll(() => reader.syncs.length, soon).toBe(2)
    expect(keysOf(reader)).toEqual(["k"])
  })

  it("with positions tells those who come back what they missed, change by change", async () => {
    const channel = newChannel("positioned")
    const reader = await ready(read(format, channel))
    expect(reader.subscribed[0]?.recoverable).toBe(true)
    await set(channel, "a", 1)
    await expect.poll(() => reader.updates.length, soon).toBe(1)
    reader.subscription.unsubscribe()
    for (const data of [2, 3]) await set(channel, "a", data)
    reader.subscription.subscribe()
    await expect.poll(() => reader.updates.length, soon).toBe(3)
    expect(reader.updates.map(({ data }) => value(format, data))).toEqual([1, 2, 3])
    expect(reader.subscribed[1]?.recovered).toBe(true)
    expect(reader.syncs).toHaveLength(1)
  })

  it("that has forgotten what a reader missed is read anew, or given up where the reader wants that", async () => {
    const channel = newChannel("smallstream")
    const [scratch, fatal] = [
      await ready(read(format, channel)),
      await ready(read(format, channel, { unrecoverableStrategy: "fatal" })),
    ]
    const ended: Array<number> = []
    await set(channel, "first", 0)
    await expect.poll(() => scratch.updates.length + fatal.updates.length, soon).toBe(2)
    for (const { subscription } of [scratch, fatal]) subscription.unsubscribe()
    fatal.subscription.on("unsubscribed", ({ code }) => void ended.push(code))
    for (let n = 1; n <= 5; n++) await set(channel, `k${n}`, n)
    for (const { subscription } of [scratch, fatal]) subscription.subscribe()
    await expect.poll(() => [scratch.syncs.length, ended], soon).toEqual([2, [112]])
    expect(scratch.subscribed[1]?.recovered).toBe(false)
    expect(keysOf(scratch)).toEqual(["first", "k1", "k2", "k3", "k4", "k5"])
  })

  it("of many pages arrives whole", async () => {
    const channel = newChannel("streamless")
    for (let n = 0; n < 250; n++) await set(channel, `k${n}`, n)
    const reader = await ready(read(format, channel, { pageSize: 100 }))
    expect(keysOf(reader)).toHaveLength(250)
    await set(channel, "late", true)
    await expect.poll(() => reader.updates.map(({ key }) => key), soon).toEqual(["late"])
  })

  it("is read through a filter, from its first page on", async () => {
    const channel = newChannel("tagged")
    for (const [key, team] of [
      ["a", "eng"],
      ["b", "sales"],
      ["c", "eng"],
    ] as const)
      await set(channel, key, 1, { team })
    const reader = await ready(read(format, channel, { tagsFilter: { key: "team", cmp: "eq", val: "eng" } }))
    expect(keysOf(reader)).toEqual(["a", "c"])
  })

  it("may name each client's entry itself", async () => {
    const reader = await ready(read(format, newChannel("clientkey")))
    await reader.subscription.publish("anything", payload(format, 1))
    await expect.poll(() => reader.updates.map(({ key }) => key), soon).toHaveLength(1)
    expect(reader.updates[0]?.key).toBe(
      [...running.server.connections].find(({ client }) => client === reader.updates[0]?.key)?.client,
    )
    await expect(reader.subscription.remove("anything")).rejects.toMatchObject({ code: 103 })
  })

  it("may be of those who are on another", async () => {
    const channel = newChannel("prestest")
    const client = running.client(format)
    client.connect()
    const presence = await ready(follow(format, client.newMapClientsSubscription(`prescli:${channel}`), client))
    expect(presence.syncs).toEqual([new Map()])
    const other = await ready(read(format, channel))
    const third = await ready(read(format, channel))
    other.subscription.unsubscribe()
    await expect.poll(() => presence.updates.length, soon).toBe(3)
    third.client.disconnect()
    await expect.poll(() => presence.updates.length, soon).toBe(4)
    expect(presence.updates.map(({ removed }) => removed === true)).toEqual([false, false, true, true])
    expect(presence.updates[0]?.key).toBe(presence.updates[0]?.info?.client)
    expect((await api("map_stats", { channel: `prescli:${channel}` })).result).toEqual({ num_keys: 0 })
  })

  it("may tell its writers how often to write", async () => {
    const channel = newChannel("debounced")
    const reader = await ready(read(format, channel))
    await reader.subscription.publish("cursor", payload(format, 1))
    for (const x of [2, 3, 4]) await reader.subscription.publish("cursor", payload(format, x))
    await expect.poll(() => reader.updates.map(({ data }) => value(format, data)), soon).toEqual([1, 4])
  })

  it("keeps the bytes of its entries", async () => {
    const channel = newChannel("positioned")
    const socket = await rawSocket(running.url, { format })
    socket.send({ id: 1, connect: {} })
    await socket.next()
    const pretty = '{ "n":12345678901234567890,\n "f" : 1.10, "f":1e2 }'
    const body = `{"channel":"${channel}","key":"k","data": ${pretty} }`
    await running.post("/map_publish", { "X-API-Key": API_KEY }, body)
    socket.send({ id: 2, subscribe: { channel, type: 1, phase: 2 } })
    await nextWith(socket, "subscribe")
    const wanted = format === "json" ? pretty.replaceAll("\n", "") : pretty
    expect(String(socket.messages.at(-1))).toContain(wanted)
    await running.post("/map_publish", { "X-API-Key": API_KEY }, body)
    await nextWith(socket, "push")
    expect(String(socket.messages.at(-1))).toContain(wanted)
    socket.close()
    const { body: state } = await running.post(
      "/map_read_state",
      { "X-API-Key": API_KEY },
      `{"channel":"${channel}","limit":-1}`,
    )
    expect(state).toContain(`{"key":"k","data":${pretty},"offset":2}`)
  })
})

describe("the server API of maps", () => {
  it("sets, removes and reads entries and their changes, each with its place", async () => {
    const channel = newChannel("positioned")
    const first = await set(channel, "a", 1, { side: "BUY" })
    const epoch = first.result?.["epoch"]
    expect(first.result).toEqual({ offset: 1, epoch: expect.stringMatching(/^[a-zA-Z]{8}$/) })
    await set(channel, "b", [2])
    expect((await api("map_publish", { channel, key: "a", data: 9, key_mode: "if_new" })).result).toEqual({
      offset: 2,
      epoch,
      suppressed: true,
      suppress_reason: "key_exists",
    })
    expect((await api("map_publish", { channel, key: "c", data: 9, key_mode: "if_exists" })).result).toMatchObject({
      suppress_reason: "key_not_found",
    })
    expect((await api("map_remove", { channel, key: "b" })).result).toEqual({ offset: 3, epoch })
    expect((await api("map_remove", { channel, key: "b" })).result).toMatchObject({ suppressed: true })
    await set(channel, "c", null)
    expect((await api("map_stats", { channel })).result).toEqual({ num_keys: 2 })
    const page = (await api("map_read_state", { channel, limit: 1 })).result
    expect(page).toEqual({
      entries: [{ key: "a", data: 1, tags: { side: "BUY" }, offset: 1 }],
      offset: 4,
      epoch,
      cursor: "1",
    })
    expect((await api("map_read_state", { channel, limit: 5, cursor: "1" })).result).toMatchObject({
      entries: [{ key: "c", data: null, offset: 4 }],
    })
    expect((await api("map_read_state", { channel, key: "c" })).result).toMatchObject({ entries: [{ key: "c" }] })
    expect((await api("map_read_stream", { channel, limit: -1, since_offset: 2, since_epoch: epoch })).result).toEqual({
      entries: [
        { key: "b", offset: 3, removed: true },
        { key: "c", data: null, offset: 4 },
      ],
      offset: 4,
      epoch,
    })
    expect(await api("map_read_stream", { channel, since_epoch: "other" })).toMatchObject({ error: { code: 112 } })
    expect(await api("map_clear", { channel })).toEqual({ result: {} })
    expect((await api("map_read_state", { channel, limit: -1 })).result).toMatchObject({ entries: [], offset: 0 })
    expect((await api("map_stats", { channel })).result).toEqual({ num_keys: 0 })
  })

  it("sends readers of a map that is cleared back to its beginning", async () => {
    const channel = newChannel("positioned")
    await set(channel, "a", 1)
    const reader = await ready(read("json", channel))
    await api("map_clear", { channel })
    await expect.poll(() => reader.syncs.at(-1), soon).toEqual(new Map())
    await set(channel, "b", 2)
    await expect.poll(() => reader.updates.map(({ key }) => key), soon).toEqual(["b"])
  })

  it("has an entry leave when its time is over", async () => {
    const channel = newChannel("shortttl")
    const reader = await ready(read("json", channel))
    await set(channel, "a", 1)
    await expect.poll(() => reader.updates.map(({ removed }) => removed === true), soon).toEqual([false, true])
  })

  it("refuses what is no map, and what is none of its methods", async () => {
    const badRequest = { error: { code: 107, message: "bad request" } }
    for (const method of ["map_publish", "map_remove", "map_read_state", "map_read_stream", "map_stats", "map_clear"]) {
      expect([method, await api(method, { channel: "recovery:a", key: "k", data: 1 })]).toEqual([method, badRequest])
      expect(await api(method, { channel: "nobody:knows", key: "k", data: 1 })).toMatchObject({ error: { code: 102 } })
      expect(await api(method, { channel: "", key: "k", data: 1 })).toEqual(badRequest)
    }
    const channel = newChannel("positioned")
    for (const wrong of [
      {},
      { key: "", data: 1 },
      { key: "k" },
      { key: 7, data: 1 },
      { key: "k", data: 1, key_mode: "x" },
    ])
      expect([wrong, await api("map_publish", { channel, ...wrong })]).toEqual([wrong, badRequest])
    expect(await api("publish", { channel, data: 1 })).toEqual(badRequest)
    expect(await api("subscribe", { channel, user: "42" })).toEqual(badRequest)
    expect(await api("map_read_state", { channel, cursor: "x" })).toEqual(badRequest)
    const deep = "[".repeat(33) + "]".repeat(33)
    const { body } = await running.post(
      "/map_publish",
      { "X-API-Key": API_KEY },
      `{"channel":"${channel}","key":"k","data":${deep}}`,
    )
    expect(JSON.parse(body)).toMatchObject({ error: { code: 107, message: expect.stringContaining("32") } })
  })

  it("and a client may not publish as on a stream", async () => {
    const socket = await rawSocket(running.url, {})
    socket.send({ id: 1, connect: {} })
    await socket.next()
    const channel = newChannel("positioned")
    socket.send({ id: 2, publish: { channel, data: 1 } })
    expect(await socket.next()).toMatchObject({ error: { code: 103 } })
    socket.send({ id: 3, publish: { channel, type: 1, data: 1 } })
    expect(await socket.next()).toMatchObject({ error: { code: 107 } })
    socket.send({ id: 4, publish: { channel, type: 1, key: "k" } })
    expect(await socket.next()).toMatchObject({ error: { code: 107 } })
    socket.send({ id: 5, publish: { channel: "prescli:x", type: 2, key: "k", data: 1 } })
    expect(await socket.next()).toMatchObject({ error: { code: 103 } })
    socket.send({ id: 6, subscribe: { channel } })
    expect(await socket.next()).toMatchObject({ error: { code: 103 } })
    socket.close()
  })
})
