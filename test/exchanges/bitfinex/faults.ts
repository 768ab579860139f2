/**
 * The fault switches of Bitfinex: those of the Binance exchange (binance/faults.ts; `symbol` is a pair, answers match by `METHOD /path`), and the ways in
 * which only Bitfinex's cancels, lists, logins and maintenance go wrong.
 */
import { applyFault as applyCommon, type FaultTargets as CommonTargets } from "../binance/apply-fault.ts"
import { type Fault, Faults } from "../binance/faults.ts"
import { SubscribeFaults } from "../subscribe-faults.ts"

export type BitfinexFault =
  | Fault
  /** Cancels are acknowledged at once and take effect when it goes off: until then the order works, and may fill. */
  | { readonly fault: "holdCancels"; readonly on: boolean }
  /** The history of orders has nothing of what ends while it is on. */
  | { readonly fault: "holdEnded"; readonly on: boolean }
  /** Requests with keys are refused, and sockets are told when it begins and ends. */
  | { readonly fault: "maintenance"; readonly on: boolean }
  /** The next logins vanish: no acknowledgement, no events. */
  | { readonly fault: "loseLogin"; readonly count: number }
  /** The next logins are refused. */
  | { readonly fault: "refuseLogin"; readonly count: number; readonly code: number; readonly message: string }
  /** The next so many requests with keys meet a nonce that another program has just used. */
  | { readonly fault: "overtakeNonces"; readonly count: number; readonly byMillis: number }

export const BITFINEX_FAULTS: ReadonlyArray<BitfinexFault["fault"]> = [
  "holdCancels",
  "holdEnded",
  "maintenance",
  "loseLogin",
  "refuseLogin",
  "overtakeNonces",
]

/** What becomes of one login. */
export type LoginFault =
  | { readonly kind: "lose" }
  | { readonly kind: "refuse"; readonly code: number; readonly message: string }

const LOGIN = "login"

export class BitfinexFaults extends Faults {
  readonly #logins = new SubscribeFaults<LoginFault>()
  cancelsHeld = false
  isEndedHeld = false
  isInMaintenance = false
  overtaken = { count: 0, byMillis: 0 }

  onLogins(what: LoginFault, count: number): void {
    this.#logins.onNext(LOGIN, what, count)
  }

  takeLogin(): LoginFault | undefined {
    return this.#logins.take(LOGIN)
  }

  override clear(): void {
    super.clear()
    this.cancelsHeld = false
    this.isEndedHeld = false
    this.isInMaintenance = false
    this.overtaken = { count: 0, byMillis: 0 }
    this.#logins.clear()
  }
}

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets extends CommonTargets {
  readonly faults: BitfinexFaults
  readonly releaseCancels: () => void
  /** To every socket. */
  readonly inform: (code: number, text: string) => void
}

/** Throws one switch, given as data by a test or by the control endpoint. */
export const applyFault = (fault: BitfinexFault, targets: FaultTargets): void => {
  const { faults, inform, releaseCancels } = targets
  switch (fault.fault) {
    case "holdCancels":
      faults.cancelsHeld = fault.on
      if (!fault.on) releaseCancels()
      break
    case "holdEnded":
      faults.isEndedHeld = fault.on
      break
    case "maintenance":
      faults.isInMaintenance = fault.on
      if (fault.on) inform(20060, "Websocket server resyncing... please reconnect later")
      else inform(20061, "Websocket server resync complete. please reconnect")
      break
    case "loseLogin":
      faults.onLogins({ kind: "lose" }, fault.count)
      break
    case "refuseLogin":
      faults.onLogins({ kind: "refuse", code: fault.code, message: fault.message }, fault.count)
      break
    case "overtakeNonces":
      faults.overtaken = { count: fault.count, byMillis: fault.byMillis }
      break
    case "clear":
      applyCommon(fault, targets)
      releaseCancels()
      break
    default:
      applyCommon(fault, targets)
  }
}
