/**
 * Venues by name, on a whole gateway before a loopback Binance: aliases of the test environment on every way in, lists that refuse a
 * name that is none, instruments as the venue lists them now, and an installation that offers the test environment only.
 */
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { SecurityRecord } from "../../../../src/domain/instrument/instrument.ts"
import type { VenueCapabilityRecord } from "../../../../src/domain/instrument/venue.ts"
import type { OrderBookRecord } from "../../../../src/domain/market/market.ts"
import { type BinanceExchange, startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import {
  type Answer,
  type Envelope,
  endGateways,
  type Gateway,
  startGateway,
  until,
} from "../../../kit/servers/gateway.ts"
import { operatorOf } from "../../../kit/servers/operator.ts"
import { closeClients, connectClient, listen } from "../markets/socket.ts"
import { type OwnDatabase, withDatabaseServer } from "../running/database.ts"
import { type Newcomer, signUp } from "../users/people.ts"

const LIMIT_MILLIS = 45_000
const ALIASES = ["BINANCE_SANDBOX", "BINANCE_PAPER"]

const makeDatabase = withDatabaseServer()
let exchange: BinanceExchange
/** BINANCE_UAT's: what one venue stops to list the other still does. */
let testnet: BinanceExchange
let database: OwnDatabase
let gateway: Gateway
let ada: Newcomer

beforeAll(async () => {
  exchange = await startBinanceExchange({ market: "still" })
  testnet = await startBinanceExchange({ market: "still" })
  const ofTestnet = Object.entries(testnet.routes).filter(([host]) => host.includes("testnet"))
  const routes = { ...exchange.routes, ...Object.fromEntries(ofTestnet) }
  database = await makeDatabase()
  gateway = await startGateway({
    env: { DATABASE_URL: database.url, VENUE_ROUTES: JSON.stringify(routes), VENUES_INACTIVE: "OKX" },
  })
  ada = await signUp(gateway)
})
afterAll(async () => {
  closeClients()
  await endGateways()
  await exchange?.stop()
  await testnet?.stop()
})

const refusal = async (answer: Promise<Answer<unknown>>): Promise<readonly [number, number]> => {
  const { status, envelope } = await answer
  return [status, envelope.errno]
}

/** What an answer says of deprecated names in its request. */
const deprecation = (answer: Answer<unknown>) => [
  answer.headers.get("deprecation"),
  answer.headers.get("x-venue-successor"),
]
const DEPRECATED = ["true", "BINANCE_UAT"]
const CURRENT = [null, null]

const SYNC = "/market/instrument/sync"

describe("a deprecated name of a test environment", () => {
  it("is answered as the name that succeeds it, with a word about that", async () => {
    for (const alias of ALIASES) {
      const synced = await ada.calls.post<{ venue: string }>(SYNC, { venue: alias })
      // One at a time: the other alias names the same venue.
      expect([synced.status, synced.record.venue, deprecation(synced)]).toEqual([200, "BINANCE_UAT", DEPRECATED])
    }
    const current = await ada.calls.instruments({ venue: "BINANCE_UAT", symbol: "BTC/USDT" })
    expect(deprecation(current)).toEqual(CURRENT)
    const listed = await ada.calls.instruments({ venue: "BINANCE_PAPER", symbol: "BTC/USDT" })
    expect(deprecation(listed)).toEqual(DEPRECATED)
    expect(listed.record).toEqual(current.record)
    expect(listed.record.map(({ securityId }) => securityId)).toEqual(["BINANCE_UAT:BTC/USDT"])
    const named = await ada.calls.instruments({ instrumentId: "BINANCE_SANDBOX:BTC/USDT" })
    expect([named.record, deprecation(named)]).toEqual([current.record, DEPRECATED])
    // A list that was begun under one name goes on under another.
    const first = await ada.calls.instruments({ venue: "BINANCE_PAPER", limit: 1 })
    const cursor = first.envelope.pagination?.cursor ?? undefined
    const second = await ada.calls.instruments({ venue: "BINANCE_UAT", limit: 1, cursor })
    expect([second.status, deprecation(second)]).toEqual([200, CURRENT])
    expect(second.record[0]?.securityId).not.toBe(first.record[0]?.securityId)
    const names = (await ada.calls.venues()).record.map(({ venue }) => venue)
    expect(names).toEqual(expect.arrayContaining(["BINANCE", "BINANCE_UAT", "MOCK"]))
    for (const name of names) expect(name).not.toMatch(/_(SANDBOX|PAPER)$/)
  })

  it("reads books, registers interest and finds it again", async () => {
    const instrumentId = "BINANCE_SANDBOX:BTC/USDT"
    const book = await ada.calls.orderBook(instrumentId, 5)
    expect([book.record.instrumentId, book.record.venue, deprecation(book)]).toEqual([
      "BINANCE_UAT:BTC/USDT",
      "BINANCE_UAT",
      DEPRECATED,
    ])
    const books = await ada.calls.get<ReadonlyArray<OrderBookRecord>>("/market/orderbook/list", {
      instrumentIds: `${instrumentId},BINANCE_UAT:BTC/USDT`,
    })
    expect(books.record.map((each) => each.instrumentId)).toEqual(Array(2).fill("BINANCE_UAT:BTC/USDT"))
    expect(deprecation(books)).toEqual(DEPRECATED)
    const subscribed = await ada.calls.subscribeBook({ instrumentId })
    expect([subscribed.record.venue, deprecation(subscribed)]).toEqual(["BINANCE_UAT", DEPRECATED])
    const found = await ada.calls.get<ReadonlyArray<{ subscriptionId: string }>>(
      "/market/subscription/orderbook/list",
      { instrumentId },
    )
    expect(found.record.map(({ subscriptionId }) => subscriptionId)).toEqual([subscribed.record.subscriptionId])
    const ended = await ada.calls.unsubscribeBook({ instrumentId })
    expect([ended.record.status, deprecation(ended)]).toEqual(["INACTIVE", DEPRECATED])
  })

  it("connects accounts and submits orders, which are stored under the successor", async () => {
    const { calls } = ada
    const [apiKey, apiSecret] = ["alias-key".padEnd(64, "k"), "alias-secret".padEnd(64, "s")]
    testnet.addUser({ apiKey, apiSecret, balances: { USDT: "100000", BTC: "1" } })
    const credential = await calls.createCredential({ venue: "BINANCE_SANDBOX", apiKey, apiSecret })
    expect([credential.record.venue, deprecation(credential)]).toEqual(["BINANCE_UAT", DEPRECATED])
    const { credentialId } = credential.record
    const connected = await calls.connect({ venue: "BINANCE_PAPER", credentialIds: [credentialId] })
    expect([connected.record.venue, deprecation(connected)]).toEqual(["BINANCE_UAT", DEPRECATED])
    const { tradingAccountId } = connected.record
    await until("the account is ACTIVE", async () =>
      (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
    )
    const body = (instrumentId: string) => ({
      tradingAccountId,
      instrumentId,
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.001",
      limitPrice: "20000",
      idempotencyKey: "by-alias",
    })
    const submitted = await calls.submit(body("BINANCE_SANDBOX:BTC/USDT"))
    expect([submitted.record.instrumentId, deprecation(submitted)]).toEqual(["BINANCE_UAT:BTC/USDT", DEPRECATED])
    // The same request under the other names is the same order.
    for (const name of ["BINANCE_PAPER", "BINANCE_UAT"]) {
      const again = await calls.submit(body(`${name}:BTC/USDT`))
      expect(again.record.tradeOrderId).toBe(submitted.record.tradeOrderId)
      expect(again.headers.get("idempotency-replayed")).toBe("true")
      expect(deprecation(again)).toEqual(name === "BINANCE_UAT" ? CURRENT : DEPRECATED)
    }
    const lists = [
      await calls.orders({ instrumentId: "BINANCE_SANDBOX:BTC/USDT" }),
      await calls.accounts({ venue: "BINANCE_SANDBOX" }),
      await calls.get<ReadonlyArray<unknown>>("/credential/list", { venue: "BINANCE_SANDBOX" }),
      await calls.get<ReadonlyArray<unknown>>("/tradingAccount/portfolio/list", { venue: "BINANCE_SANDBOX" }),
    ]
    for (const list of lists) {
      expect(list.record.length).toBeGreaterThan(0)
      expect(deprecation(list)).toEqual(DEPRECATED)
    }
    expect((await calls.accounts({ venue: "KRAKEN" })).record).toEqual([])
  })

  it("names channels and calls on the socket", async () => {
    const client = await connectClient(gateway, ada.session.accessToken)
    const feed = await listen<OrderBookRecord>(client, "market:orderbook:BINANCE_SANDBOX:BTC/USDT")
    await until("the book came", () => feed.received.length > 0, LIMIT_MILLIS)
    expect(feed.records()[0]).toMatchObject({
      updateType: "SNAPSHOT",
      venue: "BINANCE_UAT",
      instrumentId: "BINANCE_UAT:BTC/USDT",
    })
    const { data } = await client.rpc("market.instrument.list", { venue: "BINANCE_PAPER", symbol: "BTC/USDT" })
    const { data: rows } = data as Envelope<ReadonlyArray<SecurityRecord>>
    expect(rows?.map(({ securityId }) => securityId)).toEqual(["BINANCE_UAT:BTC/USDT"])
    await expect(client.rpc("market.instrument.list", { venue: "KRAKEN_PAPER" })).rejects.toMatchObject({ code: 1000 })
    const unknown = client.newSubscription("market:orderbook:KRAKEN_PAPER:BTC/USD")
    const refused = new Promise<number>((resolve) => unknown.on("unsubscribed", ({ code }) => resolve(code)))
    unknown.subscribe()
    expect(await refused).toBe(102)
  })
})

describe("a user without the test environment", () => {
  it("is kept from it by every name, on open sockets too, and may still cancel what is there", async () => {
    const { calls, email, session } = ada
    const operator = operatorOf(database.url)
    const client = await connectClient(gateway, session.accessToken)
    const instrumentId = "BINANCE_UAT:BTC/USDT"
    const book = await listen(client, `market:orderbook:${instrumentId}`)
    const [account] = (await calls.accounts({ venue: "BINANCE_UAT" })).record
    const { tradingAccountId } = account!
    const own = await listen(client, `tradingAccount:${tradingAccountId}`)
    const [order] = (await calls.orders({ tradingAccountId, status: "OPEN" })).record
    const { tradeOrderId } = order!
    await operator(`environments ${email} PROD`)
    await until("the book to end", () => book.ended()?.code === 2103, LIMIT_MILLIS)

    const body = { tradingAccountId, instrumentId, orderSide: "BUY", orderType: "LIMIT", quantity: "0.001" }
    const ways: ReadonlyArray<Promise<Answer<unknown>>> = [
      ...["BINANCE_UAT", "BINANCE_SANDBOX"].flatMap((venue) => [
        calls.post(SYNC, { venue }),
        calls.instruments({ venue }),
        calls.accounts({ venue }),
        calls.get("/market/venue/capability/list", { venue }),
        calls.get("/tradingAccount/portfolio/list", { venue }),
        calls.get("/credential/list", { venue }),
        calls.createCredential({ venue, apiKey: "k", apiSecret: "s" }),
        calls.connect({ venue }),
      ]),
      ...[instrumentId, "BINANCE_PAPER:BTC/USDT"].flatMap((instrumentId) => [
        calls.orderBook(instrumentId),
        calls.get("/market/orderbook/list", { instrumentIds: instrumentId }),
        calls.ticker(instrumentId),
        calls.get("/market/ticker/list", { instrumentIds: instrumentId }),
        calls.klines({ instrumentId, interval: "1m" }),
        calls.subscribeBook({ instrumentId }),
        calls.submit({ ...body, instrumentId, limitPrice: "20000" }),
      ]),
      calls.post("/tradeOrder/replace", { tradingAccountId, tradeOrderId, limitPrice: "20001" }),
    ]
    for (const [index, way] of ways.entries()) {
      const { status, envelope } = await way
      const { required } = envelope.details as unknown as { readonly required: ReadonlyArray<string> }
      expect([index, status, envelope.errno, required]).toEqual([index, 403, -102002, ["environment:UAT"]])
    }
    for (const channel of [`market:ticker:${instrumentId}`, "market:trade:BINANCE_SANDBOX:BTC/USDT"]) {
      const refused = client.newSubscription(channel)
      const code = new Promise<number>((resolve) => refused.on("unsubscribed", (it) => resolve(it.code)))
      refused.subscribe()
      expect(await code).toBe(103)
    }
    const names = (await calls.instruments({ limit: 1000 })).record.map(({ venue }) => venue)
    expect(names).not.toContain("BINANCE_UAT")
    for (const path of ["/market/venue/list", "/market/venue/capability/list"]) {
      const listed = (await calls.get<ReadonlyArray<{ readonly venue: string }>>(path)).record.map(({ venue }) => venue)
      expect([path, listed.includes("BINANCE"), listed.includes("BINANCE_UAT")]).toEqual([path, true, false])
    }
    // Whatever is there is the user's own.
    expect(own.ended()).toBeUndefined()
    expect((await calls.cancelled(tradingAccountId, tradeOrderId)).status).toBe("CANCELLED")
    await operator(`environments ${email} PROD,UAT`)
    await until("to be let in", async () => (await calls.orderBook(instrumentId)).status === 200)
  })
})

describe("a list by venue", () => {
  it("refuses a name that is no venue here, and shows an inactive one", async () => {
    const paths = [
      "/market/instrument/list",
      "/market/venue/capability/list",
      "/tradingAccount/list",
      "/tradingAccount/portfolio/list",
      "/credential/list",
    ]
    for (const path of paths) {
      for (const venue of ["NOPE", "KRAKEN_SANDBOX", "PAPER_UAT", "binance"])
        expect([path, venue, ...(await refusal(ada.calls.get(path, { venue })))]).toEqual([path, venue, 400, -130002])
      expect([path, (await ada.calls.get(path, { venue: "OKX" })).status]).toEqual([path, 200])
    }
    expect(await refusal(ada.calls.post(SYNC, { venue: "NOPE" }))).toEqual([400, -130002])
    expect(await refusal(ada.calls.post(SYNC, { venue: "OKX" }))).toEqual([400, -130003])
    expect(await refusal(ada.calls.instruments({ instrumentId: "junk" }))).toEqual([400, -131002])
    for (const query of [{ limit: 0 }, { limit: 1001 }, { offset: -1 }])
      expect(await refusal(ada.calls.instruments(query))).toEqual([400, -104003])
    expect(await refusal(ada.calls.instruments({ cursor: "made-up" }))).toEqual([400, -104008])
  })
})

describe("instruments", () => {
  const sync = (body: Record<string, unknown>) =>
    ada.calls.post<{ synced: number; added: number; updated: number }>(SYNC, body)

  it("are walked in order of securityId, by any filter, without losing or repeating one", async () => {
    await sync({ venue: "BINANCE" })
    const seen: Array<string> = []
    let cursor: string | undefined
    do {
      const page = await ada.calls.instruments({ limit: 4, cursor })
      seen.push(...page.record.map(({ securityId }) => securityId))
      expect(page.envelope.pagination?.total).toBeGreaterThanOrEqual(seen.length)
      cursor = page.envelope.pagination?.cursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual([...new Set(seen)].sort())
    expect(seen).toEqual(expect.arrayContaining(["BINANCE:BTC/USDT", "BINANCE_UAT:BTC/USDT", "MOCK:BTC/USDT"]))
    const ids = async (query: Record<string, string | number>) =>
      (await ada.calls.instruments(query)).record.map(({ securityId }) => securityId)
    expect(await ids({ symbol: "BTC/USDT" })).toEqual(seen.filter((id) => id.endsWith(":BTC/USDT")))
    expect(await ids({ venue: "MOCK", offset: 1, limit: 2 })).toEqual(
      seen.filter((id) => id.startsWith("MOCK:")).slice(1, 3),
    )
    expect(await ids({ securityType: "CRYPTO", venue: "MOCK" })).toEqual(seen.filter((id) => id.startsWith("MOCK:")))
    expect(await ids({ securityType: "STOCK" })).toEqual([])
    expect(await ids({ instrumentId: "MOCK:BTC/USDT", venue: "BINANCE" })).toEqual([])
  })

  it.concurrent("follow the venue's list: gone is DELISTED and not tradable, back is ACTIVE", async () => {
    const venue = "BINANCE"
    await sync({ venue })
    const all = (await ada.calls.instruments({ venue, limit: 1000 })).record
    expect(all.every(({ status }) => status === "ACTIVE")).toBe(true)
    const [kept] = all
    const gone = all.slice(1)
    if (kept === undefined || gone.length === 0) throw new Error("the exchange should list several symbols")
    const row = {
      symbol: `${kept.baseAsset}${kept.quoteAsset}`,
      status: "TRADING",
      baseAsset: kept.baseAsset,
      quoteAsset: kept.quoteAsset,
      isSpotTradingAllowed: true,
      permissions: ["SPOT"],
      filters: [{ filterType: "PRICE_FILTER", tickSize: "0.00000100" }],
    }
    exchange.fault({
      fault: "answer",
      match: "GET /api/v3/exchangeInfo",
      times: "always",
      action: { kind: "status", status: 200, body: JSON.stringify({ symbols: [row] }) },
    })
    // What was fetched a moment ago counts as now.
    const counts = await until(
      "the venue was asked again",
      async () => {
        const { record } = await sync({ venue })
        return record.synced === 1 ? record : undefined
      },
      LIMIT_MILLIS,
    )
    expect(counts).toEqual({ venue, synced: 1, added: 0, updated: all.length })
    const after = (await ada.calls.instruments({ venue, limit: 1000 })).record
    expect(after.map(({ securityId }) => securityId)).toEqual(all.map(({ securityId }) => securityId))
    expect(after.map(({ status }) => status)).toEqual(["ACTIVE", ...gone.map(() => "DELISTED")])
    expect(after[0]).toMatchObject({ tickSize: "0.000001", precision: 6 })
    exchange.fault({ fault: "clear" })
    const back = await until(
      "the venue was asked once more",
      async () => {
        const { record } = await sync({ venue })
        return record.synced === all.length ? record : undefined
      },
      LIMIT_MILLIS,
    )
    expect(back).toEqual({ venue, synced: all.length, added: 0, updated: all.length })
    expect((await ada.calls.instruments({ venue, limit: 1000 })).record).toEqual(all)
  })

  it.concurrent("that are gone answer for themselves at once, end their channels with a reason, and come back by themselves", async () => {
    const venue = "BINANCE_UAT"
    const instrumentId = `${venue}:BTC/USDT`
    const { calls } = ada
    const synced = (await calls.instruments({ venue, limit: 1000 })).record.length
    const untilSynced = (wanted: number) =>
      until("the venue was asked again", async () => (await sync({ venue })).record?.synced === wanted, LIMIT_MILLIS)
    const client = await connectClient(gateway, ada.session.accessToken)
    const book = await listen<OrderBookRecord>(client, `market:orderbook:${instrumentId}`)
    await until("the book came", () => book.received.length > 0, LIMIT_MILLIS)
    expect((await calls.subscribeBook({ instrumentId })).status).toBe(200)
    testnet.fault({
      fault: "answer",
      match: "GET /api/v3/exchangeInfo",
      times: "always",
      action: {
        kind: "status",
        status: 200,
        body: JSON.stringify({
          symbols: [
            {
              symbol: "ETHUSDT",
              status: "TRADING",
              baseAsset: "ETH",
              quoteAsset: "USDT",
              isSpotTradingAllowed: true,
              permissions: ["SPOT"],
              filters: [{ filterType: "PRICE_FILTER", tickSize: "0.01000000" }],
            },
          ],
        }),
      },
    })
    await untilSynced(1)
    await until("the book ended", () => book.ended() !== undefined, LIMIT_MILLIS)
    expect(book.ended()).toMatchObject({ code: 2410, reason: "instrument delisted" })
    const [account] = (await calls.accounts({ venue })).record
    const { tradingAccountId } = account!
    const order = { tradingAccountId, instrumentId, orderSide: "BUY", orderType: "LIMIT", quantity: "0.001" }
    for (const answer of [
      calls.orderBook(instrumentId),
      calls.get("/market/orderbook/list", { instrumentIds: instrumentId }),
      calls.ticker(instrumentId),
      calls.klines({ instrumentId, interval: "1m" }),
      calls.subscribeBook({ instrumentId }),
      calls.submit({ ...order, limitPrice: "20000" }),
    ])
      expect(await refusal(answer)).toEqual([400, -131009])
    const late = client.newSubscription(`market:trade:${instrumentId}`)
    const refused = new Promise<number>((resolve) => late.on("unsubscribed", ({ code }) => resolve(code)))
    late.subscribe()
    expect(await refused).toBe(410)
    testnet.fault({ fault: "clear" })
    await untilSynced(synced)
    // Opened by the subscription over HTTP of before, not by this read: whoever held it has it again.
    const errnos = new Set<number>()
    await until(
      "the book is read again",
      async () => {
        const { status, envelope } = await calls.orderBook(instrumentId)
        errnos.add(envelope.errno)
        return status === 200
      },
      LIMIT_MILLIS,
    )
    for (const errno of errnos) expect([0, -131006]).toContain(errno)
    const again = await listen<OrderBookRecord>(
      await connectClient(gateway, ada.session.accessToken),
      `market:orderbook:${instrumentId}`,
    )
    await until("the book is back", () => again.received.length > 0, LIMIT_MILLIS)
  })

  it("are synced one at a time, and not by who may only read", async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => sync({ venue: "BINANCE" })))
    const errnos = answers.map(({ envelope }) => envelope.errno)
    expect(errnos.filter((errno) => errno === 0).length).toBeGreaterThan(0)
    for (const errno of errnos) expect([0, -131008]).toContain(errno)
    const bob = await signUp(gateway)
    const client = new pg.Client({ connectionString: database.adminUrl })
    await client.connect()
    await client
      .query("UPDATE app_user SET permissions = '{read}' WHERE email = $1", [bob.email])
      .finally(() => client.end())
    const reader = bob.calls.as((await bob.calls.login(bob.email)).record.accessToken)
    expect(await refusal(reader.post(SYNC, { venue: "MOCK" }))).toEqual([403, -102002])
    expect((await reader.instruments({ venue: "MOCK" })).status).toBe(200)
  })
})

