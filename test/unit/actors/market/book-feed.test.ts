/** When an open book counts as lost or silent: trades before and after its updates, on a clock of the test's own. */
import { describe, expect, it } from "vitest"
import { BookFeed, BookPublisher } from "../../../../src/actors/market/order-book.ts"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { parseInstrumentId } from "../../../../src/domain/instrument/instrument.ts"
import { RecordingChannels } from "../../../kit/worlds/market-channels.ts"

const BTC = "BINANCE:BTC/USDT" as InstrumentId

const opened = () => {
  let now = 0
  let sequence = 0
  const reasons: Array<string> = []
  const feed = new BookFeed({
    actor: new BookPublisher({
      instrumentId: BTC,
      name: parseInstrumentId(BTC)!,
      channels: new RecordingChannels().port,
      newEpoch: () => "epoch",
    }),
    monotonic: () => now,
    after: (_, run) => run(),
    askForSnapshot: (reason) => reasons.push(reason),
  })
  return {
    feed,
    asked: () => reasons.length,
    reasons,
    /** Lets time pass as the sentinel sees it. */
    pass: (millis: number) => {
      for (let left = millis; left > 0; left -= 1000) {
        now += Math.min(left, 1000)
        feed.watch(now)
      }
    },
    depth: (snapshot = false, asks: ReadonlyArray<string> = []) =>
      feed.onDepth({
        instrumentId: BTC,
        snapshot,
        bids: ["100", `${++sequence}`],
        asks,
        sequence,
        nonce: null,
        venueAt: null,
        receivedAt: now,
      }),
  }
}

describe("an open book", () => {
  it("is not silent when its update comes after the trade that made it", () => {
    const { feed, pass, depth, asked } = opened()
    depth(true)
    pass(60_000)
    feed.onTrade()
    pass(1000)
    expect(depth()).toBe(true)
    pass(60_000)
    expect([feed.actor.quality, asked()]).toEqual(["SYNCED", 0])
  })

  it("is not silent when its update came before the trade that made it", () => {
    const { feed, pass, depth, asked } = opened()
    depth(true)
    pass(60_000)
    depth()
    pass(1000)
    feed.onTrade()
    pass(60_000)
    expect([feed.actor.quality, asked()]).toEqual(["SYNCED", 0])
  })

  it("is silent when no update comes near a trade, and whole again with the next one", () => {
    const { feed, pass, depth, asked } = opened()
    depth(true)
    pass(60_000)
    feed.onTrade()
    pass(4000)
    expect(feed.actor.quality).toBe("SYNCED")
    pass(2000)
    expect(feed.actor.quality).toBe("STALE")
    expect(asked()).toBeGreaterThan(0)
    expect(depth()).toBe(true)
    const before = asked()
    pass(60_000)
    expect([feed.actor.quality, asked()]).toEqual(["SYNCED", before])
  })

  it("is STALE at once when its stream is known to have been silent, and RESYNCING when it was cut", () => {
    for (const [reason, quality] of [
      ["BOOK_SILENT: the book is not the venue's", "STALE"],
      ["BOOK_DIFFERS: the book is not the venue's", "RESYNCING"],
      ["VENUE_NETWORK: cut", "RESYNCING"],
    ] as const) {
      const { feed, depth } = opened()
      depth(true)
      feed.onDown(reason)
      expect(feed.actor.quality).toBe(quality)
      expect(depth(true)).toBe(true)
      expect(feed.actor.quality).toBe("SYNCED")
    }
  })

  it("is asked for with the reason", () => {
    const { feed, pass, depth, reasons } = opened()
    depth(true)
    depth(false, ["99", "1"])
    expect(reasons).toEqual(["crossed"])
    depth(true)
    depth(false, ["101", "nothing"])
    expect(reasons).toEqual(["crossed", "malformed"])
    depth(true)
    pass(60_000)
    feed.onTrade()
    pass(5000)
    expect(reasons).toEqual(["crossed", "malformed", "silent"])
    pass(5000)
    expect(reasons.slice(3)).toEqual(["overdue"])
  })

  it("is asked for when its first snapshot does not come", () => {
    const { feed, pass, asked } = opened()
    pass(4000)
    expect([feed.actor.quality, asked()]).toEqual(["RESYNCING", 0])
    pass(2000)
    expect([feed.actor.quality, asked() > 0]).toEqual(["STALE", true])
  })
})
