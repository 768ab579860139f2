/**
 * Executed quotes and their hedges: the gateway, unmodified ccxt and the loopback Binance as the judge of what arrived there. Every test
 * has a dealer, a linked account and a client of its own; what a hedge did is asked of the exchange itself.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import type { HedgeReportRecord } from "../../../../src/domain/dealer/hedging/hedge-report.ts"
import type { TradeOrderRecord } from "../../../../src/domain/order/trade-order-record.ts"
import { type BinanceExchange, startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import {
  balancesOf,
  type Client,
  connectExchange,
  type Desk,
  type DeskOptions,
  dealerDetail,
  hedgesOf,
  hedgingOf,
  loseCredential,
  openClient,
  openDesk,
  requestQuote,
  trade,
  tradeUnanswered,
  untilHedged,
} from "../../../kit/desks/hedging-desk.ts"
import { founder } from "../../../kit/servers/founder.ts"
import { type Api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { type AccountEvent, closeClients, connectClient, listen } from "../markets/socket.ts"
import { withDatabaseServer } from "../running/database.ts"

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const makeDatabase = withDatabaseServer()
let exchange: BinanceExchange
let gateway: Gateway
let admin: Api

beforeAll(async () => {
  exchange = await startBinanceExchange({ market: "still" })
  const database = await makeDatabase()
  gateway = await startGateway({
    env: {
      DATABASE_URL: database.url,
      VENUE_ROUTES: JSON.stringify(exchange.routes),
      EXCHANGE_MIRROR_MS: "200",
    },
  })
  admin = await founder(gateway)
})
afterEach(() => exchange.fault({ fault: "clear" }))
afterAll(async () => {
  closeClients()
  await endGateways()
  await exchange?.stop()
})

const scene = async (options: DeskOptions = {}): Promise<{ readonly desk: Desk; readonly client: Client }> => {
  const desk = await openDesk(admin, exchange, options)
  return { desk, client: await openClient(gateway, desk) }
}

const bought = (orders: ReadonlyArray<{ readonly side: string; readonly executedQty: string }>): number =>
  orders.reduce((sum, { side, executedQty }) => sum + (side === "BUY" ? 1 : -1) * Number(executedQty), 0)

/** What the exchange has of the dealer, and that nothing arrived twice. */
const atExchange = ({ apiKey }: Desk) => {
  const twice = exchange.placements().filter((it) => it.apiKey === apiKey && (it.count > 1 || it.created > 1))
  expect(twice).toEqual([])
  return exchange.orders(apiKey)
}

interface AccountingWallet {
  readonly walletId: string
  readonly dealerAccountId: string | null
  readonly metadata: Readonly<Record<string, string>>
}

/** Of the dealer's own books; empty before they are made. */
const bookOf = async ({ dealerAccountId }: Desk, purpose: string): Promise<Readonly<Record<string, string>>> => {
  const asked = { walletType: "ACCOUNTING", limit: 1000 }
  const { record } = await admin.get<ReadonlyArray<AccountingWallet>>("/wallet/list", asked)
  const book = record.find((it) => it.dealerAccountId === dealerAccountId && it.metadata["purpose"] === purpose)
  return book === undefined ? {} : balancesOf(admin, book.walletId)
}

