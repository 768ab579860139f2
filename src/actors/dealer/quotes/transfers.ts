/**
 * What a quote moves in the ledger. Ids are derived from those of the quote and the order, so that after a restart the same hold has the same id;
 * every hold expires some time after the quote even if this process is gone.
 */

import { deliverableOf, type FirmQuote, payableOf } from "../../../domain/dealer/quote.ts"
import { nameUuid, type TradeOrderId } from "../../../domain/ids.ts"
import type { Movement, Resolution } from "../../../ports/ledger-port.ts"

/** After the quote's end the ledger voids unresolved holds. */
const HOLD_MARGIN_MILLIS = 30_000

export const reservationId = ({ quoteId }: Pick<FirmQuote, "quoteId">): string =>
  nameUuid(`quote|${quoteId}|reservation`)
export const holdIdOf = (order: TradeOrderId): string => nameUuid(`order|${order}|hold`)

/** What the dealer delivers, held in its wallet for the client from the quote's first moment on. */
export const reservation = (quote: FirmQuote): Movement =>
  hold(quote, {
    transferId: reservationId(quote),
    debitWalletId: quote.dealerWalletId,
    creditWalletId: quote.traderWalletId,
    ...deliverableOf(quote),
    code: "QUOTE_RESERVATION",
  })

/** What the client pays, held for the dealer while the order is being stored. */
export const clientHold = (quote: FirmQuote, order: TradeOrderId): Movement =>
  hold(quote, {
    transferId: holdIdOf(order),
    debitWalletId: quote.traderWalletId,
    creditWalletId: quote.dealerWalletId,
    ...payableOf(quote),
    code: "HOLD",
  })

const hold = (
  { quoteId, expireAt }: FirmQuote,
  what: Omit<Movement, "kind" | "pendingId" | "reference" | "expiresAt">,
): Movement => ({
  ...what,
  kind: "pending",
  pendingId: null,
  reference: quoteId,
  expiresAt: expireAt + HOLD_MARGIN_MILLIS,
})

/** Both holds, whole: base and quote change hands. */
export const bothLegs = (quote: FirmQuote, order: TradeOrderId): ReadonlyArray<Resolution> => [
  posted(nameUuid(`quote|${quote.quoteId}|delivery|${order}`), reservationId(quote), quote.quoteId),
  posted(nameUuid(`quote|${quote.quoteId}|payment|${order}`), holdIdOf(order), quote.quoteId),
]

const posted = (transferId: string, pendingId: string, reference: string): Resolution => ({
  transferId,
  kind: "post",
  pendingId,
  amount: null,
  code: "QUOTE",
  reference,
})

export const voided = (pendingId: string, reference: string): Resolution => ({
  transferId: nameUuid(`void|${pendingId}`),
  kind: "void",
  pendingId,
  amount: null,
  code: "RELEASE",
  reference,
})
