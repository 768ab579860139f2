/** A dealer's quotes, step by step: their end on the clock, who has them, what is left of them when something stops them. */
import { describe, expect, it } from "vitest"
import { dealerConfigOf } from "../../../../src/domain/dealer/config.ts"
import { Decimal } from "../../../../src/domain/decimal.ts"
import { CLIENT, INVENTORY, QuoteWorld } from "../../../kit/worlds/quote-world.ts"

const d = Decimal.of
const holdings = ({ stored }: QuoteWorld) =>
  [CLIENT, INVENTORY].map((wallet) => ["BTC", "USDT"].map((asset) => stored.balance(wallet, asset).toString()))
const held = ({ stored }: QuoteWorld) =>
  [CLIENT, INVENTORY].map((wallet) => ["BTC", "USDT"].map((asset) => stored.held(wallet, asset).toString()))
const UNTOUCHED = [
  ["100", "100000"],
  ["100", "100000"],
]
const NOTHING = [
  ["0", "0"],
  ["0", "0"],
]

describe("a request that was made before", () => {
  const quoteRequestId = "r-1"

  it("is answered what its quote is now, by its row once it is over, and 409 for another content", () => {
    const world = new QuoteWorld()
    const quote = world.firm({ quoteRequestId })
    expect(world.ask({ quoteRequestId }).quote).toBe(quote)
    expect(world.ask({ quoteRequestId, fingerprint: "other" }).error).toMatchObject({ quoteId: quote.quoteId })
    world.rest()
    expect(world.ask({ quoteRequestId }).quote).toMatchObject({ quoteId: quote.quoteId, status: "EXPIRED" })
    expect(world.stored.quotes.size).toBe(1)
  })

  it.each(["same", "other"])("is a new one when the row of its quote is gone, with the %s content", (content) => {
    const world = new QuoteWorld()
    const asked = { quoteRequestId, fingerprint: content }
    const { quoteId } = world.firm({ quoteRequestId, fingerprint: "same" })
    world.rest()
    expect(world.ask({ quoteRequestId, fingerprint: "neither" }).error).toMatchObject({ quoteId })
    world.stored.quotes.delete(quoteId)
    const again = world.firm(asked)
    expect(again).not.toMatchObject({ quoteId })
    expect(world.ask(asked).quote).toBe(again)
  })
})

describe("a quote for a thousand levels", () => {
  it("is promised whole and kept small, in memory as in what its accounts are told", () => {
    const world = new QuoteWorld()
    world.asks = Array.from({ length: 1_000 }, (_, n) => [`${100 + n / 100}`, "0.01"] as const)
    const quote = world.firm({ size: { quantityType: "BASE", quantity: d("10") }, quoteRequestId: "r-1" })
    const { levels, levelsBeyond, worstPrice, walkedPrice } = quote.receipt
    expect([levels.length, levelsBeyond?.count, worstPrice.toString()]).toEqual([20, 980, "109.99"])
    const cost = levels.reduce((sum, [price, taken]) => sum.add(price.multiply(taken)), levelsBeyond!.cost)
    expect(cost.divide(quote.quantity, 18, "HALF_EVEN").equals(walkedPrice)).toBe(true)
    for (const { payload } of world.stored.news) expect(payload.length).toBeLessThan(2_000)
    expect(JSON.stringify(world.core.requests.find(quote.traderAccountId, "r-1")).length).toBeLessThan(500)
  })
})

