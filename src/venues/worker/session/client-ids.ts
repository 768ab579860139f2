/**
 * How our client id of an order is written at a venue (contract C2), read back, and matched by the venue's own id. Ours is the trade order id as
 * 32 hex digits. Every form but the shortest contains the whole id, so that an order is recognised after a crash without a table.
 */
import { type InstrumentId, tradeOrderIdOf, type VenueId } from "../../../domain/ids.ts"
import { instrumentIdOf } from "../../../domain/instrument/instrument.ts"
import { NewestByName } from "../../../foundation/newest.ts"
import type { VenueOrderState } from "../../../ports/venue-session.ts"
import type { CcxtTrade } from "../exchange/ccxt.ts"

// Which of our client ids stands behind a venue's order id: fills do not always repeat ours. The newest 10,000 are remembered. The one thing
// to know: an id is given with its instrument, for some venues count their orders anew in each market.

const REMEMBERED = 10_000

const keyOf = (externalOrderId: string, instrumentId: InstrumentId): string => `${instrumentId}|${externalOrderId}`

export class KnownOrders {
  readonly #clientIds = new NewestByName<string>(REMEMBERED)

  /** Orders that are not ours are of no interest. */
  remember({ clientId, ...name }: Pick<VenueOrderState, "clientId" | "externalOrderId" | "instrumentId">): void {
    if (clientId === null || tradeOrderIdOf(clientId) === undefined) return
    this.#clientIds.set(keyOf(name.externalOrderId, name.instrumentId), clientId)
  }

  clientIdOf(externalOrderId: string, instrumentId: InstrumentId): string | null {
    return this.#clientIds.get(keyOf(externalOrderId, instrumentId)) ?? null
  }

  /** Of what names an order and carries the instrument's name: see `Listing.named`. */
  clientIdOfTrade(venue: VenueId, { order, symbol }: Pick<CcxtTrade, "order" | "symbol">): string | null {
    return order === undefined || symbol === undefined ? null : this.clientIdOf(order, instrumentIdOf(venue, symbol))
  }
}

export type Spelling = "hex" | "uuid" | "gate" | "number"

const HEX = /^[0-9a-f]{32}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** 128 bits are 25 digits of base 36; Gate takes 28 characters after its `t-`. */
const GATE = /^t-([0-9a-z]{25})$/
const GATE_DIGITS = 25
/** Bitfinex takes a whole number of 45 bits: the last ones, which are random. It cannot be read back, only compared. */
const NUMBER_BITS = 45n

const SPELLINGS: { readonly [S in Spelling]: (hex: string) => string } = {
  hex: (hex) => hex,
  uuid: (hex) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
  gate: (hex) => `t-${BigInt(`0x${hex}`).toString(36).padStart(GATE_DIGITS, "0")}`,
  number: (hex) => BigInt.asUintN(Number(NUMBER_BITS), BigInt(`0x${hex}`)).toString(),
}

export const spelled = (hex: string, spelling: Spelling): string => SPELLINGS[spelling](hex)

/** Our id behind what a venue calls its client id, in any spelling that says all of it; null for another's. */
export const readBack = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined) return null
  if (HEX.test(text)) return text
  if (UUID.test(text)) return text.replaceAll("-", "")
  const digits = GATE.exec(text)?.[1]
  if (digits === undefined) return null
  let value = 0n
  for (const digit of digits) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  const hex = value.toString(16).padStart(32, "0")
  return hex.length === 32 ? hex : null
}

/** Whether a value that is sent or was received stands for our id. */
export const isSameId = (hex: string, value: unknown): boolean => {
  if (typeof value === "number") return String(value) === spelled(hex, "number")
  return typeof value === "string" && (readBack(value) === hex || value === spelled(hex, "number"))
}
