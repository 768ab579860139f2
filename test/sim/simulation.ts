/**
 * One seeded life of an account: commands, venue events and faults drawn from the seed, safety checked after every step; then the
 * faults stop and every order must rest where the venue says.
 */

import type { SubmitAnswer } from "../../src/actors/account-messages.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import { ORDER_LIMITS } from "../../src/domain/order-limits.ts"
import { isTerminal } from "../../src/domain/order-status.ts"
import type { SubmitRequest } from "../../src/domain/submit-request.ts"
import { PLAIN_CAPABILITIES, type VenueCapabilities } from "../../src/domain/venue-capabilities.ts"
import type { Publication } from "../../src/ports/channel-port.ts"
import { Checks } from "./checks.ts"
import { SimMarket } from "./market.ts"
import { drawRequest } from "./requests.ts"
import { Random } from "./time.ts"
import {
  type AmendFate,
  BTC_USDT,
  type CancelFate,
  kindFates,
  type StreamFate,
  type SubmitFate,
  simVenue,
} from "./venue.ts"
import { type Asked, START, World, type WorldOptions } from "./world.ts"

export interface Outcome {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  readonly orders: number
  readonly executions: number
  readonly crashes: number
  readonly events: number
  readonly published: ReadonlyArray<Publication>
  /** A digest of everything that was published: two runs of one seed have one. */
  readonly trace: string
  /** What happened, in order; empty unless it was asked for. */
  readonly story: ReadonlyArray<string>
  /** How many orders of each type there were. */
  readonly types: Readonly<Record<string, number>>
}

export interface SimulateOptions {
  readonly tells?: boolean
  /** For tests that break the product. */
  readonly storeOf?: WorldOptions["storeOf"]
}

interface Sent {
  readonly request: Partial<SubmitRequest>
  asked: Asked<SubmitAnswer>
}

const STEPS = 80
const REST_MILLIS = 600_000
const DAY_MILLIS = 86_400_000
/** Refusals that leave open whether there is an order. */
const UNCERTAIN: ReadonlySet<string> = new Set(["OutcomeUnknown", "ShuttingDown"])
const PRICE_MIN = 80
const PRICE_MAX = 120

class Simulation {
  readonly random: Random
  readonly world: World
  readonly checks: Checks
  private readonly sent: Array<Sent> = []
  private readonly faultiness: number
  private keys = 0
  private isAtRest = false
  private isHourOff = false
  private refusedAt = Number.NEGATIVE_INFINITY
  crashes = 0
  private isRunning = true

  /** Of what came later: earlier seeds keep their draws. */
  private readonly rare: Random
  readonly market: SimMarket
  readonly story: Array<string> = []

  constructor(
    readonly seed: number,
    private readonly options: SimulateOptions,
  ) {
    this.random = new Random(seed)
    this.rare = new Random(seed ^ 0x5eed)
    const { random } = this
    this.faultiness = random.pick([0, 0.05, 0.15, 0.3])
    this.world = new World({
      venue: { capabilities: this.drawCapabilities(), feeInQuote: random.chance(0.2) },
      // Some days end while the world lives.
      startAt: random.chance(0.3) ? START + DAY_MILLIS - random.between(5_000, 120_000) : START,
      limits: random.chance(0.2) ? { ...ORDER_LIMITS, openOrders: random.between(4, 12) } : ORDER_LIMITS,
      ...(options.storeOf && { storeOf: options.storeOf }),
    })
    const { venue } = this.world
    if (random.chance(0.3)) venue.baseFee = Decimal.of(random.pick(["0.001", "0.0015"]))
    venue.gatewayNow = () => this.world.wall()
    venue.note = (what) => this.note(`venue ${what}`)
    this.market = new SimMarket(this.world, "100")
    this.market.tellsHistory = () => this.isAtRest || !this.rare.chance(this.faultiness)
    this.checks = new Checks(this.world, this.market, (what) => this.note(what))
  }

  private note(what: string): void {
    if (this.options.tells === true) this.story.push(`${new Date(this.world.time.now).toISOString()} ${what}`)
  }

