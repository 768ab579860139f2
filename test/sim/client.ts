/** A client of one trading account: what is asked for is drawn, and what is answered is held against what is durable at that moment. */
import type { AccountCommand, SubmitAnswer } from "../../src/actors/account/messages.ts"
import type { Position } from "../../src/domain/account/trading-account.ts"
import type { DomainError } from "../../src/domain/errors/domain-error.ts"
import { type InstrumentId, positionIdOf, type TradeOrderId, type TradingAccountId } from "../../src/domain/ids.ts"
import { isTerminal } from "../../src/domain/order/status.ts"
import { fingerprint, type SubmitRequest } from "../../src/domain/order/submit-request.ts"
import type { TradeOrder } from "../../src/domain/order/trade-order.ts"
import type { Reply } from "../../src/domain/reply.ts"
import type { OrderName } from "../../src/ports/account-store.ts"
import { DISCONNECTING } from "../kit/records/disconnecting.ts"
import type { AccountChecks } from "./checks/account.ts"
import { drawRequest, scaled } from "./requests.ts"
import type { Tally } from "./tally.ts"
import type { Random } from "./time.ts"
import type { SimMarkets } from "./venue/market.ts"
import type { Asked, World } from "./world.ts"

interface Sent {
  readonly request: SubmitRequest
  readonly print: string
  readonly asked: Asked<SubmitAnswer>
}

/** Refusals that leave open whether there is an order, or that say that there is one. */
const UNCERTAIN: ReadonlySet<string> = new Set([
  "OutcomeUnknown",
  "ShuttingDown",
  "IdempotencyConflict",
  "DuplicateClientOrderId",
])
/** What a question about an order that was acknowledged may be refused with. */
const MAY_WAIT: ReadonlySet<string> = new Set(["Busy", "ShuttingDown", "OutcomeUnknown", "AccountReconciling"])

export interface ClientTools {
  readonly world: World
  readonly market: SimMarkets
  readonly random: Random
  readonly tally: Tally
  readonly note: (what: string) => void
}

export class Client {
  private readonly sent: Array<Sent> = []
  private keys = 0

  constructor(
    readonly id: TradingAccountId,
    readonly checks: AccountChecks,
    private readonly tools: ClientTools,
  ) {}

  get exchange(): string {
    return this.checks.view.exchange
  }

  /** By what is durable. */
  get isConnected(): boolean {
    return this.checks.view.status() !== "DISCONNECTED"
  }

  submit(): void {
    const { random, market, world } = this.tools
    const name = `key-${this.keys++}`
    const dice = random.next()
    const named =
      dice < 0.7
        ? { idempotencyKey: name }
        : dice < 0.85
          ? { clientOrderId: name }
          : { idempotencyKey: name, clientOrderId: `client-${name}` }
    const traded = market.all.length === 1 ? market.all[0]! : random.pick(market.all)
    const { instrumentId, level, units } = traded
    const drawn = drawRequest(random, level, world.wall(), units)
    const request = this.requestOf({ instrumentId, ...drawn, ...this.reducing(instrumentId), ...named })
    this.send(request)
    // Twice in the same instant: the loser waits for the winner's row.
    if (random.chance(0.1)) this.send(request)
    if (random.chance(0.03)) this.send(this.otherBody(request))
    // Before it is stored.
    if (random.chance(0.05)) this.cancelByName(request)
  }

  /** Some orders at a venue of contracts name their position, most of them to make it smaller. */
  private reducing(instrumentId: InstrumentId): Partial<SubmitRequest> {
    const { random, tally, world } = this.tools
    const { positions, traits } = world.venue
    if (!traits.contracts || !random.chance(0.35)) return {}
    tally.add("position named")
    const isShort = positions.openIn(this.exchange, instrumentId).isNegative()
    const share = { quantity: random.pick(["100", "50", "20"]), quantityType: "POSITION_PERCENTAGE" }
    return {
      positionId: positionIdOf(this.id, instrumentId),
      orderSide: isShort === random.chance(0.9) ? "BUY" : "SELL",
      ...((random.chance(0.6) ? share : {}) as Partial<SubmitRequest>),
    }
  }

  private requestOf(drawn: Partial<SubmitRequest>): SubmitRequest {
    return {
      tradingAccountId: this.id,
      ...drawn,
    } as SubmitRequest
  }

