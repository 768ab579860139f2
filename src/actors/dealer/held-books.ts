/** Books that a dealer keeps open, in one holder's name. */
import type { Context } from "effect"
import type { InstrumentId } from "../../domain/ids.ts"
import type { Markets } from "../market/messages.ts"

export type HoldingMarkets = Pick<Context.Tag.Service<typeof Markets>, "hold" | "release">

export class HeldBooks {
  readonly #held = new Set<InstrumentId>()

  constructor(
    private readonly markets: HoldingMarkets,
    private readonly holder: string,
  ) {}

  hold(instrumentId: InstrumentId): void {
    if (this.#held.has(instrumentId)) return
    this.#held.add(instrumentId)
    this.markets.hold(instrumentId, this.holder)
  }

  letGo(instrumentId: InstrumentId): void {
    if (this.#held.delete(instrumentId)) this.markets.release(instrumentId, this.holder)
  }

  close(): void {
    for (const instrumentId of this.#held) this.letGo(instrumentId)
  }
}