describe("an executed quote", () => {
  it("is hedged exactly once at the venue that priced it, and the ledger mirrors the account", async () => {
    const { desk, client } = await scene({
      config: { pricingProfiles: { p: { markupBps: 20 } }, defaultPricingProfile: "p" },
    })
    const { quote, order } = await trade(client, desk)
    expect(order).toMatchObject({ status: "FILLED", averagePrice: quote.price })
    const hedging = await untilHedged(desk)
    const [hedge, ...others] = await hedgesOf(desk)
    expect(others).toEqual([])
    expect(hedge).toMatchObject({
      orderSide: "BUY",
      orderType: "LIMIT",
      timeInForce: "IOC",
      status: "FILLED",
      quantity: "0.04",
      dealerAccountId: desk.dealerAccountId,
      hedgeForQuoteIds: [quote.quoteId],
    })
    const there = atExchange(desk)
    expect(there.map(({ executedQty, side }) => [side, Number(executedQty)])).toEqual([["BUY", 0.04]])
    // The exchange took its fee in base: that is open, and nothing else.
    const { spreadCaptured, hedgeSlippage, unrealised, profit } = hedging
    expect(hedging).toMatchObject({ position: "-0.00004", openQuoteIds: [quote.quoteId], trouble: null })
    // Nobody else trades in a still market: the hedge cost what the quote was priced at, and the fee.
    expect(Number(hedgeSlippage)).toBeCloseTo(0.00004 * Number(hedge!.averagePrice), 8)
    expect(Number(spreadCaptured)).toBeGreaterThan(0)
    expect(Number(profit)).toBeCloseTo(Number(spreadCaptured) - Number(hedgeSlippage) + Number(unrealised), 8)
    const wallets = (
      await admin.get<ReadonlyArray<{ walletId: string; metadata: Record<string, string> }>>("/wallet/list", {
        walletType: "EXCHANGE",
        limit: 1000,
      })
    ).record
    const mirror = wallets.find(({ metadata }) => metadata["tradingAccountId"] === desk.linkedAccountId)
    const shown = async () =>
      Object.fromEntries((await admin.portfolio(desk.linkedAccountId)).record.map((it) => [it.currency, it.balance]))
    await until("the mirror is what the venue shows", async () => {
      const [mirrored, venue] = [await balancesOf(admin, mirror!.walletId), await shown()]
      return JSON.stringify(Object.entries(mirrored).sort()) === JSON.stringify(Object.entries(venue).sort())
    })
    const statement = (
      await admin.get<ReadonlyArray<{ code: string; asset: string; amount: string }>>("/wallet/transfer/list", {
        walletId: mirror!.walletId,
        limit: 100,
      })
    ).record
    const moved = (asset: string): number =>
      statement
        .filter((row) => row.code === "HEDGE" && row.asset === asset)
        .reduce((sum, { amount }) => sum + Number(amount), 0)
    expect(moved("BTC")).toBeCloseTo(0.04, 8)
    expect(moved("USDT")).toBeCloseTo(Number(hedge!.executedCost), 8)
    // What the books have earned, and what is open in them at the middle of the book, is what the dealer's own sums say.
    const open = await until("the hedge is in the dealer's books", async () => {
      const book = await bookOf(desk, "POSITION")
      return book["BTC"] === hedging.position ? book : undefined
    })
    const atMid = Number(open["USDT"]) - Number(hedging.exposure)
    expect(Number((await bookOf(desk, "PROFIT"))["USDT"]) + atMid).toBeCloseTo(Number(profit), 8)
  })

  it("and its opposite within the netting window leave one order for the difference", async () => {
    const { desk, client } = await scene({ config: { hedge: { nettingWindowMs: 60_000 } } })
    await trade(client, desk, { quantity: "0.04" })
    await trade(client, desk, { orderSide: "SELL", quantity: "0.03" })
    // A dealer that is changed looks at what waits at once.
    await desk.calls.post("/dealer/pause", { dealerAccountId: desk.dealerAccountId }).then(({ record }) => record)
    await untilHedged(desk)
    const orders = atExchange(desk)
    expect([orders.length, bought(orders).toFixed(8)]).toEqual([1, "0.01000000"])
  })

  it("is hedged with what the venue took as its fee, where that is enough for an order", async () => {
    const { desk, client } = await scene()
    await trade(client, desk, { quantity: "0.5" })
    await untilHedged(desk)
    expect(atExchange(desk).map(({ executedQty }) => Number(executedQty))).toEqual([0.5, 0.0005])
    expect((await hedgingOf(desk))?.position).toBe("-0.0000005")
  })

  it("that is worth less than the venue takes waits for the next, and both leave as one", async () => {
    const { desk, client } = await scene()
    // Binance takes orders of 5 USDT and more.
    await trade(client, desk, { quantity: "0.00002" })
    await until("it accumulates", async () => (await hedgingOf(desk))?.state === "ACCUMULATING")
    expect(atExchange(desk)).toEqual([])
    const { quote } = await trade(client, desk, { quantity: "0.01" })
    await untilHedged(desk)
    const [hedge] = await hedgesOf(desk)
    expect([hedge?.quantity, hedge?.hedgeForQuoteIds.length, hedge?.hedgeForQuoteIds[1]]).toEqual([
      "0.01002",
      2,
      quote.quoteId,
    ])
  })
})

