/** The channels of an account in a simulated world: where they stand whatever befalls the actor, what their maps begin with, their tags. */
import { describe, expect, it } from "vitest"
import { accountOrdersChannel, accountPositionsChannel, parseChannel } from "../../../../../src/domain/channel.ts"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import type { StoredPublication } from "../../../../../src/ports/channel-port.ts"
import { ACCOUNT, okOf, World } from "../../../../sim/world.ts"

const CHANNEL = `tradingAccount:${ACCOUNT}`

const ready = (options: ConstructorParameters<typeof World>[0] = {}): World => {
  const world = new World(options)
  world.start()
  world.advance(1_000)
  expect(world.status()).toBe("ACTIVE")
  return world
}

const placed = (world: World, patch: Parameters<World["submit"]>[0] = {}): TradeOrder => {
  const asked = world.submit(patch)
  world.advance(100)
  return okOf(asked).order
}

const durable = (world: World): number => world.database.events.get(ACCOUNT)?.length ?? 0
const standing = (world: World): number => world.source!.position(CHANNEL).offset
const records = (world: World, of: "accountOrders" | "accountPositions") =>
  world.state(of)!.entries.map(({ json }) => JSON.parse(json) as Record<string, unknown>)

const replayed = (world: World, after: number, upTo: number): ReadonlyArray<StoredPublication> | null => {
  const answers: Array<ReadonlyArray<StoredPublication> | null> = []
  world.source!.replay!(CHANNEL, after, upTo, (publications) => answers.push(publications))
  expect(answers).toEqual([])
  world.time.settle()
  expect(answers.length).toBe(1)
  return answers[0]!
}

/** Every kind of event: fills in parts, more than was ordered, cancels, a rejection, a foreign order, an account that changes. */
const eventful = (world: World): void => {
  const first = placed(world, { clientOrderId: "tags:1" as never, quantity: "2" as never })
  world.venue.fill(world.venue.find(first)!, Decimal.of("0.5"))
  world.advance(50)
  world.cancel(first.tradeOrderId)
  world.advance(100)
  world.venue.fates.submit = () => "refuse"
  placed(world, { idempotencyKey: "refused" })
  world.venue.fates.submit = () => "accept"
  const { orderType, timeInForce, limitPrice, quantity } = world.venue.find(first)!.order
  world.venue.place({ ...world.venue.find(first)!.order, orderType, timeInForce, limitPrice, quantity }, null)
  const small = placed(world)
  const sim = world.venue.find(small)!
  world.venue.fill(sim, Decimal.of("0.6"))
  world.venue.oddFill(sim, Decimal.of("0.7"))
  // Until the venue's list has said so, too.
  world.advance(2_000)
  world.ask((reply) => ({ _tag: "UpdateAccount", nickname: '"tradeOrderId":"odd" \u2028 é🙂', attach: [], reply }))
  world.advance(100)
}

describe("the names of an account's channels", () => {
  it("say what they carry, and nothing else is one", () => {
    expect(parseChannel(CHANNEL)).toMatchObject({ kind: "tradingAccount", tradingAccountId: ACCOUNT })
    const kinds = [accountOrdersChannel(ACCOUNT), accountPositionsChannel(ACCOUNT)].map((name) => parseChannel(name))
    expect(kinds).toMatchObject([
      { kind: "accountOrders", name: `${CHANNEL}:orders`, tradingAccountId: ACCOUNT },
      { kind: "accountPositions", name: `${CHANNEL}:positions`, tradingAccountId: ACCOUNT },
    ])
    for (const other of [":", ":order", ":orders:", "orders", ":Orders", ":orders\n", ":positions "])
      expect(parseChannel(CHANNEL + other)).toBeUndefined()
  })
})

