/** Instants are milliseconds since the Unix epoch; on records each `…At` has a `…AtDateTime` sibling (specification, conventions 4). */

/** `YYYY-MM-DDTHH:mm:ss.SSSZ` of an instant. */
export const dateTime = (at: number): string => {
  const second = Math.floor(at / 1000)
  if (second !== lastSecond) {
    lastText = new Date(second * 1000).toISOString().slice(0, 20)
    lastSecond = second
  }
  const millis = at - second * 1000
  return `${lastText}${millis < 10 ? "00" : millis < 100 ? "0" : ""}${millis}Z`
}
// Nearly all instants of a running service are of this second: its text is built once.
let lastSecond = Number.NaN
let lastText = ""

/** From 2001 to 5138 in seconds, and in milliseconds the spring of 1970 to that of 1973, of which nothing here has anything to tell. */
const SECONDS_MIN = 1e9
const SECONDS_MAX = 1e11

/** What is told of an instant that was meant in seconds; undefined: it may be one in milliseconds. */
export const secondsFault = (at: number | undefined): string | undefined =>
  at !== undefined && at >= SECONDS_MIN && at < SECONDS_MAX
    ? `is in seconds; milliseconds since the Unix epoch are expected: ${at * 1_000}`
    : undefined

/** As `dateTime`; null stays null. */
export const dateTimeOrNull = (at: number | null): string | null => (at === null ? null : dateTime(at))
