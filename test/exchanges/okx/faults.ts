/**
 * The fault switches of OKX: those of the Binance exchange (binance/faults.ts; `symbol` is an instrument id, answers match by
 * `METHOD /path` or `WS login`), and the ways in which only OKX's streams and cancels go wrong.
 */
import { type Fault, Faults } from "../binance/faults.ts"

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
  booksHeld = false
  cancelsHeld = false
  #subscribes: Array<{ readonly channel: string; readonly what: SubscribeFault; left: number }> = []

  onSubscribe(channel: string, what: SubscribeFault, count: number): void {
    this.#subscribes.push({ channel, what, left: count })
  }

  /** The first fault of this channel, used up by one. */
  takeSubscribe(channel: string): SubscribeFault | undefined {
    const found = this.#subscribes.find((fault) => fault.channel === channel)
    if (found === undefined) return undefined
    found.left -= 1
    if (found.left <= 0) this.#subscribes = this.#subscribes.filter((fault) => fault !== found)
    return found.what
  }

  override clear(): void {
    super.clear()
    this.booksHeld = false
    this.cancelsHeld = false
    this.#subscribes = []
  }
}
