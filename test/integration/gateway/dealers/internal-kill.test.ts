/**
 * The internal venue killed in the middle of a match: whatever the moment, the next process has the same book in the same order, every
 * order is where its money is, and nothing was traded twice.
 */
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import {
  type InternalMarket,
  type InternalTrader,
  internalMarket,
  traderOf,
} from "../../../kit/desks/internal-market.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"

const NO_FEES = { INTERNAL_MAKER_FEE_BPS: "0", INTERNAL_TAKER_FEE_BPS: "0" }

type Traders = Readonly<Record<"ann" | "ben" | "bob", InternalTrader>>

const meetsBoth =
  (fields: Readonly<Record<string, unknown>>) =>
  ({ bob }: Traders): Promise<unknown> =>
    bob.limit("BUY", "1.5", "100", { clientOrderId: randomUUID(), awaitAccepted: false, ...fields })

type Place = "internal.held" | "internal.matched" | "internal.settled" | "internal.amended"

/** The gateway that comes back from one death is the one that dies next: it was started with its failpoint asleep. */
let running: { readonly gateway: Gateway; readonly place: Place | null } | undefined
let market: InternalMarket
let guests: ReadonlyArray<InternalTrader> = []

afterAll(async () => {
  const ended = await running?.gateway.stop()
  await endGateways()
  expect(ended).toEqual({ code: 0, signal: null })
})
/** The market is empty for the next. */
afterEach(async () => {
  for (const { calls, tradingAccountId } of guests) {
    const { record } = await calls.orders({ tradingAccountId })
    for (const { tradeOrderId, status } of record)
      if (["OPEN", "PARTIALLY_FILLED"].includes(status)) await calls.cancelled(tradingAccountId, tradeOrderId)
  }
  guests = []
})

const start = async (place: Place | null): Promise<Gateway> => {
  const dataDir = running?.gateway.dataDir
  const env = { ...NO_FEES, ...(place !== null && { FAILPOINT: `${place}:1:kill:armed` }) }
  const gateway = await startGateway({ env, ...(dataDir !== undefined && { dataDir }) })
  market = running === undefined ? await internalMarket(gateway) : market.again(gateway)
  running = { gateway, place }
  return gateway
}

/** One that dies at `place` once it is awake. */
const doomed = async (place: Place): Promise<Gateway> => {
  if (running !== undefined && running.place !== place) await running.gateway.stop()
  return running?.place === place ? running.gateway : start(place)
}

/** Two asks in a queue, then something that brings the process down at `place`; the next one is to die at `following`. */
const killedAt = async (place: Place, following: Place | null, act: (traders: Traders) => Promise<unknown>) => {
  const first = await doomed(place)
  const ann = await market.trader({ BTC: "1" })
  const ben = await market.trader({ BTC: "1" })
  const bob = await market.trader({ USD: "1000" })
  await ann.limit("SELL", "1", "100")
  await ben.limit("SELL", "1", "100")
  first.kill("SIGWINCH")
  await until("the failpoint to be awake", () => first.stdout.some((line) => line.startsWith("armed ")))
  await Promise.allSettled([act({ ann, ben, bob }), first.exited])
  const second = await start(following)
  const again = (it: InternalTrader): InternalTrader =>
    traderOf(api(second).as(it.calls.token), it.tradingAccountId, it.walletId, market.instrumentId)
  const traders = { ann: again(ann), ben: again(ben), bob: again(bob) }
  for (const trader of Object.values(traders))
    await until("an ACTIVE account", async () => {
      const { tradingAccountId } = trader
      return (await trader.calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE")
    })
  guests = Object.values(traders)
  const order = await until("the order at rest", async () => {
    const [found] = (await traders.bob.calls.orders({ tradingAccountId: bob.tradingAccountId })).record
    return found !== undefined && ["FILLED", "CANCELLED", "OPEN", "PARTIALLY_FILLED"].includes(found.status) && found
  })
  return { ...traders, order }
}

describe("the internal venue, killed", () => {
  it.each([
    ["with an order stored that has not met the book", "internal.held", "internal.matched"],
    ["with a match in memory that is not stored", "internal.matched", "internal.settled"],
    ["with a match stored that nobody has heard of", "internal.settled", "internal.matched"],
  ] as const)("%s, goes on as if nothing had been", async (_, place, following) => {
    const { ann, ben, bob, order } = await killedAt(place, following, meetsBoth({}))
    expect(await bob.rests(order.tradeOrderId, "FILLED")).toMatchObject({
      executedQuantity: "1.5",
      executedCost: "150",
    })
    expect(order.clientOrderId).not.toBeNull()
    expect(await ann.wallet()).toEqual({ USD: ["100", "0"] })
    expect(await ben.wallet()).toEqual({ BTC: ["0", "0.5"], USD: ["50", "0"] })
    expect(await bob.wallet()).toEqual({ BTC: ["1.5", "0"], USD: ["850", "0"] })
    for (const trader of [ann, ben, bob])
      await until("the portfolio like the wallet", async () => {
        const [held, owned] = [await trader.portfolio(), await trader.wallet()]
        return JSON.stringify(Object.entries(held).sort()) === JSON.stringify(Object.entries(owned).sort())
      })
    expect(await market.book()).toEqual({ bids: [], asks: ["0.5 @ 100"] })
    const orders = (await ben.calls.orders({ tradingAccountId: ben.tradingAccountId })).record
    expect(orders.map((it) => [it.status, it.executedQuantity, it.executions.length])).toEqual([
      ["PARTIALLY_FILLED", "0.5", 1],
    ])
    await ben.calls.cancelled(ben.tradingAccountId, orders[0]!.tradeOrderId)
    expect(await ben.wallet()).toEqual({ BTC: ["0.5", "0"], USD: ["50", "0"] })
  })

  it("with an order that must trade at once, does not trade it later", async () => {
    const { ann, ben, bob, order } = await killedAt(
      "internal.matched",
      "internal.amended",
      meetsBoth({ timeInForce: "IOC" }),
    )
    expect(await bob.rests(order.tradeOrderId, "CANCELLED")).toMatchObject({
      cancelReason: "IOC_REMAINDER",
      executedQuantity: "0",
    })
    expect(await bob.wallet()).toEqual({ USD: ["1000", "0"] })
    expect([await ann.wallet(), await ben.wallet()]).toEqual([{ BTC: ["0", "1"] }, { BTC: ["0", "1"] }])
    // The same queue: the one who came first trades first.
    const next = await bob.limit("BUY", "1", "100")
    await bob.rests(next.tradeOrderId, "FILLED")
    expect(await ann.wallet()).toEqual({ USD: ["100", "0"] })
    expect(await market.book()).toEqual({ bids: [], asks: ["1 @ 100"] })
  })

  it("with a change stored that has not met the book, makes it", async () => {
    const { ann, bob, order } = await killedAt("internal.amended", null, async ({ bob }) => {
      const { tradeOrderId } = await bob.limit("BUY", "1", "90")
      await bob.calls.post("/tradeOrder/replace", {
        tradingAccountId: bob.tradingAccountId,
        tradeOrderId,
        limitPrice: "100",
      })
    })
    const filled = await bob.rests(order.tradeOrderId, "FILLED")
    expect(filled).toMatchObject({ limitPrice: "100", averagePrice: "100", executedQuantity: "1" })
    expect(await bob.wallet()).toEqual({ BTC: ["1", "0"], USD: ["900", "0"] })
    expect(await ann.wallet()).toEqual({ USD: ["100", "0"] })
    expect(await market.book()).toEqual({ bids: [], asks: ["1 @ 100"] })
  })
})
