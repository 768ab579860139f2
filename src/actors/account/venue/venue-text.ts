/** A venue's texts as values; what is none is refused, and put into quarantine by the caller. */
import { isClean } from "../../../domain/clean-text.ts"
import { Decimal } from "../../../domain/decimal.ts"

/** An id of the venue: it must stay what it is, so one that cannot be stored is no id. */
export const venueId = (text: string): string => {
  if (!isClean(text)) throw new Error(`not a venue id: ${text.slice(0, 60)}`)
  return text
}

export const decimal = (text: string): Decimal => {
  const value = Decimal.fromVenue(text)
  if (value === undefined) throw new Error(`not a venue decimal: ${text.slice(0, 60)}`)
  return value
}

/** Venue time, ms. */
export const instant = (at: number): number => {
  if (!Number.isSafeInteger(at)) throw new Error(`not an instant: ${at}`)
  return at
}
