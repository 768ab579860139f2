/**
 * The matching engine of the loopback exchange: priority, order types, balances to the last unit.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatFixed, toFixed8 } from "../../exchanges/binance/fixed.ts"
import type { Market } from "../../exchanges/binance/market.ts"
import { Matching } from "../../exchanges/binance/matching.ts"
import type { Account, Order } from "../../exchanges/binance/model.ts"
import { balanceOf } from "../../exchanges/binance/model.ts"
import type { OrderRequest } from "../../exchanges/binance/wire/filters.ts"

const RULES = { symbol: "BTCUSDT", base: "BTC", quote: "USDT", tickSize: "0.01", stepSize: "0.00001" }

interface Bench {
  readonly matching: Matching
  readonly market: Market
  readonly events: Array<string>
  readonly account: (name: string, balances: Record<string, string>) => Account
}

const bench = (): Bench => {
  const events: Array<string> = []
  const matching = new Matching(
    {
      onLevel: (_, side, price, total) => events.push(`${side} ${formatFixed(price)} ${formatFixed(total)}`),
      onTrade: (_, trade) => events.push(`trade ${formatFixed(trade.price)} ${formatFixed(trade.quantity)}`),
      onOrder: (order, execution) => events.push(`${order.clientOrderId} ${execution} ${order.status}`),
      onBalances: () => undefined,
    },
    () => 1_700_000_000_000,
  )
  const market = matching.addSymbol(RULES)
  const account = (name: string, balances: Record<string, string>): Account => ({
    apiKey: name,
    apiSecret: "secret",
    accountNumber: 1,
    balances: new Map(Object.entries(balances).map(([asset, free]) => [asset, { free: toFixed8(free), locked: 0n }])),
    orders: new Map(),
    byClientOrderId: new Map(),
    fills: [],
  })
  return { matching, market, events, account }
}

const order = (
  parts: Partial<Record<"quantity" | "price" | "stopPrice" | "quoteOrderQuantity", string>> &
    Partial<Omit<OrderRequest, "quantity" | "price" | "stopPrice" | "quoteOrderQuantity">>,
): OrderRequest => {
  const decimal = (text: string | undefined) => (text === undefined ? undefined : toFixed8(text))
  return {
    symbol: "BTCUSDT",
    side: parts.side ?? "BUY",
    type: parts.type ?? "LIMIT",
    timeInForce: parts.timeInForce ?? "GTC",
    clientOrderId: parts.clientOrderId,
    quantity: decimal(parts.quantity),
    price: decimal(parts.price),
    stopPrice: decimal(parts.stopPrice),
    quoteOrderQuantity: decimal(parts.quoteOrderQuantity),
  }
}

const held = (account: Account, asset: string) => {
  const { free, locked } = balanceOf(account, asset)
  return { free: formatFixed(free), locked: formatFixed(locked) }
}

const refusal = (attempt: () => unknown): string => {
  try {
    attempt()
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
  return "accepted"
}

describe("the matching engine", () => {
  it("fills the better price first and the earlier order first at one price", () => {
    const { matching, account } = bench()
    const [first, second, third] = ["first", "second", "third"].map((name) => account(name, { BTC: "1" }))
    const sell = (who: Account, price: string) => matching.place(who, order({ side: "SELL", quantity: "1", price }))
    const early = sell(first!, "100.00")
    const late = sell(second!, "100.00")
    const best = sell(third!, "99.00")
    const taker = account("taker", { USDT: "1000" })
    const bought = matching.place(taker, order({ quantity: "2", price: "100.00" }))
    expect(bought.fills.map((fill) => formatFixed(fill.price))).toEqual(["99.00000000", "100.00000000"])
    expect([best.status, early.status, late.status]).toEqual(["FILLED", "FILLED", "NEW"])
    expect(held(taker, "USDT")).toEqual({ free: "801.00000000", locked: "0.00000000" })
    expect(held(taker, "BTC").free).toBe("1.99800000")
    expect(held(first!, "USDT").free).toBe("99.90000000")
  })

  it("rests what a GTC order could not fill and gives back what price improvement saved", () => {
    const { matching, market, account } = bench()
    matching.setLiquidity(market, "asks", toFixed8("99.00"), toFixed8("1"))
    const taker = account("taker", { USDT: "300" })
    const resting = matching.place(taker, order({ quantity: "3", price: "100.00" }))
    expect(resting.status).toBe("PARTIALLY_FILLED")
    expect(held(taker, "USDT")).toEqual({ free: "1.00000000", locked: "200.00000000" })
    expect(market.bids.best?.total).toBe(toFixed8("2"))
    matching.cancel(resting, "BTCUSDT")
    expect(held(taker, "USDT")).toEqual({ free: "201.00000000", locked: "0.00000000" })
    expect(market.bids.best).toBeUndefined()
  })

  it("lets an IOC order take what is there and a FOK order all or nothing", () => {
    const { matching, market, account } = bench()
    matching.setLiquidity(market, "asks", toFixed8("100.00"), toFixed8("1"))
    const taker = account("taker", { USDT: "1000" })
    const fok = matching.place(taker, order({ timeInForce: "FOK", quantity: "2", price: "100.00" }))
    expect([fok.status, fok.left]).toEqual(["EXPIRED", fok.quantity])
    const ioc = matching.place(taker, order({ timeInForce: "IOC", quantity: "2", price: "100.00" }))
    expect([ioc.status, formatFixed(ioc.left)]).toEqual(["EXPIRED", "1.00000000"])
    expect(held(taker, "USDT")).toEqual({ free: "900.00000000", locked: "0.00000000" })
  })

  it("buys for an amount of quote asset in whole steps, across levels", () => {
    const { matching, market, account } = bench()
    matching.setLiquidity(market, "asks", toFixed8("100.00"), toFixed8("1"))
    matching.setLiquidity(market, "asks", toFixed8("300.00"), toFixed8("1"))
    const taker = account("taker", { USDT: "200" })
    const bought = matching.place(taker, order({ type: "MARKET", quoteOrderQuantity: "200" }))
    expect([bought.status, formatFixed(bought.quantity), formatFixed(bought.cost)]).toEqual([
      "FILLED",
      "1.33333000",
      "199.99900000",
    ])
    expect(held(taker, "USDT")).toEqual({ free: "0.00100000", locked: "0.00000000" })
  })

  it("refuses a LIMIT_MAKER that would take", () => {
    const { matching, market, account } = bench()
    matching.setLiquidity(market, "asks", toFixed8("100.00"), toFixed8("1"))
    const maker = account("maker", { USDT: "1000" })
    const attempt = (price: string) =>
      refusal(() => matching.place(maker, order({ type: "LIMIT_MAKER", quantity: "1", price })))
    expect(attempt("100.00")).toBe("Order would immediately match and take.")
    expect(attempt("99.99")).toBe("accepted")
  })

  it("refuses what the filters forbid, each in the venue's words", () => {
    const { matching, account } = bench()
    const rich = account("rich", { USDT: "1000000" })
    const attempt = (quantity: string, price: string) => refusal(() => matching.place(rich, order({ quantity, price })))
    expect(attempt("0.000015", "60000.00")).toBe("Filter failure: LOT_SIZE")
    expect(attempt("0.00000000", "60000.00")).toBe("Filter failure: LOT_SIZE")
    expect(attempt("0.001", "60000.001")).toBe("Filter failure: PRICE_FILTER")
    expect(attempt("0.00001", "60000.00")).toBe("Filter failure: NOTIONAL")
    expect(attempt("1000", "60000.00")).toBe("Filter failure: NOTIONAL")
    expect(attempt("20", "60000.00")).toBe("Account has insufficient balance for requested action.")
    expect(attempt("0.001", "60000.00")).toBe("accepted")
  })

  it("refuses a client order id while an order with it is open, and takes it again afterwards", () => {
    const { matching, account } = bench()
    const rich = account("rich", { USDT: "1000" })
    const again = order({ clientOrderId: "mine", quantity: "1", price: "100.00" })
    const placed = matching.place(rich, again)
    expect(refusal(() => matching.place(rich, again))).toBe("Duplicate order sent.")
    matching.cancel(placed, "BTCUSDT")
    expect(refusal(() => matching.place(rich, again))).toBe("accepted")
  })

  it("triggers a stop when the last price reaches it, and not before", () => {
    const { matching, market, account } = bench()
    matching.setLiquidity(market, "bids", toFixed8("100.00"), toFixed8("1"))
    matching.setLiquidity(market, "bids", toFixed8("90.00"), toFixed8("5"))
    matching.takeAnonymously(market, "SELL", toFixed8("0.5"))
    const holder = account("holder", { BTC: "2" })
    const stop = matching.place(
      holder,
      order({ side: "SELL", type: "STOP_LOSS_LIMIT", quantity: "2", price: "80.00", stopPrice: "95.00" }),
    )
    expect(
      refusal(() =>
        matching.place(holder, order({ side: "SELL", type: "STOP_LOSS", quantity: "1", stopPrice: "100.00" })),
      ),
    ).toBe("Stop price would trigger immediately.")
    matching.takeAnonymously(market, "SELL", toFixed8("0.5"))
    expect([stop.status, stop.isWorking]).toEqual(["NEW", false])
    matching.takeAnonymously(market, "SELL", toFixed8("1"))
    expect([stop.status, formatFixed(stop.cost)]).toEqual(["FILLED", "180.00000000"])
    expect(market.stops.size).toBe(0)
  })

  it("triggers a stop when the anonymous market fills a resting order at its price", () => {
    const { matching, market, account } = bench()
    matching.setLiquidity(market, "bids", toFixed8("90.00"), toFixed8("5"))
    matching.place(account("maker", { USDT: "1000" }), order({ quantity: "1", price: "94.00" }))
    const holder = account("holder", { BTC: "1" })
    const stop = matching.place(holder, order({ side: "SELL", type: "STOP_LOSS", quantity: "1", stopPrice: "95.00" }))
    matching.setLiquidity(market, "asks", toFixed8("94.00"), toFixed8("1"))
    expect([stop.status, formatFixed(stop.cost)]).toEqual(["FILLED", "90.00000000"])
  })

  it("expires the resting order instead of letting an account trade with itself", () => {
    const { matching, market, account } = bench()
    const both = account("both", { USDT: "1000", BTC: "1" })
    const resting = matching.place(both, order({ side: "SELL", quantity: "1", price: "100.00" }))
    const taker = matching.place(both, order({ quantity: "1", price: "100.00" }))
    expect([resting.status, taker.status]).toEqual(["EXPIRED_IN_MATCH", "NEW"])
    expect([market.asks.best, market.bids.best?.total]).toEqual([undefined, toFixed8("1")])
    expect(both.fills).toEqual([])
  })

  it("fills a resting order when the anonymous market comes to it, and shows the rest of the level", () => {
    const { matching, market, events, account } = bench()
    const maker = account("maker", { USDT: "1000" })
    const resting = matching.place(maker, order({ clientOrderId: "rest", quantity: "1", price: "100.00" }))
    events.length = 0
    matching.setLiquidity(market, "asks", toFixed8("99.50"), toFixed8("0.4"))
    expect(resting.status).toBe("PARTIALLY_FILLED")
    expect(events).toEqual([
      "bids 100.00000000 0.60000000",
      "trade 100.00000000 0.40000000",
      "rest TRADE PARTIALLY_FILLED",
    ])
    matching.setLiquidity(market, "asks", toFixed8("99.50"), toFixed8("2"))
    expect([resting.status, formatFixed(market.asks.best?.total ?? 0n)]).toEqual(["FILLED", "1.40000000"])
    expect(resting.fills.every((fill) => fill.isMaker)).toBe(true)
  })

  it("never makes or loses a unit, whatever is placed and cancelled", () => {
    const action = fc.record({
      who: fc.nat(2),
      side: fc.constantFrom("BUY" as const, "SELL" as const),
      type: fc.constantFrom("LIMIT" as const, "MARKET" as const, "LIMIT_MAKER" as const),
      timeInForce: fc.constantFrom("GTC" as const, "IOC" as const, "FOK" as const),
      quantity: fc.integer({ min: 1, max: 300_000 }),
      price: fc.integer({ min: 9_900, max: 10_100 }),
      cancels: fc.nat(4),
    })
    const verdict = fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const { matching, market, account } = bench()
        const everyone = ["a", "b", "c"].map((name) => account(name, { BTC: "50", USDT: "5000" }))
        const open: Array<Order> = []
        for (const { who, price, quantity, cancels, side, type, timeInForce } of actions) {
          const limited = type !== "MARKET"
          const request: OrderRequest = {
            symbol: "BTCUSDT",
            side,
            type,
            timeInForce: type === "LIMIT" ? timeInForce : "GTC",
            clientOrderId: undefined,
            quantity: BigInt(quantity) * 1000n,
            price: limited ? BigInt(price) * 1_000_000n : undefined,
            stopPrice: undefined,
            quoteOrderQuantity: undefined,
          }
          const outcome = refusal(() => open.push(matching.place(everyone[who]!, request)))
          expect(outcome).not.toMatch(/undefined|Cannot/)
          if (cancels === 0 && open.length > 0) refusal(() => matching.cancel(open.shift(), "BTCUSDT"))
        }
        const sum = (asset: string, fees: (one: Account) => bigint) =>
          everyone.reduce(
            (total, one) => total + balanceOf(one, asset).free + balanceOf(one, asset).locked + fees(one),
            0n,
          )
        const feesIn = (asset: string) => (one: Account) =>
          one.fills.filter((fill) => fill.feeAsset === asset).reduce((total, fill) => total + fill.fee, 0n)
        expect(sum("BTC", feesIn("BTC"))).toBe(toFixed8("150"))
        expect(sum("USDT", feesIn("USDT"))).toBe(toFixed8("15000"))
        for (const one of everyone) {
          const reserved = (asset: string) =>
            [...one.orders.values()]
              .filter((o) => o.reservedAsset === asset)
              .reduce((total, o) => total + o.reserved, 0n)
          for (const asset of ["BTC", "USDT"]) {
            expect(balanceOf(one, asset).locked).toBe(reserved(asset))
            expect(balanceOf(one, asset).free >= 0n).toBe(true)
          }
        }
        const [bid, ask] = [market.bids.best?.price, market.asks.best?.price]
        if (bid !== undefined && ask !== undefined) expect(bid < ask).toBe(true)
      }),
      { numRuns: 150 },
    )
    expect(verdict).toBeUndefined()
  })
})
