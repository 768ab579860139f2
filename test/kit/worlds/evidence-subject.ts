/** One order that evidence is folded into: what a caller of the reducer remembers beside its image, and every execution that counts. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { ExecutionId, TradeOrderId } from "../../../src/domain/ids.ts"
import type { Known, OrderEffect, OrderEvidence } from "../../../src/domain/order/evidence/effects.ts"
import { fold } from "../../../src/domain/order/evidence/evidence.ts"
import type { Execution, TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { OrderView } from "../../../src/domain/order/view.ts"

/** Far more than any piece of evidence can set off. */
const STEPS_MAX = 20

export const viewOf = (patch: Partial<OrderView> = {}): OrderView => ({
  externalOrderId: "1",
  status: "OPEN",
  ending: null,
  quantity: null,
  limitPrice: null,
  executedQuantity: Decimal.ZERO,
  isTriggered: false,
  createdAt: 0,
  updatedAt: null,
  ...patch,
})

export interface SomeTrade {
  readonly id: string
  readonly quantity: string
  readonly price: string
}

export class EvidenceSubject {
  known: Known
  /** That count, by id. */
  readonly executions = new Map<ExecutionId, Execution>()
  readonly effects: Array<OrderEffect> = []
  readonly #counted = new Map<string, TradeOrderId>()
  #ids = 0

  constructor(order: TradeOrder, patch: Partial<Known> = {}) {
    this.known = {
      order,
      owed: null,
      partner: null,
      isRestarted: false,
      isConnected: true,
      now: 1_000,
      changeKnownMillis: Number.POSITIVE_INFINITY,
      venue: { inProcess: false, orderExpiryMillis: 5_000 },
      ...patch,
    }
  }

  get order(): TradeOrder {
    return this.known.order
  }

  /** Answers what it set off, in order. */
  take(evidence: OrderEvidence): ReadonlyArray<OrderEffect> {
    const from = this.effects.length
    this.#take(evidence, 0)
    return this.effects.slice(from)
  }

  trade({ id, quantity, price }: SomeTrade): ReadonlyArray<OrderEffect> {
    const executedQuantity = Decimal.of(quantity)
    const executedPrice = Decimal.of(price)
    const { tradeOrderId, tradingAccountId, venue, instrumentId, orderSide } = this.order
    const execution: Execution = {
      executionId: this.#nextId(),
      externalTradeId: id,
      tradeOrderId,
      tradingAccountId,
      venue,
      instrumentId,
      orderSide,
      executedQuantity,
      executedPrice,
      executedCost: executedPrice.multiply(executedQuantity),
      fees: [],
      inferred: false,
      replaces: null,
      executedAt: 10,
    }
    const countedFor = this.#counted.get(id) ?? null
    return this.take({ _tag: "Trade", execution, externalOrderId: "1", countedFor, isListed: true })
  }

  view(patch: Partial<OrderView>, asked = false): ReadonlyArray<OrderEffect> {
    return this.take({ _tag: "View", view: viewOf(patch), asked })
  }

  /** The trades were read, and what is owed is not among them. */
  unexplained(price = "100"): ReadonlyArray<OrderEffect> {
    return this.take({ _tag: "Unexplained", executionId: this.#nextId(), price: Decimal.of(price), namedAt: 10 })
  }

  /** Of all executions that count. */
  sum(): Decimal {
    return [...this.executions.values()].reduce((sum, it) => sum.add(it.executedQuantity), Decimal.ZERO)
  }

  #nextId(): ExecutionId {
    return `0eeeeeee-0000-4000-8000-${String(++this.#ids).padStart(12, "0")}` as ExecutionId
  }

  #take(evidence: OrderEvidence, depth: number): void {
    if (depth > STEPS_MAX) throw new Error("evidence that never comes to an end")
    const { order, effects } = fold(this.known, evidence)
    this.known = { ...this.known, order }
    for (const effect of effects) {
      this.effects.push(effect)
      if (effect._tag === "Owe") this.known = { ...this.known, owed: effect.view }
      if (effect._tag === "Change") this.#count(effect)
      if (effect._tag === "Then") this.#take(effect.evidence, depth + 1)
    }
  }

  #count({ executions = [] }: Extract<OrderEffect, { readonly _tag: "Change" }>): void {
    for (const { execution, replaced } of executions) {
      if (replaced !== null) this.executions.delete(replaced.executionId)
      this.executions.set(execution.executionId, execution)
      if (!execution.inferred) this.#counted.set(execution.externalTradeId, execution.tradeOrderId)
    }
  }
}
