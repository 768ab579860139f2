/**
 * MOCK → feed → book → channel: whoever applies SNAPSHOT and DIFFs has the matcher's own book, text for text, at every sequence,
 * whatever is lost on the way and whenever he joins.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { bookChannel } from "../../../src/domain/channel.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import type { VenueSession } from "../../../src/ports/venue-session.ts"
import { seeded } from "../../../src/venues/mock/market.ts"
import { BookReader } from "../../kit/readers/market-reader.ts"
import { account, BTC, limit, marketWorld, settle } from "../../kit/worlds/market-world.ts"

const OPERATIONS = 3_000
const BALANCES = { BTC: "1000000", USDT: "100000000000" }

describe("a rebuilt order book", () => {
  it.scoped(
    "equals the matcher's at every sequence, across losses and late joiners",
    () =>
      Effect.gen(function* () {
        const world = yield* marketWorld({ mockSeed: 7 })
        const random = seeded(42)
        const pick = (n: number): number => Math.floor(random() * n)
        let compared = 0
        const compare = (reader: BookReader): void => {
          // What is lost is said to be lost, and not called the venue's book.
          if (reader.last?.quality !== "SYNCED") return
          compared++
          expect(JSON.stringify(reader.book())).toBe(JSON.stringify(world.delivered.get(BTC)))
        }
        const readers = [new BookReader(world.channels, bookChannel(BTC), compare)]
        const sessions: Array<VenueSession> = []
        for (const n of [1, 2, 3]) sessions.push((yield* world.open(account(n, BALANCES))).session)
        const placed: Array<{ readonly session: VenueSession; readonly tradeOrderId: TradeOrderId }> = []
        let losses = 0
        for (let i = 0; i < OPERATIONS; i++) {
          const kind = pick(100)
          if (kind < 60) {
            const session = sessions[pick(sessions.length)]!
            const price = Decimal.fromUnits(BigInt(599_500 + pick(100) * 10), 1).toString()
            const quantity = Decimal.fromUnits(BigInt(100 + pick(200_000)), 5).toString()
            const order = limit(pick(2) === 0 ? "BUY" : "SELL", quantity, price, {
              timeInForce: (["GTC", "GTC", "GTC", "IOC", "FOK", "GTX"] as const)[pick(6)]!,
            })
            session.submit(order)
            placed.push({ session, tradeOrderId: order.tradeOrderId })
          } else if (kind < 85) {
            const order = placed[pick(placed.length)]
            if (order !== undefined)
              order.session.cancel({ tradeOrderId: order.tradeOrderId, externalOrderId: null, instrumentId: BTC })
          } else if (kind < 97) world.rig.tick()
          else if (kind === 97) {
            world.rig.skipDepth(BTC)
            losses++
          } else if (kind === 98 && readers.length < 6) {
            readers.push(new BookReader(world.channels, bookChannel(BTC), compare))
          } else if (readers.length > 2) readers.splice(1 + pick(readers.length - 1), 1)[0]!.leave()
          // Sometimes several operations share one loop turn.
          if (pick(4) !== 0) yield* Effect.promise(() => Promise.resolve())
          if (pick(50) === 0) yield* settle
          // Time passes, so that a book that is asked for again and again is asked for.
          if (pick(25) === 0) yield* TestClock.adjust(6000)
        }
        yield* world.advance(20_000)
        yield* settle
        expect(losses).toBeGreaterThan(OPERATIONS / 200)
        expect(compared).toBeGreaterThan(OPERATIONS / 2)
        expect(world.opened.filter((line) => line === `resync ${BTC}`).length).toBeGreaterThan(OPERATIONS / 200)
        for (const reader of readers) {
          expect(reader.last?.quality).toBe("SYNCED")
          expect(reader.book()).toEqual(world.rig.book(BTC))
        }
        for (const record of readers[0]!.records) {
          const [bid] = record.bids[0] ?? []
          expect(record.quality === "SYNCED" || record.updateType === "DIFF" || bid === undefined).toBe(true)
        }
      }),
    120_000,
  )
})
