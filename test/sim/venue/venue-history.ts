/**
 * What the simulated venue shows when it is asked: orders as its views have them, lists in pages of which each is an instant of its own,
 * trades once its history lists them, and no order that the replica behind the question has not heard of.
 */
import { Effect } from "effect"
import { VenueUnavailable } from "../../../src/domain/errors/venue.ts"
import { type InstrumentId, tradeOrderIdOf, venueClientId } from "../../../src/domain/ids.ts"
import type {
  EndedOrdersPage,
  EndedSince,
  FillsPage,
  OrderLookup,
  VenueFill,
  VenueOrderRef,
  VenueOrderState,
  VenueSession,
} from "../../../src/ports/venue-session.ts"
import type { SimEnded, SimList } from "../traits.ts"
import { keyOf, type SimOrder, tradeKey } from "./exchange.ts"
import { FIRST, type ListOf, type Page, type Place, pageOf, placeOf, textOf } from "./list-pages.ts"
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

/** Of the list of orders that are over, the lists that are read one after the other. */
const PARTS = {
  ALL: ["ALL"],
  ENDED: ["ENDED"],
  CANCELLED_FIRST: ["CANCELLED", "OTHERS"],
  RECENT_FIRST: ["RECENT", "INDEXED"],
} as const satisfies { readonly [L in SimEnded["lists"]]: ReadonlyArray<string> }

