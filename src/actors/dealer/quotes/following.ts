/** Books that a dealer quotes from are kept open, so that only the first request for a pair waits for one. */
import type { Context } from "effect"
import type { DealerAccountId } from "../../../domain/ids.ts"
import type { Instrument } from "../../../domain/instrument/instrument.ts"
import type { Clock } from "../../../ports/clock.ts"
import type { Markets } from "../../market/messages.ts"

/** Feeds of pairs that nobody asked for so long are let go. */
const FOLLOW_MILLIS = 900_000

export interface FollowingParts {
  readonly markets: Pick<Context.Tag.Service<typeof Markets>, "hold" | "release">
  readonly clock: Context.Tag.Service<typeof Clock>
}

export class Following {
  /** Monotonic ms of the newest request. */
  readonly #askedAt = new Map<Instrument["instrumentId"], number>()
  readonly #key: string

  constructor(
    private readonly parts: FollowingParts,
    dealer: DealerAccountId,
  ) {
    this.#key = `dealer ${dealer}`
  }

  keep(instruments: ReadonlyArray<Pick<Instrument, "instrumentId">>): void {
    const { markets, clock } = this.parts
    const now = clock.monotonic()
    for (const { instrumentId } of instruments) {
      if (!this.#askedAt.has(instrumentId)) markets.hold(instrumentId, this.#key)
      this.#askedAt.set(instrumentId, now)
    }
    for (const [instrumentId, at] of this.#askedAt) {
      if (now - at < FOLLOW_MILLIS) continue
      markets.release(instrumentId, this.#key)
      this.#askedAt.delete(instrumentId)
    }
  }

  close(): void {
    for (const instrumentId of this.#askedAt.keys()) this.parts.markets.release(instrumentId, this.#key)
    this.#askedAt.clear()
  }
}
