/**
 * One seeded world of a venue that follows the journal (decision 96), MOCK or PAPER as they are: accounts trade with each other and with the
 * venue's market while units wait, are refused, or are the last of their process, with which the venue forgets what the journal does not
 * have. Then the faults stop: what is there must be what is stored, in the same process and in a last one that knows the journal alone.
 */
import { createHash } from "node:crypto"
import type { TradingAccountId, VenueId } from "../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { Unit } from "../../../src/ports/account-store.ts"
import { MOCK } from "../../../src/venues/mock/instruments.ts"
import { accountId, simAccount } from "../accounts.ts"
import type { Outcome } from "../simulation.ts"
import { Tally } from "../tally.ts"
import { Random } from "../time.ts"
import { World, type WorldOptions } from "../world.ts"
import { Client } from "./client.ts"
import { Promises } from "./promises.ts"
import { InProcessVenues, instrumentAt, withTasks } from "./venues.ts"

export interface FollowingOptions extends Pick<WorldOptions, "sessionOf" | "storeOf"> {
  readonly venue?: VenueId
  readonly tells?: boolean
}

const STEPS = 70
const REST_MILLIS = 60_000
/** More refused units in a minute would rightly park the actor. */
const REFUSALS_APART_MILLIS = 30_000
const REFUSED_UNIT = "simulated refusal"
/** Of an order that left although its name was taken: nothing but a row of another program makes it. */
const TAKEN_NAME = "and its key was used"

/** The order that a unit creates. */
const createdBy = ({ rows }: Unit): TradeOrder | undefined =>
  rows.flatMap((row) => (row._tag === "Order" && row.order.orderStatus === "CREATED" ? [row.order] : []))[0]

const ENDINGS = ["store", "store", "die", "die", "dieAfter", "crash", "refuse", "take"] as const

class Following {
  readonly violations: Array<string> = []
  readonly story: Array<string> = []
  readonly tally = new Tally()
  readonly world: World
  crashes = 0
  private readonly random: Random
  private readonly venues: InProcessVenues
  private readonly clients: ReadonlyArray<Client>
  private readonly venue: VenueId
  private publishedRead = 0
  private refusedAt = Number.NEGATIVE_INFINITY
  /** Of the newest process. */
  private refusals = 0
  /** The next unit of the account that creates an order finds its name taken. */
  private taking: TradingAccountId | null = null

  constructor(
    readonly seed: number,
    private readonly options: FollowingOptions,
  ) {
    this.random = new Random(seed)
    const { random } = this
    this.venue = options.venue ?? MOCK
    this.venues = new InProcessVenues(seed)
    const { sessionOf, storeOf } = options
    this.world = new World({
      portOf: (world) => this.venues.begin(world),
      asks: [["60000", "1000"]],
      ...(sessionOf && { sessionOf }),
      ...(storeOf && { storeOf }),
    })
    const { world } = this
    const instrument = instrumentAt(this.venue)
    world.instruments = [instrument]
    world.lastPrice = "60000"
    world.watchUnit = (unit) => this.handedOver(unit)
    world.database.accounts.clear()
    this.clients = [1, 2, 3].slice(0, random.between(2, 3)).map((number) => {
      const id = accountId(number)
      world.insert(
        simAccount({
          tradingAccountId: id,
          venue: this.venue,
          initialBalances: [
            ["BTC", "100"],
            ["USDT", "9000000"],
          ],
        }),
      )
      const takesOff = random.chance(0.3)
      const promises = new Promises(id, world, this.venues, !takesOff, (violation) => this.say(violation))
      return new Client(id, instrument.instrumentId, promises, { ...this, note: (what) => this.note(what) }, takesOff)
    })
  }

  private say(violation: string): void {
    this.violations.push(`${new Date(this.world.time.now).toISOString()} ${violation}`)
    this.note(`VIOLATION ${violation}`)
  }

  private note(what: string): void {
    if (this.options.tells === true) this.story.push(`${new Date(this.world.time.now).toISOString()} ${what}`)
  }

