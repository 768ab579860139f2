/**
 * Instruments as last synced from their venues, and the markets of INTERNAL as admins have listed them, each with its tenant. One that a venue no
 * longer lists is kept as DELISTED, because orders refer to it.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { StorageUnavailable } from "../../domain/errors/service.ts"
import type { InstrumentId, TenantId, VenueId } from "../../domain/ids.ts"
import type { Contract, Instrument } from "../../domain/instrument/instrument.ts"
import { INTERNAL } from "../../domain/order/internal-order.ts"
import { arrayLiteral, quoted } from "../orders/order-columns.ts"
import { decimal } from "../orders/rows.ts"
import { orUnavailable, Patience } from "../postgres/storage-failure.ts"

interface InstrumentRow {
  readonly instrument_id: string
  readonly venue: string
  readonly tenant_id: string | null
  readonly symbol: string
  readonly base_asset: string
  readonly quote_asset: string
  readonly security_type: "CRYPTO"
  readonly tick_size: string
  readonly lot_size: string
  readonly min_quantity: string
  readonly max_quantity: string | null
  readonly min_notional: string | null
  readonly price_digits: number
  readonly quantity_digits: number
  readonly price_significant_digits: number | null
  readonly contract_type: Contract["type"] | null
  readonly contract_size: string | null
  readonly status: Instrument["status"]
}

const instrumentOf = (row: InstrumentRow): Instrument => ({
  instrumentId: row.instrument_id as InstrumentId,
  venue: row.venue as VenueId,
  tenantId: row.tenant_id as TenantId | null,
  symbol: row.symbol,
  baseAsset: row.base_asset,
  quoteAsset: row.quote_asset,
  securityType: row.security_type,
  tickSize: decimal(row.tick_size),
  lotSize: decimal(row.lot_size),
  minQuantity: decimal(row.min_quantity),
  maxQuantity: row.max_quantity === null ? null : decimal(row.max_quantity),
  minNotional: row.min_notional === null ? null : decimal(row.min_notional),
  precision: row.price_digits,
  scale: row.quantity_digits,
  ...(row.price_significant_digits === null ? {} : { priceSignificantDigits: row.price_significant_digits }),
  ...(row.contract_type === null
    ? {}
    : { contract: { type: row.contract_type, size: row.contract_size === null ? null : decimal(row.contract_size) } }),
  status: row.status,
})

/** As json_to_recordset reads it; decimals as text keep their digits. */
const jsonOf = (i: Instrument) => ({
  instrument_id: i.instrumentId,
  symbol: i.symbol,
  base_asset: i.baseAsset,
  quote_asset: i.quoteAsset,
  security_type: i.securityType,
  tick_size: i.tickSize.toString(),
  lot_size: i.lotSize.toString(),
  min_quantity: i.minQuantity.toString(),
  max_quantity: i.maxQuantity?.toString() ?? null,
  min_notional: i.minNotional?.toString() ?? null,
  price_digits: i.precision,
  quantity_digits: i.scale,
  price_significant_digits: i.priceSignificantDigits ?? null,
  contract_type: i.contract?.type ?? null,
  contract_size: i.contract?.size?.toString() ?? null,
  status: i.status,
})

const COLUMNS = `instrument_id, venue, symbol, base_asset, quote_asset, security_type, tick_size, lot_size, min_quantity, max_quantity,
  min_notional, price_digits, quantity_digits, price_significant_digits, contract_type, contract_size, status`

/** Everything that sync may change; compared as a whole, so that an unchanged instrument is not written. */
const TERMS = `symbol, base_asset, quote_asset, security_type, tick_size, lot_size, min_quantity, max_quantity, min_notional,
  price_digits, quantity_digits, price_significant_digits, contract_type, contract_size, status`
const of = (alias: string): string =>
  TERMS.split(",")
    .map((name) => `${alias}.${name.trim()}`)
    .join(", ")

const LISTED = `listed AS (
    SELECT $1::text AS venue, r.* FROM json_to_recordset($2::json) AS r(instrument_id text, symbol text, base_asset text,
      quote_asset text, security_type text, tick_size numeric, lot_size numeric, min_quantity numeric, max_quantity numeric,
      min_notional numeric, price_digits int, quantity_digits int, price_significant_digits int, contract_type text,
      contract_size numeric, status text))`

const UPSERT = `WITH ${LISTED},
  known AS (SELECT instrument_id FROM instrument WHERE venue = $1),
  written AS (
    INSERT INTO instrument AS i (${COLUMNS}, updated_at)
    SELECT ${COLUMNS}, $3::bigint FROM listed
    ON CONFLICT (instrument_id) DO UPDATE SET (${TERMS}, updated_at) = ROW (${of("excluded")}, excluded.updated_at)
    WHERE (${of("i")}) IS DISTINCT FROM (${of("excluded")})
    RETURNING instrument_id),
  gone AS (
    UPDATE instrument SET status = 'DELISTED', updated_at = $3
    WHERE venue = $1 AND status <> 'DELISTED' AND instrument_id NOT IN (SELECT instrument_id FROM listed)
      AND ($4::text[] IS NULL OR instrument_id = ANY ($4))
    RETURNING instrument_id)
  SELECT (SELECT count(*)::int FROM listed) AS synced,
    (SELECT count(*)::int FROM written WHERE instrument_id NOT IN (SELECT instrument_id FROM known)) AS added,
    (SELECT count(*)::int FROM written WHERE instrument_id IN (SELECT instrument_id FROM known))
      + (SELECT count(*)::int FROM gone) AS updated`