describe("the end of a quote", () => {
  it.each([
    [-1, true],
    [0, false],
    [1, false],
  ])("decides by the server's clock: an order that came %s ms from it", (offset, isExecuted) => {
    const world = new QuoteWorld()
    const quote = world.firm()
    world.pass(quote.expireAt + offset - world.now)
    const { order, accepted, error } = world.accept(quote)
    expect(accepted !== undefined).toBe(isExecuted)
    if (!isExecuted) expect(error?._tag).toBe("QuoteExpired")
    const { trade } = isExecuted ? world.settle(quote.quoteId, order) : { trade: undefined }
    expect(trade !== undefined).toBe(isExecuted)
    world.rest()
    expect(world.status(quote.quoteId)).toBe(isExecuted ? "EXECUTED" : "EXPIRED")
    expect(held(world)).toEqual(NOTHING)
    expect(holdings(world)).toEqual(
      isExecuted
        ? [
            ["101", "99899.8"],
            ["99", "100100.2"],
          ]
        : UNTOUCHED,
    )
  })

  it("waits a moment for an order that came in time and is being stored, and no longer", () => {
    const world = new QuoteWorld()
    const [first, second] = [world.firm(), world.firm()]
    world.pass(9_999)
    const [stored, lost] = [world.accept(first), world.accept(second)]
    world.pass(3_000)
    expect(world.status(first.quoteId)).toBe("CREATED")
    expect(world.settle(first.quoteId, stored.order, first.expireAt - 1).trade).toBeDefined()
    world.pass(3_000)
    expect(world.status(second.quoteId)).toBe("EXPIRED")
    expect(world.settle(second.quoteId, lost.order, second.expireAt - 1).error?._tag).toBe("QuoteExpired")
    expect(held(world)).toEqual(NOTHING)
  })

  it("comes after a restart too, whether the ledger ended its holds meanwhile or not", () => {
    for (const away of [1_000, 60_000]) {
      const world = new QuoteWorld()
      const quote = world.firm()
      world.pass(9_000)
      world.inFlight = []
      world.now += away
      world.pass(0)
      world.kill(0)
      world.pass(1_000)
      expect(world.status(quote.quoteId)).toBe("EXPIRED")
      expect(held(world)).toEqual(NOTHING)
    }
  })
})