type EndedPart = (typeof PARTS)[SimEnded["lists"]][number]

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
  findFor(account: string, { tradeOrderId, externalOrderId, instrumentId }: VenueOrderRef): SimOrder | undefined {
    const clientId = venueClientId(tradeOrderId)
    for (const it of this.venue.orders.values())
      if (
        it.account === account &&
        ((it.externalOrderId === externalOrderId && it.order.instrumentId === instrumentId) || it.clientId === clientId)
      )
        return it
    return undefined
  }

  /** As one session is shown it; `asked`: in the answer about this order. */
  viewOf(sim: SimOrder, session: OpenSession | null, asked?: VenueOrderRef): VenueOrderState {
    const { clientIds, viewTimes } = this.venue.traits
    const { order } = sim
    const isNamed = clientIds === "EVERYWHERE" || clientIds === "ORDERS"
    const isKnown = session?.known.has(keyOf(sim)) === true || (asked !== undefined && asked.externalOrderId === null)
    const told = isNamed || isKnown ? sim.clientId : null
    if (told !== null && tradeOrderIdOf(told) !== undefined) session?.known.add(keyOf(sim))
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

  /** In an event of the stream. */
  toldOf(sim: SimOrder, session: OpenSession): VenueOrderState {
    const view = this.viewOf(sim, session)
    return this.venue.traits.viewTimes === "EVENTS" ? { ...view, updatedAt: sim.updatedAt } : view
  }

  /** A trade in an event of the stream. */
  fillOf(sim: SimOrder, fill: VenueFill, session: OpenSession): VenueFill {
    const isNamed = this.venue.traits.clientIds === "EVERYWHERE" || session.known.has(keyOf(sim))
    return { ...fill, tradeOrderId: isNamed ? (tradeOrderIdOf(sim.clientId) ?? null) : null }
  }

  // Questions

  order(session: OpenSession, ref: VenueOrderRef): Asked<OrderLookup> {
    return this.question(session, () => {
      const sim = this.findFor(session.account, ref)
      return sim !== undefined && this.isAnswered(sim)
        ? ({ _tag: "Found", state: this.viewOf(sim, session, ref) } as const)
        : ({ _tag: "NotFound", definite: this.venue.venue.inProcess } as const)
    })
  }

  openOrders(session: OpenSession, isList: boolean): VenueSession["fetchOpenOrders"] {
    const open = (): ReadonlyArray<SimOrder> => this.venue.openOrders(session.account).filter((it) => this.isShown(it))
    return Effect.suspend(() =>
      this.pages(session, this.venue.traits.openOrders, isList, {
        rows: open,
        keyOf: ({ number }) => [number, 0],
        show: (sim) => this.viewOf(sim, session),
      }),
    )
  }

  private listedFills(session: OpenSession, since: number, instruments: ReadonlyArray<InstrumentId>) {
    const listed: Array<ListedFill> = []
    for (const { account, order, fills } of this.venue.orders.values()) {
      if (account !== session.account || !instruments.includes(order.instrumentId)) continue
      for (const fill of fills) {
        const { number, listedAt } = this.listings.get(fill) ?? ALWAYS
        if (listedAt <= this.venue.time.now && fill.executedAt >= since) listed.push({ fill, number, listedAt })
      }
    }
    return listed.sort((a, b) => a.fill.executedAt - b.fill.executedAt || a.number - b.number)
  }

  // Trades that are fetched name their order by the venue's id only, as Binance's do.
  private readonly shownFill = ({ fill }: ListedFill): VenueFill => ({ ...fill, tradeOrderId: null })

  fillsSince(
    session: OpenSession,
    since: number,
    instruments: ReadonlyArray<InstrumentId>,
  ): Asked<ReadonlyArray<VenueFill>> {
    const { traits } = this.venue
    if (traits.isPaged) return this.allPages((cursor) => this.fillsPage(session, since, instruments, cursor))
    return Effect.suspend(() => {
      this.venue.fillsAsked++
      return this.pages(session, traits.trades, false, {
        rows: () => this.listedFills(session, since, instruments),
        keyOf: ({ fill, number }) => [fill.executedAt, number],
        show: this.shownFill,
      })
    })
  }

  /** All of a list that is handed on page by page. */
  private allPages(page: (cursor: string | null) => Asked<FillsPage>): Asked<ReadonlyArray<VenueFill>> {
    return Effect.gen(function* () {
      const all = new Map<string, VenueFill>()
      for (let cursor: string | null = null; ; ) {
        const { fills, next }: FillsPage = yield* page(cursor)
        for (const fill of fills) all.set(tradeKey(fill), fill)
        if (next === null) return [...all.values()].sort((a, b) => a.executedAt - b.executedAt)
        cursor = next
      }
    })
  }

  /** One page, in one question, of the account or of one instrument after the other. */
  fillsPage(
    session: OpenSession,
    since: number,
    instruments: ReadonlyArray<InstrumentId>,
    cursor: string | null,
  ): Asked<FillsPage> {
    const list = this.venue.traits.trades
    const parts = list.of === "ACCOUNT" ? [instruments] : instruments.map((it) => [it])
    return Effect.suspend(() => {
      if (cursor === null) this.venue.fillsAsked++
      const place = placeOf(cursor, since)
      const wanted = parts[place.part]
      if (wanted === undefined) return Effect.succeed({ fills: [], next: null })
      return Effect.map(
        this.question(session, () =>
          pageOf(list, place, this.venue.time.now, {
            rows: this.listedFills(session, since, wanted),
            keyOf: ({ fill, number }) => [fill.executedAt, number],
            timeOf: ({ fill }) => fill.executedAt,
          }),
        ),
        ({ rows, next }): FillsPage => ({
          fills: rows.map(this.shownFill).sort((a, b) => a.executedAt - b.executedAt),
          next: textOf(next, place, parts.length, since),
        }),
      )
    })
  }

  /** Orders that are over, and what else stands in the same list. */
  endedPage(
    session: OpenSession,
    list: SimEnded,
    markets: ReadonlyArray<EndedSince>,
    cursor: string | null,
  ): Asked<EndedOrdersPage> {
    const oldest = Math.min(...markets.map(({ since }) => since))
    const parts = (list.of === "ACCOUNT" ? [null] : markets).flatMap((market) =>
      PARTS[list.lists].map((which) => ({ market, which })),
    )
    return Effect.suspend(() => {
      const place = placeOf(cursor, oldest)
      const part = parts[place.part]
      if (part === undefined) return Effect.succeed({ orders: [], next: null })
      const { market, which } = part
      const isIn = (sim: SimOrder): boolean =>
        which === "ALL" || (sim.status !== "OPEN" && this.isListedIn(which, sim, list))
      const isSince = (sim: SimOrder): boolean =>
        list.starts === "CREATION" || market?.oldestId === null || market === null
          ? sim.createdAt >= (market?.since ?? oldest)
          : Number(sim.externalOrderId) >= Number(market.oldestId)
      const rows = (): ReadonlyArray<SimOrder> =>
        this.venue
          .ordersOf(session.account, market?.instrumentId)
          .filter((it) => isIn(it) && isSince(it) && this.isAnswered(it))
      return Effect.map(
        this.question(session, () =>
          pageOf(list, place, this.venue.time.now, {
            rows: rows(),
            keyOf: ({ number }) => [number, 0],
            timeOf: ({ createdAt }) => createdAt,
          }),
        ),
        (page): EndedOrdersPage => ({
          orders: page.rows.map((sim) => this.viewOf(sim, session)),
          next: textOf(page.next, place, parts.length, oldest),
        }),
      )
    })
  }

  private isListedIn(which: EndedPart, { status, updatedAt }: SimOrder, list: SimEnded): boolean {
    const endedFor = this.venue.time.now - updatedAt
    switch (which) {
      case "CANCELLED":
        return status === "CANCELLED"
      case "OTHERS":
        return status !== "CANCELLED"
      case "RECENT":
        return endedFor <= (list.recentMillis ?? 0)
      case "INDEXED":
        return endedFor >= (list.indexedMillis ?? 0)
      default:
        return true
    }
  }

  /** An answer may name it: not what the replica has not heard of, nor what is forgotten or not shown yet. */
  isAnswered(sim: SimOrder): boolean {
    return this.venue.isKnown(sim) && !this.venue.forgotten.has(sim) && this.isShown(sim)
  }

  balances(session: OpenSession): VenueSession["fetchBalances"] {
    const { traits } = this.venue
    return Effect.suspend(() => {
      const askedAt = this.venue.time.now
      return this.question(session, () => this.venue.balances(session.account, askedAt), true)
    }).pipe(
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

  private pages<Row, Shown>(
    session: OpenSession,
    list: SimList,
    isList: boolean,
    of: Omit<ListOf<Row>, "rows" | "timeOf"> & {
      readonly rows: () => ReadonlyArray<Row>
      readonly show: (row: Row) => Shown
    },
  ): Asked<ReadonlyArray<Shown>> {
    const self = this
    return Effect.gen(function* () {
      const shown: Array<Shown> = []
      for (let place: Place | null = FIRST; place !== null; ) {
        const at: Place = place
        const page: Page<Row> = yield* self.question(
          session,
          () => pageOf(list, at, self.venue.time.now, { ...of, rows: of.rows(), timeOf: null }),
          isList,
        )
        for (const row of page.rows) shown.push(of.show(row))
        place = page.next
      }
      return shown
    })
  }

  /** One request. `answer` is what is true while the venue answers. */
  question<A>(session: OpenSession | null, answer: () => A, isList = false): Asked<A> {
    const { venue } = this
    return Effect.gen(function* () {
      venue.questions++
      if (isList && venue.listsWaitMillis > 0) yield* Effect.sleep(venue.listsWaitMillis)
      const number = venue.leaves()
      yield* Effect.sleep(venue.fates.latencyMillis())
      const ok = venue.isUp && session?.isRefused !== true && venue.fates.query()
      if (ok && session !== null) venue.takes(session.account, number)
      const result = ok ? answer() : undefined
      yield* Effect.sleep(venue.fates.latencyMillis())
      if (!ok) return yield* new VenueUnavailable({ reason: "simulated" })
      return result as A
    })
  }
}