  /** Every venue is another. */
  private drawCapabilities(): VenueCapabilities {
    const { random } = this
    const carrier = () => random.pick(["NATIVE", "EMULATED"] as const)
    return {
      ...PLAIN_CAPABILITIES,
      amend: random.chance(0.5),
      marketBuyByCost: random.chance(0.5),
      triggers: { stop: carrier(), takeProfit: carrier(), trailing: carrier() },
      oco: new Random(this.seed ^ 0x0c0).chance(0.5) ? "NATIVE" : "EMULATED",
      nativeTimesInForce: random.chance(0.3) ? [...simVenue.timesInForce, "GTD"] : simVenue.timesInForce,
    }
  }

  run(): Outcome {
    const { world, random } = this
    this.drawFates()
    this.boot()
    for (let step = 0; step < STEPS && this.checks.violations.length === 0; step++) {
      if (random.chance(0.6)) this.trade()
      this.act()
      world.advance(random.pick([1, 5, 20, 100, 400, 1_500, 6_000]))
      if (this.isRunning && world.memory.hasDied()) this.crash()
      if (!this.isRunning && random.chance(0.5)) this.boot()
      this.look()
    }
    this.rest()
    const { database } = world
    const types: Record<string, number> = {}
    for (const { order } of database.orders.values()) {
      const name = order.contingencyType === null ? order.orderType : `${order.contingencyType} ${order.orderType}`
      types[name] = (types[name] ?? 0) + 1
    }
    return {
      seed: this.seed,
      violations: this.checks.violations,
      orders: database.orders.size,
      executions: database.executions.size,
      crashes: this.crashes,
      events: this.checks.eventCount(),
      published: world.published,
      trace: this.checks.trace(),
      story: this.story,
      types,
    }
  }

  private drawFates(): void {
    const { random, faultiness } = this
    const fault = <A>(good: A, bad: ReadonlyArray<A>): A => (random.chance(faultiness) ? random.pick(bad) : good)
    this.world.venue.fates = {
      submit: () =>
        fault<SubmitFate>("accept", [
          "refuse",
          "notSent",
          "lostBefore",
          "lostAfter",
          "silentBefore",
          "silentAfter",
          "arrivesLate",
        ]),
      cancel: () => fault<CancelFate>("accept", ["refuse", "lostBefore", "lostAfter", "silentBefore", "silentAfter"]),
      amend: () =>
        fault<AmendFate>("accept", ["refuse", "lostBefore", "lostAfter", "silentBefore", "silentAfter", "arrivesLate"]),
      trigger: () => !this.rare.chance(faultiness),
      query: () => !random.chance(faultiness),
      stream: () => fault<StreamFate>("deliver", ["drop", "twice", "delay"]),
      latencyMillis: () => random.between(1, 80),
      immediate: (quantity) => random.pick([quantity, quantity, Decimal.ONE, Decimal.ZERO]),
    }
  }

  private boot(): void {
    this.isRunning = true
    this.world.venue.opensDown = !this.isAtRest && this.random.chance(this.faultiness / 2)
    this.note("process starts")
    this.world.start()
    this.checks.processStarted()
  }

  private crash(): void {
    this.crashes++
    this.isRunning = false
    this.note("process ends")
    this.world.crash()
    for (const { asked } of this.sent) asked.answer ??= undefined
  }

  private act(): void {
    const { random, world } = this
    const dice = random.next()
    if (dice < 0.34) this.submit()
    else if (dice < 0.4) this.repeat()
    else if (dice < 0.49) this.cancel()
    else if (dice < 0.56) this.replace()
    else if (dice < 0.57) this.cancelAll()
    else if (dice < 0.58) this.deadMan()
    else if (dice < 0.74) this.fill()
    else if (dice < 0.76) this.venueCancels()
    else if (dice < 0.79) this.foreign()
    else if (random.chance(this.faultiness * 2)) this.disturb()
    else world.advance(random.between(1, 2_000))
  }

  /** The market moves; what rests at the venue and is passed may trade. */
  private trade(): void {
    const { random, market, world } = this
    for (let left = random.between(1, 3); left > 0; left--) {
      const to = Math.min(PRICE_MAX, Math.max(PRICE_MIN, Number(market.price.toString()) + random.between(-2, 2)))
      this.note(`market ${to}${market.isUp ? "" : ", unheard"}`)
      market.trade(Decimal.of(`${to}`))
      for (const sim of world.venue.openOrders()) {
        const { limitPrice, orderSide } = sim.order
        if (limitPrice === null || sim.trigger?.isTriggered === false) continue
        const isPassed = orderSide === "BUY" ? to < Number(limitPrice) : to > Number(limitPrice)
        if (isPassed && random.chance(0.5)) world.venue.fill(sim, sim.quantity.subtract(sim.executed))
      }
    }
  }

