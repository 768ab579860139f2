/**
 * Maps of an account: the state that a client begins with, followed by the events behind it, is the truth. The real actors over
 * PostgreSQL and MOCK, through restarts, with commands on top of each other.
 */
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Position, positionRecord } from "../../../src/domain/account/trading-account.ts"
import { accountChannel, accountOrdersChannel, accountPositionsChannel } from "../../../src/domain/channel.ts"
import type { TradeOrderId, TradingAccountId } from "../../../src/domain/ids.ts"
import { isTerminal, type OrderStatus } from "../../../src/domain/order/status.ts"
import type { SubmitRequest } from "../../../src/domain/order/submit-request.ts"
import { tradeOrderJson } from "../../../src/domain/order/trade-order-record.ts"
import type { ChannelState, StoredPublication } from "../../../src/ports/channel-port.ts"
import { until } from "../../kit/servers/gateway.ts"
import { type AccountProcess, cancel, quiet, submit, withAccounts } from "./account-process.ts"

const MAPS = ["accountOrders", "accountPositions"] as const
type MapKind = (typeof MAPS)[number]

const { account, start } = withAccounts()

/** Everything that the journal has of the account, up to `upTo`. */
const journal = async (process: AccountProcess, id: TradingAccountId, upTo: number) => {
  const events: Array<StoredPublication> = []
  while (events.length < upTo) {
    const page = await process.replay(accountChannel(id), events.length, Math.min(upTo, events.length + 1_000))
    if (page === null) throw new Error(`the journal ends at ${events.length}`)
    events.push(...page)
  }
  return events
}

interface Told {
  readonly kind: string
  readonly data: Record<string, unknown> | ReadonlyArray<Record<string, unknown>>
}

