/** Orders that the venue reports and memory does not know, while their owner is being determined; and the reports that wait for each of them. */
import { Decimal } from "../../../domain/decimal.ts"
import type { TradeOrderId } from "../../../domain/ids.ts"
import { isEnd } from "../../../domain/order/view.ts"
import { tradeKey } from "../../../ports/account-store.ts"
import type { VenueFill, VenueOrderState } from "../../../ports/venue-session.ts"
import type { WorkingOrder } from "../working-order.ts"
import { Remembered } from "./refusals.ts"

/** Of one order; the venue shows it again, and its trades are read again, when more was told of it meanwhile. */
const WAITING_MAX = 100
/** Whether an order of ours may still become one of these is looked at when one gets its name or ends, and so often beside that. */
const RECHECK_MILLIS = 1_000

/** What is known of an order that memory does not have. */
export interface Named {
  readonly tradeOrderId: TradeOrderId | null
  readonly externalOrderId: string
  readonly state: VenueOrderState | null
  readonly instrumentId: VenueOrderState["instrumentId"] | null
}

/** An order that may be one of ours. */
export interface Withheld {
  /** As far as it was ever shown. */
  readonly named: Named
  /** Monotonic ms of its first sight. */
  readonly since: number
  /** An order of ours that is in doubt may be it. */
  readonly isSuspected: boolean
  /** Monotonic ms, from when it is looked for again. */
  readonly dueAt: number
  /** Decides whose it is, if that can be known by now, or is due to be asked. */
  readonly lookAgain: (name: string, withheld: Withheld, now: number) => void
}

interface Stray {
  /** Null: its name is an order id, and nothing else was told of it. */
  readonly instrumentId: Named["instrumentId"]
  readonly waiting: Array<(working: WorkingOrder) => void>
  /** As far as it was ever shown. */
  shown: VenueOrderState | null
  /** Monotonic ms, from when it has been withheld, with pauses in which it was looked for. */
  since: number | null
  /** Null: it is being looked for. */
  withheld: Omit<Withheld, "since"> | null
}

/** A trade that the stream told first at `at` (monotonic ms). */
export interface ToldTrade {
  readonly fill: VenueFill
  readonly at: number
}

/** Views come in any order: of two the one that tells an end, else the one that names more, else the later. */
const further = (before: VenueOrderState | null, state: VenueOrderState): VenueOrderState => {
  if (before === null || isEnd(state)) return state
  if (isEnd(before)) return before
  const [known, told] = [before, state].map((it) => Decimal.fromVenue(it.executedQuantity) ?? Decimal.ZERO)
  return told!.lessThan(known!) ? before : state
}

export class Strays {
  private isDue = false
  private isWatched = false
  private readonly all = new Map<string, Stray>()
  private withheldCount = 0
  /** Orders of which the venue has said that it does not know them; monotonic ms of the first and the newest time. Of one that is forgotten it says so again. */
  private readonly unknown = new Remembered<{ readonly first: number; readonly newest: number }>()
  private readonly told = new Remembered<ToldTrade>()

  constructor(
    private readonly monotonic: () => number,
    private readonly later: (millis: number, run: () => void) => unknown,
  ) {}

  /** The stream has told it of an order that is not known; its list may have it later. False: it was told before. */
  heard(fill: VenueFill): boolean {
    const key = tradeKey(fill)
    if (this.told.of(key) !== undefined) return false
    this.told.put(key, { fill, at: this.monotonic() })
    return true
  }

  /** Whose it is, is known. */
  explained(fill: VenueFill): void {
    this.told.forget(tradeKey(fill))
  }

  /** What the stream told, and no known order explains. */
  heardTrades(): ReadonlyArray<ToldTrade> {
    return this.told.all
  }

  /** The venue was asked for it, and answered that it knows no such order. */
  sawUnknown(name: string): void {
    const now = this.monotonic()
    this.unknown.put(name, { first: this.unknown.of(name)?.first ?? now, newest: now })
  }

  /**
   * For how long the venue has said so, ms: from its first such answer to its newest, for a question that failed says nothing. 0: it has
   * said so once, or never, or has shown the order since.
   */
  unknownFor(name: string): number {
    const said = this.unknown.of(name)
    return said === undefined ? 0 : said.newest - said.first
  }

  /** Monotonic ms of its first such answer. */
  unknownSince(name: string): number {
    return this.unknown.of(name)?.first ?? this.monotonic()
  }

