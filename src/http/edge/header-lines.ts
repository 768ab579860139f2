/** A request's headers as they came: name and value by turns, a header with several lines several times. */

import { slips } from "../../foundation/nearest-name.ts"

interface Lines {
  forEach(each: (name: string, value: string) => void): void
}

export type HeaderLines = ReadonlyArray<string>

/** Gone with the request when the route's function returns: so they are kept. */
export const headerLines = (request: Lines): HeaderLines => {
  const headers: Array<string> = []
  request.forEach((name, value) => {
    headers.push(name, value)
  })
  return headers
}

/** The first line of a header; empty when there is none. */
export const firstLine = (headers: HeaderLines, name: string): string => {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1]!
  return ""
}

/** All lines of a header, as one list: a proxy may append its own line instead of extending the client's. */
export const joinedLines = (headers: HeaderLines, name: string): string => {
  let lines = ""
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === name) lines = lines === "" ? headers[i + 1]! : `${lines}, ${headers[i + 1]!}`
  return lines
}

const KEY = "idempotency-key"
/** Most clients send the same few names with every request. */
const judged = new Map<string, boolean>()
const JUDGED_MAX = 1_000

const isNearlyKey = (name: string): boolean => {
  if (name === KEY || name.length < KEY.length - 4 || name.length > KEY.length + 4) return false
  const known = judged.get(name)
  if (known !== undefined) return known
  const isNear = slips(name.startsWith("x-") ? name.slice(2) : name, KEY) <= 3
  if (judged.size >= JUDGED_MAX) judged.clear()
  judged.set(name, isNear)
  return isNear
}

/** A header that was meant to be Idempotency-Key, where that one is not there: nothing else is read whose absence nobody would notice. */
export const misspeltKey = (headers: HeaderLines): string | undefined => {
  let near: string | undefined
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!
    if (name === KEY) return undefined
    if (isNearlyKey(name)) near = name
  }
  return near
}
