/** The declared API as the authorization tests see it: every operation, who may call it, and its fields that name a record. */
import { HttpApi } from "@effect/platform"
import { SchemaAST as AST, Context, Option } from "effect"
import { Api as Declared } from "../../../src/http/api.ts"
import { Access, type AccessLevel } from "../../../src/http/edge/route.ts"
import { rpcMethodOf } from "../../../src/http/rpc/rpc.ts"
import type { Envelope } from "../../kit/servers/gateway.ts"

/** What was answered. */
export interface Heard {
  readonly status: number
  readonly text: string
  readonly envelope: Envelope<unknown> & {
    readonly details?: { readonly required?: ReadonlyArray<string>; readonly provided?: ReadonlyArray<string> }
  }
}

export interface DeclaredRoute {
  /** `tradeOrder.submit` */
  readonly name: string
  readonly method: "GET" | "POST"
  /** Below `/api/v3` unless it is one of the two that stand at the root. */
  readonly path: string
  readonly access: AccessLevel
  readonly hasBody: boolean
  /** Its call on the socket; undefined: HTTP only. */
  readonly rpc: string | undefined
  /** Of query and body, with dots: uuids, and whatever is called an id. */
  readonly ids: ReadonlyArray<string>
}

/** Everybody's: what they name belongs to nobody. */
const PUBLIC: ReadonlySet<string> = new Set(["instrumentId", "instrumentIds"])
const isNamedId = (field: string): boolean => /(^id|Id|Ids)$/.test(field) && !PUBLIC.has(field)

const isUuid = (ast: AST.AST): boolean =>
  AST.isRefinement(ast) &&
  ((ast.annotations[AST.JSONSchemaAnnotationId] as { readonly format?: string } | undefined)?.format === "uuid" ||
    isUuid(ast.from))

const idsIn = (ast: AST.AST, path: string): ReadonlyArray<string> => {
  if (AST.isTypeLiteral(ast))
    return ast.propertySignatures.flatMap(({ name, type }) => {
      const here = path === "" ? String(name) : `${path}.${String(name)}`
      const inside = idsIn(type, here)
      return inside.length === 0 && isNamedId(String(name)) ? [here] : inside
    })
  if (AST.isUnion(ast)) return [...new Set(ast.types.flatMap((type) => idsIn(type, path)))]
  if (AST.isTupleType(ast)) return [...new Set(ast.rest.flatMap(({ type }) => idsIn(type, path)))]
  if (isUuid(ast)) return [path]
  return AST.isRefinement(ast) ? idsIn(ast.from, path) : []
}

export const routes: ReadonlyArray<DeclaredRoute> = (() => {
  const found: Array<DeclaredRoute> = []
  HttpApi.reflect(Declared, {
    onGroup: () => undefined,
    onEndpoint: ({ group, endpoint, payloads }) => {
      const access = Context.getOption(endpoint.annotations as Context.Context<Access>, Access)
      const query = Option.getOrUndefined(endpoint.urlParamsSchema)?.ast
      const body = payloads.get("application/json")?.ast
      const method = endpoint.method as "GET" | "POST"
      found.push({
        name: `${group.identifier}.${endpoint.name}`,
        method,
        path: endpoint.path,
        access: Option.getOrThrow(access),
        hasBody: body !== undefined,
        rpc: rpcMethodOf({ method, template: endpoint.path }),
        ids: [query, body].flatMap((ast) => (ast === undefined ? [] : idsIn(ast, ""))),
      })
    },
  })
  return found
})()
