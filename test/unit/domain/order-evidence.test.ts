/** The reducer of evidence at its edges: what each piece of evidence makes of an order, and what follows from it. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { ExecutionId } from "../../../src/domain/ids.ts"
import type { OrderEffect, OrderEvidence } from "../../../src/domain/order/evidence/effects.ts"
import { IllegalTransition } from "../../../src/domain/order/evidence/progress.ts"
import { NO_TERMS, type RequestedChange } from "../../../src/domain/order/terms.ts"
import type { Execution, TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { OrderView } from "../../../src/domain/order/view.ts"
import { someOrder } from "../../kit/records/some-order.ts"
import { EvidenceSubject, viewOf } from "../../kit/worlds/evidence-subject.ts"
import { triggerAt } from "../../kit/worlds/list-world.ts"

const NO_ID = "0eeeeeee-0000-4000-8000-00000000ffff" as ExecutionId

const submitted = (patch: Partial<TradeOrder> = {}): TradeOrder =>
  someOrder({ orderStatus: "SUBMITTED", externalOrderId: null, held: Decimal.of("1000"), notAfter: 2_000, ...patch })

const working = (patch: Partial<TradeOrder> = {}): TradeOrder => someOrder({ held: Decimal.of("1000"), ...patch })

const cancelling = (patch: Partial<TradeOrder> = {}): TradeOrder =>
  working({ orderStatus: "PENDING_CANCEL", statusBeforeCancel: "ACCEPTED", cancelRequested: true, ...patch })

const unshown = (patch: Partial<TradeOrder> = {}): TradeOrder =>
  cancelling({ externalOrderId: null, statusBeforeCancel: "UNKNOWN", ...patch })

const asked: RequestedChange = {
  how: "AMEND",
  baseQuantity: Decimal.of("20"),
  limitPrice: null,
  stopPrice: null,
  askedAt: 0,
  executedBefore: Decimal.ZERO,
  heldBefore: Decimal.of("1000"),
  held: Decimal.of("2000"),
}
const amending = (change: Partial<RequestedChange> = {}, patch: Partial<TradeOrder> = {}): TradeOrder =>
  working({
    orderStatus: "PENDING_REPLACE",
    statusBeforeCancel: "ACCEPTED",
    held: Decimal.of("2000"),
    terms: { ...NO_TERMS, change: { ...asked, ...change } },
    ...patch,
  })

interface Edge {
  readonly what: string
  readonly order: TradeOrder
  readonly evidence: OrderEvidence
  /** Of the order afterwards. */
  readonly becomes: Partial<TradeOrder>
  /** What is to be done, in order, but for what is heard. */
  readonly effects: ReadonlyArray<string>
  readonly known?: ConstructorParameters<typeof EvidenceSubject>[1]
}

/** An effect in a word or two. */
const said = (effect: OrderEffect): string => {
  switch (effect._tag) {
    case "Change":
      return [effect.kind ?? "quiet", effect.further?.kind, ...(effect.alerts ?? []).map(({ code }) => code)]
        .filter((it) => it !== undefined)
        .join(" + ")
        .replaceAll("TRADE_ORDER.", "")
    case "Owe":
      return effect.view === null ? "explained" : `owed ${effect.view.executedQuantity}`
    default:
      return effect._tag
  }
}

const NATIVE = { ...NO_TERMS, trigger: triggerAt("STOP", "90", "NATIVE") }

const view = (patch: Partial<OrderView>, isAsked = false): OrderEvidence => ({
  _tag: "View",
  view: viewOf(patch),
  asked: isAsked,
})

