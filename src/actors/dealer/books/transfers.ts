/**
 * What an executed quote, a fill of a hedge or an admin's word on one moves in the books of a dealer (decision 52): pure. The one thing to
 * know: ids of transfers are made of what they are about, so that nothing is booked twice, whatever asks for it.
 */
import { type BookChange, booked, EMPTY_BOOK, type PairBook, traded } from "../../../domain/dealer/books.ts"
import { Decimal } from "../../../domain/decimal.ts"
import { type DealerAccountId, nameUuid } from "../../../domain/ids.ts"
import { beyondReplaced } from "../../../domain/order/trade-order.ts"
import {
  asWritable,
  type DealerPurpose,
  dealerBookId,
  isAsset,
  type TransferCode,
} from "../../../domain/wallet/wallet.ts"
import type { BookedQuote, BookedVerdict } from "../../../ports/book-store.ts"
import type { Movement } from "../../../ports/ledger-port.ts"
import type { StoredFill } from "../../../ports/mirror-store.ts"

/** Of the names of transfers; never to be changed. */
const NAMESPACE = Buffer.from("d04f6b1e8a7c4c3fb2591c6e7d80f3a4", "hex")

export interface BookEvent {
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

export const eventOfQuote = ({ quoteId, baseAsset, quoteAsset, change }: BookedQuote): BookEvent => ({
  baseAsset,
  quoteAsset,
  name: quoteId,
  reference: quoteId,
  change: written(change),
  fees: [],
})

/** Of an execution that takes the place of an inferred one: what it changes of what that one said. A fee in base was bought and is not there. */
export const eventOfFill = ({ execution, replaced, baseAsset, quoteAsset }: StoredFill): BookEvent => {
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
export const eventOfVerdict = (it: BookedVerdict, version: number): BookEvent => ({
  baseAsset: it.baseAsset,
  quoteAsset: it.quoteAsset,
  name: `${it.tradeOrderId} ${version}`,
  reference: it.tradeOrderId,
  change: written(traded(it.orderSide, it.quantity.subtract(it.bookedQuantity), it.cost.subtract(it.bookedCost))),
  fees: [],
})

export const symbolOf = ({ baseAsset, quoteAsset }: Pick<BookEvent, "baseAsset" | "quoteAsset">): string =>
  `${baseAsset}/${quoteAsset}`

/** `pairs` become what they are then. */
export const bookTransfers = (
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
