/** A cancel takes back an order that waits for its turn: neither of them is sent, and what was kept for the order is free again. */
import { generateKeyPairSync } from "node:crypto"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { TradeOrderId } from "../../../../src/domain/ids.ts"
import type { VenueOrder, VenueOrderRef } from "../../../../src/ports/venue-session.ts"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import { RateBudget } from "../../../../src/venues/worker/budget/rate-budget.ts"
import { TooLate } from "../../../../src/venues/worker/exchange/errors.ts"
import { currentWork, doingFor } from "../../../../src/venues/worker/work.ts"
import { type Asked, type Scripted, scripted, VENUE_ORDER_ID } from "../../../kit/worlds/scripted-session.ts"

const idOf = (n: number): TradeOrderId => `01234567-89ab-4def-8123-45678900000${n}` as TradeOrderId

/** Room for one order in a minute, and for whatever else. */
const ONE: Partial<VenueProfile> = { orderLimits: [{ most: 1, withinMillis: 60_000, of: "ACCOUNT" }] }
/** Room for one request in minutes, whatever it is: each costs more than all there is. */
const PACED: Partial<VenueProfile> = { privatePace: { burst: 0.1, perSecond: 0.001 } }

interface Full extends Scripted {
  readonly submit: (n: number, change?: Partial<VenueOrder>) => Promise<void>
  readonly prepare: (n: number) => void
  readonly cancel: (n: number) => Promise<void>
}

/** A session whose venue takes one order. */
const full = async (
  venue: string,
  id: string,
  answer: (asked: Asked) => unknown,
  change: Partial<VenueProfile>,
): Promise<Full> => {
  const world = await scripted(venue, id, answer, change, true)
  await world.session.ready()
  // One for all: what is submitted is what was prepared.
  const notAfter = Date.now() + 60_000
  const order = (n: number): VenueOrder => ({
    tradeOrderId: idOf(n),
    instrumentId: world.instrumentId,
    orderSide: "BUY",
    orderType: "LIMIT",
    timeInForce: "GTC",
    quantity: "0.01",
    limitPrice: "50000",
    notAfter,
  })
  const ref = (n: number): VenueOrderRef => ({ ...world.ref, tradeOrderId: idOf(n), externalOrderId: null })
  return {
    ...world,
    submit: (n, more = {}) => {
      const one = { ...order(n), ...more }
      return doingFor("submit", one.notAfter, () => world.session.submit(one))
    },
    prepare: (n) => doingFor("submit", notAfter, () => world.session.prepare(order(n))),
    cancel: (n) => doingFor("cancel", Date.now() + 60_000, () => world.session.cancel(ref(n))),
  }
}

