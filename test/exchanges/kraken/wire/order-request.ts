/**
 * Reads the parameters of a new order and holds them against its pair, in Kraken's order and words.
 * Source: docs.kraken.com, Spot REST API, "Add Order".
 */
import { multiply, readFixed, toFixed8 } from "../../binance/fixed.ts"
import type { OrderKind, Side, Stop, TimeInForce } from "../model.ts"
import { isNamed, type KrakenPair } from "../pairs.ts"
import {
  costMinimum,
  deadlineElapsed,
  invalidArguments,
  KrakenRefusal,
  tickSize,
  tooPrecise,
  unknownPair,
} from "./refusal.ts"
import type { Parameters } from "./signature.ts"

/** An order as the caller asked for it. */
export interface PlaceRequest {
  readonly pair: KrakenPair
  readonly side: Side
  readonly kind: OrderKind
  readonly stop: Stop | undefined
  readonly timeInForce: TimeInForce
  readonly expireAt: number | undefined
  readonly isPostOnly: boolean
  readonly feeInBase: boolean
  readonly isByCost: boolean
  /** 0n of a market order. */
  readonly price: bigint
  readonly quantity: bigint
  readonly clOrdId: string | undefined
  readonly userref: number
}

const DEADLINE_MIN_MILLIS = 2_000
const DEADLINE_MAX_MILLIS = 60_000
/** A uuid with or without dashes, or up to 18 characters of the client's own. */
const CL_ORD_ID = /^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-z]{1,18})$/i

export const findPair = (pairs: ReadonlyArray<KrakenPair>, name: string | undefined): KrakenPair => {
  const found = name === undefined ? undefined : pairs.find((pair) => isNamed(pair, name))
  if (found === undefined) throw unknownPair()
  return found
}

/** A decimal of at most so many places. */
const decimal = (text: string | undefined, what: "price" | "volume", pair: KrakenPair): bigint => {
  const places = what === "price" ? pair.priceDecimals : pair.lotDecimals
  const units = text === undefined ? "malformed" : readFixed(text)
  if (units === "malformed") throw invalidArguments(what)
  const fraction = text?.split(".")[1]?.replace(/0+$/, "") ?? ""
  if (units === "too precise" || fraction.length > places) throw tooPrecise(pair.altname, what, places)
  return units
}

export const readPrice = (text: string | undefined, pair: KrakenPair): bigint => {
  const price = decimal(text, "price", pair)
  if (price === 0n) throw new KrakenRefusal("EOrder:Invalid price:Invalid price argument")
  if (price % toFixed8(pair.tickSize) !== 0n) throw tickSize()
  return price
}

export const readVolume = (text: string | undefined, pair: KrakenPair): bigint => {
  const volume = decimal(text, "volume", pair)
  if (volume < toFixed8(pair.orderMinimum)) throw invalidArguments("volume minimum not met")
  return volume
}

export const readClOrdId = (text: string | undefined): string | undefined => {
  if (text !== undefined && !CL_ORD_ID.test(text)) throw invalidArguments("cl_ord_id")
  return text
}

/** The matching engine no longer takes what came after its deadline. */
export const checkDeadline = (text: string | undefined, now: number): void => {
  if (text === undefined) return
  const deadline = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(deadline)) throw invalidArguments("deadline")
  if (deadline <= now) throw deadlineElapsed()
  const ahead = deadline - now
  if (ahead < DEADLINE_MIN_MILLIS || ahead > DEADLINE_MAX_MILLIS) throw invalidArguments("deadline")
}

const readExpiry = (text: string | undefined, now: number): number => {
  const relative = /^\+(\d+)$/.exec(text ?? "")
  if (relative !== null) return now + Number(relative[1]) * 1000
  const at = /^\d+$/.test(text ?? "") ? Number(text) * 1000 : Date.parse(text ?? "")
  if (Number.isNaN(at) || at <= now) throw invalidArguments("expiretm")
  return at
}

export const readPlaceRequest = (
  pairs: ReadonlyArray<KrakenPair>,
  parameters: Parameters,
  now: number,
): PlaceRequest => {
  const pair = findPair(pairs, parameters["pair"])
  const side = oneOf<Side>(parameters["type"], ["buy", "sell"], "type")
  const type = oneOf(parameters["ordertype"], ["limit", "market", ...STOP_TYPES], "ordertype")
  const kind: OrderKind = type.endsWith("limit") ? "limit" : "market"
  const stop = readStop(type, parameters["price"], pair)
  const timeInForce = oneOf<TimeInForce>(parameters["timeinforce"] ?? "GTC", ["GTC", "IOC", "GTD"], "timeinforce")
  const flags = (parameters["oflags"] ?? "").split(",").filter((flag) => flag !== "")
  if (flags.some((flag) => !["post", "fcib", "fciq", "nompp", "viqc"].includes(flag))) throw invalidArguments("oflags")
  const isPostOnly = flags.includes("post")
  if (isPostOnly && (kind === "market" || timeInForce === "IOC")) throw invalidArguments("post only order")
  const isByCost = flags.includes("viqc")
  if (isByCost && kind !== "market") throw invalidArguments("viqc")
  const price = kind === "limit" ? readPrice(parameters[stop === undefined ? "price" : "price2"], pair) : 0n
  const quantity = isByCost ? decimal(parameters["volume"], "volume", pair) : readVolume(parameters["volume"], pair)
  const cost = isByCost ? quantity : multiply(price, quantity)
  if ((kind === "limit" || isByCost) && cost < toFixed8(pair.costMinimum)) throw costMinimum()
  return {
    pair,
    side,
    kind,
    stop,
    timeInForce,
    expireAt: timeInForce === "GTD" ? readExpiry(parameters["expiretm"], now) : undefined,
    isPostOnly,
    feeInBase: flags.includes("fcib") || (side === "sell" && !flags.includes("fciq")),
    isByCost,
    price,
    quantity,
    clOrdId: readClOrdId(parameters["cl_ord_id"]),
    userref: Number(parameters["userref"] ?? 0),
  }
}

const STOP_TYPES = ["stop-loss", "stop-loss-limit", "take-profit", "take-profit-limit"] as const

/** A stop's `price` is its trigger, and `price2` the limit of what it releases. */
const readStop = (type: string, price: string | undefined, pair: KrakenPair): Stop | undefined => {
  if (!type.startsWith("stop-loss") && !type.startsWith("take-profit")) return undefined
  const kind = type.startsWith("stop-loss") ? "stop-loss" : "take-profit"
  return { kind, price: readPrice(price, pair), isTriggered: false }
}

const oneOf = <A extends string>(text: string | undefined, known: ReadonlyArray<A>, what: string): A => {
  const found = known.find((one) => one === text)
  if (found === undefined) throw invalidArguments(what)
  return found
}
