/** The header `Idempotency-Key` of a submit: the order's own key, as if it stood in the body (contract C2). */
import { Schema } from "effect"
import { ConflictingParameters, InvalidParameter } from "../../domain/errors/request.ts"
import { OrderKey, type SubmitRequest } from "../../domain/order/submit-request.ts"

const isKey = Schema.is(OrderKey)

/** The request with the key of its header; the empty string is none. */
export const keyedBy = (
  header: string,
  request: SubmitRequest,
): SubmitRequest | InvalidParameter | ConflictingParameters => {
  if (header === "" || header === request.idempotencyKey) return request
  if (!isKey(header))
    return new InvalidParameter({ parameter: "Idempotency-Key", reason: "1 to 64 of letters, digits and . _ : -" })
  return request.idempotencyKey
    ? new ConflictingParameters({ parameters: ["Idempotency-Key", "idempotencyKey"] })
    : { ...request, idempotencyKey: header }
}
