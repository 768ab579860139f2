/**
 * Every known instrument in memory, read synchronously by order rules and market data. Filled at start and by instrument sync. The one thing to
 * know: each query names its tenant, and only here is it decided what that tenant sees: markets of other tenants do not exist for it.
 */
import { Effect } from "effect"
import type { InstrumentDelisted } from "../../domain/errors/market.ts"
import type { InstrumentId, TenantId, VenueId } from "../../domain/ids.ts"
import { delistingFault, type Instrument, instrumentIdOf, isSeenBy } from "../../domain/instrument/instrument.ts"
import { internalInstrumentId } from "../../domain/order/internal-order.ts"

interface Shelf {
  readonly byId: Map<InstrumentId, Instrument>
  /** Sorted by id; built at the first request after a change. */
  sorted: ReadonlyArray<Instrument> | undefined
}

const inOrder = (a: Instrument, b: Instrument): number => (a.instrumentId < b.instrumentId ? -1 : 1)
const marketKey = (tenantId: TenantId, pair: InstrumentId): string => `${tenantId} ${pair}`

export class InstrumentDirectory extends Effect.Service<InstrumentDirectory>()("actors/InstrumentDirectory", {
  sync: () => {
    const instruments = new Map<InstrumentId, Instrument>()
    /** Markets of tenants by whose they are and what they would be called without a tenant. */
    const markets = new Map<string, Instrument>()
    const venues = new Map<VenueId, Shelf>()
    const doubted = new Set<VenueId>()

    const everyTenants = (venue: VenueId): ReadonlyArray<Instrument> => {
      const shelf = venues.get(venue)
      if (shelf === undefined) return []
      shelf.sorted ??= [...shelf.byId.values()].sort(inOrder)
      return shelf.sorted
    }

    return {
      /** `viewer` null: only what all tenants share. */
      find: (id: string, viewer: TenantId | null): Instrument | undefined => {
        const found = instruments.get(id as InstrumentId)
        return found !== undefined && isSeenBy(found, viewer) ? found : undefined
      },
      /** Known, and another tenant's. */
      hides: (id: string, viewer: TenantId): boolean => {
        const found = instruments.get(id as InstrumentId)
        return found !== undefined && !isSeenBy(found, viewer)
      },
      /** What `<BASE>/<QUOTE>` at a venue is for a tenant. */
      ofPair: (venue: VenueId, symbol: string, viewer: TenantId): Instrument | undefined => {
        const pair = instrumentIdOf(venue, symbol)
        const shared = instruments.get(pair)
        return shared?.tenantId === null ? shared : markets.get(marketKey(viewer, pair))
      },
      /** What a pair is called once the tenant lists it. A plain name that another tenant took while it was the installation's own stays its own. */
      nameOf: (pair: Pick<Instrument, "baseAsset" | "quoteAsset">, tenantId: TenantId, own: string): InstrumentId => {
        const plain = internalInstrumentId(pair.baseAsset, pair.quoteAsset)
        const isPlain = tenantId === own && !instruments.has(plain)
        return isPlain ? plain : internalInstrumentId(pair.baseAsset, pair.quoteAsset, tenantId)
      },
      /** In order of instrumentId. */
      ofVenue: (venue: VenueId, viewer: TenantId | null): ReadonlyArray<Instrument> => {
        const all = everyTenants(venue)
        return all.every((it) => isSeenBy(it, viewer)) ? all : all.filter((it) => isSeenBy(it, viewer))
      },
      put: (list: ReadonlyArray<Instrument>): void => {
        for (const instrument of list) {
          const { instrumentId, tenantId, venue, symbol } = instrument
          instruments.set(instrumentId, instrument)
          if (tenantId !== null) markets.set(marketKey(tenantId, instrumentIdOf(venue, symbol)), instrument)
          const shelf = venues.get(venue)
          if (shelf === undefined) {
            venues.set(venue, { byId: new Map([[instrumentId, instrument]]), sorted: undefined })
          } else {
            shelf.byId.set(instrumentId, instrument)
            shelf.sorted = undefined
          }
        }
      },

      // For the gateway itself, independent of the tenant.

      /** Whether anything is known of the venue: before that, "unknown instrument" cannot be said. */
      knows: (venue: VenueId): boolean => venues.has(venue),
      has: (id: InstrumentId): boolean => instruments.has(id),
      /** For a requested instrument: its venue no longer lists it. Undefined: it does, or nothing is known of it. */
      delistingFault: (id: InstrumentId): InstrumentDelisted | undefined => {
        const found = instruments.get(id)
        const fault = found && delistingFault(found)
        if (fault !== undefined) doubted.add(found!.venue)
        return fault
      },
      /** Something was wanted there that it did not list when it was asked last: nothing else may ever ask it again. */
      isDoubted: (venue: VenueId): boolean => doubted.has(venue),
      tenantOf: (id: InstrumentId): TenantId | null => instruments.get(id)?.tenantId ?? null,
      /** In order of instrumentId. */
      everyTenants,
    }
  },
}) {}
