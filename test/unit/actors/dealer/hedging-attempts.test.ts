/** What counts as an attempt of a hedge, and who is told when an account comes back: what worlds of the simulation have shown. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { HedgeDeskInForce } from "../../../../src/actors/dealer/hedging/courier.ts"
import type { TradingAccount } from "../../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { InstrumentId, TradingAccountId, VenueId } from "../../../../src/domain/ids.ts"
import { intentOf, LINKED } from "../../../kit/records/hedges.ts"
import { HedgeWorld, OTHER } from "../../../kit/worlds/hedge-world.ts"
import { CREDENTIAL, readyWorld } from "../../../kit/worlds/ready-world.ts"
import { ACCOUNT, credentialId } from "../../../sim/accounts.ts"

const CLOSED = "MARKET_CLOSED: Market is closed."
const NO_FUNDS = "INSUFFICIENT_BALANCE: Account has insufficient balance"

describe("an attempt of a hedge", () => {
  it("counts although its answer was lost and it was refused before it was asked for again", () => {
    const world = new HedgeWorld({ attemptsMax: 1, retryMs: 10_000 })
    world.failures = ["LOST"]
    world.executed(intentOf(1))
    world.keeper.hear(world.order())
    world.refuses(NO_FUNDS)
    world.pass(9_000)
    expect(world.sent()).toEqual(["BUY 1 @ 100.25"])
    world.pass(2_000)
    expect(world.sent()).toHaveLength(2)
    expect(world.alerts).toEqual([`-1 BTC is open: ${NO_FUNDS}`])
  })

  it("counts as filled although its answer was lost", () => {
    const world = new HedgeWorld()
    world.failures = ["LOST"]
    world.executed(intentOf(1))
    world.keeper.hear(world.order())
    world.becomes("FILLED", "1")
    world.pass(60_000)
    expect([world.sent().length, world.keeper.report()[0]?.state]).toEqual([1, "FLAT"])
  })

  it("that cannot leave without a book hides no refusal of those that can", () => {
    const world = new HedgeWorld({ attemptsMax: 1, repriceMs: 100, retryMs: 1_000, allowMarket: true })
    world.executed(intentOf(1))
    world.book = []
    world.refuses(NO_FUNDS)
    for (let minute = 0; minute < 30 * 60; minute++) {
      if (world.order().orderStatus === "CREATED") world.refuses(NO_FUNDS)
      world.pass(1_000)
    }
    // 1, 2, 4 … s apart, five minutes at last; every second it were 1,500.
    expect(world.sent().length).toBeLessThan(20)
    // It goes on at market all the same.
    expect(world.sent().at(-1)).toBe("BUY 1 @ market")
  })
})

describe("the end of a hedge that an admin has resolved", () => {
  const resolved = (): HedgeWorld => {
    const world = new HedgeWorld({ attemptsMax: 1, retryMs: 10_000 }, [LINKED, OTHER])
    world.executed(intentOf(1))
    world.lose(LINKED, "INACTIVE")
    world.resolve("0")
    world.refuses(NO_FUNDS)
    world.pass(10_000)
    world.refuses(NO_FUNDS)
    world.statuses.set(LINKED, "ACTIVE")
    return world
  }

  it("is no attempt: refusals in a row stay what they are, and what is told too", () => {
    const world = resolved()
    world.becomes("CANCELLED", "0", world.order(0).tradeOrderId)
    expect(world.keeper.report()[0]?.trouble).toBe(NO_FUNDS)
    world.pass(20_000)
    expect(world.sent()).toHaveLength(4)
    world.refuses(NO_FUNDS)
    // The third refusal in a row: 40 s, where the first were 10 s.
    world.pass(39_000)
    expect(world.sent()).toHaveLength(4)
    world.pass(1_000)
    expect(world.sent()).toHaveLength(5)
  })

  it("takes its part of what is open all the same", () => {
    const world = resolved()
    world.becomes("CANCELLED", "0.4", world.order(0).tradeOrderId)
    world.pass(20_000)
    expect(world.sent().at(-1)).toMatch(/^BUY 0\.6 /)
  })
})

describe("the alert of what is open", () => {
  it("names the hedge that it is about, whatever is heard of an older one", () => {
    const world = new HedgeWorld({ attemptsMax: 1, retryMs: 10_000 })
    world.executed(intentOf(1))
    world.becomes("CANCELLED", "0")
    world.pass(10_000)
    world.refuses(NO_FUNDS)
    const [older, newest] = [world.order(0), world.order(1)]
    world.becomes("CANCELLED", "0.4", older.tradeOrderId)
    expect(world.alerts.at(-1)).toBe(`-0.6 BTC is open: ${NO_FUNDS}`)
    expect(world.alerted).toEqual([older.tradeOrderId, newest.tradeOrderId])
  })

  it("names none where none could leave", () => {
    const world = new HedgeWorld({ attemptsMax: 1 })
    world.executed(intentOf(1))
    world.becomes("CANCELLED", "0.4")
    world.dealer = { ...world.dealer, linkedAccountIds: [] }
    world.keeper.dealerChanged()
    world.pass(60_000)
    expect(world.alerts.at(-1)).toContain("-0.6 BTC is open: no linked account can hedge BTC/USDT")
    expect(world.alerted.at(-1)).toBeNull()
  })
})

const quotedAt = (venue: string, tradingAccountId: TradingAccountId) => ({
  venue: venue as VenueId,
  instrumentId: `${venue}:BTC/USDT` as InstrumentId,
  tradingAccountId,
})

describe("what a hedge executed too much", () => {
  /** Hedged at a real venue, then a dealer of test networks; the venue of the first hedge tells of more. */
  const overExecuted = () => {
    const world = new HedgeWorld({ attemptsMax: 1, repriceMs: 100, retryMs: 1_000 })
    world.venues.set(LINKED, "BINANCE").set(OTHER, "BINANCE_UAT")
    world.executed(intentOf(1, quotedAt("BINANCE", LINKED)))
    world.becomes("CANCELLED", "0.4")
    world.pass(1_000)
    world.becomes("FILLED", "0.6")
    world.dealer = { ...world.dealer, linkedAccountIds: [OTHER] }
    world.keeper.dealerChanged()
    world.executed(intentOf(2, quotedAt("BINANCE_UAT", OTHER)))
    world.becomes("FILLED", "1")
    const sent = world.orders.length
    world.becomes("CANCELLED", "0.9", world.order(0).tradeOrderId)
    return { world, sent }
  }

  it.each(["", ", in the next process too"])("is sold where it was bought, whatever was quoted since%s", (next) => {
    const { world, sent } = overExecuted()
    if (next !== "") world.kill()
    world.pass(60_000)
    expect(world.orders).toHaveLength(sent)
    expect(world.alerts.at(-1)).toBe(
      "0.5 BTC is open: no linked account can hedge BTC/USDT: it needs one that is PROD, for 1 min now, 0.5 BTC in all",
    )
    expect(world.keeper.report()[0]).toMatchObject({ position: "0.5", openQuoteIds: [], ageMs: 60_000 })
    expect(world.keeper.venuesOwing()).toContain("BINANCE")
    world.dealer = { ...world.dealer, linkedAccountIds: [LINKED] }
    world.keeper.dealerChanged()
    expect([world.sent().at(-1), world.order().tradingAccountId]).toEqual(["SELL 0.5 @ 99.75", LINKED])
    expect(world.keeper.isHedgingOn(LINKED)).toBe(true)
  })

  it("that is dust goes with the next quote, wherever that is hedged", () => {
    const { world, sent } = overExecuted()
    for (const [id, instrument] of world.instruments)
      world.instruments.set(id, { ...instrument, minQuantity: Decimal.of("0.6") })
    world.keeper.dealerChanged()
    world.pass(60_000)
    expect(world.orders).toHaveLength(sent)
    world.executed(intentOf(3, { orderSide: "SELL", ...quotedAt("BINANCE_UAT", OTHER) }))
    expect([world.orders.length, world.order().tradingAccountId]).toEqual([sent + 1, OTHER])
  })
})

