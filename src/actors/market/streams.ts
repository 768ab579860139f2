/**
 * Which streams of one venue are open: by whom each is kept, and until when after the last of them left. A stream opens at the first
 * interest and closes 30 s after the last.
 */
import type { InstrumentId, VenueId } from "../../domain/ids.ts"
import { type InstrumentName, parseInstrumentId } from "../../domain/instrument/instrument.ts"
import type { MarketStream } from "../../ports/market-source.ts"

const LINGER_MILLIS = 30_000

export interface OpenStream {
  readonly stream: MarketStream
  readonly instrumentId: InstrumentId
  readonly name: InstrumentName
}

interface Slot extends OpenStream {
  readonly holders: Set<string>
  lingerUntil: number
}

export class MarketStreams {
  readonly #parts: {
    readonly venue: VenueId
    readonly monotonic: () => number
    readonly opened: (it: OpenStream) => void
    readonly closed: (it: OpenStream) => void
  }
  readonly #open = new Map<MarketStream, Map<InstrumentId, Slot>>()

  constructor(parts: {
    readonly venue: VenueId
    readonly monotonic: () => number
    readonly opened: (it: OpenStream) => void
    readonly closed: (it: OpenStream) => void
  }) {
    this.#parts = parts
  }

  get isEmpty(): boolean {
    for (const slots of this.#open.values()) if (slots.size > 0) return false
    return true
  }

  /** Keeps a stream open for `holder`, opening it if need be; nothing happens for a name that is no instrument. */
  hold(stream: MarketStream, instrumentId: InstrumentId, holder: string): void {
    this.#slot(stream, instrumentId)?.holders.add(holder)
  }

  /** Open for 30 s at least. False: a name that is no instrument of this venue. */
  touch(stream: MarketStream, instrumentId: InstrumentId): boolean {
    const slot = this.#slot(stream, instrumentId)
    if (slot !== undefined) slot.lingerUntil = this.#parts.monotonic() + LINGER_MILLIS
    return slot !== undefined
  }

  /** Lets go: the stream closes 30 s after its last holder did. */
  release(stream: MarketStream, instrumentId: InstrumentId, holder: string): void {
    const slot = this.#open.get(stream)?.get(instrumentId)
    if (slot?.holders.delete(holder) === true) slot.lingerUntil = this.#parts.monotonic() + LINGER_MILLIS
  }

  /** Closes what nobody wants any more. */
  sweep(now: number): void {
    for (const slots of this.#open.values())
      for (const slot of slots.values()) {
        if (slot.holders.size > 0 || now < slot.lingerUntil) continue
        slots.delete(slot.instrumentId)
        this.#parts.closed(slot)
      }
  }

  #slot(stream: MarketStream, instrumentId: InstrumentId): Slot | undefined {
    const open = this.#open.get(stream)?.get(instrumentId)
    if (open !== undefined) return open
    const name = parseInstrumentId(instrumentId)
    if (name === undefined || name.venue !== this.#parts.venue) return undefined
    const lingerUntil = this.#parts.monotonic() + LINGER_MILLIS
    const slot: Slot = { stream, instrumentId, name, holders: new Set(), lingerUntil }
    const slots = this.#open.get(stream) ?? new Map<InstrumentId, Slot>()
    this.#open.set(stream, slots.set(instrumentId, slot))
    this.#parts.opened(slot)
    return slot
  }
}
