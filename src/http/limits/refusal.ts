/**
 * Whether a call of a known user may go on, over HTTP and over the socket: its limit, and its permission (contract C16). The one thing
 * to know: what may not be made takes only the plain weight, so that a key without the scope empties no bucket that its user's orders need.
 */
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { missingPermission, type Route } from "../docs/reflect.ts"
import type { LimitedCall, RequestLimiter } from "./rate-limit.ts"

/** `limiter` null: there are no limits. */
export const refusalOf = (
  route: Pick<Route, "access" | "keys" | "isRead" | "cost">,
  call: LimitedCall,
  limiter: RequestLimiter | null | undefined,
): DomainError | undefined => {
  const { principal } = call
  const missing = principal === undefined ? undefined : missingPermission(route, principal)
  if (missing === undefined) return limiter?.charge(call, route.cost.weight)
  return limiter?.chargeForbidden(call, principal!) ?? missing
}
