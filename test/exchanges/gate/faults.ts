/**
 * The fault switches of Gate: those of the Binance exchange (binance/faults.ts; `symbol` is a pair, answers match by `METHOD /path`), and the ways in
 * which only Gate's lists and subscriptions go wrong.
 */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import { type Fault, Faults } from "../binance/faults.ts"
import { SubscribeFaults } from "../subscribe-faults.ts"

export type GateFault =
  | Fault
  /** The list of ended orders has nothing of what ends while it is on. */
  | { readonly fault: "holdEnded"; readonly on: boolean }
  /** The next subscriptions to a channel vanish: no acknowledgement, no events. */
  | { readonly fault: "loseSubscribe"; readonly channel: string; readonly count: number }
  /** The next subscriptions to a channel are refused. */
  | {
      readonly fault: "refuseSubscribe"
      readonly channel: string
      readonly count: number
      readonly code: number
      readonly message: string
    }

export const GATE_FAULTS: ReadonlyArray<GateFault["fault"]> = ["holdEnded", "loseSubscribe", "refuseSubscribe"]

/** What becomes of one subscription. */
export type SubscribeFault =
  | { readonly kind: "lose" }
  | { readonly kind: "refuse"; readonly code: number; readonly message: string }

export class GateFaults extends Faults {
  readonly subscribes = new SubscribeFaults<SubscribeFault>()
  isEndedHeld = false

  override clear(): void {
    super.clear()
    this.isEndedHeld = false
    this.subscribes.clear()
  }
}

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets extends CommonTargets {
  readonly faults: GateFaults
}

/** Throws one switch, given as data by a test or by the control endpoint. */
export const applyFault = (fault: GateFault, targets: FaultTargets): void => {
  const { faults } = targets
  switch (fault.fault) {
    case "holdEnded":
      faults.isEndedHeld = fault.on
      break
    case "loseSubscribe":
      faults.subscribes.onNext(fault.channel, { kind: "lose" }, fault.count)
      break
    case "refuseSubscribe":
      faults.subscribes.onNext(fault.channel, { kind: "refuse", code: fault.code, message: fault.message }, fault.count)
      break
    default:
      applyCommon(fault, targets)
  }
}
