/**
 * The body of tradeOrder/submit on the wire (specification, Submit order), shape only, and its fingerprint. Whether its fields fit each other,
 * the instrument and the account is decided by rules/rules.ts inside the account's own turn.
 */

import { hash } from "node:crypto"
import { Schema } from "effect"
import { Decimal, DecimalText, PositiveDecimalText } from "../decimal.ts"
import { TradingAccountId } from "../ids.ts"
import { INSTRUMENT_ID_MAX } from "../instrument/instrument.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** 1 to 64 of letters, digits, dot, underscore, colon, hyphen (contract C2). */
export const OrderKey = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9._:-]{1,64}$/))

export const TimeInForceWord = Schema.Literal(
  "GTC",
  "IOC",
  "FOK",
  "GTD",
  "DAY",
  "GTX",
  "OPG",
  "CLS",
  "GFA",
  "GFS",
  "GTM",
  "MOO",
  "MOC",
  "EXT",
  "UNKNOWN",
)
export type TimeInForceWord = typeof TimeInForceWord.Type

const QuantityTypeWord = Schema.Literal("BASE", "QUOTE", "POSITION_RATIO", "POSITION_PERCENTAGE")

export const SubmitRequest = Schema.Struct({
  tradingAccountId: TradingAccountId,
  instrumentId: optional(Schema.String.pipe(Schema.maxLength(INSTRUMENT_ID_MAX))),
  idempotencyKey: optional(OrderKey),
  clientOrderId: optional(OrderKey),
  orderSide: Schema.Literal("BUY", "SELL", "UNKNOWN"),
  /** STOP_MARKET is the reference's alias of STOP. */
  orderType: Schema.NullOr(
    Schema.Literal(
      "MARKET",
      "LIMIT",
      "LIMIT_MAKER",
      "STOP",
      "STOP_MARKET",
      "STOP_LIMIT",
      "STOP_LOSS",
      "STOP_LOSS_LIMIT",
      "TAKE_PROFIT",
      "TAKE_PROFIT_LIMIT",
      "TRAILING_STOP",
      "QUOTED",
      "UNKNOWN",
    ),
  ),
  quantity: PositiveDecimalText,
  limitPrice: optional(PositiveDecimalText),
  stopPrice: optional(PositiveDecimalText),
  quantityType: optional(QuantityTypeWord),
  orderQuantityType: optional(QuantityTypeWord),
  quantityRounding: optional(
    Schema.Literal("", "UP", "DOWN", "NEAREST", "CEIL", "FLOOR", "HALF_UP", "HALF_DOWN", "HALF_EVEN"),
  ),
  positionId: optional(Schema.UUID).annotations({
    description:
      "Of contracts: the position of this account and instrument, which the order makes smaller at most (reduce-only)",
  }),
  timeInForce: optional(TimeInForceWord),
  /** Milliseconds since the Unix epoch. */
  expireAt: optional(Schema.Int),
  quoteId: optional(Schema.UUID),
  leverage: optional(Schema.Int),
  awaitClosed: optional(Schema.Boolean),
  /** Extension: wait up to 1 s for the venue's acknowledgement. */
  awaitAccepted: optional(Schema.Boolean),
  /** Extension, TRAILING_STOP: distance to the best price in basis points, 1 to 5000. */
  trailingDelta: optional(Schema.Int),
  /** Extension, TRAILING_STOP: distance to the best price in price. */
  trailingAmount: optional(PositiveDecimalText),
  takeProfitPrice: optional(DecimalText),
  takeProfitLimitPrice: optional(DecimalText),
  stopLossPrice: optional(DecimalText),
  stopLossLimitPrice: optional(DecimalText),
  takeProfitTimeInForce: optional(TimeInForceWord),
  stopLossTimeInForce: optional(TimeInForceWord),
}).annotations({ identifier: "SubmitOrder" })
export type SubmitRequest = typeof SubmitRequest.Type

/** The same request under the instrument's own name, where it came under an alias of the venue. */
export const ofInstrument = (request: SubmitRequest, instrumentId: string): SubmitRequest => ({
  ...request,
  instrumentId,
})

// The fingerprint of a submit request: SHA-256 over its canonical form (contract C2). Two requests with one fingerprint mean
// the same order; how long the caller waits for the answer, and unknown fields, are not part of it.

const decimal = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined) return null
  return Decimal.parse(text)?.toString() ?? text
}

/** Fields in a fixed order, so that one meaning has one text; a uuid is one in either case of its letters. A later field must leave this text alone while it is absent. */
const canonical = (r: SubmitRequest): string =>
  JSON.stringify([
    r.tradingAccountId.toLowerCase(),
    r.instrumentId?.trim() ?? null,
    r.idempotencyKey ?? null,
    r.clientOrderId ?? null,
    r.orderSide,
    r.orderType === "STOP_MARKET" ? "STOP" : r.orderType,
    decimal(r.quantity),
    decimal(r.limitPrice),
    decimal(r.stopPrice),
    r.quantityType ?? r.orderQuantityType ?? "BASE",
    r.quantityRounding ?? "",
    r.positionId?.toLowerCase() ?? null,
    r.timeInForce ?? (typeof r.expireAt === "number" ? "GTD" : "GTC"),
    r.expireAt ?? null,
    r.quoteId?.toLowerCase() ?? null,
    r.leverage ?? null,
    decimal(r.takeProfitPrice),
    decimal(r.takeProfitLimitPrice),
    decimal(r.stopLossPrice),
    decimal(r.stopLossLimitPrice),
    r.takeProfitTimeInForce ?? null,
    r.stopLossTimeInForce ?? null,
    ...(r.trailingDelta != null || r.trailingAmount != null
      ? [r.trailingDelta ?? null, decimal(r.trailingAmount)]
      : []),
  ])

/** 64 hex characters. */
export const fingerprint = (request: SubmitRequest): string => hash("sha256", canonical(request), "hex")
