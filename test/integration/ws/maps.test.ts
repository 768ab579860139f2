/** Maps with the unmodified official client, both encodings: a real order book behind the hub, and scripted tickers and accounts. */
import { setImmediate as turn } from "node:timers/promises"
import { Centrifuge } from "centrifuge"
import { Centrifuge as ProtobufCentrifuge } from "centrifuge/build/protobuf"
import { afterEach, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { BookPublisher } from "../../../src/actors/market/order-book.ts"
import type { InstrumentId, VenueId } from "../../../src/domain/ids.ts"
import type { ChannelSource, ChannelState } from "../../../src/ports/channel-port.ts"
import { type CutProxy, cutProxy } from "../../kit/proxies/cut-proxy.ts"
import { type MapReader, type MapReaderOptions, readMap } from "../../kit/readers/map-reader.ts"
import type { Format } from "../../kit/readers/raw-socket.ts"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { FORMATS, SOON } from "../../kit/servers/conformance.ts"
import { BOOK, startSockets, type TestSocketOptions, type TestSockets } from "../../kit/servers/socket-server.ts"

let sockets: TestSockets
const clients: Array<Centrifuge> = []
const cleanups: Array<() => unknown> = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect()
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const started = async (options: TestSocketOptions = {}): Promise<TestSockets> => {
  const running = await startSockets(options)
  cleanups.push(() => running.stop())
  sockets = running
  return running
}

const clientOf = (format: Format, token = "alice", url = sockets.url): Centrifuge => {
  const make = format === "json" ? Centrifuge : ProtobufCentrifuge
  const client = new make(url, {
    token,
    websocket: WebSocket,
    minReconnectDelay: 10,
    maxReconnectDelay: 50,
  }) as Centrifuge
  clients.push(client)
  client.connect()
  return client
}

const reader = (format: Format, channel: string, options?: MapReaderOptions, token?: string): MapReader =>
  readMap(clientOf(format, token), channel, options)

const subscribed = async (read: MapReader): Promise<MapReader> => {
  await read.subscription.ready(60_000)
  return read
}

/** A server over the real book of the instrument, which the test feeds. */
const startBook = async (options: TestSocketOptions = {}) => {
  const source: ChannelSource = {
    opened: () => book.opened(),
    closed: () => {},
    position: () => book.position(),
  }
  const { hub } = await started({ ...options, sources: { orderbook: source } })
  let epochs = 0
  const book = new BookPublisher({
    instrumentId: "MOCK:BTC/USDT" as InstrumentId,
    name: { venue: "MOCK" as VenueId, symbol: "BTC/USDT" } as ConstructorParameters<typeof BookPublisher>[0]["name"],
    channels: {
      isHeard: (channel) => hub.isHeard(channel),
      publish: (publication) => hub.publish(publication.channel, publication),
      invalidate: (channel) => hub.invalidate(channel),
      terminate: (channel) => hub.terminate(channel),
      attach: () => {},
    },
    newEpoch: () => `epoch${++epochs}`,
  })
  let sequence = 0
  const feed = (isSnapshot: boolean, bids: ReadonlyArray<string>, asks: ReadonlyArray<string>): void =>
    book.onDepth({
      instrumentId: "MOCK:BTC/USDT" as InstrumentId,
      snapshot: isSnapshot,
      bids,
      asks,
      sequence: ++sequence,
      nonce: null,
      venueAt: 1_700_000_000_000 + sequence,
      receivedAt: 0,
    })
  return { book, feed }
}

/** The map as it must be: what the book would tell over HTTP. */
const truth = (book: BookPublisher): ReadonlyMap<string, unknown> => {
  const { bids, asks, sequence, timestamp, quality } = JSON.parse(book.snapshotJson(100_000))
  const level =
    (side: string) =>
    ([price, quantity, orderCount]: ReadonlyArray<string>) =>
      [`${side}/${price}`, { side, price, quantity, orderCount }] as const
  return new Map<string, unknown>([
    ...bids.map(level("bids")),
    ...asks.map(level("asks")),
    ["book", { sequence, timestamp, quality }],
  ])
}

const equals = (read: MapReader, book: BookPublisher) => expect.poll(() => new Map(read.map), SOON).toEqual(truth(book))

/** Flat levels beside each other, from the best on. */
const levels = (from: number, step: number, count: number, quantity = "1"): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, n) => [`${from + n * step}.5`, quantity]).flat()

