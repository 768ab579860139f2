/**
 * Two tenants and the markets of INTERNAL: what the admin of one lists, and money that is made there, is nothing to users of the other. The
 * others trade beside it, each under a name of its own.
 */
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readSettings } from "../../../../src/config.ts"
import type { DealerRecord } from "../../../../src/domain/dealer/dealer.ts"
import type { QuoteRecord } from "../../../../src/domain/dealer/quote.ts"
import type { SecurityRecord } from "../../../../src/domain/instrument/instrument.ts"
import type { OrderBookRecord, TickerRecord } from "../../../../src/domain/market/market.ts"
import { type InternalTrader, traderOf } from "../../../kit/desks/internal-market.ts"
import { openDesk } from "../../../kit/desks/quoting.ts"
import { scratchDirectory } from "../../../kit/postgres.ts"
import { founder } from "../../../kit/servers/founder.ts"
import { type Answer, type Api, api, type Ready, until } from "../../../kit/servers/gateway.ts"
import { readyOf, startInside } from "../../../kit/servers/gateway-inside.ts"
import { operatorOf } from "../../../kit/servers/operator.ts"
import { closeClients, connectClient, listen } from "../markets/socket.ts"
import { withDatabaseServer } from "../running/database.ts"

const newDatabase = withDatabaseServer()
let dataDir: string
let scope: Scope.CloseableScope
let gateway: Ready
let operator: ReturnType<typeof operatorOf>
/** Admins, of the installation's own tenant and of another. */
let root: Api
let chief: Api

const PLAIN = "INTERNAL:BTC/USD"
const THEIRS = "INTERNAL:BTC/USD@acme"
const TERMS = { baseAsset: "BTC", quoteAsset: "USD", tickSize: "0.01", lotSize: "0.001" }

/** A user of acme, from its own login on. */
const enter = async (right = "write"): Promise<Api> => {
  const email = `user-${randomUUID()}@example.com`
  await api(gateway).signup(email)
  await operator(`user move ${email} acme`)
  await operator(`grant ${email} ${right}`)
  return api(gateway).as((await api(gateway).login(email)).record.accessToken)
}
const member = async (): Promise<Api> =>
  api(gateway).as((await api(gateway).signup(`user-${randomUUID()}@example.com`)).record.accessToken)

/** With an account on INTERNAL and money from an admin of the own tenant. */
const trader = async (calls: Api, admin: Api, instrumentId: string, money: Readonly<Record<string, string>>) => {
  const { tradingAccountId, walletId } = (await calls.connect({ venue: "INTERNAL" })).record
  for (const [asset, amount] of Object.entries(money))
    expect((await admin.post("/wallet/deposit", { walletId, asset, amount })).envelope.errno).toBe(0)
  return traderOf(calls, tradingAccountId, walletId ?? "", instrumentId)
}

beforeAll(async () => {
  dataDir = scratchDirectory("markets")
  const { url } = await newDatabase()
  operator = operatorOf(url)
  scope = await Effect.runPromise(Scope.make())
  const settings = readSettings({ PORT: "0", DATA_DIR: dataDir, DATABASE_URL: url, RATE_LIMITS: "off" })
  gateway = readyOf(await Effect.runPromise(startInside(settings).pipe(Scope.extend(scope))))
  root = await founder(gateway)
  await operator("tenant create acme")
  chief = await enter("admin")
  expect((await root.post("/market/instrument/create", TERMS)).envelope.errno).toBe(0)
})
afterAll(async () => {
  closeClients()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(dataDir, { recursive: true, force: true })
})

