/** Audits of books by REST: which differences count, which books are audited, and when an audit says nothing. */
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../../src/domain/ids.ts"
import { type BudgetLoad, PURPOSES } from "../../../../../src/ports/venue-stats.ts"
import type { BookAuditTimes } from "../../../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../../../src/venues/adapters/registry.ts"
import type { CcxtBookRow, CcxtExchange, CcxtOrderBook } from "../../../../../src/venues/worker/exchange/ccxt.ts"
import {
  auditTimesOf,
  BookAudits,
  differing,
  type Finding,
  hasRoomForAudits,
} from "../../../../../src/venues/worker/feed/book-audits.ts"
import { queueSnapshots } from "../../../../../src/venues/worker/feed/snapshots.ts"
import { currentWork, doingFor, lookingAside } from "../../../../../src/venues/worker/work.ts"
import { unproven } from "../../../../kit/worlds/unproven-venue.ts"

type Rows = ReadonlyArray<CcxtBookRow>
interface Held {
  readonly bids: Rows
  readonly asks: Rows
}

/** `count` bids from `price` downwards. */
const bids = (price: number, count: number): Rows => Array.from({ length: count }, (_, i) => [price - i, 1])

const apart = (held: Partial<Held>, answer: Partial<Held>) => [
  ...differing({ bids: [], asks: [], ...held }, { bids: [], asks: [], ...answer }),
]

describe("the levels in which an answer differs from a book", () => {
  it("are those with another quantity, those only here, and those only there", () => {
    const held: Held = {
      bids: [
        [100, 1],
        [99, 2],
      ],
      asks: [
        [101, 1],
        [102, 5],
      ],
    }
    const answer: Held = {
      bids: [
        [100, 1],
        [98, 2],
      ],
      asks: [
        [101, 1],
        [102, 6],
      ],
    }
    expect(apart(held, held)).toEqual([])
    expect(apart(held, answer)).toEqual(["bids 98", "bids 99", "asks 102"])
  })

  it("end where the answer was cut off, and where the stream is", () => {
    expect(apart({ bids: bids(1000, 500) }, { bids: bids(1000, 100) })).toEqual([])
    expect(apart({ bids: bids(1000, 25) }, { bids: bids(1000, 100) })).toEqual([])
    expect(apart({ bids: [[1000.5, 1], ...bids(1000, 500)] }, { bids: bids(1000, 100) })).toEqual(["bids 1000.5"])
  })

  it("are also those at the far end of a book that is not cut off", () => {
    expect(
      apart(
        { asks: [[101, 1]] },
        {
          asks: [
            [101, 1],
            [102, 1],
          ],
        },
      ),
    ).toEqual(["asks 102"])
    expect(apart({ asks: [] }, { asks: [[101, 1]] })).toEqual(["asks 101"])
    expect(apart({ asks: [[101, 1]] }, { asks: [] })).toEqual(["asks 101"])
  })
})

describe("the audits of a venue", () => {
  const every = (venue: string) => {
    const profile = PROFILES.find((known) => known.venue === venue)
    return profile === undefined ? undefined : auditTimesOf(profile)?.everyMillis
  }

  it("are periodic where neither a sequence nor a checksum guards its books, and else only for silent ones", () => {
    const venues = PROFILES.filter(({ sandbox }) => !sandbox).map(({ venue }) => venue)
    expect(venues.filter((venue) => typeof every(venue) === "number")).toEqual(["BITSTAMP", "GEMINI"])
    expect(venues.filter((venue) => every(venue) === undefined)).toEqual(["KRAKEN"])
  })

  it("are periodic at any venue that a line of the registry brings and nobody looked at", () => {
    expect(auditTimesOf(unproven("LBANK", "lbank"))?.everyMillis).toBeGreaterThan(0)
    expect(auditTimesOf(unproven("LBANK", "lbank", { bookAudit: null }))).toBeNull()
  })
})

describe("the request budget has room for audits of books", () => {
  const quiet = { cancel: 0, doubt: 0, submit: 0, market: 0, opening: 0, audit: 0 }
  const load = (change: Partial<BudgetLoad>): BudgetLoad => ({
    used: 0.9,
    capacity: 100,
    audits: 0.2,
    waiting: quiet,
    sent: quiet,
    answers: { ok: 0, limited: 0, refused: 0, failed: 0 },
    pausedMillis: 0,
    ...change,
  })

  it("while nothing waits, the venue wants no pause, and audits of accounts have their half", () => {
    expect(hasRoomForAudits(load({}))).toBe(true)
    expect(hasRoomForAudits(load({ audits: 0.5 }))).toBe(false)
    expect(hasRoomForAudits(load({ pausedMillis: 1 }))).toBe(false)
    for (const purpose of PURPOSES) expect(hasRoomForAudits(load({ waiting: { ...quiet, [purpose]: 1 } }))).toBe(false)
  })
})