  run(): Outcome {
    const { world, random } = this
    this.boot()
    world.advance(1_000)
    for (let step = 0; step < STEPS && this.violations.length === 0; step++) {
      if (!world.isRunning) this.boot()
      const dice = random.next()
      if (dice < 0.45) this.burst()
      else if (dice < 0.8) random.pick(this.clients).act()
      else if (dice < 0.95) this.venues.rig.tick()
      else this.disturb()
      this.pass(random.pick([0, 1, 20, 300, 2_000]))
      if (random.chance(0.1)) this.pass(6_000)
    }
    this.rest()
    return this.outcome()
  }

  private outcome(): Outcome {
    const { database, published } = this.world
    const hash = createHash("sha256")
    let events = 0
    for (const told of database.events.values())
      for (const { kind, payload } of told) {
        hash.update(`${kind}${payload}`)
        events++
      }
    const types: Record<string, number> = {}
    for (const { order } of database.orders.values()) types[order.orderType] = (types[order.orderType] ?? 0) + 1
    return {
      seed: this.seed,
      violations: this.violations,
      orders: database.orders.size,
      executions: database.executions.size,
      crashes: this.crashes,
      events,
      published,
      trace: hash.digest("hex"),
      story: this.story,
      types,
      drawn: this.tally.all(),
    }
  }

  private pass(millis: number): void {
    this.world.advance(millis)
    if (this.world.isRunning && this.world.memory.hasDied()) this.crash()
    this.look()
  }

  private boot(): void {
    const { world, random, clients } = this
    this.note("process starts")
    this.refusals = 0
    this.taking = null
    world.start()
    for (const { promises } of clients) promises.processStarted()
    this.publishedRead = world.published.length
    world.advance(random.pick([0, 200, 1_000]))
    if (this.crashes === 0) return
    for (const client of clients) for (let left = random.between(0, 2); left > 0; left--) client.again()
  }

  private crash(): void {
    this.look()
    this.note("process ends")
    this.crashes++
    this.world.crash()
  }

  /** Commands while nothing is stored, of one account or of all, and how that ends. */
  private burst(): void {
    const { world, random, clients, tally } = this
    const { faults } = world.memory
    const alone = random.chance(0.5) ? random.pick(clients) : null
    const one = (): Client => alone ?? random.pick(clients)
    this.note("the store waits")
    faults.hold()
    // The names that an account has are read by its first order.
    for (let left = random.between(1, 5); left > 0; left--) {
      const client = one()
      if (random.chance(0.6)) client.submit()
      else client.act()
      if (random.chance(0.3)) this.venues.rig.tick()
      world.advance(random.pick([0, 0, 5, 600, 1_200]))
      this.look()
    }
    const ending = random.pick(ENDINGS)
    this.note(`burst ends: ${ending}`)
    tally.add(`burst: ${ending}`)
    if (ending === "die") faults.dieNext("beforeCommit", () => random.chance(0.6))
    else if (ending === "dieAfter") faults.dieNext("afterCommit", () => random.chance(0.6))
    else if (ending === "refuse") this.refuse(one().id)
    else if (ending === "take") {
      this.take(one().id)
      one().submit()
    } else if (ending === "crash") {
      this.crash()
      return
    }
    if (random.chance(0.15)) world.advance(random.pick([2_500, 8_000]))
    faults.delay(random.pick([0, 0, 0, 40]))
    faults.release()
  }

  /** The next unit of the account, one that creates an order as a rule, is a defect to the store. */
  private refuse(id: TradingAccountId): void {
    const { world, random, tally } = this
    if (world.time.now - this.refusedAt < REFUSALS_APART_MILLIS) return
    this.refusedAt = world.time.now
    const ofOrders = random.chance(0.8)
    let isDone = false
    world.memory.faults.refuse((unit) => {
      if (isDone || unit.accountId !== id || (ofOrders && createdBy(unit) === undefined)) return undefined
      isDone = true
      this.refusals++
      tally.add("unit refused")
      this.note(`refused: ${unit.rows.map((row) => row._tag)}, ${unit.events.map(({ kind }) => kind)}`)
      return REFUSED_UNIT
    })
  }

