/** Channels under the test profile: subscribe, publish, presence, history, and the tokens of subscriptions, by the official client. */
import { type Centrifuge, type PublicationContext, type Subscription, SubscriptionState } from "centrifuge"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { rawSocket } from "../../../kit/readers/raw-socket.ts"
import {
  type Format,
  jwt,
  nextWith,
  payload,
  startTestProfile,
  type TestProfileServer,
  value,
} from "../../../kit/servers/test-profile.ts"

/** For the channels test1 and test2 and the anonymous user: the tokens in the suites of centrifuge-js, -dart and -csharp. */
const PUBLIC_TOKENS: Readonly<Record<string, string>> = {
  test1:
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3Mzc1MzIzNDgsImNoYW5uZWwiOiJ0ZXN0MSJ9.eqPQxbBtyYxL8Hvbkm-P6aH7chUsSG_EMWe-rTwF_HI",
  test2:
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3Mzc1MzIzODcsImNoYW5uZWwiOiJ0ZXN0MiJ9.tTJB3uSa8XpEmCvfkmrSKclijofnJ5RkQk6L2SaGtUE",
}

let running: TestProfileServer
beforeEach(async () => {
  running = await startTestProfile()
})
afterEach(() => running.stop())

const seconds = () => Math.floor(Date.now() / 1000)
const open = async (format: Format, options: Parameters<TestProfileServer["client"]>[1] = {}): Promise<Centrifuge> => {
  const client = running.client(format, options)
  client.connect()
  await client.ready(45_000)
  return client
}
const subscribed = async (client: Centrifuge, channel: string, options = {}): Promise<Subscription> => {
  const subscription = client.newSubscription(channel, options)
  subscription.subscribe()
  await subscription.ready(45_000)
  return subscription
}
const unsubscribed = (subscription: Subscription) =>
  new Promise<number>((end) => subscription.once("unsubscribed", ({ code }) => end(code)))
const disconnected = (client: Centrifuge) =>
  new Promise<number>((end) => client.once("disconnected", ({ code }) => end(code)))