describe("a quote", () => {
  it("is none that would be over when it is made: neither after a wait for its book, nor after one for balances", () => {
    const world = new QuoteWorld()
    world.bookAges.set("MOCK:BTC/USDT", null)
    const late = world.ask({ expiry: { expireAt: world.now + 1_000 } })
    world.pass(999)
    expect(late).toEqual({})
    world.pass(1)
    expect(late.error?._tag).toBe("InvalidQuoteTime")
    expect([held(world), world.stored.quotes.size]).toEqual([NOTHING, 0])
    const inTime = world.ask({ expiry: { expireAt: world.now + 1_000 } })
    world.pass(998)
    world.bring("MOCK:BTC/USDT")
    expect(inTime.quote).toMatchObject({ status: "CREATED", expireAt: world.now + 2 })
    expect(world.ask({ expiry: { expireAt: world.now } }).error?._tag).toBe("InvalidQuoteTime")
    // What binds for so long from its making waits as before.
    world.bookAges.set("MOCK:BTC/USDT", null)
    const patient = world.ask({ expiry: { ttlSeconds: 1 } })
    world.pass(2_000)
    world.bring("MOCK:BTC/USDT")
    expect(patient.quote).toMatchObject({ status: "CREATED", expireAt: world.now + 1_000 })
  })

  it("belongs to the first order, until that lets it go", () => {
    const world = new QuoteWorld()
    const quote = world.firm()
    world.isPrompt = false
    const first = world.accept(quote)
    const second = world.accept(quote)
    expect(second.error?._tag).toBe("QuoteUsed")
    world.flush()
    expect(first.accepted).toBeDefined()
    world.letGo(quote.quoteId, second.order)
    expect(world.accept(quote).error?._tag).toBe("QuoteUsed")
    world.letGo(quote.quoteId, first.order)
    world.flush()
    expect(held(world)).toEqual([
      ["0", "0"],
      ["1", "0"],
    ])
    world.isPrompt = true
    const third = world.accept(quote)
    expect(world.settle(quote.quoteId, third.order).trade).toBeDefined()
    expect(world.hedged).toMatchObject([{ orderSide: "BUY", venue: "MOCK" }])
  })

  it("is settled once, however often that is asked", () => {
    const world = new QuoteWorld()
    const quote = world.firm({ orderSide: "SELL" })
    const { order } = world.accept(quote)
    world.isPrompt = false
    const answers = [world.settle(quote.quoteId, order), world.settle(quote.quoteId, order)]
    world.flush()
    answers.push(world.settle(quote.quoteId, order))
    expect(new Set(answers.map(({ trade }) => trade?.tradeId)).size).toBe(1)
    expect(world.settle(quote.quoteId, world.orderId()).error?._tag).toBe("QuoteUsed")
    expect(world.stored.intents).toHaveLength(1)
    expect(holdings(world)[0]).toEqual(["99", "100098.8"])
  })

  it("leaves nothing half done when a wallet is frozen, wherever on its way", () => {
    for (const wallet of [CLIENT, INVENTORY]) {
      const world = new QuoteWorld()
      const quote = world.firm()
      world.stored.frozen.add(wallet)
      expect(world.accept(quote).error?._tag).toBe("WalletFrozen")
      world.stored.frozen.clear()
      const { order } = world.accept(quote)
      world.stored.frozen.add(wallet)
      expect(world.settle(quote.quoteId, order).error?._tag).toBe("WalletFrozen")
      expect(holdings(world)).toEqual(UNTOUCHED)
      world.stored.frozen.clear()
      const again = world.accept(quote)
      expect(world.settle(quote.quoteId, again.order).trade).toBeDefined()
      expect(held(world)).toEqual(NOTHING)
    }
  })

  it("binds a dealer that is paused, and keeps one from being archived until it is durably over", () => {
    const world = new QuoteWorld()
    const [first, second] = [world.firm(), world.firm()]
    expect(world.set("PAUSED").dealer?.status).toBe("PAUSED")
    expect(world.ask().error?._tag).toBe("DealerPaused")
    const { order } = world.accept(first)
    expect(world.settle(first.quoteId, order).trade).toBeDefined()
    world.isPrompt = false
    world.pass(10_000)
    expect(world.inFlight).toHaveLength(1)
    expect(world.set("ARCHIVED").error?._tag).toBe("DealerHasPositions")
    world.flush()
    expect(world.status(second.quoteId)).toBe("EXPIRED")
    expect(world.set("ARCHIVED").dealer?.status).toBe("ARCHIVED")
    expect(world.ask().error?._tag).toBe("DealerArchived")
    expect(world.accept(second).error?._tag).toBe("QuoteExpired")
    expect(world.set("ACTIVE").error?._tag).toBe("DealerArchived")
  })

  it("is none from a book that is old, unless its venue says in a second that it is still its own", () => {
    const world = new QuoteWorld()
    world.bookAge = 2_000
    expect(world.ask().quote?.status).toBe("CREATED")
    world.bookAge = 2_001
    const silent = world.ask()
    world.pass(999)
    expect(silent).toEqual({})
    world.pass(1)
    expect(silent.quote).toMatchObject({ status: "REJECTED", rejectReason: "INSUFFICIENT_LIQUIDITY" })
    const quiet = world.ask()
    world.pass(500)
    world.confirm("MOCK:BTC/USDT")
    expect(quiet.quote).toMatchObject({ status: "CREATED", receipt: { bookAt: world.now } })
  })

  it("is none from an account that could not hedge it now", () => {
    const world = new QuoteWorld()
    for (const status of ["UNAVAILABLE", "INACTIVE", "LOCKED"]) {
      world.linkedStatus = status
      expect(world.ask().quote).toMatchObject({ status: "REJECTED", rejectReason: "INSUFFICIENT_LIQUIDITY" })
    }
  })

  it("of somebody else is not there", () => {
    const world = new QuoteWorld()
    const quote = world.firm()
    const stranger = { tradingAccountId: "00000000-0000-7000-8000-0000000000c9" }
    expect(world.accept(quote, world.orderId(), world.now, stranger).error?._tag).toBe("QuoteNotFound")
    world.rest()
    expect(world.accept(quote, world.orderId(), world.now, stranger).error?._tag).toBe("QuoteNotFound")
  })

  it("that asks for more than the client has is refused to him alone", () => {
    const world = new QuoteWorld()
    world.stored.balances.set(`${CLIENT} USDT`, d("100.19"))
    const quote = world.firm()
    expect(world.accept(quote).error?._tag).toBe("InsufficientBalance")
    expect(world.status(quote.quoteId)).toBe("CREATED")
    world.stored.balances.set(`${CLIENT} USDT`, d("100.2"))
    expect(world.accept(quote).accepted).toBeDefined()
  })
})

