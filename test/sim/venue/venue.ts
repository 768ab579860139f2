/**
 * The simulated venue as the gateway sees it: an exchange with its accounts, and a private session for each gateway account that is
 * connected to one of them. Which of its accounts a gateway account means its external id says.
 */
import { type Context, Effect } from "effect"
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import type { Venue } from "../../../src/domain/instrument/venue.ts"
import type { VenuePort } from "../../../src/ports/venue-port.ts"
import type {
  SessionReport,
  VenueBalances,
  VenueFill,
  VenueOrderState,
  VenueSession,
} from "../../../src/ports/venue-session.ts"
import type { SimTime } from "../time.ts"
import { MAIN, type SimOrder } from "./exchange.ts"
import { FEE_ASSET, listed, simVenue } from "./listing.ts"
import { asksBalances, asksOrder, asksTrades } from "./session-questions.ts"
import { VenueHistory } from "./venue-history.ts"
import { amend, cancel, submit } from "./venue-requests.ts"
import { type OpenSession, VenueSessions } from "./venue-sessions.ts"
import { VenueState } from "./venue-state.ts"

export class SimVenue extends VenueState {
  readonly sessions = new VenueSessions(this)
  readonly history = new VenueHistory(this)

  constructor(time: SimTime, venue: Venue = simVenue) {
    super(time, venue)
  }

  /** The newest session of the first exchange account. */
  get session(): OpenSession | null {
    return this.sessions.newest(MAIN)
  }

  /** An event of the private stream as it is. */
  tell(report: SessionReport, account: string = MAIN): void {
    this.sessions.tell(report, account)
  }

  /** What the newest session of its account would be shown of it now. */
  stateOf(sim: SimOrder): VenueOrderState {
    return this.history.viewOf(sim, this.sessions.newest(sim.account))
  }

  streamDown(account?: string): void {
    this.sessions.streamDown(account)
  }

  streamUp(account?: string): void {
    this.sessions.streamUp(account)
  }

  /** Built ahead, and neither submitted nor given up. */
  readonly prepared = new Set<TradeOrderId>()

  /** The process that held the sessions is gone. */
  drop(): void {
    this.prepared.clear()
    this.sessions.closeAll()
  }

  protected changed(sim: SimOrder): void {
    this.history.take(sim)
    for (const session of this.sessions.of(sim.account)) {
      const event: SessionReport = { _tag: "OrderSeen", state: this.history.toldOf(sim, session) }
      if (this.isHint()) this.sessions.uponEvent(event, session, () => asksOrder(this, session, sim))
      else this.sessions.tell(event, sim.account, session)
      if (this.traits.asksBalances) this.sessions.uponEvent(event, session, () => asksBalances(this, session))
    }
    if (this.traits.tellsBalances) this.tell({ _tag: "BalancesSeen", balances: this.movedBy(sim) }, sim.account)
  }

  private isHint(): boolean {
    const { ordersAreHints } = this.traits
    return ordersAreHints === "ALWAYS" || (ordersAreHints === "SOME" && this.random.chance(0.3))
  }

  /** The assets that an order may have moved or locked. */
  private movedBy({ account, order }: SimOrder): VenueBalances {
    const { baseAsset, quoteAsset } = listed(order.instrumentId)
    const moved = [baseAsset, quoteAsset, FEE_ASSET]
    const { balances, at } = this.balances(account)
    return { complete: false, balances: balances.filter(({ asset }) => moved.includes(asset)), at }
  }

  protected traded(sim: SimOrder, fill: VenueFill): void {
    this.history.list(fill)
    if (this.traits.asksTrades) {
      for (const session of this.sessions.of(sim.account)) {
        const event: SessionReport = { _tag: "Filled", fill: this.history.fillOf(sim, fill, session) }
        this.sessions.uponEvent(event, session, () => asksTrades(this, session, sim))
      }
      return
    }
    const tell = (): void => {
      for (const session of this.sessions.of(sim.account))
        this.sessions.tell({ _tag: "Filled", fill: this.history.fillOf(sim, fill, session) }, sim.account, session)
    }
    const { tradeLagMillis } = this.traits
    if (tradeLagMillis === 0) tell()
    else this.time.schedule(tell, this.random.between(0, tradeLagMillis))
  }

  private sessionOf(open: OpenSession): VenueSession {
    const { history } = this
    const fetchFills: VenueSession["fetchFills"] = (since, instruments) => history.fillsSince(open, since, instruments)
    const { endedOrders, isPaged, signsAhead } = this.traits
    return {
      ...(signsAhead && {
        prepare: ({ tradeOrderId }) => void this.prepared.add(tradeOrderId),
        forgo: (tradeOrderId) => void this.prepared.delete(tradeOrderId),
      }),
      ...(isPaged && {
        fetchFillsPage: (since, instruments, cursor) => history.fillsPage(open, since, instruments, cursor),
      }),
      ...(endedOrders !== null && {
        fetchEnded: (markets, cursor) => history.endedPage(open, endedOrders, markets, cursor),
      }),
      submit: (order) => {
        this.prepared.delete(order.tradeOrderId)
        submit(this, open, order)
      },
      cancel: (ref) => cancel(this, open, ref),
      amend: (ref, to) => amend(this, open, ref, to),
      fetchOrder: (ref) => history.order(open, ref),
      fetchOpenOrders: history.openOrders(open, true),
      fetchFills,
      forProof: { fetchOpenOrders: history.openOrders(open, false), fetchFills },
      fetchBalances: history.balances(open),
    }
  }

  readonly port: Context.Tag.Service<VenuePort> = {
    venues: [],
    find: (id) => (id === this.venue.venue ? this.venue : undefined),
    verify: () => Effect.succeed({ externalAccountId: null }),
    openSession: ({ account, report }) =>
      Effect.acquireRelease(
        Effect.flatMap(
          Effect.suspend(() => this.history.question(null, () => undefined)),
          () =>
            Effect.sync(() => this.sessions.open(account.externalTradingAccountId ?? MAIN, report, !this.opensDown)),
        ),
        (open) => Effect.sync(() => this.sessions.close(open)),
      ).pipe(Effect.map((open) => this.sessionOf(open))),
    instruments: () => Effect.succeed(this.instruments.map(listed)),
    klines: () => Effect.succeed({ bars: [], venueAt: 0 }),
    market: () => ({
      open: () => undefined,
      close: () => undefined,
      resync: () => undefined,
      confirm: () => Effect.succeed(false),
    }),
    health: () => [],
    stats: () => ({ shards: [], connectors: [] }),
  }
}
