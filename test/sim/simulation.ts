/**
 * One seeded world: clients of several accounts, the venue and faults act as the seed says, safety is checked after every step; then the
 * faults stop and every order must rest where its exchange account says.
 */
import { Decimal } from "../../src/domain/decimal.ts"
import type { Venue } from "../../src/domain/instrument/venue.ts"
import { PLAIN_CAPABILITIES, type VenueCapabilities } from "../../src/domain/instrument/venue-capabilities.ts"
import { ORDER_LIMITS } from "../../src/domain/order/rates.ts"
import type { Publication } from "../../src/ports/channel-port.ts"
import type { VenueProfile } from "../../src/venues/adapters/profile.ts"
import { Checks } from "./checks/checks.ts"
import type { Client } from "./client.ts"
import { Lives } from "./lives.ts"
import { semanticsOf } from "./profiles/semantics.ts"
import { scaled } from "./requests.ts"
import { Tally } from "./tally.ts"
import { Random } from "./time.ts"
import { drawTraits } from "./traits.ts"
import { MAIN } from "./venue/exchange.ts"
import { type AmendFate, type CancelFate, kindFates, type StreamFate, type SubmitFate } from "./venue/fates.ts"
import { Faults } from "./venue/faults.ts"
import { liquidate } from "./venue/liquidation.ts"
import { BTC_USDT, listed, simVenue, unitsOf } from "./venue/listing.ts"
import { type SimMarket, SimMarkets } from "./venue/market.ts"
import { START, World, type WorldOptions } from "./world.ts"

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
  /** How often what was drawn. */
  readonly drawn: Readonly<Record<string, number>>
}

export interface SimulateOptions {
  readonly tells?: boolean
  /** Worlds of this venue; absent: every venue is another. */
  readonly profile?: VenueProfile
  /** In place of what a session tells, or of the session: for tests that break what stands between gateway and venue. */
  readonly hears?: WorldOptions["hears"]
  readonly sessionOf?: WorldOptions["sessionOf"]
  /** What the gateway takes the venue for: likewise. */
  readonly taken?: Partial<Venue>
  /** For tests that break the product. */
  readonly storeOf?: WorldOptions["storeOf"]
  readonly backing?: WorldOptions["backing"]
}

const STEPS = 80
const REST_MILLIS = 600_000
/** So long before the end of the rest every exchange account has the account that it is looked at by. */
const SETTLED_MILLIS = 180_000
const ARCHIVED_MILLIS = 60_000
const DAY_MILLIS = 86_400_000
const PRICE_MIN = 80
const PRICE_MAX = 120

/** What its client called an order that it placed at the exchange: nothing, a word, or an id in the form of ours. */
const foreignId = (random: Random): string | null => {
  const number = `${random.between(1, 1_000_000)}`
  return random.pick([null, null, `mine-${number}`, number.padStart(32, "0")])
}

class Simulation {
  readonly random: Random
  readonly world: World
  readonly checks: Checks
  readonly market: SimMarkets
  readonly story: Array<string> = []
  readonly tally = new Tally()
  private readonly lives: Lives
  private readonly faults: Faults
  private readonly faultiness: number
  /** How often an account is connected, disconnected, or loses its credential. */
  private readonly restlessness: number
  private readonly rare: Random
  private isAtRest = false
  crashes = 0

