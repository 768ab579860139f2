/**
 * The newest ticker of each instrument of one venue. Per instrument the latest value is published at once; on the venue-wide channel an
 * instrument is published at most ten times a second, and its last value always arrives. Markets of tenants have a channel per tenant.
 */
import type { Context } from "effect"
import { tickerChannel, venueTickerChannel } from "../../domain/channel.ts"
import type { InstrumentId, TenantId, VenueId } from "../../domain/ids.ts"
import type { TickerRecord } from "../../domain/market/market.ts"
import type { ChannelPort, StreamPosition } from "../../ports/channel-port.ts"
import type { Clock } from "../../ports/clock.ts"
import { ChannelCursor } from "./channel-cursor.ts"

/** Between two publications of one instrument on the venue-wide channel (contract C13). */
const VENUE_INTERVAL_MILLIS = 100

interface Entry {
  readonly record: TickerRecord
  /** Built when first needed: without subscribers nothing is encoded. */
  json: string | null
}

export class TickerBoard {
  readonly #channels: Context.Tag.Service<typeof ChannelPort>
  readonly #clock: Context.Tag.Service<typeof Clock>
  readonly #after: (millis: number, run: () => void) => void
  readonly #entries = new Map<InstrumentId, Entry>()
  readonly #newEpoch: () => string
  readonly #cursors = new Map<string, ChannelCursor>()
  readonly #venue: VenueId
  readonly #tenantOf: (instrumentId: InstrumentId) => TenantId | null
  /** Of what all tenants share. */
  readonly #venueChannel: string
  readonly #venueSentAt = new Map<InstrumentId, number>()
  readonly #venueDue = new Set<InstrumentId>()
  #armed = false

  constructor(options: {
    readonly venue: VenueId
    readonly channels: Context.Tag.Service<typeof ChannelPort>
    readonly tenantOf: (instrumentId: InstrumentId) => TenantId | null
    readonly clock: Context.Tag.Service<typeof Clock>
    /** Calls back once, after a time, as long as the feed lives. */
    readonly after: (millis: number, run: () => void) => void
    readonly newEpoch: () => string
  }) {
    this.#channels = options.channels
    this.#clock = options.clock
    this.#after = options.after
    this.#venue = options.venue
    this.#tenantOf = options.tenantOf
    this.#venueChannel = venueTickerChannel(options.venue)
    this.#newEpoch = options.newEpoch
  }

  update(instrumentId: InstrumentId, record: TickerRecord): void {
    this.#put(instrumentId, { record, json: null })
  }

  /** The venue's stream of an instrument is interrupted: what it said last is told as such, and is not known any more. */
  lost(instrumentId: InstrumentId): void {
    const record = this.find(instrumentId)
    if (record !== undefined) this.#put(instrumentId, { record: { ...record, isStale: true }, json: null })
  }

  #put(instrumentId: InstrumentId, entry: Entry): void {
    this.#entries.set(instrumentId, entry)
    const channel = tickerChannel(instrumentId)
    const cursor = this.#cursor(channel)
    const heard = this.#channels.isHeard(channel)
    const offset = cursor.next(heard)
    if (heard) this.#channels.publish({ channel, kind: "ticker", epoch: cursor.epoch, offset, json: jsonOf(entry) })
    const venueChannel = this.#venueChannelOf(this.#tenantOf(instrumentId))
    if (this.#channels.isHeard(venueChannel)) this.#toVenue(venueChannel, instrumentId, entry)
  }

  /** A first subscriber comes to one instrument's channel. */
  opened(instrumentId: InstrumentId): void {
    this.#cursor(tickerChannel(instrumentId)).opened()
  }

  position(instrumentId: InstrumentId): StreamPosition {
    const { epoch, offset } = this.#cursor(tickerChannel(instrumentId))
    return { epoch, offset, snapshot: this.json(instrumentId) }
  }

  /** Of the venue-wide channel, which counts only what it published. */
  venuePosition(tenantId: TenantId | null): StreamPosition {
    const { epoch, offset } = this.#cursor(this.#venueChannelOf(tenantId))
    return { epoch, offset, snapshot: null }
  }

  /** The feed of an instrument closed: what it said is no longer known. */
  remove(instrumentId: InstrumentId): void {
    this.#entries.delete(instrumentId)
    this.#cursors.delete(tickerChannel(instrumentId))
    this.#venueDue.delete(instrumentId)
    this.#venueSentAt.delete(instrumentId)
  }

  /** Undefined also while its stream is interrupted. */
  find(instrumentId: InstrumentId): TickerRecord | undefined {
    const record = this.#entries.get(instrumentId)?.record
    return record?.isStale === true ? undefined : record
  }

  json(instrumentId: InstrumentId): string | null {
    const entry = this.#entries.get(instrumentId)
    return entry === undefined ? null : jsonOf(entry)
  }

  all(): ReadonlyArray<TickerRecord> {
    return [...this.#entries.values()].flatMap(({ record }) => (record.isStale === true ? [] : [record]))
  }

  #venueChannelOf(tenantId: TenantId | null): string {
    return tenantId === null ? this.#venueChannel : venueTickerChannel(this.#venue, tenantId)
  }

  #toVenue(channel: string, instrumentId: InstrumentId, entry: Entry): void {
    const now = this.#clock.monotonic()
    const sentAt = this.#venueSentAt.get(instrumentId)
    if (sentAt === undefined || now - sentAt >= VENUE_INTERVAL_MILLIS) {
      this.#venueDue.delete(instrumentId)
      this.#venueSentAt.set(instrumentId, now)
      const cursor = this.#cursor(channel)
      this.#channels.publish({
        channel,
        kind: "venueTicker",
        epoch: cursor.epoch,
        offset: cursor.next(true),
        json: jsonOf(entry),
        subject: instrumentId,
        tags: { instrumentId },
      })
    } else {
      this.#venueDue.add(instrumentId)
      this.#arm(sentAt + VENUE_INTERVAL_MILLIS - now)
    }
  }

  #cursor(channel: string): ChannelCursor {
    let cursor = this.#cursors.get(channel)
    if (cursor === undefined) {
      cursor = new ChannelCursor(this.#newEpoch)
      this.#cursors.set(channel, cursor)
    }
    return cursor
  }

  #arm(millis: number): void {
    if (this.#armed) return
    this.#armed = true
    this.#after(millis, () => {
      this.#armed = false
      for (const instrumentId of [...this.#venueDue]) {
        const entry = this.#entries.get(instrumentId)
        if (entry !== undefined) this.#toVenue(this.#venueChannelOf(this.#tenantOf(instrumentId)), instrumentId, entry)
      }
    })
  }
}

const jsonOf = (entry: Entry): string => {
  entry.json ??= JSON.stringify(entry.record)
  return entry.json
}