describe("an account's channel", () => {
  it("stands at the newest published event, not at the newest that is stored or planned", () => {
    const world = ready()
    expect(standing(world)).toBe(durable(world))
    const before = standing(world)
    world.memory.faults.hold()
    world.submit()
    world.advance(500)
    expect(standing(world)).toBe(before)
    world.memory.faults.release()
    world.advance(500)
    expect(standing(world)).toBe(durable(world))
    expect(standing(world)).toBe(world.published.at(-1)!.offset)
    expect(standing(world)).toBeGreaterThan(before)
  })

  it("stands there too when nobody listens and nothing is encoded", () => {
    const world = ready()
    world.isHeard = false
    const heard = world.published.length
    placed(world)
    expect(world.published.length).toBe(heard)
    expect(standing(world)).toBe(durable(world))
  })

  it("keeps its place while its account sleeps, and when that wakes again", () => {
    const world = ready({ venue: { inProcess: true } })
    placed(world, { orderType: "MARKET" })
    const { epoch, offset } = world.source!.position(CHANNEL)
    world.isHeard = false
    world.advance(400_000)
    expect(world.accounts.stats().live).toBe(0)
    expect(world.source!.position(CHANNEL)).toEqual({ epoch, offset: durable(world), snapshot: null })
    expect(standing(world)).toBeGreaterThanOrEqual(offset)
    world.isHeard = true
    world.source!.opened(CHANNEL)
    world.time.settle()
    expect(standing(world)).toBe(durable(world))
  })

  it("includes what was stored when the process died before it could be published, and replays it", () => {
    const world = ready()
    world.memory.faults.dieNext("afterCommit")
    world.submit()
    world.advance(100)
    const published = world.published.at(-1)!.offset
    expect(durable(world)).toBeGreaterThan(published)
    world.crash()
    world.venue.isUp = false
    world.start()
    expect(standing(world)).toBe(durable(world))
    const missed = replayed(world, published, standing(world))!
    expect(missed.map(({ offset }) => offset)).toEqual([published + 1])
    expect(missed[0]!.json).toContain('"kind":"TRADE_ORDER.CREATED"')
  })

  it("stands where it stood although the account's actor cannot start at all", () => {
    const world = ready()
    placed(world)
    const sequence = durable(world)
    world.crash()
    const account = world.database.accounts.get(ACCOUNT)!
    world.database.accounts.set(ACCOUNT, { ...account, venue: "GONE" as never })
    world.start()
    world.advance(10_000)
    expect(world.status()).toBe("UNAVAILABLE")
    expect(standing(world)).toBe(sequence)
    expect(replayed(world, 0, sequence)).toHaveLength(sequence)
    expect(world.state("accountOrders")).toBe(null)
  })

  it("has no hole when the actor dies of an answer between commit and publication", () => {
    const world = ready()
    const request = {
      tradingAccountId: ACCOUNT,
      instrumentId: "SIM:BTC/USDT",
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "1",
      limitPrice: "100",
    }
    world.accounts.post(ACCOUNT, {
      _tag: "SubmitOrder",
      request: request as never,
      receivedAt: world.time.now,
      named: () => undefined,
      reply: {
        ok: () => {
          throw new Error("the edge broke")
        },
        fail: () => undefined,
      },
    })
    world.advance(5_000)
    expect(world.accounts.stats().restarts).toBe(1)
    const offsets = world.published.map(({ offset }) => offset)
    expect(offsets).toEqual(offsets.map((_, index) => index + 1))
    expect(world.kinds()).toContain("TRADE_ORDER.CREATED")
    expect(standing(world)).toBe(offsets.at(-1))
  })

  it("replays what was published, tags included, letter for letter", () => {
    const world = ready()
    eventful(world)
    const live = world.published
    expect(new Set(world.kinds())).toEqual(
      new Set([
        "TRADING_ACCOUNT.UPDATED",
        "TRADING_ACCOUNT.RECONCILED",
        "TRADING_ACCOUNT.ALERT",
        "PORTFOLIO.UPDATED",
        "EXECUTION.CREATED",
        ...[
          "CREATED",
          "SUBMITTED",
          "ACCEPTED",
          "PARTIALLY_FILLED",
          "FILLED",
          "PENDING_CANCEL",
          "CANCELLED",
          "REJECTED",
        ].map((status) => `TRADE_ORDER.${status}`),
      ]),
    )
    const stored = replayed(world, 0, live.length)!
    expect(stored.map(({ offset, json, tags }) => ({ offset, json, tags }))).toEqual(
      live.map(({ offset, json, tags }) => ({ offset, json, tags })),
    )
    expect(replayed(world, 3, 5)!.map(({ offset }) => offset)).toEqual([4, 5])
    expect(replayed(world, 5, 5)).toEqual([])
    expect(replayed(world, 5, live.length + 1)).toBe(null)
    expect(replayed(world, 5, 4)).toBe(null)
  })

  it("tags its events with their kind and the order that they concern", () => {
    const world = ready()
    eventful(world)
    for (const { json, tags } of world.published) {
      const { kind, data } = JSON.parse(json) as { kind: string; data: Record<string, string> }
      const order = kind.startsWith("TRADE_ORDER.")
      const concerned = order || kind === "EXECUTION.CREATED"
      expect(tags).toEqual({
        kind,
        ...(concerned || kind === "TRADING_ACCOUNT.ALERT" ? { tradeOrderId: data["tradeOrderId"] } : {}),
        ...(concerned ? { instrumentId: data["instrumentId"] } : {}),
        ...(order ? { orderStatus: data["orderStatus"] } : {}),
      })
    }
  })
})