describe.each<Format>(["json", "protobuf"])("an open channel, %s", (format) => {
  it("is there for whoever names it, and gives the publisher its own publication, with who it is", async () => {
    const client = await open(format, { token: jwt({ sub: "42", info: { name: "Alice" } }) })
    const subscription = await subscribed(client, "test")
    const heard = new Promise<PublicationContext>((done) => subscription.once("publication", done))
    await subscription.publish(payload(format, { my: "data" }))
    const { data, offset, info } = await heard
    expect(value(format, data)).toEqual({ my: "data" })
    expect(offset).toBe(1)
    expect(info).toMatchObject({ user: "42" })
    expect(value(format, info?.connInfo)).toEqual({ name: "Alice" })
  })

  it.each([["text"], [7], [null], [[1, [2]]], [{ q: 'a"b\nc' }]])("carries any JSON value: %j", async (sent) => {
    const client = await open(format)
    const subscription = await subscribed(client, "values")
    const heard = new Promise<unknown>((done) => subscription.once("publication", ({ data }) => done(data)))
    await client.publish("values", payload(format, sent))
    expect(value(format, await heard)).toEqual(sent)
  })

  it("ends a subscription when asked, in a loop too, and then knows of nobody", async () => {
    const client = await open(format)
    const subscription = client.newSubscription("loop")
    for (let i = 0; i < 10; i++) {
      subscription.subscribe()
      subscription.unsubscribe()
    }
    expect(subscription.state).toBe(SubscriptionState.Unsubscribed)
    subscription.subscribe()
    expect(await subscription.presenceStats()).toMatchObject({ numClients: 1, numUsers: 1 })
    expect(Object.keys((await subscription.presence()).clients)).toHaveLength(1)
    const end = unsubscribed(subscription)
    subscription.unsubscribe()
    expect(await end).toBe(0)
    await expect
      .poll(() => client.presenceStats("loop"), { timeout: 45_000 })
      .toMatchObject({ numClients: 0, numUsers: 0 })
    expect((await client.presence("loop")).clients).toEqual({})
  })

  it("takes subscribe, disconnect, connect and unsubscribe in one breath, and subscribe after that", async () => {
    const client = await open(format)
    const subscription = client.newSubscription("race")
    subscription.subscribe()
    client.disconnect()
    client.connect()
    subscription.unsubscribe()
    subscription.subscribe()
    await subscription.ready(45_000)
    expect(subscription.state).toBe(SubscriptionState.Subscribed)
  })

  it("counts all anonymous clients as one user", async () => {
    const [a, b] = [await open(format), await open(format)]
    await subscribed(a, "stats")
    await subscribed(b, "stats")
    expect(await a.presenceStats("stats")).toMatchObject({ numClients: 2, numUsers: 1 })
  })

  it("tells who comes and who leaves, the newcomer its own coming", async () => {
    const a = await open(format, { token: jwt({ sub: "a" }) })
    const seen: Array<string> = []
    const subscription = a.newSubscription("people")
    subscription.on("join", ({ info }) => seen.push(`join ${info.user}`))
    subscription.on("leave", ({ info }) => seen.push(`leave ${info.user}`))
    subscription.subscribe()
    await subscription.ready(45_000)
    const b = await open(format, { token: jwt({ sub: "b" }) })
    // With deltas: a newcomer that waits for its first publication in full is told all the same.
    const other = b.newSubscription("people", { delta: "fossil" })
    const own = new Promise<string>((done) => other.once("join", ({ info }) => done(info.user)))
    other.subscribe()
    expect(await own).toBe("b")
    b.disconnect()
    await expect.poll(() => seen, { timeout: 45_000 }).toEqual(["join a", "join b", "leave b"])
  })

  it("has a history, from either end, from a position, and by position only", async () => {
    const client = await open(format)
    for (let n = 1; n <= 5; n++) await client.publish("history", payload(format, { n }))
    const numbers = async (options: Parameters<Centrifuge["history"]>[1]) =>
      (await client.history("history", options)).publications.map(
        ({ data }) => (value(format, data) as { n: number }).n,
      )
    const { publications, offset, epoch } = await client.history("history", { limit: 0 })
    expect({ publications, offset }).toEqual({ publications: [], offset: 5 })
    expect(epoch).toMatch(/^[a-zA-Z]{8}$/)
    expect(await numbers({ limit: -1 })).toEqual([1, 2, 3, 4, 5])
    expect(await numbers({ limit: 2 })).toEqual([1, 2])
    expect(await numbers({ limit: 2, reverse: true })).toEqual([5, 4])
    expect(await numbers({ limit: 10, since: { offset: 3, epoch } })).toEqual([4, 5])
    expect(await numbers({ limit: 10, since: { offset: 3, epoch }, reverse: true })).toEqual([2, 1])
    await expect(client.history("history", { limit: 1, since: { offset: 1, epoch: "other" } })).rejects.toMatchObject({
      code: 112,
    })
    expect(await client.history("nobody:knows", { limit: 1 }).catch(({ code }) => code)).toBe(102)
    expect(await client.history("live:now", { limit: 1 }).catch(({ code }) => code)).toBe(108)
    expect(await client.presence("recovery:now").catch(({ code }) => code)).toBe(108)
  })

  it("forgets a publication after its time, and never its place", async () => {
    const client = await open(format)
    await client.publish("past", payload(format, 1))
    const word = () => client.presenceStats("past")
    await running.pass(200, word)
    await client.publish("past", payload(format, 2))
    const before = await client.history("past", { limit: -1 })
    expect(before.publications).toHaveLength(2)
    await running.pass(150, word)
    const after = await client.history("past", { limit: -1 })
    expect(after).toMatchObject({ epoch: before.epoch, offset: 2 })
    expect(after.publications).toHaveLength(1)
  })

  it("is let go when its time is over and nobody is on it, and is at its place when somebody comes", async () => {
    const client = await open(format)
    await client.publish("gone", payload(format, 1))
    const before = await client.history("gone", { limit: 0 })
    expect(running.hub.find("gone")).toBeDefined()
    const word = () => client.presenceStats("gone")
    await running.pass(305, word)
    // Another publication makes it look what is over; the hub remembers a channel for half a minute more.
    await client.publish("other", payload(format, 1))
    await running.pass(35, word)
    expect(running.hub.find("gone")).toBeUndefined()
    expect(await client.history("gone", { limit: 10 })).toEqual(before)
    const subscription = await subscribed(client, "gone", { since: { offset: before.offset, epoch: before.epoch } })
    const heard = new Promise<number | undefined>((done) =>
      subscription.once("publication", ({ offset }) => done(offset)),
    )
    await client.publish("gone", payload(format, 2))
    expect(await heard).toBe(2)
  })

  it("refuses names of no namespace of ours, and names that are not ASCII", async () => {
    const client = await open(format)
    for (const [channel, code] of [
      ["test:test", 102],
      ["a:b", 102],
      ["канал", 107],
      ["a\u0000b", 107],
      ["x".repeat(256), 107],
    ] as const) {
      const subscription = client.newSubscription(channel)
      const end = unsubscribed(subscription)
      subscription.subscribe()
      expect([channel, await end]).toEqual([channel, code])
    }
    await expect(client.publish("test:test", payload(format, 1))).rejects.toMatchObject({ code: 102 })
  })
})