describe("a hedge whose market is closed", () => {
  it("is tried once every retryMs for as long as that lasts, and people are told at the first refusal", () => {
    const world = new HedgeWorld({ retryMs: 10_000, allowMarket: true })
    world.executed(intentOf(1))
    world.refuses(CLOSED)
    expect(world.alerts).toEqual([`-1 BTC is open: ${CLOSED}`])
    for (let attempt = 2; attempt <= 100; attempt++) {
      world.pass(9_999)
      expect(world.sent()).toHaveLength(attempt - 1)
      world.pass(1)
      expect(world.sent()).toHaveLength(attempt)
      world.refuses(CLOSED)
    }
    world.pass(10_000)
    world.becomes("FILLED", "1")
    expect(world.keeper.report()[0]?.state).toBe("FLAT")
  })

  it("goes to another linked account whose market is open, and to none whose market is closed too", () => {
    const world = new HedgeWorld({ retryMs: 10_000 }, [LINKED, OTHER])
    world.executed(intentOf(1))
    world.closed.add("MOCK:BTC/USDT").add("PAPER:BTC/USDT")
    world.refuses(CLOSED)
    world.pass(10_000)
    expect(world.order().tradingAccountId).toBe(LINKED)
    world.closed.delete("PAPER:BTC/USDT")
    world.refuses(CLOSED)
    world.pass(10_000)
    expect([world.sent().length, world.order().tradingAccountId]).toEqual([3, OTHER])
  })

  it("goes there, too, where nobody has asked for that market's book since the process began", () => {
    const world = new HedgeWorld({ retryMs: 10_000 }, [LINKED, OTHER])
    world.hasOnlyHeld = true
    world.closed.add("MOCK:BTC/USDT")
    world.executed(intentOf(1))
    expect([...world.held]).toEqual(["MOCK:BTC/USDT"])
    world.refuses(CLOSED)
    expect([...world.held].sort()).toEqual(["MOCK:BTC/USDT", "PAPER:BTC/USDT"])
    world.pass(10_000)
    expect([world.sent().length, world.order().tradingAccountId]).toEqual([2, OTHER])
    world.becomes("FILLED", "1")
    expect([...world.held]).toEqual([])
  })

  it("has the book of an account that is linked meanwhile", () => {
    const world = new HedgeWorld({ retryMs: 10_000 })
    world.hasOnlyHeld = true
    world.closed.add("MOCK:BTC/USDT")
    world.executed(intentOf(1))
    world.refuses(CLOSED)
    world.dealer = { ...world.dealer, linkedAccountIds: [LINKED, OTHER] }
    world.keeper.dealerChanged()
    expect([...world.held].sort()).toEqual(["MOCK:BTC/USDT", "PAPER:BTC/USDT"])
  })
})

