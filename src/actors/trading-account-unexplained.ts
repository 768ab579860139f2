/**
 * What balances say of an order whose cancel is confirmed and that the venue does not know any more: that all it executed is known. The one
 * thing to know: what is compared is what no known execution explains, of both its assets, between its departure and balances that were
 * asked for after the cancel. Whatever else moved them in that time, they prove nothing.
 */
import type { TradeOrder } from "../domain/trade-order.ts"
import { isSpot } from "../domain/venue.ts"
import { askBalances } from "./trading-account-balances.ts"
import type { AccountCore } from "./trading-account-core.ts"
import type { Live, Unexplained } from "./trading-account-live.ts"

/** A venue's balances may be so old when it answers. */
const OLD_MILLIS = 1_000

/** Null: its venue keeps no assets by which it could be told. */
export const unexplainedOf = (
  { positions: { portfolio }, venue }: AccountCore,
  { baseAsset, quoteAsset }: TradeOrder,
): Unexplained | null =>
  venue.inProcess || !isSpot(venue) || !portfolio.isKnown
    ? null
    : { base: portfolio.unexplained(baseAsset), quote: portfolio.unexplained(quoteAsset) }

const areNew = ({ balances }: AccountCore, { cancelledAt }: Live): boolean =>
  cancelledAt !== null && balances.askedAt >= cancelledAt + OLD_MILLIS

/** The balances that can say it are asked for. */
export const askForBalances = (core: AccountCore, live: Live): void => {
  const { order, departedWith, cancelledAt } = live
  if (order.doubt?.kind !== "EXECUTED" || departedWith === null || cancelledAt === null) return
  if (!areNew(core, live)) askBalances(core)
}

export const isAccountedFor = (core: AccountCore, live: Live): boolean => {
  const { order, departedWith } = live
  if (order.doubt?.kind !== "EXECUTED" || departedWith === null || !areNew(core, live)) return false
  const now = unexplainedOf(core, order)
  return now?.base.equals(departedWith.base) === true && now.quote.equals(departedWith.quote)
}
