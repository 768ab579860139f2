/** What every method of the server API is made of: the shape of its parameters, and its answer. */

import { Either, Schema } from "effect"
import { ERRORS, type ProtocolError } from "../protocol/error-codes.ts"
import { type JsonSource, jsonIn } from "../protocol/json-source.ts"
import type { JsonText } from "../protocol/protocol.ts"
import { WrongClaim } from "./claims.ts"

// Answers of the server API as text: payloads stand in them as they were published, byte for byte.

/** JSON that is written as it is. */
export class Verbatim {
  constructor(readonly json: JsonText) {}
}

/** As JSON.stringify, but for what is verbatim; fields that are undefined are left out. */
export const written = (value: unknown): string => {
  if (value instanceof Verbatim) return value.json
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${written(field)}`).join(",")}}`
}

export type Answer = { readonly result: unknown } | { readonly error: ProtocolError } | { readonly replies: unknown }

export const failed = ({ code, message }: ProtocolError): Answer => ({ error: { code, message } })
export const ok: Answer = { result: {} }

export const Text = Schema.optionalWith(Schema.String, { default: () => "" })
export const Flag = Schema.optionalWith(Schema.Boolean, { default: () => false })
export const Whole = Schema.Int.pipe(Schema.nonNegative())
export const Channel = Schema.String.pipe(Schema.minLength(1))
export const Position = Schema.Struct({ offset: Schema.optionalWith(Whole, { default: () => 0 }), epoch: Text })

/** `source`: the parameters as they are written. */
export type Method = (parameters: unknown, source: JsonSource) => Answer

export const method =
  <A, I>(shape: Schema.Schema<A, I>, run: (parameters: A, source: JsonSource) => Answer): Method =>
  (parameters, source) => {
    const decoded = Schema.decodeUnknownEither(shape)(parameters)
    if (Either.isLeft(decoded)) return failed(ERRORS.badRequest)
    try {
      return run(decoded.right, source)
    } catch (error) {
      if (error instanceof WrongClaim) return failed(ERRORS.badRequest)
      throw error
    }
  }

/** What is to be published, as it is written: JSON text, bytes when it is none, undefined when there is nothing. */
export const contentOf = (b64data: string, source: JsonSource): JsonText | Uint8Array | undefined => {
  if (b64data === "") return source.member("data")?.text
  const bytes = Buffer.from(b64data, "base64")
  return bytes.length === 0 ? undefined : (jsonIn(bytes) ?? bytes)
}
