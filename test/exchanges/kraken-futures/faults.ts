/** The fault switches of the exchange: those of Binance spot (binance/faults.ts), and the ways in which only this venue's history and feeds go wrong. */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import { type Fault, Faults } from "../binance/faults.ts"
import { SubscribeFaults } from "../subscribe-faults.ts"

export type KrakenFuturesFault =
  | Fault
  /** The history has nothing of what happens while it is on. */
  | { readonly fault: "holdHistory"; readonly on: boolean }
  /** What ended is in the history alone: five seconds have passed. */
  | { readonly fault: "forgetEnded" }
  /** A cancel is answered without the order that it ended. */
  | { readonly fault: "bareCancels"; readonly on: boolean }
  /** The next subscriptions to a feed vanish: no acknowledgement, no events. */
  | { readonly fault: "loseSubscribe"; readonly feed: string; readonly count: number }
  /** The next subscriptions to a feed are refused. */
  | { readonly fault: "refuseSubscribe"; readonly feed: string; readonly count: number }

export const KRAKEN_FUTURES_FAULTS: ReadonlyArray<KrakenFuturesFault["fault"]> = [
  "holdHistory",
  "forgetEnded",
  "bareCancels",
  "loseSubscribe",
  "refuseSubscribe",
]

export class KrakenFuturesFaults extends Faults {
  readonly subscribes = new SubscribeFaults<"lose" | "refuse">()
  isHistoryHeld = false
  areCancelsBare = false
  /** Venue ms: what ended by then is not in `orders/status` any more. */
  forgottenUntil = 0

  override clear(): void {
    super.clear()
    this.isHistoryHeld = false
    this.areCancelsBare = false
    this.subscribes.clear()
  }
}

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets extends CommonTargets {
  readonly faults: KrakenFuturesFaults
  readonly now: () => number
}

/** Throws one switch, given as data by a test or by the control endpoint. */
export const applyFault = (fault: KrakenFuturesFault, targets: FaultTargets): void => {
  const { faults } = targets
  switch (fault.fault) {
    case "holdHistory":
      faults.isHistoryHeld = fault.on
      break
    case "forgetEnded":
      faults.forgottenUntil = targets.now()
      break
    case "bareCancels":
      faults.areCancelsBare = fault.on
      break
    case "loseSubscribe":
      faults.subscribes.onNext(fault.feed, "lose", fault.count)
      break
    case "refuseSubscribe":
      faults.subscribes.onNext(fault.feed, "refuse", fault.count)
      break
    default:
      applyCommon(fault, targets)
  }
}