  private send(request: SubmitRequest): void {
    const { note, random, tally, world } = this.tools
    note(`${this.name} submit ${JSON.stringify(request)}`)
    const handed = world.units.handedBy(this.id)
    const asked = world.submit(request, (answer) => {
      if ("error" in answer) {
        tally.add(`refused ${answer.error._tag}`)
        return
      }
      if (answer.ok.replayed) tally.add("replayed")
      this.named(answer.ok.order)
      for (const order of answer.ok.linked ?? []) this.named(order)
      this.checks.answeredAs(answer.ok.order, request)
      if (answer.ok.replayed) this.durable(handed, "a replay")
      if (random.chance(0.06)) this.regret(answer.ok.order.tradeOrderId)
    })
    this.sent.push({ request, print: fingerprint(request), asked })
  }

  /** Cancelled in the moment in which it may be on its way. */
  private regret(id: TradeOrderId): void {
    const { world, random } = this.tools
    const { generation } = world
    world.time.schedule(
      () => {
        if (generation === world.generation) this.cancelOrder({ tradeOrderId: id })
      },
      random.between(0, 200),
    )
  }

  private get name(): string {
    return this.id.slice(-2)
  }

  /** As after a lost connection: a request that was sent is sent once more. */
  again(): void {
    if (this.sent.length > 0 && this.isConnected) this.send(this.tools.random.pick(this.sent).request)
  }

  /** The same, another body under the same name, or the client's name under another key. */
  repeat(): void {
    const { random, tally } = this.tools
    if (this.sent.length === 0) return
    const { request } = random.pick(this.sent)
    const dice = random.next()
    if (dice < 0.65) this.send(request)
    else if (dice < 0.9) this.send(this.otherBody(request))
    else if (request.clientOrderId) {
      tally.add("client order id under another key")
      this.send({ ...this.otherBody(request), idempotencyKey: `key-${this.keys++}` })
    }
  }

  private otherBody(request: SubmitRequest): SubmitRequest {
    const { random, tally } = this.tools
    tally.add("another body under a key")
    const other = random.pick<Readonly<Record<string, string>>>([
      { quantity: `${random.between(10, 19)}` },
      { orderSide: request.orderSide === "BUY" ? "SELL" : "BUY" },
      { limitPrice: `${random.between(70, 79)}` },
    ])
    return { ...request, ...(other as Partial<SubmitRequest>) }
  }

  /** Any order that was acknowledged, old ones as often as new. */
  private anyOrder(): TradeOrderId | undefined {
    const ids = this.checks.acknowledged()
    const { random } = this.tools
    return ids.length === 0 ? undefined : random.pick(random.chance(0.5) ? ids.slice(-8) : ids)
  }

  private nameOf(id: TradeOrderId): OrderName {
    const clientOrderId = this.checks.view.row(id)?.clientOrderId ?? null
    return clientOrderId !== null && this.tools.random.chance(0.5) ? { clientOrderId } : { tradeOrderId: id }
  }

  cancel(): void {
    const id = this.anyOrder()
    if (id === undefined) return
    this.cancelOrder(this.nameOf(id))
  }

  private cancelByName({ clientOrderId }: SubmitRequest): void {
    if (clientOrderId) this.cancelOrder({ clientOrderId })
  }

  private cancelOrder(by: OrderName): void {
    const { world, note } = this.tools
    note(`${this.name} cancel ${JSON.stringify(by)}`)
    const receivedAt = world.monotonic()
    this.ask<TradeOrder>(
      (reply) => ({ _tag: "CancelOrder", by, receivedAt, reply }),
      (order) => this.named(order),
    )
  }

  cancelAll(): void {
    const { world, note } = this.tools
    note(`${this.name} cancelAll`)
    const receivedAt = world.monotonic()
    this.ask((reply) => ({ _tag: "CancelAllOrders", instrumentId: null, receivedAt, reply }))
  }

  deadMan(): void {
    const { note, random } = this.tools
    const timeoutMillis = random.pick([0, 1_000, 5_000, 20_000])
    note(`${this.name} cancelAllAfter ${timeoutMillis}`)
    this.ask((reply) => ({ _tag: "CancelAllAfter", timeoutMillis, reply }))
  }

