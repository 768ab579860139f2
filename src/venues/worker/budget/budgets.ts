/**
 * The request budgets of one connector, replacing ccxt's throttles, which know no urgency and are not shared: one for the venue's address, and
 * one for each session if the venue counts by account. The venue's own count is read from its responses.
 */
import type { InstrumentId } from "../../../domain/ids.ts"
import { type BudgetLoad, PURPOSES, type Purpose } from "../../../ports/venue-stats.ts"
import type { ExchangeAdapter } from "../../adapters/adapter.ts"
import { adapterOf } from "../../adapters/adapters.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import { type RestAnswer, stopOf } from "../../adapters/stops.ts"
import type { CcxtExchange } from "../exchange/ccxt.ts"
import { Dials } from "../exchange/dials.ts"
import { TooLate, WITHDRAWN } from "../exchange/errors.ts"
import type { Gate } from "../gate.ts"
import { waitsOf } from "../waits.ts"
import { currentWork, leftOf } from "../work.ts"
import { type BudgetLimits, RateBudget, type Taken } from "./rate-budget.ts"

// What the venue lets one account not do for a while: a limit that counts an account's orders holds its orders, and neither its cancels nor
// its questions, nor those of any other account.

/** Requests that venues count together. */
type Kind = "submit" | "cancel" | "question"

const kindOf = (purpose: Purpose): Kind => (purpose === "submit" || purpose === "cancel" ? purpose : "question")

class AccountHolds {
  readonly #until = new Map<Kind, number>()
  readonly #monotonic: () => number

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic
  }

  hold(purpose: Purpose, millis: number): void {
    const kind = kindOf(purpose)
    this.#until.set(kind, Math.max(this.#until.get(kind) ?? 0, this.#monotonic() + millis))
  }

  /**
   * Undefined: it may go at once. Rejects with TooLate at once where it could not within `waitMillis` (null: waits for ever), and once it is
   * withdrawn.
   */
  pass(purpose: Purpose, waitMillis: number | null, withdrawn?: AbortSignal): Promise<void> | undefined {
    const left = (this.#until.get(kindOf(purpose)) ?? 0) - this.#monotonic()
    if (left <= 0) return undefined
    if (waitMillis !== null && left > waitMillis)
      return Promise.reject(
        new TooLate(`the venue accepts no such requests from this account for another ${Math.ceil(left / 1000)} s`),
      )
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, Math.ceil(left)).unref()
      const withdraw = (): void => {
        clearTimeout(timer)
        reject(new TooLate(WITHDRAWN))
      }
      if (withdrawn?.aborted === true) withdraw()
      else withdrawn?.addEventListener("abort", withdraw, { once: true })
    }).then(() =>
      // It may have been held again meanwhile.
      this.pass(purpose, waitMillis === null ? null : waitMillis - left, withdrawn),
    )
  }
}

/** What an account's orders are counted by: all of them, or those of each instrument. */
class OrderBudgets {
  readonly #limits: NonNullable<VenueProfile["orderLimits"]>
  readonly #limitedMillis: number
  /** By limit, and by instrument where it counts those. */
  readonly #budgets: ReadonlyArray<Map<string, RateBudget>>

  constructor(limits: NonNullable<VenueProfile["orderLimits"]>, limitedMillis: number) {
    this.#limits = limits
    this.#limitedMillis = limitedMillis
    this.#budgets = limits.map(() => new Map())
  }