describe("an admin of another tenant", () => {
  it("moves no quote by the tick of a market", async () => {
    const desk = await openDesk(gateway, root)
    await desk.deposit(desk.dealer.walletId!, "ETH", "100")
    const client = await desk.client()
    const asked = { instrumentId: "MOCK:ETH/USDT", quantity: "0.5" }
    const before = Number((await client.quote(asked)).price)
    const wide = { baseAsset: "ETH", quoteAsset: "USDT", tickSize: "250000", lotSize: "0.5" }
    expect((await chief.post("/market/instrument/create", wide)).envelope.errno).toBe(0)
    const after = Number((await client.quote(asked)).price)
    expect(Math.abs(after - before) / before).toBeLessThan(0.1)
  })

  it("buys nothing with money of the own making", async () => {
    const alice = await trader(await member(), root, PLAIN, { BTC: "2" })
    const { tradeOrderId } = await alice.limit("SELL", "1", "100")
    const mallory = await trader(await enter(), chief, PLAIN, { USD: "1000000000" })
    const order = { orderSide: "BUY", orderType: "LIMIT", quantity: "1", limitPrice: "100" }
    const { tradingAccountId } = mallory
    const bought = await mallory.calls.submit({ tradingAccountId, instrumentId: PLAIN, ...order })
    expect([bought.status, bought.envelope.errno]).toEqual([404, -131_001])
    expect(await mallory.wallet()).toEqual({ USD: ["1000000000", "0"] })
    expect(await alice.wallet()).toEqual({ BTC: ["1", "1"] })
    await alice.calls.cancelled(alice.tradingAccountId, tradeOrderId)
  })
})

