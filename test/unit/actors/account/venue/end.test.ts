/** The end of an account: disconnect in its exact order, and credentials that no longer work (contract C11, C11a). */
import { describe, expect, it } from "vitest"
import type { TradingAccount } from "../../../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { DISCONNECTING } from "../../../../kit/records/disconnecting.ts"
import { CREDENTIAL, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { BTC_USDT } from "../../../../sim/venue/listing.ts"
import { ACCOUNT, type Asked, errorOf, okOf, World } from "../../../../sim/world.ts"

const ready = (): World => readyWorld({ account: { credentials: [CREDENTIAL] }, venue: { needsCredentials: true } })

const disconnect = (world: World, force = false, actId = DISCONNECTING.actId): Asked<TradingAccount> =>
  world.ask((reply) => ({ _tag: "DisconnectAccount", force, act: { ...DISCONNECTING, actId }, reply }))

describe("disconnect", () => {
  it("has the last word also over a trade whose order was being looked for", () => {
    const world = ready()
    const terms = {
      orderSide: "BUY",
      orderType: "LIMIT",
      timeInForce: "GTC",
      quantity: "3",
      limitPrice: "100",
    } as const
    world.venue.fates.stream = () => "drop"
    const sim = world.venue.place({ ...terms, instrumentId: BTC_USDT }, null)
    world.venue.fill(sim, sim.quantity)
    world.memory.faults.delayReads(2_000)
    world.venue.fates.stream = () => "deliver"
    world.venue.tell({ _tag: "Filled", fill: sim.fills[0]! })
    const asked = disconnect(world, true)
    world.advance(2_500)
    expect(okOf(asked).status).toBe("DISCONNECTED")
    world.published.length = 0
    const stored = world.database.events.get(ACCOUNT)?.length
    world.advance(20_000)
    expect([world.kinds(), world.database.events.get(ACCOUNT)?.length]).toEqual([[], stored])
  })

  it.each([false, true])("has the last word over what the venue has named and no trade tells (force %s)", (force) => {
    const world = ready()
    const asked = world.submit({ quantity: "2" as never })
    world.advance(100)
    const { tradeOrderId } = okOf(asked).order
    const sim = world.venue.find({ tradeOrderId, externalOrderId: null })!
    world.cancel(tradeOrderId)
    world.advance(1_000)
    expect(world.database.orders.get(tradeOrderId)!.order).toMatchObject({ orderStatus: "CANCELLED" })
    world.venue.traits = { ...world.venue.traits, historyLagMillis: 600_000 }
    world.venue.random.between = (_from, to) => to
    world.venue.fates.stream = ({ _tag }) => (_tag === "Filled" ? "drop" : "deliver")
    world.venue.oddFill(sim, Decimal.of("0.5"))
    world.advance(50)
    const ended = disconnect(world, force)
    while (world.status() !== "DISCONNECTED") world.advance(100)
    expect(okOf(ended).status).toBe("DISCONNECTED")
    const events = world.database.events.get(ACCOUNT)!.length
    expect([...world.database.executions.values()].map((it) => it.executedQuantity.toString())).toEqual(["0.5"])
    world.advance(60_000)
    expect(world.database.events.get(ACCOUNT)).toHaveLength(events)
  })

  describe("where the venue has named an execution of which neither a trade nor a price is known", () => {
    const unpriced = () => {
      const world = ready()
      world.venue.fates.immediate = () => Decimal.ZERO
      const asked = world.submit({ orderSide: "SELL", orderType: "MARKET" })
      world.advance(1_000)
      const { tradeOrderId } = okOf(asked).order
      const sim = world.venue.find({ tradeOrderId, externalOrderId: null })!
      expect(world.database.orders.get(tradeOrderId)!.order).toMatchObject({ orderStatus: "CANCELLED" })
      world.venue.traits = { ...world.venue.traits, historyLagMillis: 600_000 }
      world.venue.random.between = (_from, to) => to
      world.venue.fates.stream = ({ _tag }) => (_tag === "Filled" ? "drop" : "deliver")
      world.venue.oddFill(sim, Decimal.of("0.5"))
      world.advance(50)
      return { world, tradeOrderId }
    }

    const inferred = (world: World) =>
      [...world.database.executions.values()].map((it) => `${it.executedQuantity} at ${it.executedPrice}`)

    it("says so at the deadline, and ends when there is a price to count it at", () => {
      const { world, tradeOrderId } = unpriced()
      const asked = disconnect(world)
      world.advance(35_000)
      expect(asked.answer).toMatchObject({ error: { _tag: "DisconnectIncomplete", tradeOrderIds: [tradeOrderId] } })
      world.advance(60_000)
      expect([world.status(), inferred(world)]).toEqual(["LOCKED", []])
      world.lastPrice = "97"
      world.advance(15_000)
      expect([world.status(), inferred(world)]).toEqual(["DISCONNECTED", ["0.5 at 97"]])
    })

    it("waits for a price without a session too", () => {
      const { world } = unpriced()
      world.venue.tell({ _tag: "SessionRefused", reason: "revoked at the venue" })
      world.advance(100)
      disconnect(world)
      world.advance(60_000)
      expect([world.status(), inferred(world)]).toEqual(["LOCKED", []])
      world.lastPrice = "97"
      world.advance(15_000)
      expect([world.status(), inferred(world)]).toEqual(["DISCONNECTED", ["0.5 at 97"]])
    })

    it("ends by force at the deadline, and tells what is not counted", () => {
      const { world, tradeOrderId } = unpriced()
      const asked = disconnect(world, true)
      world.advance(35_000)
      expect([okOf(asked).status, inferred(world)]).toEqual(["DISCONNECTED", []])
      const alerts = world.published.filter(({ json }) => json.includes("ORDER_LEFT_IN_DOUBT"))
      expect(alerts.map(({ json }) => (JSON.parse(json) as { data: unknown }).data)).toMatchObject([
        { severity: "CRITICAL", tradeOrderId },
      ])
    })
  })

  it("revokes what is armed before it cancels what works, and takes the dead man's switch off", () => {
    const world = ready()
    world.lastPrice = "100"
    const resting = world.submit()
    const stop = world.submit({
      orderType: "STOP",
      orderSide: "SELL",
      stopPrice: "90" as never,
      limitPrice: null,
    } as never)
    world.advance(100)
    const ids = [okOf(stop).order.tradeOrderId, okOf(resting).order.tradeOrderId]
    world.ask((reply) => ({ _tag: "CancelAllAfter", timeoutMillis: 60_000, reply }))
    world.advance(100)
    world.published.length = 0
    const asked = disconnect(world)
    world.advance(3_000)
    expect(okOf(asked)).toMatchObject({ status: "DISCONNECTED", cancelAllAt: null })
    const ends = ids.map((id) => world.database.orders.get(id)?.order)
    expect(ends).toMatchObject([
      { orderStatus: "REVOKED", cancelReason: "ACCOUNT_DISCONNECTED" },
      { orderStatus: "CANCELLED", cancelReason: "ACCOUNT_DISCONNECTED" },
    ])
    const kinds = world.kinds().filter((kind) => kind.startsWith("TRADE_ORDER."))
    expect(kinds).toEqual(["TRADE_ORDER.REVOKED", "TRADE_ORDER.PENDING_CANCEL", "TRADE_ORDER.CANCELLED"])
    expect(world.venue.arrivals.has(okOf(stop).order.tradeOrderId)).toBe(false)
  })

  it("locks, cancels, confirms, wipes, tells, ends the subscriptions and answers, in that order", () => {
    const world = ready()
    const submitted = world.submit()
    world.advance(100)
    const { order } = okOf(submitted)
    world.published.length = 0
    const asked = disconnect(world)
    world.advance(20)
    expect(errorOf(world.submit({ idempotencyKey: "late" }))).toBe("AccountNotActive")
    expect(world.database.wipedCredentials.size).toBe(0)
    world.advance(2_000)
    const account = okOf(asked)
    expect(account).toMatchObject({ status: "DISCONNECTED", credentials: [{ status: "REVOKED" }] })
    expect(world.kinds()).toEqual([
      "TRADING_ACCOUNT.UPDATED",
      "TRADE_ORDER.PENDING_CANCEL",
      "TRADE_ORDER.CANCELLED",
      "PORTFOLIO.UPDATED",
      "TRADING_ACCOUNT.UPDATED",
    ])
    expect(world.database.orders.get(order.tradeOrderId)!.order.cancelReason).toBe("ACCOUNT_DISCONNECTED")
    expect([...world.database.wipedCredentials]).toEqual([CREDENTIAL.credentialId])
    expect(world.database.endedSubscriptions.has(ACCOUNT)).toBe(true)
    expect(world.terminated).toEqual(["", ":orders", ":positions"].map((map) => `tradingAccount:${ACCOUNT}${map}`))
    expect(world.venue.session).toBe(null)
    expect(errorOf(world.submit({ idempotencyKey: "after" }))).toBe("AccountDisconnected")
    const again = disconnect(world)
    world.advance(50)
    expect(okOf(again).status).toBe("DISCONNECTED")
  })

  it("has a row of the audit for the word to do it and for the force, and none for a repeat of either", () => {
    const world = ready()
    world.submit()
    world.advance(100)
    world.venue.fates.cancel = () => "silentBefore"
    const ask = (actId: string, force: boolean): void => {
      disconnect(world, force, actId)
      world.advance(1_000)
    }
    ask("first", false)
    ask("again", false)
    world.crash()
    world.start()
    world.advance(1_000)
    ask("after a restart", false)
    expect(world.status()).toBe("LOCKED")
    ask("by force", true)
    ask("by force again", true)
    ask("without it again", false)
    expect([...world.database.acts.keys()]).toEqual(["first", "by force"])
  })

  it("that cannot be confirmed wipes nothing, names the orders, and goes on after a restart", () => {
    const world = ready()
    const submitted = world.submit()
    world.advance(100)
    world.venue.fates.cancel = () => "silentBefore"
    const asked = disconnect(world)
    world.advance(31_000)
    expect(errorOf(asked)).toBe("DisconnectIncomplete")
    expect(world.status()).toBe("LOCKED")
    expect(world.database.wipedCredentials.size).toBe(0)
    world.crash()
    world.venue.fates.cancel = () => "accept"
    world.start()
    world.advance(30_000)
    expect(world.status()).toBe("DISCONNECTED")
    const { order } = okOf(submitted)
    expect(world.database.orders.get(order.tradeOrderId)!.order.orderStatus).toBe("CANCELLED")
  })

  it("by force wipes at the deadline and leaves the order in doubt", () => {
    const world = ready()
    const submitted = world.submit()
    world.advance(100)
    world.venue.fates.cancel = () => "silentBefore"
    const asked = disconnect(world, true)
    world.advance(31_000)
    expect(okOf(asked).status).toBe("DISCONNECTED")
    const { order } = okOf(submitted)
    expect(world.database.orders.get(order.tradeOrderId)!.order).toMatchObject({ doubt: { kind: "CANCEL" } })
  })
})

describe("a credential", () => {
  it("that the venue refuses makes the account inactive and its orders doubtful", () => {
    const world = ready()
    const submitted = world.submit()
    world.advance(100)
    world.venue.tell({ _tag: "SessionRefused", reason: "revoked at the venue" })
    world.advance(100)
    expect(world.status()).toBe("INACTIVE")
    expect(world.database.orders.get(okOf(submitted).order.tradeOrderId)!.order.doubt).toEqual({ kind: "UNREACHABLE" })
    expect(errorOf(world.submit({ idempotencyKey: "k2" }))).toBe("AccountNotActive")
  })

  it("that was the last one makes the account inactive when it is revoked", () => {
    const world = ready()
    const asked = world.ask<TradingAccount>((reply) => ({
      _tag: "CredentialGone",
      credentialId: CREDENTIAL.credentialId,
      reply,
    }))
    world.advance(100)
    expect(okOf(asked)).toMatchObject({ status: "INACTIVE", credentials: [{ status: "REVOKED" }] })
  })

  it("that does not work any more keeps a starting account from its venue", () => {
    const world = new World({ account: { credentials: [CREDENTIAL] }, venue: { needsCredentials: true } })
    world.hasCredential = false
    world.start()
    world.advance(1_000)
    expect(world.status()).toBe("INACTIVE")
  })
})

describe("an account's name", () => {
  it("changes with an event", () => {
    const world = ready()
    const asked = world.ask<TradingAccount>((reply) => ({ _tag: "UpdateAccount", nickname: "new", attach: [], reply }))
    world.advance(50)
    expect(okOf(asked).nickname).toBe("new")
    expect(world.kinds()).toEqual(["TRADING_ACCOUNT.UPDATED"])
  })
})