describe.each(FORMATS)("a book as a map in %s", (format) => {
  it("is empty before the book is there, then every level is an entry, and goes when its quantity is 0", async () => {
    const { book, feed } = await startBook()
    const read = await subscribed(reader(format, BOOK))
    expect(read.told.at(-1)).toBe("sync 0")
    feed(true, ["100.5", "1", "99.5", "2"], ["101.5", "3"])
    await equals(read, book)
    feed(false, ["99.5", "0", "98.5", "4"], ["101.5", "5"])
    await equals(read, book)
    expect(read.updates.slice(4)).toEqual(["-bids/99.5", "bids/98.5", "asks/101.5", "book"])
    // A new spelling of a price is another key.
    feed(false, ["100.50", "7"], [])
    await equals(read, book)
    expect(read.map.has("bids/100.5")).toBe(false)
    book.markStale()
    await expect.poll(() => read.map.get("book"), SOON).toMatchObject({ quality: "STALE" })
    // Positions of the map are its own, and have no hole.
    expect(read.offsets).toEqual(read.offsets.map((_, n) => n + 1))
  })

  it("comes whole in one reply, on the wire as the reference has it", async () => {
    const { book, feed } = await startBook()
    feed(true, ["100.5", "1"], ["101.5", "3"])
    const socket = await rawSocket(sockets.url, { format })
    socket.send(
      { id: 1, connect: { token: "alice" } },
      { id: 2, subscribe: { channel: BOOK, type: 1, phase: 2, flag: 1 } },
    )
    await socket.next()
    expect(await socket.next()).toEqual({
      id: 2,
      subscribe: {
        type: 1,
        recoverable: true,
        epoch: expect.stringMatching(/^[\w-]{8}$/),
        offset: 3,
        state: [
          { key: "bids/100.5", offset: 1, data: { side: "bids", price: "100.5", quantity: "1", orderCount: "" } },
          { key: "asks/101.5", offset: 2, data: { side: "asks", price: "101.5", quantity: "3", orderCount: "" } },
          { key: "book", offset: 3, data: expect.objectContaining({ sequence: 1, quality: "SYNCED" }) },
        ].map((entry, n) => (n === 0 ? { ...entry, offset: 1 } : entry)),
      },
    })
    feed(false, ["100.5", "0"], [])
    expect([await socket.next(), await socket.next()]).toEqual([
      { push: { channel: BOOK, pub: { key: "bids/100.5", removed: true, offset: 4 } } },
      { push: { channel: BOOK, pub: { key: "book", offset: 5, data: expect.objectContaining({ sequence: 2 }) } } },
    ])
    socket.send({ id: 3, subscribe: { channel: BOOK } })
    expect(await socket.next()).toMatchObject({ id: 3, error: { code: 105 } })
    socket.close()
    expect(book.sequence).toBe(2)
  })

  it("lives beside the stream of the same name, and each reader gets its own", async () => {
    const { book, feed } = await startBook()
    feed(true, ["100.5", "1"], ["101.5", "3"])
    const read = await subscribed(reader(format, BOOK))
    const records: Array<unknown> = []
    const stream = clientOf(format).newSubscription(BOOK)
    stream.on("publication", ({ data }) => void records.push(data))
    stream.subscribe()
    await stream.ready(60_000)
    for (let n = 0; n < 50; n++) feed(false, [`9${n % 10}.5`, String(n % 3)], [])
    await equals(read, book)
    await expect.poll(() => records.length, SOON).toBe(51)
  })

  it("of thousands of levels is paged while updates flow, and is the truth in the end", async () => {
    const { book, feed } = await startBook()
    feed(true, levels(50_000, -1, 2500), levels(50_001, 1, 2500))
    const read = reader(format, BOOK, { pageSize: 100 })
    let n = 0
    while (!read.told.some((each) => each.startsWith("sync")) && n < 100_000) {
      n++
      feed(false, [`${50_000 - (n % 3000)}.5`, String(n % 4)], [`${50_001 + ((n * 7) % 3000)}.5`, String((n + 1) % 4)])
      await turn()
    }
    expect(n).toBeGreaterThan(20)
    for (let more = 0; more < 100; more++) feed(false, [`${50_000 - (more % 3000)}.5`, String(more % 2)], [])
    await equals(read, book)
    expect(read.told).toEqual(["subscribing 0", "subscribed", `sync ${read.told[2]?.split(" ")[1]}`])
  })

  it("tells what is different when a SNAPSHOT replaces the book", async () => {
    const { book, feed } = await startBook()
    feed(true, ["100.5", "1", "99.5", "2", "98.5", "3"], ["101.5", "3"])
    const read = await subscribed(reader(format, BOOK))
    feed(true, ["100.5", "1", "98.5", "4", "97.5", "5"], ["101.5", "3"])
    await equals(read, book)
    expect(read.updates).toEqual(["-bids/99.5", "bids/98.5", "bids/97.5", "book"])
    // A crossed book is lost: its levels are told as gone.
    expect(() => feed(false, ["102.5", "1"], [])).toThrow("crossed")
    await equals(read, book)
    expect([...read.map]).toEqual([["book", expect.objectContaining({ quality: "RESYNCING" })]])
  })

  it("that changes in thousands of levels at once is fetched by each reader, not pushed", async () => {
    const { book, feed } = await startBook()
    const read = await subscribed(reader(format, BOOK))
    feed(true, levels(50_000, -1, 2000), levels(50_001, 1, 2000))
    await equals(read, book)
    feed(false, ["50000.5", "9"], [])
    await equals(read, book)
    expect(read.told).toEqual(["subscribing 0", "subscribed", "sync 0", "subscribing 2500", "recovered"])
  })

  it("is recovered after a cut: only what has changed meanwhile is told", async () => {
    const { book, feed } = await startBook()
    feed(true, levels(50_000, -1, 300), levels(50_001, 1, 300))
    const { hostname, port } = new URL(sockets.url)
    const proxy: CutProxy = await cutProxy({ host: hostname, port: Number(port) })
    cleanups.push(() => proxy.close())
    const url = sockets.url.replace(`:${port}`, `:${proxy.port}`)
    const read = readMap(clientOf(format, "alice", url), BOOK)
    await subscribed(read)
    for (let round = 1; round <= 5; round++) {
      for (let n = 0; n < 20; n++) feed(false, [`${50_000 - n}.5`, String((n + round) % 3)], [])
      proxy.cut()
      for (let n = 0; n < 200; n++) feed(false, [`${50_000 - (n % 40)}.5`, String((n + round) % 4)], [])
      const before = read.updates.length
      proxy.mend()
      await equals(read, book)
      // 40 levels and the book's own entry, beside what was still on its way at the cut.
      expect(read.updates.length - before).toBeLessThanOrEqual(41 + 40)
      expect(read.told.filter((each) => each === "recovered")).toHaveLength(round)
    }
    expect(read.told.filter((each) => each.startsWith("sync"))).toEqual(["sync 601"])
  })

  it("is read anew after a position that is gone, unless the application wants to know", async () => {
    const { book, feed } = await startBook()
    feed(true, levels(50_000, -1, 4800), [])
    const { hostname, port } = new URL(sockets.url)
    const proxy = await cutProxy({ host: hostname, port: Number(port) })
    cleanups.push(() => proxy.close())
    const url = sockets.url.replace(`:${port}`, `:${proxy.port}`)
    const read = readMap(clientOf(format, "alice", url), BOOK)
    const strict = readMap(clientOf(format, "alice", url), BOOK, { unrecoverableStrategy: "fatal" })
    await subscribed(read)
    await subscribed(strict)
    proxy.cut()
    // More leave than a map remembers.
    feed(false, levels(50_000, -1, 4400, "0"), [])
    proxy.mend()
    await equals(read, book)
    expect(read.told.filter((each) => each.startsWith("sync"))).toHaveLength(2)
    await expect.poll(() => strict.told.at(-1), SOON).toBe("unsubscribed 112")
  })

  it("spares a reader that does not keep up, and is the truth once it reads again", async () => {
    const { book, feed } = await startBook({ conflateBytes: 65_536, slowMillis: 120_000 })
    feed(true, levels(50_000, -1, 200), levels(50_001, 1, 200))
    const client = clientOf(format)
    const read = await subscribed(readMap(client, BOOK))
    const socket = (Reflect.get(client, "_transport") as { readonly _transport: WebSocket })._transport
    socket.pause()
    let n = 0
    const [connection] = sockets.server.connections
    if (connection === undefined) throw new Error("the client is connected")
    for (let turns = 0; turns < 20_000 && connection.socket.getBufferedAmount() <= 65_536; turns++) {
      for (let each = 0; each < 50; each++) feed(false, [`${50_000 - (++n % 200)}.5`, String(n % 3)], [])
      await turn()
    }
    await expect.poll(() => sockets.server.stats().conflations, SOON).toBe(1)
    for (let each = 0; each < 5000; each++) feed(false, [`${50_000 - (++n % 200)}.5`, String(n % 3)], [])
    socket.resume()
    await equals(read, book)
    for (let each = 0; each < 50; each++) feed(false, [`${50_000 - (++n % 200)}.5`, String(n % 3)], [])
    await equals(read, book)
    expect(read.told.slice(3)).toEqual(["subscribing 2500", "recovered"])
    expect(sockets.server.stats().closes["3008"]).toBeUndefined()
  })

  it("lives on for half a minute after its last reader, then lets the book go", async () => {
    const { book, feed } = await startBook({ handTurned: true })
    feed(true, ["100.5", "1"], ["101.5", "3"])
    const { hub, turn: pass } = sockets
    const first = await subscribed(reader(format, BOOK))
    const left = async (read: MapReader): Promise<void> => {
      read.subscription.unsubscribe()
      await expect.poll(() => hub.stats().subscriptions, SOON).toBe(0)
    }
    await left(first)
    feed(false, ["100.5", "2"], [])
    pass(29)
    hub.sweep()
    first.subscription.subscribe()
    await equals(first, book)
    expect(first.told.slice(-1)).toEqual(["recovered"])
    await left(first)
    pass(31)
    hub.sweep()
    expect(hub.isHeard(BOOK)).toBe(true)
    pass(31)
    hub.sweep()
    expect([hub.isHeard(BOOK), hub.stats().channels]).toEqual([false, 0])
    feed(false, ["100.5", "3"], [])
    first.subscription.subscribe()
    await equals(first, book)
    expect(first.told.slice(-2)).toEqual(["subscribed", "sync 3"])
  })

  it("on a busy hub tells the newest of each key in a window, and ends with the truth", async () => {
    const { book, feed } = await startBook({ windowMillis: 20 })
    feed(true, levels(50_000, -1, 50), levels(50_001, 1, 50))
    const read = await subscribed(reader(format, BOOK))
    // So many readers that a hub on any machine would rather gather.
    for (let others = 0; others < 20; others++) {
      const socket = await rawSocket(sockets.url)
      cleanups.push(() => socket.close())
      socket.send({ id: 1, connect: { token: "alice" } }, { id: 2, subscribe: { channel: BOOK, type: 1, phase: 2 } })
      await socket.next()
      await socket.next()
    }
    let n = 0
    for (let turns = 0; turns < 20_000 && !sockets.hub.stats().windowed; turns++) {
      for (let each = 0; each < 50; each++) feed(false, [`${50_000 - (++n % 50)}.5`, String(1 + (n % 3))], [])
      await turn()
    }
    expect(sockets.hub.stats().windowed).toBe(true)
    for (let each = 0; each < 1000; each++) feed(false, [`${50_000 - (++n % 50)}.5`, String(1 + (n % 5))], [])
    await equals(read, book)
    // Each update of the book changed a level and the book's own entry.
    expect(read.updates.length).toBeLessThan(2 * n)
    const offsets = read.offsets.map((offset) => offset ?? 0)
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b))
  })
})

