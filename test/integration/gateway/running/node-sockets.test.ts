/** Sockets at two gateways of one cluster, with the official client: at the one that does not own the database they have what they have at the other, and go on behind its death. */
import { Centrifuge, type PublicationContext, type Subscription } from "centrifuge"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { OrderBookRecord } from "../../../../src/domain/market/market.ts"
import { type ClusterProcess, ownerOf, sharedKeys, startClusterNode } from "../../../kit/servers/cluster.ts"
import { Api, endGateways, until } from "../../../kit/servers/gateway.ts"
import { type NatsServer, natsMissing, startNats } from "../../../kit/servers/nats.ts"
import { withDatabaseServer } from "./database.ts"

const newDatabase = withDatabaseServer()
const BOOK = "market:orderbook:MOCK:BTC/USDT"

interface Reader {
  readonly subscription: Subscription
  readonly publications: Array<PublicationContext>
  /** As each subscribe was answered. */
  readonly answers: Array<{ readonly wasRecovering: boolean; readonly recovered: boolean; readonly epoch: string }>
}

const read = (client: Centrifuge, channel: string): Reader => {
  const subscription = client.newSubscription(channel)
  const reader: Reader = { subscription, publications: [], answers: [] }
  subscription.on("publication", (publication) => reader.publications.push(publication))
  subscription.on("subscribed", ({ wasRecovering, recovered, streamPosition }) =>
    reader.answers.push({ wasRecovering, recovered, epoch: streamPosition?.epoch ?? "" }),
  )
  subscription.subscribe()
  return reader
}

describe.skipIf(natsMissing !== null)(`sockets of nodes${natsMissing === null ? "" : ` (${natsMissing})`}`, () => {
  let nats: NatsServer
  let owner: ClusterProcess
  let next: ClusterProcess
  let edge: ClusterProcess
  let user: Api
  let accountId: string
  const clients: Array<Centrifuge> = []
  const clientAt = (node: ClusterProcess, token = user.token!): Centrifuge => {
    const client = new Centrifuge(node.ws, {
      token,
      websocket: WebSocket,
      minReconnectDelay: 20,
      maxReconnectDelay: 200,
    })
    clients.push(client)
    client.connect()
    return client
  }
  const order = (key: string) => ({
    tradingAccountId: accountId,
    instrumentId: "MOCK:BTC/USDT",
    orderSide: "BUY",
    orderType: "MARKET",
    quantity: "0.01",
    idempotencyKey: key,
  })
  const kinds = ({ publications }: Reader): ReadonlyArray<string> =>
    publications.map(({ offset, data }) => `${offset} ${(data as { readonly eventId: string }).eventId}`)

  beforeAll(async () => {
    const database = await newDatabase()
    nats = await startNats({ user: { name: "gateway", password: "of the broker's own" } })
    const env = { ...sharedKeys(), DATABASE_URL: database.url, NATS_URL: nats.url, MOCK_TICK_MS: "50" }
    const nodes = await Promise.all([
      startClusterNode("a", env),
      startClusterNode("b", env),
      startClusterNode("c", { ...env, ROLES: "edge" }),
    ])
    edge = nodes[2]
    owner = await ownerOf(nodes)
    next = nodes.find((it) => it !== owner && it !== edge)!
    const anybody = new Api(edge.http)
    await anybody.signup("a@example.com")
    user = anybody.as((await anybody.login("a@example.com")).record.accessToken)
    accountId = (await user.connectMock()).record.tradingAccountId
  })
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    await endGateways()
    await nats?.kill()
  })

  it("have the same events under the same numbers, the same book, and calls; and end with the session", async () => {
    const here = clientAt(owner)
    const there = clientAt(edge)
    const channel = `tradingAccount:${accountId}`
    const readers = [read(here, channel), read(there, channel)]
    const books = [read(here, BOOK), read(there, BOOK)]
    for (const { subscription } of [...readers, ...books]) await subscription.ready(60_000)
    const { data } = await there.rpc("tradeOrder.submit", order("by-call"))
    expect(data).toMatchObject({ success: true, data: { tradingAccountId: accountId } })
    await until(
      "all events",
      () => kinds(readers[0]!).length >= 4 && kinds(readers[1]!).length === kinds(readers[0]!).length,
    )
    expect(kinds(readers[1]!)).toEqual(kinds(readers[0]!))
    expect(readers[1]!.answers).toEqual(readers[0]!.answers)
    await until("books", () => books.every(({ publications }) => publications.length > 3))
    expect(books[1]!.answers[0]!.epoch).toBe(books[0]!.answers[0]!.epoch)
    const other = await new Api(edge.http).login("a@example.com")
    const leaving = clientAt(edge, other.record.accessToken)
    await leaving.ready(60_000)
    const gone = new Promise<number>((resolve) => leaving.on("disconnected", ({ code }) => resolve(code)))
    await user.as(other.record.accessToken).post("/auth/logout", {})
    expect(await gone).toBe(3500)
    expect(there.state).toBe("connected")
  })

  it("tell that a book is not of now while the broker is away, and go on with it behind that", async () => {
    const book = read(clientAt(edge), BOOK)
    await book.subscription.ready(60_000)
    const qualities = (): ReadonlyArray<string> =>
      book.publications.map(({ data }) => (data as OrderBookRecord).quality)
    await nats.kill()
    await until("the book to be outdated", () => qualities().includes("STALE"))
    await nats.start()
    await until("the book to be of now", () => qualities().at(-1) === "SYNCED")
    const records = book.publications.map(({ data }) => data as OrderBookRecord)
    for (const [i, { updateType, previousSequence }] of records.entries())
      if (i > 0 && updateType === "DIFF") expect(previousSequence).toBe(records[i - 1]!.sequence)
  })

  it("go on when the owner is killed: accounts without a gap, books from a new snapshot", async () => {
    const channel = `tradingAccount:${accountId}`
    const [there, waiting] = [clientAt(edge), clientAt(next)]
    const readers = [read(there, channel), read(waiting, channel)]
    const book = read(there, BOOK)
    for (const { subscription } of [...readers, book]) await subscription.ready(60_000)
    const first = readers[0]!.subscription.state
    expect(first).toBe("subscribed")
    await new Api(edge.http, user.token).submit(order("before"))
    await until("the events before", () => readers.every((reader) => kinds(reader).length >= 4))
    owner.kill("SIGKILL")
    await until(
      "an order after",
      async () => (await new Api(edge.http, user.token).submit(order("after"))).status === 200,
    )
    await until("the events after", () =>
      readers.every((reader) => kinds(reader).length >= 8 && kinds(reader).length === kinds(readers[0]!).length),
    )
    for (const { publications, answers } of readers) {
      const offsets = publications.map(({ offset }) => offset!)
      expect(offsets).toEqual(offsets.map((_, i) => offsets[0]! + i))
      expect(answers.slice(1).every(({ recovered }) => recovered)).toBe(true)
    }
    expect(kinds(readers[1]!)).toEqual(kinds(readers[0]!))
    await until("a book of the next owner", () => book.answers.length > 1)
    expect(book.answers.at(-1)!.epoch).not.toBe(book.answers[0]!.epoch)
  })
})
