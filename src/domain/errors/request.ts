/** Malformed requests, detected before their content is considered. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

export class InvalidRequest extends Failure<InvalidRequest>()("InvalidRequest", { reason: Schema.String }) {
  override message = "Invalid request"
}

export class MalformedJson extends Failure<MalformedJson>()("MalformedJson", {}) {
  override message = "Malformed JSON"
}

export class MissingParameter extends Failure<MissingParameter>()("MissingParameter", {
  parameter: Schema.String,
}) {
  override message = "Missing parameter"
}

export class InvalidParameter extends Failure<InvalidParameter>()("InvalidParameter", {
  parameter: Schema.String,
  reason: Schema.String,
}) {
  override message = "Invalid parameter"
}

/** The name of each, where it stands, and the nearest name that is known there. */
interface Stray {
  readonly field: string
  readonly nearest: string | null
}

const wordsOf = (fields: ReadonlyArray<Stray>, known: ReadonlyArray<string>): string => {
  const words = fields.map(
    ({ field, nearest }) => `"${field}"${nearest === null ? "" : ` (did you mean "${nearest}"?)`}`,
  )
  const [first, ...others] = fields
  if (first !== undefined && others.length === 0 && first.nearest !== null)
    return `Unknown field "${first.field}": did you mean "${first.nearest}"?`
  const says = `Unknown field${fields.length === 1 ? "" : "s"} ${words.join(", ")}`
  if (fields.some(({ nearest }) => nearest !== null)) return says
  return `${says}: ${known.length === 0 ? "no fields are accepted there" : `known fields are ${known.join(", ")}`}`
}

/** Extension: unknown fields. Their intended effect would silently be missing. */
export class UnknownField extends Failure<UnknownField>()("UnknownField", {
  fields: Schema.Array(Schema.Struct({ field: Schema.String, nearest: Schema.NullOr(Schema.String) })),
  /** What may stand where the first of them stands. */
  known: Schema.Array(Schema.String),
}) {
  override message = wordsOf(this.fields, this.known)
}

export class UnknownEndpoint extends Failure<UnknownEndpoint>()("UnknownEndpoint", {}) {
  override message = "Unknown endpoint"
}

export class MethodNotAllowed extends Failure<MethodNotAllowed>()("MethodNotAllowed", {
  allowed: Schema.Array(Schema.String),
}) {
  override message = "Method not allowed"
}

/** Extension: a plain request where only sockets are served. */
export class UpgradeRequired extends Failure<UpgradeRequired>()("UpgradeRequired", {
  upgrade: Schema.Literal("websocket"),
}) {
  override message = "Upgrade required"
}

export class UnsupportedContentType extends Failure<UnsupportedContentType>()("UnsupportedContentType", {}) {
  override message = "Unsupported content type"
}

export class PayloadTooLarge extends Failure<PayloadTooLarge>()("PayloadTooLarge", {
  bytesMax: Schema.Int,
}) {
  override message = "Payload too large"
}

export class InvalidCursor extends Failure<InvalidCursor>()("InvalidCursor", {}) {
  override message = "Invalid cursor"
}

export class ConflictingParameters extends Failure<ConflictingParameters>()("ConflictingParameters", {
  parameters: Schema.Array(Schema.String),
}) {
  override message = "Conflicting parameters"
}

export class InvalidTimeRange extends Failure<InvalidTimeRange>()("InvalidTimeRange", {}) {
  override message = "Invalid time range"
}

export class IdempotencyKeyReused extends Failure<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {
  override message = "Idempotency key reused with a different request"
}

/** Extension: the first call with this key was cut off, or is still at work. */
export class IdempotentOutcomeUnknown extends Failure<IdempotentOutcomeUnknown>()("IdempotentOutcomeUnknown", {}) {
  override message = "The outcome of the first request with this idempotency key is not known"
}
