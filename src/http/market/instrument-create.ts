/**
 * Listing an instrument at the platform's own venue: checks an admin's request. A listed instrument never changes while it has open orders,
 * because they count in its steps.
 */
import { type Effect, Schema } from "effect"
import { Decimal, PositiveDecimalText } from "../../domain/decimal.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { ConflictingParameters, InvalidParameter } from "../../domain/errors/request.ts"
import type { InstrumentId, TenantId } from "../../domain/ids.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import { INTERNAL } from "../../domain/order/internal-order.ts"
import { AMOUNT_DIGITS_MAX, digitsOf } from "../../domain/wallet/wallet.ts"
import type { Audited } from "../../store/audit/acts.ts"
import { optional } from "../edge/wire-text.ts"

/** As asked for; what it is called says who lists it. */
export type NewMarket = Omit<Instrument, "instrumentId" | "tenantId">

/** What an admin does with markets of the own tenant; `audited`: where that changes anything. */
export interface OwnMarkets {
  /**
   * Repeated with the same terms, the instrument that is there; with others ConflictingParameters, unless it is retired and nothing is open there
   * any more.
   */
  readonly list: (
    market: NewMarket,
    tenantId: TenantId,
    audited: (listed: Instrument) => Audited<void>,
  ) => Effect.Effect<Instrument, DomainError>
  /** No orders in from now on; what is open there is cancelled. */
  readonly retire: (
    instrumentId: InstrumentId,
    tenantId: TenantId,
    audited: (retired: Instrument) => Audited<void>,
  ) => Effect.Effect<Instrument, DomainError>
}

const Asset = Schema.String.pipe(Schema.pattern(/^[A-Z0-9][A-Z0-9.]{0,29}$/))

export const NewInstrument = Schema.Struct({
  baseAsset: Asset,
  quoteAsset: Asset,
  tickSize: PositiveDecimalText.annotations({ description: "Price step" }),
  lotSize: PositiveDecimalText.annotations({ description: "Quantity step" }),
  minQuantity: optional(PositiveDecimalText).annotations({ description: "Default: one lot" }),
  maxQuantity: optional(PositiveDecimalText),
  minNotional: optional(PositiveDecimalText).annotations({ description: "Smallest price × quantity" }),
}).annotations({
  identifier: "CreateInstrument",
  examples: [
    {
      baseAsset: "BTC",
      quoteAsset: "USDT",
      tickSize: "0.01" as PositiveDecimalText,
      lotSize: "0.0001" as PositiveDecimalText,
    },
  ],
})

export const marketOf = (asked: typeof NewInstrument.Type): NewMarket | ConflictingParameters | InvalidParameter => {
  const { baseAsset, quoteAsset } = asked
  if (baseAsset === quoteAsset) return new ConflictingParameters({ parameters: ["baseAsset", "quoteAsset"] })
  const tickSize = Decimal.of(asked.tickSize)
  const lotSize = Decimal.of(asked.lotSize)
  const minQuantity = asked.minQuantity == null ? lotSize : Decimal.of(asked.minQuantity)
  const maxQuantity = asked.maxQuantity == null ? null : Decimal.of(asked.maxQuantity)
  const minNotional = asked.minNotional == null ? null : Decimal.of(asked.minNotional)
  const given = { tickSize, lotSize, minQuantity, maxQuantity, minNotional }
  for (const [parameter, value] of Object.entries(given))
    if (value !== null && !value.isPositive()) return new InvalidParameter({ parameter, reason: "must be above 0" })
  // A price × a quantity must be an amount that the ledger can write down.
  if (digitsOf(tickSize) + digitsOf(lotSize) > AMOUNT_DIGITS_MAX)
    return new InvalidParameter({
      parameter: "tickSize",
      reason: `tickSize and lotSize have more than ${AMOUNT_DIGITS_MAX} digits behind the point together`,
    })
  for (const [parameter, value] of Object.entries({ minQuantity, maxQuantity }))
    if (value !== null && !value.isMultipleOf(lotSize))
      return new InvalidParameter({ parameter, reason: "must be a whole number of lots" })
  if (maxQuantity?.lessThan(minQuantity))
    return new ConflictingParameters({ parameters: ["minQuantity", "maxQuantity"] })
  return {
    venue: INTERNAL,
    symbol: `${baseAsset}/${quoteAsset}`,
    baseAsset,
    quoteAsset,
    securityType: "CRYPTO",
    ...given,
    precision: digitsOf(tickSize),
    scale: digitsOf(lotSize),
    status: "ACTIVE",
  }
}
