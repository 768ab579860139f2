/**
 * Numbers as Kraken writes them: REST has decimal texts, WebSocket v2 has bare JSON numbers with the digits of the pair
 * (`0.10000000`), which `JSON.stringify` cannot write. Amounts are the matching engine's bigints in 1e-8 units (binance/fixed.ts).
 */

const UNIT_PLACES = 8

/** With exactly so many places; what is finer is cut off. */
export const withPlaces = (units: bigint, places: number): string => {
  const sign = units < 0n ? "-" : ""
  const digits = String(units < 0n ? -units : units).padStart(UNIT_PLACES + 1, "0")
  const fraction = digits.slice(-UNIT_PLACES).padEnd(places, "0").slice(0, places)
  return `${sign}${digits.slice(0, -UNIT_PLACES)}${places === 0 ? "" : `.${fraction}`}`
}

/** Without trailing zeros. */
export const plain = (units: bigint): string => withPlaces(units, UNIT_PLACES).replace(/\.?0+$/, "")

/** Rounds up to a number of places: fees are never a hair too small. */
export const roundUp = (units: bigint, places: number): bigint => {
  const step = 10n ** BigInt(UNIT_PLACES - places)
  return ((units + step - 1n) / step) * step
}

const OPEN = "<bare "
const CLOSE = ">"

/** A number that `toJson` writes without quotes, digit for digit. */
export const bare = (text: string): string => `${OPEN}${text}${CLOSE}`

export const toJson = (value: unknown): string =>
  JSON.stringify(value).replace(/"<bare (-?\d+(?:\.\d+)?)>"/g, (_, number: string) => number)

/** RFC 3339 in microseconds, as WebSocket v2 stamps everything. */
export const rfc3339 = (millis: number): string => new Date(millis).toISOString().replace("Z", "000Z")
