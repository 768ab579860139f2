/** Orders that are closed here but may still work at the venue: given up and not listed yet, or listed as open after their end. */
import type { InstrumentId, TradeOrderId } from "../../../domain/ids.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import { LeanMap } from "../../../foundation/lean.ts"
import type { WorkingOrder } from "../working-order.ts"

/** How long the late appearance of an order that was "never placed" is looked for. */
export const WATCH_MILLIS = 86_400_000
/** After it was given up, or after a process began that has it from an older one, the venue is asked for it so long after the last time. */
const LOOKS_MILLIS = [60_000, 240_000]
/** A look that has no answer is made again. */
const LOOK_AGAIN_MILLIS = 60_000
/** More orders that were declared never placed are not looked for at once. */
const LATE_MAX = 20

/** What an order that the venue shows is compared with. */
export type Sent = Pick<
  TradeOrder,
  "instrumentId" | "orderSide" | "orderType" | "baseQuantity" | "limitPrice" | "terms" | "cancelRequested"
>

type Watched = Sent & Pick<TradeOrder, "tradeOrderId" | "externalOrderId">

interface GivenUp {
  readonly until: number
  readonly instrumentId: InstrumentId
  readonly sent: Sent
  /** Monotonic ms; null: an older process sent it. */
  readonly leftAt: number | null
  isNamed: boolean
  /** How often the venue has answered for it, and monotonic ms, from when it is asked again. */
  looks: number
  lookAt: number
}

export class LateOrders {
  /** Those that were declared never placed, oldest first; a late appearance is looked for until then (monotonic ms). */
  private readonly givenUp = new LeanMap<TradeOrderId, GivenUp>()
  /** Those that the venue has shown open since, and when (monotonic ms) it did so last. */
  private readonly shown = new LeanMap<WorkingOrder, number>()

  constructor(private readonly monotonic: () => number) {}

  /** None that was given up may appear any more. */
  get isEmpty(): boolean {
    return this.givenUp.size === 0
  }

  /** It was given up now. */
  watch(order: Watched, leftAt: number | null): void {
    this.watchOn(order, leftAt, WATCH_MILLIS)
  }

  /** An older process gave it up: it is looked for so long from now on. */
  watchOn(order: Watched, leftAt: number | null, millis: number): void {
    const { tradeOrderId, instrumentId, orderSide, orderType, baseQuantity, limitPrice, terms, cancelRequested } = order
    const sent = { instrumentId, orderSide, orderType, baseQuantity, limitPrice, terms, cancelRequested }
    const now = this.monotonic()
    this.givenUp.set(tradeOrderId, {
      until: now + millis,
      instrumentId,
      sent,
      leftAt,
      isNamed: order.externalOrderId !== null,
      looks: 0,
      lookAt: now + LOOKS_MILLIS[0]!,
    })
  }

  /** Those that the venue is to be asked for now, of the newest. Without an answer they are due again. */
  due(): ReadonlyArray<Pick<TradeOrder, "tradeOrderId" | "instrumentId">> {
    const now = this.monotonic()
    const due = this.newest().filter(([, { lookAt }]) => lookAt <= now)
    return due.map(([tradeOrderId, it]) => {
      it.lookAt = now + LOOK_AGAIN_MILLIS
      return { tradeOrderId, instrumentId: it.instrumentId }
    })
  }

  /** The venue has answered. */
  looked(id: TradeOrderId): void {
    const it = this.givenUp.get(id)
    if (it === undefined) return
    it.looks++
    it.lookAt = this.monotonic() + (LOOKS_MILLIS[it.looks] ?? Number.POSITIVE_INFINITY)
  }

  isWatched(id: TradeOrderId): boolean {
    return this.givenUp.has(id)
  }

  /** What the venue calls it is known. */
  named(id: TradeOrderId): void {
    const it = this.givenUp.get(id)
    if (it !== undefined) it.isNamed = true
  }

  /** Of an instrument, those of which it is not known what the venue calls them. */
  unnamedOf(instrumentId: InstrumentId): ReadonlyArray<Pick<GivenUp, "sent" | "leftAt">> {
    return [...this.givenUp.values()].filter((it) => it.instrumentId === instrumentId && !it.isNamed)
  }

  /** What was watched for long enough is not watched any more. */
  sweep(): void {
    const now = this.monotonic()
    for (const [id, { until }] of this.givenUp) if (until < now) this.givenUp.delete(id)
  }

  /** Of those that were given up. */
  newest() {
    return [...this.givenUp].slice(-LATE_MAX)
  }

  /** The venue shows it open. */
  appeared(working: WorkingOrder): void {
    this.shown.set(working, this.monotonic())
  }

  /** The venue has ended it, or a list without it is no older than the sight of it. */
  gone(working: WorkingOrder): void {
    this.shown.delete(working)
  }

  /** With when (monotonic ms) it was last shown. */
  get appearances(): Iterable<readonly [WorkingOrder, number]> {
    return this.shown
  }

  get hasAppeared(): boolean {
    return this.shown.size > 0
  }

  isThere(working: WorkingOrder): boolean {
    return this.shown.has(working)
  }
}
