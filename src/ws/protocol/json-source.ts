/**
 * The byte ranges of the parts of a JSON text, so that passed-through parts keep their bytes: digits, the order of keys, duplicates, spaces. The
 * one thing to know: the text was already accepted by JSON.parse; nothing here detects malformed text.
 */

import { isUtf8 } from "node:buffer"

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN = { list: 0x5b, object: 0x7b } as const
const CLOSE = { list: 0x5d, object: 0x7d } as const

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
const opens = (code: number): boolean => code === OPEN.object || code === OPEN.list
const closes = (code: number): boolean => code === CLOSE.object || code === CLOSE.list

const afterSpace = (text: string, at: number): number => {
  let next = at
  while (isSpace(text.charCodeAt(next))) next++
  return next
}

/** After the string whose opening quote is at `at`. */
const afterString = (text: string, at: number): number => {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let first = quote
    while (text.charCodeAt(first - 1) === BACKSLASH) first--
    if ((quote - first) % 2 === 0) return quote + 1
  }
  return text.length
}

/** After the value that begins at `at`. */
const afterValue = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  if (code === QUOTE) return afterString(text, at)
  if (opens(code)) return afterNested(text, at)
  let next = at
  while (next < text.length && !isEnd(text.charCodeAt(next))) next++
  return next
}

const isEnd = (code: number): boolean => code === COMMA || closes(code) || isSpace(code)

const afterNested = (text: string, at: number): number => {
  let depth = 0
  for (let next = at; next < text.length; ) {
    const code = text.charCodeAt(next)
    if (code === QUOTE) {
      next = afterString(text, next)
      continue
    }
    next++
    if (opens(code)) depth++
    else if (closes(code) && --depth === 0) return next
  }
  return text.length
}

/** Whether lists and objects are nested deeper than so many levels. */
export const isDeeperThan = (text: string, levels: number): boolean => {
  let depth = 0
  for (let next = 0; next < text.length; ) {
    const code = text.charCodeAt(next)
    if (code === QUOTE) {
      next = afterString(text, next)
      continue
    }
    next++
    if (opens(code) && ++depth > levels) return true
    if (closes(code)) depth--
  }
  return false
}

/** The name of a member as JSON.parse reads it. */
const nameOf = (quoted: string): string =>
  quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)

/** The JSON text that bytes are; undefined when they are none. */
export const jsonIn = (bytes: Uint8Array): string | undefined => {
  if (!isUtf8(bytes)) return undefined
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
  try {
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}

/** One value as it is written, without the spaces around it. */
export class JsonSource {
  readonly text: string

  constructor(text: string) {
    this.text = text.trim()
  }

  /** The value of a member; of several with this name the last one, as JSON.parse takes it. Undefined: there is none, or this is no object. */
  member(name: string): JsonSource | undefined {
    const { text } = this
    if (text.charCodeAt(0) !== OPEN.object) return undefined
    let found: JsonSource | undefined
    for (let at = afterSpace(text, 1); text.charCodeAt(at) === QUOTE; ) {
      const end = afterString(text, at)
      const colon = afterSpace(text, end)
      const from = afterSpace(text, text.charCodeAt(colon) === COLON ? colon + 1 : colon)
      const to = afterValue(text, from)
      if (nameOf(text.slice(at, end)) === name) found = new JsonSource(text.slice(from, to))
      at = this.next(to)
    }
    return found
  }

  /** The items of a list; none when this is no list. */
  items(): ReadonlyArray<JsonSource> {
    const { text } = this
    if (text.charCodeAt(0) !== OPEN.list) return []
    const found: Array<JsonSource> = []
    for (let at = afterSpace(text, 1); at < text.length && text.charCodeAt(at) !== CLOSE.list; ) {
      const to = afterValue(text, at)
      found.push(new JsonSource(text.slice(at, to)))
      at = this.next(to)
    }
    return found
  }

  /** Where the next member or item begins. */
  private next(end: number): number {
    const at = afterSpace(this.text, end)
    return this.text.charCodeAt(at) === COMMA ? afterSpace(this.text, at + 1) : at
  }
}
