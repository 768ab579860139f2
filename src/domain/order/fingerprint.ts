/**
 * The fingerprint of a submit request: SHA-256 over its canonical form (contract C2). Two requests with one fingerprint mean
 * the same order; how long the caller waits for the answer, and fields nobody knows, are not part of it.
 */
import { hash } from "node:crypto"
import { Decimal } from "../decimal.ts"
import type { SubmitRequest } from "./submit-request.ts"

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