/** What a reader makes of the events, in the plainest way: one map per kind, records as text. */
const follow = (kind: MapKind, entries: ChannelState["entries"], events: ReadonlyArray<{ readonly json: string }>) => {
  const map = new Map(entries.map(({ key, json }) => [key, json]))
  for (const { json } of events) {
    const told = JSON.parse(json) as Told
    if (kind === "accountOrders" && told.kind.startsWith("TRADE_ORDER.")) {
      const record = told.data as { readonly tradeOrderId: string; readonly orderStatus: OrderStatus }
      if (isTerminal(record.orderStatus)) map.delete(record.tradeOrderId)
      else map.set(record.tradeOrderId, JSON.stringify(record))
    }
    if (kind === "accountPositions" && told.kind === "PORTFOLIO.UPDATED")
      for (const record of told.data as ReadonlyArray<{ readonly currency: string; readonly balance: string }>) {
        if (record.balance === "0") map.delete(record.currency)
        else map.set(record.currency, JSON.stringify(record))
      }
  }
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const channelOf = { accountOrders: accountOrdersChannel, accountPositions: accountPositionsChannel }

/** What one step does; small choices, so that they meet. */
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      _tag: fc.constant("submit" as const),
      side: fc.constantFrom("BUY" as const, "SELL" as const),
      // Far from the market, at it, and beyond what is there.
      price: fc.constantFrom("1000", "59999", "60001", "99000", null),
      quantity: fc.constantFrom("0.01", "0.5", "2.00"),
      key: fc.constantFrom(null, null, null, "a", "b"),
    }),
  },
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("cancel" as const), which: fc.nat({ max: 30 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("fill" as const),
      which: fc.nat({ max: 30 }),
      quantity: fc.constantFrom("0.00001", "0.004", "0.01"),
    }),
  },
  { weight: 8, arbitrary: fc.record({ _tag: fc.constant("read" as const), of: fc.constantFrom(...MAPS) }) },
  { weight: 6, arbitrary: fc.record({ _tag: fc.constant("turns" as const), count: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 6, arbitrary: fc.record({ _tag: fc.constant("quiet" as const) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("restart" as const), drained: fc.boolean() }) },
)

/** Orders that rest at the venue, as far as it was published: those known before, and what this process says of them. */
const openIn = (process: AccountProcess, known: Set<TradeOrderId>): Set<TradeOrderId> => {
  for (const { tags } of process.published) {
    const tradeOrderId = tags?.["tradeOrderId"] as TradeOrderId
    const status = tags?.["orderStatus"] as OrderStatus | undefined
    if (status === "ACCEPTED" || status === "PARTIALLY_FILLED") known.add(tradeOrderId)
    else if (status !== undefined) known.delete(tradeOrderId)
  }
  return known
}

/** False when the order left the venue's book a moment ago. */
const fillIfResting = (process: AccountProcess, id: TradeOrderId, quantity: string): boolean => {
  try {
    process.rig.fill(id, quantity, "1000")
    return true
  } catch {
    return false
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe("the maps of an account", () => {
  it("begin with a state that the later events turn into the truth, whenever it is read", async () => {
    let reads = 0
    let filled = 0
    let ahead = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 90, size: "max" }), async (steps) => {
        const id = await account()
        let process = await start()
        const channel = accountChannel(id)
        const states: Array<{ readonly kind: MapKind; readonly state: ChannelState }> = []
        let pending: Array<Promise<unknown>> = []
        const ids: Array<TradeOrderId> = []
        const resting = new Set<TradeOrderId>()
        const read = async (kind: MapKind): Promise<void> => {
          const state = await process.state(kind, channelOf[kind](id))
          if (state === null) return
          states.push({ kind, state })
          reads++
        }
        /** The commit, and then that of what it brought about. */
        const settle = async (): Promise<void> => {
          for (let i = 0; i < 2; i++) {
            await quiet(process, id)
            for (let k = 0; k < 3; k++) await turn()
          }
        }
        for (const one of steps) {
          switch (one._tag) {
            case "submit": {
              const changes: Partial<SubmitRequest> = {
                orderSide: one.side,
                orderType: one.price === null ? "MARKET" : "LIMIT",
                limitPrice: one.price as never,
                quantity: one.quantity as never,
                idempotencyKey: one.key,
              }
              pending.push(submit(process, id, changes, (tradeOrderId) => ids.push(tradeOrderId)))
              break
            }
            case "cancel":
              if (ids.length > 0) pending.push(cancel(process, id, ids[one.which % ids.length]!))
              break
            case "fill": {
              // How far the orders are depends on how busy the machine is.
              if (openIn(process, resting).size === 0) await settle()
              const open = [...openIn(process, resting)]
              if (open.length === 0) break
              if (fillIfResting(process, open[one.which % open.length]!, one.quantity)) filled++
              break
            }
            case "read": {
              if (pending.length > 0) ahead++
              pending.push(read(one.of))
              break
            }
            case "turns":
              for (let i = 0; i < one.count; i++) await turn()
              break
            case "quiet":
              await settle()
              break
            case "restart":
              await Promise.all(one.drained ? pending : [])
              pending = []
              openIn(process, resting)
              await process.end(one.drained)
              process = await start()
          }
        }
        await Promise.all(pending)

        /** What is there, read while nothing happened: an order in doubt, or a venue that is asked again, has timers of its own. */
        const { final, events, openOrders, shown } = await until("a moment in which nothing happens", async () => {
          await quiet(process, id)
          const top = process.position(channel)
          for (let i = 0; i < 20; i++) await turn()
          const accountOrders = await process.state("accountOrders", channelOf.accountOrders(id))
          const accountPositions = await process.state("accountPositions", channelOf.accountPositions(id))
          if (accountOrders === null || accountPositions === null) throw new Error("no final state")
          const events = await journal(process, id, top)
          const { openOrders } = await Effect.runPromise(process.store.load(id))
          const shown = (await process.ask<ReadonlyArray<Position>>(id, (reply) => ({
            _tag: "ReadPortfolio",
            currency: null,
            reply,
          }))) as ReadonlyArray<Position>
          await quiet(process, id)
          return (
            process.position(channel) === top && {
              final: { accountOrders, accountPositions },
              events,
              openOrders,
              shown,
            }
          )
        })
        for (const { kind, state } of states) {
          const last = final[kind]!
          // Not a letter of it was planned only: it is what the events up to it say.
          if (kind === "accountOrders") {
            expect(follow(kind, state.entries, [])).toEqual(follow(kind, [], events.slice(0, state.offset)))
            expect(state.epoch).toBe(last.epoch)
          }
          if (state.epoch !== last.epoch) continue
          expect(follow(kind, state.entries, events.slice(state.offset, last.offset))).toEqual(
            follow(kind, last.entries, []),
          )
        }
        // And that is the truth: what the database has and what HTTP shows.
        expect(follow("accountOrders", final.accountOrders.entries, [])).toEqual(
          follow(
            "accountOrders",
            openOrders.map((order) => ({ key: order.tradeOrderId, json: tradeOrderJson(order) })),
            [],
          ),
        )
        const untimed = (record: object) => ({ ...record, updatedAt: 0, updatedAtDateTime: "" })
        expect(final.accountPositions.entries.map(({ json }) => untimed(JSON.parse(json) as object))).toEqual(
          shown.map((position) => untimed(positionRecord(position))),
        )
        await process.end(true)
      }),
      { numRuns: 12 },
    )
    // A run in which nothing met proves nothing.
    expect([reads > 0, filled > 0, ahead > 0]).toEqual([true, true, true])
  })
})