  private submit(): void {
    if (!this.isRunning) return
    const { random } = this
    const request = {
      ...drawRequest(random, Number(this.market.price.toString()), this.world.wall()),
      idempotencyKey: `key-${this.keys++}`,
    }
    this.send(request)
    // Twice in the same instant: the loser waits for the winner's row.
    if (random.chance(0.1)) this.send(request)
  }

  private send(request: Partial<SubmitRequest>): void {
    this.note(`submit ${JSON.stringify(request)}`)
    this.sent.push({ request, asked: this.world.submit(request) })
  }

  /** A client that had no answer, or did not believe it, asks again with the same key. */
  private repeat(): void {
    if (!this.isRunning || this.sent.length === 0) return
    this.send(this.random.pick(this.sent).request)
  }

  private cancel(): void {
    const ids = this.checks.acknowledged()
    if (!this.isRunning || ids.length === 0) return
    const id = this.random.pick(ids.slice(-8))
    this.note(`cancel ${id}`)
    this.world.cancel(id)
  }

  private replace(): void {
    const { random, world } = this
    const open = [...world.database.orders.values()].filter(({ order }) => !isTerminal(order.orderStatus))
    if (!this.isRunning || open.length === 0) return
    const { tradeOrderId } = random.pick(open).order
    const price = Number(this.market.price.toString())
    const asked = {
      ...(random.chance(0.5) && { quantity: `${random.between(1, 12)}` }),
      ...(random.chance(0.5) && { limitPrice: `${price + random.between(-5, 5)}` }),
      ...(random.chance(0.2) && { stopPrice: `${price + random.between(-5, 5)}` }),
    }
    this.note(`replace ${tradeOrderId} ${JSON.stringify(asked)}`)
    const receivedAt = world.monotonic()
    world.ask((reply) => ({ _tag: "ReplaceOrder", by: { tradeOrderId }, asked, receivedAt, reply }))
  }

  private deadMan(): void {
    if (!this.isRunning) return
    const timeoutMillis = this.random.pick([0, 1_000, 5_000, 20_000])
    this.note(`cancelAllAfter ${timeoutMillis}`)
    this.world.ask((reply) => ({ _tag: "CancelAllAfter", timeoutMillis, reply }))
  }

  private cancelAll(): void {
    if (!this.isRunning) return
    const receivedAt = this.world.monotonic()
    this.note("cancelAll")
    this.world.ask((reply) => ({ _tag: "CancelAllOrders", instrumentId: null, receivedAt, reply }))
  }

  private fill(): void {
    const { random, world } = this
    const open = world.venue.openOrders().filter(({ trigger }) => trigger?.isTriggered !== false)
    if (open.length === 0) return
    const sim = random.pick(open)
    const rest = sim.quantity.subtract(sim.executed)
    const part = random.chance(0.5) ? rest : Decimal.min(rest, Decimal.of(`0.${random.between(1, 9)}`))
    world.venue.fill(sim, part)
  }

  private venueCancels(): void {
    const open = this.world.venue.openOrders()
    if (open.length > 0) this.world.venue.end(this.random.pick(open), "CANCELLED")
  }

  private foreign(): void {
    const { random, world } = this
    world.venue.place(
      {
        instrumentId: BTC_USDT,
        orderSide: random.pick(["BUY", "SELL"] as const),
        orderType: "LIMIT",
        timeInForce: "GTC",
        quantity: `${random.between(1, 5)}`,
        limitPrice: `${random.between(90, 110)}`,
      },
      null,
    )
  }