describe("for a user of another tenant a market", () => {
  /** Everything but the request's own id, with the one name for the other. */
  const heard = (answer: Answer<unknown>, name: string): unknown => {
    const text = JSON.stringify({ ...answer.envelope, details: { ...answer.envelope.details, request_id: "" } })
    return [answer.status, text.replaceAll(name, "…").replace(/"timestamp[^,}]*/g, "")]
  }
  const NOWHERE = "INTERNAL:NO/SUCH"

  it("is not there over HTTP: each answer is the one to a name that nobody has", async () => {
    const calls = await enter()
    const own = await trader(calls, chief, PLAIN, { USD: "1000" })
    const dealer = (await openDesk(gateway, chief)).dealer
    const dealerAccountId = dealer.dealerAccountId
    const { tradingAccountId } = own
    const order = { orderSide: "BUY", orderType: "LIMIT", quantity: "1", limitPrice: "100" }
    const asks: Readonly<Record<string, (instrumentId: string) => Promise<Answer<unknown>>>> = {
      submit: (instrumentId) => calls.submit({ tradingAccountId, instrumentId, ...order }),
      stop: (instrumentId) =>
        calls.submit({ tradingAccountId, instrumentId, ...order, orderType: "STOP_LIMIT", stopPrice: "90" }),
      quote: (instrumentId) =>
        calls.post("/quote/request", { dealerAccountId, instrumentId, orderSide: "BUY", quantity: "1" }),
      book: (instrumentId) => calls.orderBook(instrumentId),
      books: (instrumentId) => calls.get("/market/orderbook/list", { instrumentIds: instrumentId }),
      ticker: (instrumentId) => calls.ticker(instrumentId),
      tickers: (instrumentId) => calls.get("/market/ticker/list", { instrumentIds: instrumentId }),
      klines: (instrumentId) => calls.klines({ instrumentId, interval: "1m" }),
      listed: (instrumentId) => calls.instruments({ instrumentId }),
      subscribe: (instrumentId) => calls.subscribeBook({ instrumentId }),
    }
    for (const [what, ask] of Object.entries(asks)) {
      const [theirs, nobodys] = [await ask(PLAIN), await ask(NOWHERE)]
      expect([what, heard(theirs, PLAIN)]).toEqual([what, heard(nobodys, NOWHERE)])
      if (what !== "listed") expect([what, theirs.status, theirs.envelope.errno]).toEqual([what, 404, -131_001])
    }
    for (const query of [{ venue: "INTERNAL" }, { symbol: "BTC/USD" }])
      expect((await calls.instruments({ ...query, limit: 1000 })).record.map((it) => it.instrumentId)).not.toContain(
        PLAIN,
      )
    const counted = await calls.post("/market/instrument/sync", { venue: "INTERNAL", symbols: ["BTC/USD"] })
    expect(counted.record).toMatchObject({ synced: 0 })
    // Of its own tenant it is there, and its ticker is known by now.
    expect((await root.ticker(PLAIN)).status).toBe(200)
    const known = async (by: Api) =>
      (await by.get<ReadonlyArray<TickerRecord>>("/market/ticker/list", { limit: 1000 })).record.map(
        (it) => it.instrumentId,
      )
    expect(await known(root)).toContain(PLAIN)
    expect(await known(calls)).not.toContain(PLAIN)
  })

  it("is not there on the socket: no channel, no history, no call", async () => {
    const calls = await enter()
    const client = await connectClient(gateway, calls.token!)
    const ended = (channel: string): Promise<number> =>
      new Promise((resolve) => {
        const subscription = client.newSubscription(channel)
        subscription.on("unsubscribed", ({ code }) => resolve(code))
        subscription.subscribe()
      })
    for (const channel of [
      `market:orderbook:${PLAIN}`,
      `market:trade:${PLAIN}`,
      `market:ticker:${PLAIN}`,
      `market:kline:${PLAIN}:1m`,
      "market:ticker:INTERNAL@default",
    ])
      expect([channel, await ended(channel)]).toEqual([channel, 102])
    await expect(client.history(`market:trade:${PLAIN}`, { limit: 1 })).rejects.toMatchObject({ code: 102 })
    const called = await client.rpc("market.orderbook.get", { instrumentId: PLAIN }).catch((error: unknown) => error)
    const unknown = await client.rpc("market.orderbook.get", { instrumentId: NOWHERE }).catch((error: unknown) => error)
    expect(called).toMatchObject({ code: (unknown as { readonly code: number }).code })
  })
})

describe("a market of a tenant", () => {
  let ann: InternalTrader
  let bob: InternalTrader

  it("stands beside the other's of the same pair, with terms and a name of its own", async () => {
    const listed = await chief.post<SecurityRecord>("/market/instrument/create", { ...TERMS, tickSize: "0.5" })
    expect(listed.record).toMatchObject({ instrumentId: THEIRS, symbol: "BTC/USD", tickSize: "0.5" })
    const again = await chief.post<SecurityRecord>("/market/instrument/create", { ...TERMS, tickSize: "0.5" })
    expect(again.record).toEqual(listed.record)
    expect((await root.instruments({ symbol: "BTC/USD", venue: "INTERNAL" })).record).toMatchObject([
      { instrumentId: PLAIN, tickSize: "0.01" },
    ])
    expect((await chief.instruments({ symbol: "BTC/USD", venue: "INTERNAL" })).record).toMatchObject([
      { instrumentId: THEIRS, tickSize: "0.5" },
    ])
    const counted = await chief.post("/market/instrument/sync", { venue: "INTERNAL", symbols: ["BTC/USD"] })
    expect(counted.record).toMatchObject({ synced: 1 })
    expect((await root.orderBook(THEIRS)).envelope.errno).toBe(-131_001)
  })

  it("trades between its own, and shows it on its own channels alone", async () => {
    ann = await trader(await enter(), chief, THEIRS, { BTC: "5" })
    bob = await trader(await enter(), chief, THEIRS, { USD: "10000" })
    const ours = await connectClient(gateway, root.token!)
    const theirs = await connectClient(gateway, bob.calls.token!)
    const books = await listen<OrderBookRecord>(theirs, `market:orderbook:INTERNAL:BTC-USD@acme`)
    const bars = await listen<{ readonly instrumentId: string }>(theirs, `market:kline:${THEIRS}:1m`)
    const trades = await listen<{ readonly price: string }>(theirs, `market:trade:${THEIRS}`)
    const [hearAll, hearOwn] = [
      await listen<TickerRecord>(theirs, "market:ticker:INTERNAL"),
      await listen<TickerRecord>(ours, "market:ticker:INTERNAL"),
    ]
    const ask = await ann.limit("SELL", "1", "100.5")
    const bid = await bob.limit("BUY", "1", "100.5")
    await bob.rests(bid.tradeOrderId, "FILLED")
    await ann.rests(ask.tradeOrderId, "FILLED")
    expect(await bob.wallet()).toEqual({ USD: ["9899.5", "0"], BTC: ["0.999", "0"] })
    await until("the trade", () => trades.records().some(({ price }) => price === "100.5"))
    await until("the bar", () => bars.records().some(({ instrumentId }) => instrumentId === THEIRS))
    await until("the ticker", () => hearAll.records().some(({ lastPrice }) => lastPrice === "100.5"))
    expect(books.records()[0]).toMatchObject({ instrumentId: THEIRS, symbol: "BTC/USD", updateType: "SNAPSHOT" })
    // The other's ticker comes on the other's channel, and nothing else does.
    const alice = await trader(await member(), root, PLAIN, { BTC: "2" })
    const { tradeOrderId } = await alice.limit("SELL", "1", "321")
    await until("the other's ticker", () => hearOwn.records().some(({ askPrice }) => askPrice === "321"))
    await alice.calls.cancelled(alice.tradingAccountId, tradeOrderId)
    const ids = (records: ReadonlyArray<TickerRecord>) => [...new Set(records.map((it) => it.instrumentId))]
    expect(ids(hearOwn.records())).not.toContain(THEIRS)
    expect(ids(hearAll.records())).not.toContain(PLAIN)
  })

  it("is what quotes in the tenant are named after", async () => {
    const { dealer } = await openDesk(gateway, chief)
    const asked = { dealerAccountId: dealer.dealerAccountId, orderSide: "BUY", quantity: "0.5" }
    const named = async (fields: Readonly<Record<string, unknown>>) =>
      await until("a firm quote", async () => {
        const answer = await bob.calls.post<{ readonly instrumentId: string; readonly status: string }>(
          "/quote/request",
          {
            ...asked,
            ...fields,
          },
        )
        return answer.record.status === "CREATED" && answer.record.instrumentId
      })
    await chief.post("/wallet/deposit", { walletId: bob.walletId, asset: "USDT", amount: "1000000" })
    expect(await named({ instrumentId: "MOCK:BTC/USDT" })).toBe("INTERNAL:BTC/USDT@acme")
    // Needs no book of ours.
    expect(await named({ instrumentId: "INTERNAL:BTC/USDT@acme" })).toBe("INTERNAL:BTC/USDT@acme")
  })

  it("prices the quotes of a dealer of the tenant that has an account there", async () => {
    const config = { pricing: { allowSimulatedVenues: true } }
    const made = await chief.post<DealerRecord>("/dealer/create", { name: "House", baseCurrencies: ["USD"], config })
    const { dealerAccountId, walletId } = made.record
    expect((await chief.post("/wallet/deposit", { walletId, asset: "BTC", amount: "10" })).envelope.errno).toBe(0)
    const { tradingAccountId } = (await chief.connect({ venue: "INTERNAL" })).record
    expect((await chief.post("/dealer/account/link", { dealerAccountId, tradingAccountId })).envelope.errno).toBe(0)
    const asked = { dealerAccountId, instrumentId: THEIRS, orderSide: "BUY", quantity: "0.5" }
    const quote = await until("a quote of the book as it is now", async () => {
      const ask = await ann.limit("SELL", "1", "150.5")
      const { record } = await bob.calls.post<QuoteRecord>("/quote/request", asked)
      await ann.calls.cancelled(ann.tradingAccountId, ask.tradeOrderId)
      return record.status === "CREATED" && record
    })
    expect(quote.instrumentId).toBe(THEIRS)
    expect(Number(quote.price)).toBeGreaterThanOrEqual(150.5)
  })

  it("leaves rows of the audit that admins of its tenant read, and no others", async () => {
    const created = async (by: Api) =>
      (
        await by.get<ReadonlyArray<{ readonly objectId: string }>>("/audit/list", { action: "instrument.create" })
      ).record.map(({ objectId }) => objectId)
    expect(await created(root)).toEqual([PLAIN])
    expect(await created(chief)).toContain(THEIRS)
    expect(await created(chief)).not.toContain(PLAIN)
  })
})
