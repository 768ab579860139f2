/**
 * One seeded world of hedging: dealers, their linked accounts and books, clients, an admin and faults act as the seed says, and every line is
 * judged after every event; then the faults stop, and every line must come to rest with what its venues executed in truth.
 */
import { hash } from "node:crypto"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { dealerConfigOf } from "../../../src/domain/dealer/config.ts"
import type { Dealer } from "../../../src/domain/dealer/dealer.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type { DealerAccountId, TenantId, TradeOrderId, VenueId } from "../../../src/domain/ids.ts"
import type { VenueEnvironment } from "../../../src/domain/instrument/venue.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import type { Reply } from "../../../src/domain/reply.ts"
import { SYSTEM } from "../../../src/domain/user/act.ts"
import type { DealerAct } from "../../../src/ports/dealer-store.ts"
import type { LedgerRequest } from "../../../src/ports/ledger-port.ts"
import { accountId, START, simAccount, userId } from "../accounts.ts"
import { Tally } from "../tally.ts"
import { Random } from "../time.ts"
import { LineChecks } from "./checks.ts"
import { AlarmChecks, ANEW } from "./checks-alarms.ts"
import { HURRIES, OrderChecks } from "./checks-orders.ts"
import { RestChecks } from "./checks-rest.ts"
import { judgeRisk } from "./checks-risk.ts"
import { Clients } from "./clients.ts"
import { HedgeFates } from "./fates.ts"
import { drawInstruments, environmentOf, gravest, PAIRS, VENUES } from "./listing.ts"
import { truthOf } from "./venue-hedge.ts"
import { isLost } from "./view.ts"
import { HedgingWorld, type HedgingWorldOptions } from "./world.ts"

export interface HedgingOutcome {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  readonly executed: number
  readonly hedges: number
  readonly crashes: number
  readonly alerts: number
  /** A digest of everything that is stored, and of what people were told. */
  readonly trace: string
  readonly story: ReadonlyArray<string>
  /** How often what was drawn, and how often each state was left. */
  readonly drawn: Readonly<Record<string, number>>
}

export interface HedgingOptions extends HedgingWorldOptions {
  readonly tells?: boolean
}

const STEPS = 60
const REST_STEP_MILLIS = 300_000
/** A venue's "too small" is believed for an hour, and the longest pause is five minutes. */
const REST_MILLIS = 8_100_000
/** So long before the end the admin has said what is known of hedges in doubt, and linked what is missing. */
const SETTLED_MILLIS = 1_800_000
/** An actor that dies five times within a minute is parked: that is another story. */
const DEFECT_MILLIS = 30_000

class Simulation {
  readonly random: Random
  readonly world: HedgingWorld
  readonly violations: Array<string> = []
  readonly story: Array<string> = []
  readonly tally = new Tally()
  readonly #lines: LineChecks
  readonly #orders: OrderChecks
  readonly #alarms: AlarmChecks
  readonly #fates: HedgeFates
  readonly #clients: Clients
  readonly #faultiness: number
  readonly #restlessness: number
  #alerts: Array<string> = []
  #accounts = 0
  #isAtRest = false
  #brokeAt = 0
  crashes = 0

