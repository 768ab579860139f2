/**
 * Sanitises a venue's texts before they are stored: PostgreSQL accepts neither NUL nor lone surrogates, and one such text would make it refuse
 * its unit.
 */

/** Control characters and lone surrogates (with the flag `u`, a pair is one character of another class). */
const UNCLEAN = /[\p{Cc}\p{Cs}]/u
const UNCLEAN_ALL = /[\p{Cc}\p{Cs}]/gu

export const isClean = (text: string): boolean => !UNCLEAN.test(text)

/** For people: what cannot be stored is replaced. */
export const cleaned = (text: string): string => (isClean(text) ? text : text.replace(UNCLEAN_ALL, "\ufffd"))
