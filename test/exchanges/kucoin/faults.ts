/**
 * The fault switches of KuCoin: those of the Binance exchange (binance/faults.ts; `symbol` is a pair, answers match by `METHOD /path`), and the ways in
 * which only KuCoin's streams, cancels and lists go wrong.
 */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import { type Fault, Faults } from "../binance/faults.ts"
import { SubscribeFaults } from "../subscribe-faults.ts"

export type KucoinFault =
  | Fault
  /** Cancels are acknowledged at once and take effect when it goes off: until then the order works, and may fill. */
  | { readonly fault: "holdCancels"; readonly on: boolean }
  /** The list of fills has nothing of what happens while it is on: the stream is ahead of it. */
  | { readonly fault: "holdFills"; readonly on: boolean }
  /** The next subscriptions to a topic vanish: no acknowledgement, no events. */
  | { readonly fault: "loseSubscribe"; readonly topic: string; readonly count: number }
  /** The next subscriptions to a topic are refused. */
  | { readonly fault: "refuseSubscribe"; readonly topic: string; readonly count: number; readonly data: string }

export const KUCOIN_FAULTS: ReadonlyArray<KucoinFault["fault"]> = [
  "holdCancels",
  "holdFills",
  "loseSubscribe",
  "refuseSubscribe",
]

/** What becomes of one subscription. */
export type SubscribeFault = { readonly kind: "lose" } | { readonly kind: "refuse"; readonly data: string }

export class KucoinFaults extends Faults {
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
  readonly faults: KucoinFaults
  readonly releaseCancels: () => void
  readonly holdFills: (isOn: boolean) => void
}

/** Throws one switch, given as data by a test or by the control endpoint. */
export const applyFault = (fault: KucoinFault, targets: FaultTargets): void => {
  const { faults } = targets
  switch (fault.fault) {
    case "holdCancels":
      faults.cancelsHeld = fault.on
      if (!fault.on) targets.releaseCancels()
      break
    case "holdFills":
      targets.holdFills(fault.on)
      break
    case "loseSubscribe":
      faults.subscribes.onNext(fault.topic, { kind: "lose" }, fault.count)
      break
    case "refuseSubscribe":
      faults.subscribes.onNext(fault.topic, { kind: "refuse", data: fault.data }, fault.count)
      break
    case "clear":
      applyCommon(fault, targets)
      targets.releaseCancels()
      targets.holdFills(false)
      break
    default:
      applyCommon(fault, targets)
  }
}
