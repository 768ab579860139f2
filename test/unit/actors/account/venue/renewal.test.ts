/** A credential that fails and is renewed: what the venue has may have changed unheard, what it never had stays as it is (contract C11a). */
import { describe, expect, it } from "vitest"
import type { Credential } from "../../../../../src/domain/account/credential.ts"
import type { TradingAccount } from "../../../../../src/domain/account/trading-account.ts"
import type { CredentialId, TradeOrderId } from "../../../../../src/domain/ids.ts"
import { DISCONNECTING } from "../../../../kit/records/disconnecting.ts"
import { CREDENTIAL, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { okOf, type World } from "../../../../sim/world.ts"

const RENEWED: Credential = { ...CREDENTIAL, credentialId: "0eeeeeee-0000-4000-8000-000000000002" as CredentialId }

const ready = (): World =>
  readyWorld({ account: { credentials: [CREDENTIAL] }, venue: { needsCredentials: true } }, "100")

const text = (it: string) => it as never

interface Orders {
  readonly resting: TradeOrderId
  /** Armed at the gateway. */
  readonly stop: TradeOrderId
  readonly entry: TradeOrderId
  /** Of the entry, which has not been filled. */
  readonly exits: ReadonlyArray<TradeOrderId>
}

const submitted = (world: World, patch: Record<string, unknown>): TradeOrderId => {
  const asked = world.submit(patch as never)
  world.advance(100)
  return okOf(asked).order.tradeOrderId
}

const placeAll = (world: World): Orders => {
  const resting = submitted(world, { limitPrice: text("99") })
  const stop = submitted(world, {
    orderSide: "SELL",
    orderType: "STOP_LOSS",
    limitPrice: undefined,
    stopPrice: text("90"),
  })
  const entry = submitted(world, {
    limitPrice: text("98"),
    takeProfitPrice: text("110"),
    stopLossPrice: text("90"),
  })
  const rows = [...world.database.orders.values()].map(({ order }) => order)
  const exits = rows.filter((it) => it.orderListId === entry && it.tradeOrderId !== entry).map((it) => it.tradeOrderId)
  expect(exits).toHaveLength(2)
  return { resting, stop, entry, exits }
}

const refused = (world: World): void => {
  world.venue.tell({ _tag: "SessionRefused", reason: "revoked at the venue" })
  world.advance(1_000)
  expect(world.status()).toBe("INACTIVE")
}

const revoked = (world: World): void => {
  world.ask<TradingAccount>((reply) => ({ _tag: "CredentialGone", credentialId: CREDENTIAL.credentialId, reply }))
  world.advance(1_000)
  expect(world.status()).toBe("INACTIVE")
}

const connectedAgain = (world: World): void => {
  const asked = world.ask<TradingAccount>((reply) => ({
    _tag: "UpdateAccount",
    nickname: null,
    attach: [RENEWED],
    reply,
  }))
  // Longer than any proof that an order was never placed.
  world.advance(600_000)
  okOf(asked)
  expect(world.status()).toBe("ACTIVE")
}

const stored = (world: World, id: TradeOrderId) => world.database.orders.get(id)!.order

const statuses = (world: World, { resting, stop, entry, exits }: Orders) =>
  [resting, stop, entry, ...exits].map((id) => stored(world, id).orderStatus)

const WORKING = ["ACCEPTED", "ACCEPTED", "ACCEPTED", "CREATED", "CREATED"]

describe("a credential that fails and is renewed", () => {
  for (const [how, fail] of [
    ["refused by the venue", refused],
    ["revoked here", revoked],
  ] as const) {
    it(`${how}: leaves in no doubt what never left the gateway, and everything works on`, () => {
      const world = ready()
      const orders = placeAll(world)
      fail(world)
      const doubts = [orders.resting, orders.stop, orders.entry, ...orders.exits].map((id) => stored(world, id).doubt)
      expect(doubts).toEqual([{ kind: "UNREACHABLE" }, null, { kind: "UNREACHABLE" }, null, null])
      connectedAgain(world)
      expect(statuses(world, orders)).toEqual(WORKING)
      expect([orders.resting, orders.entry].map((id) => stored(world, id).doubt)).toEqual([null, null])
      world.trade("90")
      world.advance(1_000)
      expect(stored(world, orders.stop).orderStatus).toBe("FILLED")
    })

    it(`${how}: a restart in between changes nothing of that`, () => {
      const world = ready()
      const orders = placeAll(world)
      fail(world)
      world.crash()
      world.advance(10_000)
      world.start()
      world.advance(1_000)
      expect(world.status()).toBe("INACTIVE")
      connectedAgain(world)
      expect(statuses(world, orders)).toEqual(WORKING)
      world.venue.fill(
        world.venue.find({ tradeOrderId: orders.entry, externalOrderId: null })!,
        stored(world, orders.entry).baseQuantity,
      )
      world.advance(5_000)
      expect(orders.exits.map((id) => stored(world, id).orderStatus)).toEqual(["ACCEPTED", "ACCEPTED"])
    })
  }

  it("fires after the renewal what was crossed meanwhile", () => {
    const world = ready()
    const orders = placeAll(world)
    refused(world)
    world.trade("89")
    world.advance(1_000)
    expect(world.venue.arrivals.has(orders.stop)).toBe(false)
    connectedAgain(world)
    expect(stored(world, orders.stop).orderStatus).toBe("FILLED")
    expect(world.venue.arrivals.get(orders.stop)).toBe(1)
  })

  it("does not ask the venue about an order that an older process had put in doubt before it left", () => {
    const world = ready()
    const orders = placeAll(world)
    refused(world)
    world.crash()
    for (const id of [orders.stop, ...orders.exits]) {
      const row = world.database.orders.get(id)!
      world.database.orders.set(id, { ...row, order: { ...row.order, doubt: { kind: "UNREACHABLE" } } })
    }
    world.start()
    world.advance(1_000)
    connectedAgain(world)
    expect(statuses(world, orders)).toEqual(WORKING)
  })
})

describe("a disconnect by force at a venue that is away", () => {
  const forced = (world: World): void => {
    world.venue.isUp = false
    world.venue.fates.cancel = () => "silentBefore"
    const asked = world.ask<TradingAccount>((reply) => ({
      _tag: "DisconnectAccount",
      force: true,
      act: DISCONNECTING,
      reply,
    }))
    world.advance(31_000)
    expect(okOf(asked).status).toBe("DISCONNECTED")
  }

  it("revokes what never left the gateway, and leaves in doubt what the venue may have", () => {
    const world = ready()
    const orders = placeAll(world)
    forced(world)
    expect(statuses(world, orders)).toEqual(["PENDING_CANCEL", "REVOKED", "PENDING_CANCEL", "REVOKED", "REVOKED"])
    expect([orders.resting, orders.entry].map((id) => stored(world, id).doubt)).toEqual([
      { kind: "CANCEL" },
      { kind: "CANCEL" },
    ])
  })

  it("tells which orders are left in doubt", () => {
    const world = ready()
    const orders = placeAll(world)
    world.published.length = 0
    forced(world)
    const left = world.published
      .map(({ json }) => JSON.parse(json) as { kind: string; data: { code?: string; tradeOrderId?: string } })
      .filter(({ kind, data }) => kind === "TRADING_ACCOUNT.ALERT" && data.code === "ORDER_LEFT_IN_DOUBT")
    expect(left.map(({ data }) => data.tradeOrderId)).toEqual([orders.resting, orders.entry])
    expect(world.kinds().at(-1)).toBe("TRADING_ACCOUNT.UPDATED")
  })

  it("keeps a doubt as it was, with how far its proof had come", () => {
    const world = ready()
    world.venue.fates.submit = () => "lostBefore"
    const order = submitted(world, { limitPrice: text("99") })
    world.advance(7_000)
    const { doubt } = stored(world, order)
    if (doubt?.kind !== "SUBMIT") throw new Error(`the doubt is ${doubt?.kind}`)
    expect([doubt.notFounds >= 3, doubt.knownMillis >= 1_000]).toEqual([true, true])
    forced(world)
    expect(stored(world, order).doubt).toEqual(doubt)
  })

  it("asks nothing any more and changes nothing, not in a later process either", () => {
    const world = ready()
    const orders = placeAll(world)
    world.venue.fates.submit = () => "silentBefore"
    const order = submitted(world, { limitPrice: text("97"), expireAt: world.time.now + 60_000, timeInForce: "GTD" })
    forced(world)
    const ids = [orders.resting, orders.entry, order]
    const left = ids.map((id) => stored(world, id))
    world.venue.isUp = true
    const asked = world.venue.questions
    world.advance(600_000)
    world.crash()
    world.start()
    for (const id of ids) expect(world.read(id).doubt).not.toBeNull()
    world.advance(600_000)
    expect(ids.map((id) => stored(world, id))).toEqual(left)
    expect(world.venue.questions).toBe(asked)
  })
})
