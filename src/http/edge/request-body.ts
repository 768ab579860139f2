/**
 * A request's body from bytes to JSON: content type, UTF-8, depth, number of keys, and the strings PostgreSQL refuses. The result is well-formed;
 * the compiled check validates its shape.
 */
import { InvalidParameter, InvalidRequest, MalformedJson } from "../../domain/errors/request.ts"

// Strings PostgreSQL cannot store: NUL and lone surrogates. One of them would lose the whole group that is committed with it (order-path
// 1), so they are refused before anything is stored.

/** Why the text is refused; undefined when it is fine. */
export const faultOfText = (text: string): string | undefined => {
  if (text.includes("\u0000")) return "contains NUL"
  return text.isWellFormed() ? undefined : "contains a lone surrogate"
}

/** Bytes of a body. */
export const BODY_BYTES_MAX = 65_536
/** An oversized body is read to its end and dropped up to here, so that its sender can read the 413; then the connection closes. */
export const BODY_BYTES_DRAINED = 1_048_576
/** Deeply nested JSON parses but overflows the stack of later recursive code (security, finding 8). */
const JSON_DEPTH_MAX = 32
const JSON_KEYS_MAX = 1_000

const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?$/i

/** Whether the header says JSON in UTF-8. */
export const isJsonType = (contentType: string): boolean =>
  // The usual value, without the regular expression.
  contentType === "application/json" || JSON_TYPE.test(contentType)

interface Walk {
  keys: number
}

const faultOf = (
  value: unknown,
  depth: number,
  path: string,
  walk: Walk,
): InvalidParameter | InvalidRequest | undefined => {
  if (typeof value === "string") {
    const reason = faultOfText(value)
    return reason === undefined ? undefined : new InvalidParameter({ parameter: path, reason })
  }
  if (value === null || typeof value !== "object") return undefined
  if (depth > JSON_DEPTH_MAX) return new InvalidRequest({ reason: `deeper than ${JSON_DEPTH_MAX} levels` })
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const fault = faultOf(value[i], depth + 1, path === "" ? `${i}` : `${path}.${i}`, walk)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  for (const [key, item] of Object.entries(value)) {
    if (++walk.keys > JSON_KEYS_MAX) return new InvalidRequest({ reason: `more than ${JSON_KEYS_MAX} keys` })
    const reason = faultOfText(key)
    if (reason !== undefined) return new InvalidParameter({ parameter: path, reason: `a key ${reason}` })
    const fault = faultOf(item, depth + 1, path === "" ? key : `${path}.${key}`, walk)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** One level, few keys and no escapes: nothing that the walk could find. Orders are of this kind. */
const isPlain = (text: string): boolean =>
  text.length < 4_096 && !text.includes("\\u") && text.indexOf("{", 1) < 0 && !text.includes("[")

/** What the compiled checks do not look for, in JSON that was parsed already. */
export const faultOfJson = (value: unknown): InvalidParameter | InvalidRequest | undefined =>
  faultOf(value, 1, "", { keys: 0 })

type BodyFault = MalformedJson | InvalidParameter | InvalidRequest

/** Refuses bytes that are not UTF-8 and makes their text in one walk; a byte order mark stays, and is no JSON. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The value, or why it is refused. */
export const parseBody = (bytes: ArrayBuffer | Uint8Array): { readonly value: unknown } | BodyFault => {
  let text: string
  let value: unknown
  try {
    // Lone surrogates can only come from escapes from here on.
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch {
    return new MalformedJson()
  }
  if (isPlain(text)) return { value }
  return faultOfJson(value) ?? { value }
}