describe("what venues can do", () => {
  it("is listed for every venue that is offered, with its features", async () => {
    const list = await ada.calls.get<ReadonlyArray<VenueCapabilityRecord>>("/market/venue/capability/list")
    const venues = (await ada.calls.venues()).record
    expect(list.record.map(({ venue, features }) => [venue, features])).toEqual(
      venues.map(({ venue, features }) => [venue, features]),
    )
    const one = await ada.calls.get<ReadonlyArray<VenueCapabilityRecord>>("/market/venue/capability/list", {
      venue: "BINANCE_SANDBOX",
    })
    expect(one.record.map(({ venue }) => venue)).toEqual(["BINANCE_UAT"])
    expect(deprecation(one)).toEqual(DEPRECATED)
    expect(list.record.find(({ venue }) => venue === "BINANCE")).toMatchObject({
      sandboxVenue: "BINANCE_UAT",
      postOnly: true,
      orderTypes: [
        "MARKET",
        "LIMIT",
        "LIMIT_MAKER",
        "STOP",
        "STOP_LOSS",
        "TAKE_PROFIT",
        "STOP_LIMIT",
        "STOP_LOSS_LIMIT",
        "TAKE_PROFIT_LIMIT",
        "TRAILING_STOP",
      ],
      bookContinuity: "SEQUENCE",
    })
  })
})

