/**
 * All dealers' actors behind one tag, and the desk to which clients' accounts send what concerns a quote. The directories must be filled before
 * this layer is built: every dealer that is not archived is woken, because its quotes expire on time.
 */
import { Effect, Exit, Layer } from "effect"
import { TradingModeInForce } from "../../domain/account/trading-mode.ts"
import { DealerNotFound } from "../../domain/errors/dealer.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { QuoteNotFound } from "../../domain/errors/quote.ts"
import { Busy, ShuttingDown } from "../../domain/errors/service.ts"
import { OutcomeUnknown } from "../../domain/errors/trade-order.ts"
import type { DealerAccountId, QuoteId, TradingAccountId } from "../../domain/ids.ts"
import { orderRates } from "../../domain/order/rates.ts"
import { LeanMap } from "../../foundation/lean.ts"
import { type Actor, create } from "../../kernel/actor.ts"
import { makeFork } from "../../kernel/fork.ts"
import * as Registry from "../../kernel/registry.ts"
import { Clock } from "../../ports/clock.ts"
import { DealerStore } from "../../ports/dealer-store.ts"
import { Failpoint } from "../../ports/failpoint.ts"
import { HedgeStore } from "../../ports/hedge-store.ts"
import { Ids } from "../../ports/ids.ts"
import { LedgerPort } from "../../ports/ledger-port.ts"
import { VenuePort } from "../../ports/venue-port.ts"
import { AccountDirectory } from "../account/directory.ts"
import { TradingAccounts } from "../account/messages.ts"
import { InstrumentDirectory } from "../market/instrument-directory.ts"
import { Markets } from "../market/messages.ts"
import type { DealerParts } from "./core.ts"
import { behaviour, type DealerMessage, isRefusable } from "./dealer.ts"
import { DealerDirectory } from "./directory.ts"
import { HedgeDeskInForce } from "./hedging/courier.ts"
import { Dealers, type DeskCommand, QuoteDeskInForce } from "./messages.ts"

const IDLE_MILLIS = 300_000
const SWEEP_MILLIS = 30_000

const quoteIdOf = (command: DeskCommand): QuoteId =>
  command._tag === "AcceptQuote" ? command.order.quoteId : command.quoteId

const make = Effect.gen(function* () {
  const clock = yield* Clock
  const store = yield* DealerStore
  const directory = yield* DealerDirectory
  const tradingAccounts = yield* TradingAccounts
  const hedgeCounts = { sent: 0, filled: 0, missed: 0, alerts: 0, open: new Map<DealerAccountId, number>() }
  /** Whose each firm quote is. */
  const dealerOfQuote = new LeanMap<QuoteId, DealerAccountId>()
  const run = yield* makeFork

  const parts: DealerParts = {
    store,
    hedgeStore: yield* HedgeStore,
    hedgeCounts,
    ledger: yield* LedgerPort,
    markets: yield* Markets,
    venues: yield* VenuePort,
    accounts: yield* AccountDirectory,
    tradingAccounts,
    instruments: yield* InstrumentDirectory,
    clock,
    ids: yield* Ids,
    failpoint: yield* Failpoint,
    rates: yield* orderRates,
    mode: yield* TradingModeInForce,
    dealerChanged: directory.put,
    quoteOpened: ({ quoteId, dealerAccountId }) => dealerOfQuote.set(quoteId, dealerAccountId),
    quoteClosed: (quoteId) => dealerOfQuote.delete(quoteId),
  }

  const answers = {
    busy: () => new Busy({ retryAfterSeconds: 1 }),
    lost: () => new OutcomeUnknown({ tradeOrderId: null }),
    parked: () => new Busy({ retryAfterSeconds: 60 }),
    ended: () => new ShuttingDown({}),
  }

  const spawn = (id: DealerAccountId): Actor<DealerMessage> =>
    create<DealerMessage, DomainError>({
      name: `Dealer ${id}`,
      behaviour: behaviour(id, parts),
      refusable: isRefusable,
      answers,
      monotonic: clock.monotonic,
    })

  const registry: Registry.Registry<DealerAccountId, DealerMessage> = yield* Registry.make({
    of: "dealers",
    create: spawn,
    idleMillis: IDLE_MILLIS,
    sweepMillis: SWEEP_MILLIS,
    monotonic: clock.monotonic,
  })

  const refuse = (command: DeskCommand): void => {
    if (command._tag !== "LetQuoteGo") command.reply.fail(new QuoteNotFound())
  }

  /** A quote that no memory has is over, or never was: its dealer knows which, if the store knows the dealer. */
  const deliver = (command: DeskCommand): void => {
    const dealer = dealerOfQuote.get(quoteIdOf(command))
    if (dealer !== undefined) {
      registry.post(dealer, command)
      return
    }
    run(store.findQuote(quoteIdOf(command))).addObserver((exit) => {
      const quote = Exit.isSuccess(exit) ? exit.value : null
      if (quote === null) refuse(command)
      else registry.post(quote.dealerAccountId, command)
    })
  }

  // What the last process stored and did not tell. Before any actor: what they store from now on they tell themselves.
  for (const news of yield* store.untoldNews) tradingAccounts.post(news.tradingAccountId, { _tag: "TellQuote", news })
  ;(yield* QuoteDeskInForce).serve(deliver)
  // Links of an account that is disconnected are gone: any dealer may have hedged there.
  const turned = (_tag: "LoseAccount" | "FindAccount") => (tradingAccountId: TradingAccountId) => {
    for (const { dealerAccountId, status } of directory.all())
      if (status !== "ARCHIVED") registry.post(dealerAccountId, { _tag, tradingAccountId })
  }
  ;(yield* HedgeDeskInForce).serve({
    tell: (order) => {
      if (order.dealerAccountId !== null) registry.post(order.dealerAccountId, { _tag: "HearHedge", order })
    },
    lost: turned("LoseAccount"),
    found: turned("FindAccount"),
  })
  // They read what is stored now: what is told from now on is mail.
  for (const { dealerAccountId, status } of directory.all()) if (status !== "ARCHIVED") registry.wake(dealerAccountId)

  return Dealers.of({
    post: (id, command) => {
      if (directory.find(id) !== undefined) registry.post(id, command)
      else if (command._tag !== "LetQuoteGo") command.reply.fail(new DealerNotFound())
    },
    start: (dealer) => {
      directory.put(dealer)
      registry.wake(dealer.dealerAccountId)
    },
    stats: () => ({ ...registry.stats(), hedges: hedgeCounts }),
  })
})

export const DealersLive = Layer.scoped(Dealers, make)