describe.each<Format>(["json", "protobuf"])("a subscription's token, %s", (format) => {
  it("may come with any channel, as in the public suites", async () => {
    const client = await open(format)
    for (const [channel, token] of Object.entries(PUBLIC_TOKENS))
      await subscribed(client, channel, { getToken: async () => token })
  })

  it("must come with a private channel", async () => {
    const client = await open(format, { token: jwt({ sub: "42" }) })
    const bare = client.newSubscription("$secret")
    const end = unsubscribed(bare)
    bare.subscribe()
    expect(await end).toBe(103)
    const token = jwt({ sub: "42", channel: "$mine", info: { role: "owner" } })
    const subscription = await subscribed(client, "$mine", { token })
    const { clients } = await subscription.presence()
    expect(Object.values(clients).map(({ chanInfo }) => value(format, chanInfo))).toEqual([{ role: "owner" }])
  })

  it("is refused when it is not ours, without an end of the connection", async () => {
    const client = await open(format, { token: jwt({ sub: "42" }) })
    const subscription = client.newSubscription("channel", { getToken: async () => "invalid_token" })
    const end = unsubscribed(subscription)
    subscription.subscribe()
    expect(await end).toBe(103)
    await client.presenceStats("any")
  })

  it.each([
    ["another channel", { sub: "42", channel: "$b" }],
    ["another user", { sub: "43", channel: "$a" }],
    ["another client", { sub: "42", channel: "$a", client: "somebody" }],
  ])("ends the connection with 3500 when it is for %s", async (_what, claims) => {
    const client = await open(format, { token: jwt({ sub: "42" }) })
    const end = disconnected(client)
    client.newSubscription("$a", { token: jwt(claims) }).subscribe()
    expect(await end).toBe(3500)
  })

  it("is fetched anew when it is over, and renewed while it lasts", async () => {
    const client = await open(format, { token: jwt({ sub: "42" }) })
    let calls = 0
    const ends = [seconds() - 1, seconds() + 3, seconds() + 3600]
    const subscription = client.newSubscription("$a", {
      minResubscribeDelay: 10,
      maxResubscribeDelay: 100,
      getToken: async () => jwt({ sub: "42", channel: "$a", exp: ends[calls++] }),
    })
    let times = 0
    subscription.on("subscribed", () => times++)
    subscription.subscribe()
    await expect.poll(() => calls, { timeout: 45_000 }).toBe(3)
    await subscription.presenceStats()
    expect({ times, state: subscription.state }).toEqual({ times: 1, state: SubscriptionState.Subscribed })
  })

  it("ends the connection with 3006 when it is over already, and the client comes back", async () => {
    const client = await open(format, { token: jwt({ sub: "42" }) })
    let calls = 0
    const subscription = client.newSubscription("$a", {
      getToken: async () => {
        calls++
        const exp = calls === 1 ? seconds() + 3 : calls === 2 ? seconds() - 10 : seconds() + 3600
        return jwt({ sub: "42", channel: "$a", exp })
      },
    })
    const codes: Array<number> = []
    client.on("connecting", ({ code }) => codes.push(code))
    subscription.subscribe()
    await expect.poll(() => calls, { timeout: 45_000 }).toBeGreaterThanOrEqual(3)
    await subscription.ready(45_000)
    expect(codes).toContain(3006)
  })

  it("is checked again at its refresh: one that is not ours ends the connection with 3500", async () => {
    const client = await open(format, { token: jwt({ sub: "42" }) })
    let calls = 0
    const end = disconnected(client)
    client
      .newSubscription("$a", {
        getToken: async () => (++calls === 1 ? jwt({ sub: "42", channel: "$a", exp: seconds() + 3 }) : "invalid"),
      })
      .subscribe()
    expect(await end).toBe(3500)
    expect(calls).toBe(2)
  })

  it("is not needed by the users that a channel names, and by nobody else", async () => {
    const client = await open(format, { token: jwt({ sub: "42" }) })
    await subscribed(client, "talk#41,42")
    for (const channel of ["talk#4", "talk#43,", "recovery:talk#43"]) {
      const subscription = client.newSubscription(channel)
      const end = unsubscribed(subscription)
      subscription.subscribe()
      expect([channel, await end]).toEqual([channel, 103])
    }
  })
})