  constructor(
    readonly seed: number,
    private readonly options: HedgingOptions,
  ) {
    const random = new Random(seed ^ 0x4ed6e)
    this.random = random
    this.#faultiness = random.pick([0, 0.1, 0.25, 0.5])
    this.#restlessness = random.pick([0, 0.03, 0.1, 0.2])
    const say = (violation: string): void => {
      this.note(`BROKEN: ${violation}`)
      if (this.violations.length < 20) this.violations.push(violation)
    }
    const rare = new Random(seed ^ 0xdead)
    this.world = new HedgingWorld(
      new Random(seed ^ 0xb00c),
      {
        note: (what) => this.note(what),
        refusal: (request) => this.#fates.refusal(request),
        fate: (order) => this.#fates.fateOf(order),
        asked: (account, message) => {
          this.note(
            `dealer hands over ${message.request.orderSide} ${message.request.quantity} ${message.request.instrumentId} @ ${message.request.limitPrice ?? "market"} to ${account.slice(-2)}`,
          )
          this.#orders.handedOver(account, message)
        },
        answered: (account, message, error) => {
          if (error !== null) this.note(`account ${account.slice(-2)} answers ${error._tag}`)
          this.#orders.answered(account, message, error)
        },
        told: (order, before) => this.#orders.told(order, before),
        alert: (account, alert) => {
          const dealer = [...this.world.database.dealers.values()].find((it) => it.tradingAccountId === account)
          if (dealer === undefined) return say(`an alert of another account: ${alert.message}`)
          this.note(`alert of ${dealer.dealerAccountId.slice(-2)}: ${alert.code}: ${alert.message}`)
          this.#alerts.push(`${this.world.time.now} ${alert.message}`)
          this.#alarms.heard(dealer.dealerAccountId, alert)
        },
        posted: (request) => this.#posted(request, say),
        dies: (name) => {
          if (this.#isAtRest || !name.startsWith("hedge.") || !rare.chance(this.#restlessness / 4)) return false
          this.tally.add(`dies at ${name}`)
          this.crashes++
          return true
        },
        breaks: () => {
          if (this.#isAtRest || this.world.time.now - this.#brokeAt < DEFECT_MILLIS) return false
          if (!rare.chance(this.#restlessness / 50)) return false
          this.#brokeAt = this.world.time.now
          this.tally.add("an actor dies")
          this.note("an actor dies of a defect")
          return true
        },
        happened: (causes) => {
          if (HURRIES.some((cause) => causes.has(cause))) this.#orders.touched()
          if (causes.has("QUOTE")) this.#orders.executed()
          this.#lines.look(causes)
        },
      },
      options,
    )
    const { world, tally } = this
    this.#alarms = new AlarmChecks(
      () => world.time.now,
      (dealer) => ANEW.some((cause) => world.causes.has(cause)) || !this.#lines.isAwake(dealer),
      say,
    )
    this.#lines = new LineChecks(world, say, this.#alarms)
    this.#orders = new OrderChecks(world, this.#lines, say)
    this.#fates = new HedgeFates(
      new Random(seed ^ 0xfa7e),
      tally,
      () => world.time.now,
      ({ instrumentId }) => world.books.mid(instrumentId),
    )
    this.#clients = new Clients(world, new Random(seed ^ 0xc11e), tally, (what) => this.note(what))
    this.#fates.faultiness = this.#faultiness
    for (const instrument of drawInstruments(random)) world.list(instrument)
    const dealers = random.pick([1, 1, 2, 3])
    for (let number = 1; number <= dealers; number++) this.#drawDealer(number)
  }

  note(what: string): void {
    if (this.options.tells === true) this.story.push(`${new Date(this.world.time.now).toISOString()} ${what}`)
  }

  #drawDealer(number: number): void {
    const { random, world } = this
    const home = random.pick(["PROD", "PROD", "PROD", "UAT", "SIMULATED", "SIMULATED"] as const)
    const linked = Array.from({ length: random.between(1, 3) }, () => {
      // Links of before accounts were judged when they are linked.
      const strays = random.chance(0.08)
      return this.#connect(random.pick(VENUES.filter((it) => strays || it.environment === home)).venue)
    })
    const id = `0d000000-0000-4000-8000-${`${number}`.padStart(12, "0")}`
    const dealer = {
      dealerAccountId: id as DealerAccountId,
      tenantId: "default" as TenantId,
      version: 1,
      name: `Desk ${number}`,
      status: "ACTIVE",
      baseCurrencies: ["USDT", "BTC"],
      riskThreshold: random.chance(0.5) ? Decimal.of(random.pick(["150", "500", "2000"])) : null,
      linkedAccountIds: linked.map(({ tradingAccountId }) => tradingAccountId),
      config: dealerConfigOf({
        pricing: { allowSimulatedVenues: home !== "PROD" || random.chance(0.3) },
        hedge: {
          slippageBps: random.pick([0, 25, 100]),
          repriceMs: random.pick([100, 500]),
          attemptsMax: random.pick([1, 2, 4]),
          allowMarket: random.chance(0.3),
          nettingWindowMs: random.pick([0, 0, 50, 3_000]),
          retryMs: random.pick([5_000, 20_000, 60_000]),
        },
      }),
      ownerUserId: userId(number),
      tradingAccountId: accountId(0x1000 + number),
      walletId: `0fffffff-0000-4000-8000-${`${number}`.padStart(12, "d")}`,
      createdAt: START,
      updatedAt: START,
    } as unknown as Dealer
    world.database.dealers.set(dealer.dealerAccountId, dealer)
  }

  #connect(venue: VenueId): TradingAccount {
    const account = simAccount({
      tradingAccountId: accountId(++this.#accounts),
      userId: userId(this.#accounts),
      venue,
      externalTradingAccountId: `at ${venue}`,
      status: "ACTIVE",
      createdAt: this.world.time.now,
    })
    this.world.connect(account)
    return account
  }

  run(): HedgingOutcome {
    const { random, world } = this
    this.#boot()
    for (let step = 0; step < STEPS && this.violations.length === 0; step++) {
      if (!world.isRunning && random.chance(0.6)) this.#boot()
      this.#orders.touched()
      world.books.move(this.#restlessness)
      this.#act()
      world.advance(random.chance(0.03) ? 4_000_000 : random.pick([0, 2, 30, 300, 300, 2_500, 20_000, 60_000, 300_000]))
    }
    if (this.violations.length === 0) this.#rest()
    const { database } = world
    for (const [state, count] of this.#lines.left) this.tally.add(`left ${state}`, count)
    const stored = [...database.orders.values()].map((it) => [
      it.tradeOrderId,
      it.version,
      it.orderStatus,
      it.executedQuantity,
    ])
    return {
      seed: this.seed,
      violations: this.violations,
      executed: database.intents.length,
      hedges: database.orders.size,
      crashes: this.crashes,
      alerts: this.#alarms.count,
      trace: hash("sha256", JSON.stringify([stored, database.intents, this.#alerts])),
      story: this.story,
      drawn: this.tally.all(),
    }
  }

  #boot(): void {
    this.world.start()
    this.#clients.resume()
    this.#orders.died()
  }

  #crash(): void {
    this.crashes++
    this.world.crash()
    this.#orders.died()
  }

  #act(): void {
    const { random, world } = this
    if (world.isRunning && random.chance(0.55)) {
      for (let left = random.pick([1, 1, 1, 2, 5]); left > 0; left--)
        this.#clients.ask(this.#anyDealer(), random.pick(PAIRS))
      return
    }
    if (random.chance(this.#restlessness)) {
      if (world.isRunning) this.#crash()
      return
    }
    if (random.chance(0.4 + this.#restlessness)) this.#accountsTurn()
    else if (world.mode !== "online" || random.chance(0.2)) this.#listingTurns()
    else if (world.isRunning) this.#adminActs()
  }

  #anyDealer(): DealerAccountId {
    return this.random.pick([...this.world.database.dealers.keys()])
  }

  #anyAccount(): TradingAccount {
    return this.random.pick([...this.world.database.accounts.values()])
  }

  #accountsTurn(): void {
    const { random, world, tally } = this
    const { tradingAccountId: id, status } = this.#anyAccount()
    const what = random.pick(["down", "up", "up", "up", "up", "broke", "revoke", "disconnect", "force"] as const)
    if (what !== "up" && random.chance(0.5) && this.#restlessness === 0) return
    const { linked } = world
    tally.add(`account ${what}`)
    world.act("ACCOUNT", () => {
      if (what === "down") linked.down(id)
      else if (what === "up") for (const account of world.database.accounts.keys()) linked.up(account)
      else if (what === "broke" && status === "ACTIVE") {
        this.note(`account ${id.slice(-2)} has no funds for a while`)
        this.#fates.broke.set(id, world.time.now + random.pick([5_000, 300_000, 3_600_000]))
      } else if (what === "revoke") linked.revoke(id)
      else linked.disconnect(id, what === "force")
    })
  }

  #listingTurns(): void {
    const { random, world, tally } = this
    if (world.mode !== "online" || random.chance(0.2)) {
      world.mode = world.mode === "online" ? "maintenance" : "online"
      tally.add(`mode ${world.mode}`)
      this.note(`mode ${world.mode}`)
      return
    }
    const instrument = random.pick([...world.instruments.values()])
    const status = instrument.status === "ACTIVE" && random.chance(0.5) ? "DELISTED" : "ACTIVE"
    tally.add(`instrument ${status}`)
    this.note(`${instrument.instrumentId} is ${status}`)
    world.list({ ...instrument, status })
  }

  #adminActs(): void {
    const { random } = this
    const dealer = this.#anyDealer()
    const dice = random.next()
    if (dice < 0.45) this.#resolve(dealer, random.chance(0.6))
    else if (dice < 0.75) this.#link(dealer, random.pick(VENUES).venue)
    else if (dice < 0.83) this.#unlink(dealer)
    else this.#setStatus(dealer)
  }

  #reply<A>(what: string, ok: (answer: A) => void = () => undefined): Reply<A, DomainError> {
    return {
      ok: (answer) => {
        this.tally.add(what)
        this.note(what)
        ok(answer)
      },
      fail: ({ _tag }) => {
        this.tally.add(`${what}: ${_tag}`)
        this.note(`${what}: ${_tag}`)
      },
    }
  }

  get #asked(): DealerAct {
    const actId = this.world.uuid()
    return { act: { actId, action: "dealer.resolve_hedge", actor: SYSTEM, object: null }, right: "ADMIN" }
  }

  /** What the admin says of a hedge in doubt: what its venue executed in truth, or something else. */
  #resolve(dealer: DealerAccountId, isRight: boolean): void {
    const inDoubt = this.#lines.reportOf(dealer)?.flatMap((line) => line.inDoubt) ?? []
    const spoken = [...this.world.database.verdicts.keys()].filter((id) => this.#maySpeakOf(id, dealer))
    const ids = [...inDoubt.map(({ tradeOrderId }) => tradeOrderId as TradeOrderId), ...spoken]
    if (ids.length > 0) this.#say(dealer, this.random.pick(ids), isRight)
  }

  #maySpeakOf(id: TradeOrderId, dealer: DealerAccountId): boolean {
    const order = this.world.database.orders.get(id)!
    return order.dealerAccountId === dealer && !isTerminal(order.orderStatus)
  }

