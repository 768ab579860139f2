/** What a session at any loopback exchange keeps to: when its worker dies, when its address is banned, and by a clock that is not ours. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { VenueSecrets } from "../../../src/domain/account/credential.ts"
import type { VenueOrder } from "../../../src/ports/venue-session.ts"
import type { AnswerFault, Fault } from "../../exchanges/binance/faults.ts"
import { type Judging, type LoopbackSession, refOf } from "./loopback-session.ts"
import { type ConnectorOptions, laterInstant, profileOf, SOON_LATE, until, type VenueUnderTest } from "./venue-kit.ts"

type Faulty = Judging & { readonly fault: (fault: Fault) => void }
type Session<E extends Faulty> = LoopbackSession<E, VenueSecrets> & {
  readonly timesPlaced: (order: VenueOrder) => number
}

export interface SessionAt<E extends Faulty> {
  readonly venue: string
  readonly start: (
    exchangeOptions: { readonly clockAheadMillis?: number },
    options?: ConnectorOptions,
  ) => Promise<VenueUnderTest<E>>
  /** Of a user of its own, with its stream up. */
  readonly enter: (at: VenueUnderTest<E>) => Promise<Session<E>>
  readonly order: (change?: Partial<VenueOrder>) => VenueOrder
  /** `METHOD /path` of an order. */
  readonly place: string
}

export const describeDeath = <E extends Faulty>({ venue, start, enter, order: orderOf, place }: SessionAt<E>) =>
  describe(`a worker of ${venue}`, () => {
    it("leaves a submit in doubt when it dies with it; the order is found by our id, and sent once", async () => {
      const at = await start({}, { times: { restartFirstMillis: 1, restartMaxMillis: 1 } })
      try {
        const my = await enter(at)
        at.exchange.fault({ fault: "answer", match: place, action: { kind: "apply-then-hang" } })
        const order = orderOf()
        my.open.session.submit(order)
        await until(() => my.timesPlaced(order) === 1, "the order at the venue")
        my.open.reports.length = 0
        at.venue.supervisor.break("exit")
        await until(() => my.open.about(order.tradeOrderId).includes("InDoubt"), "the doubt")
        await until(() => my.open.last("StreamUp") !== undefined, "the stream of the next worker")
        expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: { status: "OPEN" } })
        expect(my.judged(order)).toMatchObject({ count: 1, created: 1 })
      } finally {
        await at.stop()
      }
    })
  })

/** Of a venue whose orders may be signed while they are stored: the exchange checks each signature, and its age. */
export const describeAhead = <E extends Faulty>({ venue, start, enter, order: orderOf, place }: SessionAt<E>) =>
  describe(`an order at ${venue} that was prepared`, () => {
    let at: VenueUnderTest<E>
    beforeAll(async () => {
      at = await start({})
    })
    afterAll(() => at.stop())

    it("is placed once when it is submitted, and one that is given up never is", async () => {
      const my = await enter(at)
      // A first order may have the venue asked for what the session keeps.
      expect((await my.outcomeOf(orderOf()))._tag).toBe("Accepted")
      const [order, other] = [orderOf(), orderOf()]
      const { prepare, forgo } = my.open.session
      prepare?.(order)
      prepare?.(other)
      // A worker takes what it is told in turn: it is asked afterwards, and answers.
      expect(await at.run(my.open.session.fetchOpenOrders)).toHaveLength(1)
      expect([prepare === undefined, my.count(place)]).toEqual([false, 1])
      forgo?.(other.tradeOrderId)
      expect((await my.outcomeOf(order))._tag).toBe("Accepted")
      expect(my.judged(order)).toMatchObject({ count: 1, created: 1 })
      expect(my.count(place)).toBe(2)
      expect(await my.lookup(other)).toMatchObject({ _tag: "NotFound" })
    })
  })

/** `bans`: what the venue answers an order with, by name. */
export const describeBans = <E extends Faulty>(
  { venue, start, enter, order, place }: SessionAt<E>,
  bans: ReadonlyArray<readonly [name: string, action: AnswerFault]>,
) =>
  describe(`an address that ${venue} has banned`, () => {
    it.each(bans)("is silent afterwards, and its sessions keep their keys: %s", async (_, action) => {
      const at = await start({}, { change: { waits: SOON_LATE } })
      try {
        const my = await enter(at)
        at.exchange.fault({ fault: "answer", match: place, action })
        await my.outcomeOf(order())
        const before = my.count(place)
        expect(await my.outcomeOf(order({ notAfter: Date.now() + 500 }))).toMatchObject({ _tag: "NotSent" })
        expect(my.count(place)).toBe(before)
        expect(my.open.last("SessionRefused")).toBeUndefined()
      } finally {
        await at.stop()
      }
    })
  })

/** `market`: an order that is filled at once. */
export const describeClocks = <E extends Faulty>(
  { venue, start, order }: SessionAt<E>,
  awayMillis: number,
  market: () => VenueOrder,
) =>
  describe.each([
    ["ahead of", awayMillis],
    ["behind", -awayMillis],
  ])(`${venue} with a clock %s ours`, (_, clockAheadMillis) => {
    let at: VenueUnderTest<E>
    beforeAll(async () => {
      at = await start({ clockAheadMillis })
    })
    afterAll(() => at.stop())

    it("takes our login and our orders, and has fills, balances, outcomes and what changed on one time line, its own", async () => {
      const open = await at.openSession()
      await until(() => open.last("StreamUp") !== undefined, "the private stream")
      const began = Date.now() + clockAheadMillis
      open.session.submit(market())
      await until(() => {
        const fill = open.last("Filled")?.fill
        const balances = open.last("BalancesSeen")?.balances
        return fill !== undefined && balances !== undefined && balances.at >= fill.executedAt
      }, "the balances after the fill")
      expect(open.last("Filled")?.fill.executedAt).toBeGreaterThanOrEqual(began)
      expect(open.last("BalancesSeen")?.balances.at).toBeLessThanOrEqual(Date.now() + clockAheadMillis)
      const resting = order()
      open.session.submit(resting)
      await until(() => open.about(resting.tradeOrderId).includes("Accepted"), "the acceptance")
      await laterInstant()
      const asked = Date.now() + clockAheadMillis
      open.session.cancel(refOf(resting))
      await until(() => open.last("CancelAccepted") !== undefined, "the cancel")
      // Late by the way of one answer at most, and nowhere near our clock.
      expect(open.last("CancelAccepted")?.at).toBeGreaterThan(began - 45_000)
      expect(open.last("CancelAccepted")?.at).toBeLessThanOrEqual(Date.now() + clockAheadMillis)
      // Of its end: an answer that does not say when it was says nothing of it.
      const saysWhen = profileOf(venue).orderTimes.updated !== null
      const ends = () =>
        open.reports.flatMap((report) => {
          if (report._tag !== "OrderSeen" || report.state.status === "OPEN") return []
          const { tradeOrderId, updatedAt } = report.state
          return tradeOrderId === resting.tradeOrderId && (updatedAt !== null || !saysWhen) ? [updatedAt] : []
        })
      await until(() => ends().length > 0, "the end of the order")
      for (const when of ends()) {
        if (saysWhen) expect(when).toBeGreaterThanOrEqual(asked)
        else expect(when).toBeNull()
      }
      expect(Math.max(...ends().map((when) => when ?? 0))).toBeLessThanOrEqual(Date.now() + clockAheadMillis)
    })
  })