describe("the map of open orders", () => {
  it("begins with what was told, not with what is planned or sent", () => {
    const world = ready()
    const order = placed(world)
    const resting = world.state("accountOrders")!
    expect(resting).toMatchObject({ epoch: "epoch", offset: durable(world) })
    expect(resting.entries.map(({ key }) => key)).toEqual([order.tradeOrderId])
    const told = world.published.findLast(({ json }) => json.includes('"kind":"TRADE_ORDER.'))!
    expect(told.json.endsWith(`"data":${resting.entries[0]!.json}}`)).toBe(true)
    expect(records(world, "accountOrders")).toMatchObject([{ orderStatus: "ACCEPTED" }])

    world.memory.faults.hold()
    world.submit({ idempotencyKey: "planned" })
    world.cancel(order.tradeOrderId)
    world.advance(100)
    expect(world.state("accountOrders")).toEqual(resting)
    world.memory.faults.release()
    world.advance(100)
    expect(records(world, "accountOrders").map(({ idempotencyKey }) => idempotencyKey)).toEqual(["planned"])
  })

  it("does not hold an order whose key turned out to be used", () => {
    const world = ready()
    const order = placed(world, { idempotencyKey: "old" })
    world.cancel(order.tradeOrderId)
    world.advance(100)
    const old = world.database.orders.get(order.tradeOrderId)!.order
    world.database.orders.set(old.tradeOrderId, { order: { ...old, idempotencyKey: "older" }, acceptedNumber: 1 })
    world.submit({ idempotencyKey: "older" })
    world.advance(100)
    expect(world.state("accountOrders")!.entries).toEqual([])
  })

  it("is the same after a restart, while the venue is away", () => {
    const world = ready()
    placed(world)
    placed(world, { orderSide: "SELL", limitPrice: "120" as never })
    const before = world.state("accountOrders")!
    expect(before.entries.length).toBe(2)
    world.crash()
    world.venue.isUp = false
    world.start()
    expect(world.state("accountOrders")).toEqual(before)
  })
})

describe("the map of positions", () => {
  it("begins with the records that were told, and leaves out those of nothing as the portfolio does", () => {
    const world = ready()
    expect(records(world, "accountPositions")).toMatchObject([
      { currency: "BTC", balance: "1000" },
      { currency: "USDT", balance: "100000" },
    ])
    placed(world, { orderSide: "SELL", orderType: "MARKET", quantity: "1000" as never })
    expect(world.portfolio().map(({ currency }) => currency)).toEqual(["USDT"])
    const { offset, entries } = world.state("accountPositions")!
    expect(entries.map(({ key }) => key)).toEqual(["USDT"])
    expect(offset).toBe(durable(world))
    const told = world.published.findLast(({ tags }) => tags?.["kind"] === "PORTFOLIO.UPDATED")!
    expect(told.json).toContain('"currency":"BTC","balance":"0"')
    expect(told.json).toContain(entries[0]!.json)
  })

  it("waits a moment for an account that has just woken, and cannot be read of one whose venue is away", () => {
    const world = ready()
    world.crash()
    world.start()
    const channel = accountPositionsChannel(ACCOUNT)
    const answers: Array<number | null> = []
    const ask = (): void =>
      world.sources.get("accountPositions")!.state!(channel, (state) => answers.push(state?.entries.length ?? null))
    ask()
    world.time.settle()
    expect(answers).toEqual([])
    world.advance(1_000)
    expect(answers).toEqual([2])

    world.crash()
    world.venue.isUp = false
    world.start()
    ask()
    world.advance(1_999)
    expect(answers).toEqual([2])
    world.advance(1)
    expect(answers).toEqual([2, null])
  })

  it("starts over with every life of the actor: a position that went meanwhile has no event", () => {
    const world = ready()
    const channel = accountPositionsChannel(ACCOUNT)
    const positionOf = () => world.sources.get("accountPositions")!.position(channel)
    const before = world.state("accountPositions")!
    expect(positionOf()).toMatchObject({ epoch: before.epoch, offset: before.offset })
    expect(world.invalidated).toEqual([])
    world.memory.faults.refuse(({ rows }) => (rows.length > 0 ? "simulated" : undefined))
    world.submit()
    world.advance(1)
    world.memory.faults.refuse(null)
    world.advance(1_000)
    expect(world.accounts.stats().restarts).toBe(1)
    expect(world.invalidated).toEqual([channel])
    const restarted = world.state("accountPositions")!
    expect(restarted.epoch).not.toBe(before.epoch)
    expect(positionOf()).toMatchObject({ epoch: restarted.epoch, offset: restarted.offset })

    world.crash()
    world.venue.totals.delete("BTC")
    world.start()
    world.advance(1_000)
    const later = world.state("accountPositions")!
    expect(later.entries.map(({ key }) => key)).toEqual(["USDT"])
    expect([before.epoch, restarted.epoch]).not.toContain(later.epoch)
    // Nothing that was published says that BTC is gone.
    const told = world.published.filter(({ json }) => json.includes('"currency":"BTC","balance":"0"'))
    expect(told).toEqual([])
  })
})
