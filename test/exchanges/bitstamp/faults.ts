/**
 * The fault switches of Bitstamp: those of the Binance exchange (binance/faults.ts; `symbol` is a market, answers match by `METHOD /path`), and the ways in
 * which only Bitstamp's cancels and subscriptions go wrong.
 */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import { type Fault, Faults } from "../binance/faults.ts"
import { SubscribeFaults } from "../subscribe-faults.ts"

export type BitstampFault =
  | Fault
  /** Cancels are acknowledged at once and take effect when it goes off: until then the order works, and may fill. */
  | { readonly fault: "holdCancels"; readonly on: boolean }
  /** The next subscriptions to channels that begin so vanish: no acknowledgement, no events. */
  | { readonly fault: "loseSubscribe"; readonly channel: string; readonly count: number }
  /** The next subscriptions to channels that begin so are refused. */
  | {
      readonly fault: "refuseSubscribe"
      readonly channel: string
      readonly count: number
      readonly code: number
      readonly message: string
    }

export const BITSTAMP_FAULTS: ReadonlyArray<BitstampFault["fault"]> = [
  "holdCancels",
  "loseSubscribe",
  "refuseSubscribe",
]

/** What becomes of one subscription. */
export type SubscribeFault =
  | { readonly kind: "lose" }
  | { readonly kind: "refuse"; readonly code: number; readonly message: string }

export class BitstampFaults extends Faults {
  readonly subscribes = new SubscribeFaults<SubscribeFault>()
  cancelsHeld = false

  override clear(): void {
    super.clear()
    this.cancelsHeld = false
    this.subscribes.clear()
  }
}

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets extends CommonTargets {
  readonly faults: BitstampFaults
  readonly releaseCancels: () => void
}

/** Throws one switch, given as data by a test or by the control endpoint. */
export const applyFault = (fault: BitstampFault, targets: FaultTargets): void => {
  const { faults } = targets
  switch (fault.fault) {
    case "holdCancels":
      faults.cancelsHeld = fault.on
      if (!fault.on) targets.releaseCancels()
      break
    case "loseSubscribe":
      faults.subscribes.onNext(fault.channel, { kind: "lose" }, fault.count)
      break
    case "refuseSubscribe":
      faults.subscribes.onNext(fault.channel, { kind: "refuse", code: fault.code, message: fault.message }, fault.count)
      break
    case "clear":
      applyCommon(fault, targets)
      targets.releaseCancels()
      break
    default:
      applyCommon(fault, targets)
  }
}
