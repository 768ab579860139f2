/** A venue's texts on their way into rows: PostgreSQL takes neither NUL nor lone surrogates, and one such text would refuse its unit. */
import { Decimal } from "../domain/decimal.ts"

/** Control characters and lone surrogates (with the flag `u`, a pair is one character of another class). */
const UNCLEAN = /[\p{Cc}\p{Cs}]/u
const UNCLEAN_ALL = /[\p{Cc}\p{Cs}]/gu

/** For people: what cannot be stored is replaced. */
export const cleaned = (text: string): string => (UNCLEAN.test(text) ? text.replace(UNCLEAN_ALL, "\ufffd") : text)

/** An id of the venue: it must stay what it is, so one that cannot be stored is no id. */
export const venueId = (text: string): string => {
  if (UNCLEAN.test(text)) throw new Error(`not a venue id: ${text.slice(0, 60)}`)
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
