/** What goes wrong in a world, and what operators do to it: drawn one at a time. What is held for a while is let go by itself. */

import type { TradingMode } from "../../../src/domain/account/trading-mode.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import type { SessionReport, VenueOrder } from "../../../src/ports/venue-session.ts"
import type { Tally } from "../tally.ts"
import type { Random } from "../time.ts"
import type { World } from "../world.ts"
import { shownKey, tradeKey } from "./exchange.ts"
import type { SubmitFate } from "./fates.ts"
import type { SimMarkets } from "./market.ts"

const KINDS = [
  "streamDown",
  "streamUp",
  "silent",
  "venueDown",
  "venueUp",
  "crash",
  "dieBefore",
  "dieAfter",
  "refuse",
  "slow",
  "hold",
  "clock",
  "marketDown",
  "marketUp",
  "marketUp",
  "lateFill",
  "overFill",
  "misnamed",
  "pressure",
  "mode",
] as const

const MODES: ReadonlyArray<TradingMode> = ["online", "online", "cancel_only", "post_only", "maintenance"]

/** By then a submit has arrived. */
const ARRIVED_MILLIS = 100
/** The store's reason when it is made to refuse a unit. */
export const REFUSED_UNIT = "simulated refusal"

export class Faults {
  private refusedAt = Number.NEGATIVE_INFINITY
  /** The gateway's clock was more than a minute off. */
  isHourOff = false

  constructor(
    private readonly world: World,
    private readonly market: SimMarkets,
    private readonly random: Random,
    private readonly tally: Tally,
    private readonly note: (what: string) => void,
    private readonly crash: () => void,
    /** Of what the stream loses with an answer: apart, so that it leaves the other draws as they are. */
    private readonly losses: Random,
  ) {}

  disturb(): void {
    const { random, world, market } = this
    const { venue } = world
    const what = random.pick(KINDS)
    this.note(`fault: ${what}`)
    this.tally.add(`fault ${what}`)
    world.troubledAt = world.time.now
    const exchange = random.pick(venue.accounts.length === 0 ? [undefined] : venue.accounts)
    switch (what) {
      case "clock":
        return this.stepClock()
      case "marketDown":
        return market.down()
      case "marketUp":
        return market.up()
      case "lateFill":
        return this.lateFill()
      case "overFill":
        return this.overFill()
      case "silent":
        return this.silence()
      case "misnamed":
        return this.misname()
      case "streamDown":
        return venue.streamDown(random.chance(0.5) ? exchange : undefined)
      case "streamUp":
        return venue.streamUp(random.chance(0.5) ? exchange : undefined)
      case "venueDown":
        venue.isUp = false
        return
      case "venueUp":
        venue.isUp = true
        return
      case "mode":
        world.mode = random.pick(MODES)
        this.tally.add(`mode ${world.mode}`)
        return
      case "pressure":
        return this.pressure()
    }
    if (!world.isRunning) return
    switch (what) {
      case "crash":
        return this.crash()
      case "dieBefore":
        return world.memory.faults.dieNext("beforeCommit")
      case "dieAfter":
        return world.memory.faults.dieNext("afterCommit")
      case "refuse":
        return this.refuseNext()
      case "hold":
        return this.hold()
      default:
        world.memory.faults.delay(random.pick([0, 0, 50, 3_000]))
    }
  }

  /** Everything as it should be, but for what has happened. */
  end(): void {
    const { world } = this
    world.venue.isUp = true
    world.venue.opensDown = false
    world.mode = "online"
    world.pressure = "calm"
    if (this.isHourOff) world.wallAheadMillis = 0
    world.memory.faults.refuse(null)
    if (!world.isRunning) return
    world.memory.faults.delay(0)
    world.memory.faults.release()
  }

  /** The streams are up and tell nothing for a while. */
  isSilent = false

  private silence(): void {
    const { world, random } = this
    this.isSilent = true
    world.time.schedule(
      () => {
        this.isSilent = false
        world.troubledAt = world.time.now
      },
      random.between(2_000, 25_000),
    )
  }

  /** Orders that neither the stream nor, once they are filled, an answer shows, until when. */
  private readonly unheard = new Map<TradeOrderId, number>()

  /** What becomes of a submit in the end: some that would have gone well meet what is worst for an order whose answer is lost. */
  fateOf(order: VenueOrder, drawn: SubmitFate, share: number): SubmitFate {
    const { losses } = this
    const dice = losses.next()
    const unheardMillis = losses.between(15_000, 60_000)
    if (drawn !== "accept" || order.pairedWith !== undefined || order.trigger !== undefined || dice >= 3 * share)
      return drawn
    this.world.troubledAt = this.world.time.now
    if (dice < share) return this.filledUnheard(order, unheardMillis)
    if (order.orderType === "MARKET" || order.timeInForce === "IOC" || order.timeInForce === "FOK") return drawn
    this.tally.add("submit arrivesTooLate")
    return "arrivesTooLate"
  }

