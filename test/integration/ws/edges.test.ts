/** Sockets at servers that have no channels of their own: everything on them is what they have at the server that owns the channels. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type RawSocket, rawSocket } from "../../kit/readers/raw-socket.ts"
import { natsMissing, startNats } from "../../kit/servers/nats.ts"
import { startEdges, type TestEdges } from "../../kit/servers/socket-edges.ts"
import { BOOK, startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"
import { runRecovery } from "../../kit/worlds/recovery-run.ts"

describe("a stream read at three edges, another one after each cut", () => {
  const run = { publications: 2_000, cuts: 20, seed: 7, edges: 3 }
  const isWhole = { ended: "", gaps: 0, duplicates: 0, reorders: 0, wrong: 0, unrecovered: 0 }

  it.each([
    ["the official client, out of memory", "official", "protobuf", true, "memory"],
    ["a bare socket, out of storage", "bare", "json", false, "storage"],
  ] as const)("arrives whole, once and in order: %s", async (_what, reader, format, delta, history) => {
    const facts = await runRecovery({ ...run, reader, format, delta, history })
    expect(facts).toMatchObject(isWhole)
    expect([facts.received, facts.cuts]).toEqual([facts.published, run.cuts])
    expect(facts.recoveries).toBeGreaterThanOrEqual(run.cuts / 2)
  })

  it.skipIf(natsMissing !== null)(`arrives whole over a real broker (${natsMissing ?? "NATS"})`, async () => {
    const nats = await startNats()
    try {
      const over = { reader: "official", format: "json", delta: false, history: "memory", nats: nats.url } as const
      const facts = await runRecovery({ ...run, ...over })
      expect(facts).toMatchObject(isWhole)
      expect([facts.received, facts.cuts]).toEqual([facts.published, run.cuts])
    } finally {
      await nats.kill()
    }
  })
})

const ACCOUNT_EVENT = (n: number): string => JSON.stringify({ kind: "PORTFOLIO.UPDATED", n })

const order = (id: string, orderStatus: string) => ({ tradeOrderId: id, instrumentId: "MOCK:BTC/USDT", orderStatus })
const orderEvent = (id: string, orderStatus: string): string =>
  JSON.stringify({ kind: `TRADE_ORDER.${orderStatus}`, data: order(id, orderStatus) })
const bookRecord = (updateType: "SNAPSHOT" | "DIFF", sequence: number, bids: ReadonlyArray<ReadonlyArray<string>>) =>
  JSON.stringify({
    updateType,
    bids,
    asks: [],
    timestamp: 1,
    sequence,
    previousSequence: sequence - 1,
    quality: "SYNCED",
  })

describe("what an edge answers", () => {
  let owner: TestSockets
  let across: TestEdges
  let edge: TestSockets
  let events = 0
  const clients: Array<RawSocket> = []
  const orders = [order("o1", "OPEN")]
  beforeEach(async () => {
    events = 0
    owner = await startSockets({
      rpc: ({ method, data, principal }, done) =>
        done(
          method === "echo"
            ? { envelope: JSON.stringify({ data, of: principal.userId }), failure: null }
            : "unknown method",
        ),
      sources: {
        tradingAccount: {
          opened: () => {},
          closed: () => {},
          position: () => ({ epoch: "a", offset: events, snapshot: null }),
          replay: (_channel, after, upTo, done) =>
            done(
              Array.from({ length: upTo - after }, (_, i) => ({
                offset: after + i + 1,
                json: ACCOUNT_EVENT(after + i + 1),
              })),
            ),
        },
        accountOrders: {
          opened: () => {},
          closed: () => {},
          position: () => ({ epoch: "a", offset: events, snapshot: null }),
          state: (_channel, done) =>
            done({
              epoch: "a",
              offset: events,
              entries: orders.map((it) => ({ key: it.tradeOrderId, json: JSON.stringify(it) })),
            }),
        },
      },
    })
    across = await startEdges(owner, 2, {})
    edge = across.edges[0]!
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close()
    await across.stop()
    await owner.stop()
  })
  const client = async (token: string, at = edge): Promise<RawSocket> => {
    const raw = await rawSocket(at.url)
    clients.push(raw)
    raw.send({ id: 1, connect: { token } })
    return raw
  }
  const connected = async (token: string, at = edge): Promise<RawSocket> => {
    const raw = await client(token, at)
    expect(await raw.next()).toMatchObject({ id: 1, connect: { version: "3.0.1", expires: true } })
    return raw
  }
  const subscribe = async (raw: RawSocket, channel: string, more = {}): Promise<unknown> => {
    raw.send({ id: 2, subscribe: { channel, ...more } })
    return raw.next()
  }
  const event = (json = ACCOUNT_EVENT(events + 1)): void => {
    events++
    owner.hub.publish(`tradingAccount:${owner.accountId}`, { epoch: "a", offset: events, json })
  }

  it("is what the owner says of tokens, of rights and of channels", async () => {
    expect(await (await client("nobody")).closed).toEqual({ code: 3500, reason: "invalid token" })
    expect(await (await client("old")).next()).toMatchObject({ error: { code: 109 } })
    const bob = await connected("bob")
    expect(await subscribe(bob, `tradingAccount:${owner.accountId}`)).toMatchObject({ error: { code: 103 } })
    expect(await subscribe(bob, "market:trade:MOCK:NO/USDT")).toMatchObject({ error: { code: 102 } })
    expect(await subscribe(bob, BOOK)).toMatchObject({ subscribe: { epoch: "e1" } })
    const unread = await connected("alice-unread")
    expect(await subscribe(unread, BOOK)).toMatchObject({ error: { code: 103 } })
  })

  it("is answered by the owner where it is a call, as who speaks there", async () => {
    const alice = await connected("alice")
    alice.send({ id: 3, rpc: { method: "echo", data: { a: 1 } } })
    expect(await alice.next()).toEqual({ id: 3, rpc: { data: { data: { a: 1 }, of: "alice" } } })
    alice.send({ id: 4, rpc: { method: "nothing" } })
    expect(await alice.next()).toMatchObject({ id: 4, error: { code: 104 } })
  })

  it("has the history of the owner", async () => {
    const alice = await connected("alice")
    for (let i = 0; i < 3; i++) event()
    alice.send({ id: 3, history: { channel: `tradingAccount:${owner.accountId}`, limit: 2, reverse: true } })
    expect(await alice.next()).toMatchObject({
      history: { epoch: "a", offset: 3, publications: [{ offset: 3 }, { offset: 2 }] },
    })
  })

  it("begins with a snapshot of the moment for each who comes, and goes on with what follows", async () => {
    owner.position.offset = 4
    owner.position.snapshot = bookRecord("SNAPSHOT", 4, [["1", "1", ""]])
    const first = await connected("alice")
    expect(await subscribe(first, BOOK)).toMatchObject({
      subscribe: { epoch: "e1", offset: 4, publications: [{ data: { sequence: 4 } }] },
    })
    owner.position.snapshot = bookRecord("SNAPSHOT", 5, [["1", "2", ""]])
    owner.publish(bookRecord("DIFF", 5, [["1", "2", ""]]))
    expect(await first.next()).toMatchObject({ push: { channel: BOOK, pub: { offset: 5 } } })
    const second = await connected("bob")
    expect(await subscribe(second, BOOK)).toMatchObject({
      subscribe: { epoch: "e1", offset: 5, publications: [{ data: { sequence: 5 } }] },
    })
    // A third one is at another edge, with the position of the first.
    const third = await connected("alice", across.edges[1]!)
    expect(await subscribe(third, BOOK, { recover: true, epoch: "e1", offset: 4 })).toMatchObject({
      subscribe: { recovered: true, offset: 4, publications: [{ offset: 5, data: { sequence: 5 } }] },
    })
  })

  it("shows maps of what the owner has", async () => {
    owner.position.offset = 4
    owner.position.snapshot = bookRecord("SNAPSHOT", 4, [["1", "1", ""]])
    const alice = await connected("alice")
    expect(await subscribe(alice, BOOK, { type: 1 })).toMatchObject({
      subscribe: { type: 1, state: [{ key: "bids/1" }, { key: "book" }] },
    })
    owner.publish(bookRecord("DIFF", 5, [["1", "0", ""]]))
    expect(await alice.next()).toMatchObject({ push: { pub: { key: "bids/1", removed: true } } })
    const channel = `tradingAccount:${owner.accountId}:orders`
    alice.send({ id: 3, subscribe: { channel, type: 1 } })
    const replies = [await alice.next(), await alice.next()]
    expect(replies).toContainEqual(
      expect.objectContaining({
        subscribe: expect.objectContaining({ state: [expect.objectContaining({ key: "o1" })] }),
      }),
    )
    event(orderEvent("o2", "OPEN"))
    expect(await alice.next()).toMatchObject({ push: { channel, pub: { key: "o2" } } })
    event(orderEvent("o2", "FILLED"))
    expect(await alice.next()).toMatchObject({ push: { channel, pub: { key: "o2", removed: true } } })
  })

  it("ends with the session", async () => {
    const alice = await connected("alice")
    owner.endSession("session-alice")
    expect(await alice.closed).toEqual({ code: 3500, reason: "invalid token" })
  })

  it("ends subscriptions when a right is gone, though the word of it is lost", async () => {
    const [first, second] = [await connected("alice"), await connected("bob", across.edges[1]!)]
    await subscribe(first, BOOK)
    await subscribe(second, BOOK)
    owner.changeRights("alice", [])
    expect(await first.next()).toMatchObject({ push: { channel: BOOK, unsubscribe: { code: 2103 } } })
    across.lose((subject) => (subject.endsWith(".gate") ? [] : [0.1]))
    owner.changeRights("bob", [])
    expect(await second.next()).toMatchObject({ push: { channel: BOOK, unsubscribe: { code: 2103 } } })
  })

  it("ends subscriptions that the owner ends, though the word of it is lost", async () => {
    const channel = `tradingAccount:${owner.accountId}`
    const [first, second] = [await connected("alice"), await connected("alice", across.edges[1]!)]
    await subscribe(first, channel)
    await subscribe(second, channel)
    across.lose((subject) => (subject.includes(".word.") ? [] : [0.1]))
    event()
    owner.disconnectAccount()
    owner.hub.terminate(channel)
    for (const raw of [first, second]) {
      expect(await raw.next()).toMatchObject({ push: { channel, pub: { offset: 1 } } })
      expect(await raw.next()).toMatchObject({ push: { channel, unsubscribe: { code: 2000 } } })
      expect(await subscribe(raw, channel)).toMatchObject({ error: { code: 103 } })
    }
  })
})