const EDGES: ReadonlyArray<Edge> = [
  {
    what: "a refusal of what was never heard of rejects it",
    order: submitted(),
    evidence: { _tag: "Refused", code: "REFUSED", text: "no", at: 5 },
    becomes: { orderStatus: "REJECTED", rejectReason: "REFUSED: no" },
    effects: ["REJECTED"],
  },
  {
    what: "a refusal of what the venue has shown is a doubt",
    order: working(),
    evidence: { _tag: "Refused", code: "REFUSED", text: "no", at: 5 },
    becomes: { orderStatus: "ACCEPTED", doubt: { kind: "SUBMIT", notFounds: 0, knownMillis: 0 } },
    effects: ["quiet", "Quarantine", "Ask"],
  },
  {
    what: "what provably did not leave is sent again",
    order: submitted(),
    evidence: { _tag: "NotSent", reason: "closed", at: 5 },
    becomes: { orderStatus: "SUBMITTED" },
    effects: ["SendAgain"],
  },
  {
    what: "what provably did not leave and is not wanted any more is cancelled",
    order: cancelling({ externalOrderId: null }),
    evidence: { _tag: "NotSent", reason: "closed", at: 5 },
    becomes: { orderStatus: "CANCELLED", cancelReason: "USER_REQUEST" },
    effects: ["CANCELLED"],
  },
  {
    what: "what cannot be sent is rejected, late if its time is over",
    order: submitted({ notAfter: 900 }),
    evidence: { _tag: "Unsendable", reason: "closed", at: 5 },
    becomes: { orderStatus: "REJECTED", rejectReason: "GATEWAY_LATE" },
    effects: ["REJECTED"],
  },
  {
    what: "a submit without an answer is in doubt",
    order: submitted(),
    evidence: { _tag: "InDoubt", reason: "timeout", at: 5 },
    becomes: { orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT", notFounds: 0, knownMillis: 0 } },
    effects: ["UNKNOWN", "Ask"],
  },
  {
    what: "a submit without an answer is in no doubt once the venue has shown the order",
    order: working(),
    evidence: { _tag: "InDoubt", reason: "timeout", at: 5 },
    becomes: { orderStatus: "ACCEPTED", doubt: null },
    effects: [],
  },
  {
    what: "an acknowledgement ends the doubt of the submit",
    order: submitted({ orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT", notFounds: 2, knownMillis: 9 } }),
    evidence: { _tag: "Accepted", externalOrderId: "1", at: 5 },
    becomes: { orderStatus: "ACCEPTED", doubt: null, externalOrderId: "1" },
    effects: ["ACCEPTED"],
  },
  {
    what: "a cancel is confirmed",
    order: cancelling(),
    evidence: { _tag: "CancelAccepted", at: 5 },
    becomes: { orderStatus: "CANCELLED" },
    effects: ["End"],
  },
  {
    what: "a confirmed cancel waits for the trades that the venue has named",
    order: cancelling(),
    known: { owed: viewOf({ executedQuantity: Decimal.of("2") }) },
    evidence: { _tag: "CancelAccepted", at: 5 },
    becomes: { orderStatus: "PENDING_CANCEL", doubt: { kind: "EXECUTED" } },
    effects: ["quiet", "Ask"],
  },
  {
    what: "a confirmed cancel that was not asked for is no end",
    order: working(),
    evidence: { _tag: "CancelAccepted", at: 5 },
    becomes: { orderStatus: "ACCEPTED" },
    effects: ["Ask"],
  },
  {
    what: "a refused cancel lets the order work on",
    order: cancelling({ executedQuantity: Decimal.of("1") }),
    evidence: { _tag: "CancelRefused", unknownOrder: false, text: "no", at: 5 },
    becomes: { orderStatus: "PARTIALLY_FILLED", cancelRequested: false },
    effects: ["PARTIALLY_FILLED"],
  },
  {
    what: "a refused cancel leaves the change that is under way in doubt, and that can still be made",
    order: amending({}, { orderStatus: "PENDING_CANCEL", cancelRequested: true }),
    evidence: { _tag: "CancelRefused", unknownOrder: false, text: "no", at: 5 },
    becomes: { orderStatus: "PENDING_REPLACE", statusBeforeCancel: "ACCEPTED", doubt: { kind: "AMEND" } },
    effects: ["PENDING_REPLACE"],
  },
  {
    what: "a refused cancel says nothing of a submit in doubt",
    order: cancelling({ externalOrderId: null, doubt: { kind: "SUBMIT", notFounds: 1, knownMillis: 7 } }),
    evidence: { _tag: "CancelRefused", unknownOrder: false, text: "busy", at: 5 },
    becomes: { orderStatus: "ACCEPTED", doubt: { kind: "SUBMIT", notFounds: 1, knownMillis: 7 } },
    effects: ["ACCEPTED"],
  },
  {
    what: "a cancel of what the venue says it does not know is a question",
    order: cancelling(),
    evidence: { _tag: "CancelRefused", unknownOrder: true, text: "what?", at: 5 },
    becomes: { orderStatus: "PENDING_CANCEL" },
    effects: ["Ask"],
  },
  {
    what: "a cancel without an answer is in doubt",
    order: cancelling(),
    evidence: { _tag: "CancelInDoubt", reason: "timeout", at: 5 },
    becomes: { doubt: { kind: "CANCEL" } },
    effects: ["quiet", "Ask"],
  },
  {
    what: "a change is made",
    order: amending(),
    evidence: { _tag: "AmendAccepted", askedAt: 0, externalOrderId: "2", at: 5 },
    becomes: { orderStatus: "ACCEPTED", baseQuantity: Decimal.of("20"), externalOrderId: "2", terms: null },
    effects: ["REPLACED + ACCEPTED", "FreshBalances"],
  },
  {
    what: "a change to what is executed already ends the order",
    order: amending({ baseQuantity: Decimal.of("4") }, { executedQuantity: Decimal.of("4") }),
    evidence: { _tag: "AmendAccepted", askedAt: 0, externalOrderId: "1", at: 5 },
    becomes: { orderStatus: "FILLED" },
    effects: ["FILLED"],
  },
  {
    what: "a change that came too late ends with its order",
    order: amending({}, { executedQuantity: Decimal.of("10") }),
    evidence: { _tag: "AmendRefused", askedAt: 0, unknownOrder: false, text: "over", at: 5 },
    becomes: { orderStatus: "FILLED", baseQuantity: Decimal.of("10") },
    effects: ["FILLED"],
  },
  {
    what: "a change that came too late ends with its order, also while that is being cancelled",
    order: amending({}, { cancelRequested: true, executedQuantity: Decimal.of("10") }),
    evidence: { _tag: "AmendRefused", askedAt: 0, unknownOrder: false, text: "over", at: 5 },
    becomes: { orderStatus: "FILLED", baseQuantity: Decimal.of("10"), terms: null },
    effects: ["FILLED"],
  },
  {
    what: "an order that was executed whole is FILLED when the venue has forgotten it, whatever was asked of it since",
    order: amending({}, { orderStatus: "PARTIALLY_FILLED", cancelRequested: true, executedQuantity: Decimal.of("10") }),
    evidence: { _tag: "NotFound", proof: "WHOLE" },
    becomes: { orderStatus: "FILLED", baseQuantity: Decimal.of("10"), terms: null },
    effects: ["FILLED"],
  },
  {
    what: "an answer to an earlier change, which a view has decided, does not make the one that is under way",
    order: amending({ askedAt: 700 }),
    evidence: { _tag: "AmendAccepted", askedAt: 0, externalOrderId: "1", at: 900 },
    becomes: { orderStatus: "PENDING_REPLACE", baseQuantity: Decimal.of("10") },
    effects: [],
  },
  {
    what: "nor does it end the one that is under way",
    order: amending({ askedAt: 700 }),
    evidence: { _tag: "AmendRefused", askedAt: 0, unknownOrder: false, text: "no", at: 900 },
    becomes: { orderStatus: "PENDING_REPLACE", baseQuantity: Decimal.of("10") },
    effects: [],
  },
  {
    what: "nor does it put that in doubt",
    order: amending({ askedAt: 700 }),
    evidence: { _tag: "AmendInDoubt", askedAt: 0, reason: "timeout", at: 900 },
    becomes: { orderStatus: "PENDING_REPLACE", doubt: null },
    effects: [],
  },
  {
    what: "a change is seen to be made",
    order: amending(),
    evidence: view({ quantity: Decimal.of("20") }),
    becomes: { orderStatus: "ACCEPTED", baseQuantity: Decimal.of("20") },
    effects: ["Then", "REPLACED + ACCEPTED", "FreshBalances"],
  },
  {
    what: "a change is not given up while it may still arrive",
    order: amending(),
    evidence: view({ quantity: Decimal.of("10") }, true),
    becomes: { orderStatus: "PENDING_REPLACE" },
    effects: ["Then"],
  },
  {
    what: "a change is given up once it cannot arrive any more",
    order: amending(),
    known: { now: 60_000 },
    evidence: view({ quantity: Decimal.of("10") }, true),
    becomes: { orderStatus: "ACCEPTED", baseQuantity: Decimal.of("10") },
    effects: ["Then", "ACCEPTED"],
  },
  {
    what: "a view that names more than the trades waits for them",
    order: working(),
    evidence: view({ status: "FILLED", executedQuantity: Decimal.of("10") }),
    becomes: { orderStatus: "ACCEPTED", executedQuantity: Decimal.ZERO },
    effects: ["owed 10"],
  },
  {
    what: "FILLED without a quantity names all of it",
    order: working(),
    known: { owed: viewOf({ executedQuantity: Decimal.of("3") }) },
    evidence: view({ status: "FILLED" }),
    becomes: { orderStatus: "ACCEPTED" },
    effects: ["owed 10"],
  },
  {
    what: "an older view says nothing",
    order: working({ venueUpdatedAt: 50, doubt: { kind: "UNREACHABLE" } }),
    evidence: view({ updatedAt: 40 }),
    becomes: { doubt: { kind: "UNREACHABLE" } },
    effects: [],
  },
  {
    what: "an answer is never older than its question",
    order: working({ venueUpdatedAt: 50, doubt: { kind: "UNREACHABLE" } }),
    evidence: view({ updatedAt: 40 }, true),
    becomes: { doubt: null },
    effects: ["quiet", "Then"],
  },
  {
    what: "the venue's own trigger fires before anything else is told",
    order: submitted({ terms: NATIVE }),
    evidence: view({ isTriggered: true, updatedAt: 7 }),
    becomes: { orderStatus: "ACCEPTED" },
    effects: ["ACCEPTED", "Then", "TRIGGERED", "Then", "Then"],
  },
  {
    what: "the venue ends a change with its order, in one unit",
    order: amending(),
    evidence: view({ status: "REJECTED" }),
    becomes: { orderStatus: "REJECTED", rejectReason: "VENUE: rejected" },
    effects: ["ACCEPTED + REJECTED"],
  },
  {
    what: "what was executed is not rejected, and if the venue says so again it has ended the rest",
    order: working({ orderStatus: "PARTIALLY_FILLED", executedQuantity: Decimal.of("1") }),
    evidence: view({ status: "REJECTED", executedQuantity: Decimal.of("1") }, true),
    becomes: { orderStatus: "CANCELLED", cancelReason: "VENUE" },
    effects: ["End"],
  },
  {
    what: "what was given up and appears is cancelled, and told once",
    order: submitted({ orderStatus: "REJECTED", rejectReason: "NOT_PLACED" }),
    evidence: { _tag: "Accepted", externalOrderId: "9", at: 5 },
    becomes: { orderStatus: "REJECTED", externalOrderId: "9" },
    effects: ["CancelThere", "quiet + LATE_APPEARANCE"],
  },
  {
    what: "what was given up and appears executed in part is cancelled before its trades are known",
    order: submitted({ orderStatus: "REJECTED", rejectReason: "NOT_PLACED" }),
    evidence: view({ executedQuantity: Decimal.of("1") }),
    becomes: { orderStatus: "REJECTED", externalOrderId: viewOf({}).externalOrderId },
    effects: ["CancelThere", "quiet + LATE_APPEARANCE", "owed 1"],
  },
  {
    what: "what was given up and appears again is cancelled again",
    order: working({ orderStatus: "REJECTED", rejectReason: "NOT_PLACED" }),
    evidence: view({}),
    becomes: { orderStatus: "REJECTED" },
    effects: ["CancelThere"],
  },
  {
    what: "what the venue has rejected does not appear by an older view",
    order: working({ orderStatus: "REJECTED", rejectReason: "VENUE: rejected" }),
    evidence: view({}),
    becomes: { orderStatus: "REJECTED" },
    effects: [],
  },
  {
    what: "a cancel that is done says nothing of what was executed of an order that the venue has never shown",
    order: unshown(),
    evidence: { _tag: "CancelAccepted", at: 5 },
    becomes: { orderStatus: "PENDING_CANCEL", doubt: { kind: "EXECUTED" } },
    effects: ["quiet", "Ask"],
  },
  {
    what: "and says nothing more the second time",
    order: unshown({ doubt: { kind: "EXECUTED" } }),
    evidence: { _tag: "CancelAccepted", at: 5 },
    becomes: { orderStatus: "PENDING_CANCEL", doubt: { kind: "EXECUTED" } },
    effects: ["Ask"],
  },
  {
    what: "an order whose cancel is done was there, also when the venue does not know it any more",
    order: unshown({ doubt: { kind: "EXECUTED" }, cancelReason: "DEAD_MAN_SWITCH" }),
    evidence: { _tag: "NotFound", proof: "WHOLE" },
    becomes: { orderStatus: "CANCELLED", cancelReason: "DEAD_MAN_SWITCH", rejectReason: null },
    effects: ["End"],
  },
  {
    what: "and one that is not",
    order: unshown({ doubt: { kind: "SUBMIT", notFounds: 3, knownMillis: 17_000 } }),
    evidence: { _tag: "NotFound", proof: "WHOLE" },
    becomes: { orderStatus: "REJECTED", cancelReason: null },
    effects: ["Watch", "REJECTED"],
  },
  {
    what: "a view of before does not undo a cancel that is done",
    order: unshown({ doubt: { kind: "EXECUTED" } }),
    evidence: view({}),
    becomes: { orderStatus: "PENDING_CANCEL", externalOrderId: "1", doubt: { kind: "EXECUTED" } },
    effects: ["quiet", "Then"],
  },
  {
    what: "an order that is asked for and works on was not cancelled, whatever was answered",
    order: unshown({ doubt: { kind: "EXECUTED" } }),
    evidence: view({}, true),
    becomes: { orderStatus: "PENDING_CANCEL", externalOrderId: "1", doubt: { kind: "CANCEL" } },
    effects: ["quiet", "Then", "quiet", "Then"],
  },
  {
    what: "an answer to its submit that comes late does not undo it either",
    order: unshown({ doubt: { kind: "EXECUTED" } }),
    evidence: { _tag: "InDoubt", reason: "timeout", at: 5 },
    becomes: { orderStatus: "PENDING_CANCEL", doubt: { kind: "EXECUTED" } },
    effects: ["quiet", "Ask"],
  },
  {
    what: "nor does the refusal of another cancel",
    order: unshown({ doubt: { kind: "EXECUTED" } }),
    evidence: { _tag: "CancelRefused", unknownOrder: false, text: "no", at: 5 },
    becomes: { orderStatus: "PENDING_CANCEL", doubt: { kind: "EXECUTED" } },
    effects: ["Ask"],
  },
  {
    what: "in this process the venue says everything itself",
    order: unshown(),
    known: { venue: { inProcess: true, orderExpiryMillis: null } },
    evidence: { _tag: "CancelAccepted", at: 5 },
    becomes: { orderStatus: "CANCELLED" },
    effects: ["End"],
  },
  {
    what: "a proof that grows is kept",
    order: submitted(),
    evidence: { _tag: "NotFound", proof: { notFounds: 1, knownMillis: 300, step: 1_000, provesFrom: null } },
    becomes: { orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT", notFounds: 1, knownMillis: 300 } },
    effects: ["UNKNOWN"],
  },
  {
    what: "a proof that has hardly grown is not",
    order: submitted({ orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT", notFounds: 1, knownMillis: 300 } }),
    evidence: { _tag: "NotFound", proof: { notFounds: 2, knownMillis: 900, step: 1_000, provesFrom: null } },
    becomes: { doubt: { kind: "SUBMIT", notFounds: 1, knownMillis: 300 } },
    effects: [],
  },
  {
    what: "that an order was shown that may be it is kept at once, however little the proof has grown",
    order: submitted({ orderStatus: "UNKNOWN", doubt: { kind: "SUBMIT", notFounds: 1, knownMillis: 300 } }),
    evidence: { _tag: "NotFound", proof: { notFounds: 0, knownMillis: 400, step: 1_000, provesFrom: 300_100 } },
    becomes: { doubt: { kind: "SUBMIT", notFounds: 0, knownMillis: 400, provesFrom: 300_100 } },
    effects: ["quiet"],
  },
  {
    what: "and that it is another's too",
    order: submitted({
      orderStatus: "UNKNOWN",
      doubt: { kind: "SUBMIT", notFounds: 0, knownMillis: 400, provesFrom: 300_100 },
    }),
    evidence: { _tag: "NotFound", proof: { notFounds: 1, knownMillis: 500, step: 1_000, provesFrom: null } },
    becomes: { doubt: { kind: "SUBMIT", notFounds: 1, knownMillis: 500 } },
    effects: ["quiet"],
  },
  {
    what: "what was never heard of and is proven absent was never placed",
    order: submitted({ orderStatus: "UNKNOWN" }),
    evidence: { _tag: "NotFound", proof: "WHOLE" },
    becomes: { orderStatus: "REJECTED", rejectReason: "NOT_PLACED: proven by expiry" },
    effects: ["Watch", "REJECTED"],
  },
  {
    what: "what the venue had, and has no more, is gone",
    order: working(),
    evidence: { _tag: "NotFound", proof: "WHOLE" },
    becomes: { orderStatus: "CANCELLED", cancelReason: "VENUE" },
    effects: ["End"],
  },
  {
    what: "what is over is not given up again",
    order: working({ orderStatus: "CANCELLED" }),
    evidence: { _tag: "NotFound", proof: "WHOLE" },
    becomes: { orderStatus: "CANCELLED" },
    effects: [],
  },
  {
    what: "a change of what was never placed ends first",
    order: amending({}, { externalOrderId: null }),
    evidence: { _tag: "NotFound", proof: "WHOLE" },
    becomes: { orderStatus: "REJECTED" },
    effects: ["ACCEPTED", "Then", "Watch", "REJECTED"],
  },
]

describe("evidence at the edges", () => {
  for (const { what, order, known, evidence, becomes, effects } of EDGES)
    it(what, () => {
      const subject = new EvidenceSubject(order, known)
      const after = subject.take(evidence)
      expect(after.filter(({ _tag }) => _tag !== "Heard" && _tag !== "Keep").map(said)).toEqual(effects)
      expect(subject.order).toMatchObject(becomes)
    })

  it("an ended order is filled by a trade alone, which says what it was", () => {
    const subject = new EvidenceSubject(working({ orderStatus: "CANCELLED", cancelReason: "REPLACED" }))
    const late = subject.trade({ id: "T1", quantity: "4", price: "100" })
    expect(late.map(said)).toEqual(["Heard", "LATE_FILL + FILL_AFTER_REPLACE"])
    expect(subject.order).toMatchObject({ orderStatus: "CANCELLED", executedQuantity: Decimal.of("4") })
    subject.trade({ id: "T2", quantity: "6", price: "100" })
    expect(subject.order).toMatchObject({ orderStatus: "FILLED", cancelReason: null })
    expect(subject.trade({ id: "T3", quantity: "1", price: "100" }).map(said)).toEqual([
      "Heard",
      "LATE_FILL + OVERFILL",
    ])
    expect(subject.order.overfillQuantity.toString()).toBe("1")
  })

  it("a trade of an exit takes its share of what the exit holds, whatever it cost", () => {
    const exit = { ...NO_TERMS, leg: "TAKE_PROFIT" } as const
    const subject = new EvidenceSubject(cancelling({ limitPrice: null, orderType: "TAKE_PROFIT", terms: exit }))
    subject.trade({ id: "T1", quantity: "4", price: "89" })
    expect(subject.order.held.toString()).toBe("600")
    const plain = new EvidenceSubject(working({ limitPrice: null, orderType: "MARKET" }))
    plain.trade({ id: "T1", quantity: "4", price: "89" })
    expect(plain.order.held.toString()).toBe("644")
  })

  it("a trade of another order, of the other side or of nothing is refused", () => {
    const subject = new EvidenceSubject(working())
    subject.trade({ id: "T1", quantity: "1", price: "100" })
    const [execution] = [...subject.executions.values()]
    const trade = { _tag: "Trade", externalOrderId: "1", countedFor: null, isListed: true } as const
    const other = "0ddddddd-0000-4000-8000-0000000000ff" as TradeOrder["tradeOrderId"]
    const wrong: ReadonlyArray<OrderEvidence> = [
      { ...trade, execution: { ...execution!, orderSide: "SELL" } },
      { ...trade, execution: { ...execution!, executedQuantity: Decimal.ZERO } },
      { ...trade, execution: execution!, countedFor: other },
    ]
    const before = subject.order
    for (const evidence of wrong) expect(() => subject.take(evidence)).toThrow(/^fill T1 /)
    expect(subject.order).toBe(before)
  })

  it("a trade that the stream alone tells, and that does not fit the order, has the venue asked; listed, it counts", () => {
    const subject = new EvidenceSubject(working())
    subject.trade({ id: "T1", quantity: "1", price: "100" })
    const [execution] = [...subject.executions.values()]
    const told = (patch: Partial<Execution>, countedFor: TradeOrder["tradeOrderId"] | null = null): OrderEvidence => ({
      _tag: "Trade",
      execution: { ...execution!, ...patch },
      externalOrderId: "1",
      countedFor,
      isListed: false,
    })
    const other = "0ddddddd-0000-4000-8000-0000000000ff" as TradeOrder["tradeOrderId"]
    const before = subject.order
    for (const evidence of [
      told({ orderSide: "SELL" }),
      told({ executedPrice: Decimal.of("100.01") }),
      told({ executedQuantity: Decimal.of("9.01") }),
      told({}, other),
    ])
      expect(subject.take(evidence)).toMatchObject([{ _tag: "ReadAgain", why: /^fill T1 / }])
    expect(subject.order).toBe(before)
    const much = { ...told({ executedQuantity: Decimal.of("9.01") }), isListed: true } as OrderEvidence
    expect(subject.take(much).map(said)).toEqual(["Heard", "FILLED + OVERFILL"])
  })

  it("the end of a process puts in doubt what may have left with it, and nothing else", () => {
    const told = (patch: Partial<TradeOrder>): readonly [ReadonlyArray<string>, TradeOrder] => {
      const subject = new EvidenceSubject(working({ externalOrderId: null, ...patch }))
      return [subject.take({ _tag: "Restarted" }).map(({ _tag }) => _tag), subject.order]
    }
    const trigger = { ...triggerAt("STOP", "90", "EMULATED"), triggeredAt: 5 }
    const doubt = { kind: "SUBMIT" }
    expect(told({ orderStatus: "CREATED" })).toMatchObject([["Change", "Ask"], { orderStatus: "UNKNOWN", doubt }])
    const fired = { orderStatus: "ACCEPTED", terms: { ...NO_TERMS, trigger } } as const
    expect(told(fired)).toMatchObject([["Change", "Ask"], { orderStatus: "ACCEPTED", doubt }])
    for (const patch of [{ ...fired, notAfter: null }, { ...fired, externalOrderId: "1" }, { externalOrderId: "1" }])
      expect(told(patch)).toMatchObject([[], { orderStatus: "ACCEPTED", doubt: null }])
    const cancelled = told({ externalOrderId: "1", orderStatus: "PENDING_CANCEL", doubt: { kind: "CANCEL" } })
    expect(cancelled).toMatchObject([["Ask"], { orderStatus: "PENDING_CANCEL", doubt: { kind: "CANCEL" } }])
  })

  it("what may not be throws: nothing that was executed is rejected by a view", () => {
    const subject = new EvidenceSubject(working())
    subject.trade({ id: "T1", quantity: "1", price: "100" })
    expect(() => subject.view({ status: "REJECTED", executedQuantity: Decimal.ONE })).toThrow(IllegalTransition)
  })

  it("without a price nothing is inferred", () => {
    const subject = new EvidenceSubject(working())
    subject.view({ executedQuantity: Decimal.of("2") })
    expect(subject.take({ _tag: "Unexplained", executionId: NO_ID, price: null, namedAt: 10 })).toEqual([])
    expect(subject.known.owed).not.toBeNull()
  })
})
