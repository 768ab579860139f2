/**
 * Books that a dealer keeps open under one holder: those that it quotes from, so that only the first request for a pair waits for one, and those
 * of its hedges.
 */
import type { Context } from "effect"
import type { DealerAccountId, InstrumentId } from "../../domain/ids.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import type { Clock } from "../../ports/clock.ts"
import type { Markets } from "../market/messages.ts"

type HoldingMarkets = Pick<Context.Tag.Service<typeof Markets>, "hold" | "release">

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

/** Feeds of pairs that no client has asked a quote of for so long are let go. */
const FOLLOW_MILLIS = 900_000

interface FollowingParts {
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