  /** It is filled at once, and for a while neither the stream nor the venue's answers show it: only its trades tell. */
  private filledUnheard({ tradeOrderId }: VenueOrder, millis: number): SubmitFate {
    const { world, tally } = this
    tally.add("submit filledUnheard")
    this.note(`the stream tells nothing of ${tradeOrderId}`)
    this.unheard.set(tradeOrderId, world.time.now + millis)
    world.time.schedule(() => {
      const sim = world.venue.find({ tradeOrderId, externalOrderId: null })
      if (sim?.status === "OPEN") world.venue.fill(sim, sim.quantity.subtract(sim.executed))
    }, ARRIVED_MILLIS)
    return "lostAfter"
  }

  /** Whether the stream loses what it would tell. */
  isLost(report: SessionReport): boolean {
    const { world } = this
    if (report._tag !== "OrderSeen" && report._tag !== "Filled") return false
    const key = shownKey(report._tag === "Filled" ? report.fill : report.state)
    if (!this.isUnheardOf(world.venue.orders.get(key)?.tradeOrderId ?? null)) return false
    world.troubledAt = world.time.now
    return true
  }

  isUnheardOf(id: TradeOrderId | null): boolean {
    return id !== null && (this.unheard.get(id) ?? 0) > this.world.time.now
  }

  /** The store takes no commands for a while. */
  private pressure(): void {
    const { world, random } = this
    world.pressure = "full"
    world.time.schedule(
      () => {
        world.pressure = "calm"
      },
      random.between(100, 5_000),
    )
  }

  /** The database answers nothing for seconds, then goes on where it was. */
  private hold(): void {
    const { world, random } = this
    const { memory } = world
    memory.faults.hold()
    world.time.schedule(() => memory.faults.release(), random.pick([500, 2_500, 8_000, 20_000]))
  }

  private stepClock(): void {
    const { world, random } = this
    world.wallAheadMillis = random.pick([0, 0, 300, -300, 5_000, -5_000, 60_000, -60_000])
    if (random.chance(0.15)) world.wallAheadMillis *= 60
    this.isHourOff ||= Math.abs(world.wallAheadMillis) > 60_000
    world.hasSteppedClock = true
  }

  /**
   * The trade was there before the cancel, and its news comes after it. Not of an order that the venue has forgotten: those that forget purge
   * what had no match (COINBASE says so of its cancels, BINANCE of its futures' order queries), and balances asked for after the cancel would
   * have had the trade.
   */
  private lateFill(): void {
    const { world, random } = this
    const { orders, forgotten } = world.venue
    const ended = [...orders.values()].filter(
      (it) =>
        it.status === "CANCELLED" && it.ending === null && world.time.now - it.updatedAt < 10_000 && !forgotten.has(it),
    )
    if (ended.length === 0) return
    const sim = random.pick(ended)
    const rest = sim.quantity.subtract(sim.executed)
    world.venue.oddFill(sim, random.chance(0.3) ? rest : Decimal.min(rest, Decimal.of("0.5")))
  }

  private overFill(): void {
    const { world, random } = this
    const open = world.venue.openOrders().filter(({ trigger }) => trigger?.isTriggered !== false)
    if (open.length === 0) return
    const sim = random.pick(open)
    world.venue.oddFill(sim, sim.quantity.subtract(sim.executed).add(Decimal.of("0.25")))
  }

  /** A trade that was told is told again, under the name of another order of its side. */
  private misname(): void {
    const { world, random } = this
    const { venue } = world
    // One of an earlier life of the actor costs it another: the store says whose it is.
    if (world.refusals > 0) return
    const { accounts, executions } = world.database
    const heard = new Set(
      [...executions.values()].filter((it) => accounts.get(it.tradingAccountId)?.status === "ACTIVE").map(tradeKey),
    )
    const told = [...venue.orders.values()].flatMap(({ account, fills }) =>
      fills
        .filter((it) => heard.has(tradeKey(it)) && it.executedAt >= world.startedAt)
        .map((fill) => ({ account, fill })),
    )
    if (told.length === 0) return
    const { account, fill } = random.pick(told)
    const others = venue
      .ordersOf(account, fill.instrumentId)
      .filter((it) => it.order.orderSide === fill.orderSide && it.externalOrderId !== fill.externalOrderId)
    if (others.length === 0) return
    const { tradeOrderId, externalOrderId } = random.pick(others)
    this.note(`venue tells the trade ${fill.externalTradeId} as one of ${externalOrderId}`)
    venue.tell({ _tag: "Filled", fill: { ...fill, tradeOrderId, externalOrderId } }, account)
  }

  /** The store refuses one unit, now and then: more of them in a minute would rightly park the actor. */
  private refuseNext(): void {
    const { time, memory } = this.world
    if (time.now - this.refusedAt < 30_000) return
    this.refusedAt = time.now
    let isDone = false
    const ofOrders = this.random.chance(0.7)
    memory.faults.refuse(({ rows }) => {
      if (isDone || (ofOrders && !rows.some((row) => row._tag === "Execution"))) return undefined
      isDone = true
      this.world.refusals++
      return REFUSED_UNIT
    })
  }
}
