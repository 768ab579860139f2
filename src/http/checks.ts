/**
 * Checks compiled from schemas at start: JSONSchema.make, then ajv, 0.2 µs a body against Schema's 3.6. Schema only words the errors.
 * Only pure schemas are taken: of classes, defaults and codecs the compiled check would know nothing (order-path 6).
 */
import { Ajv, type ErrorObject } from "ajv"
import { SchemaAST as AST, Either, JSONSchema, ParseResult, Schema } from "effect"
import { InvalidParameter, InvalidRequest, MissingParameter, type UnknownField } from "../domain/errors/request.ts"
import { formInWords } from "./forms.ts"
import { unknownFields } from "./unknown-fields.ts"

/** Undefined: the value has the declared shape, and its uuids are in lower case now, which is how they are stored. */
export type Check = (value: unknown) => CheckFault | undefined
export type CheckFault = UnknownField | MissingParameter | InvalidParameter | InvalidRequest

/** Why a schema cannot be compiled; undefined when it can. */
export const impurity = (ast: AST.AST): string | undefined => {
  switch (ast._tag) {
    case "Transformation":
      return "a transformation, class or default"
    case "Declaration":
    case "Suspend":
      return `a ${ast._tag.toLowerCase()}`
    case "Refinement":
      return ast.annotations[AST.JSONSchemaAnnotationId] === undefined
        ? "a filter that JSON Schema cannot say"
        : impurity(ast.from)
    case "Union":
      return first(ast.types)
    case "TypeLiteral":
      return first([...ast.propertySignatures, ...ast.indexSignatures].map((it) => it.type))
    case "TupleType":
      return first([...ast.elements, ...ast.rest].map((it) => it.type))
    default:
      return undefined
  }
}

const first = (asts: ReadonlyArray<AST.AST>): string | undefined => {
  for (const ast of asts) {
    const found = impurity(ast)
    if (found !== undefined) return found
  }
  return undefined
}

/** JSON Schema's integer reaches to 1e300, Schema.Int ends at the safe integers. */
const asSchemaMeans = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(asSchemaMeans)
  if (node === null || typeof node !== "object") return node
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) copy[key] = asSchemaMeans(value)
  if (copy["type"] === "integer") {
    copy["minimum"] ??= Number.MIN_SAFE_INTEGER
    copy["maximum"] ??= Number.MAX_SAFE_INTEGER
  }
  return copy
}

// Lengths in UTF-16 units and patterns without the u flag, as Schema has them: over-long emoji strings passed otherwise.
// ajv calls `unicode: false` deprecated on stderr; there is no other way to the same lengths.
// Its optimiser of code takes as long as the rest of the compilation, at each start, and V8 needs none: 0.2 µs a body with and without.
const ajv = new Ajv({
  strict: false,
  unicode: false,
  unicodeRegExp: false,
  validateFormats: false,
  logger: false,
  // A failure knows the pattern that it stands for.
  verbose: true,
  code: { optimize: false },
})

const TYPES: Readonly<Record<string, string>> = {
  integer: "a whole number",
  number: "a number",
  string: "a JSON string",
  array: "a list",
  object: "a JSON object",
  boolean: "true or false",
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/** What the rule is, in words, where ajv has its own for it: undefined where those are good. */
const ruled = ({ keyword, params, schema }: ErrorObject): string | undefined => {
  const { limit = 0 } = params as { readonly limit?: number }
  if (keyword === "type") return typeof schema === "string" && schema in TYPES ? `must be ${TYPES[schema]}` : undefined
  if (keyword === "minItems") return `must have at least ${limit === 1 ? "1 entry" : `${limit} entries`}`
  if (keyword === "maxItems") return `must have at most ${limit === 1 ? "1 entry" : `${limit} entries`}`
  if (keyword === "minLength")
    return limit === 1 ? "must not be empty" : `must have at least ${counted(limit, "character")}`
  if (keyword === "maxLength") return `must have at most ${counted(limit, "character")}`
  return undefined
}

/** What was expected. Never the value: it may be a secret. */
const worded = (error: ErrorObject): string => {
  const allowed = error.keyword === "enum" ? (error.params as { readonly allowedValues: ReadonlyArray<unknown> }) : null
  const { pattern } = (error.parentSchema ?? {}) as { readonly pattern?: string }
  const form = pattern === undefined ? undefined : formInWords(pattern)
  if (form !== undefined && (error.keyword === "pattern" || error.keyword === "type")) return `must be ${form}`
  const message =
    error.keyword === "pattern" ? "has another form" : (ruled(error) ?? error.message ?? "has the wrong shape")
  return allowed === null ? message : `must be one of ${allowed.allowedValues.join(", ")}`
}

/** `/symbols/0` as `symbols.0`. */
const dotted = (instancePath: string): string => instancePath.slice(1).replaceAll("/", ".")

const isUuid = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "Refinement": {
      const words = ast.annotations[AST.JSONSchemaAnnotationId] as { readonly format?: string } | undefined
      return words?.format === "uuid" || isUuid(ast.from)
    }
    case "Union":
      return ast.types.some(isUuid)
    case "TupleType":
      return ast.rest.some((it) => isUuid(it.type))
    default:
      return false
  }
}

const lowerCase = (value: unknown): unknown =>
  typeof value === "string" ? value.toLowerCase() : Array.isArray(value) ? value.map(lowerCase) : value

/** Throws, at start, when the schema is not pure. `where` names it in that error. */
export const compileCheck = (ast: AST.AST, where: string): Check => {
  const fault = impurity(ast)
  if (fault !== undefined) throw new Error(`${where}: the schema has ${fault}; wire schemas must be pure`)
  const schema = Schema.make<unknown>(ast)
  const isValid = ajv.compile(asSchemaMeans(JSONSchema.make(schema)) as object)
  const explain = ParseResult.validateEither(schema, { errors: "all" })
  const fields = ast._tag === "TypeLiteral" ? ast.propertySignatures : []
  const uuids = fields.filter((field) => isUuid(field.type)).map((field) => String(field.name))
  return (value) => {
    if (isValid(value)) {
      const record = value as Record<string, unknown>
      for (const name of uuids) if (record[name] !== undefined) record[name] = lowerCase(record[name])
      return undefined
    }
    if (value === null || typeof value !== "object" || Array.isArray(value))
      return new InvalidRequest({ reason: "a JSON object is expected" })
    // Before what is missing: the name that is missing may be the one that was misspelt.
    const unknown = unknownFields(ast, value)
    if (unknown !== undefined) return unknown
    const compiled = isValid.errors?.[0]
    const explained = explain(value)
    const issues = Either.isLeft(explained) ? ParseResult.ArrayFormatter.formatIssueSync(explained.left) : []
    const missing = issues.find((issue) => issue._tag === "Missing")
    if (missing !== undefined) return new MissingParameter({ parameter: missing.path.map(String).join(".") })
    return compiled === undefined
      ? new InvalidRequest({ reason: "has the wrong shape" })
      : new InvalidParameter({ parameter: dotted(compiled.instancePath), reason: worded(compiled) })
  }
}
