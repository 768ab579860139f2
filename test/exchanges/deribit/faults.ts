/** The fault switches of the exchange: those of Binance spot (binance/faults.ts), and the ways in which only this venue's lists and channels go wrong. */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import { type Fault, Faults } from "../binance/faults.ts"
import { SubscribeFaults } from "../subscribe-faults.ts"

export type DeribitFault =
  | Fault
  /** What ended is in the historical lists alone: half an hour has passed. */
  | { readonly fault: "forgetEnded" }
  /** The historical lists have nothing of what happens while it is on. */
  | { readonly fault: "holdHistory"; readonly on: boolean }
  /** The next subscriptions to a channel vanish: no answer, no events. `user.orders` and the like. */
  | { readonly fault: "loseSubscribe"; readonly channel: string; readonly count: number }
  /** The next subscriptions to a channel are left out of the answer. */
  | { readonly fault: "refuseSubscribe"; readonly channel: string; readonly count: number }
  /** Asks every socket whether it is there; one that has not answered the last time is closed. */
  | { readonly fault: "testRequest" }

export const DERIBIT_FAULTS: ReadonlyArray<DeribitFault["fault"]> = [
  "forgetEnded",
  "holdHistory",
  "loseSubscribe",
  "refuseSubscribe",
  "testRequest",
]

export class DeribitFaults extends Faults {
  readonly subscribes = new SubscribeFaults<"lose" | "refuse">()
  /** Venue ms: what ended by then is in no list of what is recent. */
  forgottenUntil = 0
  /** Venue ms: what happened later is in no historical list. */
  heldSince = Number.POSITIVE_INFINITY

  override clear(): void {
    super.clear()
    this.heldSince = Number.POSITIVE_INFINITY
    this.subscribes.clear()
  }
}

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets extends CommonTargets {
  readonly faults: DeribitFaults
  readonly now: () => number
  readonly testRequest: () => void
}

/** Throws one switch, given as data by a test or by the control endpoint. */
export const applyFault = (fault: DeribitFault, targets: FaultTargets): void => {
  const { faults } = targets
  switch (fault.fault) {
    case "forgetEnded":
      faults.forgottenUntil = targets.now()
      break
    case "holdHistory":
      faults.heldSince = fault.on ? targets.now() : Number.POSITIVE_INFINITY
      break
    case "loseSubscribe":
      faults.subscribes.onNext(fault.channel, "lose", fault.count)
      break
    case "refuseSubscribe":
      faults.subscribes.onNext(fault.channel, "refuse", fault.count)
      break
    case "testRequest":
      targets.testRequest()
      break
    default:
      applyCommon(fault, targets)
  }
}