describe("a pricing profile", () => {
  const pricingProfiles = { retail: { markupBps: 50 }, partner: { markupBps: 20 }, house: { markupBps: 0 } }
  const pricing = { allowSimulatedVenues: true }

  it("is asked for where the dealer offers it to clients, and else is as if there were none", () => {
    const world = new QuoteWorld()
    const config = { pricing, pricingProfiles, defaultPricingProfile: "retail", clientPricingProfiles: ["partner"] }
    world.change({ config: dealerConfigOf(config) })
    const markupOf = (pricingProfileId: string | null) => world.firm({ pricingProfileId }).receipt.markupBps.toString()
    expect([markupOf(null), markupOf("retail"), markupOf("partner")]).toEqual(["50", "50", "20"])
    for (const pricingProfileId of ["house", "nobody"])
      expect(world.ask({ pricingProfileId }).error?._tag).toBe("PricingProfileNotFound")
  })

  it("is no client's to choose where the dealer lists none", () => {
    const world = new QuoteWorld()
    world.change({ config: dealerConfigOf({ pricing, pricingProfiles }) })
    expect(world.firm().receipt.markupBps.toString()).toBe("10")
    for (const pricingProfileId of Object.keys(pricingProfiles))
      expect(world.ask({ pricingProfileId }).error?._tag).toBe("PricingProfileNotFound")
  })
})

describe("a size in quote asset", () => {
  const quoteSize = (text: string) => ({ size: { quantityType: "QUOTE", quoteQuantity: d(text) } }) as const

  it.each(["BUY", "SELL"] as const)("keeps to the limits of what changes hands in base (%s)", (orderSide) => {
    const world = new QuoteWorld()
    world.terms = { minQuantity: d("0.5"), maxQuantity: d("2") }
    expect(world.ask({ orderSide, ...quoteSize("40") }).error).toMatchObject({
      _tag: "QuantityBelowMinimum",
      minQuantity: "0.5",
    })
    expect(world.ask({ orderSide, ...quoteSize("210") }).error).toMatchObject({
      _tag: "QuantityAboveMaximum",
      maxQuantity: "2",
    })
    for (const amount of ["51", "195"])
      expect(world.firm({ orderSide, ...quoteSize(amount) }).price.isPositive()).toBe(true)
    expect(held(world)[1]).not.toEqual(["0", "0"])
  })

  it("that is sold is walked all of it, so that its hedge may go as deep as it has to", () => {
    const world = new QuoteWorld()
    world.bids = [
      ["100", "1"],
      ["90", "0.5"],
      ["80", "1000"],
    ]
    const config = dealerConfigOf({
      pricing: { allowSimulatedVenues: true },
      pricingProfiles: { dear: { markupBps: 3_020 } },
      defaultPricingProfile: "dear",
      takerFeeBpsByVenue: { MOCK: 0 },
    })
    world.change({ config })
    const { quantity, price, receipt } = world.firm({ orderSide: "SELL", ...quoteSize("100") })
    const walked = receipt.levels.reduce((sum, [, taken]) => sum.add(taken), Decimal.ZERO)
    expect(walked.atLeast(quantity)).toBe(true)
    expect(receipt.worstPrice.toString()).toBe("90")
    expect(price.multiply(quantity).atMost(d("100"))).toBe(true)
    expect(price.multiply(quantity.add(d("0.001"))).greaterThan(d("100"))).toBe(true)
    // What the whole book is worth, less the margin, is not to be had for more of it.
    world.bids = [["100", "1"]]
    expect(world.ask({ orderSide: "SELL", ...quoteSize("70") }).quote).toMatchObject({
      rejectReason: "INSUFFICIENT_LIQUIDITY",
    })
    expect(world.firm({ orderSide: "SELL", ...quoteSize("69.8") }).quantity.toString()).toBe("1")
  })

  it("that is refused for it reserves nothing", () => {
    const world = new QuoteWorld()
    world.terms = { maxQuantity: d("2") }
    world.ask(quoteSize("50000"))
    expect(held(world)).toEqual(NOTHING)
    expect(world.stored.quotes.size).toBe(0)
  })
})