describe.each(FORMATS)("a venue's tickers as a map in %s", (format) => {
  const TICKERS = "market:ticker:MOCK"
  const ticker = (symbol: string, last: number) => {
    const instrumentId = `MOCK:${symbol}`
    const record = { instrumentId, symbol, lastPrice: String(last) }
    sockets.stream(TICKERS).publish(JSON.stringify(record), { subject: instrumentId, tags: { instrumentId } })
    return [instrumentId, record] as const
  }

  it("have one entry per instrument, and can be filtered by it", async () => {
    await started()
    sockets.stream(TICKERS)
    const all = await subscribed(reader(format, TICKERS))
    const one = await subscribed(
      reader(format, TICKERS, { tagsFilter: { key: "instrumentId", cmp: "eq", val: "MOCK:ETH/USDT" } }),
    )
    ticker("BTC/USDT", 1)
    ticker("ETH/USDT", 2)
    const btc = ticker("BTC/USDT", 3)
    const eth = ticker("ETH/USDT", 4)
    await expect.poll(() => new Map(all.map), SOON).toEqual(new Map([btc, eth]))
    await expect.poll(() => new Map(one.map), SOON).toEqual(new Map([eth]))
    const late = await subscribed(reader(format, TICKERS))
    expect(late.map).toEqual(new Map([btc, eth]))
    expect(one.updates).not.toContain("MOCK:BTC/USDT")
  })
})

