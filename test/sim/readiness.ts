/** Since when an account has agreed with its venue and works, in its own memory: by what it hands to the store, to the instant. */
import type { Unit } from "../../src/ports/account-store.ts"
import type { VenueCall } from "./accounts.ts"
import type { AccountView } from "./checks/view.ts"

export class Readiness {
  /** Null: it does not. */
  since: number | null = null

  constructor(private readonly view: AccountView) {}

  processStarted(): void {
    this.since = null
  }

  call({ _tag }: VenueCall): void {
    if (_tag === "Opened" || _tag === "Closed") this.since = null
  }

  handedOver({ rows, events }: Unit): void {
    for (const row of rows) if (row._tag === "Account" && row.account.status !== "ACTIVE") this.since = null
    if (this.view.status() !== "LOCKED" && events.some((it) => it.kind === "TRADING_ACCOUNT.RECONCILED"))
      this.since ??= this.view.world.time.now
  }
}
