/**
 * The quote machine under any order of events: requests, orders, settlements, time, funds, frozen wallets, a ledger that answers late, a
 * process that dies. Whatever happened, nothing is executed twice, late or by halves, and at rest nothing is held.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { costOf, type FirmQuote, isFirm, mayQuoteBecome, type QuoteStatus } from "../../../src/domain/dealer/quote.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { QuoteId, TradeOrderId } from "../../../src/domain/ids.ts"
import { CLIENT, INVENTORY, QuoteWorld } from "../../kit/worlds/quote-world.ts"

const STATES: ReadonlyArray<QuoteStatus> = ["CREATED", "ACCEPTED", "EXECUTED", "REJECTED", "EXPIRED", "CANCELLED"]

type SimpleStep = "step" | "freeze" | "thaw" | "pause" | "resume"

type Command =
  | { readonly does: "ask"; readonly side: "BUY" | "SELL"; readonly lots: number; readonly ttl: number }
  | { readonly does: "order"; readonly which: number; readonly late: number }
  | { readonly does: "settle" | "letGo"; readonly which: number }
  | { readonly does: "pass"; readonly millis: number }
  | { readonly does: SimpleStep }
  | { readonly does: "kill"; readonly reached: number }

const which = fc.nat(5)
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    does: fc.constant("ask" as const),
    side: fc.constantFrom("BUY" as const, "SELL" as const),
    lots: fc.integer({ min: 1, max: 60_000 }),
    ttl: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({ does: fc.constant("order" as const), which, late: fc.integer({ min: 0, max: 50 }) }),
  fc.record({ does: fc.constantFrom("settle" as const, "settle" as const, "letGo" as const), which }),
  fc.record({ does: fc.constant("pass" as const), millis: fc.integer({ min: 1, max: 6_000 }) }),
  fc.record({ does: fc.constantFrom<SimpleStep>("step", "step", "step", "freeze", "thaw", "thaw", "pause", "resume") }),
  fc.record({ does: fc.constant("kill" as const), reached: fc.nat(3) }),
)

interface Placed {
  readonly quote: FirmQuote
  readonly order: TradeOrderId
  readonly ingressAt: number
  answer: ReturnType<QuoteWorld["accept"]>
  settled: ReturnType<QuoteWorld["settle"]> | null
}

const run = (commands: ReadonlyArray<Command>): void => {
  const world = new QuoteWorld()
  world.isPrompt = false
  const asked: Array<ReturnType<QuoteWorld["ask"]>> = []
  let placed: Array<Placed> = []
  /** The client's account: it stores an order once its quote is taken, and asks until it knows. */
  const store = (it: Placed): void => {
    if (it.answer.accepted === undefined || it.settled !== null) return
    world.stored.orders.set(it.quote.quoteId, it.order)
    it.settled = world.settle(it.quote.quoteId, it.order, it.ingressAt)
  }
  const told = (): void => {
    for (const it of placed) {
      if (it.settled?.error === undefined) continue
      if (world.stored.orders.get(it.quote.quoteId) === it.order) world.stored.orders.delete(it.quote.quoteId)
    }
  }
  for (const it of commands) {
    const firm = asked.flatMap(({ quote }) => (quote !== undefined && isFirm(quote) ? [quote] : []))
    told()
    switch (it.does) {
      case "ask":
        asked.push(
          world.ask({
            orderSide: it.side,
            size: { quantityType: "BASE", quantity: Decimal.fromUnits(BigInt(it.lots), 3) },
            expiry: { ttlSeconds: it.ttl },
          }),
        )
        break
      case "order": {
        const quote = firm.at(-1 - (it.which % Math.max(1, firm.length)))
        if (quote === undefined) break
        const order = world.orderId()
        const ingressAt = world.now - it.late
        placed.push({ quote, order, ingressAt, answer: world.accept(quote, order, ingressAt), settled: null })
        break
      }
      case "settle": {
        const one = placed.at(-1 - it.which)
        if (one !== undefined) store(one)
        break
      }
      case "letGo": {
        const one = placed.at(-1 - it.which)
        if (one?.settled === null) world.letGo(one.quote.quoteId, one.order)
        break
      }
      case "pass":
        world.pass(it.millis)
        break
      case "step":
        world.step()
        break
      case "freeze":
        world.stored.frozen.add(CLIENT)
        break
      case "thaw":
        world.stored.frozen.clear()
        break
      case "pause":
        world.set("PAUSED")
        break
      case "resume":
        world.set("ACTIVE")
        break
      case "kill":
        world.kill(it.reached)
        // Orders that are stored are asked about again, the others are gone with the process.
        placed = placed.filter((one) => one.settled !== null)
        for (const one of placed)
          if (world.stored.orders.get(one.quote.quoteId) === one.order)
            one.settled = world.settle(one.quote.quoteId, one.order, world.now, true)
    }
    countsHold(world)
  }
  world.stored.frozen.clear()
  world.rest()
  told()
  atRest(world, placed)
}

