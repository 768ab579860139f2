/** A broker in memory that loses, delays, repeats and reorders frames as it is told, and can be away. */
import type { Wire, WireEvents } from "../../../src/cluster/wire.ts"

/** What becomes of one frame: after how many ms it arrives, once for each. None: it is lost. */
export type Fate = (subject: string, frame: Uint8Array) => ReadonlyArray<number>

export const PROMPT: Fate = () => [0.1]

export class MemoryBroker {
  fate: Fate = PROMPT
  frames = 0
  private isAway = false
  private held: Array<() => void> | undefined = undefined
  private readonly listeners = new Map<
    string,
    Set<{ readonly end: MemoryEnd; readonly take: (frame: Uint8Array) => void }>
  >()
  private readonly ends = new Set<MemoryEnd>()

  constructor(private readonly after: (millis: number, work: () => void) => void) {}

  wire(): MemoryEnd {
    const end = new MemoryEnd(this)
    this.ends.add(end)
    return end
  }

  /** What is on its way is lost, too. */
  stop(): void {
    this.isAway = true
    for (const end of this.ends) end.connected = false
  }

  start(): void {
    this.isAway = false
    for (const end of this.ends) {
      end.connected = true
      end.events?.up()
    }
  }

  freeze(): void {
    this.held = []
  }

  thaw(): void {
    const held = this.held ?? []
    this.held = undefined
    for (const carry of held) carry()
  }

  listen(end: MemoryEnd, subject: string, take: (frame: Uint8Array) => void): () => void {
    const known = this.listeners.get(subject) ?? new Set()
    const taker = { end, take }
    this.listeners.set(subject, known.add(taker))
    return () => known.delete(taker)
  }

  /** As the connection of a process that is gone. */
  cut(end: MemoryEnd): void {
    this.ends.delete(end)
    for (const takers of this.listeners.values())
      for (const taker of takers) if (taker.end === end) takers.delete(taker)
  }

  carry(from: MemoryEnd, subject: string, frame: Uint8Array, number: number | undefined): void {
    if (this.isAway) return
    if (this.held !== undefined) return void this.held.push(() => this.carry(from, subject, frame, number))
    const takers = this.listeners.get(subject)
    if (takers === undefined || takers.size === 0) {
      if (number !== undefined) this.after(0.1, () => from.events?.undelivered(number))
      return
    }
    const copy = Uint8Array.from(frame)
    this.frames++
    for (const millis of this.fate(subject, frame))
      this.after(millis, () => {
        if (this.isAway) return
        for (const { take } of [...takers]) take(copy)
      })
  }
}

export class MemoryEnd implements Wire {
  connected = true
  events: WireEvents | undefined = undefined

  constructor(private readonly broker: MemoryBroker) {}

  readonly isUp = (): boolean => this.connected
  readonly send = (subject: string, frame: Uint8Array, number?: number): void =>
    this.broker.carry(this, subject, frame, number)
  readonly listen = (subject: string, take: (frame: Uint8Array) => void): (() => void) =>
    this.broker.listen(this, subject, take)
  readonly tell = (events: WireEvents): void => {
    this.events = events
  }
}
