/**
 * A request's headers as they came: name and value by turns, names in lower case, a header with several lines several times. The one thing to know: uWebSockets
 * passes all lines on, and refuses none that comes twice.
 */
import { InvalidParameter } from "../../domain/errors/request.ts"
import { slips } from "../../foundation/nearest-name.ts"

interface Lines {
  forEach(each: (name: string, value: string) => void): void
}

export type HeaderLines = ReadonlyArray<string>

const KEY = "idempotency-key"
const LENGTH = "content-length"

/** Of the request that is being read. */
let reading: Array<string> = []
/** One function for all requests: one of each request's own took as long again as all of its lines, for it was never compiled well. */
const keep = (name: string, value: string): void => {
  reading.push(name, value)
}

/** Gone with the request when the route's function returns: so they are kept. */
export const headerLines = (request: Lines): HeaderLines => {
  const headers: Array<string> = []
  reading = headers
  request.forEach(keep)
  return headers
}

/**
 * All lines of a header, as one list (RFC 9110, 5.3): a proxy may append its own line instead of extending the client's. What is no list is no value of its
 * kind then, such as a request id. Empty when there is none. Lengths alone are one: they are alike, or there is no answer.
 */
export const linesNamed = (headers: HeaderLines, name: string): string => {
  let lines = ""
  for (let i = 0; i < headers.length; i += 2) {
    const given = headers[i]!
    // Nearly all others are of another length.
    if (given.length !== name.length || given !== name) continue
    const line = headers[i + 1]!
    if (name === LENGTH) return line
    lines = lines === "" ? line : `${lines}${name === "cookie" ? ";" : ","} ${line}`
  }
  return lines
}

/** Headers of which one line decides what is done, and for which caller: a second one would be ignored. Told apart by length first: all headers of each request are looked at. */
const WRITTEN = { 1: "Host", 2: "Origin", 4: "Content-Type", 8: "Authorization", 16: "Idempotency-Key" } as const

const bitOf = (name: string): keyof typeof WRITTEN | 0 => {
  switch (name.length) {
    case 4:
      return name === "host" ? 1 : 0
    case 6:
      return name === "origin" ? 2 : 0
    case 12:
      return name === "content-type" ? 4 : 0
    case 13:
      return name === "authorization" ? 8 : 0
    case 15:
      return name === KEY ? 16 : 0
    default:
      return 0
  }
}

/** Whether it has two lengths that are not alike. */
export const hasTwoLengths = (headers: HeaderLines): boolean => {
  let length: string | undefined
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!
    if (name.length !== LENGTH.length || name !== LENGTH) continue
    if (length === undefined) length = headers[i + 1]!
    else if (length !== headers[i + 1]) return true
  }
  return false
}

/** Why a request is refused that has two lines of a header that decides; undefined when it has not. */
export const secondLine = (headers: HeaderLines): InvalidParameter | undefined => {
  let seen = 0
  for (let i = 0; i < headers.length; i += 2) {
    const bit = bitOf(headers[i]!)
    if (bit === 0) continue
    if ((seen & bit) !== 0)
      return new InvalidParameter({ parameter: WRITTEN[bit], reason: "the header was sent more than once" })
    seen |= bit
  }
  return undefined
}

/** Most clients send the same few names with every request. */
const judged = new Map<string, boolean>()
const JUDGED_MAX = 1_000

const isNearlyKey = (name: string): boolean => {
  if (name.length < KEY.length - 4 || name.length > KEY.length + 4) return false
  // What nearly every request has, without looking the name up.
  if (bitOf(name) !== 0 || name === LENGTH) return false
  const known = judged.get(name)
  if (known !== undefined) return known
  const isNear = slips(name.startsWith("x-") ? name.slice(2) : name, KEY) <= 3
  if (judged.size >= JUDGED_MAX) judged.clear()
  judged.set(name, isNear)
  return isNear
}

/** A header that was meant to be Idempotency-Key, where that one is not there: it is the only header whose loss would go unnoticed. */
export const misspeltKey = (headers: HeaderLines): string | undefined => {
  let near: string | undefined
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!
    if (name === KEY) return undefined
    if (isNearlyKey(name)) near = name
  }
  return near
}