describe("what a subscription without a client library is told", () => {
  it("25 s after its token's end: unsubscribe 2501", async () => {
    const socket = await rawSocket(running.url)
    const token = jwt({ channel: "$a", exp: seconds() + 3 })
    socket.send({ id: 1, connect: {} }, { id: 2, subscribe: { channel: "$a", token } })
    expect(await nextWith(socket, "subscribe")).toMatchObject({ id: 2, subscribe: { expires: true } })
    let ended: unknown
    await running.pass(40, async () => {
      socket.send({ id: 3, presence_stats: { channel: "$a" } })
      for (let line: object = {}; !("presence_stats" in line); ) {
        line = await socket.next()
        if (Object.keys(line).length === 0) socket.send({})
        if ("unsubscribe" in ((line as { push?: object }).push ?? {})) ended = line
      }
    })
    expect(ended).toEqual({ push: { channel: "$a", unsubscribe: { code: 2501, reason: "subscription expired" } } })
    socket.close()
  })

  it("a publish without data: 107, with null: a publication", async () => {
    const socket = await rawSocket(running.url)
    socket.send(
      { id: 1, connect: {} },
      { id: 2, publish: { channel: "a" } },
      { id: 3, publish: { channel: "a", data: null } },
    )
    await socket.next()
    expect(await socket.next()).toEqual({ id: 2, error: { code: 107, message: "bad request" } })
    expect(await socket.next()).toEqual({ id: 3, publish: {} })
    socket.close()
  })

  it("the data of its token", async () => {
    const socket = await rawSocket(running.url)
    const token = jwt({ channel: "a", b64data: Buffer.from('{"x":1}').toString("base64") })
    socket.send({ id: 1, connect: {} }, { id: 2, subscribe: { channel: "a", token } })
    await socket.next()
    expect(await socket.next()).toMatchObject({ id: 2, subscribe: { data: { x: 1 } } })
    socket.close()
  })
})

describe("bytes that are no JSON", () => {
  const bytes = (text: string) => Buffer.from(text)
  const text = (data: unknown) => Buffer.from(data as Uint8Array).toString("utf8")

  it.each([undefined, "fossil" as const])("pass from one Protobuf client to another, delta %s", async (delta) => {
    const [a, b] = [await open("protobuf"), await open("protobuf")]
    const heard: Array<string> = []
    const subscription = b.newSubscription("raw", delta === undefined ? {} : { delta })
    subscription.on("publication", ({ data }) => heard.push(text(data)))
    subscription.subscribe()
    await subscription.ready(45_000)
    const sent = ["hello world", "hello world", "hello world, hello", '{"json":true}', "\u0000\u0001"]
    for (const each of sent) await a.publish("raw", bytes(each))
    await expect.poll(() => heard.length, { timeout: 45_000 }).toBe(sent.length)
    expect(heard).toEqual(sent)
    expect((await a.history("raw", { limit: -1 })).publications.map(({ data }) => text(data))).toEqual(sent)
    b.disconnect()
    await a.publish("raw", bytes("while away"))
    b.connect()
    await expect.poll(() => heard.at(-1), { timeout: 45_000 }).toBe("while away")
  })

  it("end a JSON client's connection with 3506, whether it hears them, recovers them or reads them", async () => {
    const sender = await open("protobuf")
    const [listener, reader] = [await open("json"), await open("json")]
    const subscription = await subscribed(listener, "raw")
    const [heard, other] = [disconnected(listener), disconnected(reader)]
    await sender.publish("raw", bytes("hello"))
    expect(await heard).toBe(3506)
    reader.history("raw", { limit: 1 }).catch((error: unknown) => error)
    expect(await other).toBe(3506)
    const recovered = disconnected(listener)
    listener.connect()
    expect(await recovered).toBe(3506)
    expect(subscription.state).toBe(SubscriptionState.Subscribing)
    // Where nobody is in the way everything goes on.
    await sender.publish("raw", bytes('{"n":1}'))
    expect(await sender.presenceStats("raw")).toMatchObject({ numClients: 0 })
  })
})
