/**
 * Markets of INTERNAL as admins list and retire them, each for the admin's tenant, one at a time. Stored first; then open for orders, then
 * known; retired the other way round.
 */
import { Effect } from "effect"
import { TradingAccounts } from "../actors/account/messages.ts"
import { InstrumentDirectory } from "../actors/market/instrument-directory.ts"
import type { Settings } from "../config.ts"
import { InstrumentNotFound } from "../domain/errors/market.ts"
import { ConflictingParameters } from "../domain/errors/request.ts"
import type { InstrumentId } from "../domain/ids.ts"
import { haveSameTerms, type Instrument, MARKET_TERMS } from "../domain/instrument/instrument.ts"
import { INTERNAL } from "../domain/order/internal-order.ts"
import type { OwnMarkets } from "../http/market/instrument-create.ts"
import { Clock } from "../ports/clock.ts"
import { Instruments } from "../store/market/instruments.ts"
import { TradeOrders } from "../store/orders/trade-orders.ts"
import { InternalVenue } from "../venues/internal/venue.ts"

/** An account answers within a second; one that is being built anew may take longer. */
const SWEEP_MILLIS = 3_000

export const ownMarkets = ({ defaultTenantId }: Pick<Settings, "defaultTenantId">) =>
  Effect.gen(function* () {
    const venue = yield* InternalVenue
    const store = yield* Instruments
    const orders = yield* TradeOrders
    const accounts = yield* TradingAccounts
    const directory = yield* InstrumentDirectory
    const { now, monotonic } = yield* Clock
    const oneAtATime = yield* Effect.makeSemaphore(1)

    const list: OwnMarkets["list"] = (market, tenantId, audited) =>
      Effect.gen(function* () {
        const known = directory.ofPair(INTERNAL, market.symbol, tenantId)
        if (known !== undefined) {
          const isOpen = known.status === "ACTIVE"
          const isSame = haveSameTerms(known, market)
          if (isSame && isOpen) return known
          if (!isSame && (isOpen || (yield* orders.areOpenAt(known.instrumentId))))
            return yield* new ConflictingParameters({ parameters: [...MARKET_TERMS] })
        }
        const listed: Instrument = {
          ...market,
          instrumentId: known?.instrumentId ?? directory.nameOf(market, tenantId, defaultTenantId),
          tenantId,
        }
        yield* audited(listed)(store.put(listed, now()))
        yield* venue.list(listed)
        directory.put([listed])
        return listed
      }).pipe(oneAtATime.withPermits(1))

    /** By their accounts, which watch triggers of their own beside what rests. One that cannot be asked keeps its orders: a repeat asks again. */
    const cancelAll = (instrumentId: InstrumentId) =>
      Effect.flatMap(orders.accountsOpenAt(instrumentId), (found) =>
        Effect.forEach(
          found,
          (account) =>
            Effect.async<void>((resume) => {
              const reply = { ok: () => resume(Effect.void), fail: () => resume(Effect.void) }
              const receivedAt = monotonic()
              accounts.post(account, { _tag: "CancelAllOrders", instrumentId, reason: "ADMIN", receivedAt, reply })
            }).pipe(Effect.timeoutOption(SWEEP_MILLIS)),
          { concurrency: "unbounded", discard: true },
        ),
      )

    const retire: OwnMarkets["retire"] = (instrumentId, tenantId, audited) =>
      Effect.gen(function* () {
        const known = directory.find(instrumentId, tenantId)
        if (known === undefined) return yield* new InstrumentNotFound({ instrumentId })
        const retired: Instrument = { ...known, status: "DELISTED" }
        const put = store.put(retired, now())
        // A repeat is no act, and is stored all the same: a list whose answer was lost may have been done.
        yield* known.status === "ACTIVE" ? audited(retired)(put) : put
        directory.put([retired])
        yield* venue.list(retired)
        yield* cancelAll(instrumentId)
        return retired
      }).pipe(oneAtATime.withPermits(1))

    return { list, retire } satisfies OwnMarkets
  })
