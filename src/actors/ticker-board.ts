/**
 * The newest ticker of each instrument of one venue. Per instrument the latest wins at once; on the venue-wide channel an
 * instrument speaks at most ten times a second, and what it said last always arrives.
 */
import type { Context } from "effect"
import { tickerChannel, venueTickerChannel } from "../domain/channel.ts"
import type { InstrumentId, VenueId } from "../domain/ids.ts"
import type { TickerRecord } from "../domain/market.ts"
import type { ChannelPort } from "../ports/channel-port.ts"
import type { Clock } from "../ports/clock.ts"

/** Between two publications of one instrument on the venue-wide channel (contract C13). */
const VENUE_INTERVAL_MILLIS = 100

interface Entry {
  readonly record: TickerRecord
  /** Made when first needed: nobody listening, nothing encoded. */
  json: string | null
}

export class TickerBoard {
  readonly #channels: Context.Tag.Service<typeof ChannelPort>
  readonly #clock: Context.Tag.Service<typeof Clock>
  readonly #after: (millis: number, run: () => void) => void
  readonly #entries = new Map<InstrumentId, Entry>()
  readonly #venueChannel: string
  readonly #venueSentAt = new Map<InstrumentId, number>()
  readonly #venueDue = new Set<InstrumentId>()
  #armed = false

  constructor(options: {
    readonly venue: VenueId
    readonly channels: Context.Tag.Service<typeof ChannelPort>
    readonly clock: Context.Tag.Service<typeof Clock>
    /** Calls back once, after a time, as long as the feed lives. */
    readonly after: (millis: number, run: () => void) => void
    readonly epoch: string
  }) {
    this.#channels = options.channels
    this.#clock = options.clock
    this.#after = options.after
    this.#venueChannel = venueTickerChannel(options.venue)
    this.epoch = options.epoch
  }

  readonly epoch: string

  update(instrumentId: InstrumentId, record: TickerRecord): void {
    const entry: Entry = { record, json: null }
    this.#entries.set(instrumentId, entry)
    const channel = tickerChannel(instrumentId)
    if (this.#channels.hasSubscribers(channel))
      this.#channels.publish({ channel, kind: "ticker", epoch: this.epoch, offset: 0, json: jsonOf(entry) })
    if (this.#channels.hasSubscribers(this.#venueChannel)) this.#toVenue(instrumentId, entry)
  }

  /** The feed of an instrument closed: what it said is no longer known. */
  remove(instrumentId: InstrumentId): void {
    this.#entries.delete(instrumentId)
    this.#venueDue.delete(instrumentId)
    this.#venueSentAt.delete(instrumentId)
  }

  find(instrumentId: InstrumentId): TickerRecord | undefined {
    return this.#entries.get(instrumentId)?.record
  }

  json(instrumentId: InstrumentId): string | null {
    const entry = this.#entries.get(instrumentId)
    return entry === undefined ? null : jsonOf(entry)
  }

  all(): ReadonlyArray<TickerRecord> {
    return [...this.#entries.values()].map((entry) => entry.record)
  }

  #toVenue(instrumentId: InstrumentId, entry: Entry): void {
    const now = this.#clock.monotonic()
    const sentAt = this.#venueSentAt.get(instrumentId)
    if (sentAt === undefined || now - sentAt >= VENUE_INTERVAL_MILLIS) {
      this.#venueDue.delete(instrumentId)
      this.#venueSentAt.set(instrumentId, now)
      this.#channels.publish({
        channel: this.#venueChannel,
        kind: "venueTicker",
        epoch: this.epoch,
        offset: 0,
        json: jsonOf(entry),
      })
    } else {
      this.#venueDue.add(instrumentId)
      this.#arm(sentAt + VENUE_INTERVAL_MILLIS - now)
    }
  }

  #arm(millis: number): void {
    if (this.#armed) return
    this.#armed = true
    this.#after(millis, () => {
      this.#armed = false
      for (const instrumentId of [...this.#venueDue]) {
        const entry = this.#entries.get(instrumentId)
        if (entry !== undefined) this.#toVenue(instrumentId, entry)
      }
    })
  }
}

const jsonOf = (entry: Entry): string => {
  entry.json ??= JSON.stringify(entry.record)
  return entry.json
}
