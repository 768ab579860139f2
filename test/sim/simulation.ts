/**
 * One seeded life of an account: commands, venue events and faults drawn from the seed, safety checked after every step; then the
 * faults stop and every order must rest where the venue says.
 */

import type { SubmitAnswer } from "../../src/actors/account-messages.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import type { SubmitRequest } from "../../src/domain/submit-request.ts"
import { PLAIN_CAPABILITIES } from "../../src/domain/venue-capabilities.ts"
import type { Publication } from "../../src/ports/channel-port.ts"
import { Checks } from "./checks.ts"
import { Random } from "./time.ts"
import { type AmendFate, BTC_USDT, type CancelFate, kindFates, type StreamFate, type SubmitFate } from "./venue.ts"
import { type Asked, START, World } from "./world.ts"

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
}

interface Sent {
  readonly request: Partial<SubmitRequest>
  asked: Asked<SubmitAnswer>
}

const STEPS = 80
const REST_MILLIS = 600_000

class Simulation {
  readonly random: Random
  readonly world: World
  readonly checks: Checks
  private readonly sent: Array<Sent> = []
  private readonly faultiness: number
  private keys = 0
  private isAtRest = false
  private refusedAt = Number.NEGATIVE_INFINITY
  crashes = 0
  private isRunning = true

  constructor(readonly seed: number) {
    this.random = new Random(seed)
    this.faultiness = this.random.pick([0, 0.05, 0.15, 0.3])
    // Every other venue changes working orders itself.
    this.world = new World({ venue: { capabilities: { ...PLAIN_CAPABILITIES, amend: this.random.chance(0.5) } } })
    this.checks = new Checks(this.world)
  }

  run(): Outcome {
    const { world, random } = this
    this.drawFates()
    this.boot()
    for (let step = 0; step < STEPS && this.checks.violations.length === 0; step++) {
      this.act()
      world.advance(random.pick([1, 5, 20, 100, 400, 1_500, 6_000]))
      if (this.isRunning && world.memory.hasDied()) this.crash()
      if (!this.isRunning && random.chance(0.5)) this.boot()
      this.look()
    }
    this.rest()
    const { database } = world
    return {
      seed: this.seed,
      violations: this.checks.violations,
      orders: database.orders.size,
      executions: database.executions.size,
      crashes: this.crashes,
      events: this.checks.eventCount(),
      published: world.published,
      trace: this.checks.trace(),
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
      query: () => !random.chance(faultiness),
      stream: () => fault<StreamFate>("deliver", ["drop", "twice", "delay"]),
      latencyMillis: () => random.between(1, 80),
      immediate: (quantity) => random.pick([quantity, quantity, Decimal.ONE, Decimal.ZERO]),
    }
  }

  private boot(): void {
    this.isRunning = true
    this.world.venue.opensDown = !this.isAtRest && this.random.chance(this.faultiness / 2)
    this.world.start()
    this.checks.processStarted()
  }

  private crash(): void {
    this.crashes++
    this.isRunning = false
    this.world.crash()
    for (const { asked } of this.sent) asked.answer ??= undefined
  }

  private act(): void {
    const { random, world } = this
    const dice = random.next()
    if (dice < 0.34) this.submit()
    else if (dice < 0.4) this.repeat()
    else if (dice < 0.5) this.cancel()
    else if (dice < 0.56) this.replace()
    else if (dice < 0.57) this.cancelAll()
    else if (dice < 0.72) this.fill()
    else if (dice < 0.75) this.venueCancels()
    else if (dice < 0.79) this.foreign()
    else if (random.chance(this.faultiness * 2)) this.disturb()
    else world.advance(random.between(1, 2_000))
  }

  private submit(): void {
    if (!this.isRunning) return
    const { random } = this
    const type = random.pick(["LIMIT", "LIMIT", "LIMIT", "MARKET"] as const)
    const request: Partial<SubmitRequest> = {
      idempotencyKey: `key-${this.keys++}`,
      orderSide: random.pick(["BUY", "SELL"] as const),
      orderType: type,
      quantity: `${random.between(1, 9)}` as SubmitRequest["quantity"],
      timeInForce: random.pick(["GTC", "GTC", "GTC", "IOC"] as const),
      awaitClosed: random.chance(0.2),
      ...(type === "LIMIT" ? { limitPrice: `${random.between(95, 105)}` as SubmitRequest["quantity"] } : {}),
    }
    this.send(request)
    // Twice in the same instant: the loser waits for the winner's row.
    if (random.chance(0.1)) this.send(request)
  }

  private send(request: Partial<SubmitRequest>): void {
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
    this.world.cancel(this.random.pick(ids.slice(-6)))
  }

  private replace(): void {
    const { random, world } = this
    const open = world.venue.openOrders().flatMap(({ tradeOrderId }) => tradeOrderId ?? [])
    if (!this.isRunning || open.length === 0) return
    const tradeOrderId = random.pick(open)
    const asked = {
      ...(random.chance(0.6) && { quantity: `${random.between(1, 12)}` }),
      ...(random.chance(0.6) && { limitPrice: `${random.between(95, 105)}` }),
    }
    const receivedAt = world.time.now - START
    world.ask((reply) => ({ _tag: "ReplaceOrder", by: { tradeOrderId }, asked, receivedAt, reply }))
  }

  private cancelAll(): void {
    if (!this.isRunning) return
    const receivedAt = this.world.time.now - START
    this.world.ask((reply) => ({ _tag: "CancelAllOrders", instrumentId: null, receivedAt, reply }))
  }

  private fill(): void {
    const { random, world } = this
    const open = world.venue.openOrders()
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
    switch (
      random.pick([
        "streamDown",
        "streamUp",
        "venueDown",
        "venueUp",
        "crash",
        "dieBefore",
        "dieAfter",
        "refuse",
        "slow",
      ])
    ) {
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
    for (const { asked } of this.sent)
      if (asked.answer !== undefined && "ok" in asked.answer) this.checks.answered(asked.answer.ok.order)
    this.checks.safety()
  }

  /** The faults stop; in a bounded time everything must agree with the venue. */
  private rest(): void {
    const { world } = this
    if (this.checks.violations.length > 0) return
    this.isAtRest = true
    world.venue.fates = kindFates()
    world.venue.isUp = true
    world.venue.opensDown = false
    world.memory.faults.refuse(null)
    if (this.isRunning) world.memory.faults.delay(0)
    if (this.isRunning && world.memory.hasDied()) this.crash()
    if (!this.isRunning) this.boot()
    world.venue.streamUp()
    for (let left = REST_MILLIS; left > 0; left -= 60_000) {
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

export const simulate = (seed: number): Outcome => {
  const simulation = new Simulation(seed)
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
    }
  }
}
