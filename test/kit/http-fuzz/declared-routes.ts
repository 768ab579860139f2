/**
 * Every declared endpoint from the caller's side: its path, its access rule, its parameters, its possible answers. Read from the same schemas as
 * the routes themselves, so that a new endpoint is fuzzed from its first day.
 */
import { HttpApi, HttpApiSchema } from "@effect/platform"
import { type SchemaAST as AST, Context, Option, ParseResult, Schema } from "effect"
import { Api } from "../../../src/http/api.ts"
import { failureTagsOf } from "../../../src/http/edge/envelope.ts"
import type { Tag } from "../../../src/http/edge/errno.ts"
import { Access, type AccessLevel } from "../../../src/http/edge/route.ts"

export interface DeclaredRoute {
  /** `tradeOrder.submit` */
  readonly name: string
  readonly method: "GET" | "POST"
  readonly path: string
  readonly access: AccessLevel
  readonly query: AST.AST | undefined
  readonly body: AST.AST | undefined
  readonly failures: ReadonlySet<Tag>
  /** Why a success has not the declared shape, excess fields included; undefined when it has. */
  readonly faultOfSuccess: (envelope: unknown) => string | undefined
}

export interface Field {
  readonly name: string
  readonly ast: AST.AST
  readonly isOptional: boolean
}

/** The fields of a struct; of anything else none. */
export const fieldsOf = (ast: AST.AST | undefined): ReadonlyArray<Field> =>
  ast?._tag === "TypeLiteral"
    ? ast.propertySignatures.map(({ name, type, isOptional }) => ({ name: String(name), ast: type, isOptional }))
    : []

/** What a value of a field is, beneath its refinements and its null. */
export const kindOf = (ast: AST.AST): "text" | "number" | "boolean" | "list" | "record" | "words" | "other" => {
  switch (ast._tag) {
    case "Refinement":
      return kindOf(ast.from)
    case "Union": {
      const kinds = ast.types.map(kindOf).filter((kind) => kind !== "other")
      return kinds[0] ?? "other"
    }
    case "StringKeyword":
      return "text"
    case "NumberKeyword":
      return "number"
    case "BooleanKeyword":
      return "boolean"
    case "TupleType":
      return "list"
    case "TypeLiteral":
      return "record"
    case "Literal":
      return ast.literal === null ? "other" : "words"
    default:
      return "other"
  }
}

export const declaredRoutes = (): ReadonlyArray<DeclaredRoute> => {
  const routes: Array<DeclaredRoute> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint, payloads, successes }) => {
      const status = HttpApiSchema.getStatusSuccessAST(endpoint.successSchema.ast)
      const success = Option.getOrThrow(successes.get(status)?.ast ?? Option.none())
      const validate = ParseResult.validateEither(Schema.make<unknown>(success), { onExcessProperty: "error" })
      const query: AST.AST | undefined = Option.getOrUndefined(endpoint.urlParamsSchema)?.ast
      routes.push({
        name: `${group.identifier}.${endpoint.name}`,
        method: endpoint.method as "GET" | "POST",
        path: endpoint.path,
        access: Context.get(endpoint.annotations as Context.Context<Access>, Access),
        query,
        body: payloads.get("application/json")?.ast,
        failures: new Set(failureTagsOf(endpoint.errorSchema.ast)),
        faultOfSuccess: (envelope) => {
          const checked = validate(envelope)
          return checked._tag === "Left" ? ParseResult.TreeFormatter.formatIssueSync(checked.left) : undefined
        },
      })
    },
  })
  return routes
}