describe.each(FORMATS)("an account's maps in %s", (format) => {
  /** Reads of state wait until the test answers. */
  const accounts = () => {
    const asked: Array<(state: ChannelState | null) => void> = []
    const stateful: ChannelSource = {
      opened: () => {},
      closed: () => {},
      position: () => ({ epoch: "e", offset: 0, snapshot: null }),
      state: (_channel, done) => void asked.push(done),
    }
    const answer = async (state: ChannelState | null): Promise<void> => {
      await expect.poll(() => asked.length, SOON).toBeGreaterThan(0)
      asked.shift()?.(state)
    }
    return { sources: { accountOrders: stateful, accountPositions: stateful }, answer, asked }
  }
  const order = (id: string, orderStatus: string, price = "1") => ({
    tradeOrderId: id,
    instrumentId: "MOCK:BTC/USDT",
    orderStatus,
    price,
  })
  const entry = (record: ReturnType<typeof order>) => ({ key: record.tradeOrderId, json: JSON.stringify(record) })
  const event = (kind: string, record: unknown): void => {
    sockets.stream(`tradingAccount:${sockets.accountId}`).publish(JSON.stringify({ kind, sequence: 0, data: record }))
  }

  it("wait for the state, leave out what it includes, and go on with what came meanwhile", async () => {
    const { sources, answer } = accounts()
    await started({ sources })
    const base = sockets.stream(`tradingAccount:${sockets.accountId}`)
    base.position.offset = 40
    const read = reader(format, `tradingAccount:${sockets.accountId}:orders`)
    await expect.poll(() => sockets.hub.isHeard(base.channel), SOON).toBe(true)
    event("TRADE_ORDER.ACCEPTED", order("included", "ACCEPTED", "old"))
    event("TRADE_ORDER.FILLED", order("done", "FILLED"))
    event("TRADE_ORDER.ACCEPTED", order("fresh", "ACCEPTED"))
    event("PORTFOLIO.UPDATED", [])
    await answer({
      epoch: "e",
      offset: 42,
      entries: [entry(order("included", "ACCEPTED", "new")), entry(order("resting", "ACCEPTED"))],
    })
    await subscribed(read)
    expect(read.told).toEqual(["subscribing 0", "subscribed", "sync 3"])
    expect(read.map).toEqual(
      new Map(
        [order("included", "ACCEPTED", "new"), order("resting", "ACCEPTED"), order("fresh", "ACCEPTED")].map((each) => [
          each.tradeOrderId,
          each,
        ]),
      ),
    )
    event("TRADE_ORDER.CANCELLED", order("resting", "CANCELLED"))
    event("TRADE_ORDER.PARTIALLY_FILLED", order("fresh", "PARTIALLY_FILLED"))
    await expect.poll(() => read.updates, SOON).toEqual(["-resting", "fresh"])
    expect([...read.map.keys()]).toEqual(["included", "fresh"])
  })

  it("refuse for the moment when the state cannot be read, and the client tries again", async () => {
    const { sources, answer } = accounts()
    await started({ sources })
    const read = reader(format, `tradingAccount:${sockets.accountId}:positions`)
    const errors: Array<number> = []
    read.subscription.on("error", ({ error }) => void errors.push(error.code))
    await answer(null)
    await expect.poll(() => errors, SOON).toEqual([100])
    await answer({ epoch: "e", offset: 0, entries: [{ key: "BTC", json: '{"currency":"BTC","balance":"1"}' }] })
    await subscribed(read)
    expect(read.map).toEqual(new Map([["BTC", { currency: "BTC", balance: "1" }]]))
  })

  it("are read anew when their source says so or an event is missing; readers get the difference", async () => {
    const { sources, answer } = accounts()
    await started({ sources })
    const channel = `tradingAccount:${sockets.accountId}:positions`
    const read = reader(format, channel)
    const position = (currency: string, balance: string) => ({
      key: currency,
      json: JSON.stringify({ currency, balance }),
    })
    await answer({ epoch: "e.0", offset: 0, entries: [position("BTC", "1"), position("ETH", "2")] })
    await subscribed(read)
    sockets.hub.invalidate(channel)
    await answer({ epoch: "e.7", offset: 7, entries: [position("BTC", "1"), position("XRP", "3")] })
    await expect.poll(() => read.updates, SOON).toEqual(["-ETH", "XRP"])
    const base = sockets.stream(`tradingAccount:${sockets.accountId}`)
    base.position.offset = 9
    event("PORTFOLIO.UPDATED", [{ currency: "BTC", balance: "99" }])
    await answer({ epoch: "e.7", offset: 10, entries: [position("BTC", "5"), position("XRP", "3")] })
    await expect.poll(() => read.map.get("BTC"), SOON).toEqual({ currency: "BTC", balance: "5" })
    event("PORTFOLIO.UPDATED", [{ currency: "BTC", balance: "6" }])
    await expect.poll(() => read.map.get("BTC"), SOON).toEqual({ currency: "BTC", balance: "6" })
    expect(read.told).toEqual(["subscribing 0", "subscribed", "sync 2"])
  })

  it("send their readers back when the state cannot be read any more", async () => {
    const { sources, answer } = accounts()
    await started({ sources })
    const channel = `tradingAccount:${sockets.accountId}:orders`
    const read = reader(format, channel)
    await answer({ epoch: "e", offset: 0, entries: [entry(order("a", "ACCEPTED"))] })
    await subscribed(read)
    sockets.hub.invalidate(channel)
    await answer(null)
    await answer({ epoch: "e", offset: 3, entries: [entry(order("b", "ACCEPTED"))] })
    await expect.poll(() => read.updates, SOON).toEqual(["-a", "b"])
    expect(read.told.slice(3)).toEqual(["subscribing 2500", "recovered"])
  })

  it("are refused when the account went while its state was read", async () => {
    const { sources, asked } = accounts()
    await started({ sources })
    const read = reader(format, `tradingAccount:${sockets.accountId}:orders`)
    await expect.poll(() => asked.length, SOON).toBe(1)
    sockets.disconnectAccount()
    asked.shift()?.({ epoch: "e", offset: 0, entries: [entry(order("a", "ACCEPTED"))] })
    await expect.poll(() => read.told.at(-1), SOON).toBe("unsubscribed 103")
  })

  it("end with the account", async () => {
    const { sources, answer } = accounts()
    await started({ sources })
    const read = reader(format, `tradingAccount:${sockets.accountId}:orders`)
    await answer({ epoch: "e", offset: 0, entries: [] })
    await subscribed(read)
    event("TRADE_ORDER.ACCEPTED", order("last", "ACCEPTED"))
    sockets.hub.terminate(`tradingAccount:${sockets.accountId}`)
    await expect.poll(() => read.told.at(-1), SOON).toBe("unsubscribed 2000")
    expect(read.updates).toEqual(["last"])
  })

  it("are for the owner, as maps only", async () => {
    await started({ sources: accounts().sources })
    for (const part of ["orders", "positions"]) {
      const channel = `tradingAccount:${sockets.accountId}:${part}`
      const strange = reader(format, channel, {}, "bob")
      await expect.poll(() => strange.told.at(-1), SOON).toBe("unsubscribed 103")
      const socket = await rawSocket(sockets.url, { format })
      socket.send({ id: 1, connect: { token: "alice" } }, { id: 2, subscribe: { channel } })
      await socket.next()
      expect(await socket.next()).toMatchObject({ id: 2, error: { code: 103 } })
      socket.close()
    }
  })

  it("answer a second page asked for meanwhile with 113, and an unsubscribe in its turn", async () => {
    const { sources, answer, asked } = accounts()
    await started({ sources })
    const channel = `tradingAccount:${sockets.accountId}:orders`
    const socket = await rawSocket(sockets.url, { format })
    socket.send({ id: 1, connect: { token: "alice" } })
    await socket.next()
    const subscribe = { channel, type: 1, phase: 2 }
    socket.send({ id: 2, subscribe }, { id: 3, subscribe }, { id: 4, unsubscribe: { channel } }, { id: 5, subscribe })
    expect(await socket.next()).toMatchObject({ id: 3, error: { code: 113, temporary: true } })
    await answer({ epoch: "e", offset: 0, entries: [entry(order("a", "ACCEPTED"))] })
    expect(await socket.next()).toMatchObject({ id: 2, subscribe: { type: 1, state: [{ key: "a" }] } })
    expect(await socket.next()).toMatchObject({ id: 4, unsubscribe: {} })
    expect(await socket.next()).toMatchObject({ id: 5, subscribe: { type: 1, state: [{ key: "a" }] } })
    expect(asked).toHaveLength(0)
    socket.close()
  })
})