/** As many turns as ccxt needs from the gate to the request, and more. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next))
}

const GATE_ANSWER = { id: VENUE_ORDER_ID, currency_pair: "BTC_USDT", side: "buy", status: "open" }

const atGate = (): Promise<Full> => full("GATE", "BTC_USDT", () => GATE_ANSWER, ONE)

const notSent = (n: number): object => ({ _tag: "NotSent", tradeOrderId: idOf(n) })

afterEach(() => void vi.restoreAllMocks())

describe("the cancel of an order that waits for its turn", () => {
  it.each([
    ["GATE", "BTC_USDT", ONE, GATE_ANSWER],
    ["OKX", "BTC-USDT", PACED, { code: "0", data: [{ ordId: VENUE_ORDER_ID, sCode: "0" }] }],
    ["BYBIT", "BTCUSDT", PACED, { retCode: 0, result: { orderId: VENUE_ORDER_ID } }],
    ["KUCOIN", "BTC-USDT", PACED, { code: "200000", data: { orderId: VENUE_ORDER_ID } }],
    [
      "BITSTAMP",
      "btcusdt",
      PACED,
      { id: VENUE_ORDER_ID, market: "BTC/USDT", type: "0", price: "50000", amount: "0.01" },
    ],
  ])("takes it back at %s: nothing is sent, and it is told once", async (venue, id, change, answer) => {
    const { session, asked, reports, submit, cancel } = await full(venue, id, () => answer, change)
    await submit(1)
    const before = [asked.length, reports.length]
    const second = submit(2)
    await turns()
    await cancel(2)
    await cancel(2)
    await second
    expect([asked.length, reports.length]).toEqual([before[0], before[1]! + 1])
    expect(reports.at(-1)).toMatchObject(notSent(2))
    await session.stop()
  })

  it("gives its turn to the next, of which nothing is taken back", async () => {
    const { session, asked, reports, submit, cancel } = await atGate()
    const first = submit(1)
    const second = submit(2)
    // In the same turn, before either is signed: the turn that was given is free again.
    void cancel(1)
    await Promise.all([first, second])
    expect(reports[0]).toMatchObject(notSent(1))
    expect(asked.length).toBe(1)
    expect(reports.filter(({ _tag }) => _tag === "Accepted")).toMatchObject([{ tradeOrderId: idOf(2) }])
    await session.stop()
  })

  it("takes it back where it was built ahead and waits for its turn", async () => {
    const { session, asked, reports, submit, prepare, cancel } = await atGate()
    await submit(1)
    const before = asked.length
    prepare(2)
    await turns()
    const second = submit(2)
    await turns()
    await cancel(2)
    await second
    expect(asked.length).toBe(before)
    expect(reports.at(-1)).toMatchObject(notSent(2))
    await session.stop()
  })

  it("takes it back where it was built ahead and has had its turn, which the next gets", async () => {
    const { session, asked, reports, submit, prepare, cancel } = await atGate()
    prepare(1)
    await turns()
    const first = submit(1)
    // In the same turn, before it is released.
    void cancel(1)
    await Promise.all([first, submit(2)])
    expect(reports[0]).toMatchObject(notSent(1))
    expect(asked.length).toBe(1)
    expect(reports.filter(({ _tag }) => _tag === "Accepted")).toMatchObject([{ tradeOrderId: idOf(2) }])
    await session.stop()
  })

  it("has no other answer than that it was not sent, also where it could not have been", async () => {
    const { session, asked, reports, submit, cancel } = await atGate()
    const first = submit(1, { leverage: 2 })
    void cancel(1)
    await first
    expect([asked, reports.length]).toEqual([[], 1])
    expect(reports[0]).toMatchObject(notSent(1))
    await session.stop()
  })

  it("is not needed where its session ends: what waits in a budget of others is not sent any more", async () => {
    const { session, exchange, asked, reports, submit } = await atGate()
    const ofAddress = new RateBudget({ capacity: 1, windowMillis: 60_000, limitedMillis: 100 })
    const taken = await ofAddress.take(1, "submit", null)
    exchange.throttle = async () => {
      await ofAddress.take(1, "submit", null, { withdrawn: currentWork()?.withdrawn })
    }
    const waiting = submit(1)
    await turns()
    await session.stop()
    ofAddress.giveBack(taken)
    await waiting
    expect([asked, reports]).toMatchObject([[], [notSent(1)]])
    ofAddress.close()
  })

  it("is sent where the order is signed, and where no such order waits", async () => {
    let answerFirst = (): void => undefined
    const answered = new Promise<void>((resolve) => {
      answerFirst = resolve
    })
    const { session, asked, submit, cancel } = await full(
      "GATE",
      "BTC_USDT",
      ({ method }) => (method === "POST" ? answered.then(() => GATE_ANSWER) : { ...GATE_ANSWER, status: "cancelled" }),
      ONE,
    )
    const first = submit(1)
    await turns()
    await cancel(1)
    expect(asked.map(({ method }) => method)).toEqual(["POST", "DELETE"])
    answerFirst()
    await first
    await cancel(2)
    expect(asked.map(({ method }) => method)).toEqual(["POST", "DELETE", "DELETE"])
    await session.stop()
  })
})

/** Coinbase's keys sign tokens. */
const pemKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" }).toString()

describe("the cancel of an order that may be at the venue", () => {
  it.each([
    ["BINANCE", "BTCUSDT"],
    ["BINANCEUSDM", "BTCUSDT"],
    ["BITFINEX", "tBTCUST"],
    ["BITSTAMP", "btcusdt"],
    ["BYBIT", "BTCUSDT"],
    ["COINBASE", "BTC-USDT"],
    ["DERIBIT", "BTC_USDT-PERPETUAL"],
    ["GATE", "BTC_USDT"],
    ["GEMINI", "btcusdt"],
    ["KRAKEN", "XBTUSDT"],
    ["KRAKENFUTURES", "PF_XBTUSD"],
    ["KUCOIN", "BTC-USDT"],
    ["OKX", "BTC-USDT"],
  ])("does not take it back at %s, however the venue spells its name", async (venue, id) => {
    const { session, exchange, asked, reports, submit, prepare, cancel } = await full(
      venue,
      id,
      () => new Promise(() => undefined),
      {},
    )
    Object.assign(exchange, { secret: venue === "COINBASE" ? pemKey() : "c2VjcmV0" })
    for (const { info } of Object.values(exchange.markets ?? {}))
      Object.assign(info as object, { orderTypes: ["LIMIT"] })
    // As it is built when it is submitted, and as it was built ahead.
    for (const isAhead of [false, true]) {
      const n = isAhead ? 1 : 2
      if (isAhead) prepare(n)
      await turns()
      const before = asked.length
      void submit(n)
      await turns()
      expect(asked.length).toBe(before + 1)
      void cancel(n)
      await turns()
      expect(asked.length).toBe(before + 2)
    }
    expect(reports).toEqual([])
    await session.stop()
  })
})

describe("a budget", () => {
  it("keeps nothing for what was taken back, and lets the next go", async () => {
    const budget = new RateBudget({ capacity: 100, windowMillis: 60_000, limitedMillis: 100 })
    await budget.take(90, "submit", null)
    const withdrawal = new AbortController()
    const large = budget.take(50, "submit", null, { withdrawn: withdrawal.signal })
    const small = budget.take(4, "submit", null)
    withdrawal.abort()
    await expect(large).rejects.toBeInstanceOf(TooLate)
    await small
    expect(budget.load().waiting.submit).toBe(0)
    await expect(budget.take(1, "submit", null, { withdrawn: withdrawal.signal })).rejects.toBeInstanceOf(TooLate)
    budget.close()
  })
})
