/** Books that a dealer quotes from are kept open, so that only the first request for a pair waits for one. */
import type { Context } from "effect"
import type { DealerAccountId } from "../../../domain/ids.ts"
import type { Instrument } from "../../../domain/instrument/instrument.ts"
import type { Clock } from "../../../ports/clock.ts"
import { HeldBooks, type HoldingMarkets } from "../held-books.ts"

/** Feeds of pairs that nobody asked for so long are let go. */
const FOLLOW_MILLIS = 900_000

export interface FollowingParts {
  readonly markets: HoldingMarkets
  readonly clock: Context.Tag.Service<typeof Clock>
}

export class Following {
  /** Monotonic ms of the newest request. */
  readonly #askedAt = new Map<Instrument["instrumentId"], number>()
  readonly #books: HeldBooks

  constructor(
    private readonly parts: FollowingParts,
    dealer: DealerAccountId,
  ) {
    this.#books = new HeldBooks(parts.markets, `dealer ${dealer}`)
  }

  keep(instruments: ReadonlyArray<Pick<Instrument, "instrumentId">>): void {
    const now = this.parts.clock.monotonic()
    for (const { instrumentId } of instruments) {
      this.#books.hold(instrumentId)
      this.#askedAt.set(instrumentId, now)
    }
    for (const [instrumentId, at] of this.#askedAt) {
      if (now - at < FOLLOW_MILLIS) continue
      this.#books.letGo(instrumentId)
      this.#askedAt.delete(instrumentId)
    }
  }

  close(): void {
    this.#books.close()
    this.#askedAt.clear()
  }
}