describe("an account at a venue", () => {
  it("that has 30 % less without an execution is told of, and the dealer's LOSS has what is missing", async () => {
    const { desk } = await scene({ balances: { BTC: "10", USDT: "100000" } })
    const told = await listen<AccountEvent>(
      await connectClient(gateway, desk.calls.token!),
      `tradingAccount:${desk.tradingAccountId}`,
    )
    const wallets = async () =>
      (await admin.get<ReadonlyArray<AccountingWallet>>("/wallet/list", { walletType: "EXCHANGE", limit: 1000 })).record
    const mirror = await until("a mirror with its opening balance", async () => {
      const one = (await wallets()).find(({ metadata }) => metadata["tradingAccountId"] === desk.linkedAccountId)
      return one !== undefined && (await balancesOf(admin, one.walletId))["BTC"] === "10" ? one : undefined
    })
    // Of a closed one nothing would be compared any more.
    const closed = await admin.post("/wallet/close", { walletId: mirror.walletId })
    expect(closed.envelope).toMatchObject({ success: false, errno: -150000 })
    exchange.setBalance(desk.apiKey, "BTC", "7")
    await until(
      "the mirror is what the venue shows",
      async () => (await balancesOf(admin, mirror.walletId))["BTC"] === "7",
    )
    await until("an alert", () =>
      told
        .records()
        .some(({ kind, data }) => kind === "TRADING_ACCOUNT.ALERT" && JSON.stringify(data).includes("SHORTFALL")),
    )
    expect(await bookOf(desk, "LOSS")).toEqual({ BTC: "3" })
  })
})

describe("a paused dealer", () => {
  it("quotes no more and hedges on; one that is not flat is not archived, nor its account unlinked", async () => {
    const { desk, client } = await scene({ config: { hedge: { repriceMs: 100, attemptsMax: 1, retryMs: 300 } } })
    const { dealerAccountId, linkedAccountId: tradingAccountId } = desk
    const body = '{"code":-2010,"msg":"Account has insufficient balance for requested action."}'
    exchange.fault({
      fault: "answer",
      match: "POST /api/v3/order",
      times: "always",
      action: { kind: "status", status: 400, body },
    })
    const quote = await until("a firm quote", async () => {
      const { envelope } = await requestQuote(client, desk)
      return envelope.data?.status === "CREATED" ? envelope.data : undefined
    })
    await desk.calls.post("/dealer/pause", { dealerAccountId }).then(({ record }) => record)
    expect((await requestQuote(client, desk)).envelope.errno).toBe(-141002)
    const events = await listen<AccountEvent>(
      await connectClient(gateway, desk.calls.token!),
      `tradingAccount:${desk.tradingAccountId}`,
    )
    const { tradingAccountId: traderAccountId } = client
    const { quoteId, instrumentId, orderSide, quantity } = quote
    const order = await client.calls.submitted({
      tradingAccountId: traderAccountId,
      orderType: "QUOTED",
      quoteId,
      instrumentId,
      orderSide,
      quantity,
      awaitClosed: true,
    })
    expect(order.status).toBe("FILLED")
    await until("an alert", () =>
      events
        .records()
        .some(({ kind, data }) => kind === "TRADING_ACCOUNT.ALERT" && JSON.stringify(data).includes("HEDGE_OPEN")),
    )
    expect((await hedgingOf(desk))?.position).toBe("-0.04")
    const archived = await desk.calls.post("/dealer/archive", { dealerAccountId })
    expect(archived.envelope.errno).toBe(-141004)
    const unlinked = await desk.calls.post("/dealer/account/unlink", { dealerAccountId, tradingAccountId })
    expect(unlinked.envelope.errno).toBe(-141007)
    exchange.fault({ fault: "clear" })
    await untilHedged(desk)
    expect(bought(atExchange(desk)).toFixed(8)).toBe("0.04000000")
    await desk.calls.post("/dealer/account/unlink", { dealerAccountId, tradingAccountId }).then(({ record }) => record)
    await desk.calls.post("/dealer/archive", { dealerAccountId }).then(({ record }) => record)
    expect((await dealerDetail(desk)).status).toBe("ARCHIVED")
  })
})

