/** What every submit is judged by, of whatever type: the account's state, the market around it, and the orders that were before it. */

import type { DomainError } from "../domain/errors/domain-error.ts"
import { Busy } from "../domain/errors/service.ts"
import { AccountDisconnected, AccountNotActive, AccountReconciling } from "../domain/errors/trading-account.ts"
import { VenueInactive } from "../domain/errors/venue.ts"
import type { TradeOrderId } from "../domain/ids.ts"
import type { OrderCircumstances } from "../domain/order-plan.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { WALK_ROWS } from "./trading-account-hold.ts"
import type { Live } from "./trading-account-live.ts"
import { recall } from "./trading-account-recall.ts"

/** One for all: whoever is refused because there are too many should cost little. */
const BUSY = new Busy({ retryAfterSeconds: 1 })

/** A hedge is priced by a book that is open: it does not wait for a ticker. */
export const circumstancesOf = (
  core: AccountCore,
  now: number,
  mayWait: boolean,
  isHedge = false,
): OrderCircumstances => {
  const { markets, instruments, lastPrices } = core.parts
  return {
    venue: core.venue,
    findInstrument: (id) => instruments.find(id, core.account.tenantId),
    now,
    lastPrice: (instrumentId) => lastPrices.now(instrumentId),
    recentPrice: (instrumentId) => lastPrices.recent(instrumentId),
    mayAwaitCollar: (instrumentId) => mayWait && !isHedge && !lastPrices.isSilent(instrumentId),
    book: (instrumentId, side) => markets.topOfBook(instrumentId, side, WALK_ROWS),
    available: (asset) => core.positions.portfolio.of(asset).available,
    mayWait,
  }
}

export const refusalOf = (core: AccountCore): DomainError | undefined => {
  const { status } = core.account
  if (status === "DISCONNECTED") return new AccountDisconnected({})
  if (status === "LOCKED" || status === "INACTIVE") return new AccountNotActive({ status })
  if (core.venue.status === "INACTIVE") return new VenueInactive({})
  if (status !== "ACTIVE" || core.connection.phase !== "ready") return new AccountReconciling({})
  return core.parts.store.pressure() === "full" ? BUSY : undefined
}

/** At once for an order that is stored and in memory; else when its unit is settled (null: it was undone), or when it is read back. */
export const whenKnown = (core: AccountCore, tradeOrderId: TradeOrderId, run: (live: Live | null) => void): void => {
  const live = core.orders.get(tradeOrderId)
  if (live?.stored === true) run(live)
  else if (live !== undefined) live.whenStored.push((exists) => run(exists ? live : null))
  else
    recall(core, { tradeOrderId }, (found) => {
      if (found === undefined) throw new Error(`order ${tradeOrderId} has a key and is not in the store`)
      run(found)
    })
}
