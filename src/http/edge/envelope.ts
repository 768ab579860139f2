/**
 * The envelope of every JSON answer (specification, Response envelope): its schemas for the declaration, and its text. The shell is
 * concatenated text, only `data` is ever encoded: that is half the cost of an answer.
 */

import { HttpApiSchema } from "@effect/platform"
import { type SchemaAST as AST, Schema } from "effect"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { ERRNO, type FailureStatus, type Tag } from "./errno.ts"

// The text of a failure answer: the envelope's failure half, made from an error and its row in the table.

/** What was asked for: `tradeOrder` and `submit`. */
export interface Operation {
  readonly resource: string
  readonly action: string
}

type Fields = Readonly<Record<string, unknown>>

/** `details.required` and `details.provided` stand beside the metadata, not in it (specification, Errors 5). */
const PERMISSIONS: ReadonlySet<string> = new Set(["InsufficientPermissions", "AdminRequired"])

/** Whose `reason` is a code that callers act on: it stands beside the metadata (contract, changes to C3 and C8), and in it as any field does. */
const REASONED: ReadonlySet<string> = new Set(["DealerCannotQuote", "AccountReconciling"])

/** A STOPPED account comes back with the next start of the gateway, at a time that is not known. */
const RETRY_SECONDS = { RECONCILING: 1, VENUE_UNREACHABLE: 5, STOPPED: 60 } as const

/** Fields of a tagged error that are not its content. */
const INTERNAL: ReadonlySet<string> = new Set(["_tag", "message", "name", "stack", "cause"])

/** Its own content: the figures of a refusal. */
export const fieldsOf = (error: DomainError): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(error)) if (!INTERNAL.has(key)) fields[key] = value
  return fields
}

export const failureText = (error: DomainError, operation: Operation, requestId: string, extra?: Fields): string => {
  const row = ERRNO[error._tag]
  const isPermission = PERMISSIONS.has(error._tag)
  const fields = fieldsOf(error)
  const { required, provided, ...others } = fields
  return JSON.stringify({
    success: false,
    errno: row.errno,
    error: error.message,
    data: null,
    details: {
      code: row.code,
      resource: operation.resource,
      action: operation.action,
      request_id: requestId,
      ...(REASONED.has(error._tag) ? { reason: fields["reason"] } : {}),
      metadata: { ...(isPermission ? others : fields), ...extra },
      ...(isPermission ? { required, provided } : {}),
      ...(error._tag === "TenantForbidden" ? { tenant_id: error.tenantId } : {}),
    },
  })
}

/** Whole seconds to wait before asking again, for failures that pass by themselves; undefined for all others. */
export const retryAfterSeconds = (error: DomainError): number | undefined => {
  switch (error._tag) {
    case "RateLimited":
    case "LoginRateLimited":
    case "OrderRateLimited":
    case "QuoteRateLimited":
    case "Busy":
      return Math.max(1, error.retryAfterSeconds)
    case "TooManyOpenOrders":
    case "TooManyConnections":
    case "OrderBookUnavailable":
    case "TickerUnavailable":
    case "StorageUnavailable":
    case "ShuttingDown":
      return 1
    case "AccountReconciling":
      return RETRY_SECONDS[error.reason]
    case "VenueUnavailable":
    case "DisconnectIncomplete":
      return 5
    default:
      return undefined
  }
}

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
    description: "Pass it to get the next page; null on the last page",
  }),
  hasNext: Schema.Boolean,
  totalIsLowerBound: Schema.optional(Schema.Boolean).annotations({
    description: "true: counting stopped at total, and there are more",
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
  errno: Schema.Int.annotations({ description: "Negative; identifies the failure. Numbers are never reused" }),
  error: Schema.String.annotations({ description: "A description of the failure" }),
  data: Schema.Null,
  details: Schema.Struct({
    code: Schema.String.annotations({ description: "The failure's upper-case name, for example INVALID_TOKEN" }),
    resource: Schema.String,
    action: Schema.String,
    request_id: Schema.String.annotations({ description: "Equal to the header X-Request-ID" }),
    reason: Schema.optional(Schema.String).annotations({
      description: "A machine-readable reason, on failures that have one",
    }),
    metadata: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
      description: "Fields specific to this failure",
    }),
    required: Schema.optional(Schema.Array(Schema.String)).annotations({ description: "Permissions needed" }),
    provided: Schema.optional(Schema.Array(Schema.String)).annotations({ description: "Permissions held" }),
  }),
}).annotations({ identifier: "Failure" })

/** Which failures a schema stands for; read again when the OpenAPI document is written. */
const FailureTags: unique symbol = Symbol.for("venue-gateway/FailureTags")

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