  constructor(
    readonly seed: number,
    private readonly options: SimulateOptions,
  ) {
    this.random = new Random(seed)
    this.rare = new Random(seed ^ 0x5eed)
    const { random } = this
    const note = (what: string): void => this.note(what)
    this.faultiness = random.pick([0, 0.05, 0.15, 0.3])
    this.restlessness = random.pick([0, 0, 0.02, 0.06])
    const needsCredentials = random.chance(0.4)
    const { profile, taken } = options
    const semantics = profile === undefined ? null : semanticsOf(profile, new Random(seed ^ 0x9e0f11e))
    this.world = new World({
      venue: {
        capabilities: this.drawCapabilities(),
        feeInQuote: random.chance(0.2),
        needsCredentials,
        ...semantics?.venue,
      },
      ...(taken && { taken }),
      ...(options.hears && { hears: options.hears }),
      ...(options.sessionOf && { sessionOf: options.sessionOf }),
      // Some days end while the world lives.
      startAt: random.chance(0.3) ? START + DAY_MILLIS - random.between(5_000, 120_000) : START,
      limits: random.chance(0.2) ? { ...ORDER_LIMITS, openOrders: random.between(4, 12) } : ORDER_LIMITS,
      ...(options.storeOf && { storeOf: options.storeOf }),
      ...(options.backing && { backing: options.backing }),
    })
    const { world } = this
    const { venue } = world
    if (random.chance(0.3)) venue.baseFee = Decimal.of(random.pick(["0.001", "0.0015"]))
    // It charges as its profile says.
    if (semantics !== null) venue.baseFee = null
    venue.traits = { ...drawTraits(new Random(seed ^ 0x7a175)), ...semantics?.traits }
    venue.random = new Random(seed ^ 0xc4a9ce)
    venue.gatewayNow = () => world.wall()
    venue.note = (what) => note(`venue ${what}`)
    // Some venues show an order that was filled a while later: until then only its trades tell.
    const shownAfterMillis = random.chance(0.4) ? ARCHIVED_MILLIS : -1
    venue.isKnown = (sim) =>
      sim.status !== "FILLED" ||
      (world.time.now - sim.updatedAt > shownAfterMillis && !this.faults.isUnheardOf(sim.tradeOrderId))
    venue.instruments = [BTC_USDT, ...venue.traits.instruments]
    world.instruments = venue.instruments.map(listed)
    this.market = new SimMarkets(world, venue.instruments)
    this.market.tellsHistory = () => this.isAtRest || !this.rare.chance(this.faultiness)
    this.checks = new Checks(world, this.market, note)
    const { market, tally } = this
    this.lives = new Lives({ world, market, random, tally, note }, needsCredentials)
    if (needsCredentials) world.usableOf = (id) => this.lives.usableOf(id)
    this.faults = new Faults(world, market, random, tally, note, () => this.crash(), new Random(seed ^ 0x1057))
    world.database.accounts.clear()
    const exchanges = random.pick([[MAIN], [MAIN], [MAIN, "sim-2"], [MAIN, "sim-2", "sim-3"]])
    for (const exchange of exchanges) {
      const account = this.lives.newAccount(exchange)
      world.insert(account)
      this.lives.join(this.checks, account)
    }
    tally.add(`worlds of ${exchanges.length} exchange accounts`)
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
      oco: random.pick(["NATIVE", "EMULATED"] as const),
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
      if (world.isRunning && world.memory.hasDied()) this.crash()
      if (!world.isRunning && random.chance(0.5)) this.boot()
      this.look()
    }
    this.rest()
    const { database } = world
    const types: Record<string, number> = {}
    for (const { order } of database.orders.values()) {
      const name = order.contingencyType === null ? order.orderType : `${order.contingencyType} ${order.orderType}`
      types[name] = (types[name] ?? 0) + 1
      if (order.origin === "EXTERNAL") this.tally.add("foreign order imported")
      if (order.rejectReason?.startsWith("NOT_PLACED")) this.tally.add("never placed")
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
      drawn: this.tally.all(),
    }
  }

  private drawFates(): void {
    const { random, faultiness, tally } = this
    const fault = <A extends string>(what: string, good: A, bad: ReadonlyArray<A>): A => {
      if (!random.chance(faultiness)) return good
      const fate = random.pick(bad)
      this.world.troubledAt = this.world.time.now
      tally.add(`${what} ${fate}`)
      return fate
    }
    const { venue } = this.world
    venue.fates = {
      submit: (order) => {
        const drawn = fault<SubmitFate>("submit", "accept", [
          "refuse",
          "notSent",
          "lostBefore",
          "lostAfter",
          "silentBefore",
          "silentAfter",
          "arrivesLate",
          "arrivesTooLate",
        ])
        return this.faults.fateOf(order, drawn, faultiness / 3)
      },
      cancel: () =>
        fault<CancelFate>("cancel", "accept", ["refuse", "lostBefore", "lostAfter", "silentBefore", "silentAfter"]),
      amend: () =>
        fault<AmendFate>("amend", "accept", [
          "refuse",
          "lostBefore",
          "lostAfter",
          "silentBefore",
          "silentAfter",
          "arrivesLate",
        ]),
      trigger: () => !this.rare.chance(faultiness),
      query: () => {
        if (!random.chance(faultiness)) return true
        this.world.troubledAt = this.world.time.now
        return false
      },
      stream: (report) => {
        const fate = this.faults.isSilent ? "drop" : fault<StreamFate>("event", "deliver", ["drop", "twice", "delay"])
        return this.faults.isLost(report) ? "drop" : fate
      },
      latencyMillis: () => random.between(1, 80),
      immediate: (quantity) => random.pick([quantity, quantity, Decimal.ONE, Decimal.ZERO]),
    }
  }

  private boot(): void {
    this.world.venue.opensDown = !this.isAtRest && this.random.chance(this.faultiness / 2)
    this.note("process starts")
    this.world.troubledAt = this.world.time.now
    this.world.start()
    this.checks.processStarted()
    if (this.crashes > 0) this.askAgain()
  }

  /** What was not answered, and more, is asked for again from the process that came after. */
  private askAgain(): void {
    const { world, random } = this
    const { generation } = world
    for (const client of this.lives.clients)
      for (let left = random.between(0, 3); left > 0; left--)
        world.time.schedule(
          () => {
            if (world.generation === generation) client.again()
          },
          random.between(20, 5_000),
        )
  }

  private crash(): void {
    this.crashes++
    this.note("process ends")
    this.world.crash()
  }

  private act(): void {
    const { random, world } = this
    if (random.chance(this.restlessness)) return this.lives.turn(this.checks)
    const dice = random.next()
    if (dice < 0.58 && world.isRunning) {
      const connected = this.lives.connected()
      if (connected.length > 0) this.command(random.pick(connected), dice)
    } else if (dice < 0.74) this.fill()
    else if (dice < 0.76) this.venueCancels()
    else if (dice < 0.79) this.foreign()
    else if (random.chance(this.faultiness * 2)) this.faults.disturb()
    else world.advance(random.between(1, 2_000))
    // Reads come at any time, and a few of them together with what they ask about.
    if (world.isRunning && random.chance(0.15)) random.pick(this.lives.clients).read()
  }

  private command(client: Client, dice: number): void {
    if (dice < 0.32) client.submit()
    else if (dice < 0.4) client.repeat()
    else if (dice < 0.49) client.cancel()
    else if (dice < 0.56) client.replace()
    else if (dice < 0.57) client.cancelAll()
    else client.deadMan()
  }

  /** The market moves; what rests at the venue and is passed may trade. */
  private trade(): void {
    const { random, market, world } = this
    for (let left = random.between(1, 3); left > 0; left--) {
      const traded = this.anyMarket()
      const level = Math.min(PRICE_MAX, Math.max(PRICE_MIN, traded.level + random.between(-2, 2)))
      const to = traded.at(level)
      this.note(`market ${traded.instrumentId} ${to}${market.isUp ? "" : ", unheard"}`)
      market.trade(traded, to)
      for (const sim of world.venue.openOrders()) {
        const { limitPrice, orderSide, instrumentId } = sim.order
        if (instrumentId !== traded.instrumentId || sim.status !== "OPEN") continue
        if (limitPrice === null || sim.trigger?.isTriggered === false) continue
        const limit = Decimal.of(limitPrice)
        const isPassed = orderSide === "BUY" ? to.lessThan(limit) : to.greaterThan(limit)
        if (isPassed && random.chance(0.5)) world.venue.fill(sim, sim.quantity.subtract(sim.executed))
      }
    }
  }

  private anyMarket(): SimMarket {
    const { all } = this.market
    return all.length === 1 ? all[0]! : this.random.pick(all)
  }

  private fill(): void {
    const { random, world } = this
    const open = world.venue.openOrders().filter(({ trigger }) => trigger?.isTriggered !== false)
    if (open.length === 0) return
    const sim = random.pick(open)
    const rest = sim.quantity.subtract(sim.executed)
    const { quantity: unit } = unitsOf(sim.order.instrumentId)
    const part = random.chance(0.5) ? rest : Decimal.min(rest, unit.multiply(Decimal.of(`0.${random.between(1, 9)}`)))
    world.venue.fill(sim, part)
  }

  private venueCancels(): void {
    const { venue } = this.world
    if (venue.traits.contracts && this.rare.chance(0.4)) return liquidate(venue, this.rare, this.tally)
    const open = venue.openOrders()
    if (open.length > 0) venue.end(this.random.pick(open), "CANCELLED")
  }

  private foreign(): void {
    const { random, world, lives } = this
    const { instrumentId, units } = this.anyMarket()
    world.venue.place(
      {
        instrumentId,
        orderSide: random.pick(["BUY", "SELL"] as const),
        orderType: "LIMIT",
        timeInForce: "GTC",
        ...scaled({ quantity: `${random.between(1, 5)}`, limitPrice: `${random.between(90, 110)}` }, units),
      },
      null,
      random.pick(lives.clients).exchange,
      foreignId(this.rare),
    )
  }

  private look(): void {
    for (const client of this.lives.clients) client.look()
    for (const difference of this.options.backing?.differences(this.world.database) ?? []) this.checks.say(difference)
    this.checks.safety()
  }

  /** The faults stop; in a bounded time everything must agree with the venue. */
  private rest(): void {
    const { world } = this
    if (this.checks.violations.length > 0) return
    this.isAtRest = true
    this.note("the faults stop")
    this.market.up()
    world.venue.fates = kindFates()
    this.faults.end()
    if (world.isRunning && world.memory.hasDied()) this.crash()
    if (!world.isRunning) this.boot()
    world.venue.streamUp()
    // Against a deadline of a clock that was an hour ahead nothing is proven for an hour.
    const millis = this.faults.isHourOff ? REST_MILLIS + 3_600_000 : REST_MILLIS
    for (let left = millis; left > 0; left -= 60_000) {
      if (left > millis - 300_000) this.trade()
      if (left >= SETTLED_MILLIS) {
        this.lives.settle(this.checks, left < millis)
        if (left > millis - 300_000) for (const client of this.lives.clients) client.again()
      }
      world.advance(60_000)
      this.look()
      if (world.memory.hasDied()) {
        this.crash()
        this.boot()
      }
    }
    this.checks.atRest()
    for (const event of this.options.backing?.toldOtherwise(this.world.database) ?? []) this.checks.say(event)
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
      drawn: {},
    }
  } finally {
    simulation.world.leave()
  }
}
