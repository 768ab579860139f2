/**
 * Books the profit and loss of dealers: executed quotes, fills of hedges and admins' words on them, oldest first, behind what is booked
 * already (decision 52). The one thing to know: how far the books have come changes in the transaction of the transfers, and only where
 * nobody else has changed it, so that a crash or a second look books nothing twice and leaves nothing out.
 */
import { Effect } from "effect"
import type { PairBook } from "../../../domain/dealer/books.ts"
import type { Dealer } from "../../../domain/dealer/dealer.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { WalletFailed } from "../../../domain/errors/wallet.ts"
import type { DealerAccountId, TradingAccountId } from "../../../domain/ids.ts"
import { roundOfMany } from "../../../kernel/loop.ts"
import { type BookedVerdict, BookStore, type StoredBooks } from "../../../ports/book-store.ts"
import { Clock } from "../../../ports/clock.ts"
import { Ids } from "../../../ports/ids.ts"
import { LedgerPort, type Movement } from "../../../ports/ledger-port.ts"
import { DealerDirectory } from "../directory.ts"
import { type BookEvent, bookTransfers, eventOfFill, eventOfQuote, eventOfVerdict, symbolOf } from "./transfers.ts"

/** An event has three transfers and its fees: a request of the ledger takes so many at once. */
const EVENTS_AT_ONCE = 40

/** How far they have come past so many fills of others is stored by itself: else with the next hedge. */
const PASSED_MAX = 5_000

/** What a request brings into the books, and how far they have come then. */
interface Step {
  readonly events: ReadonlyArray<BookEvent>
  readonly lastIntent?: number
  readonly fills?: { readonly account: TradingAccountId; readonly last: number }
  readonly verdicts?: ReadonlyArray<BookedVerdict>
}

interface Known {
  /** Of the dealer. */
  readonly version: number
  readonly books: StoredBooks
  /** By account: how many fills of others `books` is past, and what is stored of them is not. */
  readonly passed: ReadonlyMap<TradingAccountId, number>
}

export const makeDealerBooks = Effect.gen(function* () {
  const store = yield* BookStore
  const ledger = yield* LedgerPort
  const dealers = yield* DealerDirectory
  const clock = yield* Clock
  const ids = yield* Ids
  /** As they were after the last look, and the dealer's version then. What fails is read again. */
  const known = new Map<DealerAccountId, Known>()

  /** The books after it. */
  const post = (dealer: DealerAccountId, books: StoredBooks, step: Step): Effect.Effect<StoredBooks, DomainError> => {
    const pairs = new Map<string, PairBook>(books.pairs)
    const transfers: Array<Movement> = []
    for (const event of step.events) transfers.push(...bookTransfers(dealer, pairs, event))
    const touched = new Map(step.events.map((event) => [symbolOf(event), event]))
    const row = {
      dealerAccountId: dealer,
      version: books.version,
      lastIntent: step.lastIntent ?? books.lastIntent,
      pairs: [...touched].map(([symbol, { baseAsset, quoteAsset }]) => {
        const { position, cash, profit } = pairs.get(symbol)!
        return { base_asset: baseAsset, quote_asset: quoteAsset, position, cash, profit }
      }),
      fills: step.fills === undefined ? [] : [{ trading_account_id: step.fills.account, last_number: step.fills.last }],
      verdicts: (step.verdicts ?? []).map((it) => ({
        trade_order_id: it.tradeOrderId,
        quantity: it.quantity,
        cost: it.cost,
      })),
    }
    const refusal = (): DomainError => new WalletFailed({ reason: "the books were changed meanwhile" })
    return Effect.async((resume) =>
      ledger.post({
        requestId: ids.uuid(),
        transfers,
        facts: [{ tag: "dealer_book", row, refusal }],
        settled: (outcome) => {
          if (outcome._tag === "Refused") return resume(Effect.fail(outcome.failure))
          const fills = new Map(books.fills)
          if (step.fills !== undefined) fills.set(step.fills.account, step.fills.last)
          resume(Effect.succeed({ version: books.version + 1, lastIntent: row.lastIntent, pairs, fills }))
        },
      }),
    )
  }

  const follow = (dealer: Dealer): Effect.Effect<void, DomainError> =>
    Effect.gen(function* () {
      const id = dealer.dealerAccountId
      const before = known.get(id)
      known.delete(id)
      // Another account may be linked, or was for a moment.
      const isKnown = before?.version === dealer.version
      let books = isKnown ? before.books : yield* store.open(dealer, clock.now())
      const passed = new Map(isKnown ? before.passed : [])
      for (;;) {
        const quotes = yield* store.quotes(id, books.lastIntent, EVENTS_AT_ONCE)
        if (quotes.length === 0) break
        const lastIntent = quotes.at(-1)!.number
        books = yield* post(id, books, { events: quotes.map(eventOfQuote), lastIntent })
      }
      for (const account of books.fills.keys())
        for (;;) {
          const { fills, last, looked } = yield* store.fills(id, account, books.fills.get(account)!, EVENTS_AT_ONCE)
          if (looked === 0) break
          const others = (passed.get(account) ?? 0) + looked
          passed.set(account, others)
          if (fills.length === 0 && others < PASSED_MAX) {
            books = { ...books, fills: new Map(books.fills).set(account, last) }
            continue
          }
          books = yield* post(id, books, { events: fills.map(eventOfFill), fills: { account, last } })
          passed.delete(account)
        }
      for (;;) {
        const verdicts = yield* store.verdicts(id, EVENTS_AT_ONCE)
        if (verdicts.length === 0) break
        const { version } = books
        const events = verdicts.map((it) => eventOfVerdict(it, version))
        books = yield* post(id, books, { events, verdicts })
      }
      known.set(id, { version: dealer.version, books, passed })
    })

  /** One look at every dealer. What goes wrong with one is told, and tried again by the next look. */
  return (trouble: (dealer: DealerAccountId, why: string) => void): Effect.Effect<void, DomainError> =>
    Effect.suspend(() =>
      roundOfMany(dealers.all(), follow, ({ dealerAccountId }, error) =>
        trouble(dealerAccountId, error._tag === "WalletFailed" ? error.reason : error.message),
      ),
    )
})
