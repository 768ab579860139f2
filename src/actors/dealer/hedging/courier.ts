/**
 * Delivers hedges to their accounts, and their results back. The one thing to know: a submit without a definite answer is repeated with its key,
 * at its account, until there is one; a pending request outlives the incarnation of the actor that sent it.
 */
import { Context } from "effect"
import type { TradingAccountStatus } from "../../../domain/account/trading-account.ts"
import type { HedgeIntent } from "../../../domain/dealer/dealer.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import type { TradeOrderId, TradingAccountId } from "../../../domain/ids.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import type { Reply } from "../../../domain/reply.ts"
import type { SubmitAnswer, SubmitOrder } from "../../account/messages.ts"
import type { DealerCore } from "../core.ts"

// Where accounts say what became of hedges: every stored image of one, once it is durable, and that an account can be asked no longer, or again. The
// one thing to know: what is said before the dealers are there is not kept, since they read it from the store when they wake.

/** Whether an account in this state can still say what became of its orders: one that is gone, or has no credential, says nothing. */
export const canBeAsked = (status: TradingAccountStatus | undefined): boolean =>
  status !== undefined && status !== "DISCONNECTED" && status !== "INACTIVE"

export interface HedgeListener {
  readonly tell: (order: TradeOrder) => void
  /** The account can be asked no longer. */
  readonly lost: (account: TradingAccountId) => void
  /** It can be asked again. */
  readonly found: (account: TradingAccountId) => void
}

export class HedgeDesk implements HedgeListener {
  #listener: HedgeListener | null = null

  readonly tell = (order: TradeOrder): void => this.#listener?.tell(order)

  readonly lost = (account: TradingAccountId): void => this.#listener?.lost(account)

  readonly found = (account: TradingAccountId): void => this.#listener?.found(account)

  readonly serve = (listener: HedgeListener): void => {
    this.#listener = listener
  }
}

/** Of this process. */
export class HedgeDeskInForce extends Context.Reference<HedgeDeskInForce>()("actors/HedgeDesk", {
  defaultValue: () => new HedgeDesk(),
}) {}

/** A hedge that was handed to its account. */
export interface AskedHedge {
  readonly intent: HedgeIntent
  /** Which one it is in the intent's name. */
  readonly number: number
  readonly accountId: TradingAccountId
  readonly message: Omit<SubmitOrder, "reply">
}

/** By pair: those that are not answered. */
export type AskedHedges = Map<string, AskedHedge>

const REPEAT_MILLIS = 250

export class HedgeCourier {
  constructor(
    private readonly core: Pick<DealerCore, "self" | "parts">,
    private readonly asked: AskedHedges,
    private readonly outcome: {
      /** There is such an order now. */
      readonly taken: (symbol: string, asked: AskedHedge, order: TradeOrder) => void
      /** Nothing was stored, and nothing will be. */
      readonly refused: (symbol: string, asked: AskedHedge, error: DomainError) => void
    },
  ) {}

  /** What an earlier incarnation has asked is asked again. */
  resume(): void {
    for (const [symbol, asked] of [...this.asked]) this.ask(symbol, asked)
  }

  find(symbol: string): AskedHedge | undefined {
    return this.asked.get(symbol)
  }

  ask(symbol: string, asked: AskedHedge): void {
    this.asked.set(symbol, asked)
    const reply: Reply<SubmitAnswer, DomainError> = {
      ok: this.#turn(({ order }) => this.#taken(symbol, asked, order)),
      fail: this.#turn((error) => this.#failed(symbol, asked, error)),
    }
    this.core.parts.tradingAccounts.post(asked.accountId, { ...asked.message, reply })
  }

  #taken(symbol: string, asked: AskedHedge, order: TradeOrder): void {
    this.asked.delete(symbol)
    this.outcome.taken(symbol, asked, order)
  }

  #failed(symbol: string, asked: AskedHedge, error: DomainError): void {
    switch (error._tag) {
      // It may be stored.
      case "OutcomeUnknown":
      case "DeadlineExceeded":
      case "StorageUnavailable":
      case "ShuttingDown":
        this.core.self.later(REPEAT_MILLIS, () => this.ask(symbol, asked))
        return
      // There is an order of this key, with other terms: it is that hedge.
      case "IdempotencyConflict":
      case "DuplicateClientOrderId":
        this.#read(symbol, asked, error.tradeOrderId)
        return
      default:
        this.asked.delete(symbol)
        this.outcome.refused(symbol, asked, error)
    }
  }

  #read(symbol: string, asked: AskedHedge, tradeOrderId: TradeOrderId): void {
    const reply: Reply<TradeOrder, DomainError> = {
      ok: this.#turn((order) => this.#taken(symbol, asked, order)),
      fail: this.#turn(() => {
        this.core.self.later(REPEAT_MILLIS, () => this.#read(symbol, asked, tradeOrderId))
      }),
    }
    this.core.parts.tradingAccounts.post(asked.accountId, { _tag: "ReadOrder", by: { tradeOrderId }, reply })
  }

  /** Answers come in whatever turn the account is in: here they are turns of the dealer. */
  #turn<A>(run: (answer: A) => void): (answer: A) => void {
    return (answer) => this.core.self.turn(() => run(answer))()
  }
}
