/**
 * The way of a call whose caller is known, or need not be: limit, then permission, then shape (contract C16); existence, ownership and state are the handler's.
 * An HTTP request takes it here, and one that another node has passed on.
 */
import { Unseen } from "../../auth/session/unseen.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import type { Principal } from "../../domain/user/user.ts"
import { type Check, noFields } from "../checks.ts"
import { NO_QUERY, type Route } from "../docs/reflect.ts"
import type { RequestLimiter } from "../limits/rate-limit.ts"
import { isQueryFault, NO_FIELDS, parseQuery } from "../query.ts"
import { type Call, guarded, type Run, refusalOf } from "./call.ts"
import { parseBody } from "./request-body.ts"

/** A call with the headers of an HTTP request. */
export interface HttpCall extends Call {
  readonly misspeltKey: () => string | undefined
}

/** The caller, why there is none, or a session that another process may have begun. */
export type Authenticate = (authorization: string, from: { readonly ip: string }) => Principal | DomainError | Unseen

/** The session is read, and `proceed` goes on with the call where it was. */
export const onceSeen = (
  call: Call,
  unseen: Unseen,
  authenticate: Authenticate,
  proceed: (found: Principal | DomainError) => DomainError | undefined,
): void =>
  unseen.learn((failure) =>
    guarded(call, () => {
      if (call.done) return undefined
      if (failure !== undefined) return failure
      const found = authenticate(call.header("authorization"), call)
      return proceed(found instanceof Unseen ? found.failure : found)
    }),
  )

/** Whether a body may follow. */
export const mayHaveBody = (call: Pick<Call, "header">): boolean =>
  Number(call.header("content-length")) > 0 || call.header("transfer-encoding") !== ""

type ReadBody<B, C> = (body: B, call: C, route: Route, check: Check, query: unknown) => DomainError | undefined

/** `readBody` is asked where there may be one. */
export const makeProceed =
  <B, C extends HttpCall>(run: Run, limiter: RequestLimiter | null, readBody: ReadBody<B, C>) =>
  (
    body: B,
    req: { getQuery(): string | undefined },
    route: Route,
    call: C,
    principal: Principal | DomainError | undefined,
  ): DomainError | undefined => {
    if (principal !== undefined) {
      if ("_tag" in principal) return limiter?.chargeAddress(call, 1) ?? principal
      call.principal = principal
    }
    const refused = refusalOf(route, call, limiter)
    if (refused !== undefined) return refused
    const misspelt = route.method === "POST" ? call.misspeltKey() : undefined
    if (misspelt !== undefined)
      return new InvalidParameter({ parameter: misspelt, reason: "unknown header: did you mean Idempotency-Key?" })
    let query = NO_QUERY
    if (route.query !== undefined) {
      const parsed = parseQuery(req.getQuery() ?? "", route.query.plan)
      if (isQueryFault(parsed)) return parsed
      const fault = route.query.check(parsed)
      if (fault !== undefined) return fault
      call.tradingAccountId = parsed["tradingAccountId"]
      query = parsed
      const dearer = limiter?.chargeMore(call, query)
      if (dearer !== undefined) return dearer
    } else if (!route.takesAnyFields) {
      const given = req.getQuery() ?? ""
      const parsed = given === "" ? undefined : parseQuery(given, NO_FIELDS)
      if (parsed !== undefined && isQueryFault(parsed)) return parsed
    }
    const check = route.body ?? (route.method === "POST" && mayHaveBody(call) ? noFields : undefined)
    return check === undefined ? run(call, route, query, undefined) : readBody(body, call, route, check, query)
  }

/** The body has come as a whole. */
export const runBody = (
  run: Run,
  call: Call,
  route: Route,
  check: Check,
  query: unknown,
  bytes: ArrayBuffer | Uint8Array,
): DomainError | undefined => {
  const parsed = parseBody(bytes)
  if (!("value" in parsed)) return parsed
  const fault = check(parsed.value)
  if (fault !== undefined) return fault
  const named = parsed.value as { readonly tradingAccountId?: unknown; readonly dealerAccountId?: unknown }
  call.tradingAccountId = named.tradingAccountId
  call.dealerAccountId = named.dealerAccountId
  return run(call, route, query, parsed.value)
}
