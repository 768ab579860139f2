/**
 * What is stored in a hedging world, and the stores of one process over it. The one thing to know: a write that is under way when its process
 * dies has reached the database or has not, and the next process begins with what is there.
 */
import type { Context } from "effect"
import { Effect } from "effect"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import type { Dealer, HedgeIntent } from "../../../src/domain/dealer/dealer.ts"
import type { HedgeProgress, HedgeVerdict } from "../../../src/domain/dealer/hedging/hedging.ts"
import { type FirmQuote, isFirm, type Quote } from "../../../src/domain/dealer/quote.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type {
  DealerAccountId,
  HedgeIntentId,
  QuoteId,
  TradeOrderId,
  TradingAccountId,
} from "../../../src/domain/ids.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { DealerState, DealerStore, ReceiptText } from "../../../src/ports/dealer-store.ts"
import type { HedgeStore, LateHedge } from "../../../src/ports/hedge-store.ts"
import type { LedgerOutcome, LedgerPort, LedgerRequest } from "../../../src/ports/ledger-port.ts"
import { storedHedges } from "../../kit/records/stored-hedges.ts"

export class HedgingDatabase {
  readonly dealers = new Map<DealerAccountId, Dealer>()
  readonly accounts = new Map<TradingAccountId, TradingAccount>()
  readonly quotes = new Map<QuoteId, Quote>()
  /** In the order of their commits. */
  readonly intents: Array<HedgeIntent> = []
  /** Hedges, by id, in the order of their making. */
  readonly orders = new Map<TradeOrderId, TradeOrder>()
  readonly verdicts = new Map<TradeOrderId, HedgeVerdict>()
  /** Of hedges that were over, since their dealer woke: the image that changed one, and what it had counted as. */
  readonly #late: Array<{ readonly image: TradeOrder; readonly before: TradeOrder }> = []
  /** Orders of clients for quotes. */
  readonly quoted = new Map<QuoteId, { readonly tradeOrderId: TradeOrderId; readonly isOver: boolean }>()

  /** Answers what was there. */
  changed(image: TradeOrder): TradeOrder | undefined {
    const before = this.orders.get(image.tradeOrderId)
    this.orders.set(image.tradeOrderId, image)
    if (before !== undefined && isTerminal(before.orderStatus)) this.#late.push({ image, before })
    return before
  }

  /** What a hedge counted as before this image; null: it is in the sums that the dealer woke with. */
  beforeThat({ tradeOrderId, version }: LateHedge): HedgeProgress | null {
    return (
      this.#late.find(({ image }) => image.tradeOrderId === tradeOrderId && image.version >= version)?.before ?? null
    )
  }

  /** The dealer wakes: its sums have all that is stored. */
  forgetLate(dealer: DealerAccountId): void {
    const others = this.#late.filter(({ image }) => image.dealerAccountId !== dealer)
    this.#late.splice(0, Number.POSITIVE_INFINITY, ...others)
  }

  intentsOf(dealer: DealerAccountId, symbol?: string): ReadonlyArray<HedgeIntent> {
    return this.intents.filter(
      (it) => it.dealerAccountId === dealer && (symbol === undefined || symbolOf(it) === symbol),
    )
  }

  hedgesOf(dealer: DealerAccountId, symbol?: string): ReadonlyArray<TradeOrder> {
    return [...this.orders.values()].filter(
      (it) => it.dealerAccountId === dealer && (symbol === undefined || symbolOf(it) === symbol),
    )
  }

  /** A request to the ledger: all of it or nothing. Money is never short here: what is under test is what follows from executions. */
  apply({ transfers, facts }: LedgerRequest): LedgerOutcome {
    const effects: Array<() => void> = []
    for (const [index, { tag, row, refusal }] of facts.entries()) {
      if (tag === "quote_created") {
        const quote = quoteOf(row["quote"] as Row)
        effects.push(() => this.quotes.set(quote.quoteId, quote))
      } else if (tag === "quote_executed") {
        const quote = this.quotes.get(row["quoteId"] as QuoteId)
        if (quote?.status !== "CREATED" || quote.expireAt <= (row["ingressAt"] as number)) {
          const failure = refusal!(quote?.status === "EXECUTED" ? "USED" : "EXPIRED")
          return { _tag: "Refused", failure, at: transfers.length + index }
        }
        const tradeOrderId = row["tradeOrderId"] as TradeOrderId
        effects.push(() => this.quotes.set(quote.quoteId, { ...quote, status: "EXECUTED", tradeOrderId, version: 2 }))
      } else if (tag === "quote_ended") {
        const quote = this.quotes.get(row["quoteId"] as QuoteId)
        if (quote?.status === "CREATED")
          effects.push(() =>
            this.quotes.set(quote.quoteId, { ...quote, status: row["status"] as Quote["status"], version: 2 }),
          )
      } else if (tag === "hedge_intent") {
        const intent = intentOf(row)
        effects.push(() => this.intents.push(intent))
      }
    }
    for (const run of effects) run()
    return { _tag: "Applied", replayed: false, balances: [] }
  }