const BTC = "GEMINI:BTC/USD" as InstrumentId
const OFTEN: BookAuditTimes = { everyMillis: 1, silentMillis: 3_600_000, settleMillis: 1 }

describe("an audit", () => {
  const stops: Array<() => void> = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })

  /** A book of one bid, and a venue that answers as `answer` says, by the number of the question. */
  const audited = (answer: (question: number) => Rows, hasRoom: () => boolean = () => true) => {
    const findings: Array<Finding> = []
    const purposes = new Set<string | undefined>()
    let questions = 0
    const exchange = {
      fetchOrderBook: async () => {
        purposes.add(currentWork()?.purpose)
        questions += 1
        return { bids: answer(questions), asks: [] }
      },
    } as unknown as CcxtExchange
    const audits = new BookAudits({ exchange, times: OFTEN, hasRoom, found: (finding) => findings.push(finding) })
    stops.push(() => audits.stop())
    const book = { bids: [[100, 1]], asks: [] } as unknown as CcxtOrderBook
    const change = (price: string, snapshot = false) =>
      audits.onChange(BTC, "BTC/USD", book, { snapshot, bids: [price, "1"], asks: [] })
    change("100", true)
    const until = async (condition: () => boolean) => {
      while (!condition()) await sleep(1)
    }
    return { audits, findings, purposes, change, until, questions: () => questions }
  }

  it("asks with the least urgency, and finds what differed twice", async () => {
    const { findings, purposes, until } = audited(() => [[100, 2]])
    await until(() => findings.length > 0)
    expect(findings[0]).toEqual({ instrumentId: BTC, levels: 1, isSilent: false })
    expect([...purposes]).toEqual(["audit"])
  })

  it("finds nothing in what differed once", async () => {
    const { audits, findings, until } = audited((question) => [
      [100, 1],
      [question % 2 === 1 ? 99 : 98, 5],
    ])
    await until(() => audits.figures().made >= 5)
    expect([findings, audits.figures().differed]).toEqual([[], 0])
  })

  it("is answered although the stream asks for the same book meanwhile, and the stream is", async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const exchange = {
      throttle: () => gate,
      fetchOrderBook: async (symbol: string) => {
        await exchange.throttle()
        return `the book of ${symbol}`
      },
    }
    queueSnapshots(exchange as unknown as CcxtExchange)
    const ask = (): Promise<string> => exchange.fetchOrderBook("BTC/USD")
    const answers = Promise.all([lookingAside("audit", Date.now() + 30_000, ask), doingFor("market", null, ask)])
    open()
    expect(await answers).toEqual(["the book of BTC/USD", "the book of BTC/USD"])
  })

  it("finds nothing in a level that changed while it asked", async () => {
    const { audits, change, findings, until } = audited(() => {
      change("100.0")
      return [[100, 2]]
    })
    await until(() => audits.figures().made >= 5)
    expect(findings).toEqual([])
  })

  it("finds nothing in a book that began anew, or was lost, while it asked", async () => {
    const { audits, change, findings, questions, until } = audited((question) => {
      if (question % 2 === 0) change("100", true)
      if (question === 9) audits.forget(BTC)
      return [[100, 2]]
    })
    await until(() => questions() >= 9)
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect([findings, audits.figures().made, questions()]).toEqual([[], 0, 9])
  })

  it("counts what the venue does not answer, and asks again", async () => {
    const { audits, findings, until } = audited((question) => {
      if (question === 1) throw new Error("away")
      return [[100, 1]]
    })
    await until(() => audits.figures().made > 0)
    expect([findings, audits.figures().failed]).toEqual([[], 1])
  })

  it("waits while the request budget has no room", async () => {
    let hasRoom = false
    const { audits, questions, until } = audited(
      () => [[100, 1]],
      () => hasRoom,
    )
    let looks = 0
    const looking = setInterval(() => looks++, 1)
    await until(() => looks > 20)
    clearInterval(looking)
    expect(questions()).toBe(0)
    hasRoom = true
    await until(() => audits.figures().made > 0)
  })
})
