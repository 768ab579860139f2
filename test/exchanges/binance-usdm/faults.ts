/** The fault switches of the exchange: those of Binance spot (binance/faults.ts), and the ways in which only listen keys and order lists go wrong. */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import type { Fault } from "../binance/faults.ts"

export type UsdmFault =
  | Fault
  /** The listen key of an account ends; its sockets stay open and silent. `isTold`: they hear of it first. */
  | { readonly fault: "expireListenKey"; readonly apiKey: string; readonly isTold: boolean }
  /** Three days pass: orders that ended without a fill are found no more. */
  | { readonly fault: "forgetCancelled" }

export const USDM_FAULTS: ReadonlyArray<UsdmFault["fault"]> = ["expireListenKey", "forgetCancelled"]

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets extends CommonTargets {
  readonly expireListenKey: (apiKey: string, isTold: boolean) => void
  readonly forgetCancelled: () => void
}

/** Throws one switch, given as data by a test or by the control endpoint. */
export const applyFault = (fault: UsdmFault, targets: FaultTargets): void => {
  if (fault.fault === "expireListenKey") targets.expireListenKey(fault.apiKey, fault.isTold)
  else if (fault.fault === "forgetCancelled") targets.forgetCancelled()
  else applyCommon(fault, targets)
}
