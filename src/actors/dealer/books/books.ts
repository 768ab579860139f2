/**
 * Books the profit and loss of dealers: executed quotes, fills of hedges and resolutions by admins, oldest first, after what is already booked
 * (decision 52). The one thing to know: the position of the books changes in the transaction of the transfers, and only if it is unchanged since
 * it was read, so that a crash or a concurrent run books nothing twice and omits nothing.
 */

import { Effect } from "effect"
import { type BookChange, booked, EMPTY_BOOK, type PairBook, traded } from "../../../domain/dealer/books.ts"
import type { Dealer } from "../../../domain/dealer/dealer.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { WalletFailed } from "../../../domain/errors/wallet.ts"
import { type DealerAccountId, nameUuid, type TradingAccountId } from "../../../domain/ids.ts"
import { beyondReplaced } from "../../../domain/order/trade-order.ts"
import {
  asWritable,
  type DealerPurpose,
  dealerBookId,
  isAsset,
  type TransferCode,
} from "../../../domain/wallet/wallet.ts"
import { roundOfMany } from "../../../kernel/loop.ts"
import { type BookedQuote, type BookedVerdict, BookStore, type StoredBooks } from "../../../ports/book-store.ts"
import { Clock } from "../../../ports/clock.ts"
import { Ids } from "../../../ports/ids.ts"
import { LedgerPort, type Movement } from "../../../ports/ledger-port.ts"
import type { StoredFill } from "../../../ports/mirror-store.ts"
import { DealerDirectory } from "../directory.ts"

// What an executed quote, a fill of a hedge or an admin's word on one moves in the books of a dealer (decision 52): pure. The one thing to
// know: ids of transfers are made of what they are about, so that nothing is booked twice, whatever asks for it.

/** Of the names of transfers; never to be changed. */
const NAMESPACE = Buffer.from("d04f6b1e8a7c4c3fb2591c6e7d80f3a4", "hex")

interface BookEvent {
  readonly baseAsset: string
  readonly quoteAsset: string
  /** What its transfers are named by. */
  readonly name: string
  /** For people: the quote, the execution, the hedge. */
  readonly reference: string
  readonly change: BookChange
  /** What a venue took in other assets than base; below zero: what it gave. */
  readonly fees: ReadonlyArray<{ readonly asset: string; readonly quantity: Decimal }>
}

const written = ({ base, cash }: BookChange): BookChange => ({ base: asWritable(base), cash: asWritable(cash) })

const eventOfQuote = ({ quoteId, baseAsset, quoteAsset, change }: BookedQuote): BookEvent => ({
  baseAsset,
  quoteAsset,
  name: quoteId,
  reference: quoteId,
  change: written(change),
  fees: [],
})

/** Of an execution that takes the place of an inferred one: what it changes of what that one said. A fee in base was bought and is not there. */
const eventOfFill = ({ execution, replaced, baseAsset, quoteAsset }: StoredFill): BookEvent => {
  const { quantity, cost } = beyondReplaced({ execution, replaced })
  const { base, cash } = traded(execution.orderSide, quantity, cost)
  const inBase = execution.fees.filter(({ asset }) => asset === baseAsset)
  const taken = inBase.reduce((sum, fee) => sum.add(fee.quantity), Decimal.ZERO)
  return {
    baseAsset,
    quoteAsset,
    name: execution.executionId,
    reference: execution.executionId,
    change: written({ base: base.subtract(taken), cash }),
    fees: execution.fees.filter(({ asset }) => asset !== baseAsset && isAsset(asset)),
  }
}

/** `version`: of the books; one word may be booked, taken back, and booked again. */
const eventOfVerdict = (it: BookedVerdict, version: number): BookEvent => ({
  baseAsset: it.baseAsset,
  quoteAsset: it.quoteAsset,
  name: `${it.tradeOrderId} ${version}`,
  reference: it.tradeOrderId,
  change: written(traded(it.orderSide, it.quantity.subtract(it.bookedQuantity), it.cost.subtract(it.bookedCost))),
  fees: [],
})

const symbolOf = ({ baseAsset, quoteAsset }: Pick<BookEvent, "baseAsset" | "quoteAsset">): string =>
  `${baseAsset}/${quoteAsset}`

/** `pairs` become what they are then. */
const bookTransfers = (
  dealer: DealerAccountId,
  pairs: Map<string, PairBook>,
  event: BookEvent,
): ReadonlyArray<Movement> => {
  const before = pairs.get(symbolOf(event)) ?? EMPTY_BOOK
  const after = booked(before, event.change)
  pairs.set(symbolOf(event), after)
  const { baseAsset, quoteAsset, change } = event
  const leg = (
    name: string,
    asset: string,
    amount: Decimal,
    code: TransferCode,
    into: DealerPurpose,
    of: DealerPurpose,
  ) => movement(dealer, event, { name, asset, amount, code, into, of })
  return [
    ...leg("base", baseAsset, change.base, "POSITION", "POSITION", "TRADING"),
    ...leg("quote", quoteAsset, change.cash, "POSITION", "POSITION", "TRADING"),
    ...leg("profit", quoteAsset, after.profit.subtract(before.profit), "PROFIT", "PROFIT", "POSITION"),
    ...event.fees.flatMap(({ asset, quantity }, index) =>
      leg(`fee ${index}`, asset, asWritable(quantity).negate(), "FEE", "PROFIT", "TRADING"),
    ),
  ]
}

interface Leg {
  readonly name: string
  readonly asset: string
  /** Above zero: `of` to `into`; below: the other way. */
  readonly amount: Decimal
  readonly code: TransferCode
  readonly into: DealerPurpose
  readonly of: DealerPurpose
}

const movement = (
  dealer: DealerAccountId,
  event: Pick<BookEvent, "name" | "reference">,
  { name, asset, amount, code, into, of }: Leg,
): ReadonlyArray<Movement> => {
  if (amount.isZero()) return []
  const [from, to] = amount.isNegative() ? [into, of] : [of, into]
  return [
    {
      kind: "single",
      transferId: nameUuid(`${event.name} ${name}`, NAMESPACE),
      pendingId: null,
      debitWalletId: dealerBookId(dealer, from),
      creditWalletId: dealerBookId(dealer, to),
      asset,
      amount: amount.abs(),
      code,
      reference: event.reference,
      expiresAt: null,
    },
  ]
}

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