  private take(id: TradingAccountId): void {
    if (this.world.time.now - this.refusedAt < REFUSALS_APART_MILLIS) return
    this.refusedAt = this.world.time.now
    this.taking = id
  }

  /** Another program has stored an order of the same name a moment before. */
  private handedOver(unit: Unit): void {
    const order = createdBy(unit)
    if (order === undefined || this.taking !== unit.accountId) return
    this.taking = null
    this.refusals++
    this.tally.add("name taken")
    this.note(`the name of ${order.tradeOrderId} is taken`)
    const tradeOrderId = this.world.uuid().replaceAll("-", "") as TradeOrder["tradeOrderId"]
    const older: TradeOrder = { ...order, tradeOrderId, orderStatus: "REJECTED", rejectReason: "simulated", version: 2 }
    this.world.database.orders.set(tradeOrderId, { order: older, acceptedNumber: null })
  }

  private disturb(): void {
    const { world, random, venues, tally } = this
    const what = random.pick(["crash", "slow", "slowReads", "unavailable", "price"] as const)
    tally.add(`fault ${what}`)
    this.note(`fault: ${what}`)
    if (what === "crash") this.crash()
    else if (what === "slow") world.memory.faults.delay(random.pick([0, 50, 1_500]))
    else if (what === "slowReads") world.memory.faults.delayReads(random.pick([0, 50, 1_500]))
    else if (what === "price")
      venues.rig.movePrice(instrumentAt(MOCK).instrumentId, `${random.between(59_995, 60_005)}`)
    else {
      const { rig } = venues
      rig.setUnavailable(true)
      world.time.schedule(() => rig.setUnavailable(false), random.between(100, 8_000))
    }
  }

  private look(): void {
    const { world, clients } = this
    for (const publication of world.published.slice(this.publishedRead))
      clients.find(({ id }) => publication.channel === `tradingAccount:${id}`)?.promises.published(publication)
    this.publishedRead = world.published.length
    for (const { promises } of clients) promises.safety()
    const unexpected = world.defects.filter((it) => !it.includes(REFUSED_UNIT) && !it.includes(TAKEN_NAME))
    for (const defect of unexpected) this.say(`an actor died: ${defect}`)
    if (world.restarts > this.refusals)
      this.say(`actors began anew ${world.restarts} times, and ${this.refusals} units were refused: ${world.defects}`)
  }

  private rest(): void {
    const { world } = this
    if (this.violations.length > 0) return
    this.note("the faults stop")
    if (!world.isRunning) this.boot()
    this.taking = null
    world.memory.faults.refuse(null)
    world.memory.faults.delay(0)
    world.memory.faults.delayReads(0)
    world.memory.faults.release()
    this.venues.rig.setUnavailable(false)
    this.settle()
    for (const { promises } of this.clients) promises.atRest(false)
    if (this.violations.length > 0) return
    this.crash()
    this.boot()
    this.settle()
    for (const { promises } of this.clients) promises.atRest(true)
  }

  /** A process that was about to die does so, and the next one comes to rest. */
  private settle(): void {
    const { world } = this
    for (let round = 0; round < 3; round++) {
      this.pass(REST_MILLIS)
      if (world.isRunning) continue
      this.boot()
      round = 0
    }
  }

  leave(): void {
    this.world.leave()
    this.venues.end(this.world)
    this.world.time.settle()
  }
}

export const simulateFollowing = (seed: number, options: FollowingOptions = {}): Outcome => {
  let world: World | undefined
  return withTasks(
    () => world!.time,
    () => {
      const following = new Following(seed, options)
      world = following.world
      try {
        return following.run()
      } finally {
        following.leave()
      }
    },
  )
}
