/**
 * What the simulated venue shows when it is asked: orders as its views have them, lists in pages of which each is an instant of its own,
 * trades once its history lists them, and no order that the replica behind the question has not heard of.
 */
import { Effect } from "effect"
import { VenueUnavailable } from "../../../src/domain/errors/venue.ts"
import { type InstrumentId, tradeOrderIdOf, venueClientId } from "../../../src/domain/ids.ts"
import type {
  OrderLookup,
  VenueFill,
  VenueOrderRef,
  VenueOrderState,
  VenueSession,
} from "../../../src/ports/venue-session.ts"
import type { SimOrder } from "./exchange.ts"
import type { OpenSession } from "./venue-sessions.ts"
import type { VenueState } from "./venue-state.ts"

/** A trade's place in the history, and since when that has it. */
interface Listing {
  readonly number: number
  readonly listedAt: number
}

/** Of a trade that a test has put there. */
const ALWAYS: Listing = { number: 0, listedAt: 0 }

interface ListedFill extends Listing {
  readonly fill: VenueFill
}

type Asked<A> = Effect.Effect<A, VenueUnavailable>

export class VenueHistory {
  private readonly listings = new WeakMap<VenueFill, Listing>()
  private readonly shownAt = new Map<SimOrder, number>()
  private number = 0

  constructor(private readonly venue: VenueState) {}

  /** From now on, or a while later, the history has it. */
  list(fill: VenueFill): void {
    const { traits, random, time } = this.venue
    const lag = traits.historyLagMillis === 0 ? 0 : random.between(0, traits.historyLagMillis)
    this.listings.set(fill, { number: ++this.number, listedAt: time.now + lag })
  }

  /** Since when it shows the trade. */
  listedAt(fill: VenueFill): number {
    return (this.listings.get(fill) ?? ALWAYS).listedAt
  }

  take(sim: SimOrder): void {
    const { traits, random } = this.venue
    if (traits.replicaLagMillis > 0) this.shownAt.set(sim, sim.createdAt + random.between(0, traits.replicaLagMillis))
  }

  isShown(sim: SimOrder): boolean {
    return (this.shownAt.get(sim) ?? 0) <= this.venue.time.now
  }

  /** By the names that the exchange knows. */
  findFor(account: string, { tradeOrderId, externalOrderId }: VenueOrderRef): SimOrder | undefined {
    const clientId = venueClientId(tradeOrderId)
    for (const it of this.venue.orders.values())
      if (it.account === account && (it.externalOrderId === externalOrderId || it.clientId === clientId)) return it
    return undefined
  }

  /** As one session is shown it; `asked`: in the answer about this order. */
  viewOf(sim: SimOrder, session: OpenSession | null, asked?: VenueOrderRef): VenueOrderState {
    const { clientIds, viewTimes } = this.venue.traits
    const { order } = sim
    const isNamed = clientIds === "EVERYWHERE" || clientIds === "ORDERS"
    const isKnown =
      session?.known.has(sim.externalOrderId) === true || (asked !== undefined && asked.externalOrderId === null)
    const told = isNamed || isKnown ? sim.clientId : null
    if (told !== null && tradeOrderIdOf(told) !== undefined) session?.known.add(sim.externalOrderId)
    return {
      tradeOrderId: tradeOrderIdOf(told) ?? null,
      externalOrderId: sim.externalOrderId,
      clientId: told ?? (clientIds === "CHANGED" ? `C${sim.number}` : null),
      instrumentId: order.instrumentId,
      orderSide: order.orderSide,
      orderType: order.orderType,
      timeInForce: order.timeInForce,
      limitPrice: order.limitPrice,
      quantity: order.cost === undefined ? order.quantity : sim.quantity.toString(),
      executedQuantity: sim.executed.toString(),
      status: sim.status,
      ending: sim.ending,
      ...(sim.trigger !== null && { isTriggered: sim.trigger.isTriggered }),
      createdAt: viewTimes === "NONE" ? null : sim.createdAt,
      updatedAt: viewTimes === "UPDATED" ? sim.updatedAt : null,
    }
  }

  /** A trade in an event of the stream. */
  fillOf(sim: SimOrder, fill: VenueFill, session: OpenSession): VenueFill {
    const isNamed = this.venue.traits.clientIds === "EVERYWHERE" || session.known.has(sim.externalOrderId)
    return { ...fill, tradeOrderId: isNamed ? (tradeOrderIdOf(sim.clientId) ?? null) : null }
  }