  /** It is known after all. */
  becameKnown(name: string): void {
    this.unknown.forget(name)
  }

  has(name: string): boolean {
    return this.all.has(name)
  }

  /** False: the order is being looked for already. */
  add(name: string, { instrumentId }: Pick<Named, "instrumentId">, then: (working: WorkingOrder) => void): boolean {
    const known = this.all.get(name)
    if (known === undefined)
      this.all.set(name, { instrumentId, waiting: [then], shown: null, since: null, withheld: null })
    else if (known.waiting.length < WAITING_MAX) known.waiting.push(then)
    return known === undefined
  }

  /** What waited for it, in order. */
  take(name: string): ReadonlyArray<(working: WorkingOrder) => void> {
    const stray = this.all.get(name)
    if (stray !== undefined && stray.withheld !== null) this.withheldCount--
    this.all.delete(name)
    return stray?.waiting ?? []
  }

  get hasWithheld(): boolean {
    return this.withheldCount > 0
  }

  isWithheld(name: string): boolean {
    return (this.all.get(name)?.withheld ?? null) !== null
  }

  withheld(): ReadonlyArray<readonly [name: string, withheld: Withheld]> {
    if (this.withheldCount === 0) return []
    return [...this.all].flatMap(([name, { withheld, since }]) =>
      withheld === null || since === null ? [] : [[name, { ...withheld, since }] as const],
    )
  }

  /** Those that were shown, whether they are withheld or just being looked for; `since`: monotonic ms, as of a withheld one. */
  shownNow(): ReadonlyArray<{ readonly name: string; readonly state: VenueOrderState; readonly since: number }> {
    if (this.all.size === 0) return []
    const now = this.monotonic()
    return [...this.all].flatMap(([name, { shown, since }]) =>
      shown === null ? [] : [{ name, state: shown, since: since ?? now }],
    )
  }

  /** Those of an instrument, as far as each was shown; null: only trades have told of it. */
  of(instrumentId: VenueOrderState["instrumentId"]): ReadonlyArray<VenueOrderState | null> {
    return [...this.all.values()].filter((it) => it.instrumentId === instrumentId).map(({ shown }) => shown)
  }

  /** For how long it has been withheld, ms. */
  ageOf(name: string): number {
    const now = this.monotonic()
    return now - (this.all.get(name)?.since ?? now)
  }

  /** As far as it was shown until now; null: it was not. */
  shown(name: string, state: VenueOrderState | null): VenueOrderState | null {
    const stray = this.all.get(name)
    if (stray === undefined) return state
    if (state !== null) stray.shown = further(stray.shown, state)
    return stray.shown
  }

  withhold(name: string, withheld: Omit<Withheld, "since">): void {
    const stray = this.all.get(name)
    if (stray === undefined) return
    if (stray.withheld === null) this.withheldCount++
    stray.since ??= this.monotonic()
    stray.withheld = withheld
  }

  /** What is withheld is looked at again from time to time. */
  becameWithheld(): void {
    if (this.isWatched) return
    this.isWatched = true
    this.watch()
  }

  /** Less is in doubt of what such an order may be. */
  becameClear(): void {
    if (this.isDue || !this.hasWithheld) return
    this.isDue = true
    this.later(0, () => {
      this.isDue = false
      const now = this.monotonic()
      for (const [name, withheld] of this.withheld()) withheld.lookAgain(name, withheld, now)
    })
  }

  private watch(): void {
    this.later(RECHECK_MILLIS, () => {
      this.becameClear()
      if (this.hasWithheld) this.watch()
      else this.isWatched = false
    })
  }

  /** It is looked for, and stays withheld: of the orders that may be it nothing is proven meanwhile. */
  postpone(name: string): void {
    const stray = this.all.get(name)
    if (stray?.withheld) stray.withheld = { ...stray.withheld, dueAt: Number.POSITIVE_INFINITY }
  }

  /** It is shown again, if `state` is there. Whether it has moved since. */
  see(name: string, named: Named): boolean {
    const stray = this.all.get(name)
    if (!stray?.withheld || named.state === null) return false
    const before = stray.withheld.named.state
    const state = this.shown(name, named.state)
    stray.withheld = { ...stray.withheld, named: { ...named, state } }
    return state?.status !== before?.status || state?.executedQuantity !== before?.executedQuantity
  }

  /** It is looked for again. */
  release(name: string): void {
    const stray = this.all.get(name)
    if (stray === undefined || stray.withheld === null) return
    this.withheldCount--
    stray.withheld = null
  }
}