  #say(dealer: DealerAccountId, id: TradeOrderId, isRight: boolean): void {
    const { world, random } = this
    const order = world.database.orders.get(id)!
    const truth = truthOf(world.linked.atVenue.get(id)!)
    const wrong = random.pick([order.executedQuantity, order.baseQuantity])
    const executedQuantity = isRight ? Decimal.max(truth.quantity, order.executedQuantity) : wrong
    const averagePrice = executedQuantity.isZero() ? null : Decimal.of("100")
    const what = `admin says ${isRight ? "rightly" : "at random"}`
    this.note(`${what} that ${id.slice(-4)} executed ${executedQuantity}`)
    world.act("NONE", () =>
      world.dealers.post(dealer, {
        _tag: "ResolveHedge",
        tradeOrderId: id,
        executedQuantity,
        averagePrice,
        asked: this.#asked,
        reply: this.#reply(what),
      }),
    )
  }

  #link(dealer: DealerAccountId, venue: VenueId): void {
    const { world } = this
    const { tradingAccountId } = this.#connect(venue)
    world.act("NONE", () =>
      world.dealers.post(dealer, {
        _tag: "LinkAccount",
        tradingAccountId,
        reply: this.#reply(`link ${environmentOf(venue)}`),
      }),
    )
  }

  #unlink(dealer: DealerAccountId): void {
    const { world, random } = this
    const { linkedAccountIds } = world.directory.find(dealer)!
    if (linkedAccountIds.length === 0) return
    const tradingAccountId = random.pick(linkedAccountIds)
    world.act("NONE", () =>
      world.dealers.post(dealer, { _tag: "UnlinkAccount", tradingAccountId, reply: this.#reply("unlink") }),
    )
  }

  #setStatus(dealer: DealerAccountId): void {
    const { world, random } = this
    const status = random.pick(["PAUSED", "ACTIVE", "ACTIVE", "ACTIVE", "ARCHIVED"] as const)
    const reply = this.#reply<Dealer>(`dealer ${status}`, () => {
      if (status === "ARCHIVED") RestChecks.archived(world, dealer, (violation) => this.violations.push(violation))
    })
    world.act("NONE", () => world.dealers.post(dealer, { _tag: "SetDealerStatus", status, reply }))
  }

  #posted(request: LedgerRequest, say: (violation: string) => void): void {
    for (const { tag, row } of request.facts)
      if (tag === "quote_created")
        judgeRisk(this.world, this.#lines, row["quote"] as Readonly<Record<string, unknown>>, say)
  }

  // The end

  /** The faults stop: in a bounded time every line is closed with what its venues executed in truth. */
  #rest(): void {
    const { world } = this
    this.#isAtRest = true
    this.note("the faults stop")
    this.#fates.calm()
    world.mode = "online"
    if (!world.isRunning) this.#boot()
    for (const instrument of world.instruments.values()) world.list({ ...instrument, status: "ACTIVE" })
    for (const hedge of world.linked.atVenue.values()) this.#fates.reveal(hedge)
    world.linked.listenAgain()
    for (let left = REST_MILLIS; left > 0 && this.violations.length === 0; left -= REST_STEP_MILLIS) {
      this.#orders.touched()
      world.books.calm()
      if (left > SETTLED_MILLIS) this.#settle()
      world.advance(REST_STEP_MILLIS)
    }
    if (this.violations.length > 0) return
    new RestChecks(world, this.#lines, (violation) => this.violations.push(violation)).judge()
  }

  /** Accounts come back, an admin says what is known, and links what is missing. */
  #settle(): void {
    const { world } = this
    world.act("ACCOUNT", () => {
      for (const id of world.database.accounts.keys()) world.linked.up(id)
    })
    for (const dealer of world.directory.all()) {
      if (dealer.status === "ARCHIVED") continue
      this.#settleDoubts(dealer.dealerAccountId)
      this.#settleLinks(dealer.dealerAccountId)
    }
  }

  #settleDoubts(dealer: DealerAccountId): void {
    const { database, linked } = this.world
    for (const order of database.hedgesOf(dealer)) {
      if (isTerminal(order.orderStatus) || !isLost(database.accounts.get(order.tradingAccountId)?.status)) continue
      const truth = truthOf(linked.atVenue.get(order.tradeOrderId)!)
      const said = database.verdicts.get(order.tradeOrderId)
      if (said?.executedQuantity.equals(truth.quantity) === true) continue
      this.#say(dealer, order.tradeOrderId, true)
      this.world.advance(1_000)
    }
  }

  /** An account where what is open was priced, or where its dealer says, one line after the other; those of another environment stand in its way. */
  #settleLinks(dealer: DealerAccountId): void {
    const { world } = this
    const { database } = world
    const open = this.#lines.reportOf(dealer)?.filter(({ state }) => state === "OPEN" || state === "HEDGING") ?? []
    if (open.length === 0) return
    const { symbol, openQuoteIds, trouble } = this.random.pick(open)
    const [, asked] = /it needs one that is (\w+)/.exec(trouble ?? "") ?? []
    const intents = database.intentsOf(dealer, symbol)
    const named = intents.filter(({ quoteId }) => openQuoteIds.includes(quoteId))
    const priced = gravest((named.length > 0 ? named : intents.slice(-1)).map(({ venue }) => venue))!
    const wanted = (asked as VenueEnvironment | undefined) ?? priced
    const links = world.directory.find(dealer)!.linkedAccountIds.map((id) => database.accounts.get(id)!)
    const isSpot = ({ venue }: TradingAccount): boolean => venue !== "DERIBIT"
    if (links.some((it) => it.status === "ACTIVE" && environmentOf(it.venue) === wanted && isSpot(it))) return
    const stands = links.filter((it) => it.status !== "DISCONNECTED" && environmentOf(it.venue) !== wanted)
    for (const { tradingAccountId } of stands)
      world.act("ACCOUNT", () => {
        world.linked.disconnect(tradingAccountId, true)
      })
    this.#link(dealer, AT[wanted] as VenueId)
    world.advance(1_000)
  }
}

/** Where an admin opens an account for an environment. */
const AT = { PROD: "BINANCE", UAT: "BINANCE_UAT", SIMULATED: "MOCK" } as const

export const simulateHedging = (seed: number, options: HedgingOptions = {}): HedgingOutcome => {
  const simulation = new Simulation(seed, options)
  try {
    return simulation.run()
  } catch (reason) {
    const violations = [...simulation.violations, `the world broke: ${reason instanceof Error ? reason.stack : reason}`]
    const { story, crashes } = simulation
    return { seed, violations, executed: 0, hedges: 0, crashes, alerts: 0, trace: "", story, drawn: {} }
  } finally {
    simulation.world.leave()
  }
}