  stateOf(id: DealerAccountId): DealerState {
    const openQuotes = [...this.quotes.values()]
      .filter((it): it is FirmQuote => it.dealerAccountId === id && it.status === "CREATED" && isFirm(it))
      .map((quote) => {
        const order = this.quoted.get(quote.quoteId)
        return { quote, tradeOrderId: order === undefined || order.isOver ? null : order.tradeOrderId }
      })
    return { dealer: this.dealers.get(id)!, openQuotes, clientHolds: [] }
  }
}

export const symbolOf = ({ baseAsset, quoteAsset }: { readonly baseAsset: string; readonly quoteAsset: string }) =>
  `${baseAsset}/${quoteAsset}`

type Row = Readonly<Record<string, unknown>>

const decimalOrNull = (text: unknown): Decimal | null => (text === null ? null : Decimal.of(text as string))

/** As the fact of a quote writes it. */
const quoteOf = (row: Row): Quote => {
  const receipt = row["receipt"] as ReceiptText | null
  return {
    ...row,
    version: 1,
    quantity: decimalOrNull(row["quantity"]),
    quoteQuantity: decimalOrNull(row["quoteQuantity"]),
    price: decimalOrNull(row["price"]),
    receipt: receipt && {
      ...receipt,
      levels: receipt.levels.map(([price, quantity]) => [Decimal.of(price), Decimal.of(quantity)]),
      // No book here has as many levels.
      levelsBeyond: null,
      walkedPrice: Decimal.of(receipt.walkedPrice),
      worstPrice: Decimal.of(receipt.worstPrice),
      takerFeeBps: Decimal.of(receipt.takerFeeBps),
      markupBps: Decimal.of(receipt.markupBps),
      ttlBps: Decimal.of(receipt.ttlBps),
    },
    tradeOrderId: null,
    updatedAt: row["createdAt"],
  } as unknown as Quote
}

const intentOf = (row: Row): HedgeIntent =>
  ({
    hedgeIntentId: row["hedge_intent_id"],
    dealerAccountId: row["dealer_account_id"],
    quoteId: row["quote_id"],
    tradeOrderId: row["trade_order_id"],
    tradingAccountId: row["trading_account_id"],
    venue: row["venue"],
    instrumentId: row["instrument_id"],
    baseAsset: row["base_asset"],
    quoteAsset: row["quote_asset"],
    orderSide: row["order_side"],
    quantity: Decimal.of(row["quantity"] as string),
    quotePrice: Decimal.of(row["quote_price"] as string),
    walkedPrice: Decimal.of(row["walked_price"] as string),
    worstPrice: Decimal.of(row["worst_price"] as string),
    createdAt: row["created_at"],
  }) as unknown as HedgeIntent

/** What the stores of one process ask of the world. */
export interface StoreHost {
  readonly database: HedgingDatabase
  /** After a while of the database's own, unless the process dies before: then it has happened, or will never. */
  readonly write: (run: () => void) => void
  /** After a moment, if the process still lives. `what` names what a dealer hears then. */
  readonly later: (what: Cause, run: () => void, millis?: number) => void
  /** Handed over and not yet answered; the answer says that it is. */
  readonly underWay: (dealer: DealerAccountId) => () => void
  /** What this process has been told of: an intent whose commit was answered, or that it read when it woke. */
  readonly told: (dealer: DealerAccountId, intents: ReadonlyArray<HedgeIntentId>) => void
  /** The same of what admins said of a hedge. */
  readonly toldVerdict: (hedge: TradeOrderId, verdict: HedgeVerdict) => void
  readonly posted: (request: LedgerRequest) => void
  readonly now: () => number
}

