/**
 * The fault switches of Gemini: those of the Binance exchange (binance/faults.ts; `symbol` is a market, answers match by `METHOD /path`), and the ways in which
 * only Gemini's cancels and order events go wrong.
 */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import { type Fault, Faults } from "../binance/faults.ts"

export type GeminiFault =
  | Fault
  /** Cancels are answered with an order that still works, and take effect when it goes off: until then it may fill. */
  | { readonly fault: "holdCancels"; readonly on: boolean }
  /** The next connections to the order events are not acknowledged, and hear nothing. */
  | { readonly fault: "loseSubscribe"; readonly count: number }
  /** The next connections to the order events are told an error in place of the acknowledgement. */
  | { readonly fault: "refuseSubscribe"; readonly count: number; readonly reason: string }
  /** The next messages of order events are lost on their way; they have been counted. */
  | { readonly fault: "loseEvents"; readonly count: number }

export const GEMINI_FAULTS: ReadonlyArray<GeminiFault["fault"]> = [
  "holdCancels",
  "loseSubscribe",
  "refuseSubscribe",
  "loseEvents",
]

export class GeminiFaults extends Faults {
  cancelsHeld = false
  subscribesLost = 0
  subscribesRefused = 0
  refusal = ""
  eventsLost = 0

  override clear(): void {
    super.clear()
    this.cancelsHeld = false
    this.subscribesLost = 0
    this.subscribesRefused = 0
    this.eventsLost = 0
  }
}

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets extends CommonTargets {
  readonly faults: GeminiFaults
  readonly releaseCancels: () => void
}

/** Throws one switch, given as data by a test or by the control endpoint. */
export const applyFault = (fault: GeminiFault, targets: FaultTargets): void => {
  const { faults } = targets
  switch (fault.fault) {
    case "holdCancels":
      faults.cancelsHeld = fault.on
      if (!fault.on) targets.releaseCancels()
      break
    case "loseSubscribe":
      faults.subscribesLost += fault.count
      break
    case "refuseSubscribe":
      faults.subscribesRefused += fault.count
      faults.refusal = fault.reason
      break
    case "loseEvents":
      faults.eventsLost += fault.count
      break
    case "clear":
      applyCommon(fault, targets)
      targets.releaseCancels()
      break
    default:
      applyCommon(fault, targets)
  }
}
