/** Subscriptions that the server makes: by the claims of a token, by the personal channel, by the server API; with recovery. */
import type { Centrifuge } from "centrifuge"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  type Format,
  jwt,
  payload,
  startTestProfile,
  type TestProfileServer,
  value,
} from "../../../kit/servers/test-profile.ts"

let running: TestProfileServer
beforeEach(async () => {
  running = await startTestProfile()
})
afterEach(() => running.stop())

const seconds = () => Math.floor(Date.now() / 1000)
const publish = (channel: string, data: unknown) => running.api("publish", { channel, data })

interface Heard {
  readonly client: Centrifuge
  /** What the client was told of the server's subscriptions, one word each. */
  readonly words: Array<string>
  readonly has: (...words: ReadonlyArray<string>) => Promise<void>
}

/** Without the personal channel's words, unless they are asked for. */
const listening = (format: Format, options: Parameters<TestProfileServer["client"]>[1], personal = false): Heard => {
  const client = running.client(format, options)
  const words: Array<string> = []
  const say = (channel: string, word: string): void => {
    if (personal || !channel.startsWith("#")) words.push(word)
  }
  client.on("subscribed", ({ channel, recovered, data }) => {
    const said = JSON.stringify(data === undefined ? undefined : value(format, data))
    say(
      channel,
      ["subscribed", channel, ...(recovered ? ["recovered"] : []), ...(said === undefined ? [] : [said])].join(" "),
    )
  })
  client.on("unsubscribed", ({ channel }) => say(channel, `unsubscribed ${channel}`))
  client.on("publication", ({ channel, data }) => say(channel, `${channel} ${JSON.stringify(value(format, data))}`))
  client.on("join", ({ channel, info }) => say(channel, `join ${channel} ${info.user}`))
  client.on("leave", ({ channel, info }) => say(channel, `leave ${channel} ${info.user}`))
  client.connect()
  const has = async (...expected: ReadonlyArray<string>): Promise<void> => {
    await expect.poll(() => words.length, { timeout: 45_000 }).toBeGreaterThanOrEqual(expected.length)
    expect(words).toEqual(expected)
  }
  return { client, words, has }
}

describe.each<Format>(["json", "protobuf"])("a subscription by the server, %s", (format) => {
  it("comes with the token's channels and with what it says of them, private ones too", async () => {
    const token = jwt({
      sub: "42",
      channels: ["recovery:a"],
      subs: { "$recovery:b": { info: { seat: 7 }, b64data: Buffer.from('{"hello":1}').toString("base64") } },
    })
    const { has, client } = listening(format, { token })
    await has("subscribed recovery:a", 'subscribed $recovery:b {"hello":1}')
    await publish("$recovery:b", { x: 1 })
    await has("subscribed recovery:a", 'subscribed $recovery:b {"hello":1}', '$recovery:b {"x":1}')
    expect(client.state).toBe("connected")
  })

  it("is the user's own channel, as the suite of centrifuge-python waits for it", async () => {
    const { client, has } = listening(format, { token: jwt({ sub: "42" }) }, true)
    await has("subscribed #42", "join #42 42")
    await client.publish("#42", payload(format, { input: "test" }))
    await has("subscribed #42", "join #42 42", '#42 {"input":"test"}')
  })

  it("is not made for a token that names a channel of no namespace", async () => {
    const { client } = listening(format, { token: jwt({ sub: "42", channels: ["nobody:knows"] }) })
    const code = await new Promise<number>((end) => client.once("disconnected", (context) => end(context.code)))
    expect(code).toBe(3500)
  })

  it("recovers what was missed", async () => {
    const { client, has } = listening(format, { token: jwt({ sub: "42", channels: ["recovery:a"] }) })
    await has("subscribed recovery:a")
    await publish("recovery:a", 1)
    await has("subscribed recovery:a", "recovery:a 1")
    client.disconnect()
    await publish("recovery:a", 2)
    await publish("recovery:a", 3)
    client.connect()
    await client.ready(45_000)
    await publish("recovery:a", 4)
    await has(
      "subscribed recovery:a",
      "recovery:a 1",
      "subscribed recovery:a recovered",
      "recovery:a 2",
      "recovery:a 3",
      "recovery:a 4",
    )
  })

  it("is made and ended by the server API, for the user or for one client", async () => {
    const { client, has } = listening(format, { token: jwt({ sub: "42" }) })
    await client.ready(45_000)
    const other = listening(format, { token: jwt({ sub: "43" }) })
    await other.client.ready(45_000)
    const result = await running.api("subscribe", {
      user: "42",
      channel: "recovery:a",
      data: { seat: 1 },
      info: { seat: 1 },
    })
    expect(result).toEqual({ result: {} })
    await has('subscribed recovery:a {"seat":1}')
    await publish("recovery:a", 1)
    await has('subscribed recovery:a {"seat":1}', "recovery:a 1")
    await running.api("unsubscribe", { user: "42", channel: "recovery:a" })
    await has('subscribed recovery:a {"seat":1}', "recovery:a 1", "unsubscribed recovery:a")
    await publish("recovery:a", 2)
    await client.presenceStats("any")
    await has('subscribed recovery:a {"seat":1}', "recovery:a 1", "unsubscribed recovery:a")
    expect(other.words).toEqual([])
  })

  it("gets what it is to have missed, when the API says since when", async () => {
    const first = await publish("recovery:a", 1)
    await publish("recovery:a", 2)
    const { client, has } = listening(format, { token: jwt({ sub: "42" }) })
    await client.ready(45_000)
    const recover_since = first.result
    await running.api("subscribe", { user: "42", channel: "recovery:a", recover_since })
    await publish("recovery:a", 3)
    await has("subscribed recovery:a", "recovery:a 2", "recovery:a 3")
  })

  it("follows the token: a new one ends what it does not name any more, and begins what it does", async () => {
    let calls = 0
    const { has } = listening(format, {
      getToken: async () => {
        calls++
        return calls === 1
          ? jwt({ sub: "42", channels: ["recovery:a", "recovery:b"], exp: seconds() + 3 })
          : jwt({ sub: "42", channels: ["recovery:b", "recovery:c"], exp: seconds() + 3600 })
      },
    })
    await has("subscribed recovery:a", "subscribed recovery:b", "unsubscribed recovery:a", "subscribed recovery:c")
  })

  it("ends all of a user's, the client's own too, when the API names no channel", async () => {
    const { client, has } = listening(format, { token: jwt({ sub: "42", channels: ["recovery:a"] }) })
    await client.ready(45_000)
    const subscription = client.newSubscription("mine")
    subscription.subscribe()
    await subscription.ready(45_000)
    const end = new Promise<number>((done) => subscription.once("unsubscribed", ({ code }) => done(code)))
    await running.api("unsubscribe", { user: "42" })
    expect(await end).toBe(2000)
    await has("subscribed recovery:a", "unsubscribed recovery:a")
  })
})