describe("a dealer's limits", () => {
  const EUR = "MOCK:BTC/EUR"
  const inEuros = (): QuoteWorld => {
    const world = new QuoteWorld()
    world.listed.add(EUR)
    const config = dealerConfigOf({ riskCurrency: "EUR", pricing: { allowSimulatedVenues: true } })
    world.change({ riskThreshold: d("1000000"), config })
    return world
  }

  it("wait for the book that values a quote, as for the one that prices it", () => {
    const world = inEuros()
    world.bookAges.set(EUR, null)
    const asked = world.ask()
    expect(asked.quote).toBeUndefined()
    world.bring(EUR)
    expect(asked.quote?.status).toBe("CREATED")
    const without = inEuros()
    without.bookAges.set(EUR, null)
    const late = without.ask()
    without.pass(3_000)
    expect(late.quote).toMatchObject({ status: "REJECTED", rejectReason: "RISK_LIMIT" })
  })

  /** BTC costs 100 in USDT and is worth 99.5 in EUR; the dealer may be open by so much. */
  const upTo = (world: QuoteWorld, riskThreshold: string): void =>
    world.change({ ...world.stored.dealer, riskThreshold: d(riskThreshold) })
  const open = (amount: string) => ({ low: d(amount), high: d(amount) })

  it("go by a price that was known a moment ago, and after that by half as much again", () => {
    const world = inEuros()
    upTo(world, "1000")
    world.firm({ expiry: { ttlSeconds: 300 } })
    world.bookAges.set(EUR, 2_001)
    world.pass(58_999)
    const nine = { size: { quantityType: "BASE", quantity: d("9") } } as const
    const first = world.ask(nine)
    // The venue of the book that values it does not answer.
    world.pass(1_000)
    expect(first.quote?.status).toBe("CREATED")
    world.pass(10_000)
    // One is open: 1 + 9 are worth 995, or may be worth 1,492.50; 1 + 5 may be worth 895.50.
    expect(world.ask(nine).quote).toMatchObject({ status: "REJECTED", rejectReason: "RISK_LIMIT" })
    expect(world.ask({ size: { quantityType: "BASE", quantity: d("5") } }).quote?.status).toBe("CREATED")
  })

  it("value what has no book any more at what clients paid for it, and half as much again", () => {
    const world = new QuoteWorld()
    world.change({ ...world.stored.dealer, riskThreshold: d("1000") })
    world.positions.set("XYZ", open("-10"))
    // Delisted, and never valued by this process: nobody knows what it is worth.
    expect(world.ask().quote).toMatchObject({ status: "REJECTED", rejectReason: "RISK_LIMIT" })
    world.lastPrices.set("XYZ", { price: d("50"), quoteAsset: "USDT" })
    // 10 × 50 × 1.5 = 750 beside what is asked for.
    const asked = (quantity: string) =>
      world.ask({ size: { quantityType: "BASE", quantity: d(quantity) } }).quote?.status
    expect([asked("2.6"), asked("2.5")]).toEqual(["REJECTED", "CREATED"])
  })

  it("keep a price that was known through a change of the configuration, but for one of the risk currency", () => {
    const priced = { allowSimulatedVenues: true }
    const markups = { std: { markupBps: 20 } }
    const quotedAfter = (riskCurrency: string | undefined, baseCurrency = "EUR") => {
      const world = inEuros()
      world.change({ baseCurrencies: [baseCurrency, "USDT"] })
      upTo(world, "1000")
      world.firm({ expiry: { ttlSeconds: 300 } })
      world.bookAges.set(EUR, null)
      world.pass(1_000)
      const config = dealerConfigOf({
        ...(riskCurrency && { riskCurrency }),
        pricing: priced,
        pricingProfiles: markups,
      })
      expect(world.configure(config).error).toBeUndefined()
      const asked = world.ask()
      // The book that would value it does not come.
      world.pass(3_000)
      return asked.quote?.status
    }
    expect(quotedAfter("EUR")).toBe("CREATED")
    // The first base currency, where none is named: the same one by another way.
    expect(quotedAfter(undefined)).toBe("CREATED")
    expect(quotedAfter("GBP")).toBe("REJECTED")
    expect(quotedAfter(undefined, "CHF")).toBe("REJECTED")
  })

  it("value what is traded against another asset alone through that", () => {
    const world = inEuros()
    upTo(world, "500")
    world.listed.add("MOCK:XYZ/BTC")
    world.lastPrices.set("XYZ", { price: d("1"), quoteAsset: "BTC" })
    world.positions.set("XYZ", open("0.01"))
    // Each is worth 99.5 BTC there, and that 99.5 EUR: 99 in all, beside 99.5 for what is asked.
    expect(world.ask().quote?.status).toBe("CREATED")
    expect(world.followed.has("MOCK:XYZ/BTC")).toBe(true)
    world.positions.set("XYZ", open("0.05"))
    expect(world.ask().quote?.rejectReason).toBe("RISK_LIMIT")
  })

  it("wait for a book that does not come once, not with every request", () => {
    const world = new QuoteWorld()
    world.change({ ...world.stored.dealer, riskThreshold: d("1000") })
    world.listed.add("MOCK:XYZ/USDT")
    world.bookAges.set("MOCK:XYZ/USDT", null)
    world.positions.set("XYZ", open("1"))
    world.lastPrices.set("XYZ", { price: d("50"), quoteAsset: "USDT" })
    const first = world.ask()
    expect(first.quote).toBeUndefined()
    world.pass(3_000)
    expect(first.quote?.status).toBe("CREATED")
    expect(world.ask().quote?.status).toBe("CREATED")
    world.pass(60_000)
    expect(world.ask().quote).toBeUndefined()
  })

  it("count what is outstanding where no rates are limited too", () => {
    const world = new QuoteWorld()
    const small = { size: { quantityType: "BASE", quantity: d("0.001") } } as const
    for (let count = 0; count < 100; count++) world.firm(small)
    expect(world.ask(small).error?._tag).toBe("QuoteRateLimited")
    world.pass(10_000)
    expect(world.ask(small).quote?.status).toBe("CREATED")
  })
})

