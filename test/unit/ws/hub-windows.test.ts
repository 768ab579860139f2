/** How long a busy hub gathers: no longer than each kind of channel allows, whatever the others allow. */
import type { TemplatedApp } from "uWebSockets.js"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { channelKinds } from "../../../src/ws/channels/kinds.ts"
import { Hub } from "../../../src/ws/fanout/hub.ts"
import type { Variant } from "../../../src/ws/fanout/topic.ts"
import { jsonCodec } from "../../../src/ws/protocol/codec-json.ts"

const PLAIN: Variant = { codec: jsonCodec, delta: false, filter: undefined, compact: undefined }
const source = {
  opened: () => undefined,
  closed: () => undefined,
  position: () => ({ epoch: "e", offset: 0, snapshot: null }),
}
const kinds = channelKinds(10, { trade: { windowMillis: 200 }, ticker: { windowMillis: 10 } })

/** A hub with far more deliveries than it may flush one by one. */
const busyHub = () => {
  const sent: Array<string> = []
  const app = { publish: (topic: string) => sent.push(topic) }
  const hub = new Hub(app as unknown as TemplatedApp, () => vi.getMockedSystemTime()?.getTime() ?? 0)
  const offsets = { trade: 0, ticker: 0 }
  for (const kind of ["trade", "ticker"] as const) {
    const stream = hub.open({ canonical: kind, settings: kinds[kind], source })
    for (let n = 0; n < 10_000; n++) hub.enter(stream, kind, PLAIN)
  }
  const publish = (kind: "trade" | "ticker"): void =>
    hub.publish(kind, { epoch: "e", offset: ++offsets[kind], json: "{}" })
  for (let n = 0; n < 5; n++) {
    vi.advanceTimersByTime(60)
    publish("trade")
    publish("ticker")
  }
  expect(hub.stats().windowed).toBe(true)
  hub.flush()
  sent.length = 0
  return { publish, sent }
}

describe("a busy hub", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("gathers as long as the kind of channel allows", () => {
    const { publish, sent } = busyHub()
    publish("trade")
    publish("trade")
    vi.advanceTimersByTime(199)
    expect(sent).toEqual([])
    vi.advanceTimersByTime(1)
    expect(sent).toEqual(["trade"])
  })

  it("lets nobody wait longer for another kind's sake", () => {
    const { publish, sent } = busyHub()
    publish("trade")
    publish("ticker")
    vi.advanceTimersByTime(10)
    expect(sent).toContain("ticker")
    vi.advanceTimersByTime(190)
    expect(sent.filter((topic) => topic === "trade")).toHaveLength(1)
  })
})
