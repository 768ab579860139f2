/**
 * The fault switches of Kraken: those of the Binance exchange (binance/faults.ts; `symbol` is `BTC/USD`, "diffs" are book updates,
 * answers match by `POST /0/private/AddOrder` or `WS subscribe`), and the ways in which only Kraken's sockets go wrong.
 */
import { type Fault, Faults } from "../binance/faults.ts"
import { SubscribeFaults } from "../subscribe-faults.ts"

export type KrakenFault =
  | Fault
  /** The next update of a book leaves so much later than those that follow it. */
  | { readonly fault: "delayNextBook"; readonly symbol: string; readonly millis: number }
  /** The next subscriptions to a channel vanish: no acknowledgement, nothing. */
  | { readonly fault: "loseSubscribe"; readonly channel: string; readonly count: number }
  /** The next subscriptions to a channel are refused with this text. */
  | { readonly fault: "refuseSubscribe"; readonly channel: string; readonly count: number; readonly text: string }
  /** The next messages of a private channel are lost; their sequence numbers are used up. */
  | { readonly fault: "dropNextPrivate"; readonly channel: string; readonly count: number }
  /** Every WebSocket token there is becomes worthless. */
  | { readonly fault: "forgetTokens" }

export const KRAKEN_FAULTS: ReadonlyArray<KrakenFault["fault"]> = [
  "delayNextBook",
  "loseSubscribe",
  "refuseSubscribe",
  "dropNextPrivate",
  "forgetTokens",
]

/** What becomes of one subscription: nothing at all, or a refusal in these words. */
export type SubscribeFault = { readonly kind: "lose" } | { readonly kind: "refuse"; readonly text: string }

export class KrakenFaults extends Faults {
  readonly subscribes = new SubscribeFaults<SubscribeFault>()
  readonly #delays = new Map<string, number>()
  readonly #privateDrops = new Map<string, number>()

  delayNextBook(symbol: string, millis: number): void {
    this.#delays.set(symbol, millis)
  }

  /** What leaves when an update of a book is due, and by how much later. */
  onBook(symbol: string, text: string): ReadonlyArray<{ readonly text: string; readonly afterMillis: number }> {
    const afterMillis = this.#delays.get(symbol) ?? 0
    this.#delays.delete(symbol)
    return this.onDiff(`${symbol.toLowerCase()}@depth`, text).map((frame) => ({ text: frame, afterMillis }))
  }

  dropNextPrivate(channel: string, count: number): void {
    this.#privateDrops.set(channel, (this.#privateDrops.get(channel) ?? 0) + count)
  }

  /** True when this message of a private channel is to be lost. */
  takePrivateDrop(channel: string): boolean {
    const left = this.#privateDrops.get(channel) ?? 0
    if (left > 0) this.#privateDrops.set(channel, left - 1)
    return left > 0
  }

  override clear(): void {
    super.clear()
    this.#delays.clear()
    this.#privateDrops.clear()
    this.subscribes.clear()
  }
}
