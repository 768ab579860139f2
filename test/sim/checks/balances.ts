/**
 * A trade that is heard when newer balances are known may be in them or not: fresh ones are asked for soon, not with the next audit of
 * balances, since until then the account may say what it does not have.
 */
import type { Unit } from "../../../src/ports/account-store.ts"
import type { VenueCall } from "../accounts.ts"
import type { Readiness } from "../readiness.ts"
import type { AccountView } from "./view.ts"

/** From such a trade to the question, without other lists before it. */
const SOON_MILLIS = 3_000

export class BalanceChecks {
  /** The newest balances that it was told since it is ready: what they name as their time, and when it was told. */
  private known: { readonly at: number; readonly toldAt: number } | null = null
  /** A trade whose balances are to be asked for, until when. */
  private due: { readonly trade: string; readonly until: number } | null = null

  constructor(
    private readonly view: AccountView,
    private readonly readiness: Readiness,
  ) {}

  processStarted(): void {
    this.beginAgain()
  }

  private beginAgain(): void {
    this.known = null
    this.due = null
  }

  private get now(): number {
    return this.view.world.time.now
  }

  call(call: VenueCall): void {
    switch (call._tag) {
      case "Opened":
      case "Closed":
        return this.beginAgain()
      case "AskedBalances":
        this.safety()
        this.due = null
        return
      case "ToldBalances":
        if (this.readiness.since !== null) this.known = { at: Math.max(call.at, this.known?.at ?? 0), toldAt: this.now }
    }
  }

  /** A unit on its way to the store: what it says is so in the gateway's memory from this moment on. */
  handedOver({ rows }: Unit): void {
    if (this.readiness.since === null) return this.beginAgain()
    // Of contracts no balance is reckoned from trades: the session asks after each, and how late that may be is checked by what is open.
    if (this.view.world.venue.traits.contracts) return
    const { known, now } = this
    // What was told in this very moment may be applied after it.
    if (known === null || known.toldAt === now || this.due !== null) return
    for (const row of rows) {
      if (row._tag !== "Execution" || row.execution.executedAt > known.at) continue
      this.due = { trade: row.execution.externalTradeId, until: now + SOON_MILLIS + this.view.turnMillis }
      return
    }
  }

  safety(): void {
    // A process that has ended asks nothing.
    if (!this.view.world.isRunning) this.due = null
    const { due } = this
    if (due === null || this.now <= due.until) return
    this.due = null
    this.view.say(`balances that may contain ${due.trade} were known, and no fresh ones were asked for in time`)
  }
}
