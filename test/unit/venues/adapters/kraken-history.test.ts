/** KRAKEN's history of trades within KRAKEN's own counter: how long 5,000 of them take, and what waits for them meanwhile. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { FillsPage } from "../../../../src/ports/venue-session.ts"
import { doingFor } from "../../../../src/venues/worker/work.ts"
import { type Asked, type Scripted, scripted } from "../../../kit/worlds/scripted-session.ts"

const TRADES = 5_000
const PAGE = 50
const START = 1_700_000_000
/** Its counter for the smallest accounts: so many calls, of which one runs off in 3 s; a history counts two. */
const COUNTER_MAX = 15
const RUNS_OFF_PER_SECOND = 1 / 3
const DEADLINE_MILLIS = 60_000

class Counter {
  refused = 0
  #value = 0
  #at = Date.now()

  isWithin(cost: number): boolean {
    const now = Date.now()
    this.#value = Math.max(0, this.#value - ((now - this.#at) / 1000) * RUNS_OFF_PER_SECOND)
    this.#at = now
    if (this.#value + cost > COUNTER_MAX) {
      this.refused++
      return false
    }
    this.#value += cost
    return true
  }
}

const trade = (n: number) => ({
  ordertxid: "O1",
  pair: "XBTUSDT",
  time: START + n,
  type: "buy",
  ordertype: "limit",
  price: "50000",
  cost: "5",
  fee: "0.01",
  vol: "0.0001",
  trade_id: n,
})

const answerOf =
  (counter: Counter) =>
  (asked: Asked): unknown => {
    const { url, body } = asked
    if (url.includes("CancelOrder")) return { error: [], result: { count: 1 } }
    const isHistory = url.includes("TradesHistory")
    if (!counter.isWithin(isHistory ? 2 : 1)) return { error: ["EAPI:Rate limit exceeded"] }
    if (!isHistory)
      return { error: [], result: { O1: { status: "open", opentm: START, descr: {}, vol: "1", vol_exec: "0" } } }
    const ofs = Number(new URLSearchParams(body).get("ofs") ?? 0)
    const newest = Array.from({ length: Math.min(PAGE, TRADES - ofs) }, (_, i) => TRADES - ofs - 1 - i)
    return { error: [], result: { count: TRADES, trades: Object.fromEntries(newest.map((n) => [`T${n}`, trade(n)])) } }
  }

/** Page after page, as the account asks for them; answers how many trades came. */
const readAll = async ({ session, instrumentId }: Scripted, ids: Set<string>): Promise<void> => {
  for (let cursor: string | null = null, more = true; more; ) {
    const place: string | null = cursor
    const page: FillsPage = await doingFor("audit", Date.now() + DEADLINE_MILLIS, () =>
      session.questions.fills(START * 1000, [instrumentId], place),
    )
    for (const { externalTradeId } of page.fills) ids.add(externalTradeId)
    cursor = page.next
    more = cursor !== null
  }
}

describe("5,000 trades at KRAKEN", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }))
  afterEach(() => void vi.useRealTimers())

  it("are read within the venue's counter, no page past its deadline, and keep neither cancels nor doubts waiting", async () => {
    const counter = new Counter()
    const at = await scripted("KRAKEN", "XBTUSDT", answerOf(counter), {}, true)
    const ids = new Set<string>()
    let isDone = false
    let failure: unknown
    readAll(at, ids).then(
      () => {
        isDone = true
      },
      (error) => {
        failure = error
        isDone = true
      },
    )
    const began = Date.now()
    const waited = { cancel: 0, doubt: 0 }
    for (let second = 0; !isDone; second++) {
      if (second > 1_800) throw new Error(`read ${ids.size} in half an hour`)
      if (second % 100 === 50) {
        const from = Date.now()
        void doingFor("cancel", from + 15_000, () => at.session.cancel(at.ref)).then(() => {
          waited.cancel = Math.max(waited.cancel, Date.now() - from)
        })
        void doingFor("doubt", from + 15_000, () => at.session.questions.order(at.ref)).then(
          () => {
            waited.doubt = Math.max(waited.doubt, Date.now() - from)
          },
          (error: unknown) => {
            failure ??= error
          },
        )
      }
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(failure).toBeUndefined()
    expect(ids.size).toBe(TRADES)
    expect(counter.refused).toBe(0)
    // 600 units, of a budget of 45 in 45 s of which audits have seven tenths: five pages in each window.
    expect(Date.now() - began).toBeLessThanOrEqual(905_000)
    expect(waited.cancel).toBe(0)
    expect(waited.doubt).toBeLessThanOrEqual(1_000)
    // It is closed by the real clock.
    vi.useRealTimers()
    void at.session.stop()
  })
})
