/** Throws one switch, given as data by a test or by the control endpoint: OKX's own here, the others as at Binance. */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import type { OkxFault, OkxFaults } from "./faults.ts"

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets extends CommonTargets {
  readonly faults: OkxFaults
  readonly announceUpgrade: () => void
  readonly releaseBooks: () => void
  readonly releaseCancels: () => void
  readonly forgetCancelled: () => void
}

export const applyFault = (fault: OkxFault, targets: FaultTargets): void => {
  const { faults } = targets
  switch (fault.fault) {
    case "holdBooks":
      faults.booksHeld = fault.on
      if (!fault.on) targets.releaseBooks()
      break
    case "holdCancels":
      faults.cancelsHeld = fault.on
      if (!fault.on) targets.releaseCancels()
      break
    case "loseSubscribe":
      faults.subscribes.onNext(fault.channel, { kind: "lose" }, fault.count)
      break
    case "refuseSubscribe":
      faults.subscribes.onNext(fault.channel, { kind: "refuse", code: fault.code, msg: fault.msg }, fault.count)
      break
    case "limitConnections":
      faults.subscribes.onNext(fault.channel, { kind: "limit" }, fault.count)
      break
    case "announceUpgrade":
      targets.announceUpgrade()
      break
    case "forgetCancelled":
      targets.forgetCancelled()
      break
    case "clear":
      applyCommon(fault, targets)
      targets.releaseBooks()
      targets.releaseCancels()
      break
    default:
      applyCommon(fault, targets)
  }
}
