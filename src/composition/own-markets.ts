/** Markets of INTERNAL as admins list them, each for the admin's tenant: stored first, then known, then open for orders. One at a time. */
import { Effect } from "effect"
import { InstrumentDirectory } from "../actors/instrument-directory.ts"
import type { Settings } from "../config.ts"
import { ConflictingParameters } from "../domain/errors/request.ts"
import type { InstrumentId, TenantId } from "../domain/ids.ts"
import { haveSameTerms, type Instrument, MARKET_TERMS } from "../domain/instrument.ts"
import { INTERNAL, internalInstrumentId } from "../domain/internal-order.ts"
import type { CreateInstrument, NewMarket } from "../http/market/instrument-create.ts"
import { Clock } from "../ports/clock.ts"
import { Instruments } from "../store/instruments.ts"
import { InternalVenue } from "../venues/internal-venue.ts"

export const createInstrument = ({ defaultTenantId }: Pick<Settings, "defaultTenantId">) =>
  Effect.gen(function* () {
    const venue = yield* InternalVenue
    const store = yield* Instruments
    const directory = yield* InstrumentDirectory
    const { now } = yield* Clock
    const oneAtATime = yield* Effect.makeSemaphore(1)

    /** The plain name is taken where another tenant was the installation's own before. */
    const nameOf = ({ baseAsset, quoteAsset }: NewMarket, tenantId: TenantId): InstrumentId => {
      const plain = internalInstrumentId(baseAsset, quoteAsset)
      const isPlain = tenantId === defaultTenantId && !directory.has(plain)
      return isPlain ? plain : internalInstrumentId(baseAsset, quoteAsset, tenantId)
    }

    const create: CreateInstrument = (market, tenantId, audited) =>
      Effect.gen(function* () {
        const known = directory.ofPair(INTERNAL, market.symbol, tenantId)
        if (known !== undefined)
          return haveSameTerms(known, market)
            ? known
            : yield* new ConflictingParameters({ parameters: [...MARKET_TERMS] })
        const listed: Instrument = { ...market, instrumentId: nameOf(market, tenantId), tenantId }
        yield* audited(listed)(store.put(listed, now()))
        directory.put([listed])
        yield* venue.list(listed)
        return listed
      }).pipe(oneAtATime.withPermits(1))
    return create
  })
