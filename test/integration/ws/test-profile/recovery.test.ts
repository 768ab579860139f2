/** What a client that was away is given again under the test profile, as the public suites ask it; deltas and filters too. */
import type { Centrifuge, PublicationContext, SubscribedContext, Subscription, SubscriptionOptions } from "centrifuge"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { rawSocket } from "../../../kit/readers/raw-socket.ts"
import {
  type Format,
  nextWith,
  startTestProfile,
  type TestProfileServer,
  value,
} from "../../../kit/servers/test-profile.ts"

let running: TestProfileServer
beforeEach(async () => {
  running = await startTestProfile()
})
afterEach(() => running.stop())

const publish = async (channel: string, data: unknown, more: object = {}) => {
  const { error, result } = await running.api("publish", { channel, data, ...more })
  expect(error).toBeUndefined()
  return result
}

interface Reader {
  readonly client: Centrifuge
  readonly subscription: Subscription
  /** The data of all publications so far. */
  readonly heard: Array<unknown>
  readonly times: Array<SubscribedContext>
  readonly has: (...data: ReadonlyArray<unknown>) => Promise<void>
}

const reader = async (format: Format, channel: string, options: Partial<SubscriptionOptions> = {}): Promise<Reader> => {
  const client = running.client(format)
  client.connect()
  await client.ready(45_000)
  const subscription = client.newSubscription(channel, {
    minResubscribeDelay: 10,
    maxResubscribeDelay: 100,
    ...options,
  })
  const heard: Array<unknown> = []
  const times: Array<SubscribedContext> = []
  subscription.on("publication", ({ data }: PublicationContext) => heard.push(value(format, data)))
  subscription.on("subscribed", (context) => times.push(context))
  subscription.subscribe()
  await subscription.ready(45_000)
  const has = async (...data: ReadonlyArray<unknown>) => {
    await expect.poll(() => heard.length, { timeout: 45_000 }).toBe(data.length)
    expect(heard).toEqual(data)
  }
  return { client, subscription, heard, times, has }
}

