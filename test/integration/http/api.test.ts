/**
 * The HTTP API on a whole gateway: order of refusals, lists and their cursors, who sees what, and that every answer has the shape that
 * its endpoint declares.
 */

import { HttpApi, HttpApiSchema } from "@effect/platform"
import { type SchemaAST as AST, Option, ParseResult, Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Api as Declared } from "../../../src/http/api.ts"
import { founder } from "../../kit/servers/founder.ts"
import { type Answer, Api, endGateways, type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"

const declared = new Map<string, AST.AST>()
HttpApi.reflect(Declared, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, successes }) => {
    const ast = Option.getOrUndefined(
      successes.get(HttpApiSchema.getStatusSuccessAST(endpoint.successSchema.ast))?.ast ?? Option.none(),
    )
    if (ast !== undefined) declared.set(`${endpoint.method} ${endpoint.path}`, ast)
  },
})

/** Fails when the answer is no success of the declared shape; excess fields count as faults. */
const expectDeclared = (route: string, answer: Answer<unknown>): void => {
  const ast = declared.get(route)
  if (ast === undefined) throw new Error(`${route} is not declared`)
  const checked = ParseResult.validateEither(Schema.make<unknown>(ast), { onExcessProperty: "error" })(answer.envelope)
  if (checked._tag === "Left") throw new Error(`${route}: ${ParseResult.TreeFormatter.formatIssueSync(checked.left)}`)
}

const UNKNOWN = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f"

