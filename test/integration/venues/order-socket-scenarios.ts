/**
 * Orders over a socket of the venue (SOCKET_ORDERS), at any loopback exchange: what it takes over, what it leaves to requests, whose answer an answer
 * is, and what its loss leaves in doubt.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueSecrets } from "../../../src/domain/account/credential.ts"
import type { VenueOrder } from "../../../src/ports/venue-session.ts"
import type { Fault } from "../../exchanges/binance/faults.ts"
import { type Judging, type LoopbackSession, refOf } from "./loopback-session.ts"
import type { SessionAt } from "./session-scenarios.ts"
import { SOON_LATE, until, type VenueUnderTest } from "./venue-kit.ts"

type Faulty = Judging & { readonly fault: (fault: Fault) => void }

export interface SocketAt<E extends Faulty> extends Omit<SessionAt<E>, "place"> {
  /** How the exchange counts orders and their cancels: as requests, and over the socket. */
  readonly doors: readonly [requests: Door, socket: Door]
  /** The socket that takes orders is cut, and no other is taken until it is not away. */
  readonly away: (at: VenueUnderTest<E>, isAway: boolean) => void
  /** Resolves when the session knows that it has gone, or is there again. */
  readonly known: (my: LoopbackSession<E, VenueSecrets>, isAway: boolean) => Promise<void>
  /** Cuts it. */
  readonly cut: (at: VenueUnderTest<E>) => void
  /** An answer that an order was placed, to a request with another's number. */
  readonly foreign: Readonly<Record<string, unknown>>
  /** The venue's id of our order. */
  readonly idOf: (my: LoopbackSession<E, VenueSecrets>, order: VenueOrder) => string | undefined
}

interface Door {
  readonly place: string
  readonly cancel: string
}

export const describeOrderSocket = <E extends Faulty>(here: SocketAt<E>): void => {
  const { venue, start, enter, order: orderOf, doors, away, known, cut, foreign, idOf } = here
  const [, { place }] = doors
  describe(`a session whose orders go by a socket of ${venue}`, () => {
    let at: VenueUnderTest<E>
    let my: Awaited<ReturnType<typeof enter>>
    beforeAll(async () => {
      at = await start({}, { change: { waits: SOON_LATE } })
    })
    afterAll(() => at.stop())
    beforeEach(async () => {
      my = await enter(at)
    })
    afterEach(async () => {
      await at.endSessions()
      at.exchange.fault({ fault: "clear" })
    })

    const counted = () => doors.map((door) => [my.count(door.place), my.count(door.cancel)])
    const more = (before: ReturnType<typeof counted>) =>
      counted().map((counts, door) => counts.map((count, kind) => count - (before[door]?.[kind] ?? 0)))
    const comesAndGoes = async (): Promise<ReturnType<typeof counted>> => {
      const before = counted()
      const order = await my.accepted(orderOf())
      my.open.session.cancel(refOf(order))
      await until(() => my.open.about(order.tradeOrderId).includes("CancelAccepted"), "the cancel")
      return more(before)
    }

    it("sends them, and their cancels, as requests while the socket is away, and over the next one", async () => {
      const [byRequest, bySocket] = [
        [
          [1, 1],
          [0, 0],
        ],
        [
          [0, 0],
          [1, 1],
        ],
      ]
      expect(await comesAndGoes()).toEqual(bySocket)
      away(at, true)
      await known(my, true)
      expect(await comesAndGoes()).toEqual(byRequest)
      my.open.reports.length = 0
      away(at, false)
      await known(my, false)
      expect(await comesAndGoes()).toEqual(bySocket)
    })

    it("sends as a signed request what was built for a socket that has gone since", async () => {
      const [before, order] = [counted(), orderOf({ notAfter: Date.now() + 15_000 })]
      my.open.session.prepare?.(order)
      away(at, true)
      await known(my, true)
      expect((await my.outcomeOf(order))._tag).toBe("Accepted")
      expect(my.timesPlaced(order)).toBe(1)
      const [, overSocket] = more(before)
      expect(overSocket).toEqual([0, 0])
      my.open.reports.length = 0
      away(at, false)
      await known(my, false)
    })

    it("answers each order with its own answer, in whatever order those come, and with no other's", async () => {
      at.exchange.fault({ fault: "answer", match: place, action: { kind: "delay", millis: 300 } })
      const [slow, refused, quick] = [orderOf(), orderOf({ quantity: "4", limitPrice: "59000" }), orderOf()]
      const before = counted()
      for (const order of [slow, refused, quick]) my.open.session.submit(order)
      await until(() => my.count(place) - (before[1]?.[0] ?? 0) === 3, "their arrival")
      my.push(foreign)
      await until(() => my.open.about(slow.tradeOrderId).includes("Accepted"), "the slow answer")
      expect(my.open.about(refused.tradeOrderId)).toEqual(["Refused"])
      for (const order of [slow, quick]) {
        const told = my.open.reports.flatMap((it) =>
          it._tag === "Accepted" && it.tradeOrderId === order.tradeOrderId ? [it.externalOrderId] : [],
        )
        expect(told).toEqual([idOf(my, order)])
      }
      expect(my.open.last("StreamDown")).toBeUndefined()
    })

    it("leaves an order in doubt whose answer comes too late, tells nothing of that answer, and goes on", async () => {
      at.exchange.fault({ fault: "answer", match: place, action: { kind: "delay", millis: 2500 } })
      const order = orderOf()
      expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt" })
      await until(() => my.timesPlaced(order) === 1, "the order")
      expect((await my.outcomeOf(orderOf()))._tag).toBe("Accepted")
      expect(my.open.about(order.tradeOrderId)).not.toContain("Accepted")
      expect(my.open.last("StreamDown")).toBeUndefined()
      expect(my.judged(order)).toMatchObject({ count: 1, created: 1 })
    })

    it("gives up a socket that is lost before it answers: the order is in doubt, found by our id, and never sent again", async () => {
      at.exchange.fault({ fault: "answer", match: place, action: { kind: "apply-then-hang" } })
      const [before, order] = [counted(), orderOf()]
      my.open.session.submit(order)
      await until(() => my.timesPlaced(order) === 1, "its arrival")
      cut(at)
      await until(() => my.open.about(order.tradeOrderId).includes("InDoubt"), "the doubt")
      expect(more(before)).toEqual([
        [0, 0],
        [1, 0],
      ])
      expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: { status: "OPEN" } })
      expect(my.judged(order)).toMatchObject({ count: 1, created: 1 })
    })
  })
}