describe.each<Format>(["json", "protobuf"])("a client that comes back, %s", (format) => {
  it.each(["anything", "recovery:a"])("gets what it missed, in order, and goes on: %s", async (channel) => {
    const { client, subscription, times, has } = await reader(format, channel)
    await publish(channel, { seq: 1 })
    await has({ seq: 1 })
    client.disconnect()
    for (const seq of [2, 3, 4]) await publish(channel, { seq })
    client.connect()
    await subscription.ready(45_000)
    expect(times.at(-1)).toMatchObject({ wasRecovering: true, recovered: true, recoverable: true, positioned: true })
    await publish(channel, { seq: 5 })
    await has({ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }, { seq: 5 })
  })

  it("gets it also when nobody was there for minutes", async () => {
    const first = await reader(format, "recovery:z")
    const place = await publish("recovery:z", 1)
    await publish("recovery:z", 2)
    await first.has(1, 2)
    first.subscription.unsubscribe()
    await running.pass(120, () => first.client.presenceStats("any"))
    const since = { offset: 1, epoch: String(place?.["epoch"]) }
    const second = await reader(format, "recovery:z", { since })
    expect(second.times.at(-1)?.recovered).toBe(true)
    await second.has(2)
  })

  it("gets it after unsubscribe too, and what a handler's unsubscribe left over at the next subscribe", async () => {
    const { subscription, heard, times, has } = await reader(format, "recovery:b")
    await publish("recovery:b", 1)
    await has(1)
    subscription.unsubscribe()
    for (const seq of [2, 3, 4]) await publish("recovery:b", seq)
    subscription.once("publication", () => subscription.unsubscribe())
    const end = new Promise((done) => subscription.once("unsubscribed", done))
    subscription.subscribe()
    await end
    expect(heard).toEqual([1, 2])
    subscription.subscribe()
    await has(1, 2, 3, 4)
    expect(times.at(-1)?.recovered).toBe(true)
  })

  it("is told when its place is gone, and hears what comes next", async () => {
    const { subscription, times, has } = await reader(format, "smallhistory:a")
    await publish("smallhistory:a", 1)
    await has(1)
    subscription.unsubscribe()
    for (const seq of [2, 3, 4, 5]) await publish("smallhistory:a", seq)
    subscription.subscribe()
    await subscription.ready(45_000)
    expect(times.at(-1)).toMatchObject({ wasRecovering: true, recovered: false })
    await publish("smallhistory:a", 6)
    await has(1, 6)
  })

  it("is told when the history was removed, though the place goes on", async () => {
    const { subscription, times, has } = await reader(format, "removed")
    await publish("removed", 1)
    await has(1)
    subscription.unsubscribe()
    await publish("removed", 2)
    expect(await running.api("history_remove", { channel: "removed" })).toEqual({ result: {} })
    subscription.subscribe()
    await subscription.ready(45_000)
    expect(times.at(-1)).toMatchObject({ wasRecovering: true, recovered: false })
    expect(await publish("removed", 3)).toMatchObject({ offset: 3 })
    await has(1, 3)
  })

  it("begins at a position of its own, or at what its own state says", async () => {
    const result = await publish("recovery:c", 1)
    for (const seq of [2, 3]) await publish("recovery:c", seq)
    const since = { offset: 1, epoch: String(result?.["epoch"]) }
    const pinned = await reader(format, "recovery:c", { since })
    await pinned.has(2, 3)
    let calls = 0
    const stateful = await reader(format, "recovery:c", {
      getState: async () => {
        calls++
        return { offset: 0, epoch: "" }
      },
    })
    await stateful.has(1, 2, 3)
    stateful.client.disconnect()
    await publish("recovery:c", 4)
    stateful.client.connect()
    await stateful.has(1, 2, 3, 4)
    expect(calls).toBe(1)
  })

  it("asks for its state anew when the position is not recoverable (112)", async () => {
    let calls = 0
    const { client, subscription, times } = await reader(format, "smallhistory:b", {
      getState: async () => {
        calls++
        const { result } = await running.api("history", { channel: "smallhistory:b", limit: 0 })
        return { offset: Number(result?.["offset"]), epoch: String(result?.["epoch"]) }
      },
    })
    expect(calls).toBe(1)
    client.disconnect()
    for (let seq = 1; seq <= 5; seq++) await publish("smallhistory:b", seq)
    client.connect()
    await expect.poll(() => times.length, { timeout: 45_000 }).toBe(2)
    expect(calls).toBe(2)
    expect(subscription.state).toBe("subscribed")
  })

  it("gets no publication twice and misses none, whenever it is cut", async () => {
    const { client, subscription, has } = await reader(format, "cuts")
    const all = Array.from({ length: 120 }, (_, seq) => seq)
    for (const seq of all) {
      if (seq % 10 === 5) {
        client.disconnect()
        client.connect()
      }
      await publish("cuts", seq)
    }
    await subscription.ready(45_000)
    await has(...all)
  })

  it("of a channel in cache mode gets the newest value alone", async () => {
    for (const seq of [1, 2, 3]) await publish("cache:a", { seq })
    const { client, subscription, times, has } = await reader(format, "cache:a", { since: { offset: 0, epoch: "" } })
    await has({ seq: 3 })
    expect(times.at(-1)).toMatchObject({ wasRecovering: true, recovered: true })
    client.disconnect()
    for (const seq of [4, 5]) await publish("cache:a", { seq })
    client.connect()
    await subscription.ready(45_000)
    await has({ seq: 3 }, { seq: 5 })
  })

  it("of a channel without history recovers nothing, and hears what comes", async () => {
    const { client, subscription, times, has } = await reader(format, "live:a")
    expect(times.at(-1)).toMatchObject({ recoverable: false, positioned: false })
    expect(times.at(-1)?.streamPosition).toBeUndefined()
    expect(await publish("live:a", 1)).toEqual({})
    await has(1)
    client.disconnect()
    await publish("live:a", 2)
    client.connect()
    await subscription.ready(45_000)
    await publish("live:a", 3)
    await has(1, 3)
  })

  it("does not find in the history what was published beside it", async () => {
    const { client, subscription, has } = await reader(format, "recovery:d")
    await publish("recovery:d", 1)
    expect(await publish("recovery:d", 2, { skip_history: true })).toEqual({})
    await has(1, 2)
    client.disconnect()
    await publish("recovery:d", 3, { skip_history: true })
    await publish("recovery:d", 4)
    client.connect()
    await subscription.ready(45_000)
    await has(1, 2, 4)
  })
})

