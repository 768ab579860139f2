/**
 * Kraken's error answers: HTTP 200 and one text in `error`, which is all that tells them apart.
 * Sources: docs.kraken.com, "Spot Error Messages" and "API error messages"; the texts of `cl_ord_id` are as clients have met them.
 */
import { Refusal } from "../../binance/wire/refusal.ts"

export class KrakenRefusal extends Error {}

const refusal = (text: string) => () => new KrakenRefusal(text)

export const invalidKey = refusal("EAPI:Invalid key")
export const invalidSignature = refusal("EAPI:Invalid signature")
export const invalidNonce = refusal("EAPI:Invalid nonce")
export const callLimit = refusal("EAPI:Rate limit exceeded")
export const orderLimit = refusal("EOrder:Rate limit exceeded")
export const unknownMethod = refusal("EGeneral:Unknown method")
export const invalidArguments = (what?: string) =>
  new KrakenRefusal(what === undefined ? "EGeneral:Invalid arguments" : `EGeneral:Invalid arguments:${what}`)
export const unknownPair = refusal("EQuery:Unknown asset pair")
export const insufficientFunds = refusal("EOrder:Insufficient funds")
export const postOnly = refusal("EOrder:Post only order")
export const costMinimum = refusal("EOrder:Cost minimum not met")
export const tickSize = refusal("EOrder:Tick size check failed")
export const tooPrecise = (altname: string, what: "price" | "volume", places: number) =>
  new KrakenRefusal(`EOrder:Invalid ${what}:${altname} ${what} can only be specified up to ${places} decimals.`)
/** Of an id that never was an order here. */
export const invalidOrder = refusal("EOrder:Invalid order")
/** Of an order that is over. */
export const unknownOrder = refusal("EOrder:Unknown order")
export const deadlineElapsed = refusal("EService:Deadline elapsed")
export const invalidSession = refusal("ESession:Invalid session")

/** What the matching engine refuses, in Kraken's words; it speaks Binance's. */
export const inOurWords = (cause: unknown): unknown => {
  if (!(cause instanceof Refusal)) return cause
  if (cause.message.includes("insufficient balance")) return insufficientFunds()
  if (cause.message.includes("PRICE_FILTER")) return new KrakenRefusal("EOrder:Invalid price:Invalid price argument")
  if (cause.message.includes("LOT_SIZE")) return invalidArguments("volume")
  if (cause.message.includes("NOTIONAL")) return costMinimum()
  return cause
}
