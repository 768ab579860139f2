/** The messages that a dealer's actor takes, and how to post them: `Dealers` for the edges, `QuoteDesk` for the accounts of clients. */
import { Context } from "effect"
import type { DealerConfig } from "../../domain/dealer/config.ts"
import type { Dealer } from "../../domain/dealer/dealer.ts"
import type { HedgeReportRecord } from "../../domain/dealer/hedging/hedge-report.ts"
import type { FirmQuote, Quote } from "../../domain/dealer/quote.ts"
import type { AskedQuote } from "../../domain/dealer/quote-request.ts"
import type { Decimal } from "../../domain/decimal.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { DealerAccountId, QuoteId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { OrderSide } from "../../domain/order/trade-order.ts"
import type { Reply } from "../../domain/reply.ts"
import type { Actor } from "../../domain/user/act.ts"
import type { RegistryStats } from "../../kernel/registry.ts"
import type { DealerAct } from "../../ports/dealer-store.ts"

/** `replayed`: the quoteRequestId was known, this is the quote as it stands now. */
export interface QuoteAnswer {
  readonly quote: Quote
  readonly replayed: boolean
}

export interface RequestQuote {
  readonly _tag: "RequestQuote"
  readonly asked: AskedQuote
  /** Fails with refusals of contract C12; a rule of the dealer that says no makes a REJECTED quote. */
  readonly reply: Reply<QuoteAnswer, DomainError>
}

/** An order of type QUOTED, as far as the quote must agree with it. */
export interface QuotedOrder {
  readonly tradeOrderId: TradeOrderId
  readonly quoteId: QuoteId
  readonly tradingAccountId: TradingAccountId
  readonly instrumentId: string | null
  readonly orderSide: OrderSide
  /** Decimal text. */
  readonly quantity: string
  /** A guard: the quote's price must be no worse. Decimal text. */
  readonly limitPrice: string | null
  /** When the request was read, wall ms: it must be before the quote's end. */
  readonly ingressAt: number
}

/** First wins: the quote is this order's until it is settled or let go, and the client's funds are held. No order exists yet. */
export interface AcceptQuote {
  readonly _tag: "AcceptQuote"
  readonly order: QuotedOrder
  /** Who executes it; absent after a restart. */
  readonly actor?: Actor
  readonly reply: Reply<FirmQuote, DomainError>
}

/** The order is refused after all, or was never stored. */
export interface LetQuoteGo {
  readonly _tag: "LetQuoteGo"
  readonly quoteId: QuoteId
  readonly tradeOrderId: TradeOrderId
}

/** One execution, for a whole quote. */
export interface QuoteTrade {
  readonly tradeId: string
  readonly quote: FirmQuote
  readonly executedAt: number
}

/**
 * The order is stored: both legs move now. Also asked after a restart, for an order that was stored before it. Answers the trade, or
 * fails definitely: nothing moved, and nothing of this order will.
 */
export interface SettleQuote {
  readonly _tag: "SettleQuote"
  readonly quoteId: QuoteId
  readonly tradeOrderId: TradeOrderId
  readonly ingressAt: number
  /** Asked again, of an order that was stored before: it was in time then, `ingressAt` may be later. */
  readonly isResumed: boolean
  readonly reply: Reply<QuoteTrade, DomainError>
}

/** PAUSED, ACTIVE or, for ever, ARCHIVED. Answers the dealer as it is stored then. */
export interface SetDealerStatus {
  readonly _tag: "SetDealerStatus"
  readonly status: Dealer["status"]
  /** Absent: the gateway itself. */
  readonly asked?: DealerAct
  readonly reply: Reply<Dealer, DomainError>
}

/** Another configuration, made from the dealer as it stood at `updatedAt`: one that was changed since is not overwritten. */
export interface ConfigureDealer {
  readonly _tag: "ConfigureDealer"
  readonly config: DealerConfig
  readonly updatedAt: number
  readonly asked: DealerAct
  readonly reply: Reply<Dealer, DomainError>
}

export interface LinkAccount {
  readonly _tag: "LinkAccount"
  readonly tradingAccountId: TradingAccountId
  /** Absent: the gateway itself. */
  readonly asked?: DealerAct
  readonly reply: Reply<Dealer, DomainError>
}

export interface UnlinkAccount {
  readonly _tag: "UnlinkAccount"
  readonly tradingAccountId: TradingAccountId
  /** Absent: the gateway itself. */
  readonly asked?: DealerAct
  readonly reply: Reply<Dealer, DomainError>
}

/** What only its actor knows. */
export interface DealerReport {
  readonly openQuotes: number
  /** What is open and what was earned, pair by pair. */
  readonly hedging: ReadonlyArray<HedgeReportRecord>
}

export interface HedgeResolved {
  readonly hedging: HedgeReportRecord
  /** False: the same was said before, and nothing was stored. */
  readonly isNew: boolean
}

/** What an admin says that a hedge in doubt executed. */
export interface ResolveHedge {
  readonly _tag: "ResolveHedge"
  readonly tradeOrderId: TradeOrderId
  readonly executedQuantity: Decimal
  /** Null: nothing was executed. */
  readonly averagePrice: Decimal | null
  readonly asked: DealerAct
  readonly reply: Reply<HedgeResolved, DomainError>
}

export interface ReadDealer {
  readonly _tag: "ReadDealer"
  readonly reply: Reply<DealerReport, DomainError>
}

export type DealerCommand =
  | RequestQuote
  | AcceptQuote
  | LetQuoteGo
  | SettleQuote
  | SetDealerStatus
  | ConfigureDealer
  | LinkAccount
  | UnlinkAccount
  | ResolveHedge
  | ReadDealer

/** Of hedging, since the process began: for metrics. */
export interface HedgeCounts {
  sent: number
  filled: number
  missed: number
  alerts: number
  /** Now: pairs whose exposure is open beyond the dust, by dealer. */
  readonly open: Map<DealerAccountId, number>
}

export class Dealers extends Context.Tag("actors/Dealers")<
  Dealers,
  {
    /** To the dealer's actor. The caller has checked in DealerDirectory that there is such a dealer. */
    readonly post: (dealer: DealerAccountId, command: DealerCommand) => void
    /** A new dealer, stored by the caller: enters the directory, its actor starts. */
    readonly start: (dealer: Dealer) => void
    readonly stats: () => RegistryStats & { readonly hedges: HedgeCounts }
  }
>() {}

export type DeskCommand = AcceptQuote | LetQuoteGo | SettleQuote

/**
 * Where the accounts of clients hand in what concerns a quote: they know the quote, not the dealer. What comes before the dealers are
 * there waits for them.
 */
export class QuoteDesk {
  #serve: ((command: DeskCommand) => void) | null = null
  #waiting: Array<DeskCommand> = []

  readonly post = (command: DeskCommand): void => {
    if (this.#serve === null) this.#waiting.push(command)
    else this.#serve(command)
  }

  readonly serve = (serve: (command: DeskCommand) => void): void => {
    this.#serve = serve
    for (const command of this.#waiting.splice(0)) serve(command)
  }
}

/** Of this process. */
export class QuoteDeskInForce extends Context.Reference<QuoteDeskInForce>()("actors/QuoteDesk", {
  defaultValue: () => new QuoteDesk(),
}) {}
