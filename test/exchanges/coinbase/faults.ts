/**
 * The fault switches of Coinbase: those of the Binance exchange (binance/faults.ts; `symbol` is a product, answers match by `METHOD /path`), and the
 * ways in which only Coinbase's stream and cancels go wrong.
 */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import { type Fault, Faults } from "../binance/faults.ts"
import { SubscribeFaults } from "../subscribe-faults.ts"

export type CoinbaseFault =
  | Fault
  /** Cancels are acknowledged at once and take effect when it goes off: until then the order works, and may fill. */
  | { readonly fault: "holdCancels"; readonly on: boolean }
  /** The next subscriptions to a channel vanish: no acknowledgement, no events. */
  | { readonly fault: "loseSubscribe"; readonly channel: string; readonly count: number }
  /** The next subscriptions to a channel are refused. */
  | { readonly fault: "refuseSubscribe"; readonly channel: string; readonly count: number; readonly message: string }
  /** The next messages of the channel `user` are numbered and never arrive. */
  | { readonly fault: "dropUserMessages"; readonly count: number }

export const COINBASE_FAULTS: ReadonlyArray<CoinbaseFault["fault"]> = [
  "holdCancels",
  "loseSubscribe",
  "refuseSubscribe",
  "dropUserMessages",
]

/** What becomes of one subscription. */
export type SubscribeFault = { readonly kind: "lose" } | { readonly kind: "refuse"; readonly message: string }

export class CoinbaseFaults extends Faults {
  readonly subscribes = new SubscribeFaults<SubscribeFault>()
  cancelsHeld = false
  userMessagesToDrop = 0

  override clear(): void {
    super.clear()
    this.cancelsHeld = false
    this.userMessagesToDrop = 0
    this.subscribes.clear()
  }
}

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets extends CommonTargets {
  readonly faults: CoinbaseFaults
  readonly releaseCancels: () => void
}

/** Throws one switch, given as data by a test or by the control endpoint. */
export const applyFault = (fault: CoinbaseFault, targets: FaultTargets): void => {
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
      faults.subscribes.onNext(fault.channel, { kind: "refuse", message: fault.message }, fault.count)
      break
    case "dropUserMessages":
      faults.userMessagesToDrop += fault.count
      break
    case "clear":
      applyCommon(fault, targets)
      targets.releaseCancels()
      break
    default:
      applyCommon(fault, targets)
  }
}
