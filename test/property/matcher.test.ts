/** The matcher against a naive one that sorts a list of orders anew for every order. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type MatchEvent,
  Matcher,
  type MatchOrder,
  type SelfTradePrevention,
} from "../../src/venues/matching/matcher.ts"

interface Rest {
  readonly order: MatchOrder
  readonly at: number
  left: bigint
}

/** Price-time priority said as plainly as possible. */
class NaiveMatcher {
  rests: Array<Rest> = []
  #at = 0
  constructor(readonly policy: SelfTradePrevention) {}

  #reachable(order: MatchOrder): Array<Rest> {
    return this.rests
      .filter((rest) => rest.order.side !== order.side)
      .filter((rest) => {
        if (order.price === null) return true
        return order.side === "BUY" ? rest.order.price! <= order.price : rest.order.price! >= order.price
      })
      .sort((a, b) => {
        const cheaper = Number(a.order.price! - b.order.price!) * (order.side === "BUY" ? 1 : -1)
        return cheaper === 0 ? a.at - b.at : cheaper
      })
  }

  submit(order: MatchOrder): Array<string> {
    const reachable = () => this.#reachable(order)
    if (order.postOnly && reachable().length > 0) return [`done ${order.id} WOULD_TAKE`]
    const log = [`accepted ${order.id}`]
    if (order.timeInForce === "FOK") {
      let there = 0n
      for (const rest of reachable()) {
        const own = rest.order.owner === order.owner && this.policy !== "NONE"
        if (own && this.policy === "CANCEL_NEWEST") break
        if (!own) there += rest.left
      }
      if (there < order.quantity) return [...log, `done ${order.id} FOK_NOT_FILLED`]
    }
    return [...log, ...this.#match(order, order.quantity)]
  }

  /** Of a resting order, what is left of it included: less at its price stays in place, all else arrives anew. */
  amend(id: string, price: bigint, left: bigint): Array<string> {
    const rest = this.rests.find((each) => each.order.id === id)
    if (rest === undefined) return []
    const order = { ...rest.order, price }
    if (order.postOnly && this.#reachable(order).length > 0) return ["would take"]
    if (price === rest.order.price && left <= rest.left) {
      rest.left = left
      return [`amended ${id}`]
    }
    this.rests = this.rests.filter((each) => each !== rest)
    return [`amended ${id}`, ...this.#match(order, left)]
  }

  #match(order: MatchOrder, quantity: bigint): Array<string> {
    const log: Array<string> = []
    let left = quantity
    for (const rest of this.#reachable(order)) {
      if (left === 0n) break
      if (rest.order.owner === order.owner && this.policy !== "NONE") {
        if (this.policy === "CANCEL_NEWEST") return [...log, `done ${order.id} SELF_TRADE_PREVENTION`]
        log.push(`done ${rest.order.id} SELF_TRADE_PREVENTION`)
        this.rests = this.rests.filter((each) => each !== rest)
        continue
      }
      const part = left < rest.left ? left : rest.left
      left -= part
      rest.left -= part
      log.push(`trade ${rest.order.id} ${order.id} ${part} ${rest.order.price}`)
      if (rest.left === 0n) {
        log.push(`done ${rest.order.id} FILLED`)
        this.rests = this.rests.filter((each) => each !== rest)
      }
    }
    if (left === 0n) log.push(`done ${order.id} FILLED`)
    else if (order.price === null) log.push(`done ${order.id} NO_LIQUIDITY`)
    else if (order.timeInForce !== "GTC") log.push(`done ${order.id} IOC_REMAINDER`)
    else this.rests.push({ order, at: this.#at++, left })
    return log
  }

  cancel(id: string): Array<string> {
    const found = this.rests.some((rest) => rest.order.id === id)
    this.rests = this.rests.filter((rest) => rest.order.id !== id)
    return found ? [`done ${id} CANCELLED`] : []
  }

  levels(side: "BUY" | "SELL"): Array<readonly [bigint, bigint]> {
    const totals = new Map<bigint, bigint>()
    for (const { order, left } of this.rests)
      if (order.side === side) totals.set(order.price!, (totals.get(order.price!) ?? 0n) + left)
    return [...totals].sort((a, b) => Number(a[0] - b[0]) * (side === "BUY" ? -1 : 1))
  }
}

const spoken = (events: ReadonlyArray<MatchEvent>): Array<string> => {
  const lines: Array<string> = []
  for (const event of events)
    if (event._tag === "Accepted") lines.push(`accepted ${event.order.id}`)
    else if (event._tag === "Amended") lines.push(`amended ${event.order.id}`)
    else if (event._tag === "Done") lines.push(`done ${event.order.id} ${event.reason}`)
    else if (event._tag === "Traded")
      lines.push(`trade ${event.maker.id} ${event.taker.id} ${event.quantity} ${event.price}`)
  return lines
}

const request = fc.record({
  kind: fc.constantFrom(
    "limit",
    "limit",
    "limit",
    "limit",
    "ioc",
    "fok",
    "post",
    "market",
    "cancel",
    "cancel",
    "amend",
    "amend",
  ),
  owner: fc.constantFrom("ann", "bob", "cy"),
  side: fc.constantFrom<"BUY" | "SELL">("BUY", "SELL"),
  price: fc.bigInt({ min: 97n, max: 103n }),
  quantity: fc.bigInt({ min: 1n, max: 20n }),
  which: fc.nat(),
})

describe("a matcher", () => {
  it("does what the naive matcher does, event by event and level by level", () => {
    void fc.assert(
      fc.property(
        fc.constantFrom<SelfTradePrevention>("NONE", "CANCEL_NEWEST", "CANCEL_OLDEST"),
        fc.array(request, { maxLength: 80 }),
        (policy, requests) => {
          const real = new Matcher(policy)
          const naive = new NaiveMatcher(policy)
          const shown = { BUY: new Map<bigint, bigint>(), SELL: new Map<bigint, bigint>() }
          requests.forEach(({ kind, owner, side, price, quantity, which }, at) => {
            const order: MatchOrder = {
              id: `${at}`,
              owner,
              side,
              price: kind === "market" ? null : price,
              quantity,
              timeInForce: kind === "ioc" ? "IOC" : kind === "fok" ? "FOK" : "GTC",
              postOnly: kind === "post",
            }
            const cancelled = `${which % (at + 1)}`
            const rest = naive.rests[which % Math.max(1, naive.rests.length)]
            const known = rest?.order.id ?? cancelled
            // At its own price it may keep its place.
            const aim = at % 2 === 0 ? (rest?.order.price ?? price) : price
            const amended = kind === "amend" ? (real.amend(known, aim, quantity) ?? []) : []
            const events =
              amended === "WOULD_TAKE"
                ? []
                : kind === "amend"
                  ? amended
                  : kind === "cancel"
                    ? real.cancel(cancelled)
                    : real.submit(order)
            const expected =
              kind === "amend"
                ? naive.amend(known, aim, quantity)
                : kind === "cancel"
                  ? naive.cancel(cancelled)
                  : naive.submit(order)
            expect(amended === "WOULD_TAKE" ? ["would take"] : spoken(events)).toEqual(expected)
            for (const event of events) {
              if (event._tag !== "LevelChanged") continue
              if (event.quantity === 0n) shown[event.side].delete(event.price)
              else shown[event.side].set(event.price, event.quantity)
            }
            for (const each of ["BUY", "SELL"] as const) {
              const levels = [...real.levels(each)].map((level) => [level.price, level.quantity] as const)
              expect(levels).toEqual(naive.levels(each))
              expect(new Map(levels)).toEqual(shown[each])
            }
          })
        },
      ),
      { numRuns: 300 },
    )
  })
})