describe("the HTTP API of a whole gateway", () => {
  let gateway: Gateway
  let ada: Api
  let bob: Api
  let account: string
  let bobs: string

  const limit = (key: string, limitPrice = "20000") => ({
    tradingAccountId: account,
    instrumentId: "MOCK:BTC/USDT",
    orderSide: "BUY",
    orderType: "LIMIT",
    quantity: "0.001",
    limitPrice,
    idempotencyKey: key,
  })

  beforeAll(async () => {
    gateway = await startGateway({ env: { MOCK_TICK_MS: "0" } })
    const nobody = new Api(gateway.http)
    ada = await founder(gateway, "ada@example.com")
    bob = nobody.as((await nobody.signup("bob@example.com")).record.accessToken)
    account = (await ada.connectMock("main")).record.tradingAccountId
    bobs = (await bob.connectMock("main")).record.tradingAccountId
  })
  afterAll(endGateways)

  const refused = async (answer: Promise<Answer<unknown>>): Promise<readonly [number, number]> => {
    const { status, envelope } = await answer
    expect(envelope.success).toBe(false)
    return [status, envelope.errno]
  }

  it("looks at token, then shape, then existence, then ownership", async () => {
    const nobody = new Api(gateway.http)
    expect(await refused(nobody.post("/tradeOrder/submit", {}))).toEqual([401, -100002])
    expect(await refused(ada.post("/tradeOrder/submit", {}))).toEqual([400, -104002])
    expect(await refused(ada.submit({ ...limit("k"), tradingAccountId: "nope" }))).toEqual([400, -104003])
    expect(await refused(ada.submit({ ...limit("k"), tradingAccountId: UNKNOWN }))).toEqual([404, -120002])
    expect(await refused(ada.submit({ ...limit("k"), tradingAccountId: bobs }))).toEqual([403, -102001])
    expect(await refused(ada.submit({ ...limit("k"), quantity: 1 }))).toEqual([400, -104003])
  })

  it("says in words what would be right, with the value that was given", async () => {
    const told = async (answer: Promise<Answer<unknown>>): Promise<Readonly<Record<string, unknown>>> =>
      (await answer).envelope.details?.metadata ?? {}
    const quantity = await told(ada.submit({ ...limit("k"), quantity: "1e3" }))
    expect(quantity["reason"]).toMatch(/^must be a decimal number .*"0\.01".*no exponent$/)
    expect((await told(ada.submit({ ...limit("k"), quantity: 1 })))["reason"]).toBe(quantity["reason"])
    expect((await told(ada.submit({ ...limit("k"), limitPrice: 1 })))["reason"]).toBe(quantity["reason"])
    expect((await told(ada.submit({ ...limit("k"), tradingAccountId: "nope" })))["reason"]).toMatch(/^must be a UUID/)
    for (const instrumentId of ["MOCK:BTC-USDT", "mock:btc/usdt"])
      for (const answer of [
        ada.submit({ ...limit("k"), instrumentId }),
        ada.get("/market/ticker/get", { instrumentId }),
        ada.instruments({ instrumentId }),
      ])
        expect(await told(answer)).toMatchObject({
          instrumentId,
          form: expect.stringContaining("<VENUE>:<BASE>/<QUOTE>"),
          didYouMean: "MOCK:BTC/USDT",
          list: "GET /api/v3/market/instrument/list",
        })
    expect(await told(ada.instruments({ venue: "mock" }))).toMatchObject({
      venue: "mock",
      didYouMean: "MOCK",
      list: "GET /api/v3/market/venue/list",
    })
    expect(await told(ada.connect({ venue: "NOPE", externalTradingAccountId: "x" }))).toMatchObject({ venue: "NOPE" })
  })

  it("answers a plain request on the socket's path with 426, and how it is opened", async () => {
    const socketPath = `${gateway.http}/connection/websocket`
    const answer = await fetch(socketPath)
    expect([answer.status, answer.headers.get("upgrade")]).toEqual([426, "websocket"])
    expect(await answer.json()).toMatchObject({ errno: -104014, details: { metadata: { upgrade: "websocket" } } })
    expect((await fetch(socketPath, { method: "POST" })).status).toBe(405)
  })

  it("refuses a subscription with an account of another venue, and a recovery of what is no address", async () => {
    const elsewhere = { instrumentId: "PAPER:BTC/USDT", tradingAccountId: account }
    const subscribed = ada.post("/market/subscription/orderbook/subscribe", elsewhere)
    expect(await refused(subscribed)).toEqual([400, -104009])
    expect(await refused(ada.post("/auth/recover", { email: "nobody" }))).toEqual([400, -101003])
    expect((await ada.post("/auth/recover", { email: "nobody@example.com" })).envelope.data).toBe("ok")
  })

  it("keeps accounts and orders to their owners, but for admins who read", async () => {
    const order = (await ada.submit(limit("own"))).record
    expect(await refused(bob.cancel(account, order.tradeOrderId))).toEqual([403, -102001])
    expect(await refused(bob.cancel(bobs, order.tradeOrderId))).toEqual([404, -110001])
    expect(await refused(bob.order(account, order.tradeOrderId))).toEqual([403, -102001])
    expect(await refused(bob.get("/tradeOrder/get", { tradeOrderId: order.tradeOrderId }))).toEqual([404, -110001])
    expect(await refused(bob.disconnect(account))).toEqual([403, -102001])
    expect(await refused(bob.portfolio(account))).toEqual([403, -102001])
    expect(await refused(bob.accounts({ userId: UNKNOWN }))).toEqual([403, -102002])
    // Of the installation.
    expect((await ada.portfolio(bobs)).status).toBe(200)
    expect(await refused(ada.disconnect(bobs))).toEqual([403, -102001])
    const own = await ada.get<{ tradeOrderId: string }>("/tradeOrder/get", {
      tradeOrderId: order.tradeOrderId.toUpperCase(),
    })
    expect(own.record.tradeOrderId).toBe(order.tradeOrderId)
  })

  it("lists another user's records to admins who name the user, and to nobody else", async () => {
    const { id } = (await bob.user()).record
    const order = (await bob.submitted({ ...limit("bobs"), tradingAccountId: bobs })).tradeOrderId
    const subscription = (await bob.subscribeBook({ instrumentId: "MOCK:BTC/USDT" })).record.subscriptionId
    const portfolioList = "/tradingAccount/portfolio/list"
    const subscriptionList = "/market/subscription/orderbook/list"
    const lists = [
      "/tradeOrder/list",
      "/credential/list",
      "/quote/list",
      "/tradingAccount/list",
      "/wallet/list",
      portfolioList,
      subscriptionList,
    ]
    for (const path of lists) {
      expect([path, await refused(bob.get(path, { userId: UNKNOWN }))]).toEqual([path, [403, -102002]])
      expect([path, (await bob.get(path, { userId: id })).status]).toEqual([path, 200])
      const answer = await ada.get<ReadonlyArray<{ readonly userId?: string }>>(path, { userId: id.toUpperCase() })
      expect([path, answer.status]).toEqual([path, 200])
      expect([path, answer.record.filter(({ userId }) => userId !== undefined && userId !== id)]).toEqual([path, []])
    }
    const ids = async (filter: Readonly<Record<string, string>>) =>
      (await ada.orders(filter)).record.map(({ tradeOrderId }) => tradeOrderId)
    expect(await ids({ userId: id })).toContain(order)
    expect(await ids({ userId: id, tradingAccountId: bobs })).toContain(order)
    expect(await ids({ userId: id, tradingAccountId: account })).toEqual([])
    expect(await ids({ userId: UNKNOWN })).toEqual([])
    expect(await ids({})).not.toContain(order)
    const accountsHeld = async (filter: Readonly<Record<string, string>>) => {
      type Held = ReadonlyArray<{ readonly tradingAccountId: string }>
      const held = (await ada.get<Held>(portfolioList, { ...filter, limit: 100 })).record
      return [...new Set(held.map((it) => it.tradingAccountId))]
    }
    expect(await accountsHeld({ userId: id })).toEqual([bobs])
    expect(await accountsHeld({ userId: id, tradingAccountId: bobs })).toEqual([bobs])
    expect(await accountsHeld({ userId: id, tradingAccountId: account })).toEqual([])
    expect(await accountsHeld({ userId: UNKNOWN })).toEqual([])
    expect(await accountsHeld({})).not.toContain(bobs)
    const subscribed = async (api: Api, filter: Readonly<Record<string, string>>) => {
      type Subscriptions = ReadonlyArray<{ readonly subscriptionId: string }>
      return (await api.get<Subscriptions>(subscriptionList, filter)).record.map((it) => it.subscriptionId)
    }
    expect(await subscribed(bob, {})).toEqual([subscription])
    expect(await subscribed(bob, { userId: id })).toEqual([subscription])
    expect(await subscribed(ada, { userId: id })).toEqual([subscription])
    expect(await subscribed(ada, { userId: id, instrumentId: "MOCK:ETH/USDT" })).toEqual([])
    expect(await subscribed(ada, { userId: UNKNOWN })).toEqual([])
    expect(await subscribed(ada, {})).not.toContain(subscription)
  })

  it("finds an account by its id, another user's for an admin", async () => {
    const found = async (api: Api, tradingAccountId: string) =>
      (await api.accounts({ tradingAccountId })).record.map((it) => it.tradingAccountId)
    expect(await found(ada, bobs)).toEqual([bobs])
    expect(await found(ada, account)).toEqual([account])
    expect(await found(bob, account)).toEqual([])
    expect(await found(ada, UNKNOWN)).toEqual([])
    expect((await ada.accounts()).record.map((it) => it.tradingAccountId)).not.toContain(bobs)
  })

  it("takes the header Idempotency-Key for the key of an order", async () => {
    const { idempotencyKey: _, ...body } = limit("unused")
    const keyed = (key: string, more: Readonly<Record<string, unknown>> = {}) =>
      ada.call<{ readonly tradeOrderId: string; readonly idempotencyKey: string }>(
        "POST",
        "/tradeOrder/submit",
        { ...body, ...more },
        { "idempotency-key": key },
      )
    const first = await keyed("by-header")
    const again = await keyed("by-header")
    expect(first.record.idempotencyKey).toBe("by-header")
    expect(again.record.tradeOrderId).toBe(first.record.tradeOrderId)
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect((await ada.submit(limit("by-header"))).record.tradeOrderId).toBe(first.record.tradeOrderId)
    expect((await keyed("by-header", { idempotencyKey: "by-header" })).status).toBe(200)
    expect(await refused(keyed("by-header", { limitPrice: "11111" }))).toEqual([409, -110006])
    expect(await refused(keyed("by-header", { idempotencyKey: "another" }))).toEqual([400, -104009])
    expect(await refused(keyed("not a key"))).toEqual([400, -104003])
    const misspelt = ["X-Idempotency-Key", "Idempotency_Key", "IdempotencyKey", "Idempotency-Keys", "Idempotence-Key"]
    for (const name of misspelt)
      expect([name, await refused(ada.call("POST", "/tradeOrder/submit", body, { [name]: "k" }))]).toEqual([
        name,
        [400, -104003],
      ])
  })

  it("answers a repeat by clientOrderId whose header is new on every call, or left out", async () => {
    const { idempotencyKey: _, ...unkeyed } = limit("unused")
    const body = { ...unkeyed, clientOrderId: "repeated-by-middleware" }
    const call = (headers: Readonly<Record<string, string>>, more = {}) =>
      ada.call<{ readonly tradeOrderId: string; readonly idempotencyKey: string }>(
        "POST",
        "/tradeOrder/submit",
        { ...body, ...more },
        headers,
      )
    const first = await call({ "idempotency-key": "call-1" })
    for (const headers of [{ "idempotency-key": "call-2" }, {}, { "idempotency-key": body.clientOrderId }]) {
      const again = await call(headers as Readonly<Record<string, string>>)
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"])
      expect(again.record).toMatchObject({ tradeOrderId: first.record.tradeOrderId, idempotencyKey: "call-1" })
    }
    expect(await refused(call({ "idempotency-key": "call-3" }, { limitPrice: "11111" }))).toEqual([409, -110007])
  })

  it("walks orders page by page without losing or repeating one", async () => {
    const placed: Array<string> = []
    for (let i = 0; i < 7; i++) placed.push((await ada.submit(limit(`page-${i}`, `${10_000 + i}`))).record.tradeOrderId)
    for (const ascending of [false, true]) {
      const seen: Array<string> = []
      let cursor: string | undefined
      let total: number | undefined
      do {
        const page = await ada.orders({ tradingAccountId: account, limit: 3, ascending, cursor })
        expectDeclared("GET /api/v3/tradeOrder/list", page)
        seen.push(...page.record.map((order) => order.tradeOrderId))
        total ??= page.envelope.pagination?.total
        expect(page.envelope.pagination).toMatchObject({ offset: 0, limit: 3, total })
        cursor = page.envelope.pagination?.cursor ?? undefined
        // New orders between pages must not shift them.
        if (!ascending && cursor !== undefined) await ada.submit(limit(`between-${seen.length}`))
      } while (cursor !== undefined)
      expect(new Set(seen).size).toBe(seen.length)
      for (const id of placed) expect(seen).toContain(id)
      if (!ascending) expect(seen).toHaveLength(total ?? -1)
    }
  })

  it("refuses cursors of another user, another list and nobody", async () => {
    const { cursor } = (await ada.orders({ limit: 1 })).envelope.pagination ?? {}
    if (cursor === undefined || cursor === null) throw new Error("there should be a next page")
    expect((await ada.orders({ cursor })).status).toBe(200)
    expect(await refused(bob.orders({ cursor }))).toEqual([400, -104008])
    expect(await refused(ada.accounts({ cursor }))).toEqual([400, -104008])
    expect(await refused(ada.orders({ cursor: `${cursor}x` }))).toEqual([400, -104008])
    expect(await refused(ada.orders({ cursor, instrumentId: "MOCK:ETH/USDT" }))).toEqual([400, -104009])
  })

  it("bounds list queries instead of clamping them", async () => {
    for (const query of [{ limit: 0 }, { limit: 1001 }, { offset: -1 }, { status: "NOPE" }, { startTime: "x" }])
      expect(await refused(ada.orders(query))).toEqual([400, -104003])
    for (const updatedSince of ["yesterday", "1e3", "1.5", "2026-11-28T00:00:00Z", ""]) {
      const { status, envelope } = await ada.orders({ updatedSince })
      expect([updatedSince, status, envelope.errno]).toEqual([updatedSince, 400, -104003])
      expect(JSON.stringify(envelope.details)).toContain("updatedSince")
    }
    const seconds = Math.floor(Date.now() / 1_000)
    for (const name of ["startTime", "endTime", "updatedSince"]) {
      const { status, envelope } = await ada.orders({ [name]: seconds })
      const reason = `is in seconds; milliseconds since the Unix epoch are expected: ${seconds * 1_000}`
      expect([status, envelope.errno, envelope.details?.metadata]).toEqual([400, -104003, { parameter: name, reason }])
    }
    const bars = { instrumentId: "MOCK:BTC/USDT", interval: "1m", from: seconds }
    expect(await refused(ada.get("/market/kline/get", bars))).toEqual([400, -104003])
    expect(await refused(ada.orders({ startTime: 2, endTime: 1 }))).toEqual([400, -104010])
    expect(await refused(ada.orders({ status: "OPEN", orderStatus: "FILLED" }))).toEqual([400, -104009])
    expect(await refused(ada.get("/tradingAccount/portfolio/list", { limit: 101 }))).toEqual([400, -104003])
    expect(await refused(ada.get("/market/orderbook/get", { instrumentId: "MOCK:BTC/USDT", depth: 1001 }))).toEqual([
      400, -104003,
    ])
  })

  it("filters by either status vocabulary", async () => {
    const order = await ada.submitted({ ...limit("filter", "11111"), awaitAccepted: true })
    const ids = async (query: Record<string, string>) =>
      (await ada.orders({ tradingAccountId: account, limit: 1000, ...query })).record.map((it) => it.tradeOrderId)
    for (const query of [
      { status: "OPEN" },
      { orderStatus: "OPEN" },
      { orderStatus: "ACCEPTED" },
      { status: "ACCEPTED" },
    ])
      expect(await ids(query as Record<string, string>)).toContain(order.tradeOrderId)
    expect((await ada.cancelled(account, order.tradeOrderId)).status).toBe("CANCELLED")
    expect(await ids({ status: "CANCELLED" })).toContain(order.tradeOrderId)
    expect(await ids({ status: "OPEN" })).not.toContain(order.tradeOrderId)
  })

  it("answers a program that polls what changed since the newest that it has, of an account or of all", async () => {
    const [old, working] = [await ada.submitted(limit("poll-1")), await ada.submitted(limit("poll-2"))]
    await ada.cancelled(account, old.tradeOrderId)
    const other = (await ada.connectMock("polled")).record.tradingAccountId
    const theirs = await ada.submitted({ ...limit("poll-3"), tradingAccountId: other })
    const changed = await ada.cancelled(account, working.tradeOrderId)
    const since = async (updatedSince: number, more = {}) =>
      (await ada.orders({ updatedSince, limit: 1000, ...more })).record.map((it) => it.tradeOrderId)
    const mine = { tradingAccountId: account }
    expect(await since(changed.updatedAt, mine)).toContain(changed.tradeOrderId)
    expect(await since(changed.updatedAt + 1, mine)).not.toContain(changed.tradeOrderId)
    const oldOne = (await ada.orders({ tradeOrderId: old.tradeOrderId })).record[0]!
    // In the order of the list, which is that of createdAt; the account of the third is another.
    const all = [theirs, working, old].map((it) => it.tradeOrderId)
    expect((await since(oldOne.updatedAt)).filter((id) => all.includes(id))).toEqual(all)
    expect((await since(oldOne.updatedAt, { ...mine, ascending: true })).filter((id) => all.includes(id))).toEqual([
      old.tradeOrderId,
      working.tradeOrderId,
    ])
    const first = await ada.orders({ updatedSince: oldOne.updatedAt, limit: 1 })
    const cursor = first.envelope.pagination?.cursor ?? ""
    expect((await ada.orders({ cursor, limit: 1 })).status).toBe(200)
    expect(await refused(ada.orders({ cursor, updatedSince: oldOne.updatedAt + 1 }))).toEqual([400, -104009])
  })

  it("answers a repeat with the same order and says so", async () => {
    const first = await ada.submit(limit("repeat"))
    const again = await ada.submit(limit("repeat"))
    expect(first.headers.get("idempotency-replayed")).toBeNull()
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect(again.record.tradeOrderId).toBe(first.record.tradeOrderId)
    const other = await ada.submit(limit("repeat", "19999"))
    expect([other.status, other.envelope.errno]).toEqual([409, -110006])
    expect(other.envelope.details?.metadata).toEqual({ tradeOrderId: first.record.tradeOrderId })
  })

  it("connects the same account once, also when asked twice at once", async () => {
    const [one, two] = await Promise.all([ada.connectMock("twice"), ada.connectMock("twice")])
    expect(one?.record.tradingAccountId).toBe(two?.record.tradingAccountId)
    const renamed = await ada.connect({ venue: "MOCK", externalTradingAccountId: "twice", nickname: "renamed" })
    expect(renamed.record).toMatchObject({
      tradingAccountId: one?.record.tradingAccountId,
      nickname: "renamed",
      name: "renamed",
    })
    expect(await refused(ada.connect({ venue: "MOCK" }))).toEqual([400, -104002])
    expect(await refused(ada.connect({ venue: "NOPE", externalTradingAccountId: "x" }))).toEqual([400, -130002])
    expect(await refused(ada.connect({ venue: "BINANCE" }))).toEqual([400, -120007])
    expect(await refused(ada.connect({ venue: "BINANCE_SANDBOX", credentialIds: [UNKNOWN] }))).toEqual([404, -121001])
  })

  it("hides disconnected accounts until they are asked for", async () => {
    const { tradingAccountId } = (await ada.connectMock("leaving")).record
    const gone = await ada.disconnect(tradingAccountId)
    expectDeclared("POST /api/v3/tradingAccount/disconnect", gone)
    expect(gone.record.status).toBe("DISCONNECTED")
    expect((await ada.disconnect(tradingAccountId)).record).toEqual(gone.record)
    const ids = async (query: Record<string, string>) =>
      (await ada.accounts(query)).record.map((it) => it.tradingAccountId)
    expect(await ids({})).not.toContain(tradingAccountId)
    expect(await ids({ accountStatus: "DISCONNECTED" })).toContain(tradingAccountId)
    expect(await ids({ tradingAccountId })).toEqual([tradingAccountId])
    expect((await ada.portfolio(tradingAccountId)).record).toEqual([])
    const reborn = await ada.connectMock("leaving")
    expect(reborn.record.tradingAccountId).not.toBe(tradingAccountId)
  })

  it("shows the currency that was asked for, also when it is zero", async () => {
    const answer = await ada.get<ReadonlyArray<{ balance: string }>>("/tradingAccount/portfolio/list", {
      tradingAccountId: account,
      currency: "DOGE",
    })
    expect(answer.record).toHaveLength(1)
    expect(answer.record[0]?.balance).toBe("0")
    expect(await refused(ada.portfolio("no account of that name"))).toEqual([404, -120002])
  })

  it("reads several books and tickers, and fails by name when one is unknown", async () => {
    const books = await ada.get<ReadonlyArray<{ instrumentId: string }>>("/market/orderbook/list", {
      instrumentIds: "MOCK:BTC/USDT,MOCK:ETH/USDT",
      depth: 1,
    })
    expectDeclared("GET /api/v3/market/orderbook/list", books)
    expect(books.record.map((book) => book.instrumentId)).toEqual(["MOCK:BTC/USDT", "MOCK:ETH/USDT"])
    const unknown = await ada.get("/market/ticker/list", { instrumentIds: "MOCK:BTC/USDT,MOCK:NO/PE" })
    expect([unknown.status, unknown.envelope.errno]).toEqual([404, -131001])
    expect(unknown.envelope.details?.metadata).toEqual({ instrumentId: "MOCK:NO/PE" })
    expect(await refused(ada.get("/market/orderbook/list"))).toEqual([400, -104002])
    expect(await refused(ada.get("/market/orderbook/get", { instrumentId: "junk" }))).toEqual([400, -131002])
    expect(await refused(ada.get("/market/orderbook/get", { instrumentId: "NOPE:BTC/USDT" }))).toEqual([404, -131001])
  })

  it("refuses klines of no interval, of a range that runs backwards, and of what is not there", async () => {
    const instrumentId = "MOCK:BTC/USDT"
    expect(await refused(ada.klines({ instrumentId }))).toEqual([400, -104002])
    expect(await refused(ada.klines({ instrumentId, interval: "1q" }))).toEqual([400, -131004])
    expect(await refused(ada.klines({ instrumentId, interval: "1m", from: 2, to: 1 }))).toEqual([400, -104010])
    expect(await refused(ada.klines({ instrumentId, interval: "1m", limit: 1_001 }))).toEqual([400, -104003])
    expect(await refused(ada.klines({ instrumentId, interval: "1m", from: -1 }))).toEqual([400, -104003])
    expect(await refused(ada.klines({ instrumentId: "MOCK:NO/NE", interval: "1m" }))).toEqual([404, -131001])
    expect(await refused(ada.klines({ instrumentId: "junk", interval: "1m" }))).toEqual([400, -131002])
    expect((await ada.klines({ instrumentId, interval: "1m", to: 1 })).record).toMatchObject({
      instrumentId,
      interval: "1m",
      candles: [],
      isClosed: true,
    })
  })

  it("answers every read and change in the declared shape", async () => {
    const instrumentId = "MOCK:BTC/USDT"
    const terms = { ...limit("shape", "61000"), awaitClosed: true }
    const order = await ada.submit(terms)
    const body = { tradingAccountId: account, tradeOrderId: order.record.tradeOrderId }
    const subscribed = await ada.subscribeBook({ instrumentId })
    const health = await until("a service that can work", async () => {
      const answer = await ada.get("/health")
      return answer.status === 200 && answer
    })
    const answers: ReadonlyArray<readonly [string, Answer<unknown>]> = [
      ["GET /api/v3", await ada.get("")],
      ["GET /api/v3/health", health],
      ["GET /api/v3/health/live", await ada.get("/health/live")],
      ["GET /api/v3/auth/user", await ada.user()],
      ["POST /api/v3/auth/login", await ada.login("ada@example.com")],
      ["GET /api/v3/credential/list", await ada.credentials()],
      ["POST /api/v3/tradingAccount/connect", await ada.connectMock("main")],
      [
        "POST /api/v3/tradingAccount/update",
        await ada.post("/tradingAccount/update", { tradingAccountId: account, nickname: "n" }),
      ],
      ["GET /api/v3/tradingAccount/list", await ada.accounts()],
      ["GET /api/v3/tradingAccount/portfolio/list", await ada.portfolio(account)],
      ["POST /api/v3/tradeOrder/submit", order],
      ["GET /api/v3/tradeOrder/get", await ada.order(body.tradingAccountId, body.tradeOrderId)],
      ["POST /api/v3/market/instrument/sync", await ada.post("/market/instrument/sync", { venue: "MOCK" })],
      ["GET /api/v3/market/instrument/list", await ada.instruments({ limit: 2 })],
      ["GET /api/v3/market/venue/list", await ada.venues()],
      ["GET /api/v3/market/venue/capability/list", await ada.get("/market/venue/capability/list")],
      ["GET /api/v3/market/orderbook/get", await ada.orderBook(instrumentId, 5)],
      ["GET /api/v3/market/ticker/get", await ada.ticker(instrumentId)],
      ["GET /api/v3/market/ticker/list", await ada.get("/market/ticker/list")],
      ["GET /api/v3/market/kline/get", await ada.klines({ instrumentId, interval: "1m" })],
      ["POST /api/v3/market/subscription/orderbook/subscribe", subscribed],
      ["GET /api/v3/market/subscription/orderbook/list", await ada.get("/market/subscription/orderbook/list")],
      [
        "POST /api/v3/market/subscription/orderbook/unsubscribe",
        await ada.post("/market/subscription/orderbook/unsubscribe", {
          subscriptionId: subscribed.record.subscriptionId,
        }),
      ],
    ]
    for (const [route, answer] of answers) expectDeclared(route, answer)
    // The same order, however long it took.
    const filled = await ada.submitted(terms)
    expect([filled.tradeOrderId, filled.executions.length > 0]).toEqual([order.record.tradeOrderId, true])
  })

  it("ends a session at logout", async () => {
    const token = (await ada.login("ada@example.com")).record.accessToken
    const session = ada.as(token)
    const out = await session.post("/auth/logout")
    expectDeclared("POST /api/v3/auth/logout", out)
    expect(await refused(session.user())).toEqual([401, -100005])
    expect((await ada.user()).status).toBe(200)
  })
})
