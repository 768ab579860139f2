/** The orders that are open, of the whole account or of one market, all pages. */
import type { PageCursor } from "../../adapters/paging.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { CcxtExchange, CcxtOrder } from "../exchange/ccxt.ts"
import { firstPage, type Page, readPage } from "./pages.ts"

/** `now`: venue ms. */
export const openOrdersOf = async (
  { profile, exchange, now }: { readonly profile: VenueProfile; readonly exchange: CcxtExchange; readonly now: number },
  symbol?: string,
): Promise<ReadonlyArray<CcxtOrder>> => {
  const all = new Map<string | undefined, CcxtOrder>()
  for (let cursor: PageCursor | null = firstPage(null); cursor !== null; ) {
    const page: Page<CcxtOrder> = await readPage(profile.openOrders, cursor, now, ({ limit, params }) =>
      exchange.fetchOpenOrders(symbol, undefined, limit, params),
    )
    for (const order of page.rows) all.set(order.id, order)
    cursor = page.next
  }
  return [...all.values()]
}
