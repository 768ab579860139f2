/** A long answer on a wire that takes what it is told to: whole and in order, and not for ever. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { pour } from "../../../src/http/edge/exchange.ts"

/** Takes `bytes` at each try. */
class SlowWire {
  taken = Buffer.alloc(0)
  closed = false
  more: (offset: number) => boolean = () => true
  constructor(readonly bytes: number) {}
  tryEnd(body: Uint8Array, totalBytes: number): [boolean, boolean] {
    this.taken = Buffer.concat([this.taken, body.subarray(0, this.bytes)])
    const isDone = this.taken.length >= totalBytes
    return [body.length <= this.bytes, isDone]
  }
  onWritable(more: (offset: number) => boolean): void {
    this.more = more
  }
  close(): void {
    this.closed = true
  }
}

describe("a long answer", () => {
  const body = Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 251))
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("arrives whole, however small the pieces are that its reader takes", () => {
    const wire = new SlowWire(37)
    pour(wire, body, false, () => false)
    for (let tries = 0; wire.taken.length < body.length && tries < 100; tries++) wire.more(wire.taken.length)
    expect(wire.taken.equals(body)).toBe(true)
    vi.advanceTimersByTime(60_000)
    expect(wire.closed).toBe(false)
  })

  it("is cut when its reader takes longer than allowed", () => {
    const wire = new SlowWire(37)
    pour(wire, body, false, () => false)
    for (let seconds = 0; seconds < 11; seconds++) {
      wire.more(wire.taken.length)
      vi.advanceTimersByTime(1000)
    }
    expect(wire.closed).toBe(false)
    vi.advanceTimersByTime(1000)
    expect(wire.closed).toBe(true)
  })

  it("leaves a wire alone that is gone", () => {
    const wire = new SlowWire(37)
    let gone = false
    pour(wire, body, false, () => gone)
    gone = true
    vi.advanceTimersByTime(60_000)
    expect(wire.closed).toBe(false)
  })
})