  // Questions

  order(session: OpenSession, ref: VenueOrderRef): Asked<OrderLookup> {
    return this.question(session, () => {
      const sim = this.findFor(session.account, ref)
      const isShown =
        sim !== undefined && this.venue.isKnown(sim) && !this.venue.forgotten.has(sim) && this.isShown(sim)
      return isShown
        ? ({ _tag: "Found", state: this.viewOf(sim, session, ref) } as const)
        : ({ _tag: "NotFound", definite: this.venue.venue.inProcess } as const)
    })
  }

  openOrders(session: OpenSession, isList: boolean): VenueSession["fetchOpenOrders"] {
    const after = (last: number): ReadonlyArray<SimOrder> =>
      this.venue.openOrders(session.account).filter((it) => it.number > last && this.isShown(it))
    return Effect.suspend(() =>
      this.pages(session, this.venue.traits.ordersPage, isList, {
        first: 0,
        rows: after,
        next: (sim) => sim.number,
        show: (sim) => this.viewOf(sim, session),
      }),
    )
  }

  fillsSince(
    session: OpenSession,
    since: number,
    instruments: ReadonlyArray<InstrumentId>,
  ): Asked<ReadonlyArray<VenueFill>> {
    const after = ([at, number]: readonly [number, number]): ReadonlyArray<ListedFill> =>
      this.venue
        .ordersOf(session.account)
        .flatMap(({ fills }) => fills.map((fill) => ({ fill, ...(this.listings.get(fill) ?? ALWAYS) })))
        .filter(
          ({ fill, listedAt, number: its }) =>
            listedAt <= this.venue.time.now &&
            (fill.executedAt > at || (fill.executedAt === at && its > number)) &&
            instruments.includes(fill.instrumentId),
        )
        .sort((a, b) => a.fill.executedAt - b.fill.executedAt || a.number - b.number)
    return Effect.suspend(() => {
      this.venue.fillsAsked++
      return this.pages(session, this.venue.traits.tradesPage, false, {
        first: [since, -1] as const,
        rows: after,
        next: ({ fill, number }) => [fill.executedAt, number] as const,
        // Trades that are fetched name their order by the venue's id only, as Binance's do.
        show: ({ fill }) => ({ ...fill, tradeOrderId: null }),
      })
    })
  }

  balances(session: OpenSession): VenueSession["fetchBalances"] {
    const { traits } = this.venue
    return this.question(session, () => this.venue.balances(session.account), true).pipe(
      Effect.flatMap((balances) =>
        traits.balancesLagMillis === 0
          ? Effect.succeed(balances)
          : Effect.delay(
              Effect.succeed({ ...balances, at: balances.at + traits.balancesLagMillis }),
              traits.balancesLagMillis,
            ),
      ),
    )
  }

  private pages<Row, Cursor, Shown>(
    session: OpenSession,
    size: number,
    isList: boolean,
    list: {
      readonly first: Cursor
      readonly rows: (after: Cursor) => ReadonlyArray<Row>
      readonly next: (last: Row) => Cursor
      readonly show: (row: Row) => Shown
    },
  ): Asked<ReadonlyArray<Shown>> {
    const self = this
    return Effect.gen(function* () {
      const shown: Array<Shown> = []
      for (let cursor = list.first; ; ) {
        const page = yield* self.question(session, () => list.rows(cursor).slice(0, size), isList)
        for (const row of page) shown.push(list.show(row))
        const last = page.at(-1)
        if (page.length < size || last === undefined) return shown
        cursor = list.next(last)
      }
    })
  }

  /** One request. `answer` is what is true while the venue answers. */
  question<A>(session: OpenSession | null, answer: () => A, isList = false): Asked<A> {
    const { venue } = this
    return Effect.gen(function* () {
      venue.questions++
      if (isList && venue.listsWaitMillis > 0) yield* Effect.sleep(venue.listsWaitMillis)
      yield* Effect.sleep(venue.fates.latencyMillis())
      const ok = venue.isUp && session?.isRefused !== true && venue.fates.query()
      const result = ok ? answer() : undefined
      yield* Effect.sleep(venue.fates.latencyMillis())
      if (!ok) return yield* new VenueUnavailable({ reason: "simulated" })
      return result as A
    })
  }
}
