/** What must hold of every hedging line, in every world, after every event. */

import type { HedgeReportRecord } from "../../../src/domain/dealer/hedging/hedge-report.ts"
import { HEDGE_LAW, type HedgeEvent, type HedgeState } from "../../../src/domain/dealer/hedging/hedging.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DealerAccountId } from "../../../src/domain/ids.ts"
import type { AlarmChecks } from "./checks-alarms.ts"
import type { Cause } from "./database.ts"
import { isLost, restOf, signed, viewOf } from "./view.ts"
import type { HedgingWorld } from "./world.ts"

interface Seen {
  readonly state: HedgeState
  /** An incarnation that was built since may be anywhere. */
  readonly isAnew: boolean
}

export class LineChecks {
  readonly #seen = new Map<string, Seen>()
  /** Whose newest incarnation has answered since it was built. */
  readonly #awake = new Set<DealerAccountId>()
  /** By what lines may have moved since their dealer last answered. */
  readonly #causes = new Map<DealerAccountId, Set<Cause>>()
  /** How often each state was left. */
  readonly left = new Map<string, number>()
  #restarts = 0

  constructor(
    private readonly world: HedgingWorld,
    private readonly say: (violation: string) => void,
    private readonly alarms: AlarmChecks,
  ) {}

  stateOf(dealer: DealerAccountId, symbol: string): HedgeState {
    return this.#seen.get(`${dealer} ${symbol}`)?.state ?? "FLAT"
  }

  /** Whether what this dealer knows is what its process has been told. */
  isAwake(dealer: DealerAccountId): boolean {
    return this.#awake.has(dealer) && this.world.dealers.stats().restarts === this.#restarts
  }

  /** After every event. */
  look(causes: ReadonlySet<Cause>): void {
    const { world } = this
    if (!world.isRunning) {
      this.#awake.clear()
      this.#restarts = 0
      return
    }
    if (causes.has("ANY")) this.alarms.processStarted()
    const { restarts } = world.dealers.stats()
    if (restarts !== this.#restarts) {
      this.#restarts = restarts
      this.#awake.clear()
    }
    for (const dealer of world.directory.all()) {
      if (dealer.status === "ARCHIVED") continue
      this.#lookAt(dealer.dealerAccountId, causes)
    }
  }

  #lookAt(id: DealerAccountId, causes: ReadonlySet<Cause>): void {
    const since = this.#causes.get(id) ?? new Set<Cause>()
    for (const cause of causes) since.add(cause)
    if (!this.#awake.has(id)) since.add("ANY")
    this.#causes.set(id, since)
    // Nobody of a line is concerned.
    if ([...since].every((cause) => cause === "NONE")) return
    const report = this.reportOf(id)
    if (report === undefined) {
      this.#awake.delete(id)
      return
    }
    this.#causes.delete(id)
    this.#awake.add(id)
    for (const line of report) {
      this.#judgeState(id, line, since)
      this.alarms.look(id, line, since)
      // Nothing that is stored changes as time passes.
      const isChanged = [...since].some((cause) => cause !== "TIME" && cause !== "NONE")
      if (isChanged && this.world.isSettled(id)) this.#judgeSums(id, line)
    }
  }

  /** Undefined: it is being built. */
  reportOf(id: DealerAccountId): ReadonlyArray<HedgeReportRecord> | undefined {
    const answer: { hedging?: ReadonlyArray<HedgeReportRecord> } = {}
    let isTooLate = false
    const { world } = this
    world.looking(() => {
      world.dealers.post(id, {
        _tag: "ReadDealer",
        reply: {
          ok: ({ hedging }) => {
            if (!isTooLate) answer.hedging = hedging
          },
          fail: () => undefined,
        },
      })
      world.time.settle()
    })
    isTooLate = true
    return answer.hedging
  }

  #judgeState(id: DealerAccountId, { symbol, state }: HedgeReportRecord, causes: ReadonlySet<Cause>): void {
    const name = `${id} ${symbol}`
    const before = this.#seen.get(name)?.state ?? "FLAT"
    this.#seen.set(name, { state, isAnew: causes.has("ANY") })
    if (before === state) return
    this.left.set(before, (this.left.get(before) ?? 0) + 1)
    if (causes.has("ANY")) return
    const { exits } = HEDGE_LAW[before]
    if (![...causes].some((cause) => exits.includes(cause as HedgeEvent)))
      this.say(`${symbol} of ${id.slice(-2)} goes from ${before} to ${state} by ${[...causes].join(", ")}`)
  }

  /** What is owed is what is hedged, at work, carried or open, to the last digit. */
  #judgeSums(id: DealerAccountId, line: HedgeReportRecord): void {
    const { database } = this.world
    const { symbol } = line
    const view = viewOf(database, id, symbol)
    const differs = (what: string, told: unknown, is: unknown): void => {
      if (`${told}` !== `${is}`) this.say(`${symbol} of ${id.slice(-2)}: ${what} is told as ${told} and is ${is}`)
    }
    differs("its position", line.position, view.exposure.negate())
    const carried = view.carried.map((order) => signed(order.orderSide, restOf(order)))
    differs("what is carried", line.carried, sum(carried))
    const atWork = view.open.filter((it) => !view.carried.includes(it) && !database.verdicts.has(it.tradeOrderId))
    differs("open hedges", sorted(line.openHedgeIds), sorted(atWork.map((it) => it.tradeOrderId)))
    const doubts = view.unsettled.filter(
      (it) => it.doubt !== null || isLost(database.accounts.get(it.tradingAccountId)?.status),
    )
    differs(
      "hedges in doubt",
      sorted(line.inDoubt.map((it) => `${it.tradeOrderId} ${it.orderSide} ${it.quantity} ${it.isCarried}`)),
      sorted(doubts.map((it) => `${it.tradeOrderId} ${it.orderSide} ${restOf(it)} ${view.carried.includes(it)}`)),
    )
    const charged = [...view.fees].filter(([, quantity]) => !quantity.isZero())
    differs(
      "fees",
      sorted(line.fees.filter((it) => it.quantity !== "0").map((it) => `${it.asset} ${it.quantity}`)),
      sorted(charged.map(([asset, quantity]) => `${asset} ${quantity}`)),
    )
    if (line.profit !== null && line.exposure !== null) {
      const worth = Decimal.fromVenue(line.exposure)!
      const open = view.exposure.isNegative() ? worth.negate() : worth
      differs("its profit", line.profit, view.paid.subtract(view.cost).subtract(open))
    }
    if (line.state === "FLAT" && !(view.exposure.isZero() && view.unsettled.length === 0))
      this.say(
        `${symbol} of ${id.slice(-2)} is called FLAT with ${view.exposure} open and ${view.unsettled.length} at work`,
      )
    if (line.state === "ACCUMULATING" && view.due.isZero())
      this.say(`${symbol} of ${id.slice(-2)} is called ACCUMULATING with nothing open`)
  }
}

const sorted = (list: ReadonlyArray<string>): string => list.toSorted().join(", ")
const sum = (list: ReadonlyArray<Decimal>): Decimal => list.reduce((a, b) => a.add(b), Decimal.ZERO)