/** By what a line may leave its state in an event of the world. */
export type Cause = "QUOTE" | "ORDER" | "TIME" | "DEALER" | "ACCOUNT" | "RESOLVED" | "NONE" | "ANY"

const waited = <A>(run: (resume: (answer: A) => void) => void): Effect.Effect<A> =>
  Effect.async<A>((resume) => run((answer) => resume(Effect.succeed(answer))))

const ALL = Decimal.of("1000000000")

export const ledgerOf = (host: StoreHost): Context.Tag.Service<LedgerPort> =>
  ({
    post: (request: LedgerRequest) => {
      host.posted(request)
      const dealer = dealerOf(host.database, request)
      const done = host.underWay(dealer)
      host.write(() => {
        const outcome = host.database.apply(request)
        const intents = request.facts.filter(({ tag }) => tag === "hedge_intent")
        host.later(intents.length === 0 ? "NONE" : "QUOTE", () => {
          if (outcome._tag === "Applied")
            host.told(
              dealer,
              intents.map(({ row }) => row["hedge_intent_id"] as HedgeIntentId),
            )
          done()
          request.settled(outcome)
        })
      })
    },
    balances: (walletId: string) =>
      waited((resume) =>
        host.later("NONE", () =>
          resume(
            ["BTC", "ETH", "SOL", "USDT"].map((asset) => ({
              walletId,
              asset,
              balance: ALL,
              held: Decimal.ZERO,
              available: ALL,
            })),
          ),
        ),
      ),
    wallet: () => Effect.succeed({ status: "ACTIVE" }),
    openHolds: () => Effect.succeed([]),
    expireHolds: () => Effect.void,
    after: () => undefined,
    watch: () => undefined,
    pressure: () => "calm",
  }) as unknown as Context.Tag.Service<LedgerPort>

const dealerOf = (database: HedgingDatabase, { facts, transfers }: LedgerRequest): DealerAccountId => {
  for (const { tag, row } of facts) {
    if (tag === "quote_created") return (row["quote"] as Row)["dealerAccountId"] as DealerAccountId
    const quote = database.quotes.get(row["quoteId"] as QuoteId)
    if (quote !== undefined) return quote.dealerAccountId
  }
  const quote = database.quotes.get(transfers[0]?.reference as QuoteId)
  if (quote === undefined) throw new Error("a request to the ledger of no quote")
  return quote.dealerAccountId
}

export const dealerStoreOf = (host: StoreHost): Context.Tag.Service<DealerStore> =>
  ({
    load: (id: DealerAccountId) => waited((resume) => host.later("ANY", () => resume(host.database.stateOf(id)))),
    save: (dealer: Dealer) =>
      waited<void>((resume) => {
        const done = host.underWay(dealer.dealerAccountId)
        host.write(() => {
          host.database.dealers.set(dealer.dealerAccountId, dealer)
          host.later("DEALER", () => {
            done()
            resume()
          })
        })
      }),
    findQuote: (id: QuoteId) =>
      waited((resume) => host.later("NONE", () => resume(host.database.quotes.get(id) ?? null))),
    findRequested: () => Effect.succeed(null),
    untoldNews: Effect.succeed([]),
  }) as unknown as Context.Tag.Service<DealerStore>

export const hedgeStoreOf = (host: StoreHost): Context.Tag.Service<HedgeStore> => ({
  load: (dealer) =>
    waited((resume) =>
      host.later("ANY", () => {
        const { database } = host
        const intents = database.intentsOf(dealer)
        database.forgetLate(dealer)
        host.told(
          dealer,
          intents.map(({ hedgeIntentId }) => hedgeIntentId),
        )
        const hedges = database.hedgesOf(dealer)
        for (const { tradeOrderId } of hedges) {
          const verdict = database.verdicts.get(tradeOrderId)
          if (verdict !== undefined) host.toldVerdict(tradeOrderId, verdict)
        }
        resume(storedHedges(intents, hedges, database.verdicts))
      }),
    ),
  before: (late) => waited((resume) => host.later("ANY", () => resume(host.database.beforeThat(late)))),
  resolve: (dealer, hedge, verdict) =>
    Effect.async<void, DomainError>((resume) => {
      const done = host.underWay(dealer.dealerAccountId)
      host.write(() => {
        host.database.verdicts.set(hedge, verdict)
        host.later("RESOLVED", () => {
          host.toldVerdict(hedge, verdict)
          done()
          resume(Effect.void)
        })
      })
    }),
})
