/**
 * The fault switches of Bybit: those of the Binance exchange (binance/faults.ts; `symbol` is a pair, answers match by `METHOD /path`, `WS auth`,
 * `WS trade auth` or `WS order.create` and the other operations of the trade socket), and the ways in which only Bybit's sockets, cancels and
 * lists go wrong.
 */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import { type Fault, Faults } from "../binance/faults.ts"
import { SubscribeFaults } from "../subscribe-faults.ts"

export type BybitFault =
  | Fault
  /** Cancels are acknowledged at once and take effect when it goes off: until then the order works, and may fill. */
  | { readonly fault: "holdCancels"; readonly on: boolean }
  /** The next subscriptions that name a topic vanish: no acknowledgement, no events. */
  | { readonly fault: "loseSubscribe"; readonly topic: string; readonly count: number }
  /** The next subscriptions that name a topic are refused. */
  | { readonly fault: "refuseSubscribe"; readonly topic: string; readonly count: number; readonly retMsg: string }
  /** The trade sockets are cut; the others stay. */
  | { readonly fault: "closeTradeSockets" }
  /** Trade sockets are not taken while it is on. */
  | { readonly fault: "refuseTradeSockets"; readonly on: boolean }
  /** A release of the venue: orders that are over are in the order history alone. */
  | { readonly fault: "release" }
  /** A day passes: the order history no longer has orders that ended without a fill. */
  | { readonly fault: "forgetCancelled" }

export const BYBIT_FAULTS: ReadonlyArray<BybitFault["fault"]> = [
  "holdCancels",
  "loseSubscribe",
  "refuseSubscribe",
  "closeTradeSockets",
  "refuseTradeSockets",
  "release",
  "forgetCancelled",
]

/** What becomes of one subscription. */
export type SubscribeFault = { readonly kind: "lose" } | { readonly kind: "refuse"; readonly retMsg: string }

export class BybitFaults extends Faults {
  readonly subscribes = new SubscribeFaults<SubscribeFault>()
  cancelsHeld = false
  tradeSocketsRefused = false

  override clear(): void {
    super.clear()
    this.cancelsHeld = false
    this.tradeSocketsRefused = false
    this.subscribes.clear()
  }
}

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets extends CommonTargets {
  readonly faults: BybitFaults
  readonly releaseCancels: () => void
  readonly closeTradeSockets: () => void
  readonly release: () => void
  readonly forgetCancelled: () => void
}

/** Throws one switch, given as data by a test or by the control endpoint. */
export const applyFault = (fault: BybitFault, targets: FaultTargets): void => {
  const { faults } = targets
  switch (fault.fault) {
    case "holdCancels":
      faults.cancelsHeld = fault.on
      if (!fault.on) targets.releaseCancels()
      break
    case "loseSubscribe":
      faults.subscribes.onNext(fault.topic, { kind: "lose" }, fault.count)
      break
    case "refuseSubscribe":
      faults.subscribes.onNext(fault.topic, { kind: "refuse", retMsg: fault.retMsg }, fault.count)
      break
    case "closeTradeSockets":
      targets.closeTradeSockets()
      break
    case "refuseTradeSockets":
      faults.tradeSocketsRefused = fault.on
      break
    case "release":
      targets.release()
      break
    case "forgetCancelled":
      targets.forgetCancelled()
      break
    case "clear":
      applyCommon(fault, targets)
      targets.releaseCancels()
      break
    default:
      applyCommon(fault, targets)
  }
}