describe("an exposure without a market", () => {
  it("is tried for ever, and goes to an account that is linked when its own is gone", async () => {
    const { desk, client } = await scene({
      config: { hedge: { repriceMs: 50, attemptsMax: 2, retryMs: 300 } },
      balances: { BTC: "1" },
    })
    const { dealerAccountId } = desk
    await trade(client, desk)
    await until("it stays open", async () => (await hedgingOf(desk))?.state === "OPEN")
    expect(await hedgingOf(desk)).toMatchObject({ trouble: "Insufficient balance", position: "-0.04" })
    await desk.calls.disconnect(desk.linkedAccountId).then(({ record }) => record)
    const other = await connectExchange(admin, exchange)
    const link = { dealerAccountId, tradingAccountId: other.tradingAccountId }
    await desk.calls.post("/dealer/account/link", link).then(({ record }) => record)
    await untilHedged(desk)
    expect(bought(exchange.orders(other.apiKey)).toFixed(8)).toBe("0.04000000")
    expect(atExchange(desk)).toEqual([])
  })
})

describe("a hedge whose account can be asked no longer", () => {
  it("is carried, its pair is hedged elsewhere, and an admin says what became of it", async () => {
    const { desk, client } = await scene()
    const { dealerAccountId, linkedAccountId } = desk
    const other = await connectExchange(admin, exchange)
    await desk.calls
      .post("/dealer/account/link", { dealerAccountId, tradingAccountId: other.tradingAccountId })
      .then(({ record }) => record)
    const { openHedgeIds } = await tradeUnanswered(client, desk, exchange)
    const [tradeOrderId] = openHedgeIds
    const refused = await desk.calls.disconnect(linkedAccountId)
    expect([refused.envelope.errno, refused.envelope.details?.metadata]).toEqual([
      -141007,
      { tradeOrderIds: openHedgeIds },
    ])
    const resolve = (said: Readonly<Record<string, unknown>>, calls = desk.calls) =>
      calls.post<HedgeReportRecord>("/dealer/hedge/resolve", { dealerAccountId, tradeOrderId, ...said })
    const left = await loseCredential(desk)
    expect(left).toMatchObject({
      carried: "0.04",
      position: "-0.04",
      inDoubt: [
        { tradeOrderId, tradingAccountId: linkedAccountId, orderSide: "BUY", quantity: "0.04", isCarried: true },
      ],
    })
    exchange.fault({ fault: "clear" })
    await trade(client, desk, { quantity: "0.03" })
    await until(
      "the next one is hedged elsewhere",
      () => bought(exchange.orders(other.apiKey)).toFixed(8) === "0.03000000",
    )
    await until("nothing but the doubt is open", async () => (await hedgingOf(desk))?.state === "CARRIED")
    expect(bought(atExchange(desk)).toFixed(8)).toBe("0.04000000")
    expect((await desk.calls.post("/dealer/archive", { dealerAccountId })).envelope.errno).toBe(-141004)
    expect((await resolve({ executedQuantity: "0" }, client.calls)).status).toBe(403)
    const tooMuch = await resolve({ executedQuantity: "0.05", averagePrice: "60000" })
    expect([tooMuch.envelope.errno, tooMuch.envelope.details?.metadata]).toEqual([
      -104003,
      { parameter: "executedQuantity", reason: "the hedge was for 0.04: it must be at most that" },
    ])
    const tooDear = await resolve({ executedQuantity: "0.04", averagePrice: "1000000000000000000000000000000" })
    expect([tooDear.status, tooDear.envelope.details?.metadata]).toMatchObject([400, { parameter: "averagePrice" }])
    const resolved = (await resolve({ executedQuantity: "0.04", averagePrice: "60000" })).record
    expect(resolved).toMatchObject({ state: "ACCUMULATING", carried: "0", inDoubt: [], position: "-0.00003" })
    await desk.calls.post("/dealer/archive", { dealerAccountId }).then(({ record }) => record)
    expect(bought(atExchange(desk)).toFixed(8)).toBe("0.04000000")
  })
})

describe("a hedge in doubt", () => {
  it("is not sent again, and what it executed is counted when it is known", async () => {
    const { desk, client } = await scene()
    exchange.fault({ fault: "suppressUserEvents", on: true })
    exchange.fault({ fault: "answer", match: "POST /api/v3/order", action: { kind: "apply-then-destroy" } })
    await trade(client, desk)
    await untilHedged(desk)
    const orders: ReadonlyArray<TradeOrderRecord> = await hedgesOf(desk)
    expect(orders.map(({ status, executedQuantity }) => [status, executedQuantity])).toEqual([["FILLED", "0.04"]])
    expect(bought(atExchange(desk)).toFixed(8)).toBe("0.04000000")
  })
})
