/**
 * What an order of type QUOTED must satisfy (contract C8): it names a quote and repeats its terms. The dealer, which has the quote, checks that
 * they match; checked here are fields that such an order cannot have, and the exits that may come with it (contract C4).
 */

import type { FirmQuote } from "../../dealer/quote.ts"
import { Decimal } from "../../decimal.ts"
import type { DomainError } from "../../errors/domain-error.ts"
import { InstrumentNotFound } from "../../errors/market.ts"
import {
  InvalidOrderSide,
  ParameterNotAllowed,
  QuoteIdRequired,
  UnsupportedOrderType,
} from "../../errors/order-parameters.ts"
import { QuoteMismatch } from "../../errors/quote.ts"
import { ConflictingParameters } from "../../errors/request.ts"
import { LeverageNotAllowed } from "../../errors/risk.ts"
import { type Instrument, invalidInstrumentId, parseInstrumentId, tradingFault } from "../../instrument/instrument.ts"
import type { Venue } from "../../instrument/venue.ts"
import { INTERNAL } from "../internal-order.ts"
import { type Checked, checking, isAbsent, type OrderCircumstances, refuse } from "../plan.ts"
import type { SubmitRequest } from "../submit-request.ts"
import { NO_TERMS } from "../terms.ts"
import { exitsOf, hasExits } from "./exits.ts"

const FORBIDDEN = ["stopPrice", "positionId", "trailingDelta", "trailingAmount"] as const

/** Of the request alone; null: the dealer may be asked. */
export const quotedFault = (request: SubmitRequest, venue: Venue): DomainError | null => {
  if (venue.venue !== INTERNAL) return new UnsupportedOrderType({ orderType: "QUOTED" })
  if (isAbsent(request.quoteId)) return new QuoteIdRequired({})
  if (request.orderSide === "UNKNOWN") return new InvalidOrderSide({})
  if (!isAbsent(request.instrumentId)) {
    const name = parseInstrumentId(request.instrumentId)
    if (name === undefined) return invalidInstrumentId(request.instrumentId)
    if (name.venue !== venue.venue)
      return new ConflictingParameters({ parameters: ["instrumentId", "tradingAccountId"] })
  }
  for (const parameter of FORBIDDEN) if (!isAbsent(request[parameter])) return new ParameterNotAllowed({ parameter })
  if (!isAbsent(request.leverage) && request.leverage !== 1)
    return new LeverageNotAllowed({ leverage: request.leverage, max: 1 })
  const quantityType = request.quantityType ?? request.orderQuantityType ?? "BASE"
  return quantityType === "BASE" ? null : new QuoteMismatch({ parameter: "quantityType" })
}

/** The plan of an order that repeats the quote. Its exits trade on INTERNAL, which must list the pair then. */
export const quotedPlan = (request: SubmitRequest, quote: FirmQuote, circumstances: OrderCircumstances): Checked =>
  checking(() => {
    const { baseAsset, quoteAsset, instrumentId, orderSide, quantity } = quote
    const listed = circumstances.findInstrument(instrumentId)
    const withExits = hasExits(request)
    if (withExits) {
      const fault = listed === undefined ? new InstrumentNotFound({ instrumentId }) : tradingFault(listed)
      if (fault !== undefined) refuse(fault)
    }
    const instrument = listed ?? unlisted(quote)
    const facts = {
      instrument,
      orderSide,
      orderType: "QUOTED",
      // What exits stand around.
      limitPrice: quote.price,
      trigger: null,
      baseQuantity: quantity,
      timeInForce: "FOK",
    } as const
    const exits = withExits ? exitsOf(request, facts, circumstances) : null
    return {
      instrument: { ...instrument, baseAsset, quoteAsset },
      orderSide,
      orderType: "QUOTED",
      timeInForce: "FOK",
      expireAt: null,
      limitPrice: isAbsent(request.limitPrice) ? null : Decimal.of(request.limitPrice),
      quantity: Decimal.of(request.quantity),
      orderQuantityType: "BASE",
      baseQuantity: quantity,
      quantityRounding: "",
      positionId: null,
      terms: exits && { ...NO_TERMS, exits: exits.exits },
      list: exits?.list ?? null,
    }
  })

/** A pair that INTERNAL has no book of can be traded by quote all the same. */
const unlisted = ({ instrumentId, tenantId, baseAsset, quoteAsset }: FirmQuote): Instrument => ({
  instrumentId,
  venue: INTERNAL,
  tenantId,
  symbol: `${baseAsset}/${quoteAsset}`,
  baseAsset,
  quoteAsset,
  securityType: "CRYPTO",
  tickSize: Decimal.ZERO,
  lotSize: Decimal.ZERO,
  minQuantity: Decimal.ZERO,
  maxQuantity: null,
  minNotional: null,
  precision: 18,
  scale: 18,
  status: "ACTIVE",
})
