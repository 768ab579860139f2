/**
 * The envelope of every JSON answer (specification, Response envelope): its schemas for the declaration, and its text. The shell is
 * concatenated text, only `data` is ever encoded: that is half the cost of an answer.
 */
import { HttpApiSchema } from "@effect/platform"
import { type SchemaAST as AST, Schema } from "effect"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { ERRNO, type FailureStatus, type Tag } from "./errno.ts"

/** `data` that is JSON text already, for example a cached order book: never encoded twice. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const Pagination = Schema.Struct({
  offset: Schema.Int,
  limit: Schema.Int,
  total: Schema.Int.annotations({ description: "Number of records that match; see totalIsLowerBound" }),
  cursor: Schema.NullOr(Schema.String).annotations({
    description: "Give it back to get the next page; null at the end",
  }),
  hasNext: Schema.Boolean,
  totalIsLowerBound: Schema.optional(Schema.Boolean).annotations({
    description: "true: counting stopped at total, there are more",
  }),
}).annotations({ identifier: "Pagination" })
export type Pagination = typeof Pagination.Type

/** Declares success with this `data`. */
export const Ok = <A, I>(data: Schema.Schema<A, I>) =>
  Schema.Struct({ success: Schema.Literal(true), errno: Schema.Literal(0), error: Schema.Null, data })

/** Declares success with a page of these. */
export const Page = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.Struct({
    success: Schema.Literal(true),
    errno: Schema.Literal(0),
    error: Schema.Null,
    data: Schema.Array(item),
    pagination: Pagination,
  })

export const FailureEnvelope = Schema.Struct({
  success: Schema.Literal(false),
  errno: Schema.Int.annotations({ description: "Negative; which failure it is. Numbers are never reused" }),
  error: Schema.String.annotations({ description: "The failure in words" }),
  data: Schema.Null,
  details: Schema.Struct({
    code: Schema.String.annotations({ description: "The failure's upper-case name, for example INVALID_TOKEN" }),
    resource: Schema.String,
    action: Schema.String,
    request_id: Schema.String.annotations({ description: "Equal to the header X-Request-ID" }),
    reason: Schema.optional(Schema.String).annotations({
      description: "Why, as a word that callers act on; of failures that say so",
    }),
    metadata: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
      description: "What the failure is about: its own fields",
    }),
    required: Schema.optional(Schema.Array(Schema.String)).annotations({ description: "Permissions needed" }),
    provided: Schema.optional(Schema.Array(Schema.String)).annotations({ description: "Permissions held" }),
  }),
}).annotations({ identifier: "Failure" })

/** Which failures a schema stands for; read again when the OpenAPI document is written. */
export const FailureTags: unique symbol = Symbol.for("venue-gateway/FailureTags")

interface ErrorClass {
  readonly _tag: Tag
  readonly prototype: DomainError
}

/**
 * Declares failures by their classes. As a type the schema is the error itself, so that a handler can only fail with what the
 * endpoint declares; on the wire it is the failure envelope. It is never run: the answer is made by `failureText`.
 */
export const Fail = <const C extends ReadonlyArray<ErrorClass>>(
  ...classes: C
): Schema.Schema<C[number]["prototype"], typeof FailureEnvelope.Encoded> => {
  const byStatus = new Map<FailureStatus, Array<Tag>>()
  for (const { _tag } of classes) {
    const { status } = ERRNO[_tag]
    byStatus.set(status, [...(byStatus.get(status) ?? []), _tag])
  }
  const members = [...byStatus].map(([status, tags]) =>
    FailureEnvelope.annotations({ ...HttpApiSchema.annotations({ status }), [FailureTags]: tags }),
  )
  return Schema.Union(...members) as unknown as Schema.Schema<C[number]["prototype"], typeof FailureEnvelope.Encoded>
}

/** The failures that a declared error schema stands for. */
export const failureTagsOf = (ast: AST.AST): ReadonlyArray<Tag> => {
  const own = ast.annotations[FailureTags]
  if (Array.isArray(own)) return own as ReadonlyArray<Tag>
  return ast._tag === "Union" ? ast.types.flatMap(failureTagsOf) : []
}

export const successText = (data: unknown, pagination: Pagination | undefined): string => {
  const json = data instanceof JsonText ? data.text : JSON.stringify(data)
  return pagination === undefined
    ? `{"success":true,"errno":0,"error":null,"data":${json}}`
    : `{"success":true,"errno":0,"error":null,"data":${json},"pagination":${JSON.stringify(pagination)}}`
}