  replace(): void {
    const { random, world, market, note } = this.tools
    const open = this.checks.view.rows().filter((it) => !isTerminal(it.orderStatus))
    if (open.length === 0) return
    const { tradeOrderId, instrumentId } = random.pick(open)
    const { level, units } = market.of(instrumentId)
    const asked = scaled(
      {
        ...(random.chance(0.5) && { quantity: `${random.between(1, 12)}` }),
        ...(random.chance(0.5) && { limitPrice: `${level + random.between(-5, 5)}` }),
        ...(random.chance(0.2) && { stopPrice: `${level + random.between(-5, 5)}` }),
      },
      units,
    )
    note(`${this.name} replace ${tradeOrderId} ${JSON.stringify(asked)}`)
    const receivedAt = world.monotonic()
    this.ask<TradeOrder>(
      (reply) => ({ _tag: "ReplaceOrder", by: { tradeOrderId }, asked, receivedAt, reply }),
      (order) => this.named(order),
    )
  }

  /** An order or the portfolio, whatever goes on. */
  read(): void {
    const { random, tally, world } = this.tools
    const handed = world.units.handedBy(this.id)
    if (random.chance(0.3)) {
      tally.add("portfolio read")
      this.ask<ReadonlyArray<Position>>(
        (reply) => ({ _tag: "ReadPortfolio", currency: null, reply }),
        () => this.durable(handed, "a portfolio"),
      )
      return
    }
    const id = this.anyOrder()
    if (id === undefined) return
    tally.add("order read")
    const by = this.nameOf(id)
    this.ask<TradeOrder>(
      (reply) => ({ _tag: "ReadOrder", by, reply }),
      (order) => {
        if (order.tradeOrderId !== id) this.say(`asked for ${id}, told of ${order.tradeOrderId}`)
        this.named(order)
      },
      ({ _tag }) => {
        if (!MAY_WAIT.has(_tag)) this.say(`${id} was acknowledged, and reading it is refused: ${_tag}`)
      },
    )
  }

  /** Whatever an answer names of an order is durable when it is given. */
  private named(order: TradeOrder): void {
    const row = this.checks.view.row(order.tradeOrderId)
    const { orderStatus } = order
    // On its way out: the word of it rides with the order's next commit.
    const isLeaving = row?.orderStatus === "CREATED" && orderStatus === "SUBMITTED" && order.version === row.version + 1
    if (row === undefined) this.say(`named and not stored: ${order.tradeOrderId}`)
    else if (order.version > row.version && !isLeaving)
      this.say(`named as ${orderStatus} (${order.version}) and stored as ${row.orderStatus} (${row.version})`)
    else if (
      order.version === row.version &&
      (orderStatus !== row.orderStatus || !order.executedQuantity.equals(row.executedQuantity))
    )
      this.say(
        `named as ${orderStatus} ${order.executedQuantity}, stored as ${row.orderStatus} ${row.executedQuantity}`,
      )
  }

  /** What had been handed over when it was asked for. */
  private durable(handed: number, what: string): void {
    const settled = this.tools.world.units.settledOf(this.id)
    if (settled < handed) this.say(`${what} was answered when ${handed - settled} units before it were not stored`)
  }

  private say(violation: string): void {
    this.checks.view.say(violation)
  }

  disconnect(force = this.tools.random.chance(0.4)): void {
    const { tally, note } = this.tools
    tally.add(force ? "disconnect by force" : "disconnect")
    note(`${this.name} disconnect ${force ? "by force" : ""}`)
    this.ask((reply) => ({ _tag: "DisconnectAccount", force, act: DISCONNECTING, reply }))
  }

  ask<A>(
    build: (reply: Reply<A, DomainError>) => AccountCommand,
    heard: (answer: A) => void = () => undefined,
    refused: (error: DomainError) => void = () => undefined,
  ): Asked<A> {
    const { world, tally } = this.tools
    return world.ask(build, this.id, (answer) => {
      if ("ok" in answer) return heard(answer.ok)
      tally.add(`refused ${answer.error._tag}`)
      refused(answer.error)
    })
  }

  /** What was answered to the submits since the last look. */
  look(): void {
    for (const { asked, request } of this.sent)
      if (asked.answer !== undefined && "ok" in asked.answer) this.checks.answered(asked.answer.ok.order, request)
    this.checkRefused()
  }

  /** What was refused each time it was asked for is no order. */
  private checkRefused(): void {
    const isRefused = new Map<string, boolean>()
    for (const { asked, print } of this.sent) {
      const { answer } = asked
      const isSo = answer !== undefined && "error" in answer && !UNCERTAIN.has(answer.error._tag)
      isRefused.set(print, isSo && isRefused.get(print) !== false)
    }
    for (const { tradeOrderId, fingerprint: print } of this.checks.view.rows())
      if (print !== null && isRefused.get(print) === true) this.say(`refused, and stored as ${tradeOrderId}`)
  }
}
