/**
 * The behaviour of one dealer's actor: what each message does. After a defect it is rebuilt from the store: firm quotes, which orders took them,
 * exposure; everything that moves money is a request to the ledger, and its consequences run after its commit.
 */
import { Effect } from "effect"
import type { DealerAccountId, TradingAccountId } from "../../domain/ids.ts"
import type { TradeOrder } from "../../domain/order/trade-order.ts"
import type { Behaviour, Built, Self } from "../../kernel/behaviour.ts"
import { configureDealer, linkAccount, resolveHedge, setDealerStatus, unlinkAccount } from "./admin.ts"
import { DealerCore, type DealerParts } from "./core.ts"
import type { AskedHedges } from "./hedging/courier.ts"
import { HedgeKeeper } from "./hedging/hedging.ts"
import type { DealerCommand } from "./messages.ts"
import { tellIgnored } from "./places.ts"
import { acceptQuote, keepExpiry, letQuoteGo, releaseOrphans, settleQuote } from "./quotes/execution.ts"
import { requestQuote } from "./quotes/quotes.ts"

/** A stored image of a hedge of this dealer's. */
export interface HearHedge {
  readonly _tag: "HearHedge"
  readonly order: TradeOrder
  readonly reply?: never
}

/** An account can be asked no longer what became of its orders. */
export interface LoseAccount {
  readonly _tag: "LoseAccount"
  readonly tradingAccountId: TradingAccountId
  readonly reply?: never
}

/** It can be asked again. */
export interface FindAccount {
  readonly _tag: "FindAccount"
  readonly tradingAccountId: TradingAccountId
  readonly reply?: never
}

export type DealerMessage = DealerCommand | HearHedge | LoseAccount | FindAccount

/** Requests for quotes may be refused as Busy; orders that were accepted, and what administers, never. */
export const isRefusable = (message: DealerMessage): boolean =>
  message._tag === "RequestQuote" || message._tag === "AcceptQuote"

export const behaviour = (id: DealerAccountId, parts: DealerParts) => {
  const askedHedges: AskedHedges = new Map()
  return (self: Self<never>): Effect.Effect<Built<DealerMessage>> =>
    Effect.gen(function* () {
      const core = new DealerCore(parts, self, yield* parts.store.load(id))
      core.watchExpiry = keepExpiry(core)
      const keeper = new HedgeKeeper(core, yield* parts.hedgeStore.load(id), askedHedges, parts.hedgeCounts)
      core.hedging = keeper
      const handlers: Behaviour<DealerMessage> = {
        RequestQuote: (message) => requestQuote(core, message),
        AcceptQuote: (message) => acceptQuote(core, message),
        LetQuoteGo: (message) => letQuoteGo(core, message),
        SettleQuote: (message) => settleQuote(core, message),
        ConfigureDealer: (message) => configureDealer(core, message),
        SetDealerStatus: (message) => setDealerStatus(core, message),
        LinkAccount: (message) => linkAccount(core, message),
        UnlinkAccount: (message) => unlinkAccount(core, message),
        ReadDealer: ({ reply }) => reply.ok({ openQuotes: core.quotes.size, hedging: core.hedging.report() }),
        ResolveHedge: (message) => resolveHedge(core, keeper, message),
        HearHedge: ({ order }) => keeper.hear(order),
        LoseAccount: ({ tradingAccountId }) => keeper.lost(tradingAccountId),
        FindAccount: ({ tradingAccountId }) => keeper.found(tradingAccountId),
      }
      return {
        handlers,
        started: () => {
          parts.dealerChanged(core.dealer)
          releaseOrphans(core)
          tellIgnored(core)
          for (const live of core.quotes.all()) core.watchExpiry(live)
          keeper.start()
        },
        // Its quotes end on time, and its exposure is its own affair.
        ended: () => {
          core.following.close()
          keeper.close()
        },
        isIdle: () => core.dealer.status === "ARCHIVED" && keeper.isIdle(),
      }
    })
}
