/**
 * The fault switches of OKX: those of the Binance exchange (binance/faults.ts; `symbol` is an instrument id, answers match by
 * `METHOD /path`, `WS login`, or `WS order` and the other operations of the socket), and the ways in which only OKX's streams and cancels go wrong.
 */
import { type Fault, Faults } from "../binance/faults.ts"
import { SubscribeFaults } from "../subscribe-faults.ts"

export type OkxFault =
  | Fault
  /** Book updates are kept back while it is on, and leave in order when it goes off. */
  | { readonly fault: "holdBooks"; readonly on: boolean }
  /** Cancels are acknowledged at once and take effect when it goes off: until then the order works, and may fill. */
  | { readonly fault: "holdCancels"; readonly on: boolean }
  /** The next subscriptions of a channel vanish: no acknowledgement, no events. */
  | { readonly fault: "loseSubscribe"; readonly channel: string; readonly count: number }
  /** The next subscriptions of a channel are answered by an error that does not name them, e.g. 60014. */
  | {
      readonly fault: "refuseSubscribe"
      readonly channel: string
      readonly count: number
      readonly code: string
      readonly msg: string
    }
  /** The next subscriptions of a channel are acknowledged and then ended: too many connections have it. */
  | { readonly fault: "limitConnections"; readonly channel: string; readonly count: number }
  /** "The connection will soon be closed for a service upgrade", to every socket. */
  | { readonly fault: "announceUpgrade" }
  /** Two hours pass: GET order no longer knows orders that were cancelled without a fill. */
  | { readonly fault: "forgetCancelled" }

export const OKX_FAULTS: ReadonlyArray<OkxFault["fault"]> = [
  "holdBooks",
  "holdCancels",
  "loseSubscribe",
  "refuseSubscribe",
  "limitConnections",
  "announceUpgrade",
  "forgetCancelled",
]

/** What becomes of one subscription. */
export type SubscribeFault =
  | { readonly kind: "lose" }
  | { readonly kind: "refuse"; readonly code: string; readonly msg: string }
  | { readonly kind: "limit" }

export class OkxFaults extends Faults {
  readonly subscribes = new SubscribeFaults<SubscribeFault>()
  booksHeld = false
  cancelsHeld = false

  override clear(): void {
    super.clear()
    this.booksHeld = false
    this.cancelsHeld = false
    this.subscribes.clear()
  }
}
