/** The reducer of evidence: in whichever order and however often it is told, an order comes to the same. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { OrderEvidence } from "../../../src/domain/order/evidence/effects.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import { NO_TERMS, type RequestedChange } from "../../../src/domain/order/terms.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { OrderView } from "../../../src/domain/order/view.ts"
import { someOrder } from "../../kit/records/some-order.ts"
import { EvidenceSubject, type SomeTrade } from "../../kit/worlds/evidence-subject.ts"

const submitted = (patch: Partial<TradeOrder> = {}): TradeOrder =>
  someOrder({ orderStatus: "SUBMITTED", externalOrderId: null, held: Decimal.of("1000"), notAfter: 2_000, ...patch })

type Word =
  | { readonly _tag: "Trade"; readonly trade: SomeTrade }
  | { readonly _tag: "View"; readonly view: Partial<OrderView> }
  | { readonly _tag: "Answer"; readonly answer: OrderEvidence }
  | { readonly _tag: "Unexplained" }

const tell = (subject: EvidenceSubject, word: Word): void => {
  switch (word._tag) {
    case "Trade":
      return void subject.trade(word.trade)
    case "View":
      return void subject.view(word.view)
    case "Answer":
      return void subject.take(word.answer)
    case "Unexplained":
      return void subject.unexplained()
  }
}

/** What one life of an order makes its venue say: each trade, each view on the way, its end, and what answered the submit. */
interface Life {
  readonly words: ReadonlyArray<Word>
  /** Indices of words, in the order in which they are told; each at least once. */
  readonly told: ReadonlyArray<number>
  /** At the venue, in all. */
  readonly executed: Decimal
  readonly isCancelled: boolean
}

const wordsOf = (
  sizes: ReadonlyArray<number>,
  {
    isCancelled,
    isListed,
    hasTimes,
    isVague,
  }: {
    readonly isCancelled: boolean
    readonly isListed: boolean
    readonly hasTimes: boolean
    readonly isVague: boolean
  },
): Omit<Life, "told"> => {
  const words: Array<Word> = [{ _tag: "Answer", answer: { _tag: "Accepted", externalOrderId: "1", at: 1 } }]
  let executed = Decimal.ZERO
  const show = (status: OrderView["status"], at: number): void => {
    const updatedAt = hasTimes ? at : null
    words.push({ _tag: "View", view: { status, executedQuantity: executed, updatedAt } })
  }
  show("OPEN", 1)
  for (const [index, size] of sizes.entries()) {
    const quantity = Decimal.of(String(size))
    const isLast = executed.add(quantity).atLeast(Decimal.of("10"))
    const taken = isLast ? Decimal.of("10").subtract(executed) : quantity
    executed = executed.add(taken)
    // A venue that lists no trades is believed by its views alone.
    if (isListed) {
      const trade = { id: `T${index}`, quantity: taken.toString(), price: String(90 + index) }
      words.push({ _tag: "Trade", trade })
    }
    if (isLast) break
    // A word that the gateway does not know may come with a quantity.
    show(isVague ? "UNKNOWN" : "OPEN", index + 2)
  }
  const isFilled = executed.equals(Decimal.of("10"))
  if (isFilled) show("FILLED", 50)
  else if (isCancelled) show("CANCELLED", 50)
  return { words, executed, isCancelled: isCancelled && !isFilled }
}

const life = (kind: "listed" | "unlisted" | "any"): fc.Arbitrary<Life> =>
  fc
    .record({
      sizes: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 6 }),
      isCancelled: fc.boolean(),
      isListed: kind === "any" ? fc.boolean() : fc.constant(kind === "listed"),
      hasTimes: fc.boolean(),
      isVague: fc.boolean(),
    })
    .chain(({ sizes, ...how }) => {
      const made = wordsOf(sizes, how)
      const words: ReadonlyArray<Word> = [...made.words, { _tag: "Unexplained" }, { _tag: "Unexplained" }]
      const each = words.map((_, index) => index)
      return fc
        .tuple(
          fc.shuffledSubarray(each, { minLength: each.length, maxLength: each.length }),
          fc.array(fc.tuple(fc.nat(words.length - 1), fc.nat(40)), { maxLength: 8 }),
        )
        .map(([order, repeats]) => {
          const told = [...order]
          for (const [word, at] of repeats) told.splice(at, 0, word)
          return { ...made, words, told }
        })
    })

const RUNS = { numRuns: 500 }

