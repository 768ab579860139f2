/** People are told of what is open, in doubt or carried: at once, again for as long as it lasts, and not more often than every minute. */
import type { AccountAlert } from "../../../src/domain/account/event.ts"
import type { HedgeReportRecord } from "../../../src/domain/dealer/hedging/hedge-report.ts"
import type { DealerAccountId } from "../../../src/domain/ids.ts"
import type { Cause } from "./database.ts"

type Kind = "OPEN" | "IN_DOUBT" | "CARRIED"
const KINDS: ReadonlyArray<readonly [Kind, RegExp]> = [
  ["OPEN", / is open: /],
  ["IN_DOUBT", /^the outcome of a hedge of /],
  ["CARRIED", /^the outcome of hedges of /],
]

const SHORTEST_MILLIS = 60_000
const LONGEST_MILLIS = 3_600_000
/** What begins anew begins at once again. */
export const ANEW: ReadonlyArray<Cause> = ["ANY", "ORDER", "RESOLVED", "ACCOUNT", "DEALER", "QUOTE"]

interface Told {
  at: number
  /** Something happened since that may have ended it. */
  isExcused: boolean
}

export class AlarmChecks {
  /** By dealer, kind and base asset. */
  readonly #told = new Map<string, Told>()
  count = 0

  constructor(
    private readonly now: () => number,
    /** Whether something happens now that may have ended what was told. */
    private readonly isExcused: (dealer: DealerAccountId) => boolean,
    private readonly say: (violation: string) => void,
  ) {}

  heard(dealer: DealerAccountId, { code, message }: AccountAlert): void {
    if (code !== "HEDGE_OPEN") return
    this.count++
    const kind = KINDS.find(([, form]) => form.test(message))?.[0]
    if (kind === undefined) {
      this.say(`an alert of no kind: ${message}`)
      return
    }
    const asset = /^-?[\d.]+ (\S+) is open/.exec(message)?.[1] ?? /of (\w+)\//.exec(message)?.[1]
    const name = `${dealer} ${kind} ${asset}`
    const before = this.#told.get(name)
    if (
      before !== undefined &&
      !before.isExcused &&
      !this.isExcused(dealer) &&
      this.now() - before.at < SHORTEST_MILLIS
    )
      this.say(`${kind} of ${asset} is told again after ${this.now() - before.at} ms`)
    this.#told.set(name, { at: this.now(), isExcused: false })
  }

  /** What was told is not stored: a process tells it anew, of archived dealers as well, which are never looked at. */
  processStarted(): void {
    for (const told of this.#told.values()) told.isExcused = true
  }

  look(dealer: DealerAccountId, { symbol, state }: HedgeReportRecord, causes: ReadonlySet<Cause>): void {
    const [asset] = symbol.split("/")
    for (const [kind] of KINDS) {
      const told = this.#told.get(`${dealer} ${kind} ${asset}`)
      if (told !== undefined && (state === "FLAT" || ANEW.some((cause) => causes.has(cause)))) told.isExcused = true
      if (state !== kind) continue
      if (told === undefined) this.say(`${symbol} of ${dealer.slice(-2)} is ${kind}, and nobody was told`)
      else if (this.now() - told.at > LONGEST_MILLIS)
        this.say(`${symbol} of ${dealer.slice(-2)} is ${kind}, and was last told ${this.now() - told.at} ms ago`)
    }
  }
}