describe.each<Format>(["json", "protobuf"])("deltas, %s", (format) => {
  const text = (n: number, letter = "я") => ({ n, text: letter.repeat(400) })

  it.each(["anything", "delta:a"])("carry what is alike only once: %s", async (channel) => {
    const { subscription, has } = await reader(format, channel, { delta: "fossil" })
    const all = Array.from({ length: 10 }, (_, n) => text(n, n < 5 ? "я" : "x"))
    for (const each of all) await publish(channel, each)
    await has(...all)
    const { numFullPayloads, numDeltaPayloads, bytesReceived, bytesDecoded } = subscription.deltaStats()
    expect(numFullPayloads).toBeLessThanOrEqual(2)
    expect(numFullPayloads + numDeltaPayloads).toBe(10)
    expect(bytesReceived).toBeLessThan(bytesDecoded / 2)
  })

  it("go on after a recovery, also after one without publications, and beside the history", async () => {
    const { client, subscription, has } = await reader(format, "delta:b", { delta: "fossil" })
    await publish("delta:b", text(1))
    await has(text(1))
    client.disconnect()
    client.connect()
    await subscription.ready(45_000)
    await publish("delta:b", text(2))
    await has(text(1), text(2))
    client.disconnect()
    await publish("delta:b", text(3))
    await publish("delta:b", text(4))
    client.connect()
    await subscription.ready(45_000)
    await publish("delta:b", text(5), { skip_history: true })
    await publish("delta:b", text(6))
    await has(...[1, 2, 3, 4, 5, 6].map((n) => text(n)))
  })

  it("are not there where the namespace has none", async () => {
    const { subscription, has } = await reader(format, "recovery:e", { delta: "fossil" })
    for (const n of [1, 2]) await publish("recovery:e", text(n))
    await has(text(1), text(2))
    expect(subscription.deltaStats().numDeltaPayloads).toBe(0)
  })
})

describe.each<Format>(["json", "protobuf"])("a filter by tags, %s", (format) => {
  it("lets through what it is about, live and recovered", async () => {
    const tagsFilter = { key: "ticker", cmp: "eq", val: "AAPL" }
    const { client, subscription, times, has } = await reader(format, "filtered", {
      tagsFilter,
    } as Partial<SubscriptionOptions>)
    await publish("filtered", 1, { tags: { ticker: "AAPL" } })
    await publish("filtered", 2, { tags: { ticker: "MSFT" } })
    await publish("filtered", 3)
    await publish("filtered", 4, { tags: { ticker: "AAPL" } })
    await has(1, 4)
    client.disconnect()
    await publish("filtered", 5, { tags: { ticker: "MSFT" } })
    await publish("filtered", 6, { tags: { ticker: "AAPL" } })
    client.connect()
    await subscription.ready(45_000)
    expect(times.at(-1)).toMatchObject({ wasRecovering: true, recovered: true })
    await has(1, 4, 6)
  })
})

describe("on the wire", () => {
  it("a positioned subscription has epoch and offset, the first publication its epoch", async () => {
    const socket = await rawSocket(running.url)
    socket.send({ id: 1, connect: {} }, { id: 2, subscribe: { channel: "a", positioned: true } })
    const { subscribe } = await nextWith(socket, "subscribe")
    expect(subscribe).toMatchObject({ positioned: true, epoch: expect.stringMatching(/^[a-zA-Z]{8}$/) })
    await publish("a", { x: 1 }, { tags: { k: "v" } })
    const { epoch } = subscribe as { epoch: string }
    expect(await nextWith(socket, "pub")).toEqual({
      push: { channel: "a", pub: { data: { x: 1 }, offset: 1, tags: { k: "v" }, epoch } },
    })
    socket.close()
  })

  it("a channel without history answers a recovery with was_recovering alone, and its publications have no offset", async () => {
    const socket = await rawSocket(running.url)
    socket.send(
      { id: 1, connect: {} },
      { id: 2, subscribe: { channel: "live:a", recover: true, epoch: "x", offset: 3 } },
    )
    expect(await nextWith(socket, "subscribe")).toEqual({ id: 2, subscribe: { was_recovering: true } })
    await publish("live:a", 1)
    expect(await nextWith(socket, "pub")).toEqual({ push: { channel: "live:a", pub: { data: 1 } } })
    socket.close()
  })
})