describe("an installation for the test environment", () => {
  it("offers the test environments and what is in the house, and nothing else", async () => {
    const { url } = await makeDatabase()
    const uat = await startGateway({
      env: { DATABASE_URL: url, VENUE_ROUTES: JSON.stringify(exchange.routes), ENVIRONMENT: "UAT" },
    })
    const { calls, session } = await signUp(uat)
    const names = (await calls.venues()).record.map(({ venue }) => venue)
    expect(names).toEqual(expect.arrayContaining(["BINANCE_UAT", "MOCK"]))
    for (const name of names) expect(name).toMatch(/^(.+_UAT|MOCK|PAPER|INTERNAL)$/)
    for (const venue of ["BINANCE", "KRAKEN"]) {
      expect(await refusal(calls.post(SYNC, { venue }))).toEqual([400, -130002])
      expect(await refusal(calls.instruments({ venue }))).toEqual([400, -130002])
      expect(await refusal(calls.connect({ venue, credentialIds: [] }))).toEqual([400, -130002])
    }
    const instruments = await calls.instruments({ venue: "BINANCE_SANDBOX", symbol: "BTC/USDT" })
    expect(instruments.record.map(({ securityId }) => securityId)).toEqual(["BINANCE_UAT:BTC/USDT"])
    const client = await connectClient(uat, session.accessToken)
    const unknown = client.newSubscription("market:ticker:BINANCE")
    const refused = new Promise<number>((resolve) => unknown.on("unsubscribed", ({ code }) => resolve(code)))
    unknown.subscribe()
    expect(await refused).toBe(102)
  })
})