/** What another tenant has listed under that name stays as it is, and what is not $5 any more. */
const PUT = `WITH ${LISTED},
  known AS (SELECT ${TERMS} FROM json_populate_recordset(NULL::instrument, $5::json))
  INSERT INTO instrument AS i (${COLUMNS}, tenant_id, updated_at)
  SELECT ${COLUMNS}, $4::text, $3::bigint FROM listed
  ON CONFLICT (instrument_id) DO UPDATE SET (${TERMS}, updated_at) = ROW (${of("excluded")}, excluded.updated_at)
  WHERE i.tenant_id = excluded.tenant_id AND EXISTS (SELECT FROM known k WHERE (${of("k")}) IS NOT DISTINCT FROM (${of("i")}))
  RETURNING 1`

export interface SyncCounts {
  /** Listed by the venue. */
  readonly synced: number
  readonly added: number
  /** Changed terms, and those newly DELISTED. */
  readonly updated: number
}

export class Instruments extends Effect.Service<Instruments>()("store/Instruments", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** In order of venue and id. */
      all: orUnavailable(
        sql.unsafe<InstrumentRow>(`SELECT ${COLUMNS}, tenant_id FROM instrument ORDER BY venue, instrument_id`),
      ).pipe(Effect.map((rows) => rows.map(instrumentOf))),

      /**
       * `list` is what the venue trades, and `gone` what it does not: these become DELISTED, or all others of the venue. Nothing is said of what neither
       * names: another process may know it. Thousands of rows: it may take its time.
       */
      upsert: (
        venue: VenueId,
        list: ReadonlyArray<Instrument>,
        gone: ReadonlyArray<InstrumentId> | "others",
        at: number,
      ): Effect.Effect<SyncCounts, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<SyncCounts>(UPSERT, [
            venue,
            JSON.stringify(list.map(jsonOf)),
            at,
            gone === "others" ? null : arrayLiteral(gone.map(quoted)),
          ]),
        ).pipe(
          Effect.map((rows) => rows[0]!),
          Effect.provideService(Patience, null),
        ),

      /** A market of a tenant's own by its id or its symbol. */
      market: (tenantId: TenantId, name: string): Effect.Effect<Instrument | undefined, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<InstrumentRow>(
            `SELECT ${COLUMNS}, tenant_id FROM instrument WHERE venue = $1 AND tenant_id = $2 AND (instrument_id = $3 OR symbol = $3)`,
            [INTERNAL, tenantId, name],
          ),
        ).pipe(Effect.map(([row]) => (row === undefined ? undefined : instrumentOf(row)))),

      /**
       * One market of a tenant's own, listed or otherwise than it was: `known`, as this process knows it; null: not at all. Fails where another process has
       * changed it since.
       */
      put: (market: Instrument, known: Instrument | null, at: number): Effect.Effect<void, StorageUnavailable> =>
        Effect.gen(function* () {
          const { instrumentId, tenantId, venue } = market
          const knows = JSON.stringify(known === null ? [] : [jsonOf(known)])
          const values = [venue, JSON.stringify([jsonOf(market)]), at, tenantId, knows]
          const stored = yield* orUnavailable(sql.unsafe(PUT, values))
          if (stored.length === 1) return
          const others = yield* orUnavailable(sql`
            SELECT FROM instrument WHERE instrument_id = ${instrumentId} AND tenant_id IS DISTINCT FROM ${tenantId}`)
          if (others.length > 0) return yield* Effect.dieMessage(`${instrumentId} is another tenant's market`)
          return yield* new StorageUnavailable()
        }),

      /**
       * Markets from the time when all tenants shared them become this tenant's: how many. Null: they stay as they are, for there is no such
       * tenant, and what is given away is given for good.
       */
      claim: (tenantId: TenantId): Effect.Effect<number | null, StorageUnavailable> =>
        orUnavailable(
          Effect.gen(function* () {
            const claimed = yield* sql`
              UPDATE instrument SET tenant_id = ${tenantId} WHERE venue = ${INTERNAL} AND tenant_id IS NULL
                AND EXISTS (SELECT FROM tenant WHERE tenant_id = ${tenantId}) RETURNING 1`
            if (claimed.length > 0) return claimed.length
            const waiting = yield* sql`SELECT FROM instrument WHERE venue = ${INTERNAL} AND tenant_id IS NULL LIMIT 1`
            return waiting.length > 0 ? null : 0
          }),
        ),
    }
  }),
}) {}