  private disturb(): void {
    const { random, world } = this
    const { venue } = world
    const what = random.pick([
      "streamDown",
      "streamUp",
      "venueDown",
      "venueUp",
      "crash",
      "dieBefore",
      "dieAfter",
      "refuse",
      "slow",
      "clock",
      "marketDown",
      "marketUp",
      "marketUp",
      "lateFill",
      "overFill",
    ])
    this.note(`fault: ${what}`)
    switch (what) {
      case "clock":
        return this.stepClock()
      case "marketDown":
        return this.market.down()
      case "marketUp":
        return this.market.up()
      case "lateFill":
        return this.lateFill()
      case "overFill":
        return this.overFill()
      case "streamDown":
        return venue.streamDown()
      case "streamUp":
        return venue.streamUp()
      case "venueDown":
        venue.isUp = false
        return
      case "venueUp":
        venue.isUp = true
        return
      case "crash":
        if (this.isRunning) this.crash()
        return
      case "dieBefore":
        if (this.isRunning) world.memory.faults.dieNext("beforeCommit")
        return
      case "dieAfter":
        if (this.isRunning) world.memory.faults.dieNext("afterCommit")
        return
      case "refuse":
        if (this.isRunning) this.refuseNext()
        return
      default:
        if (this.isRunning) world.memory.faults.delay(random.pick([0, 0, 50, 3_000]))
    }
  }

  private stepClock(): void {
    const { world, random } = this
    world.wallAheadMillis = random.pick([0, 0, 300, -300, 5_000, -5_000, 60_000, -60_000])
    if (this.rare.chance(0.15)) world.wallAheadMillis *= 60
    this.isHourOff ||= Math.abs(world.wallAheadMillis) > 60_000
    world.hasSteppedClock = true
  }

  /** The trade was there before the cancel, and its news comes after it. */
  private lateFill(): void {
    const { world, random } = this
    const ended = [...world.venue.orders.values()].filter(
      (it) => it.status === "CANCELLED" && it.ending === null && world.time.now - it.updatedAt < 10_000,
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
      return "simulated"
    })
  }

  private look(): void {
    for (const { asked, request } of this.sent)
      if (asked.answer !== undefined && "ok" in asked.answer)
        this.checks.answered(asked.answer.ok.order, request.idempotencyKey ?? null)
    this.checkRefused()
    this.checks.safety()
  }

  /** A key that was refused each time it came is that of no order. */
  private checkRefused(): void {
    const isRefused = new Map<string, boolean>()
    for (const { asked, request } of this.sent) {
      const key = request.idempotencyKey ?? ""
      const { answer } = asked
      const isSo = answer !== undefined && "error" in answer && !UNCERTAIN.has(answer.error._tag)
      isRefused.set(key, isSo && isRefused.get(key) !== false)
    }
    for (const { order } of this.world.database.orders.values())
      if (order.idempotencyKey !== null && isRefused.get(order.idempotencyKey) === true)
        this.checks.violations.push(`${order.idempotencyKey} was refused, and stored as ${order.tradeOrderId}`)
  }

  /** The faults stop; in a bounded time everything must agree with the venue. */
  private rest(): void {
    const { world } = this
    if (this.checks.violations.length > 0) return
    this.isAtRest = true
    this.note("the faults stop")
    this.market.up()
    world.venue.fates = kindFates()
    world.venue.isUp = true
    world.venue.opensDown = false
    if (this.isHourOff) world.wallAheadMillis = 0
    world.memory.faults.refuse(null)
    if (this.isRunning) world.memory.faults.delay(0)
    if (this.isRunning && world.memory.hasDied()) this.crash()
    if (!this.isRunning) this.boot()
    world.venue.streamUp()
    // Against a deadline of a clock that was an hour ahead nothing is proven for an hour.
    const millis = this.isHourOff ? REST_MILLIS + 3_600_000 : REST_MILLIS
    for (let left = millis; left > 0; left -= 60_000) {
      if (left > millis - 300_000) this.trade()
      world.advance(60_000)
      if (world.memory.hasDied()) {
        this.crash()
        this.boot()
      }
    }
    this.look()
    this.checks.atRest()
  }
}

export const simulate = (seed: number, options: SimulateOptions = {}): Outcome => {
  const simulation = new Simulation(seed, options)
  try {
    return simulation.run()
  } catch (reason) {
    simulation.checks.violations.push(`the world broke: ${reason instanceof Error ? reason.stack : reason}`)
    return {
      seed,
      violations: simulation.checks.violations,
      orders: 0,
      executions: 0,
      crashes: simulation.crashes,
      events: 0,
      published: [],
      trace: "",
      story: simulation.story,
      types: {},
    }
  } finally {
    simulation.world.leave()
  }
}
