/**
 * Alerts about a dealer's hedges, on the dealer's own account: something is open, in doubt or carried, repeated while it lasts. The one thing to
 * know: each kind of trouble of a pair is alerted at once and then after 1, 2, 4 … 60 minutes, however often it comes and goes in between.
 */
import { HEDGE_LAW, HedgeState } from "../../../domain/dealer/hedging/hedging.ts"
import { pauseAfter } from "../../../domain/dealer/shortfall.ts"
import { LeanMap } from "../../../foundation/lean.ts"
import type { DealerCore } from "../core.ts"
import type { HedgeCounts } from "../messages.ts"
import type { HedgeLine, HedgeTrouble } from "./line.ts"

/** States in which people are told; what each is about may last through other states of its line. */
const KINDS = HedgeState.literals.filter((state) => HEDGE_LAW[state].alerts)

export class HedgeAlarms {
  /** By kind and pair: calls off the next one. */
  readonly #planned = new LeanMap<string, () => void>()

  constructor(
    private readonly core: Pick<DealerCore, "self" | "parts" | "dealer">,
    private readonly counts: HedgeCounts,
    private readonly isAsking: (line: HedgeLine) => boolean,
  ) {}

  /** After whatever may have changed the state of a line. */
  check(line: HedgeLine): void {
    for (const kind of KINDS) {
      const trouble = this.#troubleOf(line, kind)
      if (trouble !== null && !this.#planned.has(nameOf(line, kind))) this.#raise(line, kind, trouble, pauseAfter())
    }
    const state = line.state(this.isAsking(line))
    if (state === "FLAT" || state === "ACCUMULATING") for (const kind of KINDS) this.#forget(line, kind)
  }

  /** The outcome of a hedge is said: the next one in doubt is told of at once. */
  resolved(line: HedgeLine): void {
    this.#forget(line, "IN_DOUBT")
    this.#forget(line, "CARRIED")
  }

  /** Some of what was open is closed: what is left is told of at once when it stays. */
  closedSome(line: HedgeLine): void {
    this.#forget(line, "OPEN")
    this.#forget(line, "IN_DOUBT")
  }

  #raise(line: HedgeLine, kind: HedgeState, { message, tradeOrderId }: HedgeTrouble, pause: number): void {
    this.counts.alerts++
    const alert = { code: "HEDGE_OPEN", severity: "CRITICAL", message, tradeOrderId } as const
    this.core.parts.tradingAccounts.post(this.core.dealer.tradingAccountId, { _tag: "RaiseAlert", alert })
    const name = nameOf(line, kind)
    const callOff = this.core.self.later(pause, () => {
      this.#planned.delete(name)
      const still = this.#troubleOf(line, kind)
      // It may be trouble of another kind by now.
      if (still === null) return this.check(line)
      const repeated = { ...still, message: `${still.message}${this.#ageOf(line)}` }
      this.#raise(line, kind, repeated, pauseAfter(pause))
    })
    this.#planned.set(name, callOff)
  }

  #troubleOf(line: HedgeLine, kind: HedgeState): HedgeTrouble | null {
    const { symbol, baseAsset } = line
    if (kind === "OPEN") {
      const state = line.state(this.isAsking(line))
      // Between two attempts of a later round it is HEDGING.
      if (line.rounds === 0 || line.due.isZero() || state === "ACCUMULATING" || line.trouble === null) return null
      const { message, tradeOrderId } = line.trouble
      return { message: `${line.due.negate()} ${baseAsset} is open: ${message}`, tradeOrderId }
    }
    const inDoubt = line.inDoubt().filter(({ isCarried }) => isCarried === (kind === "CARRIED"))
    const [oldest] = inDoubt
    if (oldest === undefined) return null
    const { tradeOrderId } = oldest
    if (kind === "IN_DOUBT") return { message: `the outcome of a hedge of ${symbol} is not known`, tradeOrderId }
    const asked = inDoubt.map((it) => `${it.orderSide} ${it.quantity} ${baseAsset} (${it.tradeOrderId})`).join(", ")
    return {
      message: `the outcome of hedges of ${symbol} is not known and their account can no longer be queried: ${asked}. They are not sent again: state what they executed with dealer/hedge/resolve`,
      tradeOrderId,
    }
  }

  #ageOf(line: HedgeLine): string {
    const now = this.core.parts.clock.now()
    const minutes = Math.max(0, Math.floor((now - (line.since() ?? now)) / 60_000))
    return `, for ${minutes} min now, ${line.exposure.negate()} ${line.baseAsset} in all`
  }

  #forget(line: HedgeLine, kind: HedgeState): void {
    const name = nameOf(line, kind)
    this.#planned.get(name)?.()
    this.#planned.delete(name)
  }
}

const nameOf = ({ symbol }: HedgeLine, kind: HedgeState): string => `${kind} ${symbol}`
