/** Texts on the wire that several endpoints share: pure schemas with their limits and what they are for. */
import { Schema } from "effect"
import { UserId } from "../../domain/ids.ts"
import { INSTRUMENT_ID_MAX } from "../../domain/instrument/instrument.ts"

/** Present and not longer than this, in UTF-16 units. */
export const text = (max: number) => Schema.String.pipe(Schema.minLength(1), Schema.maxLength(max))

/** A field that may be absent or null. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

export const VenueText = text(40).annotations({
  description: "A venue identifier, for example BINANCE, BINANCE_UAT or MOCK",
  examples: ["MOCK"],
})

export const InstrumentText = text(INSTRUMENT_ID_MAX).annotations({
  description:
    "<VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT>",
  examples: ["MOCK:BTC/USDT"],
})

/** Typed string in the specification, so any text is well formed; one that names nothing is 404 -120002. */
export const AccountText = text(128).annotations({
  description: "A tradingAccountId",
})

export const Ask = {
  limit: (max: number, fallback: number) =>
    Schema.optional(
      Schema.Int.pipe(Schema.between(1, max)).annotations({
        description: `Records per page: 1 to ${max}, default ${fallback}`,
      }),
    ),
  offset: Schema.optional(
    Schema.Int.pipe(Schema.nonNegative()).annotations({ description: "Records to skip, default 0" }),
  ),
  offsetUpTo: (max: number) =>
    Schema.optional(
      Schema.Int.pipe(Schema.between(0, max)).annotations({
        description: `Records to skip, default 0, at most ${max}: use the cursor beyond that`,
      }),
    ),
  cursor: Schema.optional(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(2_048)).annotations({
      description: "pagination.cursor of the previous page; omitted filters are those of the first request",
    }),
  ),
  instant: (description: string) =>
    Schema.optional(Schema.Int.pipe(Schema.between(0, 8_640_000_000_000_000)).annotations({ description })),
  userId: Schema.optional(UserId).annotations({ description: "For admins: that user's records instead of your own" }),
  depth: Schema.optional(
    Schema.Int.pipe(Schema.between(1, 1_000)).annotations({
      description: "Rows per side: 1 to 1000, default 10",
    }),
  ),
} as const