describe("a book that a hedge needed", () => {
  it("is let go with the incarnation that kept it open: the next one knows nothing of it", () => {
    const world = new HedgeWorld()
    world.executed(intentOf(1))
    expect([...world.held]).toEqual(["MOCK:BTC/USDT"])
    world.keeper.close()
    expect([...world.held]).toEqual([])
  })
})

describe("an account that can be asked again", () => {
  it("has people told of the hedge in doubt there as one that is asked for", () => {
    const world = new HedgeWorld()
    world.executed(intentOf(1))
    world.becomes("UNKNOWN", "0")
    world.lose(LINKED, "INACTIVE")
    // The process ends and another one begins: nobody has been told of this doubt but as of one that is carried.
    world.kill()
    world.alerts.length = 0
    world.statuses.set(LINKED, "ACTIVE")
    world.keeper.found(LINKED)
    expect(world.keeper.report()[0]?.state).toBe("IN_DOUBT")
    expect(world.alerts).toEqual(["the outcome of a hedge of BTC/USDT is not known"])
  })

  it("tells the dealers, as one that is gone does", () => {
    const told: Array<string> = []
    Effect.runSync(HedgeDeskInForce).serve({
      tell: () => undefined,
      lost: (id) => void told.push(`lost ${id}`),
      found: (id) => void told.push(`found ${id}`),
    })
    const world = readyWorld({ account: { credentials: [CREDENTIAL] }, venue: { needsCredentials: true } }, "100")
    told.length = 0
    expect([world.status(), told]).toEqual(["ACTIVE", []])
    world.venue.tell({ _tag: "SessionRefused", reason: "revoked at the venue" })
    world.advance(1_000)
    expect([world.status(), told]).toEqual(["INACTIVE", [`lost ${ACCOUNT}`]])
    const attach = [{ ...CREDENTIAL, credentialId: credentialId(2) }]
    world.ask<TradingAccount>((reply) => ({ _tag: "UpdateAccount", nickname: null, attach, reply }))
    world.advance(60_000)
    expect([world.status(), told]).toEqual(["ACTIVE", [`lost ${ACCOUNT}`, `found ${ACCOUNT}`]])
    world.leave()
  })
})