describe("a venue that is down", () => {
  it("is answered as such, and not as a book that might still come", async () => {
    const { calls } = ada
    const [account] = (await calls.accounts({ venue: "BINANCE_UAT" })).record
    const { tradingAccountId } = account!
    await testnet.stop()
    // Its sockets are cut, and what dials again is refused.
    await until(
      "it is known",
      async () => (await calls.orderBook("BINANCE_UAT:ETH/BTC")).envelope.errno === -130001,
      LIMIT_MILLIS,
    )
    const answers = [await calls.orderBook("BINANCE_UAT:ETH/USDT"), await calls.ticker("BINANCE_UAT:ETH/USDT")]
    for (const { status, envelope, headers } of answers) {
      expect([status, envelope.errno, headers.get("retry-after")]).toEqual([503, -130001, "5"])
      expect(envelope.details).toMatchObject({ metadata: { reason: expect.stringMatching(/^VENUE_[A-Z]+$/) } })
    }
    const order = {
      tradingAccountId,
      instrumentId: "BINANCE_UAT:BTC/USDT",
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.001",
      limitPrice: "20000",
    }
    const submitted = await until(
      "the account knows",
      async () => {
        const answer = await calls.submit(order)
        return answer.status === 503 ? answer : undefined
      },
      LIMIT_MILLIS,
    )
    expect([submitted.envelope.errno, submitted.envelope.details]).toMatchObject([
      -120009,
      { reason: "VENUE_UNREACHABLE" },
    ])
  })
})