describe("a process that dies", () => {
  it("leaves holds that the next one finds at once, however many quotes are open", () => {
    const world = new QuoteWorld()
    for (const quote of [world.firm(), world.firm(), world.firm()]) world.accept(quote)
    world.kill(0)
    world.flush()
    expect(held(world)[0]).toEqual(["0", "0"])
    expect(world.holdReads).toBe(0)
  })

  it("leaves an order whose hold was released as one that was refused: the quote is not over", () => {
    const world = new QuoteWorld()
    const quote = world.firm()
    const first = world.accept(quote)
    world.kill(0)
    world.flush()
    expect(world.settle(quote.quoteId, first.order).error?._tag).toBe("LedgerConflict")
    const second = world.accept(quote)
    expect(world.settle(quote.quoteId, second.order).trade).toBeDefined()
  })

  it("gives back funds that were held for an order that was never stored", () => {
    const world = new QuoteWorld()
    const quote = world.firm()
    world.accept(quote)
    expect(held(world)[0]).toEqual(["0", "100.2"])
    world.kill(0)
    world.flush()
    expect(held(world)[0]).toEqual(["0", "0"])
    const again = world.accept(quote)
    expect(world.settle(quote.quoteId, again.order).trade).toBeDefined()
  })

  it("keeps its word to an order that was stored, and says the same of it ever after", () => {
    for (const reached of [0, 1]) {
      const world = new QuoteWorld()
      const quote = world.firm()
      const { order } = world.accept(quote)
      world.stored.orders.set(quote.quoteId, order)
      world.isPrompt = false
      world.settle(quote.quoteId, order)
      world.kill(reached)
      world.isPrompt = true
      world.pass(12_000)
      const { trade } = world.settle(quote.quoteId, order, world.now, true)
      expect(trade?.quote.price.toString()).toBe("100.2")
      expect(world.stored.trades).toHaveLength(1)
      expect(holdings(world)[0]).toEqual(["101", "99899.8"])
      expect(held(world)).toEqual(NOTHING)
    }
  })
})

describe("what is promised for a client's open quotes", () => {
  it("is without those whose funds are held, and with them again when the hold is given back", () => {
    const world = new QuoteWorld()
    const [one, other] = [world.firm(), world.firm()]
    const promised = () => world.core.quotes.promisedBy(one, "USDT").toString()
    expect(promised()).toBe("200.4")
    const { order } = world.accept(one)
    world.pass(0)
    expect(held(world)[0]).toEqual(["0", "100.2"])
    expect(promised()).toBe("100.2")
    world.letGo(one.quoteId, order)
    world.pass(0)
    expect(promised()).toBe("200.4")
    world.settle(other.quoteId, world.accept(other).order)
    world.pass(0)
    expect(promised()).toBe("100.2")
  })
})
