/** The programs of docs/examples/realtime, each unmodified against a real gateway: what they print is what happened. */
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import type { OrderBookRecord } from "../../../src/domain/market/market.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { type CutProxy, cutProxy } from "../../kit/proxies/cut-proxy.ts"
import { type Example, endExamples, runExample } from "../../kit/servers/example.ts"
import { type Api, api, endGateways, type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"
import { ClientBook, closeClients, connectClient, listen } from "../gateway/markets/socket.ts"

let gateway: Gateway
let proxy: CutProxy
beforeAll(async () => {
  gateway = await startGateway()
  proxy = await cutProxy({ host: "127.0.0.1", port: Number(new URL(gateway.http).port) })
})
afterEach(async () => {
  proxy.mend()
  closeClients()
  await endExamples()
})
afterAll(async () => {
  await proxy.close()
  await endGateways()
})

interface Person {
  readonly calls: Api
  readonly run: (name: string, env?: Readonly<Record<string, string>>) => Example
}

const PASSWORD = "a very good password"

const newcomer = async (): Promise<Person> => {
  const email = `reader-${randomUUID()}@example.com`
  const session = await api(gateway).signup(email, PASSWORD)
  return {
    calls: api(gateway).as(session.record.accessToken),
    run: (name, env = {}) => runExample(name, { GATEWAY_URL: gateway.http, EMAIL: email, PASSWORD, ...env }),
  }
}

/** Behind the proxy. */
const throughProxy = () => ({ GATEWAY_URL: `http://127.0.0.1:${proxy.port}` })

/** The account that the examples connect. */
const accountOf = async ({ calls }: Person): Promise<string> => {
  const account = await until("the account", async () => (await calls.accounts()).record[0])
  return account.tradingAccountId
}

const BOOK_LINE = /^(SNAPSHOT|DIFF) (\d+) (\w+) bid (\S+),(\S+) ask (\S+),(\S+) levels (\d+)\/(\d+)$/

describe("the real-time examples", () => {
  it("connect.mjs signs a new user up, and logs the same one in again", async () => {
    const person = { GATEWAY_URL: gateway.http, EMAIL: `new-${randomUUID()}@example.com`, PASSWORD }
    for (let i = 0; i < 2; i++) {
      const example = runExample("connect.mjs", person)
      expect(await example.ended, example.errors()).toBe(0)
      expect(example.lines).toEqual(["connected: connected"])
    }
    expect((await api(gateway).login(person.EMAIL, PASSWORD)).status).toBe(200)
  })

  it("gateway.mjs hands out a new token each time, from the refresh token", async () => {
    vi.stubEnv("GATEWAY_URL", gateway.http)
    vi.stubEnv("EMAIL", `token-${randomUUID()}@example.com`)
    vi.stubEnv("PASSWORD", PASSWORD)
    // A variable, so that the compiler does not look for types of a program.
    const path = "../../../docs/examples/realtime/gateway.mjs"
    const { call, getToken } = (await import(path)) as {
      readonly call: (method: string, path: string) => Promise<unknown>
      readonly getToken: () => Promise<string>
    }
    // The first call signs in by itself.
    expect(await call("GET", "tradingAccount/list")).toEqual([])
    const first = await getToken()
    const second = await getToken()
    expect(second).not.toBe(first)
    const sessionOf = (token: string): string => {
      const { sid, session_id } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
      return sid ?? session_id
    }
    expect(sessionOf(first)).toEqual(expect.any(String))
    expect(sessionOf(second)).toBe(sessionOf(first))
    expect((await api(gateway).as(second).user()).status).toBe(200)
    // Calls that find the same session ended share what one of them fetches.
    const [renewed, same] = await Promise.all([getToken(), getToken()])
    expect(renewed).not.toBe(second)
    expect(same).toBe(renewed)
    // No answer to the refresh but a 401 ends the session.
    for (const status of [429, 503]) {
      const refused = vi
        .spyOn(globalThis, "fetch")
        .mockResolvedValueOnce(Response.json({ success: false, errno: -1, error: "" }, { status }))
      await expect(getToken()).rejects.toMatchObject({ status })
      refused.mockRestore()
    }
    expect(sessionOf(await getToken())).toBe(sessionOf(first))
    await api(gateway).as(second).post("/auth/logout")
    const third = await getToken()
    expect((await api(gateway).as(third).user()).status).toBe(200)
    // A call finds out by itself that its session is over.
    await api(gateway).as(third).post("/auth/logout")
    expect(await call("GET", "tradingAccount/list")).toEqual([])
  })

  it("gateway.mjs trades with an API key of one account, and never logs in", async () => {
    const person = await newcomer()
    const { tradingAccountId } = (await person.calls.connectMock("examples")).record
    const made = await person.calls.post<{ readonly apiKeyId: string; readonly apiKey: string }>("/apiKey/create", {
      name: "bot",
      scopes: ["trade"],
      tradingAccountIds: [tradingAccountId],
    })
    const env = { API_KEY: made.record.apiKey, PASSWORD: "not the password" }
    const example = person.run("rpc.mjs", env)
    expect(await example.ended, example.errors()).toBe(0)
    expect(example.lines).toContain("cancelled: CANCELLED")
    const events = person.run("account-events.mjs", env)
    await events.line(/TRADE_ORDER\.FILLED BUY 0\.01 MOCK:BTC\/USDT: FILLED$/)
    // Revoked: the socket stays out, and so does the next program.
    await person.calls.post("/apiKey/revoke", { apiKeyId: made.record.apiKeyId })
    await until("the socket's end", () => /^disconnected: .* \(3500\)$/m.test(events.errors()))
    const late = person.run("rpc.mjs", env)
    expect(await late.ended).toBe(1)
    expect(late.errors()).not.toContain("auth/login")
  })

  it("order-book.mjs has the book at every sequence, also after the connection was cut", async () => {
    const person = await newcomer()
    const client = await connectClient(gateway, person.calls.token ?? "")
    const book = new ClientBook()
    const wanted = new Map<number, string>()
    await listen<OrderBookRecord>(client, "market:orderbook:MOCK:BTC/USDT", (record) => {
      book.apply(record)
      const best = (side: "bids" | "asks") => book.side(side, 1)[0]?.join(",")
      const levels = (["bids", "asks"] as const).map((side) => book.side(side, 10_000).length).join("/")
      wanted.set(record.sequence, `bid ${best("bids")} ask ${best("asks")} levels ${levels}`)
    })
    const example = person.run("order-book.mjs", throughProxy())
    await example.line(/^DIFF/)
    expect(example.lines).toContain("subscribed: a SNAPSHOT follows")
    const before = example.lines.length
    proxy.cut()
    await example.line(/^subscribing: /, before)
    const seen = book.sequence
    await until("the book to move on", () => book.sequence > seen + 3)
    const cut = example.lines.length
    proxy.mend()
    await example.line(/^subscribed: the missed DIFFs follow/, cut)
    const isFarther = (line: string): boolean => Number(BOOK_LINE.exec(line)?.[2] ?? 0) > seen + 12
    await until("the example to follow", () => example.lines.slice(cut).some(isFarther), 60_000)
    const lines = example.lines.flatMap((line) => {
      const [, , sequence, , ...numbers] = BOOK_LINE.exec(line) ?? []
      if (sequence === undefined) return []
      const [bid, bidQuantity, ask, askQuantity, bids, asks] = numbers
      return [[Number(sequence), `bid ${bid},${bidQuantity} ask ${ask},${askQuantity} levels ${bids}/${asks}`] as const]
    })
    await until("the witness to be as far", () => book.sequence >= (lines.at(-1)?.[0] ?? 0))
    expect(book.faults).toEqual([])
    let compared = 0
    for (const [sequence, words] of lines)
      if (wanted.has(sequence)) {
        expect([sequence, words]).toEqual([sequence, wanted.get(sequence)])
        compared++
      }
    expect(compared).toBeGreaterThan(10)
    const sequences = lines.map(([sequence]) => sequence)
    expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] ?? 0) + index))
  })

  it("order-book-map.mjs has the same book as the stream, also after the connection was cut", async () => {
    const person = await newcomer()
    const client = await connectClient(gateway, person.calls.token ?? "")
    const book = new ClientBook()
    const wanted = new Map<number, string>()
    await listen<OrderBookRecord>(client, "market:orderbook:MOCK:ETH/USDT", (record) => {
      book.apply(record)
      const [bids, asks] = [book.side("bids", 10_000), book.side("asks", 10_000)]
      wanted.set(record.sequence, `bid ${bids[0]?.[0]} ask ${asks[0]?.[0]} levels ${bids.length + asks.length}`)
    })
    const example = person.run("order-book-map.mjs", { ...throughProxy(), INSTRUMENT: "MOCK:ETH/USDT" })
    const sequenceOf = (line: string): number => Number(/^book (\d+) SYNCED /.exec(line)?.[1] ?? 0)
    const reached = (sequence: number) =>
      until("the example to follow", () => example.lines.some((line) => sequenceOf(line) > sequence), 60_000)
    await reached(0)
    await reached(book.sequence + 3)
    proxy.cut()
    await until("the example to see the cut", () => example.errors().includes("connecting: transport closed"))
    const cutAt = book.sequence
    await until("the book to move on", () => book.sequence > cutAt + 3)
    proxy.mend()
    await reached(cutAt + 8)
    const last = sequenceOf(example.lines.at(-1) ?? "")
    await until("the witness to be as far", () => book.sequence >= last)
    expect(book.faults).toEqual([])
    const compared = example.lines.filter((line) => wanted.has(sequenceOf(line)))
    expect(compared.length).toBeGreaterThan(5)
    for (const line of compared) expect(line).toBe(`book ${sequenceOf(line)} SYNCED ${wanted.get(sequenceOf(line))}`)
  })

  it("account-events.mjs tells every event, also those of the time when it was cut off", async () => {
    const person = await newcomer()
    const example = person.run("account-events.mjs", throughProxy())
    const filled = await example.line(/TRADE_ORDER\.FILLED BUY 0\.01 MOCK:BTC\/USDT: FILLED$/)
    // That of the fill: with it all that happens before the cut has been told.
    await example.line(/PORTFOLIO\.UPDATED .*BTC /, example.lines.indexOf(filled))
    expect(example.lines[0]).toMatch(/^loaded: \d+ orders$/)
    const tradingAccountId = await accountOf(person)
    const before = example.lines.length
    proxy.cut()
    await until("the example to see the cut", () => example.errors().includes("connecting: transport closed"))
    const order: TradeOrderRecord = await person.calls.submitted({
      tradingAccountId,
      instrumentId: "MOCK:BTC/USDT",
      orderSide: "SELL",
      orderType: "MARKET",
      quantity: "0.005",
      awaitClosed: true,
    })
    expect(order.status).toBe("FILLED")
    proxy.mend()
    await example.line(/TRADE_ORDER\.FILLED SELL 0\.005/, before)
    await example.line(/PORTFOLIO\.UPDATED/, before)
    expect(example.lines[before]).toBe("back: the missed events follow")
    const numbers = example.lines.flatMap((line) => /^(\d+) [A-Z_]+\./.exec(line)?.[1] ?? []).map(Number)
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
  })

  it("tickers.mjs shows one instrument and the whole venue", async () => {
    const person = await newcomer()
    const ticker = /^market:ticker:MOCK:BTC\/USDT MOCK:BTC\/USDT last [\d.]+ bid [\d.]+ ask [\d.]+$/
    const example = person.run("tickers.mjs")
    await example.line(ticker)
    await example.line(/^market:ticker:MOCK MOCK:BTC\/USDT last [\d.]+ bid [\d.]+ ask [\d.]+$/)
  })

  it("klines.mjs shows the bar that lives, every one that closes, and those before", async () => {
    const person = await newcomer()
    const numbers = /open [\d.]+ high [\d.]+ low [\d.]+ close [\d.]+ volume [\d.]+$/
    const example = person.run("klines.mjs", { INTERVAL: "1s" })
    await example.line(/^\d+ bars before$/)
    await until("three closed bars", () => example.lines.filter((line) => line.includes(" closed ")).length >= 3)
    for (const line of example.lines.filter((it) => it.includes(" open "))) expect(line).toMatch(numbers)
  })

  it("trades.mjs shows trades as they happen, and those before it came", async () => {
    const person = await newcomer()
    const { tradingAccountId } = (await person.calls.connectMock()).record
    const trade = (quantity: string) =>
      person.calls.submit({
        tradingAccountId,
        instrumentId: "MOCK:BTC/USDT",
        orderSide: "BUY",
        orderType: "MARKET",
        quantity,
        awaitClosed: true,
      })
    const first = person.run("trades.mjs")
    await until("a trade", async () => {
      await trade("0.00321")
      return first.lines.some((line) => /^now \S+Z BUY 0\.00321 at [\d.]+$/.test(line))
    })
    const second = person.run("trades.mjs")
    await second.line(/^before \S+Z BUY 0\.00321 at [\d.]+$/)
  })

  it("protobuf.mjs reads the same records from Protobuf frames", async () => {
    proxy.heard()
    const example = (await newcomer()).run("protobuf.mjs", throughProxy())
    await example.line(/^\d+(\.\d+)?$/)
    const heard = proxy.heard()
    expect(heard).toContain('"lastPrice"')
    expect(heard).not.toMatch(/"push"|"connect"/)
  })

  it("delta.mjs puts records together from what changed", async () => {
    proxy.heard()
    const example = (await newcomer()).run("delta.mjs", throughProxy())
    await until("several records", () => example.lines.length >= 5 && new Set(example.lines).size > 1, 60_000)
    for (const line of example.lines) expect(line).toMatch(/^MOCK:BTC\/USDT bid [\d.]+ ask [\d.]+$/)
    expect(proxy.heard()).toContain('"delta":true')
  })

  it("tags-filter.mjs hears of the instruments that it chose and of no other", async () => {
    const example = (await newcomer()).run("tags-filter.mjs")
    await example.line(/^MOCK:ETH\/USDT last /)
    await example.line(/^MOCK:SOL\/USDT last /)
    for (const line of example.lines) expect(line).toMatch(/^MOCK:(ETH|SOL)\/USDT last \d/)
  })

  it("rpc.mjs reads, submits and cancels over the socket, and is refused as over HTTP", async () => {
    const person = await newcomer()
    const example = person.run("rpc.mjs")
    expect(await example.ended, example.errors()).toBe(0)
    const [best, submitted, cancelled, refused] = example.lines
    expect(best).toMatch(/^best bid [\d.]+, best ask [\d.]+$/)
    const tradeOrderId = submitted?.replace("submitted: ", "") ?? ""
    expect(cancelled).toMatch(/^cancelled: CANCELLED$/)
    const order = await person.calls.order(await accountOf(person), tradeOrderId)
    expect(order.record).toMatchObject({ status: "CANCELLED", limitPrice: "20000" })
    expect(refused).toMatch(/^refused: Trade order not found \(1004\)$/)
  })

  it("open-orders.mjs keeps tables of open orders and positions", async () => {
    const person = await newcomer()
    const example = person.run("open-orders.mjs", throughProxy())
    await example.line(/^orders: 0 rows$/)
    await example.line(/^positions: \d+ rows$/)
    await example.line(/^orders: BUY 0\.01 at 20000: OPEN, 1 rows$/)
    await example.line(/^positions: USDT [\d.]+ free of [\d.]+, \d+ rows$/)
    await example.line(/^orders: [-0-9a-f]{36} is gone, 0 rows$/)
    const before = example.lines.length
    proxy.cut()
    await until("the example to see the cut", () => example.errors().includes("connecting: transport closed"))
    const { record } = await person.calls.submit({
      tradingAccountId: await accountOf(person),
      instrumentId: "MOCK:BTC/USDT",
      orderSide: "SELL",
      orderType: "LIMIT",
      quantity: "0.02",
      limitPrice: "90000",
    })
    proxy.mend()
    await example.line(/^orders: SELL 0\.02 at 90000: OPEN, 1 rows$/, before)
    await person.calls.cancel(record.tradingAccountId, record.tradeOrderId)
    await example.line(/^orders: [-0-9a-f]{36} is gone, 0 rows$/, before)
  })

  it("browser.mjs shows the last price in a page of the gateway's own host", async () => {
    const person = await newcomer()
    const example = person.run("browser.mjs", {
      NODE_OPTIONS: `--import=${new URL("./browser-stand-in.mjs", import.meta.url).href}`,
      PAGE: `${gateway.http}/app`,
      TOKEN: person.calls.token ?? "",
    })
    await example.line(/^#last-price \d+(\.\d+)?$/)
  })

  it("are all on the page, and each has a test here", async () => {
    const html = await (await fetch(`${gateway.http}/docs/realtime`)).text()
    const tests = readFileSync(fileURLToPath(import.meta.url), "utf8")
    for (const name of readdirSync(new URL("../../../docs/examples/realtime/", import.meta.url))) {
      expect(html).toContain(`<figcaption>${name}</figcaption>`)
      expect(tests).toContain(`it("${name} `)
    }
  })
})
