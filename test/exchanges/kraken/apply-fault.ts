/** Throws one switch, given as plain values by a test or by the control endpoint: Kraken's own here, the others as at Binance. */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import type { KrakenFault, KrakenFaults } from "./faults.ts"

export interface FaultTargets extends CommonTargets {
  readonly faults: KrakenFaults
  readonly forgetTokens: () => void
}

export const applyFault = (fault: KrakenFault, targets: FaultTargets): void => {
  const { faults } = targets
  switch (fault.fault) {
    case "delayNextBook":
      faults.delayNextBook(fault.symbol, fault.millis)
      break
    case "loseSubscribe":
      faults.subscribes.onNext(fault.channel, { kind: "lose" }, fault.count)
      break
    case "refuseSubscribe":
      faults.subscribes.onNext(fault.channel, { kind: "refuse", text: fault.text }, fault.count)
      break
    case "dropNextPrivate":
      faults.dropNextPrivate(fault.channel, fault.count)
      break
    case "forgetTokens":
      targets.forgetTokens()
      break
    default:
      applyCommon(fault, targets)
  }
}
