/** A client of one account at a venue that follows the journal: what it asks for is drawn, and what it is answered is a promise. */
import type { AccountCommand, Swept } from "../../../src/actors/account/messages.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type { InstrumentId, TradingAccountId } from "../../../src/domain/ids.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import type { SubmitRequest } from "../../../src/domain/order/submit-request.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { Reply } from "../../../src/domain/reply.ts"
import type { Tally } from "../tally.ts"
import type { Random } from "../time.ts"
import type { World } from "../world.ts"
import type { Promises } from "./promises.ts"

export interface ClientTools {
  readonly world: World
  readonly random: Random
  readonly tally: Tally
  readonly note: (what: string) => void
}

/** Around the middle of the market, in quarters: between its best bid and ask, where accounts meet, and through them. */
const QUARTERS = 16
const MIDDLE = 60_000

const priceOf = (random: Random): string => `${MIDDLE + random.between(-QUARTERS, QUARTERS) / 4}`

export class Client {
  private readonly sent: Array<SubmitRequest> = []
  private names = 0

  constructor(
    readonly id: TradingAccountId,
    private readonly instrumentId: InstrumentId,
    readonly promises: Promises,
    private readonly tools: ClientTools,
    /** It takes its switch off now and then. */
    private readonly takesOff: boolean,
  ) {}

  act(): void {
    const { random } = this.tools
    const dice = random.next()
    if (dice < 0.5) this.submit()
    else if (dice < 0.6) this.again()
    else if (dice < 0.76) this.cancel()
    else if (dice < 0.86) this.replace()
    else if (dice < 0.92) this.cancelAll()
    else this.deadMan()
  }

  submit(): void {
    const { random } = this.tools
    const name = `name-${this.names++}`
    const named = random.pick([
      { idempotencyKey: name },
      { idempotencyKey: name },
      { clientOrderId: name },
      { idempotencyKey: name, clientOrderId: `client-${name}` },
    ]) as Partial<SubmitRequest>
    const kind = random.pick([
      { orderType: "LIMIT", timeInForce: "GTC" },
      { orderType: "LIMIT", timeInForce: "GTC" },
      { orderType: "LIMIT", timeInForce: "GTC" },
      { orderType: "LIMIT", timeInForce: random.pick(["IOC", "FOK"]) },
      { orderType: "LIMIT_MAKER" },
      { orderType: "MARKET" },
    ])
    const drawn: Readonly<Record<string, unknown>> = {
      tradingAccountId: this.id,
      instrumentId: this.instrumentId,
      orderSide: random.pick(["BUY", "SELL"]),
      quantity: `0.${random.between(1, 9)}`,
      ...kind,
      ...(kind.orderType !== "MARKET" && { limitPrice: priceOf(random) }),
      ...(random.chance(0.2) && { awaitAccepted: true }),
      ...named,
    }
    const request = drawn as unknown as SubmitRequest
    this.sent.push(request)
    this.send(request)
    if (random.chance(0.08)) this.send(request)
  }

  /** One that was sent, answered or not, is sent once more. */
  again(): void {
    if (this.sent.length === 0) return
    const { random } = this.tools
    this.send(random.pick(random.chance(0.7) ? this.sent.slice(-6) : this.sent))
  }

  private send(request: SubmitRequest): void {
    const { world } = this.tools
    this.note(`submit ${JSON.stringify({ ...request, tradingAccountId: undefined })}`)
    world.submit(request, (answer) => {
      if ("ok" in answer) this.promises.submitted(request, answer.ok.order)
      this.heard(answer)
    })
  }

  private open(): ReadonlyArray<TradeOrder> {
    return this.promises.rows().filter(({ orderStatus }) => !isTerminal(orderStatus))
  }

  private cancel(): void {
    const { world, random } = this.tools
    const open = this.open()
    const recent = this.sent.at(-1)?.clientOrderId
    // Of one whose unit may not be stored yet.
    const isEarly = typeof recent === "string" && random.chance(0.4)
    if (open.length === 0 && !isEarly) return
    const by = isEarly ? { clientOrderId: recent } : { tradeOrderId: random.pick(open).tradeOrderId }
    this.note(`cancel ${JSON.stringify(by)}`)
    const receivedAt = world.monotonic()
    this.ask<TradeOrder>(
      (reply) => ({ _tag: "CancelOrder", by, receivedAt, reply }),
      ({ tradeOrderId }) => this.promises.cancelled("a cancel", [tradeOrderId]),
    )
  }

  private replace(): void {
    const { world, random } = this.tools
    const open = this.open()
    if (open.length === 0) return
    const { tradeOrderId } = random.pick(open)
    const asked = random.pick([
      { limitPrice: priceOf(random) },
      { quantity: `1.${random.between(0, 9)}` },
      { limitPrice: priceOf(random), quantity: `0.${random.between(1, 9)}` },
    ])
    this.note(`replace ${tradeOrderId} ${JSON.stringify(asked)}`)
    const receivedAt = world.monotonic()
    this.ask<TradeOrder>((reply) => ({ _tag: "ReplaceOrder", by: { tradeOrderId }, asked, receivedAt, reply }))
  }

  cancelAll(): void {
    const { world } = this.tools
    this.note("cancelAll")
    const receivedAt = world.monotonic()
    this.ask<Swept>(
      (reply) => ({ _tag: "CancelAllOrders", instrumentId: null, receivedAt, reply }),
      ({ cancelled, pending }) => this.promises.cancelled("a cancel of all", [...cancelled, ...pending]),
    )
  }

  deadMan(): void {
    const { random } = this.tools
    const timeoutMillis = random.pick(this.takesOff ? [0, 1_000, 5_000] : [1_000, 1_000, 5_000])
    this.note(`cancelAllAfter ${timeoutMillis}`)
    this.ask((reply) => ({ _tag: "CancelAllAfter", timeoutMillis, reply }))
  }

  private ask<A>(
    build: (reply: Reply<A, DomainError>) => AccountCommand,
    heard: (answer: A) => void = () => undefined,
  ): void {
    this.tools.world.ask(build, this.id, (answer) => {
      if ("ok" in answer) heard(answer.ok)
      this.heard(answer)
    })
  }

  private heard(answer: { readonly ok: unknown } | { readonly error: DomainError }): void {
    if ("error" in answer) this.tools.tally.add(`refused ${answer.error._tag}`)
  }

  private note(what: string): void {
    this.tools.note(`${this.id.slice(-2)} ${what}`)
  }
}