  /** Each when its turn has come: one that is looked up and waited for elsewhere may have been forgotten by then, and another be in its place. */
  *of(instrumentId: string): Generator<RateBudget> {
    for (const [index, { most, withinMillis, of }] of this.#limits.entries()) {
      const budgets = this.#budgets[index]!
      const key = of === "ACCOUNT" ? "" : instrumentId
      const known = budgets.get(key)
      if (known === undefined) {
        // Nothing counts any more of what was done elsewhere a while ago.
        for (const [name, each] of budgets) if (each.isIdle()) budgets.delete(name)
        const made = new RateBudget({ capacity: most, windowMillis: withinMillis, limitedMillis: this.#limitedMillis })
        budgets.set(key, made)
        yield made
      } else yield known
    }
  }

  each(): ReadonlyArray<RateBudget> {
    return this.#budgets.flatMap((it) => [...it.values()])
  }
}

/** What one request takes of the budgets that it counts in, one after the other: all of it, or nothing. */
class Turn {
  readonly #wanted: Iterable<readonly [RateBudget, number]>
  readonly #purpose: Purpose
  readonly #owner: CcxtExchange | null
  readonly #taken: Array<readonly [RateBudget, Taken]> = []
  #isOver = false

  constructor(wanted: Iterable<readonly [RateBudget, number]>, purpose: Purpose, owner: CcxtExchange | null) {
    this.#wanted = wanted
    this.#purpose = purpose
    this.#owner = owner
  }

  /** Rejects with TooLate. `left`: for how long it may wait, in ms; null: for ever. */
  async take(left: () => number | null, withdrawn: AbortSignal | undefined): Promise<void> {
    try {
      for (const [budget, units] of this.#wanted) {
        const taken = await budget.take(units, this.#purpose, left(), { owner: this.#owner, withdrawn })
        if (this.#isOver) budget.giveBack(taken)
        else this.#taken.push([budget, taken])
      }
    } catch (error) {
      this.giveBack()
      throw error
    }
  }

  left(): void {
    for (const [budget] of this.#taken) budget.left(this.#purpose)
  }

  giveBack(): void {
    this.#isOver = true
    for (const [budget, taken] of this.#taken.splice(0)) budget.giveBack(taken)
  }
}

/** ccxt says so where it knows of no window; a minute's worth of requests at once would be a burst that most venues refuse. */
const CCXT_UNKNOWN_WINDOW_MILLIS = 60_000
const SHORT_WINDOW_MILLIS = 1000

/** Endpoints that take no key: whatever has one, the venue counts them by address. */
const isPublic = (api: unknown): boolean => [api].flat().includes("public")

/** Header names are compared without case: ccxt capitalises them. */
const headersOf = (given: unknown): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(typeof given === "object" && given !== null ? given : {}).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]),
  )

/** Of a Retry-After header, in seconds or as a date; null where there is none that can be read. */
export const retryAfterMillis = (value: string | undefined, now: number): number | null => {
  if (value === undefined || value.trim() === "") return null
  const seconds = Number(value)
  const millis = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now
  return Number.isFinite(millis) && millis >= 0 ? millis : null
}

export class Budgets {
  readonly #profile: VenueProfile
  readonly #adapter: ExchangeAdapter
  readonly #notice: (what: string) => void
  readonly #all = new Map<CcxtExchange | null, RateBudget>()
  /** Of accounts whose orders the venue counts apart. */
  readonly #orders = new Map<CcxtExchange, OrderBudgets>()
  readonly #accounts = new Set<CcxtExchange>()
  /** Of requests that are built ahead, until they are released or given up. */
  readonly #gates = new Map<Gate, AccountHolds>()
  readonly dials: Dials
  #share = 1

  constructor(profile: VenueProfile, notice: (what: string) => void = () => undefined) {
    this.#profile = profile
    this.#adapter = adapterOf(profile)
    this.#notice = notice
    this.dials = new Dials(profile, this.#adapter.stops)
  }

  /** Changes the instance in place. `ofAccount`: it has an account's keys. */
  install(exchange: CcxtExchange, ofAccount: boolean): void {
    const isItsOwn = ofAccount && this.#profile.privatePace !== undefined
    const budget = this.#budgetOf(exchange, isItsOwn)
    const addressCost = isItsOwn ? this.#profile.privatePace?.addressCost : undefined
    if (ofAccount) this.#join(exchange)
    const holds = new AccountHolds()
    const owner = ofAccount ? exchange : null
    const ofAddress = (): RateBudget => this.#budgetOf(exchange, false)
    const countedBy = function* (
      units: number,
      orders: Iterable<RateBudget>,
    ): Generator<readonly [RateBudget, number]> {
      yield [budget, units]
      for (const counted of orders) yield [counted, 1]
      if (addressCost !== undefined) yield [ofAddress(), addressCost]
    }
    let isOfAddress = false
    if (isItsOwn) {
      // ccxt calls `throttle` in the same breath, whatever the adapter makes of costs.
      const fetch2 = exchange.fetch2.bind(exchange)
      exchange.fetch2 = (path, api, ...rest) => {
        isOfAddress = isPublic(api)
        return fetch2(path, api, ...rest)
      }
    }
    exchange.throttle = async (cost) => {
      const isPublicOne = isOfAddress
      isOfAddress = false
      const work = currentWork()
      const purpose = work?.purpose ?? "market"
      const left = (): number | null => (work === undefined ? null : leftOf(work))
      const withdrawn = work?.withdrawn
      const held = holds.pass(purpose, left(), withdrawn)
      if (held !== undefined) await held
      // With `number: String` costs are texts.
      const units = Number(cost ?? 1)
      // Of the account's own requests only orders weigh nothing.
      const orders = ofAccount && units === 0 ? this.#ordersOf(exchange, work?.instrumentId) : []
      const gate = work?.gate
      if (gate !== undefined) this.#keep(gate, holds)
      const turn = new Turn(isPublicOne ? [[ofAddress(), units]] : countedBy(units, orders), purpose, owner)
      gate?.whenDropped(() => turn.giveBack())
      await turn.take(left, withdrawn)
      if (gate === undefined) turn.left()
      else gate.whenOpened(() => turn.left())
    }
    const handle = exchange.onRestResponse.bind(exchange)
    exchange.onRestResponse = (status, statusText, url, method, headers, ...rest) => {
      const [body] = rest
      const text = typeof body === "string" ? body : ""
      this.#answered(budget, holds, { status, headers: headersOf(headers), body: text, ofAccount })
      return handle(status, statusText, url, method, headers, ...rest)
    }
  }

  #keep(gate: Gate, holds: AccountHolds): void {
    this.#gates.set(gate, holds)
    const forget = (): void => void this.#gates.delete(gate)
    gate.whenOpened(forget)
    gate.whenDropped(forget)
  }

  /** What has had its turn and waits, signed, has it no more: it is built anew when it is released, and waits as any other. */
  #dropHeld(ofAccount: AccountHolds | null): void {
    for (const [gate, holds] of this.#gates) if (ofAccount === null || ofAccount === holds) gate.drop()
  }

  /** Until it is closed the account counts, and a budget of its own ends with it. */
  #join(exchange: CcxtExchange): void {
    this.#accounts.add(exchange)
    this.#keepRoom()
    const close = exchange.close.bind(exchange)
    exchange.close = () => {
      this.#accounts.delete(exchange)
      this.#keepRoom()
      this.#all.get(exchange)?.close()
      this.#all.delete(exchange)
      for (const budget of this.#orders.get(exchange)?.each() ?? []) budget.close()
      this.#orders.delete(exchange)
      return close()
    }
  }

  #keepRoom(): void {
    this.#all.get(null)?.keepRoom(this.#accounts.size)
  }

  /** So many connectors use the venue from this address. */
  share(of: number): void {
    this.#share = of
    this.#all.get(null)?.share(of)
    this.dials.share(of)
  }

  /** Requests of this kind wait for their turn. */
  isQueueing(purpose: Purpose): boolean {
    return this.#each().some((budget) => budget.isQueueing(purpose))
  }

  /** The fullest of them, and the sums of what was counted. */
  load(): BudgetLoad {
    const loads = this.#each().map((budget) => budget.load())
    const most = (of: (load: BudgetLoad) => number): number => Math.max(0, ...loads.map(of))
    const sum = (of: (load: BudgetLoad) => number): number => loads.reduce((total, load) => total + of(load), 0)
    const byPurpose = (of: (load: BudgetLoad, purpose: Purpose) => number) =>
      Object.fromEntries(PURPOSES.map((purpose) => [purpose, sum((load) => of(load, purpose))])) as BudgetLoad["sent"]
    const fullest = loads.reduce<BudgetLoad | null>((a, b) => (a !== null && a.used >= b.used ? a : b), null)
    return {
      capacity: fullest?.capacity ?? 0,
      used: most((load) => load.used),
      audits: most((load) => load.audits),
      waiting: byPurpose((load, purpose) => load.waiting[purpose]),
      sent: byPurpose((load, purpose) => load.sent[purpose]),
      answers: {
        ok: sum((load) => load.answers.ok),
        limited: sum((load) => load.answers.limited),
        refused: sum((load) => load.answers.refused),
        failed: sum((load) => load.answers.failed),
      },
      pausedMillis: most((load) => load.pausedMillis),
    }
  }

  close(): void {
    for (const budget of this.#each()) budget.close()
  }

  #each(): ReadonlyArray<RateBudget> {
    return [...this.#all.values(), ...[...this.#orders.values()].flatMap((it) => it.each())]
  }

  #ordersOf(exchange: CcxtExchange, instrumentId: InstrumentId | undefined): Iterable<RateBudget> {
    const { orderLimits } = this.#profile
    if (orderLimits === undefined) return []
    const known = this.#orders.get(exchange)
    const budgets = known ?? new OrderBudgets(orderLimits, waitsOf(this.#profile).limitedMillis)
    if (known === undefined) this.#orders.set(exchange, budgets)
    return budgets.of(instrumentId ?? "")
  }

  #budgetOf(exchange: CcxtExchange, isItsOwn: boolean): RateBudget {
    const key = isItsOwn ? exchange : null
    const known = this.#all.get(key)
    if (known !== undefined) return known
    const budget = new RateBudget(this.#limitsOf(exchange, isItsOwn))
    this.#all.set(key, budget)
    if (!isItsOwn) {
      budget.share(this.#share)
      this.#keepRoom()
    }
    return budget
  }

  #limitsOf({ rateLimit, rollingWindowSize }: CcxtExchange, isItsOwn: boolean): BudgetLimits {
    const { privatePace, rollingWindowMillis } = this.#profile
    const { limitedMillis } = waitsOf(this.#profile)
    if (isItsOwn && privatePace !== undefined) {
      const { burst, perSecond, runsOff = false, auditsShare } = privatePace
      const limits = { capacity: burst, windowMillis: (burst / perSecond) * 1000, runsOff, limitedMillis }
      return auditsShare === undefined ? limits : { ...limits, auditsShare }
    }
    const isSaid = rollingWindowMillis !== undefined || this.#adapter.usedShare !== undefined
    const isUnknown = rollingWindowSize === CCXT_UNKNOWN_WINDOW_MILLIS && !isSaid
    const windowMillis = isUnknown || rollingWindowSize === 0 ? SHORT_WINDOW_MILLIS : rollingWindowSize
    return { capacity: windowMillis / rateLimit, windowMillis, limitedMillis }
  }

  #answered(budget: RateBudget, holds: AccountHolds, answer: RestAnswer): void {
    const { status, headers } = answer
    const used = this.#adapter.usedShare?.(headers)
    if (used !== undefined) budget.observe(used)
    const stop = stopOf(answer, this.#adapter.stops)
    const named = retryAfterMillis(headers.get("retry-after"), Date.now())
    const usual = budget.answered(status, named, stop !== undefined)
    if (stop === undefined) return
    const millis = Math.max(1, stop.millis ?? usual)
    const seconds = Math.round(millis / 1000)
    if (stop.scope === "ACCOUNT") {
      const purpose = currentWork()?.purpose ?? "market"
      holds.hold(purpose, millis)
      if (purpose === "submit") this.#dropHeld(holds)
      this.#notice(`the venue answered ${status} to one account: no such requests from it for ${seconds} s`)
      return
    }
    // Whatever the venue counts by, it wants to be left alone.
    for (const each of this.#all.values()) each.pause(millis)
    this.#dropHeld(null)
    if (stop.scope === "BAN") this.dials.pause(millis)
    this.#notice(`the venue answered ${status}: no requests for ${seconds} s`)
  }
}