/** What is counted as quotes come and go is what a walk through all of them finds. */
const countsHold = ({ core: { quotes } }: QuoteWorld): void => {
  const all = [...quotes.all()].map(({ quote }) => quote)
  expect(quotes.size).toBe(all.length)
  if (all[0] !== undefined) expect(quotes.countOf(all[0].traderAccountId)).toBe(all.length)
  for (const side of ["BUY", "SELL"] as const) {
    const own = all.filter(({ orderSide }) => orderSide === side)
    const sum = own.reduce((total, { quantity }) => total.add(quantity), Decimal.ZERO)
    expect(quotes.outstanding.of(side, "BTC").toString()).toBe(sum.toString())
  }
}

const atRest = (world: QuoteWorld, placed: ReadonlyArray<Placed>): void => {
  const { stored } = world
  const expected = new Map<string, Decimal>()
  for (const wallet of [CLIENT, INVENTORY]) {
    expected.set(`${wallet} BTC`, Decimal.of("100"))
    expected.set(`${wallet} USDT`, Decimal.of("100000"))
    for (const asset of ["BTC", "USDT"]) expect(stored.held(wallet, asset).toString()).toBe("0")
  }
  const move = (from: string, to: string, asset: string, amount: Decimal): void => {
    expected.set(`${from} ${asset}`, expected.get(`${from} ${asset}`)!.subtract(amount))
    expected.set(`${to} ${asset}`, expected.get(`${to} ${asset}`)!.add(amount))
  }
  const executed: Array<QuoteId> = []
  for (const quote of stored.quotes.values()) {
    const life = stored.lives.get(quote.quoteId)!
    for (const [index, status] of life.entries())
      expect(
        index === 0 ? status === "CREATED" || status === "REJECTED" : mayQuoteBecome(life[index - 1]!, status),
      ).toBe(true)
    expect(["EXECUTED", "EXPIRED", "REJECTED"]).toContain(quote.status)
    if (quote.status !== "EXECUTED" || !isFirm(quote)) continue
    executed.push(quote.quoteId)
    const [client, dealer] = quote.orderSide === "BUY" ? [CLIENT, INVENTORY] : [INVENTORY, CLIENT]
    move(client, dealer, "USDT", costOf(quote))
    move(dealer, client, "BTC", quote.quantity)
    const mine = placed.filter((it) => it.quote.quoteId === quote.quoteId && it.settled?.trade !== undefined)
    for (const it of mine) {
      expect(it.order).toBe(quote.tradeOrderId)
      expect(it.ingressAt).toBeLessThan(quote.expireAt)
    }
  }
  for (const [key, amount] of expected) expect(stored.balances.get(key)!.toString()).toBe(amount.toString())
  const ofTrades = stored.trades.map((row) => (row as { readonly quote_id: QuoteId }).quote_id)
  const ofIntents = stored.intents.map((row) => (row as { readonly quote_id: QuoteId }).quote_id)
  expect(ofTrades.toSorted()).toEqual(executed.toSorted())
  expect(ofIntents.toSorted()).toEqual(executed.toSorted())
  // Whoever asked what became of a stored order has been told, and it is true.
  for (const { settled, quote, order } of placed) {
    if (settled === null) continue
    const isMine = stored.quotes.get(quote.quoteId)?.tradeOrderId === order
    if (settled.trade !== undefined) expect(isMine).toBe(true)
    else expect([settled.error === undefined, isMine]).toEqual([false, false])
  }
}

describe("the quote machine", () => {
  it("executes nothing twice, late or by halves, in whatever order things happen", () => {
    const machine = fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      run(commands)
    })
    // Synchronous, since the property is: it throws here.
    void fc.assert(machine, { numRuns: 500 })
  })

  it("knows no other way from one state to the next", () => {
    const legal = new Set([
      "CREATED EXECUTED",
      "CREATED ACCEPTED",
      "CREATED EXPIRED",
      "CREATED CANCELLED",
      "ACCEPTED EXECUTED",
      "ACCEPTED REJECTED",
    ])
    for (const from of STATES)
      for (const to of STATES)
        expect([from, to, mayQuoteBecome(from, to)]).toEqual([from, to, legal.has(`${from} ${to}`)])
  })
})
