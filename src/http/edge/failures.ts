/** The text of a failure answer: the envelope's failure half, made from an error and its row in the table. */
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { ERRNO } from "./errno.ts"

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
