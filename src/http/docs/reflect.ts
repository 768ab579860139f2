/**
 * The declared API as routes, reflected once at start: checks, access rule, deadline and handler of every operation. HTTP (`mount`) and
 * the socket's calls (`rpc`) are two doors to the same routes.
 */
import { HttpApi } from "@effect/platform"
import { type SchemaAST as AST, Context, Option } from "effect"
import { ApiKeyForbidden } from "../../domain/errors/api-key.ts"
import { AdminRequired, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { PERMISSION_OF } from "../../domain/user/api-key.ts"
import type { Permission, Principal } from "../../domain/user/user.ts"
import { type Check, compileCheck } from "../checks.ts"
import { waitsForOrders } from "../edge/order-changes.ts"
import {
  Access,
  type AccessLevel,
  type AnyHandler,
  Deadline,
  Fresh,
  KnowsRepeats,
  type NeedsProof,
  OwnSignIn,
  type RouteFacts,
} from "../edge/route.ts"
import { type KeyRule, keyRuleOf } from "../key-scopes.ts"
import { costOf } from "../limits/rate-limit.ts"
import { type QueryPlan, queryPlan } from "../query.ts"

export type AnyHandlers = Readonly<Record<string, Readonly<Record<string, AnyHandler>>>>

/** What is known of a route wherever its operation is done. */
export interface DeclaredRoute extends RouteFacts {
  /** It changes nothing. */
  readonly isRead: boolean
  /** With this body it changes orders: it waits for the writer of orders, and keeps its place among its like. */
  readonly waitsForOrders: (body: unknown) => boolean
  /** The service's own records. */
  readonly isOfService: boolean
}

export interface Route extends DeclaredRoute {
  readonly access: AccessLevel
  readonly keys: KeyRule
  /** The service's own records, which answer to the end: everything else is refused while draining. */
  readonly servesWhileDraining: boolean
  /** The same records: probes of other software add what they like against caches. Nothing can be misspelt where nothing is read. */
  readonly takesAnyFields: boolean
  /** What it changes is how its user signs in, and nothing else. */
  readonly isOwnSignIn: boolean
  readonly knowsRepeats: boolean
  readonly needsProof: NeedsProof | null
  readonly query: { readonly plan: QueryPlan; readonly check: Check } | undefined
  readonly body: Check | undefined
  readonly handler: AnyHandler
}

/** What a route without query parameters passes on. */
export const NO_QUERY: unknown = Object.freeze({})

type Endpoint = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]
type Declaration = Omit<Route, "handler">

const declarationOf = ({ group, endpoint, payloads }: Endpoint): Declaration => {
  const operation = { resource: group.identifier, action: endpoint.name }
  const name = `${operation.resource}.${operation.action}`
  const annotations = endpoint.annotations as Context.Context<never>
  const access = Option.getOrUndefined(Context.getOption(annotations as Context.Context<Access>, Access))
  if (access === undefined) throw new Error(`${name}: no Access is declared`)
  if (endpoint.path.includes(":")) throw new Error(`${name}: paths have no parameters (contract C14)`)
  const queryAst: AST.AST | undefined = Option.getOrUndefined(endpoint.urlParamsSchema)?.ast
  const bodyAst = payloads.get("application/json")?.ast
  const isOfService = group.identifier === "root"
  return {
    method: endpoint.method,
    template: endpoint.path,
    operation,
    cost: costOf(operation, endpoint.path),
    deadline: Context.get(annotations, Deadline),
    isHead: false,
    isRead: endpoint.method === "GET",
    waitsForOrders: waitsForOrders(endpoint.method, endpoint.path),
    isOfService,
    access,
    keys: keyRuleOf(group.identifier, endpoint.name),
    servesWhileDraining: isOfService,
    takesAnyFields: isOfService,
    isOwnSignIn: Context.get(annotations, OwnSignIn),
    knowsRepeats: Context.get(annotations, KnowsRepeats),
    needsProof: Context.get(annotations, Fresh),
    query: queryAst && { plan: queryPlan(queryAst), check: compileCheck(queryAst, `${name} query`) },
    body: bodyAst && compileCheck(bodyAst, `${name} body`),
  }
}

/** By API: an edge that becomes the owner has reflected it already, which is a seventh of the processor time of that. */
const reflected = new WeakMap<object, ReadonlyArray<Declaration>>()

const declarationsOf = (api: HttpApi.HttpApi.AnyWithProps): ReadonlyArray<Declaration> => {
  const known = reflected.get(api)
  if (known !== undefined) return known
  const declarations: Array<Declaration> = []
  HttpApi.reflect(api, { onGroup: () => {}, onEndpoint: (it) => void declarations.push(declarationOf(it)) })
  reflected.set(api, declarations)
  return declarations
}

export const declaredRoutes = (api: HttpApi.HttpApi.AnyWithProps): ReadonlyArray<DeclaredRoute> => declarationsOf(api)

/** Every declared endpoint as a route; throws, at start, what is wrong with a declaration. */
export const reflect = (api: HttpApi.HttpApi.AnyWithProps, handlers: AnyHandlers): ReadonlyArray<Route> =>
  declarationsOf(api).map((declaration) => {
    const { resource, action } = declaration.operation
    const handler = handlers[resource]?.[action]
    if (handler === undefined) throw new Error(`${resource}.${action}: no handler`)
    return { ...declaration, handler }
  })

/** Why this principal may not call the route; undefined when it may (contract C16). Of an API key its rule is asked instead of the access level. */
export const missingPermission = (
  { access, keys, isRead, isOwnSignIn }: Pick<Route, "access" | "keys" | "isRead" | "isOwnSignIn">,
  principal: Principal,
): DomainError | undefined => {
  if (principal.key === null && principal.isReading === true && access !== "none" && !isRead && !isOwnSignIn)
    return new InsufficientPermissions({ required: ["write"], provided: ["read"] })
  if (principal.key === null) return access === "none" || access === "session" ? undefined : missing(access, principal)
  const { scope, limited } = keys
  if (scope === "open") return undefined
  if (scope === "session") return new ApiKeyForbidden({ reason: "SESSION_NEEDED" })
  return (
    missing(PERMISSION_OF[scope], principal) ??
    (limited || principal.key.accounts === null ? undefined : new ApiKeyForbidden({ reason: "LIMITED_TO_ACCOUNTS" }))
  )
}

const missing = (permission: Permission, principal: Principal): DomainError | undefined => {
  if (principal.permissions.includes(permission)) return undefined
  const fields = { required: [permission], provided: principal.permissions }
  if (permission !== "admin") return new InsufficientPermissions(fields)
  return new AdminRequired(principal.isAdminWithheld ? { ...fields, needs: ["totp"] } : fields)
}