describe("evidence in any order, told any number of times", () => {
  it("comes to what the venue executed, and to one state", () => {
    void fc.assert(
      fc.property(life("any"), ({ words, told, executed, isCancelled }) => {
        const subject = new EvidenceSubject(submitted())
        for (const index of told) tell(subject, words[index]!)
        // What is owed at the end is inferred, as it is when its time is over.
        subject.unexplained()
        const { order } = subject
        expect(order.executedQuantity.toString()).toBe(executed.toString())
        const isFilled = executed.equals(order.baseQuantity)
        const open = executed.isZero() ? "ACCEPTED" : "PARTIALLY_FILLED"
        expect(order.orderStatus).toBe(isFilled ? "FILLED" : isCancelled ? "CANCELLED" : open)
        expect(subject.known.owed).toBeNull()
        expect(order.overfillQuantity.isZero()).toBe(true)
      }),
      RUNS,
    )
  })

  it("never takes back what was executed, and what its executions come to is what it says", () => {
    void fc.assert(
      fc.property(life("any"), ({ words, told }) => {
        const subject = new EvidenceSubject(submitted())
        for (const index of told) {
          const before = subject.order
          tell(subject, words[index]!)
          const { order } = subject
          expect(order.executedQuantity.atLeast(before.executedQuantity)).toBe(true)
          expect(subject.sum().toString()).toBe(order.executedQuantity.toString())
          expect(order.executionCount).toBe(subject.executions.size)
          if (isTerminal(before.orderStatus) && order.orderStatus !== before.orderStatus)
            expect([before.orderStatus, order.orderStatus]).toEqual(["CANCELLED", "FILLED"])
          if (isTerminal(order.orderStatus)) expect(order.held.isZero() && order.doubt === null).toBe(true)
        }
      }),
      RUNS,
    )
  })

  it("costs what the trades cost, once all of them are told", () => {
    void fc.assert(
      fc.property(life("listed"), ({ words, told }) => {
        const subject = new EvidenceSubject(submitted())
        for (const index of told) tell(subject, words[index]!)
        const cost = words.reduce(
          (sum, it) =>
            it._tag === "Trade" ? sum.add(Decimal.of(it.trade.price).multiply(Decimal.of(it.trade.quantity))) : sum,
          Decimal.ZERO,
        )
        expect(subject.order.executedCost.toString()).toBe(cost.toString())
        expect(subject.order.unexplained).toBeNull()
      }),
      RUNS,
    )
  })

  it("says nothing new the second time", () => {
    void fc.assert(
      fc.property(life("any"), ({ words, told }) => {
        const subject = new EvidenceSubject(submitted())
        for (const index of told) tell(subject, words[index]!)
        subject.unexplained()
        for (const word of words) {
          const before = subject.order
          tell(subject, word)
          expect(subject.order).toBe(before)
        }
      }),
      RUNS,
    )
  })

  it("makes no difference to what an answer to a change or a cancel decides", () => {
    const change: RequestedChange = {
      how: "AMEND",
      baseQuantity: null,
      limitPrice: null,
      stopPrice: null,
      askedAt: 0,
      executedBefore: Decimal.ZERO,
      heldBefore: Decimal.of("1000"),
      held: Decimal.of("1000"),
    }
    const changing = (to: number): TradeOrder =>
      someOrder({
        orderStatus: "PENDING_REPLACE",
        statusBeforeCancel: "ACCEPTED",
        held: Decimal.of(String(Math.max(1_000, to * 100))),
        terms: {
          ...NO_TERMS,
          change: { ...change, baseQuantity: Decimal.of(String(to)), held: Decimal.of(String(to * 100)) },
        },
      })
    const cancelling = someOrder({
      orderStatus: "PENDING_CANCEL",
      statusBeforeCancel: "ACCEPTED",
      cancelRequested: true,
      held: Decimal.of("1000"),
    })
    const answers: fc.Arbitrary<readonly [TradeOrder, OrderEvidence]> = fc.oneof(
      fc
        .integer({ min: 1, max: 20 })
        .chain((to) =>
          fc.constantFrom(
            [changing(to), { _tag: "AmendAccepted", askedAt: 0, externalOrderId: "1", at: 5 }] as const,
            [changing(to), { _tag: "AmendRefused", askedAt: 0, unknownOrder: false, text: "no", at: 5 }] as const,
          ),
        ),
      fc.constantFrom(
        [cancelling, { _tag: "CancelAccepted", at: 5 }] as const,
        [cancelling, { _tag: "CancelRefused", unknownOrder: false, text: "no", at: 5 }] as const,
      ),
    )
    void fc.assert(
      fc.property(
        answers,
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
        fc.nat(4),
        (asked, sizes, at) => {
          const [order, answer] = asked
          const aim = answer._tag === "AmendAccepted" ? (order.terms?.change?.baseQuantity ?? null) : null
          // No venue executes more than is ordered by then.
          fc.pre(Decimal.of(String(sizes.reduce((sum, size) => sum + size, 0))).atMost(aim ?? order.baseQuantity))
          const words: Array<Word> = sizes.map((size, index) => ({
            _tag: "Trade",
            trade: { id: `T${index}`, quantity: String(size), price: "100" },
          }))
          const told = (place: number): object => {
            const subject = new EvidenceSubject(order)
            for (const word of words.toSpliced(place, 0, { _tag: "Answer", answer })) tell(subject, word)
            const { orderStatus, executedQuantity, baseQuantity, held, terms, doubt } = subject.order
            const [executed, ordered, kept] = [executedQuantity, baseQuantity, held].map((it) => it.toString())
            return { orderStatus, executed, ordered, kept, terms, doubt }
          }
          expect(told(at)).toEqual(told(0))
        },
      ),
      RUNS,
    )
  })
})
