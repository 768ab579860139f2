/** Channels of klines: the newest bar wins while it lives, every closed one arrives once, whatever happens to the line. */
import { Centrifuge } from "centrifuge"
import { afterEach, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { cutProxy } from "../../kit/proxies/cut-proxy.ts"
import { FORMATS, SOON, useRoom } from "../../kit/servers/conformance.ts"
import { type ScriptedStream, startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

const MINUTES = "market:kline:MOCK:BTC/USDT:1m"
const KEPT = 4

/** A publisher of bars as the board is one: the snapshot is the newest record. */
const bars = (stream: ScriptedStream) => {
  const publish = (bar: number, state: string, isFinal: boolean): number => {
    const json = JSON.stringify({ bar, state })
    stream.position.snapshot = json
    return stream.publish(json, isFinal ? { isFinal } : {})
  }
  return {
    lives: (bar: number, state: string) => publish(bar, state, false),
    closes: (bar: number) => publish(bar, "closed", true),
  }
}

interface Subscribed {
  readonly subscribe: {
    readonly recovered?: boolean
    readonly was_recovering?: boolean
    readonly offset: number
    readonly epoch: string
    readonly publications?: ReadonlyArray<{ readonly data: unknown; readonly offset: number }>
  }
}

describe.each(FORMATS)("a channel of klines in %s", (format) => {
  const room = useRoom({ channels: { kline: { finalsMax: KEPT } } })
  let hour = 0
  /** Each test has a channel of its own. */
  const begin = async () => {
    const channel = `market:kline:MOCK:BTC/USDT:${["1h", "2h", "4h", "6h", "8h", "12h", "1d", "3d"][hour++]}`
    const stream = room.sockets.stream(channel)
    const [listener] = await room.subscribed(channel, format)
    const subscribed = async (more = {}): Promise<Subscribed["subscribe"]> => {
      const [, reply] = await room.subscribed(channel, format, more)
      return (reply as unknown as Subscribed).subscribe
    }
    return { channel, stream, listener, subscribed, epoch: stream.position.epoch, ...bars(stream) }
  }

  it("shows a newcomer the bar that lives, and nothing before it", async () => {
    const { lives, closes, subscribed } = await begin()
    lives(1, "a")
    closes(1)
    lives(2, "b")
    const offset = lives(2, "c")
    expect((await subscribed()).publications).toEqual([{ data: { bar: 2, state: "c" }, offset }])
  })

  it("shows a newcomer the bar that closed last, until there is another", async () => {
    const { lives, closes, subscribed } = await begin()
    lives(1, "a")
    const offset = closes(1)
    expect((await subscribed()).publications).toEqual([{ data: { bar: 1, state: "closed" }, offset }])
  })

  it("gives a reader who comes back the bars that closed meanwhile, then the one that lives", async () => {
    const { lives, closes, subscribed, epoch } = await begin()
    lives(1, "a")
    closes(1)
    const seen = lives(2, "b")
    lives(2, "c")
    const closed = [closes(2), lives(3, "d"), closes(3)]
    const newest = lives(4, "e")
    const { recovered, publications, offset } = await subscribed({ recover: true, offset: seen, epoch })
    expect(recovered).toBe(true)
    expect(offset).toBe(newest)
    expect(publications).toEqual([
      { data: { bar: 2, state: "closed" }, offset: closed[0] },
      { data: { bar: 3, state: "closed" }, offset: closed[2] },
      { data: { bar: 4, state: "e" }, offset: newest },
    ])
    const current = await subscribed({ recover: true, offset: newest, epoch })
    expect(current).toMatchObject({ recovered: true, was_recovering: true })
    expect(current).not.toHaveProperty("publications")
  })

  it("recovers a reader whose bar still lives with its newest state alone", async () => {
    const { lives, subscribed, epoch } = await begin()
    const seen = lives(1, "a")
    const offset = lives(1, "b")
    expect(await subscribed({ recover: true, offset: seen, epoch })).toMatchObject({
      recovered: true,
      publications: [{ data: { bar: 1, state: "b" }, offset }],
    })
  })

  it("tells a reader who was away too long that it missed something", async () => {
    const { lives, closes, subscribed, epoch } = await begin()
    const seen = lives(1, "a")
    for (let bar = 1; bar <= KEPT; bar++) closes(bar)
    expect((await subscribed({ recover: true, offset: seen, epoch })).publications).toHaveLength(KEPT)
    closes(KEPT + 1)
    const offset = lives(KEPT + 2, "b")
    const late = await subscribed({ recover: true, offset: seen, epoch })
    expect(late).toMatchObject({
      was_recovering: true,
      publications: [{ data: { bar: KEPT + 2, state: "b" }, offset }],
    })
    expect(late).not.toHaveProperty("recovered")
  })

  it("tells a reader of another epoch so too, but gives the newest to whoever asks from nowhere", async () => {
    const { lives, closes, subscribed } = await begin()
    closes(1)
    const offset = lives(2, "b")
    const publications = [{ data: { bar: 2, state: "b" }, offset }]
    const other = await subscribed({ recover: true, offset: 1, epoch: "gone" })
    expect(other).toMatchObject({ was_recovering: true, publications })
    expect(other).not.toHaveProperty("recovered")
    expect(await subscribed({ recover: true })).toMatchObject({ recovered: true, publications })
  })
})

describe("a reader of klines", () => {
  let sockets: TestSockets | undefined
  const clients: Array<Centrifuge> = []
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect()
    await sockets?.stop()
    sockets = undefined
  })

  /** The official client, and what it was told. */
  const reader = async (url: string) => {
    const client = new Centrifuge(url, {
      token: "alice",
      websocket: WebSocket,
      minReconnectDelay: 20,
      maxReconnectDelay: 50,
    })
    clients.push(client)
    const seen: Array<{ readonly bar: number; readonly state: string }> = []
    const subscription = client.newSubscription(MINUTES)
    subscription.on("publication", ({ data }) => seen.push(data))
    subscription.subscribe()
    client.connect()
    await subscription.ready(60_000)
    return { seen, subscription, closed: () => seen.filter(({ state }) => state === "closed").map(({ bar }) => bar) }
  }

  it("gets every closed bar once when the server gathers, and fewer states of those that live", async () => {
    sockets = await startSockets({ windowMillis: 50 })
    const { lives, closes } = bars(sockets.stream(MINUTES))
    const { seen, closed } = await reader(sockets.url)
    // So many readers that a hub which did not gather would be busy on any machine.
    for (let others = 0; others < 20; others++) await reader(sockets.url)
    let [bar, states] = [0, 0]
    for (let sample = 0; sample < 4; sample++) {
      await new Promise((done) => setTimeout(done, 60))
      for (let i = 0; i < 100; i++) {
        bar++
        for (let state = 0; state < 200; state++) lives(bar, String(++states))
        closes(bar)
      }
    }
    expect(sockets.hub.stats().windowed).toBe(true)
    lives(bar + 1, "last")
    await expect.poll(() => seen.at(-1), SOON).toEqual({ bar: bar + 1, state: "last" })
    expect(closed()).toEqual(Array.from({ length: bar }, (_, i) => i + 1))
    expect(seen.length).toBeLessThan(states)
    // In the order of time: nothing of a bar after its end.
    expect(seen.map((it) => it.bar)).toEqual(seen.map((it) => it.bar).toSorted((a, b) => a - b))
  })

  it("gets every closed bar once over a line that is cut again and again", async () => {
    const running = await startSockets()
    sockets = running
    const proxy = await cutProxy({ host: "127.0.0.1", port: Number(new URL(running.url).port) })
    const { lives, closes } = bars(running.stream(MINUTES))
    const { seen, closed, subscription } = await reader(running.url.replace(/:\d+\//, `:${proxy.port}/`))
    let bar = 0
    for (let round = 0; round < 12; round++) {
      for (let i = 0; i < 5; i++) {
        lives(++bar, "lives")
        if (i === round % 5) proxy.cut()
        closes(bar)
      }
      proxy.mend()
      lives(bar + 1, `round ${round}`)
      await expect.poll(() => seen.at(-1), SOON).toEqual({ bar: bar + 1, state: `round ${round}` })
    }
    expect(closed()).toEqual(Array.from({ length: bar }, (_, i) => i + 1))
    expect(subscription.state).toBe("subscribed")
    await proxy.close()
  })
})
