/**
 * The state of one dealer's actor: the dealer, its firm quotes, and what it works with. The one thing to know: a quote that is being executed or
 * ended stays here until its commit, so that it still counts meanwhile.
 */
import type { Context } from "effect"
import type { TradingModeInForce } from "../../domain/account/trading-mode.ts"
import type { Dealer, HedgeIntent } from "../../domain/dealer/dealer.ts"
import type { HedgeReportRecord } from "../../domain/dealer/hedging/hedge-report.ts"
import type { Span } from "../../domain/dealer/hedging/hedging.ts"
import type { FirmQuote, QuoteNews } from "../../domain/dealer/quote.ts"
import type { Decimal } from "../../domain/decimal.ts"
import type { DealerAccountId, InstrumentId, QuoteId, TradingAccountId, VenueId } from "../../domain/ids.ts"
import type { OrderRates } from "../../domain/order/rates.ts"
import type { Self } from "../../kernel/behaviour.ts"
import type { Clock } from "../../ports/clock.ts"
import type { DealerState, DealerStore } from "../../ports/dealer-store.ts"
import type { Failpoint } from "../../ports/failpoint.ts"
import type { HedgeStore } from "../../ports/hedge-store.ts"
import type { Ids } from "../../ports/ids.ts"
import type { LedgerOutcome, LedgerPort, LedgerRequest } from "../../ports/ledger-port.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { AccountDirectory } from "../account/directory.ts"
import type { TradingAccounts } from "../account/messages.ts"
import type { InstrumentDirectory } from "../market/instrument-directory.ts"
import type { Markets } from "../market/messages.ts"
import { Following } from "./held-books.ts"
import type { HedgeCounts } from "./messages.ts"
import { type LiveQuote, liveQuote, OpenQuotes } from "./quotes/open-quotes.ts"
import { KnownRequests } from "./quotes/requests.ts"
import { holdIdOf } from "./quotes/transfers.ts"

export interface DealerParts {
  readonly store: Context.Tag.Service<typeof DealerStore>
  readonly hedgeStore: Context.Tag.Service<typeof HedgeStore>
  readonly hedgeCounts: HedgeCounts
  readonly ledger: Context.Tag.Service<typeof LedgerPort>
  readonly markets: Context.Tag.Service<typeof Markets>
  readonly venues: Context.Tag.Service<typeof VenuePort>
  readonly accounts: AccountDirectory
  /** Of linked accounts the hedger's orders go here, and to every account what its channel has to tell. */
  readonly tradingAccounts: Context.Tag.Service<typeof TradingAccounts>
  readonly instruments: InstrumentDirectory
  readonly clock: Context.Tag.Service<typeof Clock>
  readonly ids: Context.Tag.Service<typeof Ids>
  readonly failpoint: Context.Tag.Service<typeof Failpoint>
  /** Null: none. */
  readonly rates: OrderRates | null
  readonly mode: TradingModeInForce["Type"]
  /** After the commit of a new image of the dealer. */
  readonly dealerChanged: (dealer: Dealer) => void
  /** A firm quote came, or is over. */
  readonly quoteOpened: (quote: FirmQuote) => void
  readonly quoteClosed: (quoteId: QuoteId) => void
}

/** What the hedger of a dealer tells its other parts (hedging/hedging.ts). */
export interface Hedging {
  /** From the commit callback of the execution. */
  readonly executed: (intent: HedgeIntent) => void
  /**
   * Executed and not hedged, by asset, in that asset; long above zero. Between two ends: hedges in doubt may have closed some of it. Without
   * what is too little for any hedge.
   */
  readonly positions: () => ReadonlyMap<string, Span>
  /** What clients last traded an asset at, as it was walked; undefined: none did. */
  readonly lastPriceOf: (baseAsset: string) => { readonly price: Decimal; readonly quoteAsset: string } | undefined
  /** Where what is open was priced, and where hedges in doubt are. */
  readonly venuesOwing: () => ReadonlyArray<VenueId>
  /** Less than the smallest lot is open in every pair, and no hedge is at work. */
  readonly isFlat: () => boolean
  /** A hedge is at work on this account. */
  readonly isHedgingOn: (account: TradingAccountId) => boolean
  /** Links are others now. */
  readonly dealerChanged: () => void
  /** What is open, and what was earned, pair by pair. */
  readonly report: () => ReadonlyArray<HedgeReportRecord>
}

export class DealerCore {
  dealer: Dealer
  readonly id: DealerAccountId
  readonly quotes = new OpenQuotes()
  readonly requests = new KnownRequests()
  readonly following: Following
  /** By asset: what one of it was worth when it was last known, in the risk currency, and when that was, monotonic ms. */
  readonly riskPrices = new Map<string, { readonly price: Decimal; readonly at: number }>()
  /** Alerts of linked accounts that do not count, as they were raised. */
  readonly toldIgnored = new Set<string>()
  /** Books that were out of line with the others: when that was told last, monotonic ms. */
  readonly toldOutOfLine = new Map<InstrumentId, number>()
  /** By asset: when the books that would value it did not come although they were waited for, monotonic ms. */
  readonly silentSince = new Map<string, number>()
  /** Holds of clients that this dealer found when it woke. */
  readonly foundHolds: DealerState["clientHolds"]
  /** What waits for the change of the dealer that is on its way to the store; null: none is. */
  changes: Array<() => void> | null = null
  /** Set by the behaviour before the first message. */
  hedging!: Hedging
  /** Looks for the end of a quote; set by the keeper of expiries. */
  watchExpiry: (live: LiveQuote) => void = () => undefined

  constructor(
    readonly parts: DealerParts,
    readonly self: Self<never>,
    state: DealerState,
  ) {
    this.dealer = state.dealer
    this.id = state.dealer.dealerAccountId
    this.following = new Following(parts, this.id)
    this.foundHolds = state.clientHolds
    for (const { quote, tradeOrderId } of state.openQuotes) {
      const holdId = tradeOrderId && holdIdOf(tradeOrderId)
      this.quotes.add(liveQuote(quote, { stored: true, takenBy: tradeOrderId, holdId }))
      this.requests.knows(quote)
      parts.quoteOpened(quote)
    }
  }

  /** It is over. */
  close(quoteId: QuoteId): void {
    this.quotes.remove(quoteId)
    this.parts.quoteClosed(quoteId)
  }

  /**
   * One request to the ledger; its outcome is a turn of its own, before any mail. Its news are told once it is durable, whether this
   * incarnation lives or not.
   */
  post(
    request: Omit<LedgerRequest, "settled" | "requestId">,
    news: ReadonlyArray<QuoteNews>,
    run: (outcome: LedgerOutcome) => void,
  ): void {
    const tell = (outcome: LedgerOutcome): void => {
      if (outcome._tag !== "Applied") return
      for (const one of news) this.tell(one)
    }
    const settled = this.self.settling<LedgerOutcome>((outcome) => {
      try {
        run(outcome)
      } finally {
        tell(outcome)
      }
    }, tell)
    this.parts.ledger.post({ ...request, requestId: this.parts.ids.uuid(), settled })
  }

  private tell(news: QuoteNews): void {
    this.parts.tradingAccounts.post(news.tradingAccountId, { _tag: "TellQuote", news })
  }
}
